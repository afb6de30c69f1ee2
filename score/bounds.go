package score

// Bounds of the leave-one-out error as scores: one training and no folds
// (internal/dual/bounds.go). RadiusMargin is smooth, with a gradient by every parameter of the kernel
// and C: with T = q (rho + D/C) 2P/l, P the primal objective of the training problem,
//
//	d(2P)/dK = -beta beta',   d(2P)/dC = 2 sum_i w_i V_i     (envelope theorem)
//	d rho/dK = diag(g) - g g'     of the ball's weights g; e e' of the largest K_ii
//
// Source: Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 46 (2002); Chung et
// al., Neural Computation 15 (2003). Cost of the gradient: one pull of rank 2.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/search/param"
)

// Bounder is a Trainer that bounds the leave-one-out error of what it trains.
type Bounder interface {
	learn.Trainer
	// Bound trains on all labelled rows, from warm, and returns the bound, the left-out
	// outputs (l x c) behind it, nil where it has none, and the machine. Of several
	// outputs it is the mean over their rows.
	Bound(ctx context.Context, theta []float64, warm *learn.Machine) (value float64, leftOut *mat.Dense, m *learn.Machine, err error)
}

// Bounded is a learner with a bound: its Trainer is a Bounder. The learner is an
// svm.Classifier (C-SVC) or a smooth.Learner with the squared hinge.
type Bounded struct {
	learn.Learner
	Bound svm.Bound
}

// Bind implements learn.Learner.
func (b Bounded) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	t := &bounded{bound: b.Bound, gram: g, problem: p}
	switch l := b.Learner.(type) {
	case svm.Classifier:
		if l.Nu > 0 {
			return nil, fmt.Errorf("score: bounds of the leave-one-out error are in terms of C; nu-SVC has none")
		}
		t.offset = !l.NoOffset
	case smooth.Learner:
		if l.Loss != learn.SquaredHinge() {
			return nil, fmt.Errorf("score: bounds of the leave-one-out error are for the hinge and the squared hinge, not the %s loss",
				l.Loss.Name())
		}
		t.squared, t.offset, t.augmented = true, l.Offset == smooth.Free, l.Offset == smooth.Augmented
	default:
		return nil, fmt.Errorf("score: no bound of the leave-one-out error is known for %T", b.Learner)
	}
	if p.Class == nil {
		return nil, fmt.Errorf("score: bounds of the leave-one-out error are for classes")
	}
	var err error
	t.Trainer, err = b.Learner.Bind(ctx, g, p)
	return t, err
}

type bounded struct {
	learn.Trainer
	bound                      svm.Bound
	gram                       kernel.Gram
	problem                    *learn.Problem
	squared, offset, augmented bool
}

// Bound implements Bounder.
func (t *bounded) Bound(ctx context.Context, theta []float64, warm *learn.Machine) (float64, *mat.Dense, *learn.Machine, error) {
	m, err := t.Train(ctx, nil, theta, warm)
	if err != nil {
		return 0, nil, nil, err
	}
	l, c := len(t.problem.Labelled), t.problem.Outputs()
	left := mat.NewDense(l, c, nil)
	fitted, err := t.fitted(ctx, m)
	if err != nil {
		return 0, nil, nil, err
	}
	left.Copy(fitted)
	var value, total float64
	for j := range c {
		e, at := t.evidence(m, fitted, theta[0], j)
		if len(at) == 0 {
			continue
		}
		s, err := dual.Bound(t.bound).Of(ctx, e)
		if err != nil {
			return 0, nil, nil, err
		}
		value += s.Value * float64(len(at))
		total += float64(len(at))
		if s.Margin == nil {
			left = nil
			continue
		}
		for q, i := range at {
			left.Set(i, j, e.Y[q]*s.Margin[q])
		}
	}
	return value / max(total, 1), left, m, nil
}

// fitted are the outputs on the labelled rows.
func (t *bounded) fitted(ctx context.Context, m *learn.Machine) (*mat.Dense, error) {
	if m.Fitted != nil {
		return m.Fitted, nil
	}
	out := mat.NewDense(len(t.problem.Labelled), t.problem.Outputs(), nil)
	if s, ok := t.Trainer.(learn.Sensitive); ok {
		s.Outputs(out, m, judged(t.problem, nil))
	} else {
		return out, m.Sparse().Evaluate(ctx, out, t.gram, t.problem.Labelled)
	}
	return out, nil
}

// evidence is output j of a machine of all labelled rows, and which of them it is about.
func (t *bounded) evidence(m *learn.Machine, fitted *mat.Dense, c float64, j int) (e dual.Evidence, at []int) {
	p := t.problem
	e = dual.Evidence{Gram: t.gram, Squared: t.squared, Offset: t.offset, Augmented: t.augmented}
	for i, row := range p.Labelled {
		y, w := p.Y.At(i, j), 1.0
		if p.Weight != nil {
			w = p.Weight[i]
		}
		if y == 0 || w == 0 {
			continue
		}
		at = append(at, i)
		e.Rows = append(e.Rows, row)
		e.Y = append(e.Y, y)
		e.A = append(e.A, max(0, y*m.Coef.At(i, j)))
		e.F = append(e.F, fitted.At(i, j))
		e.C = append(e.C, c*w)
	}
	return e, at
}

