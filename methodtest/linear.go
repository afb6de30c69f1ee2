package methodtest

// Problem   is the model of a transductive linear machine the minimum that it is said to be? With f = Xw + b, c_i as in
//           transductive.go and y_i of an unlabelled row +1 for the so many largest f_i that the share asks for, the
//           gradient of
//
//           1/2 (w'w + b^2) + sum_i c_i max(0, 1 - y_i f_i)^2
//
//           is the printed residual times its larger part, and the printed objective is that of the labels that cost
//           least, sum_U c_i max(0, 1 - |f_i|)^2.
// Source    the formulas that mercer methods prints.

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
)

// linearMachine checks the certificates of a transductive machine in columns.
func linearMachine(t *testing.T, m method.Method) {
	settled := m.Has("switches") // annealing may keep a machine from before the labels were settled
	for _, r := range solved(m) {
		in := sample(t, moons)
		f := one(t, in, r)
		x := f.model.Scaling.Apply(in.Set.Rows).Dense
		n, d := x.Dims()
		w := &witness{t: t, fitted: f, params: f.result.Params, f: make([]float64, n), offset: f.model.Parts[0].Offset[0]}
		w.y, w.labelled = targets(f, in.Set.Answers)
		weights := make([]float64, d)
		for _, part := range f.model.Parts[0].Functions {
			for j, v := range part.(model.Linear).Weights.RawMatrix().Data {
				weights[j] += v
			}
		}
		for i := range n {
			for j, v := range weights {
				w.f[i] += v * x.At(i, j)
			}
		}
		y, cost := w.decided()
		known := map[int]bool{}
		for _, i := range w.labelled {
			known[i] = true
		}
		pull, slope := append([]float64{w.offset}, weights...), make([]float64, d+1)
		p, size := 0.0, 0.0
		for _, v := range pull {
			p += v * v / 2
		}
		for i, v := range w.f {
			out := v + w.offset
			loss := 2 * cost[i] * y[i] * max(0, 1-y[i]*out)
			slope[0] += loss
			for j := range d {
				slope[j+1] += loss * x.At(i, j)
			}
			margin := math.Abs(out)
			if known[i] {
				margin = y[i] * out
			}
			p += cost[i] * math.Pow(max(0, 1-margin), 2)
		}
		gap := 0.0
		for j, v := range pull {
			gap += (v - slope[j]) * (v - slope[j])
			size += v * v
		}
		c := f.result.Certificate
		if off := math.Sqrt(gap / size); settled && off > 2*c.Residual+1e-6 {
			t.Errorf("%+v: the gradient is %g of the weights, printed as %g", r, off, c.Residual)
		}
		if math.Abs(c.Objective-p) > 1e-6*p {
			t.Errorf("%+v: the objective is %g, printed as %g", r, p, c.Objective)
		}
	}
}
