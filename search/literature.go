package search

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/search/param"
)

// Literature evaluates one given point: values from a publication, or nil for
// the defaults of the space. A value outside the search's bounds must be fixed
// in the space.
type Literature struct{ Theta []float64 }

// Run implements Search.
func (l Literature) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	theta := l.Theta
	if theta == nil {
		theta = s.Defaults()
	}
	if len(theta) != len(s) {
		return fmt.Errorf("literature: %d values for %d hyper-parameters (%v)", len(theta), len(s), s.Names())
	}
	_, err := eval(ctx, [][]float64{theta}, param.ValueOnly)
	return err
}

// planned implements planner.
func (l Literature) planned() bool { return true }
