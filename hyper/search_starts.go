package hyper

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/param"
)

// Starts evaluates several points together and goes on from the best of them: a score of a
// few labels is flat where the machine knows nothing, and a search by gradients that starts
// there ends there.
type Starts struct {
	At    [][]float64
	Inner func(start []float64) Search
}

// Run implements Search.
func (s Starts) Run(ctx context.Context, space param.Space, eval Evaluate) error {
	if len(s.At) == 0 {
		return errors.New("no points to start from")
	}
	values, err := eval(ctx, s.At, false)
	if err != nil {
		return err
	}
	best, at := math.Inf(1), 0
	for i, v := range values {
		if v.F < best {
			best, at = v.F, i
		}
	}
	return s.Inner(s.At[at]).Run(ctx, space, eval)
}
