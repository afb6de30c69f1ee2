package blas

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ErrEigen is returned when the eigenvalue iteration does not converge.
var ErrEigen = errors.New("symmetric eigenproblem did not converge")

// SymEigen solves A = V diag(values) V' for a symmetric n x n matrix A, whose
// lower triangle is read and whose storage is destroyed. Eigenvalues ascend;
// the eigenvectors are the columns of V (n x n, apart from A in memory). The
// sign of each makes its component of largest magnitude positive, the first of
// equal ones. Cost about 5n^3 flops at most, by divide and conquer, whose workspace is
// 2n^2 numbers. A matrix that is not finite is an error naming the row; a Backend Within a context
// that has ended returns its error.
func (b Backend) SymEigen(a *mat.Dense, values []float64, vectors *mat.Dense) error {
	ra := square("SymEigen", a)
	rv := square("eigenvectors", vectors)
	n := ra.Rows
	if rv.Rows != n {
		panic(fmt.Sprintf("blas: SymEigen of order %d into %d vectors", n, rv.Rows))
	}
	if err := b.eigenRows(ra, values); err != nil {
		return err
	}
	const rows = 32
	threads := 1
	if n*n >= parallelWork {
		threads = b.engine().workers()
	}
	tasks((n+rows-1)/rows, threads, func(t int) {
		here := block(ra, t*rows, 0, min(rows, n-t*rows), n)
		for i := range here.Rows {
			positive(here.Data[i*here.Stride : i*here.Stride+n])
		}
		turnAll(block(rv, 0, t*rows, n, here.Rows), here)
	})
	return nil
}

// SymEigenInPlace is SymEigen with the eigenvectors, each of either sign, in the
// columns of A.
func (b Backend) SymEigenInPlace(a *mat.Dense, values []float64) error {
	ra := square("SymEigen", a)
	if err := b.eigenRows(ra, values); err != nil {
		return err
	}
	transposeInPlace(ra)
	return nil
}

// eigenRows leaves the eigenvectors in the rows of A.
func (b Backend) eigenRows(a blas64.General, values []float64) error {
	n := a.Rows
	if len(values) != n {
		panic(fmt.Sprintf("blas: SymEigen of order %d into %d values", n, len(values)))
	}
	for i := range n {
		for j, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("symmetric eigenproblem: entry (%d, %d) is %v", i, j, v)
			}
		}
	}
	if n == 0 || b.engine().syev(a, values) {
		return nil
	}
	if err := b.Stopped(); err != nil {
		return err
	}
	return ErrEigen
}

// positive flips v so that its first component of largest magnitude is
// positive. Magnitudes within 1e-8 of each other count as equal: rounding
// must not choose the sign where symmetry makes components equal.
func positive(v []float64) {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	for _, x := range v {
		if math.Abs(x) >= largest*(1-1e-8) {
			if x < 0 {
				for i := range v {
					v[i] = -v[i]
				}
			}
			return
		}
	}
}

// Transpose replaces the square A by A'.
func Transpose(a *mat.Dense) { transposeInPlace(square("Transpose", a)) }
