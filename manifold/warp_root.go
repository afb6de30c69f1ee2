package manifold

// Problem  the system of a warped kernel, I/Ratio + R K with R and K symmetric positive
//          semi-definite and n x n, in a symmetric form.
// Method   with R = B B' or with K = F F' and M = Ratio R,
//
//	(I + M K)^-1 = I - B S^-1 B' K,      S = I/Ratio + B' K B,
//	             = F'^-1 S^-1 F'/Ratio,  S = I/Ratio + F' R F.
//
//          An even power R = L^2h of a Laplacian has B = L^h, sparse and symmetric. For
//          all other norms F is Cholesky's lower triangular factor of K. As K may be
//          singular to rounding, the smallest ridge with which it exists is added:
//          outputs change by ridge / lambda at most. So is one to S, which bounds the
//          ratios beyond 1 / eps.
// Cost     B: 2 p nnz n flops for S.  F: n^3/3, and n^3/3 for S; an n x n matrix.
// Why      The solution of the form without symmetry is wrong by about eps Ratio |R| |K|
//          times the condition of K, that of S by eps Ratio alone (measured against 300
//          bits: 120 points, width 5, Ratio 1e8, degree 1: 1 against 2e-5 of the labels).

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// root makes the system symmetric: R = B B' or K = F F'.
type root struct {
	norm   graph.Operator // R
	kernel *mat.Dense     // K
	power  graph.Operator // B, nil if F is taken
	lower  *mat.Dense     // F
	chol   blas.Cholesky  // F
}

const (
	epsilon = 0x1p-52
	// plainNoise is the eps Ratio |R| |K| up to which the form without symmetry is good
	// for six digits of the outputs, at two thirds of the cost.
	plainNoise = 1e-9
	// largestRidge is relative to the largest diagonal element: a matrix that needs more is
	// not semi-definite to rounding.
	largestRidge = 1e-11
)

// root returns the root that a warp of this ratio needs, nil for none.
func (p Parts) root(ctx context.Context, ratio float64) (*root, error) {
	if l, ok := p.Norm.(*graph.Power); ok && l.P%2 == 0 {
		return &root{norm: p.Norm, kernel: p.K, power: &graph.Power{L: l.L, P: l.P / 2}}, nil
	}
	if epsilon*ratio*size(p.Norm)*kernel.Bound(p.K) <= plainNoise {
		return nil, nil
	}
	r := &root{norm: p.Norm, kernel: p.K}
	if err := r.factor(ctx); unfactored(err) {
		return nil, nil // K is not semi-definite
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// size estimates |R| by its product with alternating signs.
func size(r graph.Operator) float64 {
	n := r.Len()
	x, rx := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(1-2*(i%2)))
	}
	r.MulTo(rx, x)
	return kernel.Bound(rx)
}

// rootPanel is the number of rows or columns that are copied out at a time: 4 MB of 2000.
const rootPanel = 256

// factor makes F of K.
func (r *root) factor(ctx context.Context) error {
	r.lower = like(r.kernel)
	err := ridged(ctx, &r.chol, r.lower, func() error { r.lower.Copy(r.kernel); return nil })
	if err != nil {
		return err
	}
	for i := range r.norm.Len() {
		clear(r.lower.RawRowView(i)[i+1:])
	}
	return nil
}

// unfactored says whether a matrix has no Cholesky factor; other errors are the context's.
func unfactored(err error) bool {
	var pd *blas.NotPositiveDefinite
	return errors.As(err, &pd)
}

