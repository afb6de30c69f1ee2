package method

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// oneClassID is the id of the method that learns without classes.
const oneClassID = "one-class"

// oneClass is the one-class support vector machine.
func oneClass() Method {
	k := machine{id: oneClassID, family: OneClass, losses: []string{oneClassID}}
	m := k.method(Method{
		Title:   "one-class support vector machine",
		Formula: "minimise 1/2 ||f||^2 - rho + 1/(nu n) sum_i max(0, rho - f(x_i))",
		About: "finds where the rows are, without labels: the prediction is 1 for rows like them and -1 for others; rows labelled -1 are " +
			"left out of training; nothing is tuned",
		Cost:   dualCost,
		Source: "Schoelkopf, Platt, Shawe-Taylor, Smola & Williamson 2001",
		LIBSVM: "-s 2 -n nu", SciKit: "svm.OneClassSVM(nu)",
		Example: "mercer fit wine --method one-class --set nu=0.05",
		For:     classes,
		Rules:   []rule{nothingTuned, oneClassOnly},
	})
	share := nu
	share.Default, share.About = "0.1", "at most this share of the rows is left outside, at least this share are support vectors"
	m.Settings = []setting.Setting{share, tolerance("1e-3", ofDual), task.Kernel, task.Groups, task.Tune, task.Search}
	return m
}

// nothingTuned refuses every score, because there are no labels to judge parameters by.
func nothingTuned(r task.Request) string {
	return when(r.Recipe.Tune != "" && r.Recipe.Tune != "auto" && !r.Scoring.None || r.Search() != "auto",
		"--method one-class has no labels to be tuned by; leave out --tune and --search, and give --set nu and sigma")
}

// oneClassOnly refuses numbers: labels are not read but for -1.
func oneClassOnly(r task.Request) string {
	return when(
		r.Recipe.Task == data.Regression.String(),
		"--task %s with --method one-class: it learns one class; leave it out",
		r.Recipe.Task,
	)
}
