package method

import "github.com/mercer-ml/mercer/internal/cite"

// coSVM is the co-regularised support vector machine.
func coSVM() Method {
	k := machine{id: "co-svm", family: Coupled, losses: margins(), baseline: svmID}
	return k.method(Method{
		Title: "co-regularised support vector machine",
		Formula: lines("minimise 1/2 (sum_s w_s^-1 ||f_s||^2 + coupling/n sum_i sum_{s<t} (f_s(x_i) - f_t(x_i))^2) +",
			"C sum_s sum_i max(0, 1 - y_i f_s(x_i)),",
			"co-rls with the hinge, C = 1/(2 l lambda)"),
		About: "one function for each --view, which agree on all rows; the dual of V l margins on the coupled kernel, or the " +
			"squared hinge in the primal",
		Cost:     "that of co-rls, and the dual of V l rows",
		Source:   cite.Sindhwani + ", 4.3",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 3 --method co-svm --view sepal=1..2 --view petal=3..4",
		For:      classes,
		Settings: k.viewSettings(),
	})
}

// margins are the losses of the margin that machines of several views have.
func margins() []string { return []string{"hinge", "squared-hinge"} }
