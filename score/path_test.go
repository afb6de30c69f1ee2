package score_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// noting writes down the tolerances that are asked of it.
type noting struct {
	smooth.Learner
	asked *[]float64
}

func (n noting) Loose(tol float64) learn.Learner {
	*n.asked = append(*n.asked, tol)
	return n.Learner.Loose(tol)
}

// TestTolerancesAreAsTheyWere: the tolerances that an inexact score asks for, one evaluation after the other, far from the minimum, near it
// and on a bound, and what it then is.
func TestTolerancesAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, each := range []bool{false, true} {
		var asked []float64
		s := &score.Refit{
			Kernel: kernel.Gaussian{Sigma: 1}, Problem: blobs(40, 30, 3, 2, 7), Folds: folds(30, 3), Inexact: true,
			Learner:   noting{smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free}, &asked},
			Criterion: score.Risk{Loss: learn.Square()},
		}
		s.Free = s.Space()
		least := []float64{3.2721, 1.3775} // nearly
		if each {
			s.Folds, s.Free[0].Lo, least = nil, 0.5, []float64{3.2976, 1.0505}
		}
		near := func(by float64) []float64 { return []float64{by * least[0], least[1] / by} }
		for _, theta := range [][]float64{{1, 1}, near(1.1), near(1.01), near(1), near(0.99), {0.5, 1e-3}, {3, 4}} {
			asked = asked[:0]
			v, err := s.Eval(t.Context(), theta, param.WithGradient)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(fmt.Sprintf("each row %t", each), theta, len(asked), asked, v.F, v.Grad, v.Noise)
		}
	}
	for n := 3; n < 8; n++ {
		of := score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: noisy(n, 1, 1, 2), Offset: n%2 == 0}
		v, err := score.NoiseVariance(t.Context(), of)
		if (n < 4) != errors.Is(err, score.ErrNoNoise) {
			t.Fatal(n, err)
		}
		p.Add(fmt.Sprintf("noise of %d rows", n), v)
	}
	p.Compare(t, "tolerances")
}

// TestNoiseIsStopped: the estimate ends with the error of its context.
func TestNoiseIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: noisy(20, 1, 1, 2)}
	if _, err := score.NoiseVariance(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
