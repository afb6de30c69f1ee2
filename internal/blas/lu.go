package blas

import (
	"fmt"
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Singular says at which 0-based step an LU factorisation found no usable
// pivot: the leading rows up to it are linearly dependent, or not finite.
type Singular struct{ Pivot int }

func (e *Singular) Error() string {
	return fmt.Sprintf("matrix is singular: no pivot at row %d", e.Pivot)
}

// LU is the factorisation A = L U P of a square n x n matrix with partial
// pivoting: L lower triangular, U unit upper triangular with entries of at most
// 1, P a permutation of the columns. Exchanging columns instead of rows keeps
// both the search for pivots and the exchanges inside rows of the row-major
// storage; it is the usual factorisation of A' and as stable.
// A factorisation may be used by several goroutines at once.
type LU struct {
	// Backend does the work; that of Within ends with a context.
	Backend Backend

	f   blas64.General
	piv []int
}

// Factor overwrites A by its factors and keeps the storage. The error is a
// *Singular, or that of the context of a Backend Within it. 2n^3/3 flops.
func (l *LU) Factor(a *mat.Dense) error {
	l.f = square("LU", a)
	n := l.f.Rows
	if cap(l.piv) < n {
		l.piv = make([]int, n)
	}
	l.piv = l.piv[:n]
	if n == 0 {
		return nil
	}
	p := l.Backend.engine().getrf(l.f, l.piv)
	if err := l.Backend.Stopped(); err != nil {
		l.f = blas64.General{}
		return err
	}
	for i := range n {
		if p >= 0 && i >= p {
			break
		}
		if d := l.f.Data[i*l.f.Stride+i]; d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
			p = i
		}
	}
	if p >= 0 {
		l.f = blas64.General{}
		return &Singular{Pivot: p}
	}
	return nil
}

// Solve overwrites B, n x k, by A^{-1} B, where A = L U P. 2n^2 k flops.
func (l *LU) Solve(b *mat.Dense) {
	rb := l.rhs(b)
	if rb.Rows == 0 || rb.Cols == 0 {
		return
	}
	e := l.Backend.engine()
	e.trsm(gblas.Left, lowerOf(l.f), rb)
	e.trsm(gblas.Left, upperUnit(l.f), rb)
	for i := len(l.piv) - 1; i >= 0; i-- {
		swapRows(rb, i, l.piv[i])
	}
}

func (l *LU) rhs(b *mat.Dense) blas64.General {
	rb := b.RawMatrix()
	if rb.Rows != l.f.Rows {
		panic(fmt.Sprintf("blas: LU of order %d solves for %d rows", l.f.Rows, rb.Rows))
	}
	return rb
}

func swapRows(b blas64.General, i, j int) {
	if i == j {
		return
	}
	x := b.Data[i*b.Stride : i*b.Stride+b.Cols]
	y := b.Data[j*b.Stride : j*b.Stride+b.Cols]
	for k, v := range x {
		x[k], y[k] = y[k], v
	}
}
