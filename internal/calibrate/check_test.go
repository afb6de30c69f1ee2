package calibrate

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestPlattDerivatives: gradient and Hessian of the sigmoid's objective are its central differences.
func TestPlattDerivatives(t *testing.T) {
	p, err := newPlatt([]float64{-2, -1, 0.5, 4, 3, -0.25}, []bool{false, true, false, true, true, false}, nil)
	if err != nil || p.unit != 4 || p.t[0] != 1./5 || p.t[1] != 4./5 || p.x[0] != -0.5 {
		t.Fatalf("%+v, %v", p, err)
	}
	derivativesSuit(t, p)
	p, err = newPlatt([]float64{-2, -1, 0.5, 4, 3, -0.25}, []bool{false, true, false, true, true, false}, []float64{3, 1, 1, 2, 4, 1})
	if err != nil || p.w[0] != 1.5 || p.t[0] != 1/4.5 || p.t[1] != 4.5/5.5 {
		t.Fatalf("%+v, %v", p, err)
	}
	derivativesSuit(t, p)
}

// derivativesSuit compares gradient and Hessian with central differences.
func derivativesSuit(t *testing.T, p *platt) {
	t.Helper()
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

// TestWeightedRows: a row of weight 3 has the part of three, but that all weights together count as the rows they are of, so that only
// their ratios are seen; equal weights are none, bit for bit.
func TestWeightedRows(t *testing.T) {
	const n = 600
	var once, often []int // rows
	weight, class := make([]float64, n), make([]int, n)
	wide := mat.NewDense(n, 3, nil)
	for i := range n {
		class[i], weight[i] = i%3, 1
		for o := range 3 {
			wide.Set(i, o, math.Cos(float64(2*(i%3-o)))+1.5*math.Sin(float64(7*i+3*o)))
		}
		once = append(once, i)
		often = append(often, i)
		if class[i] == 2 {
			weight[i] = 3
			often = append(often, i, i)
		}
	}
	of := func(rows []int, weight []float64) []float64 {
		out, classes := mat.NewDense(len(rows), 3, nil), make([]int, len(rows))
		scores, second := make([]float64, len(rows)), make([]bool, len(rows))
		for q, i := range rows {
			out.SetRow(q, wide.RawRowView(i))
			classes[q], scores[q], second[q] = class[i], wide.At(i, 2), class[i] == 2
		}
		one, err := FitSigmoid(scores, second, weight)
		soft, failed := FitSoftmax(out, classes, weight)
		pairs, none := FitPairs(out, classes, 3, weight)
		if err != nil || failed != nil || none != nil {
			t.Fatal(err, failed, none)
		}
		list := []float64{one.Slope, one.Offset, soft.Temperature, pairs.Power}
		for _, s := range pairs.Pair {
			list = append(list, s.Slope, s.Offset)
		}
		return list
	}
	seven := make([]float64, n)
	for i, w := range weight {
		seven[i] = 7 * w
	}
	plain, equal := of(once, nil), of(once, slices.Repeat([]float64{4}, n))
	weighed, scaled, stands := of(once, weight), of(once, seven), of(often, nil)
	differ := 0
	for k, v := range weighed {
		if plain[k] != equal[k] || math.Abs(v-scaled[k]) > 1e-9 || math.Abs(v-stands[k]) > 0.02*(1+math.Abs(v)) {
			t.Errorf("number %d: %g, with weights seven times as large %g, of rows that stand three times %g; without %g, equal ones %g",
				k, v, scaled[k], stands[k], plain[k], equal[k])
		}
		if math.Abs(v-plain[k]) > 0.05 {
			differ++
		}
	}
	if differ < 4 {
		t.Errorf("weights change %d numbers: %v, without %v", differ, weighed, plain)
	}
	failtest.Panics(t, "calibrate: 2 weights for 3 rows", func() {
		_, _ = FitSigmoid(make([]float64, 3), make([]bool, 3), make([]float64, 2))
	})
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
	p := &platt{x: []float64{1, -1}, t: []float64{0.75, 0.25}, w: []float64{1, 1}}
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
	if s, err := FitSoftmax(mat.NewDense(2, 2, nil), []int{0, 1}, nil); err != nil || s.Temperature != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
