package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   A = V diag(w) V', A symmetric n x n.
// Method    A = Q T Q' with T tridiagonal (tridiagonalise.go), T = S diag(w) S' by divide and conquer (divide.go,
//           secular.go, ql.go), V = Q S (backtransform.go).
// Cost      4n^3/3, at most 4n^3/3 and 2n^3 flops. Memory: 2n^2 numbers and some 400 n.

// syev: eigenvalues ascending in w, eigenvectors in the rows of a.
func (g *engine) syev(a blas64.General, w []float64) bool {
	if g.stop.asked() {
		return false
	}
	n := a.Rows
	if n == 1 {
		w[0], a.Data[0] = a.Data[0], 1
		return true
	}
	// Squares of the entries must neither overflow nor vanish.
	var most float64
	for i := range n {
		for _, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			most = max(most, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(most)
	far := exponent < -200 || exponent > 200
	if far {
		scaleBy(a, -exponent)
	}
	team := g.team(4 * product3(n, n, n))
	defer team.end()
	d, e, tau := make([]float64, n), make([]float64, n), make([]float64, n)
	g.tridiagonalise(team, a, d, e, tau)
	if team.stopped() {
		return false
	}
	v := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	order, ok := g.divide(team, d, e, v)
	if !ok {
		return false
	}
	g.backTransform(team, a, tau, v)
	if team.stopped() {
		return false
	}
	for i, from := range order {
		w[i] = d[from]
		copy(a.Data[i*a.Stride:i*a.Stride+n], v.Data[from*n:])
	}
	if far {
		scaleBy(blas64.General{Rows: 1, Cols: n, Stride: n, Data: w}, exponent)
	}
	return true
}

// scaleBy multiplies by 2^exponent.
func scaleBy(a blas64.General, exponent int) {
	for i := range a.Rows {
		row := a.Data[i*a.Stride : i*a.Stride+a.Cols]
		for j, v := range row {
			row[j] = math.Ldexp(v, exponent)
		}
	}
}
