package search

// What is told of the answer when a search has ended: its exact value, and the bounds on
// which it lies.
//
// A score whose machines are trained to a tolerance has noise (param.Value), and a search may
// end on a value that is percents off, at a bound for instance, where no gradient is left to
// ask for more. An objective evaluates without gradient as exactly as it can: so is the
// best point, once more. If the value found is beaten by another, its noise added, that one is
// the best and has its turn. These evaluations count, are marked in the trace, and answer
// no search, so that a replayed trace proposes the same points again.

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/search/param"
)

// showable is the noise, relative, of a value that can be shown as it is.
const showable = 1e-7

// rough says whether the answer's value is not to be shown.
func (r *run) rough() bool { return r.out.Noise > showable*math.Abs(r.out.F) }

// settle evaluates the answer exactly, within the budget. Where the time is over it leaves
// the value as it is; the error is the objective's.
func (r *run) settle(ctx context.Context) error {
	settled := map[string]bool{}
	for r.rough() && r.out.Evaluations < r.driver.Budget && ctx.Err() == nil {
		at := key(r.out.Theta)
		settled[at] = true
		rec, known := r.exact[at]
		if rec.Replayed = known; !known {
			began := time.Now()
			v, err := r.workers[0].Eval(ctx, append([]float64(nil), r.out.Theta...), param.ValueOnly)
			if err != nil && ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			rec = Record{Theta: r.out.Theta, F: v.F, Exact: true, Seconds: time.Since(began).Seconds()}
		}
		r.answer(r.add(rec, param.ValueOnly))
		if r.journal != nil && r.journal.Err() != nil {
			return r.journal.Err()
		}
		for _, other := range r.out.Trace {
			if settled[key(other.Theta)] == other.Exact && other.F+other.Noise < r.out.F {
				r.answer(other)
			}
		}
	}
	return nil
}

// edge is the share of a range, on the scale it is searched on, that is its bound: what is so
// near might lie beyond.
const edge = 1e-3

// onBound names the free parameters that theta has on a bound. Weights have none to speak
// of: zero is what becomes of one that does not serve. Choices have no order.
func onBound(s param.Space, theta []float64) []string {
	var names []string
	for i, d := range s {
		if theta == nil || d.Fixed || d.Kind == param.Simplex || d.Kind == param.Choice || !(d.Lo < d.Hi) {
			continue
		}
		lo, at, hi := d.Lo, theta[i], d.Hi
		if d.Kind == param.Log {
			lo, at, hi = math.Log2(lo), math.Log2(at), math.Log2(hi)
		}
		if min(at-lo, hi-at) <= edge*(hi-lo) {
			names = append(names, d.Name)
		}
	}
	return names
}
