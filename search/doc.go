// Package search moves hyper-parameters to where a score is least: grids, random
// points, simplices, gradients. A search proposes points and never sees the
// objective; the driver owns the budget, the trace and the replay of an earlier one.
//
// A new search is a file here, tested by package searchtest; package task lists its word.
package search

import (
	"context"

	"github.com/mercer-ml/mercer/search/param"
)

// Evaluate is what a Search calls: it evaluates a batch (in parallel where it
// can), in natural units, and returns errBudget when the budget is spent.
type Evaluate func(ctx context.Context, theta [][]float64, want param.Want) ([]param.Value, error)

// planner is a search that may know its points beforehand. It ends Complete then, and never
// Converged.
type planner interface {
	Search
	planned() bool
}

// Search proposes points.
type Search interface {
	Run(ctx context.Context, s param.Space, eval Evaluate) error
}
