package method

import "github.com/mercer-ml/mercer/internal/cite"

// coLapSVM is the Laplacian support vector machine in each view, along the graphs of all.
func coLapSVM() Method {
	k := machine{id: "co-lap-svm", family: Joint, losses: margins(), baseline: svmID}
	return k.method(Method{
		Title: "support vector machines of several views along their joint graph",
		Formula: "co-lap-rls with the hinge: minimise in every view " +
			"1/l sum_i max(0, 1 - y_i f_s(x_i)) + gamma_a ||f_s||^2 + gamma_i/(l+u)^2 f_s'R f_s",
		About:    "one function for each --view, each smooth along the graphs of all views",
		Cost:     "that of co-lap-rls, and the dual of V l rows",
		Source:   cite.Sindhwani + ", 4.3, Co-LapSVM",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 3 --method co-lap-svm --view sepal=1..2 --view petal=3..4",
		For:      classes,
		Settings: k.viewSettings(),
	})
}
