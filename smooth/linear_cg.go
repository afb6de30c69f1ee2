package smooth

// The Newton step of linear_newton.go for d too large for a matrix: conjugate gradients on
// (p, q) at once, preconditioned by the diagonal, to the relative residual
// min(0.1, Gradient): quadratic convergence in the end. The Hessian is >= I in w, so any
// iterate is a direction of descent, and a search along the ray replaces the trust region
// of the source.
//
// Cost: two products with X an iteration. Source: Lin, Weng and Keerthi, JMLR 9 (2008).

import (
	"context"

	"github.com/mercer-ml/mercer/solve"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cg replaces x by the first part of the Hessian's approximate solution for (x, xb) and
// returns the second.
func (m *linear) cg(ctx context.Context, x []float64, xb, tol float64) (q float64, err error) {
	d, tau := m.x.d, m.tau()
	size := d
	if tau > 0 {
		size++
	}
	diag := make([]float64, size)
	m.x.diagonal(diag[:d], m.d)
	for j := range d {
		diag[j]++
	}
	if tau > 0 {
		diag[d] = tau
	}
	v := make([]float64, m.x.n)
	apply := func(dst, z *mat.Dense) {
		p, out := z.RawMatrix().Data, dst.RawMatrix().Data
		m.x.mul(v, p[:d])
		if tau > 0 {
			floats.AddConst(p[d], v)
		}
		floats.Mul(v, m.d)
		m.x.mulT(out[:d], v)
		floats.Add(out[:d], p[:d])
		if tau > 0 {
			out[d] = sum(v)
			if m.offset == Augmented {
				out[d] += p[d]
			}
		}
	}
	jacobi := func(dst, z *mat.Dense) { floats.DivTo(dst.RawMatrix().Data, z.RawMatrix().Data, diag) }
	rhs := append([]float64(nil), x...)
	if tau > 0 {
		rhs = append(rhs, xb)
	}
	sol := mat.NewDense(size, 1, nil)
	if _, err := solve.CG(ctx, apply, sol, mat.NewDense(size, 1, rhs), solve.CGOptions{Tolerance: tol, Precondition: jacobi}); err != nil {
		return 0, err
	}
	out := sol.RawMatrix().Data
	copy(x, out)
	if tau > 0 {
		q = out[d]
	}
	return q, nil
}

// diagonal stores sum_i d_i x_ij^2 in dst.
func (f *features) diagonal(dst, d []float64) {
	clear(dst)
	for i, v := range d {
		switch {
		case v == 0:
		case f.rows != nil:
			idx, val := f.rows.Row(i)
			for p, j := range idx {
				dst[j] += v * val[p] * val[p]
			}
		default:
			for j, x := range f.dense.RawRowView(i) {
				dst[j] += v * x * x
			}
		}
	}
}
