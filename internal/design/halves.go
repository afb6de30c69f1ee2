package design

// Problem  a machine of least squares whose kernel has a width for each column, learned from labels, with honest left-out outputs.
// Method   two halves of the labelled rows each learn widths (package relevance), and a ridge, from at most so many of their rows. The
//          machine is the mean of two that learned from all rows with the widths of one half each. The left-out output of a row is that
//          of the machine whose widths were learned without it: a label that has made the widths would be found again by leave-one-out.
// Cost     two searches; n^3 flops a half.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
)

// Halves makes such a machine.
type Halves struct {
	Start kernel.Kernel // the widths to begin with
	Rows  int           // of a half that teach widths, at most
	Steps int           // evaluations of a search, at most
	Seed  uint64
}

var _ choose.Maker = Halves{}

// Make implements choose.Maker.
func (h Halves) Make(ctx context.Context, s *score.LeaveOut) (*choose.Machine, error) {
	p := s.Problem
	l, c := len(p.Labelled), p.Outputs()
	out := &choose.Machine{LeftOut: mat.NewDense(l, c, nil), Outputs: mat.NewDense(p.Rows.Len(), c, nil)}
	teachers := h.draw(p)
	without := make([]float64, l) // machines whose widths were learned without the row
	var mean []float64            // of the logarithms of the kernels' parameters
	for q, rows := range teachers {
		learned, err := relevance.Learn(ctx, h.Start, p.Only(rows), relevance.Options{Steps: h.Steps})
		if err != nil {
			return nil, err
		}
		m, err := half(ctx, s, learned)
		if err != nil {
			return nil, err
		}
		other := teachers[1-q]
		for i := range l {
			if _, taught := slices.BinarySearch(rows, i); taught && len(other) > 0 {
				continue
			}
			without[i]++
			to, from := out.LeftOut.RawRowView(i), m.LeftOut.RawRowView(i)
			for j, v := range from {
				to[j] += v
			}
		}
		join(out, m)
		for i, d := range learned.Kernel.Space() {
			if q == 0 {
				mean = append(mean, 0)
			}
			mean[i] += math.Log(d.Default) / 2
		}
	}
	for i, n := range without {
		row := out.LeftOut.RawRowView(i)
		for j := range row {
			row[j] /= n
		}
	}
	for i, v := range mean {
		mean[i] = math.Exp(v)
	}
	var err error
	if out.Kernel, err = h.Start.With(mean); err != nil {
		return nil, err
	}
	out.Score = s.Criterion.Eval(p, s.Judged(), out.LeftOut, nil)
	return out, nil
}

// draw are the rows of each half that teach, by their numbers among the labelled, ascending.
func (h Halves) draw(p *learn.Problem) [][]int {
	halves := parts(p, h.Seed, 2, 2)
	rng := rand.New(rand.NewPCG(h.Seed, 0x7263))
	for q, rows := range halves {
		if len(rows) > h.Rows {
			taken := make([]int, h.Rows)
			for k, i := range rng.Perm(len(rows))[:h.Rows] {
				taken[k] = rows[i]
			}
			slices.Sort(taken)
			halves[q] = taken
		}
	}
	return halves
}

// half is the machine of all labelled rows with the widths and the ridge of one half.
func half(ctx context.Context, s *score.LeaveOut, learned relevance.Learned) (*choose.Machine, error) {
	p := s.Problem
	g, err := learned.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, err
	}
	l := len(p.Labelled)
	k := mat.NewDense(l, l, nil)
	if err := kernel.Fill(ctx, k, g, p.Labelled, p.Labelled); err != nil {
		return nil, err
	}
	f, err := rls.Solve(ctx, k, p.Y, p.Weight, true, learned.Lambda)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: learned.Kernel}
	if m.LeftOut, err = f.LeaveOut(ctx, s.Folds); err != nil {
		return nil, err
	}
	return m, fitted(ctx, m, p, g, f)
}

// join adds half of a machine to the mean of two.
func join(mean, m *choose.Machine) {
	for _, e := range m.Expansions {
		e.Coef.Scale(0.5, e.Coef)
		mean.Expansions = append(mean.Expansions, e)
	}
	for i, v := range m.Outputs.RawMatrix().Data {
		mean.Outputs.RawMatrix().Data[i] += v / 2
	}
	if mean.B == nil {
		mean.B = make([]float64, len(m.B))
	}
	for j, v := range m.B {
		mean.B[j] += v / 2
	}
	if mean.Lambda == 0 {
		mean.Lambda = m.Lambda
	} else {
		mean.Lambda = math.Sqrt(mean.Lambda * m.Lambda)
	}
	c := &mean.Certificate
	c.Objective += m.Certificate.Objective / 2
	c.Residual = max(c.Residual, m.Certificate.Residual)
}
