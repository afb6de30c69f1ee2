package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// graphDensity is the support vector machine with a kernel of path lengths.
func graphDensity() Method {
	d := transductive{
		specific: []setting.Setting{softness, pathNeighbours, pathWidth},
		machine:  machine{id: "graph-density", family: Transductive, losses: []string{"hinge", "squared-hinge"}},
		stops:    machine{losses: []string{"hinge", "squared-hinge"}}.tolerance(),
		numbers:  descentNumbers,
		training: func(n float64, _ task.Request) Work { return cost.Product(n, n, 1) }, // few labels
		prepared: coordinates,
		paths:    &pathSpace{},
	}
	return d.method(Method{
		Title: "support vector machine on path lengths",
		Formula: lines("k(i, j) = exp(-D_ij / (2 sigma^2)),  D_ij = (1/rho log(1 + min over paths from i to j sum (exp(rho d) - 1)))^2,",
			"d the length of an edge between near rows; then svm or l2-svm"),
		About: "the unlabelled rows say which rows are near each other, and take no other part; negative eigenvalues of the kernel " +
			"are set to " +
			"zero; new rows take the function of least norm of the Laplacian kernel through the outputs of the rows",
		Cost: "n x n numbers seven times; n searches over the graph, an eigendecomposition of all rows a width, and machines of the " +
			"labelled rows",
		Source:   chapelleZien + ", algorithm 1, as compared by " + cite.Sindhwani + ", table 2.6",
		SciKit:   "none",
		Example:  "mercer fit two-moons:labelled=1 --method graph-density --tune none",
		Settings: d.settings(),
	})
}
