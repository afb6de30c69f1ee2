package graph

import "gonum.org/v1/gonum/mat"

// traceByProducts is sum_i e_i'R e_i, 64 unit vectors at a time: n/64 products
// with n x 64 matrices.
func traceByProducts(o Operator) float64 {
	sum := 0.0
	byUnits(o.Len(), func(lo int, units *mat.Dense) {
		n, k := units.Dims()
		out := mat.NewDense(n, k, nil)
		o.MulTo(out, units)
		for c := range k {
			sum += out.At(lo+c, c)
		}
	})
	return sum
}

// byUnits visits the identity in blocks of at most 64 columns.
func byUnits(n int, visit func(lo int, units *mat.Dense)) {
	for lo := 0; lo < n; lo += 64 {
		k := min(64, n-lo)
		units := mat.NewDense(n, k, nil)
		for c := range k {
			units.Set(lo+c, c, 1)
		}
		visit(lo, units)
	}
}
