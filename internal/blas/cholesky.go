package blas

import (
	"fmt"
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// NotPositiveDefinite says at which 0-based row a Cholesky factorisation met a
// pivot that is not a positive finite number.
type NotPositiveDefinite struct{ Pivot int }

func (e *NotPositiveDefinite) Error() string {
	return fmt.Sprintf("matrix is not positive definite: pivot %d is not positive", e.Pivot)
}

// Cholesky is the factorisation A = L L' of a symmetric positive definite
// n x n matrix. It works in the caller's storage: Factor overwrites the lower
// triangle of A, which must stay as it is while the factorisation is used.
// A factorisation may be used by several goroutines at once, except Inverse.
type Cholesky struct {
	// Backend does the work; that of Within ends with a context.
	Backend Backend

	l    blas64.General
	norm float64
}

// Factor overwrites the lower triangle of A by L; the strict upper triangle is
// neither read nor written. The error is a *NotPositiveDefinite, or that of the context of a Backend
// Within it. n^3/3 flops.
func (c *Cholesky) Factor(a *mat.Dense) error {
	c.l = square("Cholesky", a)
	c.norm = 0
	n := c.l.Rows
	if n == 0 {
		return nil
	}
	c.norm = symNorm1(c.l)
	p := c.Backend.engine().potrf(c.l)
	if err := c.Backend.Stopped(); err != nil {
		c.l = blas64.General{}
		return err
	}
	// Inf passes as a pivot.
	for i := range n {
		if p >= 0 && i >= p {
			break
		}
		if d := c.l.Data[i*c.l.Stride+i]; !(d > 0) || math.IsInf(d, 1) {
			p = i
		}
	}
	if p >= 0 {
		c.l = blas64.General{}
		return &NotPositiveDefinite{Pivot: p}
	}
	return nil
}

// Use takes the lower triangle of l for L, which must stay as it is. RCond is not known then.
func (c *Cholesky) Use(l *mat.Dense) { c.l, c.norm = square("Cholesky", l), math.NaN() }

// SolveTo overwrites B, n x k, by A^{-1} B. 2n^2 k flops.
func (c *Cholesky) SolveTo(b *mat.Dense) {
	if rb := c.rhs(b); rb.Cols > 0 {
		e := c.Backend.engine()
		e.trsm(gblas.Left, lowerOf(c.l), rb)
		e.trsm(gblas.Left, lowerOf(c.l).t(), rb)
	}
}

// SolveL overwrites B, n x k, by L^{-1} B. n^2 k flops.
func (c *Cholesky) SolveL(b *mat.Dense) {
	if rb := c.rhs(b); rb.Cols > 0 {
		c.Backend.engine().trsm(gblas.Left, lowerOf(c.l), rb)
	}
}

// SolveLT overwrites B, n x k, by L'^{-1} B. n^2 k flops.
func (c *Cholesky) SolveLT(b *mat.Dense) {
	if rb := c.rhs(b); rb.Cols > 0 {
		c.Backend.engine().trsm(gblas.Left, lowerOf(c.l).t(), rb)
	}
}

// SolveRight overwrites B, k x n, by B L'^{-1}: its rows by L^{-1} of them. n^2 k flops.
func (c *Cholesky) SolveRight(b *mat.Dense) {
	rb := b.RawMatrix()
	if rb.Cols != c.l.Rows {
		panic(fmt.Sprintf("blas: Cholesky of order %d solves for rows of %d", c.l.Rows, rb.Cols))
	}
	if rb.Rows > 0 && rb.Cols > 0 {
		c.Backend.engine().trsm(gblas.Right, lowerOf(c.l).t(), rb)
	}
}

// RCond estimates 1/(|A|_1 |A^{-1}|_1) by Higham's method, O(n^2).
func (c *Cholesky) RCond() float64 {
	e := c.Backend.engine()
	return rcond(c.l.Rows, c.norm, func(x blas64.General) {
		e.trsm(gblas.Left, lowerOf(c.l), x)
		e.trsm(gblas.Left, lowerOf(c.l).t(), x)
	})
}

// Inverse overwrites the factorised matrix by the full symmetric A^{-1}, after
// which the factorisation is gone. 2n^3/3 flops.
func (c *Cholesky) Inverse() {
	if c.l.Rows > 0 {
		c.Backend.engine().potri(c.l)
		mirror(c.l)
	}
	c.l = blas64.General{}
}

func (c *Cholesky) rhs(b *mat.Dense) blas64.General {
	rb := b.RawMatrix()
	if rb.Rows != c.l.Rows {
		panic(fmt.Sprintf("blas: Cholesky of order %d solves for %d rows", c.l.Rows, rb.Rows))
	}
	return rb
}

// symNorm1 is the 1-norm of a symmetric matrix from its lower triangle.
func symNorm1(a blas64.General) float64 {
	sums := make([]float64, a.Rows)
	for i := range a.Rows {
		row := a.Data[i*a.Stride : i*a.Stride+i+1]
		var s float64
		for j, v := range row[:i] {
			v = math.Abs(v)
			s += v
			sums[j] += v
		}
		sums[i] += s + math.Abs(row[i])
	}
	return maxOf(sums)
}

// maxOf is the greatest of non-negative numbers, NaN if one of them is.
func maxOf(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = math.Max(m, v)
	}
	return m
}

// rcond estimates the reciprocal condition number of a symmetric matrix in the 1-norm from a handful
// of solves: Higham, "FORTRAN codes for estimating the one-norm", ACM TOMS 14
// (1988), as LAPACK's dlacn2 does it.
func rcond(n int, norm float64, solve func(x blas64.General)) float64 {
	if n == 0 {
		return 1
	}
	var lapack gonum.Implementation
	v, x, sign := make([]float64, n), make([]float64, n), make([]int, n)
	var save [3]int
	var est float64
	for kase := 0; ; {
		est, kase = lapack.Dlacn2(n, v, x, sign, est, kase, &save)
		if kase == 0 {
			break
		}
		solve(blas64.General{Rows: n, Cols: 1, Stride: 1, Data: x})
	}
	if est == 0 || norm == 0 {
		return 0
	}
	return 1 / est / norm
}
