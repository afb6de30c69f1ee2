package result

import (
	"context"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

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
	// Folds are the losses on the outer folds of Recipe.CV, in their order, where they are known (fit.OuterFold); nil: the fit
	// computes them.
	Folds [][]float64
	// Share, if not nil, does the candidates of a design and the heats of a race (package share); the result is the same.
	Share Crew
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
