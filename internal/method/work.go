package method

import (
	"time"

	"github.com/mercer-ml/mercer/internal/choose"
	host "github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search"
)

// Work counts what a fit does, by what limits its speed. The counts are of algorithms as they are
// written; factors beside them say what they reach of the machine's speed, as tools/lab/forecast measures
// it.
type Work struct {
	Products float64 // floating point operations of matrix products and factorisations
	Values   float64 // values of a kernel
	Passes   float64 // bytes of tables that are read or written once, and 8 for each operation on a single number
}

// plus adds up.
func (w Work) plus(others ...Work) Work {
	for _, o := range others {
		w.Products += o.Products
		w.Values += o.Values
		w.Passes += o.Passes
	}
	return w
}

// times repeats.
func (w Work) times(v float64) Work {
	return Work{w.Products * v, w.Values * v, w.Passes * v}
}

// Time is how long the work takes at a speed.
func (w Work) Time(s host.Speed) time.Duration {
	return time.Duration(float64(time.Second) * min(w.Products/s.Products+w.Values/s.Values+w.Passes/s.Passes, longest.Seconds()))
}

// longest is where a forecast ends: a year, below what a time.Duration holds.
const longest = 365 * 24 * time.Hour

// gramWork is a table of n x m kernel values of rows with d columns.
func gramWork(n, m, d float64) Work {
	return Work{Products: 2 * n * m * d, Values: n * m, Passes: 16 * n * m}
}

// eigenWork decomposes a symmetric n x n matrix: 4/3 n^3 operations to tridiagonal form, of which half
// read a triangle of the shrinking matrix for every column, 4/3 n^3 bytes but for what caches hold, and
// some 4 n^3 for the vectors.
func eigenWork(n float64) Work {
	return Work{Products: 14. / 3 * n * n * n, Passes: n * n * n}
}

// choleskyWork factors a positive definite n x n matrix.
func choleskyWork(n float64) Work { return Work{Products: n * n * n / 3, Passes: 16 * n * n} }

// productWork multiplies n x m by m x c.
func productWork(n, m, c float64) Work {
	return Work{Products: 2 * n * m * c, Passes: 8 * n * m}
}

// size are the numbers of a task.Size as work counts them.
type size struct{ n, l, d, c float64 }

func sizeOf(s task.Size) size {
	z := size{n: float64(s.Rows), l: float64(s.Labelled), d: float64(s.Features), c: float64(s.Outputs)}
	if s.Sparse {
		z.d = s.Stored / max(z.n, 1) // an inner product costs the values that are there
	}
	return z
}

// ridges is how many are tried: half decades, see package design.
func (z size) ridges(r task.Request) float64 {
	switch {
	case r.Values.Given(task.Lambda) || r.Values.Given(task.C) || r.Values.Given(task.GammaA) || r.Scoring.None:
		return 1
	case z.c == 1:
		return 21
	}
	return 13
}

// judgeWork is the score of left-out outputs: probabilities of every row, fitted by some steps.
func (z size) judgeWork() Work { return Work{Passes: 5e3 * z.l * z.machines()} }

// pathWork decomposes the labelled block and scores a path of ridges on it.
func (z size) pathWork(r task.Request) Work {
	each := productWork(z.l, z.l, z.c).plus(z.judgeWork(), Work{Passes: 16 * z.l * z.l})
	if f := float64(r.Scoring.Folds); f > 0 {
		// The inverse, and the factors of its blocks.
		each = each.plus(Work{Products: z.l * z.l * z.l, Passes: 8 * z.l * z.l}, choleskyWork(z.l/f).times(f))
	}
	return eigenWork(z.l).plus(each.times(z.ridges(r)))
}

// squareMachine is a machine of least squares on a kernel of its own: the labelled block, its path, and
// the outputs of all rows.
func (z size) squareMachine(r task.Request) Work {
	return gramWork(z.l, z.l, z.d).plus(z.pathWork(r), gramWork(z.n-z.l, z.l, z.d), productWork(z.n, z.l, z.c))
}

// rowWork is what is done with every row besides: scaling, distances between some of them, measures and
// probabilities.
func (z size) rowWork() Work { return Work{Passes: 20e3 * z.n} }

// machines is how many machines of two classes, or of numbers, there are in all.
func (z size) machines() float64 {
	if z.c == 2 {
		return 1
	}
	return z.c
}

// graphWork finds neighbours: all distances, and a selection in each row of them.
func (z size) graphWork() Work {
	return Work{Products: 2 * z.n * z.n * z.d, Passes: 16 * z.n * z.n}
}

// warpWork factors the system of a graph with k neighbours under a Laplacian of a degree, and
// gives the columns of the labelled rows.
func (z size) warpWork(k, degree float64) Work {
	edges := z.n * (1 + 1.5*k) // both ends choose about half of them
	w := choleskyWork(z.n).plus(Work{Passes: 5 * degree * edges * z.n})
	if int(degree)%2 != 0 { // a factor of the kernel's matrix and the product with it, or LU with its copies
		w = w.plus(choleskyWork(z.n), Work{Products: z.n * z.n * z.n, Passes: 32 * z.n * z.n})
	}
	return w.plus(productWork(z.n, z.n, z.l).times(2), Work{Passes: 16 * z.n * z.n})
}

// planWork is what the machines of a design do, with the parts that successive ones share.
func planWork(s task.Size, r task.Request, plan []*choose.Candidate) Work {
	z := sizeOf(s)
	w := z.rowWork()
	var last *choose.Candidate
	for i, one := range plan {
		if most := budget(r); most > 0 && i >= most {
			break
		}
		if !one.HasGraph() {
			w = w.plus(z.squareMachine(r))
			continue
		}
		if last == nil {
			w = w.plus(z.graphWork())
		}
		if last == nil || last.Linear != one.Linear || last.Width != one.Width {
			w = w.plus(gramWork(z.n, z.n, z.d))
		}
		last = one
		w = w.plus(z.warpWork(float64(one.Graph.Neighbours), float64(one.Graph.Degree)), z.pathWork(r), productWork(z.n, z.n, z.c))
	}
	return w
}

// evaluations is how many points a search usually tries: those that are asked for, or, of a search
// by derivatives, as many as it takes until it converges.
func evaluations(r task.Request) float64 {
	switch {
	case r.Scoring.None:
		return 1
	case r.Recipe.Budget > 0:
		return float64(r.Recipe.Budget)
	}
	if task.Differentiates(r.Search()) {
		return 60
	}
	return search.DefaultBudget
}
