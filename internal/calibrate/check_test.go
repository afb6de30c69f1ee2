package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestPlattDerivatives: gradient and Hessian of the sigmoid's objective are its central differences.
func TestPlattDerivatives(t *testing.T) {
	p, err := newPlatt([]float64{-2, -1, 0.5, 4, 3, -0.25}, []bool{false, true, false, true, true, false})
	if err != nil || p.unit != 4 || p.t[0] != 1./5 || p.t[1] != 4./5 || p.x[0] != -0.5 {
		t.Fatalf("%+v, %v", p, err)
	}
	const h = 1e-5
	for _, at := range [][2]float64{{0, 0}, {1.5, -0.3}, {-2, 1}, {8, 0.1}} {
		a, b := at[0], at[1]
		ga, gb, haa, hab, hbb := p.derivatives(a, b)
		right := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-7 {
				t.Errorf("%s at %v is %g, differences %g", what, at, got, want)
			}
		}
		right("dF/da", ga, (p.value(a+h, b)-p.value(a-h, b))/(2*h))
		right("dF/db", gb, (p.value(a, b+h)-p.value(a, b-h))/(2*h))
		up, _, _, _, _ := p.derivatives(a+h, b)
		down, _, _, _, _ := p.derivatives(a-h, b)
		right("d2F/da2", haa, (up-down)/(2*h))
		up, upB, _, _, _ := p.derivatives(a, b+h)
		down, downB, _, _, _ := p.derivatives(a, b-h)
		right("d2F/dadb", hab, (up-down)/(2*h))
		right("d2F/db2", hbb, (upB-downB)/(2*h))
	}
}

// TestChecks: what makes a calibration read from a file none is said.
func TestChecks(t *testing.T) {
	type checked interface{ Check() error }
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		c    checked
		want string
	}{
		{Softmax{0}, ""}, {Softmax{2}, ""}, {Softmax{-1}, "softmax: temperature -1; it must be finite and not negative"},
		{Softmax{inf}, "softmax: temperature +Inf; it must be finite and not negative"},
		{Softmax{nan}, "softmax: temperature NaN; it must be finite and not negative"},
		{Isotonic{}, ""}, {Isotonic{[]float64{-1, 0, 1}, []float64{0.25, 0.5, 0.75}}, ""}, {Isotonic{[]float64{0}, []float64{0.5}}, ""},
		{Isotonic{[]float64{-1, 1}, []float64{0.5, 0.5}}, ""},
		{Isotonic{[]float64{0, 0.5}, []float64{0.6, 0.7}}, ""},
		{Isotonic{[]float64{1}, nil}, "isotonic: 1 scores, 0 probabilities"},
		{Isotonic{[]float64{1, 1}, []float64{0.6, 0.7}}, "isotonic: score 1 is 1; scores must be finite and increase"},
		{Isotonic{[]float64{inf}, []float64{0.6}}, "isotonic: score 0 is +Inf; scores must be finite and increase"},
		{Isotonic{[]float64{1, 2}, []float64{0.7, 0.6}}, "isotonic: probability 1 is 0.6; they must lie between 0 and 1 and not decrease"},
		{Isotonic{[]float64{1}, []float64{1}}, "isotonic: probability 0 is 1; they must lie between 0 and 1 and not decrease"},
		{Isotonic{[]float64{-1}, []float64{0}}, "isotonic: probability 0 is 0; they must lie between 0 and 1 and not decrease"},
		{Isotonic{[]float64{-1}, []float64{0.6}}, "isotonic: probability 0.6 at score -1 contradicts the decision"},
		{Isotonic{[]float64{0}, []float64{0.4}}, "isotonic: probability 0.4 at score 0 contradicts the decision"},
	} {
		if err := c.c.Check(); err == nil != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%+v: %v, want %q", c.c, err, c.want)
		}
	}
}

// TestIsotonicProbability: on the line between the two scores beside an output, that of the last score beyond them, and a half of none.
func TestIsotonicProbability(t *testing.T) {
	s := Isotonic{Score: []float64{-2, 0, 1}, P: []float64{0.125, 0.5, 0.75}}
	for f, want := range map[float64]float64{-3: 0.125, -2: 0.125, -1.5: 0.21875, -1: 0.3125, 0: 0.5, 0.25: 0.5625, 1: 0.75, 9: 0.75} {
		if got := s.Probability(f); got != want {
			t.Errorf("at %g: %g, expected %g", f, got, want)
		}
	}
	wide := Isotonic{Score: []float64{-1e308, 1.5e308}, P: []float64{0.25, 0.75}}
	if got := wide.Probability(0.25e308); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("between the largest scores: %g", got)
	}
	if got := (Isotonic{}).Probability(3); got != 0.5 {
		t.Errorf("of nothing: %g", got)
	}
}

// TestPairsAreOpen: a pair says neither that a class is certain nor that it is impossible.
func TestPairsAreOpen(t *testing.T) {
	c := NewCoupling(2)
	for v, want := range map[float64]float64{-1: 1e-7, 0: 1e-7, 0.25: 0.25, 1: 1 - 1e-7, 3: 1 - 1e-7} {
		if c.Set(0, 1, v); c.r.At(0, 1) != want || c.r.At(1, 0) != 1-want {
			t.Errorf("%g is %g and %g", v, c.r.At(0, 1), c.r.At(1, 0))
		}
	}
}

// TestPlattFarOut: the loss is finite however far outputs are from zero, on both sides.
func TestPlattFarOut(t *testing.T) {
	p := &platt{x: []float64{1, -1}, t: []float64{0.75, 0.25}}
	for a, want := range map[float64]float64{1e4: 0.5e4, -1e4: 1.5e4, 0: 2 * math.Ln2} {
		if got := p.value(a, 0); math.Abs(got-want) > 1e-12*(1+want) {
			t.Errorf("slope %g: %g, expected %g", a, got, want)
		}
	}
}

// TestSmoothedDerivatives: the log loss with smoothed labels is by its definition, and its derivatives are differences.
func TestSmoothedDerivatives(t *testing.T) {
	f, p := []float64{1, -2, 0.5, 3}, make([]float64, 4)
	const unit, e, h = 3.0, 0.125, 1e-5
	for y := range f {
		for _, at := range []float64{0, 0.5, 2} {
			loss, d, dd := Smoothed(p, f, y, at, unit, e)
			want, z := 0.0, 0.0
			for _, v := range f {
				z += math.Exp(at * v / unit)
			}
			for c, v := range f {
				share := e / 3
				if c == y {
					share = 1 - e
				}
				want -= share * (at*v/unit - math.Log(z))
			}
			up, du, _ := Smoothed(p, f, y, at+h, unit, e)
			down, dl, _ := Smoothed(p, f, y, at-h, unit, e)
			if math.Abs(loss-want) > 1e-13 || math.Abs(d-(up-down)/(2*h)) > 1e-8 || math.Abs(dd-(du-dl)/(2*h)) > 1e-8 {
				t.Errorf("class %d at %g: %g, %g, %g; loss %g", y, at, loss, d, dd, want)
			}
		}
	}
	if Unseen(6) != 0.125 {
		t.Error("the share of what eight trials did not show is not one of eight")
	}
	if s, err := FitSoftmax(mat.NewDense(2, 2, nil), []int{0, 1}); err != nil || s.Temperature != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
