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
