package design

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/share"
)

// standing is how an entrant did.
type standing struct {
	Rows        int
	Score, Loss float64
	Left        string
	Theta       []float64
}

// verdict is how the entrants on one kernel did.
type verdict struct {
	Standings []standing
	Judged    int     // machines
	Best      int     // number of the best entrant; -1: none could be trained
	Lambda    float64 // its, of least squares
	LeftOut   *mat.Dense
}

// shared judges the entrants by the crew. The best is not trained before the race is over.
func (h *round) shared(ctx context.Context, field []*Entrant) (*Winner, error) {
	groups, r := h.groups(field), h.race
	give, err := share.Begin(ctx, r.Crew, fmt.Sprintf("heat of %d rows", len(h.rows)), len(groups),
		func(ctx context.Context, piece int) (verdict, error) { return h.verdict(ctx, groups[piece]) })
	if err != nil {
		return nil, h.excused(ctx, err)
	}
	var best *Winner
	for q, group := range groups {
		v, err := give(ctx, q)
		switch {
		case ctx.Err() != nil && h.prior == nil && best != nil:
			return best, nil
		case err != nil:
			return nil, h.excused(ctx, err)
		case len(v.Standings) != len(group):
			return nil, fmt.Errorf("design: %d of %d entrants have come back", len(v.Standings), len(group))
		}
		if w := h.heard(group, v); w != nil && (best == nil || w.before(best.Entrant)) {
			best = w
		}
	}
	return best, nil
}

// excused is the error of a round, which is none where the race has ended with the winner of the round before.
func (h *round) excused(ctx context.Context, err error) error {
	if ctx.Err() != nil && h.prior != nil {
		return nil
	}
	return err
}

// heard tells the entrants on one kernel how they did, and returns the best of them; nil if none could be trained.
func (h *round) heard(group []*Entrant, v verdict) *Winner {
	r := h.race
	var entered Entrant
	for k, e := range group {
		if k == v.Best {
			entered = *e
		}
		s := v.Standings[k]
		e.Rows, e.Score, e.Loss, e.Left, e.Theta = s.Rows, s.Score, s.Loss, s.Left, s.Theta
	}
	r.done += v.Judged
	if v.Best < 0 {
		return nil
	}
	e := group[v.Best]
	if r.Progress != nil {
		r.Progress(r.done, max(r.total, r.done), e.Score)
	}
	w := &Winner{Entrant: e, Problem: h.coded(e), Machine: &choose.Machine{LeftOut: v.LeftOut}}
	entered.ridge = v.Lambda
	w.finish = func(ctx context.Context) error {
		return h.complete(ctx, w, func(ctx context.Context) (*choose.Machine, error) { return h.train(ctx, &entered) })
	}
	return w
}

// verdict judges entrants on one kernel. They stay as they are, because a piece may be done twice.
func (h *round) verdict(ctx context.Context, group []*Entrant) (verdict, error) {
	field := make([]*Entrant, len(group))
	for i, e := range group {
		one := *e
		field[i] = &one
	}
	before := h.race.done
	w, _, err := h.group(ctx, field)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return verdict{}, err
	}
	v := verdict{Judged: h.race.done - before, Best: -1}
	h.race.done = before
	for i, e := range field {
		v.Standings = append(v.Standings, standing{e.Rows, e.Score, e.Loss, e.Left, e.Theta})
		if w != nil && w.Entrant == e {
			v.Best, v.Lambda, v.LeftOut = i, w.Machine.Lambda, w.Machine.LeftOut
		}
	}
	return v, nil
}

// train trains an entrant as it entered the round, at the ridge that was found if it is of least squares.
func (h *round) train(ctx context.Context, e *Entrant) (*choose.Machine, error) {
	p := h.coded(e)
	g, err := e.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, err
	}
	if e.Learner == nil {
		_, train, err := h.bestSquare(ctx, e, g)
		if err != nil {
			return nil, err
		}
		return train(ctx)
	}
	bound, err := e.Learner.Bind(ctx, g, p)
	if err != nil {
		return nil, err
	}
	return trained(ctx, e, g, bound, p)
}
