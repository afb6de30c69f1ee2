package method

import "github.com/mercer-ml/mercer/internal/cite"

// coLogistic is co-regularised logistic regression.
func coLogistic() Method {
	k := machine{id: "co-logistic", family: Coupled, losses: []string{"logistic"}, baseline: "logistic"}
	return k.method(Method{
		Title: "co-regularised logistic regression",
		Formula: lines("minimise 1/2 (sum_s w_s^-1 ||f_s||^2 + coupling/n sum_i sum_{s<t} (f_s(x_i) - f_t(x_i))^2) +",
			"C sum_s sum_i log(1 + exp(-y_i f_s(x_i))),",
			"co-rls with the logistic loss, C = 1/(2 l lambda)"),
		About:    "one function for each --view, which agree on all rows",
		Cost:     "that of co-rls, and Newton's method on V l rows",
		Source:   cite.Sindhwani + ", 4.3, with another loss",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 3 --method co-logistic --view sepal=1..2 --view petal=3..4",
		For:      classes,
		Settings: k.viewSettings(),
	})
}
