package method

import "github.com/mercer-ml/mercer/internal/cite"

// coLapRLS is Laplacian regularised least squares in each view, along the graphs of all.
func coLapRLS() Method {
	k := machine{id: "co-lap-rls", family: Joint, baseline: "rls"}
	return k.method(Method{
		Title: "least squares of several views along their joint graph",
		Formula: lines("minimise in every view 1/l sum_i (y_i - f_s(x_i))^2 + gamma_a ||f_s||^2 + gamma_i/(l+u)^2 f_s'R f_s",
			"R = (1/q sum_v L_v)^degree, or (sum_v mu_v L_v)^degree, over the graphs of the views and of all columns"),
		About: "one function for each --view, each smooth along the graphs of all views; a row is predicted by the mean of the " +
			"views that it " +
			"has; coupling above 0 makes the functions agree besides; combine=yes learns a weight for each graph",
		Cost:     "a graph and a factorisation n^3 for each view",
		Source:   cite.Sindhwani + ", 4.3, Co-LapRLS",
		SciKit:   "none",
		Example:  "mercer fit iris --labels-per-class 3 --method co-lap-rls --view sepal=1..2 --view petal=3..4",
		Settings: k.viewSettings(),
	})
}
