package score

// Problem   the variance s2 of the noise in the targets, which the prices of Cp, AIC and BIC
//           are in units of.
// Method    the residuals r = (I - H) y of a fit have E |r|^2 = s2 tr (I - H)^2 + |bias|^2, so
//
//	s2 = |y - Hy|^2 / tr (I - H)^2,    tr (I - H)^2 = sum_i (lambda/(w_i + lambda))^2
//
//           of the ridge that generalised cross-validation likes best among those with at most
//           l/2 degrees of freedom. Without that limit its minimum is often the fit through
//           all rows, whose residuals are none: s2 = 0, and a score that is the training
//           error. With it tr (I - H)^2 >= l/4, so that s2 has a standard error of at most
//           s2 sqrt(8/l). What bias is left makes it too large.
// Cost      one decomposition of the labelled block, O(l^3); O(l^2) for each of some 30 ridges.
// Source    Hastie and Tibshirani, Generalised Additive Models (1990), section 3.5; Buckley,
//           Eagleson and Silverman, Biometrika 75 (1988).

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
)

// ErrNoNoise says that the variance of the noise cannot be estimated.
var ErrNoNoise = errors.New(
	"the noise cannot be estimated: there are fewer than four labelled rows, or half as many degrees of freedom fit them exactly",
)

const (
	leastRows = 4
	// exactly is the share of the targets' square, about their mean where there is an offset, that is no noise but rounding.
	exactly = 1e-12
)

// NoiseVariance estimates the variance of the noise, summed over outputs, from fits of
// regularised least squares with the kernel of s as it is. The error is ErrNoNoise, or the
// kernel's.
func NoiseVariance(ctx context.Context, s LeaveOut) (float64, error) {
	l := len(s.Problem.Labelled)
	if l < leastRows {
		return 0, ErrNoNoise
	}
	_, path, err := s.Bind(ctx, s.Kernel.Space().Defaults())
	if err != nil {
		return 0, err
	}
	w := path.Eigenvalues()
	top := w[len(w)-1]
	if !(top > 0) {
		return 0, ErrNoNoise
	}
	best, s2 := math.Inf(1), 0.0
	for lambda := leastRidge(path, float64(l)/2); lambda <= 100*top; lambda *= math.Sqrt(10) {
		f, err := path.At(lambda)
		if err != nil {
			return 0, err
		}
		v, _, _, err := f.GCV(ctx, param.ValueOnly)
		if err != nil {
			return 0, err
		}
		if v < best {
			square, _, _, err := f.InSample(ctx, 0, param.ValueOnly)
			if err != nil {
				return 0, err
			}
			free := 0.0
			for _, v := range w {
				free += lambda / (v + lambda) * (lambda / (v + lambda))
			}
			best, s2 = v, square*float64(l)/free
		}
	}
	var size float64 // of the targets, about their mean where an offset takes it
	y := s.Problem.Y
	for j := range y.RawMatrix().Cols {
		column, mean := mat.Col(nil, j, y), 0.0
		if s.Offset {
			mean = floats.Sum(column) / float64(l)
		}
		for _, v := range column {
			size += (v - mean) * (v - mean) / float64(l)
		}
	}
	if !(s2 > exactly*size) {
		return 0, ErrNoNoise
	}
	return s2, nil
}

// leastRidge is the ridge of at most so many degrees of freedom, by bisection of its
// logarithm: they fall with it.
func leastRidge(p *rls.Path, freedom float64) float64 {
	top := p.Eigenvalues()[len(p.Eigenvalues())-1]
	lo, hi := math.Log(top)-35, math.Log(top)+5 // 6e-16 and 150 times
	for range 50 {
		mid := (lo + hi) / 2
		if p.DegreesOfFreedom(math.Exp(mid)) > freedom {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(hi)
}
