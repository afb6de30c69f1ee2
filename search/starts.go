package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/search/param"
)

// Starts evaluates several points together and goes on from the best of them, then from
// the next: a score of a few labels is flat where the machine knows nothing, and a search
// by gradients that starts there ends there.
type Starts struct {
	At    [][]float64
	goes  int // points gone on from, one after another; default 1, at most all
	Inner func(start []float64) Search
}

// Run implements Search.
func (s Starts) Run(ctx context.Context, space param.Space, eval Evaluate) error {
	if len(s.At) == 0 {
		return errors.New("no points to start from")
	}
	values, err := eval(ctx, s.At, param.ValueOnly)
	if err != nil {
		return err
	}
	order := indices.To(len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(values[a].F), rank(values[b].F)) })
	for _, at := range order[:min(max(s.goes, 1), len(order))] {
		if err := s.Inner(s.At[at]).Run(ctx, space, eval); err != nil {
			return err
		}
	}
	return nil
}

// rank is f, with what is not a number last.
func rank(f float64) float64 {
	if math.IsNaN(f) {
		return math.Inf(1)
	}
	return f
}
