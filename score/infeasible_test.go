package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"gonum.org/v1/gonum/mat"
)

// Where a machine cannot be computed the score is infinite, so that a search goes on elsewhere; any other error ends it, and so does
// every error once its context has ended.
func TestInfeasible(t *testing.T) {
	ended, stop := context.WithCancel(t.Context())
	stop()
	numerical := []error{rls.ErrLeverage, rls.ErrNotFinite, learn.ErrUnsolved, new(blas.NotPositiveDefinite), new(blas.Singular)}
	for _, fault := range numerical {
		err := fmt.Errorf("at some point: %w", fault)
		if v, got := infeasible(t.Context(), err); got != nil || !math.IsInf(v.F, 1) {
			t.Errorf("%v: %v, %v", fault, v.F, got)
		}
		if _, got := infeasible(ended, err); !errors.Is(got, fault) {
			t.Errorf("%v, once the context has ended: %v", fault, got)
		}
	}
	if _, got := infeasible(t.Context(), context.DeadlineExceeded); !errors.Is(got, context.DeadlineExceeded) {
		t.Errorf("an error that is no numerical failure: %v", got)
	}
}

// A row is left out of a fit by features as long as what the others say of it is a million-millionth of its own answer.
func TestSlackOfFeatures(t *testing.T) {
	for lambda, fine := range map[float64]bool{1e-10: true, 1e-13: false} {
		p := &learn.Problem{Y: mat.NewDense(2, 1, []float64{1, -1})}
		f, err := solveFeatures(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), p, false, lambda)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.folds(nil); errors.Is(err, rls.ErrLeverage) == fine {
			t.Errorf("lambda %g: %v", lambda, err)
		}
	}
}
