package smooth

// The linear form as a learner: with the linear kernel K = X X', and fewer features than
// labelled rows, training takes d x d matrices and no n x n one. Its machines are those
// of the kernel form, f = sum_i beta_i <x_i, .> + b, whose expansion on more rows than
// features a model stores as one vector of weights (kernel.Expansion.Compact).

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// linearTrainer trains on the features of the labelled rows.
type linearTrainer struct {
	learner Learner
	problem *learn.Problem
	x       data.Rows // labelled
}

// Train solves every output.
func (t *linearTrainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	return t.train(ctx, rows, theta, warm, nil)
}

// train is Train, telling `each` the problem and the solution of every output.
func (t *linearTrainer) train(
	ctx context.Context,
	rows []int,
	theta []float64,
	warm *learn.Machine,
	each func(learn.Part, linearProblem, *linearSolution) error,
) (*learn.Machine, error) {
	aside := t.x.IsSparse() && !Factored(t.x.Dim(), true) // some vectors each
	return learn.Reduce(
		ctx,
		t.problem,
		rows,
		t.learner.Offset != None,
		aside,
		warm,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			p, s, err := t.output(ctx, part, theta)
			if err == nil && each != nil {
				err = each(part, p, s)
			}
			if err != nil {
				return learn.Piece{}, err
			}
			return linearPiece(s), nil
		},
	)
}

func (t *linearTrainer) output(ctx context.Context, part learn.Part, theta []float64) (linearProblem, *linearSolution, error) {
	n := len(part.Rows)
	if n == 0 {
		return linearProblem{}, nil, errors.New("smooth: no labelled row")
	}
	p := linearProblem{X: t.x, Y: part.Y, C: theta[0], Weight: part.Weight, Loss: t.learner.lossAt(theta), Offset: t.learner.Offset}
	if n < t.x.Len() {
		p.Among = part.Rows
	}
	var start *linearSolution
	if part.Start != nil {
		start = &linearSolution{W: make([]float64, p.X.Dim()), B: part.Offset, Beta: part.Start}
		newFeatures(p.X, p.Among, false).MulT(start.W, part.Start, nil)
	}
	if t.learner.Descent {
		s, err := descent(ctx, p, descentOptions{Tolerance: t.learner.Tolerance}, start)
		return p, s, err
	}
	if t.learner.Solver != ByNewton {
		s, err := fistaLinear(ctx, p, t.learner.accelerated(), start)
		return p, s, err
	}
	o := options{Tolerance: t.learner.Tolerance, Dual: t.problem.Outputs() > 2}
	if t.learner.Passes && p.X.IsSparse() && !Factored(p.X.Dim(), true) {
		o.Method = byCG
	}
	s, err := newtonLinear(ctx, p, o, start)
	return p, s, err
}

func linearPiece(s *linearSolution) learn.Piece {
	c := learn.Certificate{Objective: s.Objective, Residual: s.Gradient, Gap: s.Gap / max(math.Abs(s.Objective), 0x1p-1022), Steps: s.Steps}
	switch {
	case s.Status == budgetSpent:
		c.Limited = fmt.Sprintf("the solver of the linear form stopped at its limit of %d steps; the machine is not exact", s.Steps)
	case s.Status == noProgress && s.Gradient > stuckGradient: // the gap is that of w, which the coefficients need not give
		c.Limited = fmt.Sprintf("the solver of the linear form finds no way down where the gradient is %.2g of its parts, as happens with "+
			"features whose mean is large beside their spread; the machine is not exact; scale the features", s.Gradient)
	}
	return learn.Piece{Coef: s.Beta, Offset: s.B, Fitted: s.F, Certificate: c}
}

// exactRows is the number of labelled rows up to which leave-one-out is by training
// again: few rows have much influence each, for which one Newton step is too short.
const exactRows = 60

// LeaveOneOut returns what each labelled row is given by the machine trained without it
// (l x c), to one Newton step from a single training (linearProblem.LeaveOneOut), and
// that machine. ok is false where training again is the better way: few rows, or more
// features than a d x d matrix is made for.
func (t *linearTrainer) LeaveOneOut(
	ctx context.Context,
	theta []float64,
	warm *learn.Machine,
) (o *mat.Dense, m *learn.Machine, ok bool, err error) {
	if t.x.Len() <= exactRows || t.x.Dim() > denseLimit {
		return nil, nil, false, nil
	}
	rows, outputs := make([][]int, t.problem.Outputs()), make([][]float64, t.problem.Outputs())
	m, err = t.train(ctx, nil, theta, warm, func(part learn.Part, p linearProblem, s *linearSolution) (err error) {
		rows[part.Output] = part.Rows
		outputs[part.Output], err = p.LeaveOneOut(ctx, s)
		return err
	})
	if err != nil {
		return nil, nil, true, err
	}
	o = mat.NewDense(t.x.Len(), len(outputs), nil)
	t.evaluate(o, m, nil, nil) // a row that has no part in an output is missed by nothing
	for j, v := range outputs {
		for a, i := range rows[j] {
			o.Set(i, j, v[a])
		}
	}
	return o, m, true, nil
}

// evaluate stores in dst what a machine of the rows `on` gives the rows `rows`, both
// numbers among the labelled; nil means all.
func (t *linearTrainer) evaluate(dst *mat.Dense, m *learn.Machine, rows, on []int) {
	if len(m.Rows) == 0 {
		dst.Zero()
	} else {
		kernel.MulFeatures(dst, t.x, rows, on, m.Coef)
	}
	n, _ := dst.Dims()
	for i := range n {
		for j, b := range m.Offset {
			dst.Set(i, j, dst.At(i, j)+b)
		}
	}
}
