package newton

// Problem   outputs of rows left out of trained machines, and the errors on the rows that they have seen.
// Method    o_i = f_i + l_i C V'_i/(1 - d_i l_i),   l_i = |L^-1 (x_i - h/tau)|^2 + 1/tau,   of the Hessian L L' with the offset
//           eliminated: one Newton step from the solution (learn/smooth/linear_leaveout.go, exact for the square loss). A row needs its
//           own features and labels alone, so one pass does for all machines.
// Cost      n d (d + panel) flops a machine.

import (
	"context"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/learn"
)

// minSlack bounds 1 - d_i l_i: under it the quotient has lost every digit.
const minSlack = 1e-12

// Leave is a trained machine of which rows are left out.
type Leave struct {
	C    float64
	Unit float64 // of outputs: some mean size of them
	Outs []Leaving
}

// Leaving is what one output has beside its point; without Inverse nothing is left out.
type Leaving struct {
	Point
	Inverse Numbers   // L^-1, by rows of its lower triangle
	Centre  []float64 // h/tau; nil: zero
	Prior   float64   // 1/tau
}

// Score is what is known of one machine: of rows left out, and of the rows as they were seen.
type Score struct {
	Press   float64 // 1/2 sum |y - o|^2
	Wrong   int
	Broken  bool                 // some row determines its own output
	Margins [2]calibrate.Margins // of two classes, in units of Leave.Unit

	SeenWrong         int
	ClassRows, Caught []int       // rows of each class, and of them those decided so
	Support           int         // rows that the function depends on
	Outputs           [][]float64 // left out, of some labelled rows, evenly spaced
}

// Left is what is known of all machines, and some rows as they were read, in order.
type Left struct {
	Scores []Score
	Sample [][]float64
}

// LeftOut goes over one shard.
func LeftOut(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*Left, error) {
	v, err := learn.ParseLoss(plan.Loss)
	if err != nil {
		return nil, err
	}
	works := make([]*leaving, len(plan.Left))
	for q := range works {
		works[q] = newLeaving(&plan.Left[q], v, plan.Coding())
	}
	var l *Left
	row, known := 0, 0
	err = plan.EachKnown(ctx, file, number, o, squares.Pass{Begin: func() {
		row, known = plan.First[number], plan.Known[number]
		l = &Left{Scores: make([]Score, len(plan.Left))}
	}, All: func(set *data.Set) {
		l.Sample = plan.Keep(l.Sample, set, row)
		row += set.Rows.Len()
	}, Labelled: func(k squares.Known) error {
		for q, w := range works {
			s := &l.Scores[q]
			if out := w.batch(k, s); out != nil {
				s.Outputs = squares.Every(s.Outputs, out, known, plan.Spaced)
			}
		}
		known += len(k.Class)
		return nil
	}})
	return l, err
}

// leaving works on one machine.
type leaving struct {
	*Leave
	loss    learn.Loss
	coding  learn.Coding
	inverse []*mat.Dense // L^-1 of each output; nil: nothing is left out
	at      evaluation

	// Room for a batch: its rows about the centre, their products with some rows of L^-1, and their norms.
	x, y, norm []float64
}

func newLeaving(m *Leave, v learn.Loss, coding learn.Coding) *leaving {
	w := &leaving{Leave: m, loss: v, coding: coding}
	for _, out := range m.Outs {
		w.at.points = append(w.at.points, out.Point)
		if out.Inverse == nil {
			continue
		}
		d, at := len(out.W), 0
		full := mat.NewDense(d, d, nil)
		for j := range d {
			at += copy(full.RawRowView(j)[:j+1], out.Inverse[at:])
		}
		w.inverse = append(w.inverse, full)
	}
	return w
}

// batch takes labelled rows in, and returns their outputs left out; nil: nothing is.
func (w *leaving) batch(k squares.Known, s *Score) *mat.Dense {
	w.at.outputs(k.X)
	seen := w.at.f
	if s.ClassRows == nil {
		s.ClassRows, s.Caught = make([]int, w.coding.Classes), make([]int, w.coding.Classes)
	}
	for i, class := range w.coding.Decide(seen) {
		s.ClassRows[k.Class[i]]++
		if class == k.Class[i] {
			s.Caught[class]++
		} else {
			s.SeenWrong++
		}
		for j, f := range seen.RawRowView(i) {
			if d1, _ := w.loss.Derivatives(k.Y.At(i, j), f); d1 != 0 {
				s.Support++
				break
			}
		}
	}
	if w.inverse == nil {
		return nil
	}
	out := w.without(k)
	s.add(k, out, w.coding, w.Unit)
	return out
}

