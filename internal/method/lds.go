package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// lowDensity is low density separation.
func lowDensity() Method {
	d := transductive{
		specific: []setting.Setting{softness, pathNeighbours, scaledWidth, leftOut, shareOf},
		machine:  machine{id: "lds", family: Transductive, losses: []string{"squared-hinge"}},
		stops:    tolerance("1e-4", ofDescent),
		solver: func(t *task.Task) s3vm.Solver {
			return s3vm.Gradient{Decisions: decided(t), Tolerance: t.Recipe.Tolerance}
		},
		numbers:  descentNumbers,
		training: func(n float64, r task.Request) Work { return descentWork(n, r).Times(0.1) }, // few coordinates
		prepared: coordinates,
		paths:    &pathSpace{scaled: true},
	}
	return d.method(Method{
		Title: "low density separation",
		Formula: lines("D_ij = (1/rho log(1 + min over paths from i to j sum (exp(rho d) - 1)))^2,  d the length of an edge "+
			"between near rows;",
			"z = classical scaling of D, divided by the root of its mean squared length;  grad-tsvm with the linear kernel on z"),
		About: "rows become points such that those joined through dense regions are near; then as grad-tsvm; new rows take the " +
			"function of " +
			"least norm of the Laplacian kernel through the outputs of the rows",
		Cost: "n x n numbers seven times; n searches over the graph, an eigendecomposition of all rows, and some hundred products " +
			"with their " +
			"few coordinates a machine",
		Source:   chapelleZien + ", algorithm 3, as compared by " + cite.Sindhwani + ", table 2.6",
		SciKit:   "none",
		Example:  "mercer fit two-moons:labelled=1 --method lds --tune none",
		Settings: d.settings(),
	})
}
