package complexity

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// RKHS is the squared norm alpha'G alpha, G the n x n Gram matrix. It changes with the scale of
// the kernel: k/c with c alpha is the same function and has c times the norm (eq. 5.1).
func RKHS(g *mat.Dense, alpha []float64) float64 { return quadratic(g, alpha, nil) }

// Normalised is Q_norm, the squared norm in features of unit length,
//
//	sum_ij alpha_i alpha_j sqrt(k(x_i,x_i) k(x_j,x_j)) k(x_i,x_j)
//
// (eqs 5.9 and 5.10; printed with k(x_i,x_j) under the root). It does not change with
// the scale of the kernel. Where k(x,x) is constant it is k(x,x) ||f||^2, which is four times
// (radius/margin)^2.
func Normalised(g *mat.Dense, alpha []float64) float64 {
	root := make([]float64, len(alpha))
	for i := range root {
		root[i] = math.Sqrt(max(g.At(i, i), 0))
	}
	return quadratic(g, alpha, root)
}

// quadratic is (s o alpha)' G (s o alpha); a nil s is ones.
func quadratic(g *mat.Dense, alpha, s []float64) float64 {
	n, _ := square(g, alpha)
	v := alpha
	if s != nil {
		v = make([]float64, n)
		for i := range v {
			v[i] = s[i] * alpha[i]
		}
	}
	var sum float64
	for i := range n {
		if v[i] == 0 {
			continue
		}
		var dot float64
		for j, k := range g.RawRowView(i) {
			dot += k * v[j]
		}
		sum += v[i] * dot
	}
	return sum
}

func square(g *mat.Dense, alpha []float64) (n, m int) {
	n, m = g.Dims()
	if n != m || n != len(alpha) {
		panic(fmt.Sprintf("complexity: Gram matrix %d x %d for %d coefficients", n, m, len(alpha)))
	}
	return n, m
}