// Bound is the bound of a learner's leave-one-out error as an objective. Parameters: those
// of the kernel, then those of the learner.
type Bound struct {
	Kernel  kernel.Kernel
	Learner Bounded
	Problem *learn.Problem
	Work    *kernel.Work

	scale scale
}

var _ param.Objective = (*Bound)(nil)

// Space lists the kernel's parameters and the learner's, see Refit.Space.
func (s *Bound) Space() param.Space {
	return s.scale.learned(s.Kernel, s.Learner, s.Problem, s.Work, 0)
}

// Eval implements Objective. Only RadiusMargin has a gradient.
func (s *Bound) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	n := len(s.Kernel.Space())
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return param.Value{}, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return infeasible(ctx, err)
	}
	if r, ok := g.(interface{ Release() }); ok {
		defer r.Release() // the n x n tables serve the next evaluation
	}
	trainer, err := s.Learner.Bind(ctx, g, s.Problem)
	if err != nil {
		return param.Value{}, err
	}
	t := trainer.(*bounded)
	if want == param.ValueOnly || t.bound != svm.RadiusMargin {
		f, _, _, err := t.Bound(ctx, theta[n:], nil)
		if err != nil {
			return infeasible(ctx, err)
		}
		if math.IsNaN(f) {
			f = math.Inf(1)
		}
		return param.Value{F: f}, nil
	}
	v, err := t.pull(ctx, theta[n:], n)
	if err != nil {
		return infeasible(ctx, err)
	}
	return v, nil
}

// pull is RadiusMargin with its gradient.
func (t *bounded) pull(ctx context.Context, theta []float64, kernels int) (param.Value, error) {
	m, err := t.Train(ctx, nil, theta, nil)
	if err != nil {
		return param.Value{}, err
	}
	fitted, err := t.fitted(ctx, m)
	if err != nil {
		return param.Value{}, err
	}
	v := param.Value{Grad: make([]float64, kernels+len(theta))}
	var total float64
	for j := range t.problem.Outputs() {
		e, at := t.evidence(m, fitted, theta[0], j)
		if len(at) == 0 {
			continue
		}
		s, err := dual.Bound(t.bound).Of(ctx, e)
		if err != nil {
			return param.Value{}, err
		}
		l := float64(len(at))
		r, c := s.Radius, theta[0]
		total += l
		v.F += s.Value * l
		// l dF/d rho, l dF/d(2P)
		bySquare, byTwice := r.Factor*r.Twice, r.Factor*(r.Square+r.Ratio)
		v.Grad[kernels] += byTwice*2*r.Losses/c - bySquare*r.Ratio/c
		bar := kernel.Cotangent{I: e.Rows, J: e.Rows, U: mat.NewDense(len(at), 2, nil), V: mat.NewDense(len(at), 2, nil)}
		diagonal := make([]float64, len(at))
		for q := range at {
			beta := e.Y[q] * e.A[q]
			bar.U.Set(q, 0, -byTwice*beta)
			bar.V.Set(q, 0, beta)
			if r.Ball != nil {
				bar.U.Set(q, 1, -bySquare*r.Ball.Weight[q])
				bar.V.Set(q, 1, r.Ball.Weight[q])
				diagonal[q] = bySquare * r.Ball.Weight[q]
			}
		}
		if r.Ball == nil {
			diagonal[r.Largest] = bySquare
		}
		if kernels == 0 {
			continue
		}
		if err := kernel.PullWithin(ctx, t.gram, v.Grad[:kernels], bar); err != nil {
			return param.Value{}, err
		}
		if err := pullDiagonal(t.gram, v.Grad[:kernels], e.Rows, diagonal); err != nil {
			return param.Value{}, err
		}
	}
	v.F /= max(total, 1)
	for i := range v.Grad {
		v.Grad[i] /= max(total, 1)
	}
	return v, nil
}

// pullDiagonal is Pull for a cotangent that is diagonal, by squares of at most 8 MB along it.
func pullDiagonal(g kernel.Gram, grad []float64, rows []int, diagonal []float64) error {
	const side = 1024
	for lo := 0; lo < len(rows); lo += side {
		hi := min(lo+side, len(rows))
		d := mat.NewDense(hi-lo, hi-lo, nil)
		for q := lo; q < hi; q++ {
			d.Set(q-lo, q-lo, diagonal[q])
		}
		if err := g.Pull(grad, kernel.Cotangent{I: rows[lo:hi], J: rows[lo:hi], D: d}); err != nil {
			return err
		}
	}
	return nil
}
