package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
)

// lsSVM is the least-squares support vector machine.
func lsSVM() Method {
	k := machine{id: "ls-svm"}
	m := k.method(Method{
		Title: "least-squares support vector machine",
		Formula: lines("[K + l lambda I  1] [alpha]   [y]",
			"[      1'       0] [  b  ] = [0],   f(x) = sum_i alpha_i k(x, x_i) + b"),
		About:    "rls with an offset that is not penalised",
		Cost:     "as rls",
		Source:   cite.Becker + ", 4.3.1 and appendix B; Suykens & Vandewalle 1999",
		SciKit:   "KernelRidge(alpha = l lambda) has no free offset",
		Example:  "mercer fit breast-cancer --method ls-svm --labels 40",
		Settings: k.settings(task.Lambda),
		Rules:    []rule{alwaysOffset},
	})
	m.Coding.Offset = true
	return m
}

// alwaysOffset refuses --offset no, because without its offset the method is rls.
func alwaysOffset(r task.Request) string {
	return when(r.Recipe.Offset == "no", "--offset no with --method %s: it is rls with an offset; choose --method rls", r.Recipe.Method)
}
