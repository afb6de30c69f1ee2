package choose

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

// informed is the share of log C, the loss of knowing nothing, below which the
// left-out predictions say enough for predicted masses to mean something.
const informed = 0.9

// massOffsets returns the offsets b (c values) that move the class masses of
// unlabelled rows from what the outputs f (log-odds) predict, q = mean softmax(f),
// part of the way to what the labels suggest, (n_k + 1)/(l + C):
//
//	mean over unlabelled rows of softmax(f + b) = (1-g) q + g (n + 1)/(l + C),   g = min(1/2, C/l)
//
// (class mass normalisation, Zhu, Ghahramani & Lafferty 2003, as offsets; half way
// because few labels say little of the masses, less with many labels because then
// no class is lost; solved for because one rescaling hardly moves a class that has
// all but vanished). Nil without unlabelled rows, and with weights of labelled rows, whose shares are not
// those of the unlabelled rows. Solved by iterative proportional fitting.
func massOffsets(p *learn.Problem, f *mat.Dense) []float64 {
	if p.Weight != nil {
		return nil
	}
	known := make([]bool, p.Rows.Len())
	for _, i := range p.Labelled {
		known[i] = true
	}
	classes := len(p.Classes)
	var z [][]float64 // log-odds of unlabelled rows, a value a class
	for i, k := range known {
		if k {
			continue
		}
		row := f.RawRowView(i)
		if len(row) == 1 {
			row = []float64{0, row[0]}
		}
		z = append(z, row)
	}
	if len(z) == 0 {
		return nil
	}
	b := make([]float64, classes)
	want := masses(z, b)
	counts := make([]float64, classes)
	for _, k := range p.Class {
		counts[k]++
	}
	l := float64(len(p.Labelled))
	g := min(0.5, float64(classes)/l)
	for k, n := range counts {
		want[k] = (1-g)*want[k] + g*(n+1)/(l+float64(classes))
	}
	fit(z, b, want)
	if p.Outputs() == 1 {
		return []float64{b[1] - b[0]}
	}
	return b
}

// fit moves the offsets b until the masses of softmax(z + b) are those wanted.
func fit(z [][]float64, b, want []float64) {
	for range massSteps {
		q := masses(z, b)
		var worst float64
		for k := range b {
			step := math.Log(max(want[k], 0x1p-1022) / q[k])
			b[k] += step
			worst = max(worst, math.Abs(step))
		}
		if !(worst > massTol) {
			break
		}
	}
}

const (
	massSteps = 200
	massTol   = 1e-6 // relative, of a mass
)

// masses returns the mean of softmax(z + b), at least the smallest normal number.
func masses(z [][]float64, b []float64) []float64 {
	q, e := make([]float64, len(b)), make([]float64, len(b))
	for _, row := range z {
		top := math.Inf(-1)
		for k, v := range row {
			e[k] = v + b[k]
			top = max(top, e[k])
		}
		var sum float64
		for k := range e {
			e[k] = math.Exp(e[k] - top)
			sum += e[k]
		}
		for k := range e {
			q[k] += e[k] / sum / float64(len(z))
		}
	}
	for k := range q {
		q[k] = max(q[k], 0x1p-1022)
	}
	return q
}