// without are the outputs of a batch whose rows are left out one by one, NaN for a row that alone determines its output.
func (w *leaving) without(k squares.Known) *mat.Dense {
	out := mat.DenseCopyOf(w.at.f)
	for j, o := range w.Outs {
		for i, norm := range w.norms(k.X, j) {
			f := out.At(i, j)
			d1, d2 := w.loss.Derivatives(k.Y.At(i, j), f)
			lever := norm + o.Prior
			slack := 1 - w.C*d2*lever
			switch {
			case d1 == 0:
			case !(slack > minSlack):
				out.Set(i, j, math.NaN())
			default:
				out.Set(i, j, f+lever*w.C*d1/slack)
			}
		}
	}
	return out
}

// panel is how many rows of L^-1 are taken at a time: what is right of its diagonal, zero, is left out of the products but for theirs.
const panel = 64

// norms are |L^-1 (x - h/tau)|^2 of all rows, for output j, valid until the next.
func (w *leaving) norms(rows *mat.Dense, j int) []float64 {
	n, d := rows.Dims()
	if cap(w.norm) < n {
		w.x, w.y, w.norm = make([]float64, n*d), make([]float64, n*panel), make([]float64, n)
	}
	x, norm := mat.NewDense(n, d, w.x[:n*d]), w.norm[:n]
	x.Copy(rows)
	if centre := w.Outs[j].Centre; centre != nil {
		for i := range n {
			floats.Sub(x.RawRowView(i), centre)
		}
	}
	clear(norm)
	for lo := 0; lo < d; lo += panel {
		hi := min(lo+panel, d)
		y := mat.NewDense(n, hi-lo, w.y[:n*(hi-lo)])
		blas.Gemm(1, blas.N(x.Slice(0, n, 0, hi).(*mat.Dense)), blas.T(w.inverse[j].Slice(lo, hi, 0, hi).(*mat.Dense)), 0, y)
		for i := range norm {
			row := y.RawRowView(i)
			norm[i] += floats.Dot(row, row)
		}
	}
	return norm
}

// add takes in the outputs left out of a batch.
func (s *Score) add(k squares.Known, out *mat.Dense, coding learn.Coding, unit float64) {
	n, c := out.Dims()
	for i := range n {
		for j, o := range out.RawRowView(i) {
			r := k.Y.At(i, j) - o
			s.Press += r * r / 2
			s.Broken = s.Broken || math.IsNaN(o)
		}
	}
	if s.Broken {
		return
	}
	for i, class := range coding.Decide(out) {
		if class != k.Class[i] {
			s.Wrong++
		}
		if c == 1 {
			s.Margins[k.Class[i]].Add(k.Y.At(i, 0) * out.At(i, 0) / unit)
		}
	}
}

// Join takes in what was found in later shards.
func (l *Left) Join(o *Left) {
	for q := range l.Scores {
		l.Scores[q].join(&o.Scores[q])
	}
	l.Sample = append(l.Sample, o.Sample...)
}

// join takes in what was found in later shards.
func (s *Score) join(o *Score) {
	s.Press += o.Press
	s.Wrong += o.Wrong
	s.Broken = s.Broken || o.Broken
	for k := range s.Margins {
		s.Margins[k].Join(&o.Margins[k])
	}
	s.SeenWrong += o.SeenWrong
	s.Support += o.Support
	s.Outputs = append(s.Outputs, o.Outputs...)
	if s.ClassRows == nil {
		s.ClassRows, s.Caught = o.ClassRows, o.Caught
		return
	}
	for k := range o.ClassRows {
		s.ClassRows[k] += o.ClassRows[k]
		s.Caught[k] += o.Caught[k]
	}
}

// both are the margins of both classes.
func (s *Score) both() *calibrate.Margins {
	var m calibrate.Margins
	for k := range s.Margins {
		m.Join(&s.Margins[k])
	}
	return &m
}

// criterion is the score by its word.
func (s *Score) criterion(word string, rows int) float64 {
	switch {
	case s.Broken:
		return math.NaN()
	case strings.HasSuffix(word, "logloss"):
		v, _ := s.both().LogLoss()
		return v
	case strings.HasSuffix(word, "error"):
		return float64(s.Wrong) / float64(rows)
	}
	return s.Press
}

// calibration makes probabilities of the outputs of two classes, as mercer fit does: of few rows by a slope, of more by an offset too.
// It is nil where the outputs say nothing.
func (s *Score) calibration(rows, few int, unit float64) calibrate.Calibration {
	if _, t := s.both().LogLoss(); t > 0 && rows <= few {
		return calibrate.Sigmoid{Slope: t / unit}
	}
	c, err := calibrate.FitSigmoidCells(s.Margins[0].Outputs(-1), s.Margins[1].Outputs(1))
	if err != nil {
		return nil
	}
	c.Slope /= unit
	return c
}
