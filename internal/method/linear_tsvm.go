package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// switches is how many pairs exchange their labels at a time.
var switches = setting.Setting{
	Name:    "switches",
	Range:   setting.From(1),
	Default: "any number",
	About:   "the largest number of pairs of rows that exchange their labels between two trainings",
}

// linearTSVM is the transductive linear machine by the exchange of many labels at a time.
func linearTSVM() Method {
	d := transductive{
		specific: []setting.Setting{switches},
		machine:  machine{id: "linear-tsvm", family: TransductiveLinear, losses: []string{"squared-hinge"}},
		stops:    tolerance("1e-6", ofSystems),
		solver: func(t *task.Task) s3vm.Solver {
			return linear.Switching{Switches: int(t.Values.Number(switches)), Tolerance: t.Recipe.Tolerance}
		},
		steps: 5000, // counted on two clouds in 50 columns: 2400 of 2000 rows, 8100 of 20 000
	}
	return d.method(Method{
		Title:   "transductive linear support vector machine for sparse rows, by label switching",
		Formula: transductiveFormula("max(0, 1 - t)^2"),
		About: "the machine of the labels alone labels the other rows; as their weight rises, pairs of them exchange their labels " +
			"while that " +
			"lowers the objective, as many at a time as there are; for text, in passes over the entries of the rows; the offset is the " +
			"weight of a constant feature; any kernel that has features: linear, ard-linear, chi2-map, clusters, components, and " +
			"sums of them",
		Cost:     "the rows and some thirty vectors; a hundred trainings and more, of some twenty steps of two passes over the entries",
		Source:   cite.Sindhwani + ", 6.3; Sindhwani and Keerthi 2006",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 5 --method linear-tsvm --set C=1 --tune none",
		Settings: d.settings(),
	})
}
