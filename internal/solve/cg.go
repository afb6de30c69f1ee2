package solve

// Problem   A X = B, A symmetric positive definite (n x n), given as an
//           operator; B has k columns, each with its own step sizes.
// Method    conjugate gradients preconditioned by M ~ A^-1.
// Cost      one product with A and one with M an iteration for all columns,
//           O(n k) besides; memory four n x k blocks.
// Source    Hestenes and Stiefel, J. Res. Nat. Bur. Standards 49 (1952);
//           Saad, Iterative Methods for Sparse Linear Systems (2003), alg. 9.1.

import (
	"cmp"
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
	limit := orLimit(o.MaxIterations, max(100, 10*n))
	c := newConjugate(a, x, b, o)
	res := &c.res
	done := c.residual()
	c.begin()
	for restarted := false; ; {
		switch {
		case done:
			res.Status = ResidualSmall
			return *res, nil
		case res.Iterations >= limit:
			res.Status = BudgetSpent
			c.residual()
			return *res, nil
		case ctx.Err() != nil:
			c.residual()
			return *res, ctx.Err()
		}
		res.Iterations++
		if !c.forward() {
			res.Status = Indefinite
			c.residual()
			return *res, nil
		}
		if !relative(c.rr, c.norm, c.tol) {
			c.turn()
			continue
		}
		if done = c.residual(); done {
			continue
		}
		if restarted {
			res.Status = NoProgress
			return *res, nil
		}
		// The recursion drifted: go on once from the true residual.
		restarted = true
		c.begin()
	}
}

// conjugate is the state of CG. A vector has an entry a column.
type conjugate struct {
	a, m          Apply // m is nil for none
	x, b          *mat.Dense
	r, z, p, ap   *mat.Dense // residuals, M r, directions, A p; z is r without M
	norm          []float64  // |b|, 1 where b = 0
	rr            []float64  // |r| relative to norm, by the recursion
	rz, old, step []float64  // r'z, that of the iteration before, and step sizes
	tol           float64
	res           CGResult
}

func newConjugate(a Apply, x, b *mat.Dense, o CGOptions) *conjugate {
	n, k := b.Dims()
	c := &conjugate{
		a: a, m: o.Precondition, x: x, b: b,
		r: mat.NewDense(n, k, nil), p: mat.NewDense(n, k, nil), ap: mat.NewDense(n, k, nil),
		norm: make([]float64, k), rr: make([]float64, k), rz: make([]float64, k), old: make([]float64, k), step: make([]float64, k),
		tol: cmp.Or(o.Tolerance, 1e-10), res: CGResult{Residual: make([]float64, k)},
	}
	c.z = c.r
	if c.m != nil {
		c.z = mat.NewDense(n, k, nil)
	}
	columnDots(c.norm, b, b)
	for j := range c.norm {
		if c.norm[j] = math.Sqrt(c.norm[j]); c.norm[j] == 0 {
			c.norm[j] = 1
		}
	}
	return c
}

// residual fills r and the certificate; true when every column is below the tolerance.
func (c *conjugate) residual() bool {
	c.a(c.ap, c.x)
	c.r.Sub(c.b, c.ap)
	columnDots(c.res.Residual, c.r, c.r)
	return relative(c.res.Residual, c.norm, c.tol)
}

// precondition sets z = M r and r'z.
func (c *conjugate) precondition() {
	if c.m != nil {
		c.m(c.z, c.r)
	}
	columnDots(c.rz, c.r, c.z)
}

// begin starts the recursion at the true residual.
func (c *conjugate) begin() {
	copy(c.rr, c.res.Residual)
	c.precondition()
	c.p.Copy(c.z)
}

// forward steps to the minimum along each direction: x += s p and r -= s A p with
// s = r'z/p'Ap. It is false, and x stays, where A or M is not positive definite.
func (c *conjugate) forward() bool {
	c.a(c.ap, c.p)
	columnDots(c.step, c.p, c.ap)
	for j, curve := range c.step {
		if c.rr[j] <= c.tol { // this column rests
			c.step[j] = 0
			continue
		}
		if !(curve > 0) || !(c.rz[j] > 0) {
			return false
		}
		c.step[j] = c.rz[j] / curve
	}
	addColumns(c.x, c.step, c.p)
	for j := range c.step {
		c.step[j] = -c.step[j]
	}
	addColumns(c.r, c.step, c.ap)
	columnDots(c.rr, c.r, c.r)
	return true
}

// turn makes the next directions: p = z + beta p, beta = r'z over that before.
func (c *conjugate) turn() {
	copy(c.old, c.rz)
	c.precondition()
	for j := range c.step {
		c.step[j] = 0
		if c.old[j] > 0 {
			c.step[j] = c.rz[j] / c.old[j]
		}
	}
	n, _ := c.p.Dims()
	for i := range n {
		pi, zi := c.p.RawRowView(i), c.z.RawRowView(i)
		for j := range pi {
			pi[j] = zi[j] + c.step[j]*pi[j]
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
