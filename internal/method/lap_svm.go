package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
)

// lapSVM is the Laplacian support vector machine.
func lapSVM() Method {
	k := machine{id: "lap-svm", family: Warped, losses: hinges(), baseline: svmID}
	return k.method(Method{
		Title: "Laplacian support vector machine",
		Formula: lines("minimise 1/l sum_i max(0, 1 - y_i (f(x_i) + b)) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
			"solved as svm with C = 1/(2 l gamma_a) and the kernel warped as for lap-rls"),
		About:  "semi-supervised; one-versus-rest for more classes; the offset is no part of f'Rf",
		Cost:   "as lap-rls, and a dual problem of the labelled rows alone",
		Source: cite.Sindhwani + ", 2.3.2, eqs 2.15-2.21; " + cite.Becker + ", 3.4 as corrected", SciKit: "none",
		Example:  "mercer fit two-moons:labelled=1 --method lap-svm --set neighbours=6",
		For:      classes,
		Settings: k.settings(lossWidth, augmented, within, solverOf([]string{conjugate, "fista", "fista-restart"})),
	})
}
