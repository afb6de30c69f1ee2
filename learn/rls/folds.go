package rls

// Problem  outputs for rows that are left out in folds, at a few values of lambda.
// Method   the machine without a fold is trained: one Cholesky factorisation of K + lambda I without the rows
//          of the fold, in a table that all folds and lambdas share, lambda over the weight of each row where rows weigh
//          unlike. The offset is found beside the coefficients,
//            (K + lambda I) z = 1,   b = 1'a / 1'z,   alpha = a - z b,   where (K + lambda I) a = Y.
// Cost     sum over folds of (l - |B|)^3/3 flops a lambda, three folds 0.3 l^3, where the inverse that
//          Fit.LeaveOut needs takes l^3; one table of the rows outside the smallest fold.
// Limits   where a matrix is not positive definite to working precision, all comes from Solve and Fit.LeaveOut.

import (
	"context"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Folds leaves rows out by training without them.
type Folds struct {
	K, Y   *mat.Dense // the Gram matrix, l x l, and the targets, l x c; neither is changed
	Weight []float64  // of the rows, positive; nil: all 1
	Offset bool
	Out    [][]int // the folds, disjoint; no fold is all rows

	table []float64
}

// LeaveOut returns what Fit.LeaveOut does for the rows of the folds; the others mean nothing.
func (f *Folds) LeaveOut(ctx context.Context, lambda float64) (*mat.Dense, error) {
	if err := moments.CheckLambda(lambda); err != nil {
		return nil, err
	}
	l, c := f.Y.Dims()
	o := mat.NewDense(l, c, nil)
	on := blas.Within(ctx)
	for _, out := range f.Out {
		rest := without(l, out)
		alpha, b, ok := f.train(on, rest, lambda)
		if err := on.Stopped(); err != nil {
			return nil, err
		}
		if !ok {
			return f.byInverse(ctx, lambda)
		}
		rows, part := mat.NewDense(len(out), len(rest), nil), mat.NewDense(len(out), c, nil)
		gather(rows, f.K, out, rest)
		on.Gemm(1, blas.N(rows), blas.N(alpha), 0, part)
		for p, i := range out {
			row := o.RawRowView(i)
			copy(row, part.RawRowView(p))
			for j, v := range b {
				row[j] += v
			}
		}
	}
	return o, on.Stopped()
}

// train is the machine on some rows: its coefficients and offsets, and whether their matrix is positive definite.
func (f *Folds) train(on blas.Backend, rows []int, lambda float64) (alpha *mat.Dense, b []float64, ok bool) {
	n := len(rows)
	_, c := f.Y.Dims()
	if len(f.table) < n*n {
		f.table = make([]float64, n*n)
	}
	s := mat.NewDense(n, n, f.table[:n*n])
	gather(s, f.K, rows, rows)
	for p, i := range rows {
		own := lambda
		if f.Weight != nil {
			own /= f.Weight[i]
		}
		s.Set(p, p, s.At(p, p)+own)
	}
	ch := blas.Cholesky{Backend: on}
	if ch.Factor(s) != nil {
		return nil, nil, false
	}
	x := mat.NewDense(n, c+1, nil) // the last column is the constant
	for p, i := range rows {
		row := x.RawRowView(p)
		copy(row, f.Y.RawRowView(i))
		row[c] = 1
	}
	ch.SolveTo(x)
	alpha = x.Slice(0, n, 0, c).(*mat.Dense)
	if !f.Offset {
		return alpha, nil, true
	}
	sums := make([]float64, c+1)
	for p := range rows {
		for j, v := range x.RawRowView(p) {
			sums[j] += v
		}
	}
	b = make([]float64, c)
	for j := range b {
		b[j] = sums[j] / sums[c]
	}
	for p := range rows {
		row := x.RawRowView(p)
		for j, v := range b {
			row[j] -= row[c] * v
		}
	}
	return alpha, b, true
}

// byInverse is LeaveOut where a factorisation failed.
func (f *Folds) byInverse(ctx context.Context, lambda float64) (*mat.Dense, error) {
	fit, err := Solve(ctx, f.K, f.Y, f.Weight, f.Offset, lambda)
	if err != nil {
		return nil, err
	}
	return fit.LeaveOut(ctx, f.Out)
}

// gather stores the rows and columns of k in dst.
func gather(dst, k *mat.Dense, rows, cols []int) {
	parallel.Pieces(len(rows), 16, func(lo, hi int) { // no result depends on the 16
		for p := lo; p < hi; p++ {
			to, from := dst.RawRowView(p), k.RawRowView(rows[p])
			for q, j := range cols {
				to[q] = from[j]
			}
		}
	})
}

// without lists 0 to l-1 but for some of them.
func without(l int, out []int) []int {
	is := make([]bool, l)
	for _, i := range out {
		is[i] = true
	}
	list := make([]int, 0, l-len(out))
	for i, out := range is {
		if !out {
			list = append(list, i)
		}
	}
	return list
}
