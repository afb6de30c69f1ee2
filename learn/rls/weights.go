package rls

// Problem   rows whose squared errors weigh unlike:
//
//	minimise over alpha, b:  sum_i w_i ||y_i - (K alpha)_i - b||^2 + lambda tr(alpha' K alpha)
//	(K + lambda W^-1) alpha + 1 b' = Y,   1' alpha = 0,   W = diag(w)
//
// Method    with S = W^1/2 it is the problem without weights of S K S and S Y, in which s = S 1 stands for the constant
//           vector, and alpha = S alpha'. U is kept as S U, so that N, with alpha = N Y, is
//           S U diag(1/(omega + lambda)) (S U)' for the eigenvalues omega of S K S. Then
//
//	fitted values     F = Y - lambda W^-1 alpha
//	left-out residual r_B = (N_BB)^-1 alpha_B, as without weights
//
//           because that identity is of inverses of blocks and holds with any diagonal beside K.
// Limit     all weights equal to v are the problem without weights of lambda/v.

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// weights are those of l rows, positive. The zero value weighs all rows 1 and changes no digit.
type weights struct {
	each  []float64 // nil: all 1
	root  []float64 // their square roots
	total float64   // their sum, l without weights
}

// newWeights panics where a list is not of l positive numbers.
func newWeights(each []float64, l int) weights {
	w := weights{each: each, total: float64(l)}
	if each == nil {
		return w
	}
	if len(each) != l {
		panic(fmt.Sprintf("rls: %d weights of %d rows", len(each), l))
	}
	w.root, w.total = make([]float64, l), floats.Sum(each)
	for i, v := range each {
		if !(v > 0) {
			panic(fmt.Sprintf("rls: weight %g of row %d", v, i))
		}
		w.root[i] = math.Sqrt(v)
	}
	return w
}

// of is the weight of a row.
func (w weights) of(i int) float64 {
	if w.each == nil {
		return 1
	}
	return w.each[i]
}

// both replaces K by S K S.
func (w weights) both(k *mat.Dense) {
	for i, r := range w.root {
		row := k.RawRowView(i)
		for j := range row {
			row[j] *= r * w.root[j]
		}
	}
}

// scale replaces X by S X.
func (w weights) scale(x *mat.Dense) {
	for i, r := range w.root {
		floats.Scale(r, x.RawRowView(i))
	}
}

// project replaces S K S by P S K S P with P = I - s s'/|s|^2.
func (w weights) project(k *mat.Dense) {
	if w.each == nil {
		kernel.Centre(k)
		return
	}
	l := len(w.root)
	kr := make([]float64, l) // K s/|s|^2
	blas.Gemm(1/w.total, blas.N(k), blas.N(mat.NewDense(l, 1, w.root)), 0, mat.NewDense(l, 1, kr))
	floats.AddScaled(kr, -floats.Dot(kr, w.root)/w.total/2, w.root)
	for i, r := range w.root {
		row := k.RawRowView(i)
		for j := range row {
			row[j] -= r*kr[j] + kr[i]*w.root[j]
		}
	}
}

// add adds v s s'/|s|^2.
func (w weights) add(k *mat.Dense, v float64) {
	if w.each == nil {
		add(k, v/w.total)
		return
	}
	for i, r := range w.root {
		floats.AddScaled(k.RawRowView(i), v*r/w.total, w.root)
	}
}

// centre takes the weighted mean of every column off.
func (w weights) centre(a *mat.Dense) (mean []float64) {
	if w.each == nil {
		return moments.Centre(a)
	}
	n, d := a.Dims()
	mean = make([]float64, d)
	for i, v := range w.each {
		floats.AddScaled(mean, v/w.total, a.RawRowView(i))
	}
	for i := range n {
		floats.Sub(a.RawRowView(i), mean)
	}
	return mean
}

// balance takes the multiple of w off every column that leaves it with sum 0: the coefficients of a
// fit with an offset.
func (w weights) balance(a *mat.Dense) {
	if w.each == nil {
		moments.Centre(a)
		return
	}
	_, c := a.Dims()
	sum := make([]float64, c)
	for i := range w.each {
		floats.Add(sum, a.RawRowView(i))
	}
	for i, v := range w.each {
		floats.AddScaled(a.RawRowView(i), -v/w.total, sum)
	}
}

// divided returns W^-1 X, or X itself where all weights are 1.
func (w weights) divided(x *mat.Dense) *mat.Dense {
	if w.each == nil {
		return x
	}
	x = mat.DenseCopyOf(x)
	for i, v := range w.each {
		floats.Scale(1/v, x.RawRowView(i))
	}
	return x
}

// trace is tr(X W^-1).
func (w weights) trace(x *mat.Dense) float64 {
	if w.each == nil {
		return mat.Trace(x)
	}
	var t float64
	for i, v := range w.each {
		t += x.At(i, i) / v
	}
	return t
}
