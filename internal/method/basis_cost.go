package method

import (
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
)

// What it takes to choose the m centres of --basis among n rows (package basis), besides the machines that are trained on them. A
// chooser looks at functions, each of which is a column of n kernel values.

// looked is how many functions a chooser looks at; one that it looks at twice counts twice.
func looked(r task.Request, n, m float64) float64 {
	switch c := chooser(r).(type) {
	case basis.Greedy:
		return m * min(n, float64(c.Candidates))
	case basis.GreedyRidge:
		return m * min(n, float64(c.Candidates))
	case basis.L1:
		return min(n, float64(c.Candidates))
	case basis.Leverage:
		return min(n, 2*m) // pilots
	}
	return 0 // drawn
}

// choosingWork is that of n rows, of which none is chosen where there are no more than centres. A graph has some twelve edges a row.
func choosingWork(r task.Request, z size, n float64, graph bool) Work {
	m := min(float64(r.Centres()), n)
	if m == n {
		return Work{}
	}
	of := looked(r, n, m)
	switch chooser(r).(type) {
	case basis.Leverage:
		return cost.Gram(n, of, z.d).Plus(cost.Product(n, of, of).Times(2), cost.Eigen(of))
	case basis.L1: // columns of the Hessian
		return cost.Gram(n, of, z.d).Plus(cost.Product(m, n, of).Times(z.machines()))
	}
	// A value is made, kept, turned, multiplied by the form of the risk and by the residual; memory that is new takes as long again.
	passes := 8.0 * 30
	if graph {
		passes += 8 * 2 * 12
	}
	return cost.Gram(min(of, n), n, z.d).Plus(Work{Passes: passes * of * n}, cost.Product(m, n, z.c).Times(2))
}

// choosingBytes are those of the functions that are kept, of two copies of the candidates that are judged at a time, at most 256 of
// them (package basis), and of the centres' images, whose table doubles as it grows.
func choosingBytes(r task.Request, n float64) float64 {
	m := min(float64(r.Centres()), n)
	if m == n {
		return 0
	}
	of := looked(r, n, m)
	panel := min(of, 256)
	kept := min(of, n)
	if n*n > basis.Kept {
		kept = 0
	}
	return 8 * n * (kept + 2*panel + 2*m)
}
