package method

import (
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search"
)

// Work counts what a fit does.
type Work = cost.Work

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
	each := cost.Product(z.l, z.l, z.c).Plus(z.judgeWork(), Work{Passes: 16 * z.l * z.l})
	if f := float64(r.Scoring.Folds); f > 0 {
		// The inverse, and the factors of its blocks.
		each = each.Plus(Work{Products: z.l * z.l * z.l, Passes: 8 * z.l * z.l}, cost.Cholesky(z.l/f).Times(f))
	}
	return cost.Eigen(z.l).Plus(each.Times(z.ridges(r)))
}

// squareMachine is a machine of least squares on a kernel of its own: the labelled block, its path, and
// the outputs of all rows.
func (z size) squareMachine(r task.Request) Work {
	return cost.Gram(z.l, z.l, z.d).Plus(z.pathWork(r), cost.Gram(z.n-z.l, z.l, z.d), cost.Product(z.n, z.l, z.c))
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
func (z size) graphWork() Work { return cost.Neighbours(z.n, z.d) }

// warpWork factors the system of a graph with k neighbours under a Laplacian of a degree, and
// gives the columns of the labelled rows.
func (z size) warpWork(k, degree float64) Work {
	edges := z.n * (1 + 1.5*k) // both ends choose about half of them
	w := cost.Cholesky(z.n).Plus(Work{Passes: 5 * degree * edges * z.n})
	if int(degree)%2 != 0 { // a factor of the kernel's matrix and the product with it, or LU with its copies
		w = w.Plus(cost.Cholesky(z.n), Work{Products: z.n * z.n * z.n, Passes: 32 * z.n * z.n})
	}
	return w.Plus(cost.Product(z.n, z.n, z.l).Times(2), Work{Passes: 16 * z.n * z.n})
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
			w = w.Plus(z.squareMachine(r))
			continue
		}
		if last == nil {
			w = w.Plus(z.graphWork())
		}
		if last == nil || last.Linear != one.Linear || last.Width != one.Width {
			w = w.Plus(cost.Gram(z.n, z.n, z.d))
		}
		last = one
		w = w.Plus(z.warpWork(float64(one.Graph.Neighbours), float64(one.Graph.Degree)), z.pathWork(r), cost.Product(z.n, z.n, z.c))
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
