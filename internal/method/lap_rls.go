package method

import (
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
)

// lapRLS is Laplacian regularised least squares.
func lapRLS() Method {
	k := machine{id: "lap-rls", family: Warped, baseline: "rls"}
	return k.method(Method{
		Title: "Laplacian regularised least squares",
		Formula: lines("minimise 1/l sum_i (y_i - f(x_i))^2 + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
			"(J K + a I + g R K) alpha = J y,   a = l gamma_a,  g = l gamma_i/(l+u)^2,  R = L^degree",
			"solved as rls with the kernel warped by M = (g/a) R: k(x,z) - k_x'(I + M K)^-1 M k_z"),
		About: "semi-supervised: the function is smooth along a graph of all rows, labelled or not; gamma_i = 0 is rls; " +
			"new rows are predicted as by any kernel machine",
		Cost: "graph n^2 d, one factorisation n^3 for each kernel and graph, n^2 l for the gradient; about 3 n^2 numbers",
		Source: cite.Sindhwani + ", 2.3.1, eq. 2.12; warped kernel 2.4-2.5, eq. 2.22; " + cite.Becker +
			", 3.3, eq. 3.19 as corrected, 3.2.2 for the kernel; Belkin, Niyogi & Sindhwani 2006",
		SciKit:   "none; KernelRidge(alpha = a, kernel=\"precomputed\") on the warped kernel is the same machine",
		Example:  "mercer fit two-moons:labelled=1 --method lap-rls --set neighbours=6",
		Settings: k.settings(within, solverOf([]string{conjugate})),
		Design: func(t *task.Task, d design.Design) []*choose.Candidate {
			plan := d.Graphs(k.id)
			if len(t.Recipe.Views) > 0 {
				plan = append(plan, joinedViews(t, simple(d.Graphs(k.id)))...)
			}
			return plan
		},
	})
}

// simple keeps the candidates whose graph has the usual edges and weights, as most of those of a design do.
func simple(plan []*choose.Candidate) []*choose.Candidate {
	return slices.DeleteFunc(plan, func(c *choose.Candidate) bool { return c.Graph.Symmetry != graph.Union || c.Graph.Width < 1 })
}
