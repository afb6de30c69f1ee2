package rls

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// InSample returns the training error with a price on degrees of freedom,
//
//	J = ||Y - F||^2/l + c tr(H)/l
//
// which is Mallows' Cp and Akaike's criterion for c = 2 s^2 and the Bayesian one, or minimum
// description length, for c = s^2 ln l, s^2 the variance of the noise summed over outputs (Becker
// 2013, eqs 2.4 and 2.5; the printed 2.3 is garbled), the squares times the weights of the rows; and, if wanted, its
// cotangent dJ/dK and dJ/dlambda. With N the projected inverse,
// Y - F = lambda alpha, tr H = l - lambda tr N:
//
//	l dJ/dK = -2 lambda^2 N W^-1 alpha alpha' + c lambda N W^-1 N
//
// It is +Inf, without a cotangent, where no degree of freedom is left.
func (f *Fit) InSample(ctx context.Context, c float64, want param.Want) (value float64, g *mat.Dense, dLambda float64, err error) {
	l, outputs := f.Alpha.Dims()
	rows := float64(l)
	square, free, err := f.residuals(ctx)
	if err != nil {
		return 0, nil, 0, err
	}
	value = square/rows + c*(rows-free)/rows
	if want == param.ValueOnly || math.IsInf(value, 1) {
		return value, nil, 0, nil
	}
	n, err := f.n(ctx)
	if err != nil {
		return 0, nil, 0, err
	}
	g = mat.NewDense(l, l, nil)
	on := blas.Within(ctx)
	on.Gemm(c*f.Lambda/rows, blas.N(n), blas.N(f.path.weigh.divided(n)), 0, g)
	na := mat.NewDense(l, outputs, nil)
	on.Gemm(1, blas.N(n), blas.N(f.path.weigh.divided(f.Alpha)), 0, na)
	on.Gemm(-2*f.Lambda*f.Lambda/rows, blas.N(na), blas.T(f.Alpha), 1, g)
	trace := f.symmetrize(g)
	// By lambda there is besides the factor of alpha and of tr N.
	return value, g, trace + 2*square/(rows*f.Lambda) - c*free/(rows*f.Lambda), on.Stopped()
}

// residuals are sum_i w_i ||y_i - f_i||^2 and l - tr H, or +Inf and 1 where no degree of freedom is left:
// some leverage is one or more by an indefinite kernel, or all are one to working precision.
func (f *Fit) residuals(ctx context.Context) (square, free float64, err error) {
	l, _ := f.Alpha.Dims()
	diag, err := f.leverages(ctx)
	if err != nil {
		return 0, 0, err
	}
	negative := false
	for i := range l {
		for _, v := range f.Alpha.RawRowView(i) {
			square += f.Lambda * f.Lambda * v * v / f.path.weigh.Of(i)
		}
		free += f.Lambda * diag[i] / f.path.weigh.Of(i)
		negative = negative || diag[i] <= 0
	}
	if negative || free < minSlack*float64(l) {
		return math.Inf(1), 1, nil
	}
	return square, free, nil
}
