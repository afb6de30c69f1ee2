package search

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/search/param"
)

// NelderMead moves a simplex in search coordinates (solve.NelderMead); integers
// are rounded before evaluation. A free Choice has no order to move along: fix
// it, or wrap the search in Enumerate. It ends when the simplex is below 1e-4
// wide and its values within 1e-6.
type NelderMead struct {
	Start []float64 // theta; default the midpoint of the box in search coordinates
}

// Run implements Search.
func (m NelderMead) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	for _, i := range s.FreeDiscrete() {
		if s[i].Kind == param.Choice {
			return unmovable("nelder-mead", s[i], "has no order")
		}
	}
	t, z, err := start(s, m.Start)
	if err != nil {
		return err
	}
	lo, hi := t.Bounds()
	f := func(ctx context.Context, z, _ []float64) (float64, error) {
		v, err := eval(ctx, [][]float64{t.FromSearch(z)}, param.ValueOnly)
		if err != nil {
			return math.Inf(1), err
		}
		return v[0].F, nil
	}
	_, err = solve.NelderMead(ctx, f, z, lo, hi, solve.NelderMeadOptions{
		MaxEvaluations: math.MaxInt, // the driver's budget ends it
		Round:          func(z []float64) { copy(z, t.Round(z)) },
	})
	return err
}

// start returns the transform of s and the first z.
func start(s param.Space, theta []float64) (*param.Transform, []float64, error) {
	t, err := param.NewTransform(s)
	switch {
	case err != nil:
		return nil, nil, err
	case theta == nil:
		return t, t.Midpoint(), nil
	case len(theta) != len(s):
		return nil, nil, fmt.Errorf("start: %d values for %d hyper-parameters", len(theta), len(s))
	}
	if err := s.Check(theta); err != nil {
		return nil, nil, fmt.Errorf("start: %w", err)
	}
	return t, t.ToSearch(theta), nil
}

func unmovable(search string, d param.Dim, why string) error {
	return fmt.Errorf("%s: %s is %s %s and %s: fix it (--set %s=VALUE) or enumerate its values", search, d.Name,
		map[param.Kind]string{param.Integer: "an", param.Choice: "a"}[d.Kind], d.Kind, why, d.Name)
}
