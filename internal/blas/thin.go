package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// thinColumns is the number of columns of B up to which the packed product spends its time on packing A, which is read once, and
// on zero columns.
const thinColumns = 3

// thin adds alpha A op(B) to C, which has few columns, without a copy of A. The operations of every element are those of the
// packed product in the same order: sums over depth products at a time, each rounded once.
func (g *engine) thin(team *team, alpha float64, a, b Op, c blas64.General) {
	k, rows := a.Cols, 8*thinRows
	columns := make([]float64, c.Cols*k)
	for j := range c.Cols {
		copyVector(columns[j*k:(j+1)*k], b.t(), j)
	}
	team.run((c.Rows+rows-1)/rows, func(t int) {
		for i := t * rows; i < min((t+1)*rows, c.Rows); i += thinRows {
			h := min(thinRows, c.Rows-i)
			for p := 0; p < k; p += depth {
				n := min(depth, k-p)
				for j := range c.Cols {
					addProducts(alpha, a.Data[i*a.Stride+p:], a.Stride, h, columns[j*k+p:j*k+p+n], c.Data[i*c.Stride+j:], c.Stride)
				}
			}
		}
	})
}

// copyVector copies row v of op(X).
func copyVector(dst []float64, x Op, v int) { pack(dst, 1, x, v, 1, 0) }

// thinRows is how many sums are formed beside each other: as many as hide the time of one.
const thinRows = 8

// addProducts adds alpha times the products of h rows, at most thinRows, with x to as many elements of c.
func addProducts(alpha float64, a []float64, lda, h int, x []float64, c []float64, ldc int) {
	if h < thinRows {
		for i := range h {
			var s float64
			for p, v := range x {
				s = math.FMA(a[i*lda+p], v, s)
			}
			c[i*ldc] = math.FMA(s, alpha, c[i*ldc])
		}
		return
	}
	var sums [thinRows]float64
	whole := len(x) &^ 3
	if hasKernels && whole > 0 {
		_ = a[(thinRows-1)*lda:][:len(x)]
		dots8(&a[0], lda, whole, &x[0], &sums[0])
		a, x = a[whole:], x[whole:]
	}
	row := func(i int) []float64 { return a[i*lda:][:len(x)] }
	a0, a1, a2, a3, a4, a5, a6, a7 := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for p, v := range x {
		s0 = math.FMA(a0[p], v, s0)
		s1 = math.FMA(a1[p], v, s1)
		s2 = math.FMA(a2[p], v, s2)
		s3 = math.FMA(a3[p], v, s3)
		s4 = math.FMA(a4[p], v, s4)
		s5 = math.FMA(a5[p], v, s5)
		s6 = math.FMA(a6[p], v, s6)
		s7 = math.FMA(a7[p], v, s7)
	}
	for i, v := range [thinRows]float64{s0, s1, s2, s3, s4, s5, s6, s7} {
		c[i*ldc] = math.FMA(v, alpha, c[i*ldc])
	}
}
