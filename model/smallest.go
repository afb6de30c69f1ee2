package model

import (
	"github.com/mercer-ml/mercer/data"
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
		if w := e.Weights(); w != nil {
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
