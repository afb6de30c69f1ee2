package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
)

// logistic is kernel logistic regression.
func logistic() Method {
	k := machine{id: "logistic", losses: []string{"logistic"}}
	return k.method(Method{
		Title:   "kernel logistic regression",
		Formula: "minimise 1/2 ||f||^2 + C sum_i log(1 + exp(-y_i (f(x_i) + b)))",
		About:   "solved by Newton's method; outputs are log-odds",
		Cost:    primalCost,
		Source:  cite.Rosasco + ", 3.5 as corrected; " + cite.Becker + ", 1.1.4 as corrected",
		LIBSVM:  "LIBLINEAR -s 0 for the linear kernel", SciKit: "linear_model.LogisticRegression(C) for the linear kernel",
		Example:  "mercer fit wine --method logistic",
		For:      classes,
		Race:     k.rareEntrants,
		Settings: k.settings(task.C, augmented, solverOf([]string{"gradient", "fista", "fista-restart"})),
	})
}
