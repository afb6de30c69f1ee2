package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// linearAnnealing is the semi-supervised linear machine by deterministic annealing.
func linearAnnealing() Method {
	d := transductive{
		specific: []setting.Setting{temperature},
		machine:  machine{id: "linear-da", family: TransductiveLinear, losses: []string{"squared-hinge"}},
		stops:    tolerance("1e-6", ofSystems),
		solver: func(t *task.Task) s3vm.Solver {
			return linear.Annealing{Temperature: t.Values.Number(temperature), Tolerance: t.Recipe.Tolerance}
		},
		steps: 9000, // counted on two clouds in 50 columns: 8100 of 2000 rows, 9800 of 20 000
	}
	m := d.method(Method{
		Title:   "semi-supervised linear support vector machine for sparse rows, by deterministic annealing",
		Formula: transductiveFormula("max(0, 1 - t)^2"),
		About: "the labels of unlabelled rows become probabilities, whose entropy at a temperature that falls smooths the " +
			"objective; the best " +
			"machine on the way is kept; for text, in passes over the entries of the rows; the offset is the weight of a constant " +
			"feature; kernels are those of linear-tsvm",
		Cost:     "the rows and some thirty vectors; some 700 least-squares systems of some twelve steps of two passes over the entries",
		Source:   cite.Sindhwani + ", 6.4 as corrected; Sindhwani and Keerthi 2006",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 5 --method linear-da --set C=1 --tune none",
		Settings: d.settings(),
	})
	m.Design = textClusters
	return m
}
