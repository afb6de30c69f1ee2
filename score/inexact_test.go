package score_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// The values and the gradients of inexact machines are within their bounds of the exact
// ones, which agree with differences; both errors and bounds fall with the tolerance.
func TestErrorsBound(t *testing.T) {
	ctx := context.Background()
	for _, v := range []learn.Loss{learn.Logistic{}, learn.Square{}, learn.Quartic{Eps: 0.5}, learn.ModLogistic{Mu: 4}} {
		for _, off := range []smooth.Offset{smooth.None, smooth.Augmented} {
			for _, classes := range []int{2, 3} {
				refit := func(tol float64) *score.Refit {
					return &score.Refit{
						Kernel:    kernel.ARDGaussian{Sigma: []float64{1.5, 2, 3, 1}},
						Problem:   blobs(40, 30, 4, classes, 3),
						Folds:     folds(30, 3),
						Learner:   smooth.Learner{Loss: v, Offset: off, Tolerance: tol},
						Criterion: score.Risk{Loss: learn.Logistic{}},
					}
				}
				s := refit(1e-13)
				theta := s.Space().Defaults()
				theta[len(theta)-1] = 0.3
				gradientAgrees(t, s, theta)
				exact := value(t, s, theta)
				norms := derivativeNorms(t, s, theta)
				last, moved := score.Errors{}, false
				for _, tol := range []float64{1e-3, 1e-5, 1e-7} {
					name := fmt.Sprintf("%s/%v/%d/%g", v.Name(), off, classes, tol)
					rough := value(t, refit(tol), theta)
					e, err := refit(0).Errors(ctx, theta, tol)
					if err != nil {
						t.Fatal(err)
					}
					const rounding = 1e-12
					if d := math.Abs(rough.F - exact.F); d > e.F+rounding {
						t.Errorf("%s: value off by %.2g, bound %.2g", name, d, e.F)
					}
					for k, g := range exact.Grad {
						bound := e.Own[len(e.Own)-1]
						if k < len(norms) {
							bound = e.Cotangent * norms[k]
						}
						d := math.Abs(rough.Grad[k] - g)
						if d > bound+rounding {
							t.Errorf("%s: %s off by %.2g, bound %.2g", name, s.Space()[k].Name, d, bound)
						}
						moved = moved || d > 1e-10
					}
					if tol < 1e-3 && (e.F > last.F || e.Cotangent > last.Cotangent) {
						t.Errorf("%s: bounds %v grow from %v", name, e, last)
					}
					last = e
				}
				if _, square := v.(learn.Square); !moved && !square { // solved in one step
					t.Errorf("%s: no tolerance made a difference: nothing is tested", v.Name())
				}
			}
		}
	}
}

func value(t *testing.T, s param.Objective, theta []float64) param.Value {
	t.Helper()
	v, err := s.Eval(context.Background(), theta, true)
	if err != nil || v.Grad == nil {
		t.Fatal(v, err)
	}
	return v
}

// derivativeNorms are the Frobenius norms of the derivatives of the labelled block by the
// kernel's parameters, by differences.
func derivativeNorms(t *testing.T, s *score.Refit, theta []float64) []float64 {
	t.Helper()
	lab := s.Problem.Labelled
	block := func(th []float64) *mat.Dense {
		k, err := s.Kernel.With(th)
		if err != nil {
			t.Fatal(err)
		}
		g, err := k.Bind(context.Background(), s.Problem.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := mat.NewDense(len(lab), len(lab), nil)
		g.Block(b, lab, lab)
		return b
	}
	norms := make([]float64, len(s.Kernel.Space()))
	for k := range norms {
		const h = 1e-5
		up, down := append([]float64(nil), theta[:len(norms)]...), append([]float64(nil), theta[:len(norms)]...)
		up[k] += h
		down[k] -= h
		d := block(up)
		d.Sub(d, block(down))
		norms[k] = mat.Norm(d, 2) / (2 * h)
	}
	return norms
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
					smooth.Learner{Loss: learn.Logistic{}, Offset: smooth.Free},
					&steps,
				},
				Criterion: score.Risk{Loss: learn.Logistic{}},
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

// Without what they need there are no bounds, and tolerances stay.
func TestErrorsRefused(t *testing.T) {
	p := blobs(40, 30, 4, 2, 3)
	for name, s := range map[string]*score.Refit{
		"free offset": {Learner: smooth.Learner{Loss: learn.Logistic{}, Offset: smooth.Free}, Criterion: score.Risk{Loss: learn.Square{}}},
		"temperature": {Learner: smooth.Learner{Loss: learn.Logistic{}}, Criterion: score.LogLoss{}},
		"inductive":   {Learner: smooth.Learner{Loss: learn.Logistic{}}, Criterion: score.Risk{Loss: learn.Square{}}, Inductive: true},
	} {
		s.Kernel, s.Problem, s.Folds = kernel.Gaussian{Sigma: 2}, p, folds(30, 3)
		if _, err := s.Errors(context.Background(), []float64{2, 1}, 1e-3); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
