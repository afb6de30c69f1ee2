package smooth

// Leave-one-out outputs of the linear form from its d x d Hessian, the twin of
// leaveout.go:
//
//	o_i = f_i + m_i c_i V'_i / (1 - d_i m_i),   m_i = (x_i - h/tau)' S^-1 (x_i - h/tau) + 1/tau
//
// with S the Hessian from which b is eliminated, h = X'd and tau as in linear_newton.go; h
// and 1/tau are left out without an offset. Exact and approximate for the same losses as
// the kernel form. The digits that 1 - d_i m_i loses where a row all but determines
// its output are lost for good here: such rows are rare where rows outnumber features.
//
// Cost: n d^2 + d^3/3 flops for the Hessian and n d^2 for the rows, in panels.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LeaveOneOut returns for every row the output of the machine trained without it, to
// one Newton step from the solution s of p. A row that alone determines its output is
// an error, and so are more features than a d x d matrix is made for.
func (p linearProblem) LeaveOneOut(ctx context.Context, s *linearSolution) ([]float64, error) {
	t, err := p.check()
	if err != nil {
		return nil, err
	}
	d := p.X.Dim()
	if d > denseLimit {
		return nil, fmt.Errorf("smooth: leave-one-out needs the Hessian of %d features, at most %d; score by folds", d, denseLimit)
	}
	m := newLinear(p, t, s)
	m.refresh()
	chol, err := m.factor(ctx)
	if err != nil {
		return nil, err
	}
	l := &linearLeaving{linear: m, chol: chol, norm: make([]float64, leavePanel),
		byRow: mat.NewDense(leavePanel, d, nil), byColumn: mat.NewDense(d, leavePanel, nil)}
	l.offsetTerms()
	o := append([]float64(nil), m.f...)
	var rows []int
	for i, g := range m.g {
		if g != 0 {
			rows = append(rows, i)
		}
	}
	for lo := 0; lo < len(rows); lo += leavePanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := rows[lo:min(lo+leavePanel, len(rows))]
		l.norms(part)
		for q, i := range part {
			lever := l.norm[q] + l.prior
			slack := 1 - m.d[i]*lever
			if !(slack > minSlack) {
				return nil, fmt.Errorf("smooth: row %d alone determines its output (leverage one); lower C or drop the offset", i)
			}
			o[i] += lever * m.g[i] / slack
		}
	}
	return o, nil
}

// linearLeaving is what LeaveOneOut knows of all rows, and room for a panel of them.
type linearLeaving struct {
	*linear
	chol            *blas.Cholesky
	centre          []float64 // h/tau; nil for none
	prior           float64   // 1/tau
	byRow, byColumn *mat.Dense
	norm            []float64
}

// offsetTerms sets what the offset adds.
func (l *linearLeaving) offsetTerms() {
	sumD, tau := sum(l.d), l.tau()
	if tau > 0 {
		l.prior = 1 / tau
	}
	if tau > 0 && sumD > 0 {
		l.centre = l.shift
		if l.offset == Augmented {
			floats.Scale(sumD/tau, l.centre)
		}
	}
}

// norms computes (x_i - h/tau)' S^-1 (x_i - h/tau) of the rows.
func (l *linearLeaving) norms(rows []int) {
	d, _ := l.byColumn.Dims()
	pieces(len(rows), rowChunk, len(rows)*d, func(a, b int) {
		for q := a; q < b; q++ {
			l.x.row(l.byRow.RawRowView(q), rows[q], 1, l.centre)
		}
	})
	w := l.byColumn.Slice(0, d, 0, len(rows)).(*mat.Dense)
	w.Copy(l.byRow.Slice(0, len(rows), 0, d).T())
	l.chol.SolveL(w)
	clear(l.norm)
	for j := range d {
		for q, v := range w.RawRowView(j) {
			l.norm[q] += v * v
		}
	}
}
