package sparsemanifold

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"gonum.org/v1/gonum/mat"
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

// TestLeverageOfALeftOutRow: a row that has 1 less 1e-10 of its own output is left out and given nothing by the other, which it does not
// know; of one that has 1 less 1e-13 nothing can be said.
func TestLeverageOfALeftOutRow(t *testing.T) {
	for own, known := range map[float64]bool{1e10: true, 1e13: false} {
		k, y := mat.NewDense(2, 2, []float64{own, 0, 0, 1}), mat.NewDense(2, 1, []float64{1, -1})
		r, err := newRidge(t.Context(), k, y, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.leftOut(k, [][]int{{0}, {1}}, 1)
		switch {
		case !known && !errors.Is(err, rls.ErrLeverage):
			t.Errorf("a kernel value of %g: %v", own, err)
		case known && (err != nil || math.Abs(out.At(0, 0)) > 1e-9 || math.Abs(out.At(1, 0)) > 1e-9):
			t.Errorf("a kernel value of %g: left-out outputs %v, %v", own, out, err)
		}
	}
}
