package learn

import (
	"math"
	"testing"
)

// TestKnownLosses: what is known of every loss: its name, what it is of, its curvature and its width by default.
func TestKnownLosses(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name, title   string
		same          Loss
		classes       bool
		curvature     float64
		at, value, d1 float64 // of y = 1
	}{
		{"square", "square", Square(), false, 2, 3, 4, 4}, {"hinge", "hinge", Hinge(), true, inf, 0.25, 0.75, -1},
		{"squared-hinge", "squared-hinge", SquaredHinge(), true, 2, 0.5, 0.25, -1},
		{"huber-hinge", "huber-hinge", HuberHinge(0.5), true, 1, 1, 0.125, -0.5},
		{"logistic", "logistic", Logistic(), true, 0.25, 0, math.Ln2, -0.5},
		{"quartic", "quartic", Quartic(0.125), true, 6, 1, 0.125 * 3 / 16, -0.5},
		{"modlog", "modlog", ModLogistic(12), true, 3, 1, math.Ln2 / 12, -0.5},
		{"absolute", "absolute", Absolute(), false, inf, -1, 2, -1}, {"epsilon", "epsilon", Epsilon(0.1), false, inf, 2, 0.9, 1},
		{"squared-epsilon", "squared-epsilon", SquaredEpsilon(0.1), false, 2, 2, 0.81, 1.8},
	} {
		l, err := ParseLoss(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if l.Name() != c.title || l.Classes() != c.classes || l.Curvature() != c.curvature || Smooth(l) != !math.IsInf(c.curvature, 1) {
			t.Errorf("%s: %s, of classes %t, smooth %t, curvature %g", c.name, l.Name(), l.Classes(), Smooth(l), l.Curvature())
		}
		d1, _ := l.Derivatives(1, c.at)
		if v := l.Value(1, c.at); math.Abs(v-c.value) > 1e-14 || math.Abs(d1-c.d1) > 1e-14 {
			t.Errorf("%s at %g: %g, %g", c.name, c.at, v, d1)
		}
		for f := -2.0; f <= 3; f += 0.0625 {
			a, b := l.Value(1, f), c.same.Value(1, f)
			if a != b || l.Conjugate(1, f/4) != c.same.Conjugate(1, f/4) {
				t.Errorf("%s is not %+v at %g", c.name, c.same, f)
			}
		}
		if w, ok := l.(Widener); ok {
			if wide := w.Widened(4); wide.Curvature() != c.curvature/4 {
				t.Errorf("%s four times as wide has the curvature %g", c.name, wide.Curvature())
			}
		}
	}
	if got := len(Losses()); got != 10 {
		t.Errorf("%d losses", got)
	}
	if _, err := ParseLoss("cubic"); err == nil ||
		err.Error() != `unknown loss "cubic"; one of square, hinge, squared-hinge, `+
			`huber-hinge, logistic, quartic, modlog, absolute, epsilon, squared-epsilon` {
		t.Error(err)
	}
}
