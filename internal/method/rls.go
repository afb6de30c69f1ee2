package method

import (
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
)

// regularisedLeastSquares is regularised least squares.
func regularisedLeastSquares() Method {
	k := machine{id: "rls"}
	return k.method(Method{
		Title: "regularised least squares",
		Formula: lines("minimise 1/l sum_i (y_i - f(x_i))^2 + lambda ||f||^2",
			"(K + l lambda I) alpha = y,   f(x) = sum_i alpha_i k(x, x_i)"),
		About: "supervised; classification by targets -1 and +1, one output a class for more than two; the offset, where " +
			"asked for, is not penalised; unlabelled rows play no part",
		Cost:     "O(l^3) for one kernel, then O(l^2) a lambda with its leave-one-out; l^2 numbers",
		Source:   cite.Becker + ", 1.3, eqs 1.27-1.29; " + cite.Sindhwani + ", 1.2.4, eq. 1.10; " + cite.Rosasco + ", 3.4",
		SciKit:   "KernelRidge(alpha = l lambda)",
		Example:  "mercer fit wine --method rls",
		Settings: k.settings(task.Lambda),
		Race:     k.squareEntrants,
		Design: func(t *task.Task, d design.Design) []*choose.Candidate {
			return append(d.Supervised(k.id), d.Clusters(k.id, t.Labelled())...)
		},
	})
}
