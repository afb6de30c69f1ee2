package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
)

// lapSVR is Laplacian support vector regression.
func lapSVR() Method {
	k := machine{id: "lap-svr", family: Warped, losses: tubes(), baseline: "svr"}
	return k.method(Method{
		Title:   "Laplacian support vector regression",
		Formula: "minimise 1/l sum_i max(0, |y_i - f(x_i) - b| - epsilon) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
		About:   "semi-supervised regression: svr with the kernel warped as for lap-rls",
		Cost:    "as lap-rls, and a dual problem of the labelled rows alone",
		Source:  cite.Sindhwani + ", 2.9 names it", SciKit: "none",
		Example:  "mercer fit sinc --method lap-svr --labels 20",
		For:      numbers,
		Settings: k.settings(epsilon, augmented, solverOf([]string{conjugate, "fista", "fista-restart"})),
	})
}
