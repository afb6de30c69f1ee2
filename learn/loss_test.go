package learn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// losses are all of them with their defaults, and others with parameters that move
// every kink.
func losses(t *testing.T) []learn.Loss {
	t.Helper()
	all := []learn.Loss{learn.HuberHinge(0.05), learn.HuberHinge(1), learn.Epsilon(0.7), learn.SquaredEpsilon(0.7),
		learn.Quartic(0.4), learn.Quartic(1), learn.ModLogistic(1), learn.ModLogistic(7.5)}
	for _, w := range learn.Losses() {
		name := w.ID
		l, err := learn.ParseLoss(name)
		if err != nil {
			t.Fatal(err)
		}
		if l.Name() != name {
			t.Errorf("Parse(%q) is %q", name, l.Name())
		}
		all = append(all, l)
	}
	return all
}

// targets suitable for l.
func targets(l learn.Loss) []float64 {
	if l.Classes() {
		return []float64{-1, 1}
	}
	return []float64{-1, 1, 0, 0.3, -2.7}
}

// kinks of the first or second derivative, as values of f.
func kinks(l learn.Loss, y float64) []float64 {
	switch l.Name() {
	case "hinge", "squared-hinge":
		return []float64{y}
	case "huber-hinge":
		h := 1 / (2 * l.Curvature())
		return []float64{y * (1 - h), y * (1 + h)}
	case "quartic":
		eps := 3 / (4 * l.Curvature())
		return []float64{y * (1 - eps), y * (1 + eps)}
	case "absolute":
		return []float64{y}
	case "epsilon", "squared-epsilon":
		return []float64{y - 0.1, y + 0.1, y - 0.7, y + 0.7}
	}
	return nil
}

// Differences of five points: their error is h^4/30 of the fifth derivative, below 1e-12
// of the sharpest loss here, and rounding's is 1e-16/h = 1e-12.
func TestDerivativesAreCentralDifferences(t *testing.T) {
	const h = 1e-4
	rng := rand.New(rand.NewPCG(1, 1))
	slope := func(v func(f float64) float64, f float64) float64 {
		return (v(f-2*h) - v(f+2*h) + 8*(v(f+h)-v(f-h))) / (12 * h)
	}
	for _, l := range losses(t) {
		for _, y := range targets(l) {
			value := func(f float64) float64 { return l.Value(y, f) }
			first := func(f float64) float64 {
				d1, _ := l.Derivatives(y, f)
				return d1
			}
		points:
			for i := range 400 {
				f := 4 * rng.NormFloat64()
				if i%2 == 0 { // where the narrow ones bend
					f = y + 0.2*rng.NormFloat64()
				}
				for _, k := range kinks(l, y) {
					if math.Abs(f-k) < 3*h {
						continue points
					}
				}
				d1, d2 := l.Derivatives(y, f)
				if num := slope(value, f); math.Abs(num-d1) > 1e-8*(1+math.Abs(d1)) {
					t.Errorf("%s y=%g f=%g: V' = %.12g, differences %.12g", l.Name(), y, f, d1, num)
				}
				if num := slope(first, f); math.Abs(num-d2) > 1e-8*(1+math.Abs(d2)) {
					t.Errorf("%s y=%g f=%g: V'' = %.12g, differences %.12g", l.Name(), y, f, d2, num)
				}
			}
		}
	}
}

// V lies above every tangent, V' increases, and no faster than Curvature allows.
func TestConvex(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, l := range losses(t) {
		for _, y := range targets(l) {
			var steepest float64
			for range 3000 {
				f := 2 * rng.NormFloat64()
				g := f + 0.1*rng.NormFloat64()
				a, d2 := l.Derivatives(y, f)
				b, _ := l.Derivatives(y, g)
				if (b-a)*(g-f) < 0 {
					t.Fatalf("%s y=%g: V' falls between %g and %g", l.Name(), y, f, g)
				}
				if below := l.Value(y, f) + a*(g-f) - l.Value(y, g); below > 1e-14*(1+l.Value(y, f)) {
					t.Fatalf("%s y=%g: V is below its tangent at %g by %g", l.Name(), y, g, below)
				}
				if d2 < 0 || d2 > l.Curvature() {
					t.Fatalf("%s y=%g f=%g: V'' = %g, bound %g", l.Name(), y, f, d2, l.Curvature())
				}
				steepest = max(steepest, math.Abs(b-a)/math.Abs(g-f))
			}
			if learn.Smooth(l) && (steepest > l.Curvature()*(1+1e-9) || steepest < 0.9*l.Curvature()) {
				t.Errorf("%s y=%g: V' has slope %g, bound %g", l.Name(), y, steepest, l.Curvature())
			}
		}
	}
}

// sup brute forces V* on a fine grid over a wide range: a lower bound of the
// supremum, short of it by at most step^2/8 Curvature or step |V'|.
func sup(l learn.Loss, y, u float64) float64 {
	best := math.Inf(-1)
	for i := -8000; i <= 8000; i++ {
		f := float64(i) / 200
		best = max(best, u*f-l.Value(y, f))
	}
	return best
}

