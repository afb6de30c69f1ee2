package rls

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Learner is regularised least squares as a learner, one decomposition a training.
// Scores in closed form (score.LeaveOut) need one for all folds and ridges
// together; this is what they are compared with, and what is left where rows
// themselves are left out.
type Learner struct {
	Offset bool
}

var _ learn.Learner = Learner{}

// Space is `lambda`, the ridge in the matrix, in [2^-30, 2^10] of its mean
// diagonal.
func (Learner) Space(diagonal, _ float64) param.Space {
	return param.Space{{Name: "lambda", Kind: param.Log, Lo: 0x1p-30 * diagonal, Hi: 0x1p10 * diagonal, Default: 0x1p-10 * diagonal}}
}

// Bind computes the labelled block of the Gram matrix. Outputs coded by pairs of
// classes are an error.
func (r Learner) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	if p.Coding.Pairs {
		return nil, errors.New("rls: pairs of classes are for the svm and logistic methods")
	}
	l := len(p.Labelled)
	t := &trainer{learner: r, problem: p, semidefinite: kernel.Semidefinite(g), block: mat.NewDense(max(l, 1), max(l, 1), nil)}
	if l > 0 {
		if err := kernel.Fill(ctx, t.block, g, p.Labelled, p.Labelled); err != nil {
			return nil, err
		}
	}
	return t, nil
}

type trainer struct {
	learner Learner
	problem *learn.Problem
	block   *mat.Dense

	semidefinite bool // by the kernel's construction
}

// Train solves for theta[0] = lambda. Cost: O(|rows|^3).
func (t *trainer) Train(ctx context.Context, rows []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, k, y, weight := t.problem, t.block, t.problem.Y, t.problem.WeightOf(rows)
	if rows != nil {
		k, y = mat.NewDense(max(len(rows), 1), max(len(rows), 1), nil), mat.NewDense(max(len(rows), 1), p.Outputs(), nil)
		for a, i := range rows {
			for b, j := range rows {
				k.Set(a, b, t.block.At(i, j))
			}
			y.SetRow(a, p.Y.RawRowView(i))
		}
	}
	at := p.Subset(rows)
	if len(at) == 0 {
		return nil, errors.New("rls: no labelled row")
	}
	path, err := NewPath(ctx, k, y, weight, t.learner.Offset)
	if err != nil {
		return nil, err
	}
	f, err := path.At(theta[0])
	if err != nil {
		return nil, err
	}
	c := learn.Certificate{Objective: f.Objective(), Residual: f.Residual()}
	if !t.semidefinite {
		c.Least = path.Least()
	}
	return &learn.Machine{Rows: at, Coef: f.Alpha, Offset: f.B, Certificate: c}, nil
}
