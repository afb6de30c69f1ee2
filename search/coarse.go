package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/search/param"
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
	// Stop, if not nil, is asked before the second stage and after each of its evaluations whether it can end: first is the best score
	// of the first stage, best are those so far after each evaluation of the second.
	Stop func(first float64, best []float64) bool
}

// errStop ends the second stage.
var errStop = errors.New("the second stage can end")

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
	t := &stages{
		space: s,
		eval:  eval,
		at:    at,
		place: place,
		tied:  len(tied),
		own:   len(tied) - len(c.Groups),
		best:  math.Inf(1),
		found: slices.Clone(at),
		stop:  c.Stop,
	}
	start := make([]float64, len(tied))
	for d, k := range place {
		start[k] = at[d]
		if k >= t.own {
			start[k] = 1
		}
	}
	stage := c.First
	if stage == nil {
		stage = c.Inner
	}
	if err := stage(start).Run(ctx, tied, t.first); err != nil || c.Only {
		return err
	}
	t.least = t.best
	if t.stop != nil && t.stop(t.least, nil) {
		return nil
	}
	if err := c.Inner(t.found).Run(ctx, s, t.second); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// stages are the two of Coarse: what each evaluates and the best point so far.
type stages struct {
	space param.Space
	eval  Evaluate
	at    []float64 // theta where all factors are 1
	place []int     // of each dimension in the first stage
	tied  int       // dimensions of the first stage
	own   int       // of these, before the factors
	best  float64
	found []float64 // theta
	least float64   // score of the first stage
	after []float64 // best scores after each evaluation of the second
	stop  func(first float64, best []float64) bool
}

// second is the Evaluate of the second stage.
func (t *stages) second(ctx context.Context, theta [][]float64, want param.Want) ([]param.Value, error) {
	v, err := t.both(ctx, theta, want)
	if t.stop == nil || err != nil {
		return v, err
	}
	for range v {
		t.after = append(t.after, t.best)
	}
	if t.stop(t.least, t.after) {
		err = errStop
	}
	return v, err
}

// both notes the best point of either stage.
func (t *stages) both(ctx context.Context, theta [][]float64, want param.Want) ([]param.Value, error) {
	v, err := t.eval(ctx, theta, want)
	for i := range v {
		if v[i].F < t.best {
			t.best, t.found = v[i].F, slices.Clone(theta[i])
		}
	}
	return v, err
}

// first is the Evaluate of the first stage.
func (t *stages) first(ctx context.Context, short [][]float64, want param.Want) ([]param.Value, error) {
	long := make([][]float64, len(short))
	for i := range short {
		long[i] = t.untied(short[i])
	}
	v, err := t.both(ctx, long, want)
	v = slices.Clone(v)
	for i := range v {
		if v[i].Grad != nil {
			v[i].Grad = t.gradient(short[i], v[i].Grad)
		}
	}
	return v, err
}

// untied is the theta of a point of the first stage.
func (t *stages) untied(short []float64) []float64 {
	long := make([]float64, len(t.place))
	for d, k := range t.place {
		long[d] = short[k]
		if k >= t.own {
			long[d] = min(max(t.at[d]*short[k], t.space[d].Lo), t.space[d].Hi)
		}
	}
	return long
}

// gradient is that of the first stage from that of all dimensions.
func (t *stages) gradient(short, grad []float64) []float64 {
	g := make([]float64, t.tied)
	for d, k := range t.place {
		switch x := t.at[d] * short[k]; {
		case k < t.own:
			g[k] += grad[d]
		case x >= t.space[d].Lo && x <= t.space[d].Hi: // else it stays at its bound
			g[k] += t.at[d] * grad[d]
		}
	}
	return g
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
