package model

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// smallest is the same function in fewer numbers. Rows whose coefficients are all zero are
// dropped. A sum of n inner products with d columns is one inner product with
//
//	w = sum_j centre_j coef_j     (d x c; row k divided by the penalty of column k, where it has one)
//
// which is taken where it has no more numbers than centres and coefficients: always if d <= n, and
// a prediction then costs d c in the place of n (d + c). Cost: c times the numbers in the centres.
func smallest(e kernel.Expansion) Function {
	n, c := e.Coef.Dims()
	var keep []int
	for i := range n {
		for _, v := range e.Coef.RawRowView(i) {
			if v != 0 {
				keep = append(keep, i)
				break
			}
		}
	}
	if d := e.Centres.Dim(); d > 0 && d*c <= stored(e.Centres, keep)+len(keep)*c {
		if w := weights(e); w != nil {
			return Linear{w}
		}
	}
	if len(keep) < n && len(keep) > 0 {
		coef := mat.NewDense(len(keep), c, nil)
		for q, i := range keep {
			coef.SetRow(q, e.Coef.RawRowView(i))
		}
		e.Centres, e.Coef = e.Centres.Select(keep), coef
	}
	return Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: e.Coef}
}

// weights is w of a linear expansion; nil where the kernel is not linear.
func weights(e kernel.Expansion) *mat.Dense {
	var penalty []float64
	switch k := e.Kernel.(type) {
	case kernel.Linear:
	case kernel.ARDLinear:
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

// stored is how many values the rows listed hold; nil: all rows.
func stored(rows data.Rows, list []int) int {
	switch {
	case !rows.IsSparse() && list == nil:
		return rows.Len() * rows.Dim()
	case !rows.IsSparse():
		return len(list) * rows.Dim()
	case list == nil:
		return rows.Sparse.NNZ()
	}
	n := 0
	for _, i := range list {
		n += rows.Sparse.Start[i+1] - rows.Sparse.Start[i]
	}
	return n
}
