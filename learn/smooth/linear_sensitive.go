package smooth

// sensitive.go for the linear form. Of a function J of outputs f_q = w'x_q + b, r = dJ/df,
//
//	(p, q) = H^-1 (X_q'r, 1'r),   rhoBar = -(X_t p + q 1),
//
// H the Hessian of linear_newton.go; from rhoBar on as there. One solution with H an
// output, no n x n matrix. Cost: as a Newton step.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ learn.Sensitive = (*linearTrainer)(nil)

// Outputs implements learn.Sensitive.
func (t *linearTrainer) Outputs(dst *mat.Dense, m *learn.Machine, judged []int) {
	t.evaluate(dst, m, judged, places(t.problem, m))
}

// Pull implements learn.Sensitive.
func (t *linearTrainer) Pull(ctx context.Context, m *learn.Machine, rows []int, theta []float64, judged []int, bar *mat.Dense) (
	u, v *mat.Dense, dTheta []float64, err error,
) {
	back, dTheta := newCotangent(t.problem, judged, bar), make([]float64, len(theta))
	t = &linearTrainer{learner: t.learner.differentiable(), problem: t.problem, x: t.x}
	// The parts are those of the training; their solutions are at hand.
	_, err = learn.Reduce(ctx, t.problem, rows, t.learner.Offset != None, false, m,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			return learn.Piece{Coef: part.Start}, t.pull(ctx, part, theta, back, dTheta)
		})
	if err != nil {
		return nil, nil, nil, err
	}
	back.addDirect()
	return back.u, back.v, dTheta, nil
}

// pull is Pull for one output; it writes column part.Output of u and v and adds to grad.
func (t *linearTrainer) pull(ctx context.Context, part learn.Part, theta []float64, back *cotangent, grad []float64) error {
	p, s, err := t.output(ctx, part, theta)
	if err != nil {
		return err
	}
	j := part.Output
	if s.Gradient > inexact {
		return fmt.Errorf("smooth: output %d, gradient %.2g after %d steps: %w", j+1, s.Gradient, s.Steps, learn.ErrUnsolved)
	}
	terms, err := p.check()
	if err != nil {
		return err
	}
	m := newLinear(p, terms, s)
	m.refresh()
	// Derivatives by w and b; the features of m may be centred.
	var bBar float64
	r := mat.Col(nil, j, back.bar)
	judged := back.judged
	if p.Offset == Free {
		judged, r = m.bounded(m.f, part, judged, r)
	}
	newFeatures(t.x, judged, false).MulT(m.dir, r, nil)
	for _, d := range r {
		bBar += d
	}
	if m.x.mean != nil {
		floats.AddScaled(m.dir, -bBar, m.x.mean)
	}
	if p.Offset == None {
		bBar = 0
	}
	var q float64
	if p.X.Dim() <= denseLimit {
		chol, err := m.factor(ctx)
		if err != nil {
			return err
		}
		q = m.solve(chol, m.dir, bBar)
	} else if q, err = m.cg(ctx, m.dir, bBar, 1e-10); err != nil {
		return err
	}
	m.x.Mul(m.t, m.dir, nil)
	for a, i := range part.Rows {
		rho := -(m.t[a] + q)
		back.u.Set(i, j, m.d[a]*rho)
		back.v.Set(i, j, s.Beta[a])
		grad[0] += rho * m.g[a] / theta[0]
		if _, tube := p.Loss.(learn.Tubed); tube { // V' = 2 (|f-y| - eps) sign(f-y)
			d := m.d[a]
			if s.F[a] > part.Y[a] {
				d = -d
			}
			grad[1] += rho * d
		}
	}
	back.addEnds(j, judged, r)
	return nil
}
