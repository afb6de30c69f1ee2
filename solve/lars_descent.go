package solve

// Problem   min |y - H alpha|^2 + lambda |alpha|_1 for one lambda, as lars.go.
// Method    coordinate descent: alpha_j <- S(h_j'r + |h_j|^2 alpha_j, lambda/2)/|h_j|^2,
//           S(x, t) = sign(x) max(|x| - t, 0), over all columns, then over the non-zero
//           ones until they rest, then over all again.
// Certificate  the duality gap SSE + lambda|alpha|_1 - (|y|^2 - |y - theta|^2), where
//           theta = r min(1, (lambda/2)/max|h_j'r|) is feasible, relative to |y|^2.
// Cost      2 n m a sweep over all. No factorisation: what the path is compared with,
//           and what is left where a thousand active columns are too many for one.
// Source    Friedman, Hastie and Tibshirani, J. Stat. Software 33 (2010).

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// DescentOptions bounds LassoDescent.
type DescentOptions struct {
	Tolerance float64 // of the duality gap, relative to |y|^2; default 1e-12
	MaxSweeps int     // default 100 000
}

// DescentResult is the answer of LassoDescent. Gap is the certificate.
type DescentResult struct {
	SSE, L1, Gap float64
	NonZero      int
	Sweeps       int
	Status       Status // ResidualSmall, BudgetSpent
}

// LassoDescent minimises from alpha, which it overwrites by the answer. The error is
// the context's; a length that does not fit panics.
func LassoDescent(ctx context.Context, x StoredColumns, y []float64, lambda float64, alpha []float64, o DescentOptions) (DescentResult, error) {
	n, m := x.Dims()
	if len(y) != n || len(alpha) != m || !(lambda >= 0) {
		panic(fmt.Sprintf("solve: %d targets and %d coefficients for %d columns of %d values, lambda %g", len(y), len(alpha), m, n, lambda))
	}
	tol, limit := orDefault(o.Tolerance, 1e-12), orLimit(o.MaxSweeps, 100_000)
	r := append([]float64(nil), y...)
	norm := make([]float64, m)
	for j := range m {
		h := vector(x.T.RawRowView(j))
		norm[j] = blas64.Dot(h, h)
		blas64.Axpy(-alpha[j], h, vector(r))
	}
	yy := blas64.Dot(vector(y), vector(y))
	var res DescentResult
	// sweep returns the greatest change of |h_j| alpha_j.
	sweep := func(all bool) float64 {
		var change float64
		for j, a := range alpha {
			if norm[j] == 0 || !all && a == 0 {
				continue
			}
			h := vector(x.T.RawRowView(j))
			b := blas64.Dot(h, vector(r)) + norm[j]*a
			b = math.Copysign(max(math.Abs(b)-lambda/2, 0), b) / norm[j]
			if b != a {
				blas64.Axpy(a-b, h, vector(r))
				alpha[j] = b
				change = max(change, math.Abs(a-b)*math.Sqrt(norm[j]))
			}
		}
		res.Sweeps++
		return change
	}
	rest := 1e-15 * math.Sqrt(yy)
	for {
		var most float64
		res.L1, res.NonZero = 0, 0
		for j, a := range alpha {
			most = max(most, math.Abs(blas64.Dot(vector(x.T.RawRowView(j)), vector(r))))
			if a != 0 {
				res.L1 += math.Abs(a)
				res.NonZero++
			}
		}
		scale := 1.0
		if most > lambda/2 {
			scale = lambda / 2 / most
		}
		res.SSE = 0
		var apart float64
		for i, v := range r {
			res.SSE += v * v
			apart += (y[i] - scale*v) * (y[i] - scale*v)
		}
		if res.Gap = 0; yy > 0 {
			res.Gap = (res.SSE + lambda*res.L1 - yy + apart) / yy
		}
		switch {
		case ctx.Err() != nil:
			return res, ctx.Err()
		case res.Gap <= tol:
			res.Status = ResidualSmall
			return res, nil
		case res.Sweeps >= limit:
			res.Status = BudgetSpent
			return res, nil
		}
		sweep(true)
		for range 100 {
			if res.Sweeps >= limit || sweep(false) <= rest {
				break
			}
		}
	}
}
