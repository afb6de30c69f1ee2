// Package searchtest is the conformance suite of searches: a new search.Search
// calls Search from its tests.
//
// A promise that all searches must keep is a check that is added here.
package searchtest

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// Bowl is an objective with gradient: sum_i (i+1) (u_i - c_i)^2, where u is
// theta (log2 theta for Log) and c_i lies 0.4 of the way from Lo to Hi. Weights
// have c = (1, 2, 3, ...) normalised within their group. Above Edge in the first
// dimension's u it is infeasible, if Edge is not 0. Safe for concurrent use.
type Bowl struct {
	Dims param.Space
	Edge float64
}

// Space implements param.Objective.
func (b Bowl) Space() param.Space { return b.Dims }

// Best returns the minimiser among real values, weights included.
func (b Bowl) Best() []float64 {
	theta := b.Dims.Defaults()
	count, sum := map[int]float64{}, map[int]float64{}
	for i, d := range b.Dims {
		switch d.Kind {
		case param.Simplex:
			count[d.Group]++
			theta[i] = count[d.Group]
			sum[d.Group] += theta[i]
		case param.Log:
			theta[i] = math.Exp2(0.6*math.Log2(d.Lo) + 0.4*math.Log2(d.Hi))
		default:
			theta[i] = 0.6*d.Lo + 0.4*d.Hi
		}
	}
	for i, d := range b.Dims {
		if d.Kind == param.Simplex {
			theta[i] /= sum[d.Group]
		}
	}
	return theta
}

// Eval implements param.Objective.
func (b Bowl) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	v := param.Value{}
	if want == param.WithGradient {
		v.Grad = make([]float64, len(theta))
	}
	for i, c := range b.Best() {
		u, slope := theta[i], 1.0
		if b.Dims[i].Kind == param.Log {
			c, u, slope = math.Log2(c), math.Log2(u), 1/(math.Ln2*u)
		}
		if i == 0 && b.Edge != 0 && u > b.Edge {
			return param.Value{F: math.Inf(1)}, ctx.Err()
		}
		w := float64(i + 1)
		v.F += w * (u - c) * (u - c)
		if want == param.WithGradient {
			v.Grad[i] = 2 * w * (u - c) * slope
		}
	}
	return v, ctx.Err()
}

// counter counts the calls that reach an objective and can cancel at one.
type counter struct {
	param.Objective
	calls  atomic.Int64
	at     int64
	cancel func()
}

func (c *counter) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	if c.calls.Add(1) == c.at {
		c.cancel()
	}
	return c.Objective.Eval(ctx, theta, want)
}

// Search checks what every search must keep, on an objective that it can
// handle: bounds, whole numbers and weights at every point, fixed values kept,
// exact budgets, the best point reported, equal runs for equal seeds, parallel
// or not, shorter budgets being beginnings of longer ones, replay without new
// evaluations, and an interrupted run that keeps its best.
func Search(t *testing.T, searching search.Search, objective param.Objective) {
	t.Helper()
	const budget = 60
	run := func(d search.Driver) (search.Result, int) {
		t.Helper()
		c := &counter{Objective: objective}
		res, err := d.Run(context.Background(), c, searching)
		if err != nil && !errors.Is(err, search.ErrInfeasible) { // few evaluations may all be infeasible
			t.Fatalf("run: %v", err)
		}
		return res, int(c.calls.Load())
	}
	full, calls := run(search.Driver{Budget: budget})
	if full.Evaluations != len(full.Trace) || calls != full.Evaluations-full.Replayed || full.Evaluations > budget {
		t.Errorf("budget %d: %d evaluations, %d in the trace, %d computed", budget, full.Evaluations, len(full.Trace), calls)
	}
	if full.Status == search.Budget && full.Evaluations != budget {
		t.Errorf("budget %d said to be spent after %d evaluations", budget, full.Evaluations)
	}
	checkTrace(t, objective.Space(), full)

	for _, short := range []int{1, 2, 7, full.Evaluations - 1, full.Evaluations} {
		if short < 1 || short > full.Evaluations {
			continue
		}
		res, _ := run(search.Driver{Budget: short})
		if res.Evaluations != short || !same(res.Trace, full.Trace[:short]) {
			t.Errorf("budget %d: %d evaluations, or not the first of the longer run", short, res.Evaluations)
		}
	}
	if res, _ := run(search.Driver{Budget: budget, Parallel: 4}); !same(res.Trace, full.Trace) ||
		!reflect.DeepEqual(res.Theta, full.Theta) {
		t.Error("four workers give another trace than one")
	}
	for _, part := range []int{full.Evaluations / 2, full.Evaluations} {
		res, calls := run(search.Driver{Budget: budget, Replay: full.Trace[:part]})
		if !same(res.Trace, full.Trace) || !reflect.DeepEqual(res.Theta, full.Theta) || res.F != full.F || res.Status != full.Status {
			t.Errorf("replay of %d records ends differently", part)
		}
		if calls > full.Evaluations-part {
			t.Errorf("replay of %d of %d records computed %d", part, full.Evaluations, calls)
		}
	}
	cancelAt := int64(min(5, calls))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &counter{Objective: objective, at: cancelAt, cancel: cancel}
	res, err := search.Driver{Budget: budget}.Run(ctx, c, searching)
	switch {
	case cancelAt == 1: // nothing evaluated, or the search made one evaluation only
	case err != nil && !errors.Is(err, search.ErrInfeasible) || res.Status != search.Interrupted || res.Evaluations == 0 ||
		!same(res.Trace, full.Trace[:res.Evaluations]):
		t.Errorf("cancelled at evaluation %d: %v after %d evaluations, %v", cancelAt, res.Status, res.Evaluations, err)
	}
	gone, stop := context.WithCancel(context.Background())
	stop()
	if _, err := (search.Driver{}).Run(gone, objective, searching); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled beforehand: error %v", err)
	}
}

// checkTrace tests every point and that the result is the best of the trace.
func checkTrace(t *testing.T, s param.Space, res search.Result) {
	t.Helper()
	best, at := 0.0, -1
	gradients := 0
	for i, r := range res.Trace {
		if r.N != i+1 {
			t.Errorf("record %d is numbered %d", i+1, r.N)
		}
		if err := s.Check(r.Theta); err != nil {
			t.Errorf("evaluation %d: %v", r.N, err)
		}
		sum := map[int]float64{}
		for k, d := range s {
			if d.Fixed && r.Theta[k] != d.Default {
				t.Errorf("evaluation %d: fixed %s is %g, not %g", r.N, d.Name, r.Theta[k], d.Default)
			}
			if d.Kind == param.Simplex {
				sum[d.Group] += r.Theta[k]
			}
		}
		for g, v := range sum {
			if math.Abs(v-1) >= 1e-10 {
				t.Errorf("evaluation %d: weights of group %d sum to 1 %+g", r.N, g, v-1)
			}
		}
		if r.GradAsked {
			gradients++
		}
		if at < 0 || r.F < best {
			best, at = r.F, i
		}
	}
	if gradients != res.Gradients {
		t.Errorf("%d gradients counted, %d in the trace", res.Gradients, gradients)
	}
	if at < 0 || res.F != best || !reflect.DeepEqual(res.Theta, res.Trace[at].Theta) {
		t.Errorf("result %g at %v is not the first best of the trace", res.F, res.Theta)
	}
}

// same compares traces but for time and replay.
func same(a, b []search.Record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Seconds, y.Seconds, x.Replayed, y.Replayed = 0, 0, false, false
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}
