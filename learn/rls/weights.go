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
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// weights are those of the rows.
type weights struct{ moments.Weights }

func newWeights(each []float64, l int) weights { return weights{moments.NewWeights(each, l)} }

// both replaces K by S K S.
func (w weights) both(k *mat.Dense) {
	for i, r := range w.Root {
		row := k.RawRowView(i)
		for j := range row {
			row[j] *= r * w.Root[j]
		}
	}
}

// project replaces S K S by P S K S P with P = I - s s'/|s|^2.
func (w weights) project(k *mat.Dense) {
	if w.Each == nil {
		kernel.Centre(k)
		return
	}
	l := len(w.Root)
	kr := make([]float64, l) // K s/|s|^2
	blas.Gemm(1/w.Total, blas.N(k), blas.N(mat.NewDense(l, 1, w.Root)), 0, mat.NewDense(l, 1, kr))
	floats.AddScaled(kr, -floats.Dot(kr, w.Root)/w.Total/2, w.Root)
	for i, r := range w.Root {
		row := k.RawRowView(i)
		for j := range row {
			row[j] -= r*kr[j] + kr[i]*w.Root[j]
		}
	}
}

// add adds v s s'/|s|^2.
func (w weights) add(k *mat.Dense, v float64) {
	if w.Each == nil {
		add(k, v/w.Total)
		return
	}
	for i, r := range w.Root {
		floats.AddScaled(k.RawRowView(i), v*r/w.Total, w.Root)
	}
}

// centre takes the weighted mean of every column off.
func (w weights) centre(a *mat.Dense) (mean []float64) {
	if w.Each == nil {
		return moments.Centre(a)
	}
	n, d := a.Dims()
	mean = make([]float64, d)
	for i, v := range w.Each {
		floats.AddScaled(mean, v/w.Total, a.RawRowView(i))
	}
	for i := range n {
		floats.Sub(a.RawRowView(i), mean)
	}
	return mean
}

// balance takes the multiple of w off every column that leaves it with sum 0: the coefficients of a
// fit with an offset.
func (w weights) balance(a *mat.Dense) {
	if w.Each == nil {
		moments.Centre(a)
		return
	}
	_, c := a.Dims()
	sum := make([]float64, c)
	for i := range w.Each {
		floats.Add(sum, a.RawRowView(i))
	}
	for i, v := range w.Each {
		floats.AddScaled(a.RawRowView(i), -v/w.Total, sum)
	}
}

// divided returns W^-1 X, or X itself where all weights are 1.
func (w weights) divided(x *mat.Dense) *mat.Dense {
	if w.Each == nil {
		return x
	}
	x = mat.DenseCopyOf(x)
	for i, v := range w.Each {
		floats.Scale(1/v, x.RawRowView(i))
	}
	return x
}

// trace is tr(X W^-1).
func (w weights) trace(x *mat.Dense) float64 {
	if w.Each == nil {
		return mat.Trace(x)
	}
	var t float64
	for i, v := range w.Each {
		t += x.At(i, i) / v
	}
	return t
}
