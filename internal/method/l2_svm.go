package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
)

// l2SVM is the support vector machine with the squared hinge.
func l2SVM() Method {
	k := machine{id: l2ID, losses: []string{"squared-hinge"}}
	return k.method(Method{
		Title:   "support vector machine with squared hinge loss",
		Formula: "minimise 1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))^2",
		About:   "solved in the primal by Newton's method on the rows inside the margin; smooth, so its optimum is exact to rounding",
		Cost:    primalCost,
		Source:  cite.Sindhwani + ", 1.2.4, M12; Keerthi & DeCoste 2005; Chapelle 2007",
		LIBSVM:  "LIBLINEAR -s 2 for the linear kernel", SciKit: "svm.LinearSVC(loss=\"squared_hinge\") for the linear kernel",
		Example:  "mercer fit breast-cancer --method l2-svm",
		For:      classes,
		Race:     k.linearEntrants,
		Settings: k.settings(task.C, augmented, solverOf([]string{"gradient", "fista", "fista-restart"})),
	})
}
