package mercer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// Recipe is everything a fit is asked for. The zero value of a field means that
// Mercer chooses; the zero Recipe is `mercer fit DATA`. It goes to JSON and back,
// is stored in the model, and is never changed by Fit.
type Recipe struct {
	// Method: auto (default), rls, ls-svm, svm, l2-svm, logistic, svr, one-class, and with a
	// graph of all rows lap-rls, c-lap-rls, lap-svm, lap-logistic, lap-svr.
	Method string `json:"method,omitempty"`
	// Kernel: a specification as of kernel.Parse; default gaussian, linear for
	// sparse rows.
	Kernel string `json:"kernel,omitempty"`
	// Groups: auto makes a kernel of each group of columns whose standard deviations, before
	// scaling, lie in one decade, with widths and weights of their own.
	Groups string `json:"groups,omitempty"`
	// Views are parts of the columns whose graphs are joined.
	Views []View `json:"views,omitempty"`
	// Set fixes hyper-parameters and options by name: sigma, gamma, lambda,
	// C, nu, epsilon, gamma_a, gamma_i, neighbours, degree, metric, weights,
	// symmetry, laplacian, intrinsic_scale, loss, loss_width, outer,
	// per_class, solver, select,
	// combine, balance. What is not set is tuned.
	Set map[string]string `json:"set,omitempty"`
	// Tune: auto (default), loo:logloss, loo:press, loo:error, kfold:K,
	// loo:smooth-error, loo:smooth-wer, loo:smooth-f, holdout:SHARE, either with :inductive, gcv,
	// cp, aic, bic, none.
	Tune string `json:"tune,omitempty"`
	// Search: auto (default), gradient, sqp, grid, random, nelder-mead, rprop.
	Search string `json:"search,omitempty"`
	// Decision: how a member of a front is chosen, see Decisions; default cv, or gcv.
	Decision string `json:"decision,omitempty"`
	// Budget bounds the score evaluations; 0 means the search's own number.
	Budget int `json:"budget,omitempty"`
	// Offset: auto (default: not for the classes of rls, lap-rls and auto), yes, no.
	Offset string `json:"offset,omitempty"`
	// Multiclass: one-vs-one (default of svm) or one-vs-rest (of all others).
	Multiclass string `json:"multiclass,omitempty"`
	// ClassWeight multiplies the loss of each class: balanced, or LABEL=WEIGHT,...
	ClassWeight string `json:"class_weight,omitempty"`
	// Tolerance at which iterative solvers stop, LIBSVM's meaning; 0 means 1e-3.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Scale: auto (default), none, standard, minmax, unit.
	Scale string `json:"scale,omitempty"`
	// Task: auto (default), classification, regression.
	Task string `json:"task,omitempty"`
	// Seed of everything drawn at random (folds, random search); 0 means 1.
	Seed uint64 `json:"seed,omitempty"`
}

// The words a Recipe accepts, the default first.
var (
	recipeSearches = []string{"auto", "gradient", "grid", "random", "nelder-mead", "rprop", "sqp"}
	recipeOffsets  = []string{"auto", "yes", "no"}
	recipeScales   = []string{"auto", "none", "standard", "minmax", "unit"}
	recipeTasks    = []string{"auto", "classification", "regression"}
	recipeSchemes  = []string{"one-vs-one", "one-vs-rest"}
)

// DataTask is the task asked for, by Task or by a method that is for one alone.
func (r Recipe) DataTask() data.Task {
	var task data.Task
	if r.Task != "" {
		_ = task.UnmarshalText([]byte(r.Task)) // a wrong word is Check's to report
	}
	if m, _ := methodOf(r.Method); task == data.TaskAuto && m.task == data.Regression {
		task = m.task
	}
	return task
}

// oneClass is the method that learns without classes.
const oneClass = "one-class"

