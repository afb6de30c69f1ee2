package solve

// Problem   A X = B, A symmetric positive definite (n x n), given as an
//           operator; B has k columns, each with its own step sizes.
// Method    conjugate gradients preconditioned by M ~ A^-1.
// Cost      one product with A and one with M an iteration for all columns,
//           O(n k) besides; memory four n x k blocks.
// Source    Hestenes and Stiefel, J. Res. Nat. Bur. Standards 49 (1952);
//           Saad, Iterative Methods for Sparse Linear Systems (2003), alg. 9.1.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Apply is a linear operator on the columns of x: dst = A x. dst and x never
// share memory and have the same shape.
type Apply func(dst, x *mat.Dense)

// CGOptions tunes CG.
type CGOptions struct {
	MaxIterations int     // default max(100, 10 n)
	Tolerance     float64 // stop: |b - A x| / |b| of every column; default 1e-10
	Precondition  Apply   // M, symmetric positive definite; nil for none
}

// CGResult is the answer of CG. Residual is the certificate, |b - A x| / |b| of
// each column, computed from the returned X and not from the recursion
// (|b - A x| where b = 0).
type CGResult struct {
	Residual   []float64
	Iterations int
	Status     Status
}

// CG solves A X = B for all columns of B at once. x holds the start (zeros if
// nothing is known) and receives the answer. Columns that have converged rest
// while the others go on. Status is ResidualSmall, BudgetSpent, Indefinite
// (a direction p with p'Ap <= 0: A, or M, is not positive definite), or
// NoProgress when the recursion reached the tolerance but the certificate did
// not. The error is the context's.
func CG(ctx context.Context, a Apply, x, b *mat.Dense, o CGOptions) (CGResult, error) {
	n, k := b.Dims()
	if r, c := x.Dims(); r != n || c != k {
		panic(fmt.Sprintf("solve: X is %d x %d, B %d x %d", r, c, n, k))
	}
	limit, tol := orLimit(o.MaxIterations, max(100, 10*n)), orDefault(o.Tolerance, 1e-10)
	r, p, ap := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	z := r
	if o.Precondition != nil {
		z = mat.NewDense(n, k, nil)
	}
	norm, rz, old, step := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	res := CGResult{Residual: make([]float64, k)}
	columnDots(norm, b, b)
	for j := range norm {
		if norm[j] = math.Sqrt(norm[j]); norm[j] == 0 {
			norm[j] = 1
		}
	}
	// residual fills r and the certificate; true when every column is below tol.
	residual := func() bool {
		a(ap, x)
		r.Sub(b, ap)
		columnDots(res.Residual, r, r)
		return relative(res.Residual, norm, tol)
	}
	precondition := func() {
		if o.Precondition != nil {
			o.Precondition(z, r)
		}
		columnDots(rz, r, z)
	}
	done := residual()
	precondition()
	p.Copy(z)
	rr := append([]float64(nil), res.Residual...)
	restarted := false
	for {
		switch {
		case done:
			if res.Status == Unfinished {
				res.Status = ResidualSmall
			}
			return res, nil
		case res.Iterations >= limit:
			res.Status = BudgetSpent
			residual()
			return res, nil
		case ctx.Err() != nil:
			residual()
			return res, ctx.Err()
		}
		res.Iterations++
		a(ap, p)
		columnDots(step, p, ap)
		for j := range step {
			if rr[j] <= tol { // this column rests
				step[j] = 0
				continue
			}
			if !(step[j] > 0) || !(rz[j] > 0) {
				res.Status = Indefinite
				residual()
				return res, nil
			}
			step[j] = rz[j] / step[j]
		}
		addColumns(x, step, p)
		for j := range step {
			step[j] = -step[j]
		}
		addColumns(r, step, ap)
		columnDots(rr, r, r)
		if relative(rr, norm, tol) {
			if done = residual(); done {
				continue
			}
			if restarted {
				res.Status = NoProgress
				return res, nil
			}
			// The recursion drifted: go on once from the true residual.
			restarted = true
			copy(rr, res.Residual)
			precondition()
			p.Copy(z)
			continue
		}
		copy(old, rz)
		precondition()
		for j := range step {
			step[j] = 0
			if old[j] > 0 {
				step[j] = rz[j] / old[j]
			}
		}
		for i := range n { // p = z + beta p
			pi, zi := p.RawRowView(i), z.RawRowView(i)
			for j := range pi {
				pi[j] = zi[j] + step[j]*pi[j]
			}
		}
	}
}

// columnDots sets dst_j = sum_i x_ij y_ij.
func columnDots(dst []float64, x, y *mat.Dense) {
	for j := range dst {
		dst[j] = 0
	}
	n, _ := x.Dims()
	for i := range n {
		xi, yi := x.RawRowView(i), y.RawRowView(i)
		for j := range dst {
			dst[j] += xi[j] * yi[j]
		}
	}
}

// addColumns adds s_j times column j of y to x.
func addColumns(x *mat.Dense, s []float64, y *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		xi, yi := x.RawRowView(i), y.RawRowView(i)
		for j := range s {
			xi[j] += s[j] * yi[j]
		}
	}
}

// relative turns squared norms into norms relative to norm; true when all are at
// most tol.
func relative(r, norm []float64, tol float64) bool {
	all := true
	for j := range r {
		r[j] = math.Sqrt(r[j]) / norm[j]
		all = all && r[j] <= tol
	}
	return all
}
