package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/param"
)

// Coarse searches in two stages, from few parameters to many: first those of each
// group keep their ratios and move by one common factor, then all move freely from the
// best point of the first stage. So one width a feature starts where one width for all
// ends, and can only improve on it; and a start far off, where a kernel with hundreds of
// widths is dead, is left in few evaluations. Dimensions of a group are of kind Log.
type Coarse struct {
	Groups [][]int                      // of dimensions, disjoint
	Inner  func(start []float64) Search // of both stages
	First  func(start []float64) Search // of the first stage; nil: Inner
	Start  []float64                    // theta; default those of the space
	Only   bool                         // the first stage only
}

// Run implements Search.
func (c Coarse) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	at := c.Start
	if at == nil {
		at = s.Defaults()
	}
	if len(at) != len(s) {
		return fmt.Errorf("start: %d values for %d hyper-parameters", len(at), len(s))
	}
	tied, place, err := c.tie(s, at)
	if err != nil {
		return err
	}
	own := len(tied) - len(c.Groups) // dimensions before the factors
	best, found := math.Inf(1), slices.Clone(at)
	watch := func(ctx context.Context, theta [][]float64, grad bool) ([]param.Value, error) {
		v, err := eval(ctx, theta, grad)
		for i := range v {
			if v[i].F < best {
				best, found = v[i].F, slices.Clone(theta[i])
			}
		}
		return v, err
	}
	first := func(ctx context.Context, short [][]float64, grad bool) ([]param.Value, error) {
		long := make([][]float64, len(short))
		for i := range short {
			long[i] = make([]float64, len(s))
			for d, k := range place {
				long[i][d] = short[i][k]
				if k >= own {
					long[i][d] = min(max(at[d]*short[i][k], s[d].Lo), s[d].Hi)
				}
			}
		}
		v, err := watch(ctx, long, grad)
		v = slices.Clone(v)
		for i := range v {
			if v[i].Grad == nil {
				continue
			}
			g := make([]float64, len(tied))
			for d, k := range place {
				switch x := at[d] * short[i][k]; {
				case k < own:
					g[k] += v[i].Grad[d]
				case x >= s[d].Lo && x <= s[d].Hi: // else it stays at its bound
					g[k] += at[d] * v[i].Grad[d]
				}
			}
			v[i].Grad = g
		}
		return v, err
	}
	start := make([]float64, len(tied))
	for d, k := range place {
		start[k] = at[d]
		if k >= own {
			start[k] = 1
		}
	}
	stage := c.First
	if stage == nil {
		stage = c.Inner
	}
	if err := stage(start).Run(ctx, tied, first); err != nil || c.Only {
		return err
	}
	return c.Inner(found).Run(ctx, s, watch)
}

// tie returns the space of the first stage, the groups' factors last, and where each
// dimension went.
func (c Coarse) tie(s param.Space, at []float64) (tied param.Space, place []int, err error) {
	place = make([]int, len(s))
	for i := range place {
		place[i] = -1
	}
	for g, group := range c.Groups {
		for _, i := range group {
			if s[i].Kind != param.Log || s[i].Fixed {
				return nil, nil, errors.New("search: only free parameters on a log scale can be tied")
			}
			place[i] = g
		}
	}
	for i, d := range s {
		if place[i] < 0 {
			tied = append(tied, d)
		}
	}
	own := len(tied)
	for g, group := range c.Groups {
		// The factor may move the group as long as one of it is inside its bounds.
		lo, hi := math.Inf(1), 0.0
		for _, i := range group {
			lo, hi = min(lo, s[i].Lo/at[i]), max(hi, s[i].Hi/at[i])
		}
		tied = append(tied, param.Dim{Name: fmt.Sprintf("group %d", g+1), Kind: param.Log, Lo: lo, Hi: hi, Default: 1})
	}
	free := 0
	for i := range s {
		if place[i] < 0 {
			place[i] = free
			free++
		} else {
			place[i] += own
		}
	}
	return tied, place, nil
}
