package result

import (
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
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
	// KernelValue, in the place of Kernel, is the kernel itself: one of the caller's own type, or one whose parameters are searched from
	// where they stand. Kernel, and so the recipe in the model, then has its specification, or the name of its type.
	KernelValue kernel.Kernel `json:"-"`
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

// Drawn is the seed of what is drawn at random.
func (r Recipe) Drawn() uint64 { return max(r.Seed, 1) }

// ScaleKind is the scaling asked for. Kernels of histograms, which are not negative nor must become so, have none by default.
func (r Recipe) ScaleKind() string {
	if (r.Scale == "" || r.Scale == data.ScaleAuto) && strings.Contains(r.Kernel, "chi2") {
		return data.ScaleNone
	}
	return r.Scale
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
