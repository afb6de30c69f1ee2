package propagate

// Problem   minimise w'G w - 2 b'w subject to w'w = n, G symmetric (d x d).
// Solution  (G - lambda I) w = b with the smallest lambda that there is: the smallest eigenvalue of
//           [G, -I; -b b'/n, G]. With G = U diag(g) U', g ascending, and beta = U'b it is g_1 - t, t the root of
//
//	          sum_j beta_j^2/(g_j - g_1 + t)^2 = n,   |beta_1|/sqrt n <= t <= |beta|/sqrt n
//
//           whose left side falls in t from infinity to zero. If beta_1 = 0 leaves it below n at t = 0, then
//           lambda = g_1 and the first eigenvector makes up the norm (the hard case; of the two signs the
//           one that makes the first entry of U_1 that is not zero positive).
// Method    Newton with bisection (solve.Root) on 1/|w(t)| - 1/sqrt n by log t, which is nearly linear in t.
// Cost      14/3 d^3 flops.
// Certificate  the larger of |(G - lambda I) w - b|/|b| and |w'w - n|/n; lambda <= g_1 by construction, and
//           then w is the minimum.
// Source    Gander, Golub & von Matt, Linear Algebra Appl. 114 (1989), sections 2 and 4.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/learn"
)

// onSphere returns the minimum w, and lambda.
func onSphere(ctx context.Context, g *mat.Dense, b []float64, n float64) ([]float64, float64, learn.Certificate, error) {
	d := len(b)
	values, vectors, rhs := make([]float64, d), mat.NewDense(d, d, nil), mat.NewVecDense(d, b)
	if err := blas.SymEigen(mat.DenseCopyOf(g), values, vectors); err != nil {
		return nil, 0, learn.Certificate{}, err
	}
	beta := mat.NewVecDense(d, nil)
	beta.MulVec(vectors.T(), rhs)
	t, err := secular(ctx, values, beta.RawVector().Data, n)
	if err != nil {
		return nil, 0, learn.Certificate{}, err
	}
	lambda := values[0] - t
	var norm float64
	for k, v := range beta.RawVector().Data {
		v = divided(v, values[k]-values[0]+t)
		beta.SetVec(k, v)
		norm += v * v
	}
	if t == 0 {
		sign := 1.0
		for k := d - 1; k >= 0; k-- {
			if v := vectors.At(k, 0); math.Abs(v) > 1e-12 {
				sign = math.Copysign(1, v)
			}
		}
		beta.SetVec(0, beta.AtVec(0)+sign*math.Sqrt(max(0, n-norm)))
	}
	w, r := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	w.MulVec(vectors, beta)
	r.MulVec(g, w)
	cert := learn.Certificate{Objective: mat.Dot(w, r) - 2*mat.Dot(rhs, w)}
	r.AddScaledVec(r, -lambda, w)
	r.SubVec(r, rhs)
	cert.Residual = max(divided(mat.Norm(r, 2), mat.Norm(rhs, 2)), math.Abs(mat.Dot(w, w)-n)/n)
	return w.RawVector().Data, lambda, cert, nil
}

// divided is a/b, and 0 for b = 0.
func divided(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// secular finds t; 0 in the hard case.
func secular(ctx context.Context, g, beta []float64, n float64) (float64, error) {
	var length float64
	for _, v := range beta {
		length += v * v
	}
	// By u = log t: the value 1/|w| - 1/sqrt n and its derivative.
	f := func(u float64) (float64, float64) {
		t := math.Exp(u)
		var sum, slope float64
		for k, v := range beta {
			gap := g[k] - g[0] + t
			sum += v * v / (gap * gap)
			slope += v * v / (gap * gap * gap)
		}
		return 1/math.Sqrt(sum) - 1/math.Sqrt(n), slope * t / (sum * math.Sqrt(sum))
	}
	hi := math.Sqrt(length / n)
	lo := max(math.Abs(beta[0])/math.Sqrt(n), 1e-15*hi)
	if hi == 0 {
		return 0, nil
	}
	if v, _ := f(math.Log(lo)); v >= 0 {
		if lo > 1e-15*hi {
			return lo, nil // beta_1 is all of beta but for rounding
		}
		return 0, nil
	}
	// The end is moved beyond rounding: f is not below zero at hi.
	r, err := solve.Root(ctx, f, math.Log(lo), math.Log(hi)+1e-12, solve.ScalarOptions{Tolerance: 1e-15})
	return math.Exp(r.X), err
}
