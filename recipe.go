package mercer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Recipe is everything a fit is asked for. The zero value of a field means that
// Mercer chooses; the zero Recipe is `mercer fit DATA`. It goes to JSON and back,
// is stored in the model, and is never changed by Fit.
type Recipe struct {
	// Method: auto (default), rls, ls-svm, lap-rls.
	Method string `json:"method,omitempty"`
	// Kernel: a specification as of kernel.Parse; default gaussian, linear for
	// sparse rows.
	Kernel string `json:"kernel,omitempty"`
	// Set fixes hyper-parameters and options by name: sigma, gamma, lambda,
	// gamma_a, gamma_i, neighbours, degree, metric, weights, symmetry, laplacian,
	// intrinsic_scale. What is not set is tuned.
	Set map[string]string `json:"set,omitempty"`
	// Tune: auto (default), loo:logloss, loo:press, loo:error, kfold:K,
	// holdout:SHARE, gcv, none.
	Tune string `json:"tune,omitempty"`
	// Search: auto (default), gradient, grid, random, nelder-mead.
	Search string `json:"search,omitempty"`
	// Budget bounds the score evaluations; 0 means the search's own number.
	Budget int `json:"budget,omitempty"`
	// Offset: auto (default: only for regression and ls-svm), yes, no.
	Offset string `json:"offset,omitempty"`
	// Scale: auto (default), none, standard, minmax, unit.
	Scale string `json:"scale,omitempty"`
	// Task: auto (default), classification, regression.
	Task string `json:"task,omitempty"`
	// Seed of everything drawn at random (folds, random search); 0 means 1.
	Seed uint64 `json:"seed,omitempty"`
}

// The words a Recipe accepts, the default first.
var (
	recipeMethods  = []string{"auto", "rls", "ls-svm", "lap-rls"}
	recipeSearches = []string{"auto", "gradient", "grid", "random", "nelder-mead"}
	recipeOffsets  = []string{"auto", "yes", "no"}
	recipeScales   = []string{"auto", "none", "standard", "minmax", "unit"}
	recipeTasks    = []string{"auto", "classification", "regression"}
)

// UsageError is a request that cannot be met whatever the data: a wrong word, a
// combination without meaning. The program exits with 2.
type UsageError struct{ Problems []string }

func (e *UsageError) Error() string { return strings.Join(e.Problems, "; ") }

// Check reports every field that is no valid choice, with the remedy, as one
// *UsageError.
func (r Recipe) Check() error {
	var bad []string
	word := func(name, v string, list []string) {
		if v != "" && !slices.Contains(list, v) {
			bad = append(bad, fmt.Sprintf("--%s %s: not known; choose %s", name, v, strings.Join(list, ", ")))
		}
	}
	word("method", r.Method, recipeMethods)
	word("search", r.Search, recipeSearches)
	word("offset", r.Offset, recipeOffsets)
	word("scale", r.Scale, recipeScales)
	word("task", r.Task, recipeTasks)
	if _, err := parseTune(r.Tune); err != nil {
		bad = append(bad, err.Error())
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
	// TimeLimit ends the tuning; the best machine so far is fitted. 0: none.
	TimeLimit time.Duration
	// Progress, if not nil, is called from the fitting goroutine.
	Progress func(Progress)
}

// Progress is one step of a fit: Done of Total evaluations, and the best score
// so far.
type Progress struct {
	Stage       string
	Done, Total int
	Best        float64
}
