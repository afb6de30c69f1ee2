package methodtest

// Problem   is the model of a transductive machine the minimum that it is said to be, for the labels in which it
//           decides the unlabelled rows? With f = K alpha + b on all rows, c_i = C of a labelled row
//           and w C l/u of an unlabelled one, whose label y_i is +1 for the so many largest f_i that the
//           share asks for,
//
//           P(alpha, b) = 1/2 alpha'K alpha + sum_i c_i V(y_i, f_i)
// Method    That of certificate.go: -alpha_i/c_i is a derivative of V at f_i, and sums to zero where b is free.
// Source    the formulas that mercer methods prints.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/learn"
)

// transductive checks the certificates of a method that decides unlabelled rows.
func transductive(t *testing.T, m method.Method) {
	for _, r := range solved(m) {
		in := sample(t, moons)
		f := one(t, in, r)
		w := newWitness(t, in, f)
		faults := decidedFaults(t, w, cmp.Or(r.Set["loss"], firstLoss(m)))
		if m.ID == "cccp-tsvm" {
			faults = clippedFaults(w)
		}
		for _, fault := range faults {
			t.Errorf("%+v: %s", r, fault)
		}
	}
}

// firstLoss is the word of the loss of a method that is not told another.
func firstLoss(m method.Method) string {
	for _, s := range m.All() {
		if s.Name == "loss" {
			return s.Words[0]
		}
	}
	return "squared-hinge"
}

// clippedFaults lists where what is printed of the hinge with the label of each row that costs least is not so.
func clippedFaults(w *witness) (list []string) {
	y, cost := w.decided()
	known := map[int]bool{}
	for _, i := range w.labelled {
		known[i] = true
	}
	p := 0.0
	for i, a := range w.alpha {
		out := w.f[i] + w.offset
		margin := math.Abs(out)
		if known[i] {
			margin = y[i] * out
		}
		p += a*w.f[i]/2 + cost[i]*max(0, 1-margin)
	}
	if c := w.fitted.result.Certificate; math.Abs(c.Objective-p) > 1e-6*p {
		list = append(list, fmt.Sprintf("the objective is %g, printed as %g", p, c.Objective))
	}
	return list
}

// decidedFaults lists where what is printed is not so.
func decidedFaults(t *testing.T, w *witness, word string) (list []string) {
	v, err := learn.ParseLoss(word)
	if err != nil {
		t.Fatal(err)
	}
	w.loss = v
	y, cost := w.decided()
	p, gap, sum, most := 0.0, 0.0, 0.0, 0.0
	for i, a := range w.alpha {
		out := w.f[i] + w.offset
		u := w.inside(y[i], -a/cost[i])
		p += a*w.f[i]/2 + cost[i]*v.Value(y[i], out)
		gap += cost[i] * (v.Value(y[i], out) + v.Conjugate(y[i], u) - u*out)
		sum += a
		most = max(most, math.Abs(a))
	}
	c := w.fitted.result.Certificate
	if math.Abs(c.Objective-p) > 1e-3*p {
		list = append(list, fmt.Sprintf("the objective is %g, printed as %g", p, c.Objective))
	}
	if gap < -1e-9*p || gap > 1e-2*p {
		list = append(list, fmt.Sprintf("the gap of the machine for its own labels is %g of %g", gap, p))
	}
	if w.free && math.Abs(sum) > 1e-6*most*float64(len(y)) {
		list = append(list, fmt.Sprintf("the offset is free, and coefficients sum to %g", sum))
	}
	return list
}

// decided are labels of all rows, in the shares of the labels, and what their losses cost.
func (w *witness) decided() (y, cost []float64) {
	n, l := len(w.f), float64(len(w.labelled))
	y, cost = make([]float64, n), make([]float64, n)
	known, plus := map[int]bool{}, 0.0
	for q, i := range w.labelled {
		y[i], cost[i], known[i] = w.y[q], w.number("C"), true
		plus += (1 + w.y[q]) / 2
	}
	var rest []int
	for i := range n {
		if !known[i] {
			rest = append(rest, i)
			y[i], cost[i] = -1, w.number("C")*l/(float64(n)-l)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(w.f[b], w.f[a]) })
	for _, i := range rest[:int(math.Round(plus/l*float64(len(rest))))] {
		y[i] = 1
	}
	return y, cost
}
