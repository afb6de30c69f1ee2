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

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LeaveOneOut returns for every row the output of the machine trained without it, to
// one Newton step from the solution s of p. A row that alone determines its output is
// an error, and so are more features than a d x d matrix is made for.
func (p LinearProblem) LeaveOneOut(ctx context.Context, s *LinearSolution) ([]float64, error) {
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
	chol, err := m.factor()
	if err != nil {
		return nil, err
	}
	var centre []float64
	var prior float64
	sumD, tau := sum(m.d), m.tau()
	if tau > 0 {
		prior = 1 / tau
	}
	if tau > 0 && sumD > 0 {
		centre = m.shift
		if m.offset == Augmented {
			floats.Scale(sumD/tau, centre)
		}
	}
	o := append([]float64(nil), m.f...)
	var rows []int
	for i, g := range m.g {
		if g != 0 {
			rows = append(rows, i)
		}
	}
	byRow, byColumn := mat.NewDense(leavePanel, d, nil), mat.NewDense(d, leavePanel, nil)
	norm := make([]float64, leavePanel)
	for lo := 0; lo < len(rows); lo += leavePanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := rows[lo:min(lo+leavePanel, len(rows))]
		pieces(len(part), rowChunk, len(part)*d, func(a, b int) {
			for q := a; q < b; q++ {
				m.x.row(byRow.RawRowView(q), part[q], 1, centre)
			}
		})
		w := byColumn.Slice(0, d, 0, len(part)).(*mat.Dense)
		w.Copy(byRow.Slice(0, len(part), 0, d).T())
		chol.SolveL(false, w)
		clear(norm)
		for j := range d {
			for q, v := range w.RawRowView(j) {
				norm[q] += v * v
			}
		}
		for q, i := range part {
			lever := norm[q] + prior
			slack := 1 - m.d[i]*lever
			if !(slack > minSlack) {
				return nil, fmt.Errorf("smooth: row %d alone determines its output (leverage one); lower C or drop the offset", i)
			}
			o[i] += lever * m.g[i] / slack
		}
	}
	return o, nil
}
