package score

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// SystemPress is the leave-one-out score as the dissertation most likely ran it
// (Becker 2013, eqs 2.8, 2.15-2.17 with the matrix of 4.3): with a = lambda, g =
// ratio lambda,
//
//	C = J K + a I + g R K,   alpha = C^-1 y,   r_i = alpha_i/(C^-1)_ii,   F = 1/2 sum_{i<=l} r_i^2
//
// For Laplacian RLS it is not a prediction error: r_i is what is left of equation
// i of the system when row and column i are struck out, so the row's expansion
// term is lost with its label (equal to press-label when g = 0). Kept for
// comparison with LeaveOut, in `reproduce` and tests; not a choice to make.
//
// Cost: O(n^3) with n x n temporaries, against O(n^2 l) after one factorisation.
// Parameters as LeaveOut with Warp: the base kernel's, the norm's, ratio, lambda.
type SystemPress struct {
	Warp    manifold.Warp
	Problem *learn.Problem
	Work    *kernel.Work
	Lambda  param.Dim
}

var _ param.Objective = (*SystemPress)(nil)

// Space lists the warped kernel's parameters and lambda.
func (s *SystemPress) Space() param.Space {
	return (&LeaveOut{Kernel: s.Warp, Lambda: s.Lambda}).Space()
}

// Eval implements Objective.
func (s *SystemPress) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	d, err := NewDirect(ctx, s.Warp, s.Problem, s.Work, theta)
	if err != nil {
		return infeasible(ctx, err)
	}
	n, c := d.Alpha.Dims()
	var v param.Value
	w := mat.NewDense(n, c, nil) // dJ/dr / c_i
	q := make([]float64, n)
	for _, i := range s.Problem.Labelled {
		ci := d.Inverse.At(i, i)
		for j := range c {
			r := d.Alpha.At(i, j) / ci
			v.F += r * r / 2
			w.Set(i, j, r/ci)
			q[i] += r * r / ci
		}
	}
	if want == param.ValueOnly {
		return v, nil
	}
	// G_C = -(C^-T v) alpha' + (C^-1 diag(q) C^-1)'
	cv := blas.Product(blas.T(d.Inverse), blas.N(w))
	qc := mat.NewDense(n, n, nil)
	for i := range n {
		for j, x := range d.Inverse.RawRowView(i) {
			qc.Set(i, j, q[i]*x)
		}
	}
	gc := blas.Product(blas.T(qc), blas.T(d.Inverse))
	blas.Gemm(-1, blas.N(cv), blas.T(d.Alpha), 1, gc)
	// G_K = (J + g R)' G_C
	gk := mat.NewDense(n, n, nil)
	d.Norm.MulTo(gk, gc)
	gk.Scale(d.g, gk)
	for _, i := range s.Problem.Labelled {
		row, add := gk.RawRowView(i), gc.RawRowView(i)
		for j := range row {
			row[j] += add[j]
		}
	}
	var dg float64 // <G_C, R K>
	for i := range n {
		rk, g := d.rk.RawRowView(i), gc.RawRowView(i)
		for j := range rk {
			dg += rk[j] * g[j]
		}
	}
	nb, nn := len(s.Warp.Base.Space()), len(s.Warp.Norm.Space())
	v.Grad = make([]float64, nb+nn+2)
	if err := d.Gram.Pull(v.Grad[:nb], kernel.Cotangent{D: gk}); err != nil {
		return param.Value{}, err
	}
	if nn > 0 {
		gc2 := mat.DenseCopyOf(gc)
		gc2.Scale(d.g, gc2)
		d.Norm.Pull(v.Grad[nb:nb+nn], gc2, d.k)
	}
	v.Grad[nb+nn] = d.a * dg
	v.Grad[nb+nn+1] = mat.Trace(gc) + d.g/d.a*dg
	return v, nil
}

// Direct is Laplacian RLS by its n x n system (Becker 2013, eq. 4.3; Sindhwani
// 2007, eq. 2.12): the slow twin of RLS with the warped kernel, with the whole
// inverse at hand. Rows and columns are in the order of the problem's rows.
type Direct struct {
	Alpha   *mat.Dense // n x c
	Inverse *mat.Dense // C^-1
	Gram    kernel.Gram
	Norm    graph.Operator

	k, rk *mat.Dense
	a, g  float64
}

// NewDirect builds and inverts C for theta = the warped kernel's parameters and
// lambda.
func NewDirect(ctx context.Context, w manifold.Warp, p *learn.Problem, work *kernel.Work, theta []float64) (*Direct, error) {
	if p.Weight != nil {
		return nil, errors.New("score: the n x n system has no weights of rows; take LeaveOut, which has")
	}
	k, err := w.With(theta[:len(theta)-1])
	if err != nil {
		return nil, err
	}
	w = k.(manifold.Warp)
	d := &Direct{a: theta[len(theta)-1]}
	if !(d.a > 0) {
		return nil, fmt.Errorf("score: lambda = %g; it must be positive", d.a)
	}
	d.g = w.Ratio * d.a
	if d.Gram, err = w.Base.Bind(ctx, p.Rows, work); err != nil {
		return nil, err
	}
	if d.Norm, err = w.Norm.Bind(ctx, p.Rows, work); err != nil {
		return nil, err
	}
	n := d.Gram.Len()
	d.k = mat.NewDense(n, n, nil)
	d.Gram.Block(d.k, nil, nil)
	d.rk = mat.NewDense(n, n, nil)
	d.Norm.MulTo(d.rk, d.k)
	c := mat.NewDense(n, n, nil)
	c.Scale(d.g, d.rk)
	for i := range n {
		c.Set(i, i, c.At(i, i)+d.a)
	}
	y := mat.NewDense(n, p.Outputs(), nil)
	for q, i := range p.Labelled {
		row, add := c.RawRowView(i), d.k.RawRowView(i)
		for j := range row {
			row[j] += add[j]
		}
		y.SetRow(i, p.Y.RawRowView(q))
	}
	var lu blas.LU
	if err := lu.Factor(c); err != nil {
		return nil, err
	}
	d.Inverse = mat.NewDense(n, n, nil)
	for i := range n {
		d.Inverse.Set(i, i, 1)
	}
	lu.Solve(d.Inverse)
	d.Alpha = y
	lu.Solve(d.Alpha)
	return d, nil
}

// Fitted returns K alpha (n x c).
func (d *Direct) Fitted() *mat.Dense {
	return blas.Product(blas.N(d.k), blas.N(d.Alpha))
}
