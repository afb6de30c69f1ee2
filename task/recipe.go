// Package task holds what a method is asked to do. That is the recipe and the rows to learn
// from and, once prepared, the scaled rows, the labels, the kernel and the folds that every
// method starts from.
//
// Change here what all methods share: a setting that several of them have, the words of scores
// and searches, how rows are prepared. What one method alone does belongs to package method.
package task

import (
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/share"

	"context"
)

// Recipe is everything a fit is asked for. The zero value of a field means that
// Mercer chooses; the zero Recipe is `mercer fit DATA`. It goes to JSON and back,
// is stored in the model, and is never changed by a fit.
type Recipe struct {
	// Method: auto (default), or the id of any other, as `mercer methods` lists them.
	Method string `json:"method,omitempty"`
	// Kernel: a specification as of kernel.Parse; default gaussian, linear for
	// sparse rows.
	Kernel string `json:"kernel,omitempty"`
	// Groups: auto makes a kernel of each group of columns whose standard deviations, before
	// scaling, lie in one decade, with widths and weights of their own.
	Groups string `json:"groups,omitempty"`
	// Views are parts of the columns whose graphs are joined.
	Views []View `json:"views,omitempty"`
	// Set fixes hyper-parameters and options by name. What is not set is tuned. Each method
	// declares its own (package method); the kernel's parameters are accepted too.
	Set map[string]string `json:"set,omitempty"`
	// Tune: auto (default), loo:logloss, loo:press, loo:error, kfold:K,
	// loo:smooth-error, loo:smooth-wer, loo:smooth-f, holdout:SHARE, either with :inductive, gcv,
	// cp, aic, bic, bound:NAME, none.
	Tune string `json:"tune,omitempty"`
	// Search: auto (default), gradient, sqp, grid, random, nelder-mead, rprop.
	Search string `json:"search,omitempty"`
	// Decision: how a member of a front is chosen, see Decisions; default cv, or gcv.
	Decision string `json:"decision,omitempty"`
	// Budget bounds the score evaluations; 0 means the search's own number.
	Budget int `json:"budget,omitempty"`
	// Effort of the automatic choice: low, normal (default) or high.
	Effort string `json:"effort,omitempty"`
	// Basis: at most so many centres in the machine, a number, or auto, the fewest within a standard error of
	// the best; "": as many as it needs.
	Basis string `json:"basis,omitempty"`
	// Candidates are names of machines of the design, as a result has them, that alone are compared; nil: all.
	Candidates []string `json:"candidates,omitempty"`
	// Offset: auto (default: not for the classes of rls, lap-rls and auto), yes, no.
	Offset string `json:"offset,omitempty"`
	// Multiclass: one-vs-one (default of svm) or one-vs-rest (of all others).
	Multiclass string `json:"multiclass,omitempty"`
	// ClassWeight multiplies the loss of each class: balanced, or LABEL=WEIGHT,...
	ClassWeight string `json:"class_weight,omitempty"`
	// Decide: default, or how classes are decided from probabilities: balanced, cost=CLASS=COST,..., rate=CLASS=SHARE; cost=A:B
	// gives the costs in the order of the classes, rate=SHARE the share of the second of two.
	Decide string `json:"decide,omitempty"`
	// CV is the number of outer folds for each of which the whole fit is repeated, for the estimate of the error; 0: none.
	CV int `json:"cv,omitempty"`
	// Tolerance at which iterative solvers stop; 0: the method's own, as its page says.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Scale: auto (default), none, standard, minmax, unit, tfidf.
	Scale string `json:"scale,omitempty"`
	// Task: auto (default), classification, regression.
	Task string `json:"task,omitempty"`
	// Seed of everything drawn at random (folds, random search); 0 means 1.
	Seed uint64 `json:"seed,omitempty"`
}

// View is a named part of the columns, FIRST to LAST from 1, that describes the rows by itself:
// the words of a page, the words of the links to it. Methods of views have one function for each
// (package multiview); other machines with a graph take the mean of the Laplacians of all views
// and of all columns.
type View struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Last  int    `json:"last"`
	// Kernel of a method with one function a view; "": that of the recipe.
	Kernel string `json:"kernel,omitempty"`
}

// Drawn is the seed of what is drawn at random.
func (r Recipe) Drawn() uint64 { return max(r.Seed, 1) }

// ScaleKind is the scaling asked for. Kernels of histograms, which are not negative nor must become so, have none by default.
func (r Recipe) ScaleKind() string {
	if r.Scale == "" && strings.Contains(r.Kernel, "chi2") {
		return data.ScaleNone
	}
	return r.Scale
}

// Input is what a fit learns from. Labels that are hidden for an experiment must
// be absent from Set.Answers; they may be given in Hidden (one a row, "" where
// not hidden) and are then used for the metrics called `hidden` and nothing else.
type Input struct {
	Set    *data.Set
	Hidden data.Answers
	Test   *data.Set // never seen in training; for the metrics called `test`
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
	// Folds are the losses on the outer folds of Recipe.CV, in their order, where they are known (mercer.OuterFold); nil: the fit
	// computes them.
	Folds [][]float64
	// Share, if not nil, does the candidates of a design and the heats of a race (package share); the result is the same.
	Share share.Crew
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

// Listener hears what a fit does on its way to the result, which it does not change.
// Its functions are called from the fitting goroutine; nil ones are not called.
type Listener struct {
	// Evaluation hears every point that a search, or the automatic choice, has scored.
	Evaluation func(Evaluation)
	// Surface is called once at the end of a search by scores with the points it could
	// have visited, in the parameters of its last Evaluation, and the score of any of them
	// (+Inf: infeasible). The function must not be kept.
	Surface func(ctx context.Context, space param.Space, score func(context.Context, []float64) (float64, error)) error
	// LeftOut hears what labelled rows are given by machines that have not seen their
	// labels, where the score comes from such: the rows' numbers in the set, and outputs
	// as those of the model, a row each.
	LeftOut func(rows []int, out *mat.Dense)
}

// Evaluation is one point that was scored.
type Evaluation struct {
	N      int    // 1 for the first of the fit
	Stage  int    // number of the search it belongs to, from 1: scores of several may differ in kind
	Search string // gradient, grid, ...; auto for the design of the automatic choice
	// Space describes the parameters, in the method's terms; Fixed ones were not moved.
	// Theta is a value each, NaN where a candidate of the design has no such parameter.
	Space param.Space
	Theta []float64
	Score float64 // the less the better; +Inf where no machine could be trained
}

// UsageError is a request that cannot be met whatever the data: a wrong word, a
// combination without meaning. The program exits with 2.
type UsageError struct{ Problems []string }

func (e *UsageError) Error() string { return strings.Join(e.Problems, "; ") }

// SetError is a fault of another set than the one learned from, Input.Test: rows that the
// error names are rows of Set.
type SetError struct {
	Set *data.Set
	Err error
}

func (e *SetError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SetError) Unwrap() error { return e.Err }
