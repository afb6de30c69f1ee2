package s3vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// With a curvature that is wrong on three rows conjugate gradients end after one step more than those, but for rounding, because no
// row is outside the margin, and the function is then the one that the right curvature gives at once.
func TestConjugateGradientsEnd(t *testing.T) {
	for _, offset := range []bool{false, true} {
		p := clouds(30, 6, 1, offset)
		p.C, p.Unlabelled = 0.05, 0.03
		y := means(p, 2)
		_, right, want := minimised(t, p, learn.SquaredHinge(), y, 1e-12)
		if steps, err := right.minimise(t.Context(), newFunction(30), y, 1e-12, 0); err != nil || steps != 1 {
			t.Errorf("offset %v: %d steps with the right curvature, %v", offset, steps, err)
		}
		for _, f := range want.f {
			if math.Abs(f) >= 1 {
				t.Fatal("a row is outside the margin")
			}
		}
		step, err := newStep(t.Context(), newSystem(p), p.Labelled(), learn.SquaredHinge())
		if err != nil {
			t.Fatal(err)
		}
		wrong := step.(*squaredHinge)
		for q, by := range map[int]float64{2: 0.1, 11: 30, 17: 4} {
			wrong.bend[q] *= by
		}
		if err := wrong.factor(t.Context()); err != nil {
			t.Fatal(err)
		}
		at := newFunction(30)
		steps, err := wrong.minimise(t.Context(), at, y, 1e-9, 0)
		if err != nil || steps > 7 || steps < 2 || !near(at.f, want.f, 1e-7) {
			t.Errorf("offset %v: %d steps with the wrong curvature, %v\n%v\nwant %v", offset, steps, err, at.f, want.f)
		}
		if wrong.limited() != "" {
			t.Errorf("offset %v: %s", offset, wrong.limited())
		}
		wrong.short = true
		if got := wrong.limited(); got != "conjugate gradients stopped at their limit of 1000 steps" {
			t.Error(got)
		}
	}
}

// The mean of the probabilities is the share to 1e-10, and an eleventh digit where the root is met no better.
func TestMeanOfProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	g, p := make([]float64, 5), make([]float64, 5)
	for range 20000 {
		for j := range g {
			g[j] = 4 * rng.NormFloat64()
		}
		r, temperature := 0.05+0.9*rng.Float64(), 0.2+2*rng.Float64()
		Probabilities(p, g, r, temperature)
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		if math.Abs(sum/5-r) > 1.001e-10 {
			t.Fatalf("the mean of %v is off by %g", p, sum/5-r)
		}
	}
}

// Where no row has a label to choose from, the smallest gain is nought; else it is the m-th in order, of rows without one.
func TestSmallestGain(t *testing.T) {
	var g gains
	label, gain := []int8{0, 1, 0, -1, 0, 0}, []float64{5, 1, 3, 0, 9, 4}
	for m, want := range []float64{0, 3, 4, 5, 9} {
		if got := g.smallest(label, gain, m); got != want {
			t.Errorf("gain %d is %g, want %g", m, got, want)
		}
	}
}

// Where all rows are one point to the kernel a minimisation that ends by rounding takes the coefficients that the function asks for, if
// they give the same outputs but for roundings.
func TestCoefficientsThatTheKernelDoesNotSee(t *testing.T) {
	for by, taken := range map[float64]bool{0: true, 1e-13: true, 1e-10: false} {
		p := &Problem{K: mat.NewDense(2, 2, []float64{1, 1, 1, 1}), Rows: []int{0, 1}, Y: []float64{1, -1}, C: 0.5}
		step, err := newStep(t.Context(), newSystem(p), p.Labelled(), learn.SquaredHinge())
		if err != nil {
			t.Fatal(err)
		}
		s, at := step.(*squaredHinge), newFunction(2)
		at.alpha[0], at.alpha[1] = 3, -3 // outputs of 0
		s.stop(at, []float64{1, -1 + by})
		if got := at.alpha[0] != 3; got != taken || (s.stuck == 0) != taken {
			t.Errorf("outputs apart by %g: coefficients %v, stuck at %g", by, at.alpha, s.stuck)
		}
	}
}