// ridged factors the matrix that fill stores in a, with the smallest ridge for which its
// factor exists: none, or from eps times the largest diagonal element up. The factor itself knows no
// context, for it is used when that has ended.
func ridged(ctx context.Context, chol *blas.Cholesky, a *mat.Dense, fill func() error) error {
	factor := func() error {
		chol.Backend = blas.Within(ctx)
		err := chol.Factor(a)
		chol.Backend = blas.Backend{}
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	err := factor()
	for ridge := epsilon; unfactored(err) && ridge <= largestRidge; ridge *= 10 {
		if err := fill(); err != nil {
			return err
		}
		var scale float64
		for i := range a.RawMatrix().Rows {
			scale = max(scale, a.At(i, i))
		}
		shift(a, ridge*scale)
		err = factor()
	}
	return err
}

// system stores B' K B or F' R F in dst, of which the lower triangle is meant.
func (r *root) system(ctx context.Context, dst *mat.Dense) error {
	if r.power != nil {
		return conjugate(ctx, r.power, r.kernel, dst)
	}
	if err := multiply(ctx, r.norm, dst, r.lower); err != nil {
		return err
	}
	n, on := r.norm.Len(), blas.Within(ctx)
	work := make([]float64, n*min(rootPanel, n))
	for lo := 0; lo < n; lo += rootPanel { // F' dst: these rows from those that follow
		hi := min(lo+rootPanel, n)
		to, panel := dst.Slice(lo, hi, 0, hi).(*mat.Dense), mat.NewDense(hi-lo, hi, work[:(hi-lo)*hi])
		on.Gemm(1, blas.T(r.lower.Slice(lo, n, lo, hi).(*mat.Dense)), blas.N(dst.Slice(lo, n, 0, hi).(*mat.Dense)), 0, panel)
		to.Copy(panel)
	}
	return on.Stopped()
}

// columns stores (I + M K)^-1 E_j in dst, s being the factor of the system; it is arbitrary once the
// context has ended.
func (r *root) columns(ctx context.Context, dst *mat.Dense, c *columns, s *blas.Cholesky, ratio float64) {
	if r.power == nil {
		for q := range dst.RawMatrix().Cols {
			for i, v := range r.lower.RawRowView(c.at(q)) {
				dst.Set(i, q, v/ratio)
			}
		}
		s.SolveTo(dst)
		r.chol.SolveLT(dst)
		return
	}
	k, b := like(dst), like(dst)
	for i := range k.RawMatrix().Rows {
		row, from := k.RawRowView(i), r.kernel.RawRowView(i)
		for q := range row {
			row[q] = from[c.at(q)]
		}
	}
	if multiply(ctx, r.power, b, k) != nil {
		return
	}
	if s.SolveTo(b); multiply(ctx, r.power, dst, b) != nil {
		return
	}
	dst.Scale(-1, dst)
	for q := range dst.RawMatrix().Cols {
		dst.Set(c.at(q), q, dst.At(c.at(q), q)+1)
	}
}

// like returns a matrix of the shape of x.
func like(x *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	return mat.NewDense(n, m, nil)
}

// conjugate stores B K B in dst, both symmetric: B K, transposed, times B again by
// panels of columns that are copied out.
func conjugate(ctx context.Context, b graph.Operator, k, dst *mat.Dense) error {
	if err := multiply(ctx, b, dst, k); err != nil {
		return err
	}
	blas.Transpose(dst)
	n := b.Len()
	work := mat.NewDense(n, min(rootPanel, n), nil)
	for lo := 0; lo < n; lo += rootPanel {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+rootPanel, n)
		panel := work.Slice(0, n, 0, hi-lo).(*mat.Dense)
		to := dst.Slice(0, n, lo, hi).(*mat.Dense)
		panel.Copy(to)
		b.MulTo(to, panel)
	}
	return nil
}

// multiplyColumns are ten panels of the sparse product.
const multiplyColumns = 480 // no result depends on it

// multiply stores R x in dst by panels of columns, between which the context is asked.
func multiply(ctx context.Context, r graph.Operator, dst, x *mat.Dense) error {
	n, m := dst.Dims()
	for lo := 0; lo < m; lo += multiplyColumns {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+multiplyColumns, m)
		r.MulTo(dst.Slice(0, n, lo, hi).(*mat.Dense), x.Slice(0, n, lo, hi).(*mat.Dense))
	}
	return nil
}
