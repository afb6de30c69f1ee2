package calibrate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/calibrate"
)

// The slope that made probabilities is found again, and that of others is no worse than its neighbours.
func TestMatching(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []int{1, 4} {
		const n = 50
		f, classes := mat.NewDense(n, c, nil), max(c, 2)
		winner := make([]int, n)
		for i := range n {
			for q := range c {
				f.Set(i, q, 3*rng.NormFloat64())
			}
			for q := range c {
				if c == 1 && f.At(i, 0) > 0 {
					winner[i] = 1
				} else if c > 1 && f.At(i, q) > f.At(i, winner[i]) {
					winner[i] = q
				}
			}
		}
		of := func(t float64) calibrate.Calibration {
			if c == 1 {
				return calibrate.Sigmoid{Slope: t}
			}
			return calibrate.Softmax{Temperature: t}
		}
		at := func(k calibrate.Calibration) *mat.Dense {
			p := mat.NewDense(n, classes, nil)
			if err := k.Probabilities(p, f, winner); err != nil {
				t.Fatal(err)
			}
			return p
		}
		slope := func(k calibrate.Calibration) float64 {
			if s, ok := k.(calibrate.Sigmoid); ok {
				return s.Slope
			}
			return k.(calibrate.Softmax).Temperature
		}
		if got := slope(calibrate.FitMatching(f, at(of(0.7)))); math.Abs(got-0.7) > 1e-4 { // Margin moves near ties
			t.Errorf("%d outputs: slope %g, want 0.7", c, got)
		}
		q := mat.NewDense(n, classes, nil)
		for i := range n {
			for j := range classes {
				q.Set(i, j, 0.1/float64(classes))
			}
			k := winner[i]
			if i%3 == 0 {
				k = i % classes
			}
			q.Set(i, k, q.At(i, k)+0.9)
		}
		entropy := func(t float64) (e float64) {
			p := at(of(t))
			for i := range n {
				for j := range classes {
					e -= q.At(i, j) * math.Log(p.At(i, j))
				}
			}
			return e
		}
		s := slope(calibrate.FitMatching(f, q))
		if e := entropy(s); !(s > 0) || e > entropy(0.95*s) || e > entropy(1.05*s) {
			t.Errorf("%d outputs: the entropy at %g is no least one", c, s)
		}
	}
	if s := calibrate.FitMatching(mat.NewDense(3, 1, nil), mat.NewDense(3, 2, []float64{.1, .9, .2, .8, .5, .5})); s.Check() != nil {
		t.Error(s.Check())
	}
}
