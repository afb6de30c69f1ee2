package linear

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// Laplacian is a linear machine that is smooth along a graph of all rows, as a learner: its parameter is C. It needs a
// kernel with features. An offset is the weight of a constant feature, which both norms count, or free of them.
type Laplacian struct {
	Loss      learn.Loss // smooth
	Norm      graph.Operator
	Ratio     float64 // gamma_I/(n^2 gamma_A), not negative
	Offset    bool
	Free      bool    // neither norm counts the offset
	Tolerance float64 // 0: 1e-4; strong graphs have systems of many steps
}

// graphTolerance is the default of Laplacian.Tolerance.
const graphTolerance = 1e-4

var _ learn.Learner = Laplacian{}

// Space is C, as of learn.Strength.
func (Laplacian) Space(diagonal, _ float64) param.Space { return param.Space{learn.Strength(diagonal)} }

// Bind takes the features of the kernel, of which nothing is copied.
func (s Laplacian) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	x, ok := kernel.Features(g)
	if !ok {
		return nil, errors.New("linear: the kernel has no features; choose the linear kernel")
	}
	if len(p.Labelled) == 0 {
		return nil, errors.New("linear: no labelled row")
	}
	return &laplacianTrainer{learner: s, problem: p, x: x}, nil
}

type laplacianTrainer struct {
	learner Laplacian
	problem *learn.Problem
	x       data.Rows
}

// Train implements learn.Trainer. The machine is a sum over all rows: at the minimum w = -X's, with s of laplacian.go.
func (t *laplacianTrainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	s, p := t.learner, t.problem
	n := t.x.Len()
	coef := mat.NewDense(n, p.Outputs(), nil)
	m, err := learn.Reduce(ctx, p, rows, s.Offset, false, nil, func(ctx context.Context, part learn.Part) (learn.Piece, error) {
		if len(part.Rows) == 0 {
			return learn.Piece{}, errors.New("linear: no labelled row")
		}
		cost := slices.Repeat([]float64{theta[0]}, len(part.Rows))
		for k, w := range part.Weight {
			cost[k] *= w
		}
		labelled := p.Subset(part.Rows)
		over, among := t.every(), []int(nil)
		if s.Ratio == 0 { // no other row counts
			over, among = labelled, labelled
			labelled = t.every()[:len(among)]
		}
		x := passes.New(t.x, among)
		if s.Offset && !s.Free {
			x = x.WithConstant()
		}
		one := newSmoothed(x, s.Norm, s.Ratio, s.Loss, labels{labelled, part.Y, cost})
		one.free = s.Offset && s.Free
		if warm != nil && len(warm.Rows) == n {
			start := make([]float64, len(over))
			for k, i := range over {
				start[k] = warm.Coef.At(i, part.Output)
			}
			one.from(start)
		}
		steps, limited, err := one.solve(ctx, cmp.Or(s.Tolerance, graphTolerance))
		if err != nil {
			return learn.Piece{}, err
		}
		a := make([]float64, len(one.s))
		floats.ScaleTo(a, -1, one.s)
		for k, v := range a {
			coef.Set(over[k], part.Output, v)
		}
		certificate := one.keep(a, one.certificate(steps, limited))
		piece := learn.Piece{Coef: make([]float64, len(part.Rows)), Offset: one.b, Certificate: certificate}
		if s.Offset && !s.Free {
			piece.Offset = one.w[len(one.w)-1]
		}
		return piece, nil
	})
	if err != nil {
		return nil, err
	}
	m.Rows, m.Coef, m.Fitted = t.every(), coef, nil
	return m, nil
}

// every lists all rows.
func (t *laplacianTrainer) every() []int {
	return indices.To(t.x.Len())
}
