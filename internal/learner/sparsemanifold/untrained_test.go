package sparsemanifold

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// TestInnerErrors: what the solver of a smooth loss says is the error of the machine.
func TestInnerErrors(t *testing.T) {
	set := newTwelve(t)
	of := Learner{Norm: set.norm, Ratio: 0.6, Nu: 4, Repair: BySlack, Centres: set.centres, Loss: learn.Logistic()}
	trainer, err := of.Bind(t.Context(), set.gram, set.problem(2))
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
