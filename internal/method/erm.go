package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

// erm is empirical risk minimisation without regularisation, by the solution of least norm.
func erm() Method {
	k := machine{id: "erm", own: func(t *task.Task) learn.Learner { return rls.MinimumNorm{Offset: t.Offset} }}
	return k.method(Method{
		Title:   "least squares of least norm",
		Formula: "minimise sum_i (y_i - f(x_i))^2, and of all minimisers ||f||:   alpha = K^+ y",
		About: "empirical risk minimisation, to see what regularisation is for: rls as lambda goes to 0; interpolates wherever " +
			"the kernel " +
			"can, noise and all",
		Cost:     "one eigendecomposition of the labelled block a kernel, and one a fold",
		Source:   cite.Rosasco + ", 3.2; " + cite.Becker + ", 1.3",
		SciKit:   "LinearRegression for the linear kernel (minimum norm where rows are fewer than columns)",
		Example:  "mercer fit sinc --method erm --tune none",
		Settings: k.settings(),
	})
}
