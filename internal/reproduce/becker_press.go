package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// beckerPress chooses the hyper-parameters of Laplacian RLS by three readings
// of the source's score, at the same 243 random points:
//
//	press-label    r_i = (y_i - f_i)/(1 - (K C^-1)_ii)     exact: the label left out
//	press-system   r_i = alpha_i/(C^-1)_ii                  what its code most likely did
//	literal        r_i = (y_i - f_i)/(1 - (C^-1)_ii)        eq. 4.1 as printed
//
// The last has the training residual above and nothing that vanishes with it
// below, so it is smallest where the machine interpolates.
func beckerPress(ctx context.Context, l *lab) error {
	const labelled, unlabelled = 100, 500
	g := l.standIn(ctx)
	name := fmt.Sprintf("digits l=%d u=%d ", labelled, unlabelled)
	for run := range l.runs {
		t := g.split(l.seed, run, labelled, atMost(ctx, "unlabelled rows", 60, unlabelled), digits.test)
		m := t.machine()
		for _, scored := range []string{"press-label", "press-system", "eq. 4.1 as printed"} {
			l.say("split %d of %d: %s", run+1, l.runs, scored)
			var o param.Objective = m
			switch scored {
			case "press-system":
				o = system{m, t, systemPress}
			case "eq. 4.1 as printed":
				o = system{m, t, literal}
			}
			res, err := searching(ctx, o, search.Random{N: search.DefaultBudget, Seed: l.seed})
			if err != nil {
				return err
			}
			e, err := t.errorAt(ctx, m, res.Theta)
			if err != nil {
				return err
			}
			l.add(name+scored, testError, e)
			l.add(name+scored, "score found", res.F)
		}
	}
	return nil
}

// system is a score by the n x n system over the box of the machine.
type system struct {
	machine
	trial  *trial
	scored func(ctx context.Context, s system, theta []float64) (param.Value, error)
}

func (s system) Space() param.Space { return s.machine.Space() }

func (s system) Eval(ctx context.Context, theta []float64, _ bool) (param.Value, error) {
	return s.scored(ctx, s, theta)
}

func systemPress(ctx context.Context, s system, theta []float64) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	o := score.SystemPress{Warp: w, Problem: s.trial.problem, Work: s.trial.work}
	return o.Eval(ctx, inner, false)
}

// literal is eq. 4.1 as printed: 1/2 sum of ((y_i - f_i)/(1 - (C^-1)_ii))^2.
func literal(ctx context.Context, s system, theta []float64) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	p := s.trial.problem
	d, err := score.NewDirect(ctx, w, p, s.trial.work, inner)
	var singular *blas.Singular
	if errors.As(err, &singular) {
		return param.Value{F: math.Inf(1)}, nil
	}
	if err != nil {
		return param.Value{}, err
	}
	f := d.Fitted()
	var v param.Value
	for q, i := range p.Labelled {
		r := (p.Y.At(q, 0) - f.At(i, 0)) / (1 - d.Inverse.At(i, i))
		v.F += r * r / 2
	}
	if math.IsNaN(v.F) {
		v.F = math.Inf(1)
	}
	return v, nil
}
