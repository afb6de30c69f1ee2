package method

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
)

// Methods for one kind of labels.
const (
	classes = data.Classification
	numbers = data.Regression
)

// svr is support vector regression.
func svr() Method {
	k := machine{id: "svr", losses: tubes()}
	share := nu
	share.About = "the nu form: finds epsilon so that at most this share lies outside the tube"
	return k.method(Method{
		Title:   "support vector regression",
		Formula: "minimise 1/2 ||f||^2 + C sum_i max(0, |y_i - f(x_i) - b| - epsilon)",
		About: "errors below epsilon cost nothing; loss=absolute has epsilon 0, loss=squared-epsilon squares what is beyond the " +
			"tube and is " +
			"solved in the primal",
		Cost:   dualCost,
		Source: cite.Sindhwani + ", table 1.1; " + cite.Becker + ", eqs 1.2-1.3; Smola & Schoelkopf 2004",
		LIBSVM: "-s 3 -c C -p epsilon (with nu: -s 4 -n nu)", SciKit: "svm.SVR(C, epsilon), svm.NuSVR(C, nu)",
		Example:  "mercer fit sinc --method svr",
		For:      numbers,
		Race:     k.entrants,
		Settings: k.settings(task.C, epsilon, share, augmented, solverOf([]string{"fista", "fista-restart"})),
	})
}

// tubes are the losses that look at the residual alone, most of them zero in a tube about it.
func tubes() []string { return []string{"epsilon", "absolute", "squared-epsilon"} }
