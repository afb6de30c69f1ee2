package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// chapelleZien is the source of machines by gradients.
const chapelleZien = "Chapelle & Zien 2005"

// shareOf says how the shares of classes are met by machines that are smooth in their outputs.
var shareOf = setting.Setting{
	Name:    "share_of",
	Words:   []string{"outputs", "decisions"},
	Default: "outputs",
	About: "what has the shares that positive= asks for: the outputs, whose mean over the unlabelled rows is 2 positive - 1, or the " +
		"decisions, for which that mean is searched",
}

// decided says whether the decisions have the shares.
func decided(t *task.Task) bool { return t.Values.Is(shareOf, "decisions") }

// descending is a machine that goes down a smooth objective by gradients, in the coordinates of all rows.
func descending(id string, solver func(*task.Task) s3vm.Solver) transductive {
	return transductive{
		machine:  machine{id: id, family: Transductive, losses: []string{"squared-hinge"}},
		stops:    tolerance("1e-4", ofDescent),
		solver:   solver,
		specific: []setting.Setting{shareOf},
		numbers:  descentNumbers,
		training: descentWork,
		prepared: coordinates,
	}
}

// gradientTSVM is the transductive support vector machine by gradient descent.
func gradientTSVM() Method {
	d := descending("grad-tsvm", func(t *task.Task) s3vm.Solver {
		return s3vm.Gradient{Decisions: decided(t), Tolerance: t.Recipe.Tolerance}
	})
	return d.method(Method{
		Title:   "transductive support vector machine by gradient descent",
		Formula: descentFormula,
		About: "exp(-3 f^2) stands for the loss of the label that is decided, so that gradients lead on; the weight of the " +
			"unlabelled rows " +
			"grows from a hundredth in ten steps; the minimum is a local one; for classes that are clusters; one-versus-rest for " +
			"more classes",
		Cost: "n x n numbers four times; an eigendecomposition of all rows a kernel and some hundred products with n x n " +
			"numbers a machine",
		Source:   chapelleZien + ", 3, as compared by " + cite.Sindhwani + ", tables 3.1-3.6",
		SciKit:   "none",
		Example:  "mercer fit two-moons:labelled=1 --method grad-tsvm --set sigma=0.3 --set C=10 --tune none",
		Settings: d.settings(),
	})
}

// descentFormula is the objective of machines by gradients.
var descentFormula = lines(
	"minimise over f  1/2 ||f||^2 + C sum_i max(0, 1 - y_i f(x_i))^2 + w C l/u sum_j exp(-3 f(x_j)^2),  the mean of f(x_j) given,",
	"i the l labelled and j the u unlabelled rows",
)

// descentNumbers are vectors alone.
func descentNumbers(n float64, _ task.Request) float64 { return 60 * n }

// descentWork is that of some hundred evaluations, each a product with the coordinates and one with their transpose;
// where the decisions have the shares, of as many for several mean outputs.
func descentWork(n float64, r task.Request) Work {
	evaluations := 300.
	if r.Values.Is(shareOf, "decisions") {
		evaluations *= 3
	}
	return cost.Product(n, n, 1).Times(2 * evaluations)
}

// coordinates are those of the rows, and the workspace of their eigendecomposition.
func coordinates(n float64, _ task.Request) (numbers float64, work Work) {
	return 3 * n * n, cost.Eigen(n)
}
