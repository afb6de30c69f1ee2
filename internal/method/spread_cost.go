package method

import (
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
)

// solutions are what a method that spreads labels computes on each of its graphs.
type solutions struct {
	machines   float64 // algorithms
	columns    float64 // of the systems of one of them, of all trainings and labels left out
	block      float64 // columns that are solved for at a time
	iterations float64 // of conjugate gradients for each column
	direct     float64 // rows up to which systems are factored in the place of that
	vectors    float64 // eigenvectors
	spheres    float64 // decompositions of as many rows as there are eigenvectors
}

// leavings is how many trainings a machine takes for its score, each for all outputs, and how many labels it
// leaves out in closed form.
func leavings(z size, r task.Request) (again, closed float64) {
	switch {
	case r.Scoring.None:
		return 0, 0
	case r.Scoring.Share > 0:
		return 1, 0
	case r.Scoring.Folds > 0:
		return float64(r.Scoring.Folds), 0
	}
	return 0, z.l
}

// systems are the solutions of machines that solve systems of the graph for c columns.
func systems(s task.Size, r task.Request, machines, c, iterations, direct float64) solutions {
	again, closed := leavings(sizeOf(s), r)
	return solutions{machines: machines, columns: c*(1+again) + closed, block: max(c, min(64, closed, panelOf(s))),
		iterations: iterations, direct: direct}
}

// walking is how many iterations conjugate gradients take for functions that are smooth along a graph of n
// rows, as measured on digits and two-moons of 5000, 20 000 and 100 000 rows: levels (package propagate) make
// the number grow with the fourth root of the rows in the place of the root.
func walking(n int) float64 {
	if n < 4000 {
		return 4.4 * math.Sqrt(float64(n))
	}
	return 280 * math.Pow(float64(n)/1e5, 0.25)
}

// panelOf is the number of columns that package propagate solves for at a time.
func panelOf(s task.Size) float64 { return max(1, math.Floor((1<<21)/float64(max(s.Rows, 1)))) }

// graphsOf are the graphs of the method.
func (k spread) graphsOf(s task.Size, r task.Request) (list []graph.Recipe, neighbours, edges float64) {
	n := float64(s.Rows)
	s.Rows = max(s.Rows, 2)
	list = k.graphs(r, s)
	for _, g := range list {
		neighbours = max(neighbours, float64(g.Neighbours))
	}
	edges = n * (1 + 1.5*neighbours) // both ends choose about half of them
	if list[0].Kind != graph.NearestNeighbours {
		edges = min(n*n, 5e7)
	}
	return list, neighbours, edges
}

// bytes are those of the neighbours, of the graph and its Laplacian, and of the solutions.
func (k spread) bytes(s task.Size, r task.Request) float64 {
	z, w := sizeOf(s), k.solved(s, r)
	_, neighbours, edges := k.graphsOf(s, r)
	// Lists, and the transposes that make them symmetric; lengths, weights and shares of edges, which grow as they
	// are found; two copies of a Laplacian.
	t := z.n*neighbours*6 + edges*7
	if z.n <= w.direct {
		// The factor, and the one before, which lies until garbage is collected. On two processors with a load of
		// twenty, and linear algebra by OpenBLAS, 11 of 100 fits of graph-reg to 1500 rows took more than a forecast with half of
		// the one before, by up to 13 %; with all of it 1 of 54 did, by 1 %.
		t += 2*z.n*z.n + 2*64*z.n
	}
	// Of conjugate gradients seven blocks; the outputs of two machines, of the best as the model has them too.
	t += 9*z.n*w.block + 6*z.n*z.c + 20*z.n
	if z.n > 4000 {
		t += 800 * 800
	}
	t += 12*z.n*1.5*w.vectors + w.vectors*w.vectors*4
	t += min(z.n*z.n, max(1<<20, 50*z.n), 1<<22) // weights of the width for new rows
	b := 8 * (t + 2*s.Stored + columnNumbers(s, r)*float64(s.Features))
	if compared(s, r) {
		b += 8 * (6*z.l*z.l + panelRows*z.l + 8*z.n*z.c)
	}
	return b
}

// work is the search for neighbours, the solutions on each graph, the width for new rows and the baseline.
func (k spread) work(s task.Size, r task.Request) Work {
	z, v := sizeOf(s), k.solved(s, r)
	graphs, _, edges := k.graphsOf(s, r)
	each := Work{Passes: 8 * 20 * edges}
	if z.n <= v.direct {
		one := cost.Cholesky(z.n).Plus(Work{Products: 2 * z.n * z.n * v.columns, Passes: 4 * edges * z.n})
		each = each.Plus(one.Times(v.machines))
	} else if v.columns > 0 {
		each = each.Plus(Work{Passes: 8 * v.machines * v.columns * v.iterations * (edges/2 + 4*z.n)})
	}
	if d := v.vectors; d > 0 {
		each = each.Plus(Work{Products: 40 * z.n * d * d, Passes: 8 * 200 * d * edges}, cost.Eigen(d).Times(v.spheres))
	}
	w := z.rowWork().Plus(k.neighbourWork(z), each.Times(float64(len(graphs))))
	if !r.Values.Given(inductionWidth) {
		values := min(z.n*z.n, max(1<<20, 50*z.n))
		w = w.Plus(Work{Products: 2 * values * z.d, Passes: 250 * values}.Times(13)) // exponentials one by one
	}
	if compared(s, r) {
		w = w.Plus(z.squareMachine(r).Times(5))
	}
	return w
}

// neighbourWork finds neighbours: exactly, or nearly.
func (k spread) neighbourWork(z size) Work {
	if z.n <= 50_000 {
		return z.graphWork()
	}
	return Work{Passes: 8 * 5000 * z.n * (z.d + 8)} // as measured with two columns
}
