package calibrate

// Problem   minimise over t >= 0 the log loss of p_i = softmax(t f_i) with smoothed labels,
//
//	F(t) = -(1/n) sum_i w_i [(1-e) log p_i(y_i) + e/(k-1) sum_{c != y_i} log p_i(c)],   e = 1/(n+2)
//
//           with weights w_i of mean one.
//           The share e, Laplace's for what n trials did not show, keeps t finite when every
//           row is right.
// Method    F is convex: the root of F' by safeguarded Newton steps, to twelve digits.
// Cost      a pass over the outputs a step, about ten steps, at most 200.

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
)

// Unseen is the share e of a label that stands for what n rows did not show.
func Unseen(n int) float64 { return 1 / float64(n+2) }

// Smoothed is what a row of outputs f and class y adds to n F(t), with the first two
// derivatives by t, for outputs in the given unit. It stores the row's probabilities in p.
func Smoothed(p, f []float64, y int, t, unit, e float64) (loss, d, dd float64) {
	top, z := softmax(p, f, t/unit)
	other := e / float64(len(p)-1)
	var mean, target float64 // target: the mean output under the smoothed label
	for c, v := range f {
		mean += p[c] * (v / unit)
		target += other * (v / unit)
	}
	target += (1 - e - other) * f[y] / unit
	for c, v := range f {
		dd += p[c] * (v/unit - mean) * (v/unit - mean)
	}
	return math.Log(z) - t*(target-top/unit), mean - target, dd
}

// Root returns the t from least on at which F, of the derivatives that slope gives, is least.
// t is to be of order one. It is the last end of the bracket where F is flat to rounding.
func Root(slope func(t float64) (d, dd float64), least float64) float64 {
	if d, _ := slope(least); !(d < 0) {
		return least
	}
	lo, hi := least, 1.0
	for range 100 { // smoothing makes F rise in the end
		if d, _ := slope(hi); d > 0 {
			break
		}
		lo, hi = hi, 2*hi
	}
	r, err := solve.Root(context.Background(), slope, lo, hi, solve.ScalarOptions{Tolerance: 1e-12})
	if err != nil {
		return hi
	}
	return r.X
}

// LeastSharp over the largest output is the least temperature: outputs that say
// nothing about the classes have probabilities equal to six digits, but keep their
// order.
const LeastSharp = 1e-6
