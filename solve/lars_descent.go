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
func LassoDescent(
	ctx context.Context,
	x StoredColumns,
	y []float64,
	lambda float64,
	alpha []float64,
	o DescentOptions,
) (DescentResult, error) {
	n, m := x.Dims()
	if len(y) != n || len(alpha) != m || !(lambda >= 0) {
		panic(fmt.Sprintf("solve: %d targets and %d coefficients for %d columns of %d values, lambda %g", len(y), len(alpha), m, n, lambda))
	}
	tol, limit := orDefault(o.Tolerance, 1e-12), orLimit(o.MaxSweeps, 100_000)
	d := newDescent(x, y, lambda, alpha)
	res := &d.res
	rest := 1e-15 * math.Sqrt(d.yy)
	for {
		d.certify()
		switch {
		case ctx.Err() != nil:
			return *res, ctx.Err()
		case res.Gap <= tol:
			res.Status = ResidualSmall
			return *res, nil
		case res.Sweeps >= limit:
			res.Status = BudgetSpent
			return *res, nil
		}
		d.sweep(true)
		for range 100 {
			if res.Sweeps >= limit || d.sweep(false) <= rest {
				break
			}
		}
	}
}

// descent is the state of LassoDescent.
type descent struct {
	x        StoredColumns
	y, alpha []float64
	lambda   float64
	r, norm  []float64 // y - H alpha, |h_j|^2
	yy       float64
	res      DescentResult
}

func newDescent(x StoredColumns, y []float64, lambda float64, alpha []float64) *descent {
	d := &descent{x: x, y: y, alpha: alpha, lambda: lambda, r: append([]float64(nil), y...), norm: make([]float64, len(alpha))}
	for j := range d.norm {
		h := vector(x.T.RawRowView(j))
		d.norm[j] = blas64.Dot(h, h)
		blas64.Axpy(-alpha[j], h, vector(d.r))
	}
	d.yy = blas64.Dot(vector(y), vector(y))
	return d
}

// sweep minimises over all coefficients in turn, or the non-zero ones, and returns the
// greatest change of |h_j| alpha_j.
func (d *descent) sweep(all bool) float64 {
	var change float64
	for j, a := range d.alpha {
		if d.norm[j] == 0 || !all && a == 0 {
			continue
		}
		h := vector(d.x.T.RawRowView(j))
		b := blas64.Dot(h, vector(d.r)) + d.norm[j]*a
		b = math.Copysign(max(math.Abs(b)-d.lambda/2, 0), b) / d.norm[j]
		if b != a {
			blas64.Axpy(a-b, h, vector(d.r))
			d.alpha[j] = b
			change = max(change, math.Abs(a-b)*math.Sqrt(d.norm[j]))
		}
	}
	d.res.Sweeps++
	return change
}

// certify sets what the result says of alpha.
func (d *descent) certify() {
	res := &d.res
	var most float64
	res.L1, res.NonZero = 0, 0
	for j, a := range d.alpha {
		most = max(most, math.Abs(blas64.Dot(vector(d.x.T.RawRowView(j)), vector(d.r))))
		if a != 0 {
			res.L1 += math.Abs(a)
			res.NonZero++
		}
	}
	scale := 1.0
	if most > d.lambda/2 {
		scale = d.lambda / 2 / most
	}
	res.SSE = 0
	var apart float64
	for i, v := range d.r {
		res.SSE += v * v
		apart += (d.y[i] - scale*v) * (d.y[i] - scale*v)
	}
	if res.Gap = 0; d.yy > 0 {
		res.Gap = (res.SSE + d.lambda*res.L1 - d.yy + apart) / d.yy
	}
}
