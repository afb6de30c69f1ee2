package calibrate

// Problem   minimise over t >= 0 the cross-entropy of p_i = softmax(t f_i) to probabilities q_i that another function gives,
//
//	F(t) = -(1/n) sum_i sum_c q_ic log p_ic
//
// Method    F is convex: the root of F', as of the log loss (temperature.go).
// Cost      a pass over the outputs a step.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// FitMatching gives outputs, one a class or one for two classes (positive for the second), the slope that makes probabilities
// nearest to the given ones (n x classes).
func FitMatching(scores, probabilities *mat.Dense) Calibration {
	n, c := scores.Dims()
	if r, k := probabilities.Dims(); r != n || k < 2 || c != k && (c != 1 || k != 2) {
		panic(fmt.Sprintf("calibrate: %d x %d outputs for %d x %d probabilities", n, c, r, k))
	}
	unit := max(mat.Max(scores), -mat.Min(scores))
	if unit == 0 {
		unit = 1
	}
	_, k := probabilities.Dims()
	f, p := make([]float64, k), make([]float64, k)
	slope := func(t float64) (d, dd float64) {
		for i := range n {
			if c == 1 {
				f[1] = scores.At(i, 0)
			} else {
				copy(f, scores.RawRowView(i))
			}
			softmax(p, f, t/unit)
			var mean, target float64
			for q, v := range f {
				mean += p[q] * v / unit
				target += probabilities.At(i, q) * v / unit
			}
			d += (mean - target) / float64(n)
			for q, v := range f {
				dd += p[q] * (v/unit - mean) * (v/unit - mean) / float64(n)
			}
		}
		return d, dd
	}
	t := min(Root(slope, 0)/unit, math.MaxFloat64)
	if c == 1 {
		return Sigmoid{Slope: t}
	}
	return Softmax{Temperature: t}
}
