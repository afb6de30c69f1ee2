// Package cost counts the work of algorithms by formulas: floating point operations, values of a kernel, and bytes. The forecasts of fits
// are made of these counts, and so is what docs/results/limit.md says that a job needs at the least. A new count is a function here.
package cost

import (
	"time"

	host "github.com/mercer-ml/mercer/internal/machine"
)

// Work counts what is done, by what limits its speed. The counts are of algorithms as they are
// written; factors beside them say what they reach of the machine's speed, as tools/lab/forecast measures
// it.
type Work struct {
	Products float64 // floating point operations of matrix products and factorisations
	Values   float64 // values of a kernel
	Passes   float64 // bytes of tables that are read or written once, and 8 for each operation on a single number
}

// Plus adds up.
func (w Work) Plus(others ...Work) Work {
	for _, o := range others {
		w.Products += o.Products
		w.Values += o.Values
		w.Passes += o.Passes
	}
	return w
}

// Times repeats.
func (w Work) Times(v float64) Work {
	return Work{w.Products * v, w.Values * v, w.Passes * v}
}

// Time is how long the work takes at a speed.
func (w Work) Time(s host.Speed) time.Duration {
	return time.Duration(float64(time.Second) * min(w.Products/s.Products+w.Values/s.Values+w.Passes/s.Passes, Longest.Seconds()))
}

// Longest is where a forecast ends: a year, below what a time.Duration holds.
const Longest = 365 * 24 * time.Hour

// Exponential is the operations of a kernel value, the multiply-adds of package vec as two each.
const Exponential = 34

// Flops are all floating point operations, those of the kernel values too.
func (w Work) Flops() float64 { return w.Products + Exponential*w.Values }

// Floor is the least time in seconds that a machine needs: it does so many operations and moves so many bytes a second, both at once.
func (w Work) Floor(flops, bytes float64) float64 { return max(w.Flops()/flops, w.Passes/bytes) }

// Gram is a table of n x m kernel values of rows with d columns. A symmetric one of n rows has m = n/2.
func Gram(n, m, d float64) Work {
	return Work{Products: 2 * n * m * d, Values: n * m, Passes: 16 * n * m}
}

// Absolute is a table of n x m kernel values of absolute differences: a difference and a sum for each column, which no multiply-add does
// in one, and which therefore count twice.
func Absolute(n, m, d float64) Work {
	return Work{Products: 4 * n * m * d, Values: n * m, Passes: 16 * n * m}
}

// Eigen decomposes a symmetric n x n matrix: 4/3 n^3 operations to tridiagonal form, of which half
// read a triangle of the shrinking matrix for every column, 4/3 n^3 bytes of which caches hold half; 4/3 n^3
// to divide and conquer, where nothing is deflated, and 2 n^3 to transform the vectors back. Roots, rotations and columns
// that are too short for panels are 400 n^2 bytes, as measured from 100 to 2500 rows.
func Eigen(n float64) Work {
	return Work{Products: 14 * n * n * n / 3, Passes: 7*n*n*n/10 + 400*n*n}
}

// Cholesky factors a positive definite n x n matrix.
func Cholesky(n float64) Work { return Work{Products: n * n * n / 3, Passes: 16 * n * n} }

// Product multiplies n x m by m x c.
func Product(n, m, c float64) Work {
	return Work{Products: 2 * n * m * c, Passes: 8 * n * m}
}

// Neighbours finds those of n rows with d columns: all distances, and a selection in each row of them.
func Neighbours(n, d float64) Work {
	return Work{Products: 2 * n * n * d, Passes: 16 * n * n}
}
