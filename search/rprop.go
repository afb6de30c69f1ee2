package search

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/search/param"
)

// RPROP is the search by the signs of the gradient (solve.RPROP; Klatzer 2014, section
// 4.3), in search coordinates. It passes small humps that stop a line search, and takes
// three to five times as many evaluations as Gradient where there are none. Errors are
// those of Gradient.
type RPROP struct {
	Start []float64 // theta; default the midpoint of the box in search coordinates
	Raw   bool      // search Log dimensions as they are, as the publications do, not their log2
}

// Run implements Search.
func (r RPROP) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	if at := s.FreeDiscrete(); len(at) > 0 {
		return unmovable("rprop", s[at[0]], "has no derivative")
	}
	if r.Raw {
		s = raw(s)
	}
	t, z, err := start(s, r.Start)
	if err != nil {
		return err
	}
	lo, hi := t.Bounds()
	f := smoothly{coordinates: t, evaluate: eval}
	_, err = solve.RPROP(ctx, f.eval, z, lo, hi, solve.RPROPOptions{MaxEvaluations: math.MaxInt}) // the driver's budget ends it
	return err
}
