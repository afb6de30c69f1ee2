package methodtest

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// newViewsWitness reads a fit of several views that no row lacks, as one machine on the rows of all
// views, one view after the other: K is block diagonal, and R ties the views or is block diagonal too.
func newViewsWitness(t *testing.T, in mercer.Input, f fitted) *witness {
	t.Helper()
	w := &witness{t: t, fitted: f, params: f.result.Params}
	x := f.model.Scaling.Apply(in.Set.Rows)
	parts, n := f.model.Parts, x.Len()
	y, labelled := targets(f, in.Set.Answers)
	for _, p := range parts {
		w.views = append(w.views, [2]int{p.Columns[0], p.Columns[len(p.Columns)-1] + 1})
	}
	w.labelled = labelled
	w.terms(x)
	w.labelled = nil
	w.k, w.r = mat.NewDense(len(parts)*n, len(parts)*n, nil), mat.NewDense(len(parts)*n, len(parts)*n, nil)
	tie := 0.0
	if w.params["coupling"] != nil {
		tie = w.number("coupling") / float64(n)
	}
	var joint *mat.Dense
	if w.ratio > 0 {
		words := map[string]string{}
		for k, v := range w.params {
			words[k] = fmt.Sprint(v)
		}
		joint = operator(t, manifold.Joint{Graph: manifold.Graph{Recipe: graphOf(t, words)}, Views: w.views}, x)
		joint.Scale(w.ratio, joint)
	}
	w.ratio = 1 // it is in R
	for v, p := range parts {
		own := x.SelectColumns(p.Columns)
		weight := w.number(p.View + ".weight")
		k := gaussian(own, w.number(p.View+".sigma"))
		for i := range n {
			for j := range n {
				w.k.Set(v*n+i, v*n+j, weight*k.At(i, j))
				if joint != nil {
					w.r.Set(v*n+i, v*n+j, joint.At(i, j))
				}
			}
		}
		for i := range n {
			for o := range parts {
				at := w.r.At(v*n+i, o*n+i)
				if o == v {
					at += float64(len(parts)-1) * tie
				} else {
					at -= tie
				}
				w.r.Set(v*n+i, o*n+i, at)
			}
		}
		w.alpha = append(w.alpha, coefficients(t, p, own)...)
		w.y = append(w.y, y...)
		for _, i := range labelled {
			w.labelled = append(w.labelled, v*n+i)
		}
		if p.Offset != nil {
			w.offset, w.free = p.Offset[0], true
		}
	}
	if math.IsNaN(mat.Sum(w.k)) {
		t.Fatal("the witness is for rows that have all views")
	}
	w.f = times(w.k, w.alpha)
	if w.params["rounds"] != nil {
		w.taught()
	}
	return w
}

// taught takes the labels of a co-trained machine, given and added, from its coefficients: at the minimum
// -2 ridge alpha_i is the derivative of the loss, which of the square is 2 (f_i - y_i), and of margins has the sign
// of -y_i. Rows without a coefficient cost nothing.
func (w *witness) taught() {
	known := map[int]float64{}
	for q, i := range w.labelled {
		known[i] = w.y[q]
	}
	w.labelled, w.y = nil, nil
	for i, a := range w.alpha {
		if a == 0 {
			continue
		}
		y := math.Copysign(1, a)
		if w.loss == learn.Square() {
			y = math.Copysign(1, w.f[i]+w.ridge*a)
		}
		if known[i]*y < 0 {
			w.t.Errorf("row %d of the views, with the label %g, was trained on as %g", i, known[i], y)
		}
		w.labelled, w.y = append(w.labelled, i), append(w.y, y)
	}
}
