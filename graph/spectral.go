package graph

// The largest eigenvalue of R by Lanczos with full reorthogonalisation (Golub &
// Van Loan, 10.1-10.3):
//
//	R Q_m = Q_m T_m + beta_m q_{m+1} e_m',   T_m y = theta y,   residual |R Q y - theta Q y| = beta_m |y_m|
//
// from a fixed start, until the residual is below 1e-11 theta, the space is
// invariant, or m = min(n, 400). Cost: m products with a vector, n m^2 flops for
// the orthogonalisation and m x m eigenproblems at m = 10, 20, 40, ...; memory n m.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// largestEigen returns the largest eigenvalue of o and its unit eigenvector.
func largestEigen(o Operator) (float64, *mat.Dense, error) {
	n := o.Len()
	limit := min(n, 400)
	rng := rand.New(rand.NewPCG(1, 2))
	q := mat.NewDense(n, 1, nil)
	for i := range n {
		q.Set(i, 0, rng.NormFloat64())
	}
	q.Scale(1/mat.Norm(q, 2), q)
	basis := []*mat.Dense{q}
	var alpha, beta []float64
	scale := 0.0
	check := 10
	for m := 1; ; m++ {
		q := basis[m-1]
		r := mat.NewDense(n, 1, nil)
		o.MulTo(r, q)
		alpha = append(alpha, dotDense(q, r))
		// Twice is enough (Kahan; Parlett, 6.9).
		for range 2 {
			for _, b := range basis {
				axpy(r, -dotDense(b, r), b)
			}
		}
		next := mat.Norm(r, 2)
		scale = max(scale, math.Abs(alpha[m-1]), next)
		last := m == limit || next <= 1e-14*scale
		if last || m == check {
			check *= 2
			theta, y, err := topOfTridiagonal(alpha, beta)
			if err != nil {
				return 0, nil, fmt.Errorf("largest eigenvalue: %w", err)
			}
			if last || next*math.Abs(y[m-1]) <= 1e-11*theta {
				top := mat.NewDense(n, 1, nil)
				for k, b := range basis {
					axpy(top, y[k], b)
				}
				return theta, top, nil
			}
		}
		beta = append(beta, next)
		r.Scale(1/next, r)
		basis = append(basis, r)
	}
}

func topOfTridiagonal(alpha, beta []float64) (float64, []float64, error) {
	m := len(alpha)
	t := mat.NewDense(m, m, nil)
	for i, a := range alpha {
		t.Set(i, i, a)
		if i+1 < m {
			t.Set(i, i+1, beta[i])
			t.Set(i+1, i, beta[i])
		}
	}
	values, vectors := make([]float64, m), mat.NewDense(m, m, nil)
	if err := blas.SymEigen(t, values, vectors); err != nil {
		return 0, nil, err
	}
	top := 0
	for k, v := range values {
		if v > values[top] {
			top = k
		}
	}
	return values[top], mat.Col(nil, top, vectors), nil
}

// axpy adds a x to y, both n x 1.
func axpy(y *mat.Dense, a float64, x *mat.Dense) {
	ys, xs := y.RawMatrix().Data, x.RawMatrix().Data
	for i, v := range xs {
		ys[i] += a * v
	}
}