// Interpret understands the visible answers of a set as a fit with this recipe
// does. For one-class every row is of class "1" but those labelled -1, which are
// left out of training.
func (r Recipe) Interpret(set *data.Set) (data.Labels, error) {
	if r.Method != oneClass {
		return data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: r.DataTask()})
	}
	l := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, set.Rows.Len())}
	kept := 0
	for i := range l.Class {
		l.Class[i] = 1
		if set.Answers != nil && data.ClassName(set.Answers[i]) == "-1" {
			l.Class[i] = data.Unlabelled
		} else {
			kept++
		}
	}
	if kept == 0 {
		return data.Labels{}, &data.LabelError{Row: -1, What: "every row is labelled -1, which one-class leaves out", Remedy: "blank the labels of the rows to learn from"}
	}
	return l, nil
}

// SetError is a fault of another set than the one learned from, Input.Test: rows that the
// error names are rows of Set.
type SetError struct {
	Set *data.Set
	Err error
}

func (e *SetError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SetError) Unwrap() error { return e.Err }

// UsageError is a request that cannot be met whatever the data: a wrong word, a
// combination without meaning. The program exits with 2.
type UsageError struct{ Problems []string }

func (e *UsageError) Error() string { return strings.Join(e.Problems, "; ") }

// Check reports every field that is no valid choice, with the remedy, as one
// *UsageError.
func (r Recipe) Check() error {
	var bad []string
	if r.Set["per_class"] == "yes" && (r.Search == "" || r.Search == "auto") {
		bad = append(bad, "--set per_class=yes: it is for a search of every class for itself; add --search gradient, rprop, nelder-mead, random or grid")
	}
	word := func(name, v string, list []string) {
		if v != "" && !slices.Contains(list, v) {
			bad = append(bad, fmt.Sprintf("--%s %s: not known; choose %s", name, v, strings.Join(list, ", ")))
		}
	}
	word("method", r.Method, words(methods()))
	word("groups", r.Groups, []string{"auto"})
	word("search", r.Search, recipeSearches)
	word("offset", r.Offset, recipeOffsets)
	word("scale", r.Scale, recipeScales)
	word("task", r.Task, recipeTasks)
	word("multiclass", r.Multiclass, recipeSchemes)
	r.checkMethod(func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) })
	if _, err := parseTune(r.Tune); err != nil {
		bad = append(bad, err.Error())
	}
	if !(r.Tolerance >= 0) || math.IsInf(r.Tolerance, 0) {
		bad = append(bad, fmt.Sprintf("--tol %g: must be positive", r.Tolerance))
	}
	if r.Method == oneClass && (r.Tune != "" && r.Tune != "none" || r.Search != "" && r.Search != "auto") {
		bad = append(bad, "--method one-class has no labels to be tuned by; leave out --tune and --search, and give --set nu and sigma")
	}
	if r.Budget < 0 {
		bad = append(bad, fmt.Sprintf("--budget %d: must not be negative", r.Budget))
	}
	if _, err := r.settings(); err != nil {
		var u *UsageError
		if errors.As(err, &u) {
			bad = append(bad, u.Problems...)
		}
	}
	if len(bad) > 0 {
		return &UsageError{bad}
	}
	return nil
}

// Options are what a fit does not depend on: limits and listeners.
type Options struct {
	// Memory bounds the bytes of the fit's own tables; 0 means 80 % of the
	// machine's memory. A fit that needs more is refused before it allocates.
	Memory int64
	// Cache bounds the bytes of kernel rows that a dual solver keeps; 0 means 200 MB.
	Cache int64
	// TimeLimit ends the tuning; the best machine so far is fitted. 0: none.
	TimeLimit time.Duration
	// Progress, if not nil, is called from the fitting goroutine.
	Progress func(Progress)
	// Listen hears the points scored and the left-out outputs; the result is the same without.
	Listen Listener
}

// Progress is one step of a fit: Done of Total evaluations, and the best score
// so far.
type Progress struct {
	Stage       string
	Done, Total int
	Best        float64
}
