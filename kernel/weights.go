package kernel

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// Weights are those of a linear function: columns x outputs. Nil of kernels that are not linear. Cost: one pass over
// the centres.
func (e Expansion) Weights() *mat.Dense {
	var penalty []float64
	switch k := e.Kernel.(type) {
	case Linear:
	case ARDLinear:
		if penalty = k.C; len(penalty) != e.Centres.Dim() {
			return nil
		}
	default:
		return nil
	}
	n, c := e.Coef.Dims()
	d := e.Centres.Dim()
	if d == 0 {
		return nil
	}
	w := mat.NewDense(d, c, nil)
	if e.Centres.Dense != nil {
		blas.Gemm(true, false, 1, e.Centres.Dense, e.Coef, 0, w)
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
