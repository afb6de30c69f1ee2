package method

import "github.com/mercer-ml/mercer/internal/cite"

// coRLS is co-regularised least squares.
func coRLS() Method {
	k := machine{id: "co-rls", family: Coupled, baseline: "rls"}
	return k.method(Method{
		Title: "co-regularised least squares",
		Formula: lines("minimise 1/l sum_s sum_i (y_i - f_s(x_i))^2 + "+
			"lambda (sum_s w_s^-1 ||f_s||^2 + coupling/n sum_i sum_{s<t} (f_s(x_i) - f_t(x_i))^2)",
			"rls on the stacked rows of all views with G = (K^-1 + coupling/n L)^-1, K block diagonal, L the graph of the "+
				"descriptions of a row"),
		About: "one function for each --view, which agree on all rows, labelled or not; w_s is the view's weight; rows may lack " +
			"views, and a " +
			"row is predicted by the mean of the views that it has; gamma_C of the source is lambda coupling",
		Cost:     "one factorisation of the (V - 1) n rows that couple V views, a kernel table of each view",
		Source:   cite.Sindhwani + ", 4.3, with the mean of the losses, which its linear system has",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 3 --method co-rls --view sepal=1..2 --view petal=3..4",
		Settings: k.viewSettings(),
		Design:   viewDesign,
	})
}
