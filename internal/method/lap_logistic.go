package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
)

// lapLogistic is Laplacian logistic regression.
func lapLogistic() Method {
	k := machine{id: "lap-logistic", family: Warped, losses: []string{"logistic"}, baseline: "logistic"}
	return k.method(Method{
		Title:   "Laplacian logistic regression",
		Formula: "minimise 1/l sum_i log(1 + exp(-y_i (f(x_i) + b))) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
		About:   "semi-supervised logistic regression: logistic with the kernel warped as for lap-rls",
		Cost:    "as lap-rls, and Newton's method on the labelled rows",
		Source:  cite.Sindhwani + ", 2.4-2.5: any kernel machine with the warped kernel", SciKit: "none",
		Example:  "mercer fit digits --labels-per-class 2 --method lap-logistic",
		For:      classes,
		Settings: k.settings(augmented, within, solverOf([]string{conjugate, "fista", "fista-restart"})),
	})
}
