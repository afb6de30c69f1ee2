package kernel

// Linear kernels have their features at hand: K = X X'. What would take the n x n
// matrix takes two products with X.

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// Features returns rows X with K = X X', for Linear, ARDLinear, Chi2Map, Clusters, Components, LowRank, Constant and
// what Scaled, Columns and Sum make of them; ok is false for all other kernels. The
// rows of Linear are those it was bound to; of others they are a copy, n numbers a
// feature.
func Features(g Gram) (x data.Rows, ok bool) {
	if g, has := g.(featured); has {
		return g.features()
	}
	return data.Rows{}, false
}

// featured is a Gram object that may have its features at hand.
type featured interface {
	features() (x data.Rows, ok bool)
}

// times returns the rows times s.
func times(x data.Rows, s float64) data.Rows {
	if x.Sparse != nil {
		a := *x.Sparse
		a.Value = make([]float64, len(x.Sparse.Value))
		for q, v := range x.Sparse.Value {
			a.Value[q] = s * v
		}
		return data.Rows{Sparse: &a, ID: x.ID}
	}
	d := new(mat.Dense)
	d.Scale(s, x.Dense)
	return data.Rows{Dense: d, ID: x.ID}
}

// beside joins rows column by column: dense if all of them are.
func beside(parts []data.Rows) data.Rows {
	n, d, stored, dense := parts[0].Len(), 0, 0, true
	for _, p := range parts {
		d += p.Dim()
		if p.Sparse != nil {
			dense = false
			stored += len(p.Sparse.Value)
		} else {
			stored += n * p.Dim()
		}
	}
	if dense {
		x := mat.NewDense(n, d, nil)
		at := 0
		for _, p := range parts {
			x.Slice(0, n, at, at+p.Dim()).(*mat.Dense).Copy(p.Dense)
			at += p.Dim()
		}
		return data.Rows{Dense: x, ID: parts[0].ID}
	}
	a := &data.CSR{R: n, C: d, Start: make([]int, 1, n+1), Index: make([]int32, 0, stored), Value: make([]float64, 0, stored)}
	for i := range n {
		at := 0
		for _, p := range parts {
			if p.Sparse != nil {
				columns, values := p.Sparse.Row(i)
				for q, k := range columns {
					a.Index, a.Value = append(a.Index, k+int32(at)), append(a.Value, values[q])
				}
			} else {
				for k, v := range row(p.Dense, i) {
					if v != 0 {
						a.Index, a.Value = append(a.Index, int32(at+k)), append(a.Value, v)
					}
				}
			}
			at += p.Dim()
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return data.Rows{Sparse: a, ID: parts[0].ID}
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
		blas.Gemm(1, blas.T(chosen(x.Dense, j)), blas.N(alpha), 0, w)
		blas.Gemm(1, blas.N(chosen(x.Dense, i)), blas.N(w), 0, dst)
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
