package hyper

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rls"
	"gonum.org/v1/gonum/mat"
)

// Refit is the score of LeaveOut by training again for every fold: the slow twin
// of the closed form, and the only form of the inductive score.
//
// Transductive (default): the labels of the fold are removed, its rows stay in
// the kernel and the graph; equal to LeaveOut. Inductive: the rows themselves are
// removed, the graph is rebuilt without them and they are predicted as new rows.
// Cost: a training for each fold, transductive without, inductive with its own
// Gram matrix and graph. It has no gradient.
type Refit struct {
	LeaveOut
	Inductive bool
}

var _ Objective = (*Refit)(nil)

// Eval implements Objective.
func (s *Refit) Eval(ctx context.Context, theta []float64, _ bool) (Value, error) {
	o, err := s.Outputs(ctx, theta)
	if err != nil {
		return infeasible(ctx, err)
	}
	f := s.Criterion.Eval(s.Problem, s.Judged(), o, nil)
	if math.IsNaN(f) {
		f = math.Inf(1)
	}
	return Value{F: f}, nil
}

// Outputs returns the left-out outputs (l x c); rows in no fold are zero.
func (s *Refit) Outputs(ctx context.Context, theta []float64) (*mat.Dense, error) {
	if s.GCV {
		return nil, fmt.Errorf("hyper: generalised cross-validation has no folds to train again for")
	}
	n := len(theta) - 1
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	folds := s.Folds
	if folds == nil {
		for i := range s.Problem.Labelled {
			folds = append(folds, []int{i})
		}
	}
	o := mat.NewDense(len(s.Problem.Labelled), s.Problem.Outputs(), nil)
	var all kernel.Gram
	if !s.Inductive {
		if all, err = k.Bind(ctx, s.Problem.Rows, s.Work); err != nil {
			return nil, err
		}
	}
	for _, fold := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out, err := s.fold(ctx, k, all, fold, theta[n])
		if err != nil {
			return nil, err
		}
		for q, i := range fold {
			o.SetRow(i, out.RawRowView(q))
		}
	}
	return o, nil
}

func (s *Refit) fold(ctx context.Context, k kernel.Kernel, all kernel.Gram, fold []int, lambda float64) (*mat.Dense, error) {
	p := s.Problem
	out := make([]bool, len(p.Labelled))
	for _, i := range fold {
		out[i] = true
	}
	var train, test, kept []int // row numbers; places among the labelled
	for i, row := range p.Labelled {
		if out[i] {
			continue
		}
		kept = append(kept, i)
		train = append(train, row)
	}
	for _, i := range fold {
		test = append(test, p.Labelled[i])
	}
	y := mat.NewDense(max(len(kept), 1), p.Outputs(), nil)
	for q, i := range kept {
		y.SetRow(q, p.Y.RawRowView(i))
	}
	cross := mat.NewDense(len(test), len(train), nil)
	gram := all
	if s.Inductive {
		rows, place := without(p, fold)
		var err error
		if gram, err = k.Bind(ctx, p.Rows.Select(rows), nil); err != nil {
			return nil, err
		}
		for q, row := range train {
			train[q] = place[row]
		}
		if err := gram.Cross(cross, p.Rows.Select(test), train); err != nil {
			return nil, err
		}
	} else {
		gram.Block(cross, test, train)
	}
	block := mat.NewDense(len(train), len(train), nil)
	gram.Block(block, train, train)
	path, err := rls.NewPath(block, y, s.Offset)
	if err != nil {
		return nil, err
	}
	f, err := path.At(lambda)
	if err != nil {
		return nil, err
	}
	o := mat.NewDense(len(test), p.Outputs(), nil)
	o.Mul(cross, f.Alpha)
	for q := range len(test) {
		for j, b := range f.B {
			o.Set(q, j, o.At(q, j)+b)
		}
	}
	return o, nil
}

// without returns the rows that are not in the fold, and where each row went.
func without(p *learn.Problem, fold []int) (rows, place []int) {
	out := make(map[int]bool, len(fold))
	for _, i := range fold {
		out[p.Labelled[i]] = true
	}
	place = make([]int, p.Rows.Len())
	for i := range place {
		if !out[i] {
			place[i] = len(rows)
			rows = append(rows, i)
		}
	}
	return rows, place
}
