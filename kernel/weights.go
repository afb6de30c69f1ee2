package kernel

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// linear is a kernel of functions that are linear in the features.
type linear interface {
	// penalties are those of the squares of d weights, nil if all are 1; false if there are not d.
	penalties(d int) ([]float64, bool)
}

// Weighs says whether functions of a kernel are linear in the features, so that weights stand for them.
func Weighs(k Kernel) bool {
	_, ok := as[linear](k)
	return ok
}

// Weights are those of a linear function: columns x outputs. Nil of kernels that are not linear. Cost: one pass over
// the centres.
func (e Expansion) Weights() *mat.Dense {
	d := e.Centres.Dim()
	k, ok := as[linear](e.Kernel)
	if !ok || d == 0 {
		return nil
	}
	penalty, ok := k.penalties(d)
	if !ok {
		return nil
	}
	n, c := e.Coef.Dims()
	w := mat.NewDense(d, c, nil)
	if e.Centres.Dense != nil {
		blas.Gemm(1, blas.T(e.Centres.Dense), blas.N(e.Coef), 0, w)
	} else {
		for i := range n {
			at, value := e.Centres.Sparse.Row(i)
			coef := e.Coef.RawRowView(i)
			for q, j := range at {
				row := w.RawRowView(int(j))
				for k, v := range coef {
					row[k] += value[q] * v
				}
			}
		}
	}
	for j, p := range penalty {
		row := w.RawRowView(j)
		for k := range row {
			row[k] /= p
		}
	}
	return w
}
