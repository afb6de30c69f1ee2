package manifold

// Problem  a norm R = B B', R symmetric positive semi-definite and n x n, so that the
//          system of a warped kernel, I/Ratio + R K, has the symmetric form
//          S = I/Ratio + B' K B.
// Method   An even power R = L^2h has B = L^h, sparse and symmetric. An odd one,
//          R = L^h L L^h, has B = L^h G with L = G G' dense and lower triangular, and
//          any other norm B = G. The smallest ridge with which Cholesky's factorisation
//          exists, from eps |R| up, is added to R, as R is singular: what is computed is
//          exact for R + ridge, so that constants, free of charge before, cost eps |R|.
// Cost     G: n^3/3 flops and an n x n matrix. S from K: 2 p nnz n, and with G 4 n^3/3.
// Why      The solution of the form without symmetry is wrong by about eps Ratio |R| |K|
//          times the condition of K, that of S by eps Ratio alone (measured against 300
//          bits: 120 points, width 5, Ratio 1e8, degree 1: 1 against 2e-5 of the labels).

import (
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// root is B with R = B B'. A part that is nil is the identity.
type root struct {
	power graph.Operator // L^h
	lower *mat.Dense     // G
}

const (
	epsilon = 0x1p-52
	// plainNoise is the eps Ratio |R| |K| up to which the form without symmetry is good
	// for six digits of the outputs, at a third of the cost.
	plainNoise = 1e-9
	// largestRidge is relative to R: a norm that needs more is not semi-definite.
	largestRidge = 1e-8
)

// root returns the root that a warp of this ratio needs, nil for none.
func (p Parts) root(ratio float64) *root {
	r, inner := new(root), p.Norm
	if l, ok := p.Norm.(*graph.Power); ok {
		if h := l.P / 2; h > 0 {
			r.power = &graph.Power{L: l.L, P: h}
		}
		if l.P%2 == 0 {
			return r
		}
		inner = &graph.Power{L: l.L, P: 1}
	}
	if epsilon*ratio*size(p.Norm)*kernel.Bound(p.K) <= plainNoise {
		return nil
	}
	if r.lower = lowerRoot(inner); r.lower == nil {
		return nil
	}
	return r
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

// lowerRoot returns the lower triangular G with R = G G', nil if R is not semi-definite.
func lowerRoot(r graph.Operator) *mat.Dense {
	n := r.Len()
	g := dense(r)
	diag := make([]float64, n)
	for i := range diag {
		diag[i] = g.At(i, i)
	}
	scale := kernel.Bound(g)
	var chol blas.Cholesky
	for ridge := epsilon; ; ridge *= 10 {
		if ridge > largestRidge {
			return nil
		}
		for i, v := range diag {
			g.Set(i, i, v+ridge*scale)
		}
		if chol.Factor(g) == nil {
			break
		}
		for i := range n { // the upper triangle is still R's
			for j := range i {
				g.Set(i, j, g.At(j, i))
			}
		}
	}
	for i := range n {
		clear(g.RawRowView(i)[i+1:])
	}
	return g
}

// dense returns the matrix of an operator.
func dense(r graph.Operator) *mat.Dense {
	n := r.Len()
	g := mat.NewDense(n, n, nil)
	unit := mat.NewDense(n, min(rootPanel, n), nil)
	for lo := 0; lo < n; lo += rootPanel {
		hi := min(lo+rootPanel, n)
		unit.Zero()
		for j := lo; j < hi; j++ {
			unit.Set(j, j-lo, 1)
		}
		r.MulTo(g.Slice(0, n, lo, hi).(*mat.Dense), unit.Slice(0, n, 0, hi-lo).(*mat.Dense))
	}
	return g
}

// mul stores B x in dst, or B' x.
func (r *root) mul(trans bool, dst, x *mat.Dense) {
	switch {
	case r.lower == nil:
		r.power.MulTo(dst, x)
	case r.power == nil:
		blas.Gemm(trans, false, 1, r.lower, x, 0, dst)
	case trans:
		t := like(x)
		r.power.MulTo(t, x)
		blas.Gemm(true, false, 1, r.lower, t, 0, dst)
	default:
		t := like(x)
		blas.Gemm(false, false, 1, r.lower, x, 0, t)
		r.power.MulTo(dst, t)
	}
}

// like returns a matrix of the shape of x.
func like(x *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	return mat.NewDense(n, m, nil)
}

// conjugate stores B' K B in dst, of which the lower triangle is meant.
func (r *root) conjugate(k, dst *mat.Dense) {
	if r.power != nil {
		conjugate(r.power, k, dst)
	} else {
		dst.Copy(k)
	}
	if r.lower == nil {
		return
	}
	n, _ := k.Dims()
	work := make([]float64, n*min(rootPanel, n))
	for lo := 0; lo < n; lo += rootPanel { // dst G: these columns from those that follow
		hi := min(lo+rootPanel, n)
		to, panel := dst.Slice(0, n, lo, hi).(*mat.Dense), mat.NewDense(n, hi-lo, work[:n*(hi-lo)])
		blas.Gemm(false, false, 1, dst.Slice(0, n, lo, n).(*mat.Dense), r.lower.Slice(lo, n, lo, hi).(*mat.Dense), 0, panel)
		to.Copy(panel)
	}
	for lo := 0; lo < n; lo += rootPanel { // G' dst: these rows from those that follow
		hi := min(lo+rootPanel, n)
		to, panel := dst.Slice(lo, hi, 0, hi).(*mat.Dense), mat.NewDense(hi-lo, hi, work[:(hi-lo)*hi])
		blas.Gemm(true, false, 1, r.lower.Slice(lo, n, lo, hi).(*mat.Dense), dst.Slice(lo, n, 0, hi).(*mat.Dense), 0, panel)
		to.Copy(panel)
	}
}

// conjugate stores B K B in dst, both symmetric: B K, transposed, times B again by
// panels of columns that are copied out.
func conjugate(b graph.Operator, k, dst *mat.Dense) {
	b.MulTo(dst, k)
	blas.Transpose(dst)
	n := b.Len()
	work := mat.NewDense(n, min(rootPanel, n), nil)
	for lo := 0; lo < n; lo += rootPanel {
		hi := min(lo+rootPanel, n)
		panel := work.Slice(0, n, 0, hi-lo).(*mat.Dense)
		to := dst.Slice(0, n, lo, hi).(*mat.Dense)
		panel.Copy(to)
		b.MulTo(to, panel)
	}
}
