package smooth

// The Newton step of linear_newton.go for d too large for a matrix: conjugate gradients on (p, q) at once, preconditioned
// by the diagonal, to the relative residual min(0.25, Gradient), quadratic convergence in the end, but no further than
// the tolerance asks for. The Hessian is >= I in w, so any iterate is a direction of descent, and a search along the ray
// replaces the trust region of the source.
//
// Cost: one pass over the rows with curvature an iteration. Source: Lin, Weng and Keerthi, JMLR 9 (2008).

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// enoughShare is the share of the tolerance that a system is solved to where the step to it is the last.
const enoughShare = 0.3

// cg replaces x by the first part of the Hessian's approximate solution for (x, xb) and
// returns the second.
func (m *linear) cg(ctx context.Context, x []float64, xb, tol float64) (q float64, err error) {
	rows, tau := m.x.Rows, m.tau()
	m.rhs = append(m.rhs[:0], x...)
	if tau > 0 {
		rows, m.rhs = m.x.withOnes(), append(m.rhs, xb)
		defer func(before int) { m.x.Products += rows.Products - before }(rows.Products)
	}
	curved, on := m.curved()
	if len(m.diag) != len(m.rhs) {
		m.diag, m.unit = make([]float64, len(m.rhs)), slices.Repeat([]float64{1}, len(m.rhs))
	}
	diag := m.diag
	rows.Diagonal(diag, curved, on)
	ridge := func(dst, p []float64) { // what is added to the sum over the rows
		floats.Add(dst[:m.x.d], p[:m.x.d])
		if m.offset == Augmented {
			dst[m.x.d] += p[m.x.d]
		}
	}
	ridge(diag, m.unit)
	sol, err := m.solver.Solve(ctx, m.rhs, diag, tol, func(dst, p []float64) {
		rows.MulHessian(dst, p, curved, on)
		ridge(dst, p)
	})
	if err != nil {
		return 0, err
	}
	copy(x, sol)
	if tau > 0 {
		q = sol[m.x.d]
	}
	return q, nil
}

// curved lists the rows whose losses have curvature, and it.
func (m *linear) curved() (c []float64, on []int) {
	if m.bent == nil {
		m.bent, m.on = make([]float64, 0, m.x.n), make([]int, 0, m.x.n)
	}
	m.bent, m.on = m.bent[:0], m.on[:0]
	for i, d := range m.d {
		if d > 0 {
			m.bent, m.on = append(m.bent, d), append(m.on, i)
		}
	}
	return m.bent, m.on
}
