package sparsemanifold

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/loss"
)

// TestNoScoreIsInfinite: where labels are met exactly nothing can be left out in closed form, and the score is the worst that there is;
// an interrupt is an error.
func TestNoScoreIsInfinite(t *testing.T) {
	s, _ := newScore(t, 2)
	theta := s.Space().Defaults()
	theta[s.Space().Index("lambda")] = 1e-300
	v, err := s.Eval(t.Context(), theta, true)
	if err != nil || !math.IsInf(v.F, 1) || v.Grad != nil {
		t.Errorf("the score is %g, %v", v.F, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Eval(ctx, theta, false); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestInnerErrors: what the solver of a smooth loss says is the error of the machine.
func TestInnerErrors(t *testing.T) {
	s, set := newScore(t, 2)
	of := Learner{Norm: set.norm, Ratio: s.Ratio, Nu: 4, Repair: BySlack, Centres: set.centres, Loss: loss.Logistic{}}
	trainer, err := of.Bind(t.Context(), set.gram, s.Problem)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := trainer.Train(ctx, nil, []float64{1}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
	for _, c := range []float64{math.NaN(), math.Inf(1), -1} {
		if m, err := trainer.Train(t.Context(), nil, []float64{c}, nil); err == nil {
			t.Errorf("C = %g made a machine: %+v", c, m.Certificate)
		}
	}
}
