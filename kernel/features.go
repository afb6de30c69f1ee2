package kernel

// The linear kernel has its features at hand: K = X X'. What would take the n x n
// matrix takes two products with X.

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// Features returns the rows X of a Gram matrix that is X X', that of the linear
// kernel; ok is false for all others.
func Features(g Gram) (x data.Rows, ok bool) {
	s, isShape := g.(*shapeGram)
	if !isShape {
		return data.Rows{}, false
	}
	_, ok = s.k.(Linear)
	return s.train, ok
}

// MulFeatures stores X_i X_j' alpha in dst, |i| x c for alpha of |j| x c; nil lists
// mean all rows. It is K[i,j] alpha of the linear kernel in 2 c times as many
// flops as the rows i and j have numbers, instead of |i||j| kernel values.
func MulFeatures(dst *mat.Dense, x data.Rows, i, j []int, alpha *mat.Dense) {
	r, c := alpha.Dims()
	n, m := count(x.Len(), i), count(x.Len(), j)
	if dr, dc := dst.Dims(); r != m || dr != n || dc != c {
		panic(fmt.Sprintf("kernel: %dx%d = %dx%d times %dx%d", dr, dc, n, m, r, c))
	}
	w := mat.NewDense(x.Dim(), c, nil)
	if x.Sparse == nil {
		blas.Gemm(true, false, 1, chosen(x.Dense, j), alpha, 0, w)
		blas.Gemm(false, false, 1, chosen(x.Dense, i), w, 0, dst)
		return
	}
	for a := range m {
		from := row(alpha, a)
		columns, values := x.Sparse.Row(at(j, a))
		for q, k := range columns {
			to := row(w, int(k))
			for e, v := range from {
				to[e] += values[q] * v
			}
		}
	}
	if i != nil {
		x.Sparse.SelectRows(i).MulTo(dst, w)
		return
	}
	x.Sparse.MulTo(dst, w)
}

// chosen returns the rows idx of x, x itself for nil.
func chosen(x *mat.Dense, idx []int) *mat.Dense {
	if idx == nil {
		return x
	}
	_, d := x.Dims()
	out := mat.NewDense(max(len(idx), 1), d, nil)
	for a, i := range idx {
		copy(row(out, a), row(x, i))
	}
	return out
}
