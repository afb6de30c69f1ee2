package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

// Compact returns the same function with fewer centres where the kernel allows:
// rows whose coefficients are all zero are dropped, and a linear expansion (one with
// penalties too) of c outputs on more than c dense rows, or on sparse rows with more
// entries than c times the columns, becomes c weight vectors with the identity for
// coefficients. Cost: 2 c times the numbers in the centres.
func (e Expansion) Compact() Expansion {
	n, c := e.Coef.Dims()
	if linear(e.Kernel) && c > 0 {
		d := e.Centres.Dim()
		switch {
		case e.Centres.Sparse == nil && n > c:
			w := mat.NewDense(c, d, nil)
			blas.Gemm(true, false, 1, e.Coef, e.Centres.Dense, 0, w)
			return Expansion{Kernel: e.Kernel, Centres: data.Rows{Dense: w}, Coef: identity(c)}
		case e.Centres.Sparse != nil && n > c && e.Centres.Sparse.NNZ() > c*d:
			w := mat.NewDense(c, d, nil)
			for i := range n {
				at, value := e.Centres.Sparse.Row(i)
				for o, a := range e.Coef.RawRowView(i) {
					to := w.RawRowView(o)
					for q, j := range at {
						to[j] += a * value[q]
					}
				}
			}
			return Expansion{Kernel: e.Kernel, Centres: data.Rows{Sparse: sparse.FromDense(w)}, Coef: identity(c)}
		}
	}
	var keep []int
	for i := range n {
		for _, v := range e.Coef.RawRowView(i) {
			if v != 0 {
				keep = append(keep, i)
				break
			}
		}
	}
	if len(keep) == n || len(keep) == 0 {
		return e
	}
	coef := mat.NewDense(len(keep), c, nil)
	for q, i := range keep {
		coef.SetRow(q, e.Coef.RawRowView(i))
	}
	return Expansion{Kernel: e.Kernel, Centres: e.Centres.Select(keep), Coef: coef}
}

// linear says whether k(x, z) is linear in z, so that rows may be added up.
func linear(k Kernel) bool {
	switch k.(type) {
	case Linear, ARDLinear:
		return true
	}
	return false
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}