func TestConjugateIsTheSupremum(t *testing.T) {
	for _, l := range losses(t) {
		for _, y := range targets(l) {
			for _, u := range []float64{0, -1, 1, -0.99, -0.6, -0.25, -0.01, 0.3, 0.75, 2, -1.8} {
				got, want := l.Conjugate(y, u), sup(l, y, u)
				if math.IsInf(got, 1) {
					// Outside the domain the supremum grows with the range.
					if want < 0.3 {
						t.Errorf("%s y=%g: V*(%g) = +Inf, on |f| <= 40 the supremum is only %g", l.Name(), y, u, want)
					}
					continue
				}
				if math.Abs(got-want) > 3e-3 {
					t.Errorf("%s y=%g: V*(%g) = %g, brute force %g", l.Name(), y, u, got, want)
				}
			}
		}
	}
}

// Fenchel and Young: V + V* >= u f, with equality at u = V'(f).
func TestFenchelYoung(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, l := range losses(t) {
		for _, y := range targets(l) {
			if v := l.Conjugate(y, 0); math.IsInf(v, 0) {
				t.Errorf("%s: zero is not in the conjugate's domain", l.Name())
			}
			for range 500 {
				f, g := 3*rng.NormFloat64(), 3*rng.NormFloat64()
				u, _ := l.Derivatives(y, f)
				conj := l.Conjugate(y, u)
				if d := l.Value(y, f) + conj - u*f; math.Abs(d) > 1e-12*(1+math.Abs(u*f)) {
					t.Errorf("%s y=%g f=%g: V + V* - u f = %g", l.Name(), y, f, d)
				}
				if d := l.Value(y, g) + conj - u*g; d < -1e-12*(1+math.Abs(u*g)) {
					t.Errorf("%s y=%g u=%g g=%g: V + V* - u f = %g < 0", l.Name(), y, u, g, d)
				}
				if v := l.Conjugate(y, u*rng.Float64()); math.IsInf(v, 0) {
					t.Errorf("%s y=%g: the domain is not star-shaped about 0", l.Name(), y)
				}
			}
		}
	}
}

func TestHugeMarginsStayFinite(t *testing.T) {
	for _, l := range losses(t) {
		for _, y := range []float64{-1, 1} {
			for _, f := range []float64{-1000, 1000, -1e100, 1e100} {
				d1, d2 := l.Derivatives(y, f)
				for _, v := range []float64{l.Value(y, f), d1, d2, l.Conjugate(y, d1)} {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s y=%g f=%g: V = %g, V' = %g, V'' = %g, V* = %g", l.Name(), y, f, l.Value(y, f), d1, d2,
							l.Conjugate(y, d1))
						break
					}
				}
			}
		}
	}
	// The tails keep their relative precision.
	l := learn.Logistic()
	if v, want := l.Value(1, 700), math.Exp(-700); math.Abs(v/want-1) > 1e-14 {
		t.Errorf("logistic at 700: %g, want %g", v, want)
	}
	if d, _ := l.Derivatives(1, 700); math.Abs(-d/math.Exp(-700)-1) > 1e-14 {
		t.Errorf("logistic derivative at 700: %g", d)
	}
	if v := l.Value(-1, 1000); v != 1000 {
		t.Errorf("logistic at margin -1000: %g", v)
	}
}

func TestHuberTendsToHinge(t *testing.T) {
	for _, h := range []float64{0.5, 1e-2, 1e-4, 1e-9} {
		l := learn.HuberHinge(h)
		for f := -3.0; f <= 3; f += 1.0 / 64 {
			d := l.Value(1, f) - learn.Hinge().Value(1, f)
			if d < 0 || d > h/4+1e-15 {
				t.Fatalf("h=%g f=%g: above the hinge by %g, at most h/4 expected", h, f, d)
			}
		}
		if d := l.Value(1, 1); math.Abs(d-h/4) > 1e-15 {
			t.Errorf("h=%g: %g at the kink, want h/4", h, d)
		}
	}
}

func TestFlatSideAtKinks(t *testing.T) {
	for _, c := range []struct {
		l    learn.Loss
		y, f float64
	}{
		{learn.Hinge(), 1, 1}, {learn.SquaredHinge(), -1, -1}, {learn.HuberHinge(0.25), 1, 1.25},
		{learn.Absolute(), 2, 2}, {learn.Epsilon(0.5), 2, 2.5}, {learn.SquaredEpsilon(0.5), 2, 1.5},
	} {
		if d1, d2 := c.l.Derivatives(c.y, c.f); d1 != 0 || d2 != 0 {
			t.Errorf("%s at its kink: V' = %g, V'' = %g", c.l.Name(), d1, d2)
		}
	}
	if d1, d2 := learn.HuberHinge(0.25).Derivatives(1, 0.75); d1 != -1 || d2 != 0 {
		t.Errorf("huber-hinge at 1 - h: V' = %g, V'' = %g", d1, d2)
	}
}

// Label flip: V(-y, -f) = V(y, f) for every loss.
func TestLabelFlip(t *testing.T) {
	for _, l := range losses(t) {
		for _, y := range targets(l) {
			for f := -4.0; f <= 4; f += 0.37 {
				a1, a2 := l.Derivatives(y, f)
				b1, b2 := l.Derivatives(-y, -f)
				if l.Value(y, f) != l.Value(-y, -f) || a1 != -b1 || a2 != b2 || l.Conjugate(y, a1) != l.Conjugate(-y, b1) {
					t.Errorf("%s y=%g f=%g: not symmetric", l.Name(), y, f)
				}
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	if l, err := learn.ParseLoss("zero-one"); err == nil {
		t.Errorf("zero-one is %v", l)
	}
}
