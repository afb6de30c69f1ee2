package methodtest

// Problem   is the model of a linear machine the minimum that it is said to be? With f = Xw + b, the gradient of
//
//           1/2 (w'w + b^2) + sum_i c_i V(y_i, f_i)
//
//           is the printed residual times its larger part. A supervised machine has c_i = C for the labelled rows alone.
//           A transductive one has c_i as in transductive.go, y_i of an unlabelled row +1 for the so many largest f_i that
//           the share asks for, and its printed objective is that of the labels that cost least,
//           sum_U c_i max(0, 1 - |f_i|)^2. One with a graph has C = 1/(2 l gamma_a), beside the losses
//           gamma_i/(2 n^2 gamma_a) f'Rf. Of numbers b has no price, and h = Xw stands in the place of f there.
// Source    the formulas that mercer methods prints.

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// linearMachine checks the certificates of a machine in columns.
func linearMachine(t *testing.T, m method.Method) {
	sets := []string{moons}
	if m.For != data.Classification && ownLoss[m.ID] == "square" {
		sets = append(sets, widths)
	}
	settled := m.ID != "linear-da" // annealing may keep a machine from before the labels were settled
	for _, r := range solved(m) {
		for _, on := range sets {
			in := sample(t, on)
			f := one(t, in, r)
			l := newLinearWitness(t, in, f)
			p := l.losses(m) + l.graph(m)
			gap, size := 0.0, 0.0
			if on == widths {
				l.pull[0] = 0
			}
			for j, v := range l.pull {
				p += v * v / 2
				gap += (v - l.slope[j]) * (v - l.slope[j])
				size += v * v
			}
			if m.Supports(nil).Graph { // from 1/2 w'w + C sum V and the graph to the formula, which is averaged
				p *= 2 * l.number("gamma_a")
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
}

// linearWitness is a linear machine in the terms of its printed parameters.
type linearWitness struct {
	*witness
	x           *mat.Dense
	outputs     []float64
	pull, slope []float64 // offset and weights, and what the losses and the graph make of them at the minimum
}

// newLinearWitness reads a fit.
func newLinearWitness(t *testing.T, in mercer.Input, f fitted) *linearWitness {
	x := f.model.Scaling.Apply(in.Set.Rows).Dense
	n, d := x.Dims()
	w := &witness{t: t, fitted: f, params: f.result.Params, f: make([]float64, n), offset: f.model.Parts[0].Offset[0]}
	w.y, w.labelled = targets(f, in.Set.Answers)
	weights, _, err := f.model.LinearWeights()
	if err != nil {
		t.Fatal(err)
	}
	l := &linearWitness{witness: w, x: x, outputs: make([]float64, n), pull: append([]float64{w.offset}, mat.Col(nil, 0, weights)...),
		slope: make([]float64, d+1)}
	for i := range n {
		for j, v := range l.pull[1:] {
			w.f[i] += v * x.At(i, j)
		}
		l.outputs[i] = w.f[i] + w.offset
	}
	return l
}

// add takes the derivative by the output of row i from the slope.
func (l *linearWitness) add(i int, derivative float64) {
	l.slope[0] -= derivative
	for j, v := range l.x.RawRowView(i) {
		l.slope[j+1] -= derivative * v
	}
}

// losses is their sum, each unlabelled row with the label that costs less.
func (l *linearWitness) losses(m method.Method) (sum float64) {
	y, cost := l.labelledOnly(len(l.outputs))
	if m.Has("positive") {
		y, cost = l.decided()
	}
	of, err := learn.ParseLoss(ownLoss[m.ID])
	if err != nil {
		l.t.Fatal(err)
	}
	known := map[int]bool{}
	for _, i := range l.labelled {
		known[i] = true
	}
	for i, out := range l.outputs {
		if cost[i] == 0 {
			continue
		}
		down, _ := of.Derivatives(y[i], out)
		l.add(i, cost[i]*down)
		value := of.Value(y[i], out)
		if !known[i] {
			value = min(value, of.Value(-y[i], out))
		}
		sum += cost[i] * value
	}
	return sum
}

// graph is the intrinsic norm with its weight, 0 without a graph.
func (l *linearWitness) graph(m method.Method) (sum float64) {
	if !m.Supports(nil).Graph {
		return 0
	}
	n := float64(len(l.outputs))
	ratio := l.number("gamma_i") / (n * n * l.number("gamma_a"))
	f := l.outputs
	if l.fitted.result.Task == "regression" {
		f = l.f
	}
	b := l.slope[0]
	for i, v := range times(laplacians(l.t, l.params, data.Rows{Dense: l.x}), f) {
		l.add(i, ratio*v)
		sum += ratio * v * f[i] / 2
	}
	if l.fitted.result.Task == "regression" {
		l.slope[0] = b // this norm does not count the offset
	}
	return sum
}

// labelledOnly are the targets of a supervised machine, and C for each labelled row of n.
func (w *witness) labelledOnly(n int) (y, cost []float64) {
	y, cost = make([]float64, n), make([]float64, n)
	for q, i := range w.labelled {
		y[i] = w.y[q]
		if w.params["gamma_a"] != nil {
			cost[i] = 1 / (2 * float64(len(w.labelled)) * w.number("gamma_a"))
		} else {
			cost[i] = w.number("C")
		}
	}
	return y, cost
}
