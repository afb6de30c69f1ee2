package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
)

// combinedID is the id of the method that combines Laplacians unasked.
const combinedID = "c-lap-rls"

// cLapRLS is Laplacian regularised least squares with combined Laplacians.
func cLapRLS() Method {
	k := machine{id: combinedID, family: Combined, baseline: "rls"}
	return k.method(Method{
		Title: "Laplacian regularised least squares with combined Laplacians",
		Formula: lines("lap-rls with R = sum_j mu_j R_j/c_j,   mu_j >= 0, sum mu_j = 1,   c_j = trace(R_j)/n",
			"mu, gamma_a, gamma_i and the kernel by the gradient of the leave-one-out score, mu = softmax(z)"),
		About: "learns how much each graph counts: one for each combination of the neighbours (4,8,16,50), degrees (1,2), " +
			"Laplacians, weights, " +
			"metrics and widths that are given as lists, by every view and by all columns; lap-svm, lap-logistic and lap-svr have it by " +
			"--set combine=yes",
		Cost: "as lap-rls, and for each evaluation the products of every Laplacian with K",
		Source: cite.Becker + ", 4.2, eqs 4.4-4.6; leave-one-out as " +
			"corrected; " + cite.Sindhwani + ", table 2.7 for joint Laplacians of views",
		SciKit:   "none",
		Example:  "mercer fit g50c --labels 50 --method c-lap-rls --set neighbours=2,10,50 --set degree=1,2,5",
		Settings: k.settings(),
	})
}
