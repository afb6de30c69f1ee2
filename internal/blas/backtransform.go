package blas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   X' = (Q S)', Q the product of the reflections of a tridiagonalisation, S' the rows of X.
// Method    The reflections of a block are I - V T V' with T upper triangular, so that two products apply them,
//           the last block first: X - (X V) (T'V'). T follows column by column from V'V.
// Cost      2n^3 flops, and 2 n^2 for each vector of a block. Memory: 3 blocks of n numbers.
// Source    Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder
//           transformations", SIAM J. Sci. Stat. Comput. 10 (1989); LAPACK's dormtr, dlarft and dlarfb.

// blockOf is the number of reflections applied at once to vectors of n numbers: more make better products and
// more work.
func blockOf(n int) int {
	if n < 1000 {
		return 64
	}
	return 128
}

// backTransform multiplies the rows of x by Q'. Reflection i stands in row i of v from column i+1 on, its
// leading 1 included.
func (g *engine) backTransform(team *team, v blas64.General, tau []float64, x blas64.General) {
	n := x.Cols
	most := min(blockOf(n), n-1)
	vs, tv := make([]float64, most*n), make([]float64, most*n)
	xv := make([]float64, x.Rows*most)
	gram, factor := make([]float64, most*most), make([]float64, most*most)
	reflections := n - 1
	for last := reflections; last > 0; {
		first := (last - 1) / most * most
		k, m := last-first, n-first-1
		b := blas64.General{Rows: k, Cols: m, Stride: m, Data: vs[:k*m]}
		for i := range k {
			row := b.Data[i*m : (i+1)*m]
			clear(row[:i])
			copy(row[i:], v.Data[(first+i)*v.Stride+first+i+1:(first+i)*v.Stride+n])
		}
		products := blas64.General{Rows: k, Cols: k, Stride: k, Data: gram[:k*k]}
		g.store(team, gblas.Lower, Op{b, false}, Op{b, true}, products)
		t := blas64.General{Rows: k, Cols: k, Stride: k, Data: factor[:k*k]}
		g.blockFactor(products, tau[first:last], t)
		u := blas64.General{Rows: k, Cols: m, Stride: m, Data: tv[:k*m]}
		g.store(team, gblas.All, Op{t, false}, Op{b, false}, u)
		right := block(x, 0, first+1, x.Rows, m)
		y := blas64.General{Rows: x.Rows, Cols: k, Stride: k, Data: xv[:x.Rows*k]}
		g.store(team, gblas.All, Op{right, false}, Op{b, true}, y)
		g.mulAdd(team, gblas.All, -1, Op{y, false}, Op{u, false}, right)
		last = first
	}
}

// blockFactor stores T', lower triangular, of which row j is -tau_j times what V'v_j takes of the rows above.
func (g *engine) blockFactor(products blas64.General, tau []float64, t blas64.General) {
	clear(t.Data)
	for j, f := range tau {
		row := t.Data[j*t.Stride : j*t.Stride+j+1]
		g.rowSub(row[:j], t.Data, t.Stride, products.Data[j*products.Stride:], 1, j)
		for p := range row[:j] {
			row[p] *= f
		}
		row[j] = f
	}
}
