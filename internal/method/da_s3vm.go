package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// temperature is that of an annealing that does not cool.
var temperature = setting.Setting{
	Name:    "temperature",
	Range:   setting.Positive(),
	Default: "falls from 10 by the factor 1.5 until every label is settled",
	About:   "the one weight of the entropy of the labels, against the mean loss of the unlabelled rows",
}

// annealing is the semi-supervised support vector machine by deterministic annealing.
func annealing() Method {
	k := machine{id: "da-s3vm", family: Transductive, losses: []string{"squared-hinge", "hinge", "square"}}
	d := transductive{
		specific: []setting.Setting{temperature},
		machine:  k,
		stops: tolerance(
			"1e-8; 1e-3 of hinge",
			ofGradient+", and of the hinge the largest violation of the dual's conditions, LIBSVM's meaning; the square "+
				"loss is solved directly and meets any",
		),
		solver: func(t *task.Task) s3vm.Solver {
			return s3vm.Annealing{Loss: k.lossSet(t.Values), Temperature: t.Values.Number(temperature), Tolerance: t.Recipe.Tolerance}
		},
		numbers:  annealingNumbers,
		training: annealingWork,
	}
	return d.method(Method{
		Title: "semi-supervised support vector machine by deterministic annealing",
		Formula: lines("minimise over f and y_j = -1, +1  1/2 ||f||^2 + C sum_i V(y_i f(x_i)) + w C l/u sum_j V(y_j f(x_j)),",
			"V = max(0, 1 - t)^2, i the l labelled and j the u unlabelled rows, with the share of y_j = +1 given"),
		About: "the labels of unlabelled rows become probabilities, whose entropy at a temperature that falls smooths the objective; " +
			"f and probabilities take turns; the best on the way is kept and brought to a minimum of the objective itself, the best " +
			"among its neighbours and perhaps not of all; V is the squared hinge, by loss=hinge max(0, 1 - t), by loss=square " +
			"(1 - t)^2; for classes that are clusters; one-versus-rest for more classes",
		Cost: "n x n numbers twice; one Cholesky factor of all n rows a machine and some 250 solutions with it; of the hinge a " +
			"dual of 2 n " +
			"variables 150 times",
		Source: cite.Sindhwani + ", 3.4-3.5, eqs 3.7-3.11 as corrected", SciKit: "none",
		Example:  "mercer fit two-moons:labelled=1 --method da-s3vm --set sigma=0.3 --set C=10 --tune none",
		Settings: d.settings(),
	})
}

// annealingNumbers are the factor, or the dual.
func annealingNumbers(n float64, r task.Request) float64 {
	if r.Values.Is(loss_, "hinge") {
		return tableDualNumbers(n, 2*n)
	}
	return n*n + 20*n
}

// annealingWork is that of one annealing.
func annealingWork(n float64, r task.Request) Work {
	const steps = 250
	if r.Values.Is(loss_, "hinge") {
		return Work{Passes: 150 * 60 * n * n}
	}
	return cost.Cholesky(n).Plus(Work{Passes: steps * (8*n*n + 1000*n)})
}
