package score_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

func value(t *testing.T, s param.Objective, theta []float64) param.Value {
	t.Helper()
	v, err := s.Eval(context.Background(), theta, param.WithGradient)
	if err != nil || v.Grad == nil {
		t.Fatal(v, err)
	}
	return v
}

// counting adds up the steps of the solver.
type counting struct {
	smooth.Learner
	steps *atomic.Int64
}

func (c counting) Loose(tol float64) learn.Learner {
	c.Learner = c.Learner.Loose(tol).(smooth.Learner)
	return c
}

func (c counting) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	t, err := c.Learner.Bind(ctx, g, p)
	if err != nil {
		return nil, err
	}
	return countingTrainer{t.(learn.Sensitive), c.steps}, nil
}

type countingTrainer struct {
	learn.Sensitive
	steps *atomic.Int64
}

func (c countingTrainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	m, err := c.Sensitive.Train(ctx, rows, theta, warm)
	if err == nil {
		c.steps.Add(int64(m.Certificate.Steps))
	}
	return m, err
}

// A search with inner tolerances tied to the gradient ends where the exact one does, by
// fewer steps of the inner solver.
func TestInexactSearch(t *testing.T) {
	ctx := context.Background()
	var all, allExact int64
	for seed := range uint64(4) {
		run := func(inexact bool) (search.Result, int64) {
			var steps atomic.Int64
			s := &score.Refit{
				Kernel:  kernel.ARDGaussian{Sigma: []float64{2, 2, 2, 2}},
				Problem: blobs(100, 100, 4, 2, 11+seed),
				Folds:   folds(100, 4),
				Warm:    true,
				Inexact: inexact,
				Learner: counting{
					smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free},
					&steps,
				},
				Criterion: score.Risk{Loss: learn.Logistic()},
			}
			r, err := search.Driver{Budget: 80}.Run(ctx, s, search.Gradient{Start: s.Space().Defaults()})
			if err != nil {
				t.Fatal(err)
			}
			return r, steps.Load()
		}
		exact, exactSteps := run(false)
		rough, steps := run(true)
		t.Logf(
			"exact %.9g by %d evaluations, %d steps; inexact %.9g by %d, %d steps",
			exact.F,
			exact.Evaluations,
			exactSteps,
			rough.F,
			rough.Evaluations,
			steps,
		)
		if math.Abs(exact.F-rough.F) > 1e-6*exact.F {
			t.Errorf("score %.9g, exact %.9g", rough.F, exact.F)
		}
		for k, v := range exact.Theta {
			if math.Abs(math.Log2(v/rough.Theta[k])) > 0.05 {
				t.Errorf("parameter %d: %g, exact %g", k, rough.Theta[k], v)
			}
		}
		all, allExact = all+steps, allExact+exactSteps
	}
	if 20*all > 19*allExact {
		t.Errorf("%d steps, exact %d", all, allExact)
	}
}

// The noise of an inexact value is at most a tenth of what a step by its gradient may gain, or the value is that of the learner's own
// tolerance.
func TestNoiseOfInexactValues(t *testing.T) {
	p, f := blobs(60, 50, 4, 2, 5), folds(50, 5)
	for _, loss := range []learn.Loss{learn.Logistic(), learn.ModLogistic(12)} {
		refit := func(inexact bool) *score.Refit {
			s := &score.Refit{
				Kernel:    kernel.Linear{},
				Problem:   p,
				Folds:     f,
				Criterion: score.Risk{Loss: learn.Square()},
				Inexact:   inexact,
				Learner:   smooth.Learner{Loss: loss, Offset: smooth.Free},
			}
			s.Free = s.Space()
			s.Free[0].Lo, s.Free[0].Hi = 1e-4, 1e4
			return s
		}
		for q := range 60 {
			c := math.Pow(10, float64(q)/10-3)
			v := value(t, refit(true), []float64{c})
			size := math.Abs(c*v.Grad[0]) / math.Abs(v.F)
			if v.Noise <= 0.1*size*size*math.Abs(v.F)*(1+1e-9) {
				continue
			}
			if own := value(t, refit(false), []float64{c}); v.F != own.F {
				t.Errorf("%s, C = %g: noise %g of %g, with a gradient of the size %g", loss.Name(), c, v.Noise, v.F, size)
			}
		}
	}
}
