package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/search/param"
)

// Enumerate runs an inner search for every combination of values of the free
// Integer and Choice dimensions, which the inner search sees fixed. The inner
// searches advance in turn, one batch each, in odometer order (last dimension
// fastest), so that they share the budget evenly and one round can be evaluated
// in parallel. Each is told the same seed.
type Enumerate struct {
	Inner Search
	// BestFirst: after the first round only the inner search with the least score so far
	// advances, until it ends; then the next. Good scores come sooner, one batch at a time.
	BestFirst bool
	// Near, if not nil, makes the search that goes on from a point. When the inner search with
	// the least score ends, the whole numbers beside its own (one more and less, twice and
	// half) join, from where it ended: the values need not be all, only close.
	Near func(start []float64) Search
	// Values of the dimensions named. Others take all their values, if these are
	// at most 10.
	Values map[string][]float64
}

// most values of a dimension, and combinations, that Enumerate runs.
const (
	mostValues       = 10
	mostCombinations = 1000
)

// Run implements Search. An inner search that ends early leaves its share to the
// others. An error of one ends all.
func (e Enumerate) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	spaces, err := e.combinations(s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &table{Enumerate: e, space: s, tried: map[string]bool{}, best: math.Inf(1)}
	defer t.group.Wait() // after cancel: no inner search outlives the run
	defer cancel()
	for _, space := range spaces {
		t.join(ctx, space, e.Inner)
	}
	for len(t.live) > 0 {
		asking, err := t.collect(ctx)
		if err != nil {
			return err
		}
		var waiting []*seat
		if e.BestFirst {
			asking, waiting = leader(asking)
		}
		for _, want := range []param.Want{param.WithGradient, param.ValueOnly} {
			if err := serve(ctx, asking, want, eval); err != nil {
				return err
			}
		}
		if err := t.reply(ctx, asking); err != nil {
			return err
		}
		t.live = slices.Concat(asking, waiting)
	}
	return nil
}

// table is where the inner searches of Enumerate sit.
type table struct {
	Enumerate
	space param.Space
	group sync.WaitGroup
	live  []*seat         // running
	tried map[string]bool // defaults of the spaces that joined
	best  float64         // score
}

// join starts an inner search.
func (t *table) join(ctx context.Context, space param.Space, inner Search) {
	c := &seat{space: space, ask: make(chan request), reply: make(chan answer), best: math.Inf(1)}
	t.tried[key(space.Defaults())] = true
	t.group.Go(func() {
		defer close(c.ask)
		c.err = inner.Run(ctx, space, c.eval)
	})
	t.live = append(t.live, c)
}

// collect takes one request of every inner search that is still running or joins.
func (t *table) collect(ctx context.Context) (asking []*seat, err error) {
	for len(t.live) > 0 {
		c := t.live[0]
		t.live = t.live[1:]
		if c.held {
			asking = append(asking, c)
		} else if r, ok := <-c.ask; ok {
			c.request, c.answer, c.held = r, answer{}, true
			asking = append(asking, c)
		} else if c.err != nil {
			return nil, c.err
		} else if t.Near != nil && c.at != nil && c.best <= t.best {
			for _, near := range beside(t.space, c) {
				if !t.tried[key(near.Defaults())] {
					t.join(ctx, near, t.Near(c.at))
				}
			}
		}
	}
	return asking, nil
}

// reply hands out the answers.
func (t *table) reply(ctx context.Context, asking []*seat) error {
	for _, c := range asking {
		c.held, c.asked = false, true
		for i, v := range c.answer.values {
			if v.F < c.best { // NaN is not
				c.best, c.at = v.F, c.request.theta[i]
			}
		}
		t.best = min(t.best, c.best)
		select {
		case c.reply <- c.answer:
		case <-ctx.Done():
			return cause(ctx)
		}
	}
	return nil
}

// beside lists the spaces of a seat with one whole number moved: by one, to its double
// and its half, where that is in the box of s.
func beside(s param.Space, c *seat) []param.Space {
	var list []param.Space
	for i, d := range s {
		if d.Fixed || d.Kind != param.Integer {
			continue
		}
		v := c.at[i]
		for _, to := range []float64{v - 1, v + 1, math.Floor(v / 2), 2 * v} {
			if to < d.Lo || to > d.Hi {
				continue
			}
			near := slices.Clone(c.space)
			near[i].Default = to
			list = append(list, near)
		}
	}
	return list
}

// leader parts the seats to serve from the others: those never asked before, else the one
// with the least score, the first on ties.
func leader(seats []*seat) (now, later []*seat) {
	for _, c := range seats {
		if c.asked {
			later = append(later, c)
		} else {
			now = append(now, c)
		}
	}
	if len(now) > 0 || len(later) == 0 {
		return now, later
	}
	least := slices.MinFunc(later, func(a, b *seat) int { return cmp.Compare(a.best, b.best) })
	return []*seat{least}, slices.DeleteFunc(later, func(c *seat) bool { return c == least })
}

// serve evaluates the requests with or without gradient as one batch.
func serve(ctx context.Context, asking []*seat, want param.Want, eval Evaluate) error {
	var batch [][]float64
	for _, c := range asking {
		if c.request.want == want {
			batch = append(batch, c.request.theta...)
		}
	}
	if len(batch) == 0 {
		return nil
	}
	values, err := eval(ctx, batch, want)
	if err != nil {
		return err
	}
	for _, c := range asking {
		if c.request.want == want {
			n := len(c.request.theta)
			c.answer = answer{values: values[:n]}
			values = values[n:]
		}
	}
	return nil
}

type request struct {
	theta [][]float64
	want  param.Want
}

type answer struct{ values []param.Value }

// seat is one inner search's place at the table.
type seat struct {
	space   param.Space
	ask     chan request
	reply   chan answer
	request request
	answer  answer
	held    bool      // request waits for its turn
	asked   bool      // it has had a turn
	best    float64   // least score of the answers
	at      []float64 // its theta
	err     error
}

// eval is the Evaluate of the inner search: it waits for its turn.
func (c *seat) eval(ctx context.Context, theta [][]float64, want param.Want) ([]param.Value, error) {
	select {
	case c.ask <- request{theta, want}:
	case <-ctx.Done():
		return nil, cause(ctx)
	}
	select {
	case a := <-c.reply:
		return a.values, nil
	case <-ctx.Done():
		return nil, cause(ctx)
	}
}

func (e Enumerate) combinations(s param.Space) ([]param.Space, error) {
	if e.Inner == nil {
		return nil, errors.New("enumerate: no inner search")
	}
	if err := known("enumerate", s, e.Values); err != nil {
		return nil, err
	}
	spaces := []param.Space{s}
	for _, i := range s.Free() {
		d := s[i]
		values, given := e.Values[d.Name]
		switch {
		case given:
		case d.Kind != param.Integer && d.Kind != param.Choice:
			continue
		case d.Hi-d.Lo >= mostValues:
			return nil, fmt.Errorf("enumerate: %s has %g values: say which to try, or fix it", d.Name, d.Hi-d.Lo+1)
		default:
			for v := d.Lo; v <= d.Hi; v++ {
				values = append(values, v)
			}
		}
		if n := len(spaces) * len(values); n > mostCombinations {
			return nil, fmt.Errorf("enumerate: %d combinations, at most %d: give fewer values", n, mostCombinations)
		}
		var next []param.Space
		for _, t := range spaces {
			for _, v := range values {
				u, err := t.Set(d.Name, v, true)
				if err != nil {
					return nil, err
				}
				next = append(next, u)
			}
		}
		spaces = next
	}
	return spaces, nil
}
