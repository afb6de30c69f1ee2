package score_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// A score with its derivatives ends with the error of its context, wherever that is asked.
func TestScoresStopped(t *testing.T) {
	p := blobs(20, 15, 2, 2, 1)
	k := kernel.ARDGaussian{Sigma: []float64{1, 2}}
	folds := [][]int{{0, 3}, {1, 2, 4}}
	refit := func(l learn.Learner) *score.Refit {
		return &score.Refit{Kernel: k, Learner: l, Problem: p, Criterion: score.LogLoss{}, Folds: folds}
	}
	inductive := refit(rls.Learner{})
	inductive.Inductive = true
	for name, o := range map[string]param.Objective{
		"leave-one-out": &score.LeaveOut{Kernel: k, Problem: p, Criterion: score.LogLoss{}, Offset: true},
		"folds":         &score.LeaveOut{Kernel: k, Problem: p, Criterion: score.LogLoss{}, Folds: folds},
		"gcv":           &score.LeaveOut{Kernel: k, Problem: p, GCV: true},
		"in sample":     &score.LeaveOut{Kernel: k, Problem: p, Penalty: 0.1},
		"refit":         refit(rls.Learner{}),
		"logistic":      refit(smooth.Learner{Loss: learn.Logistic()}),
		"inductive":     inductive,
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				_, err := o.Eval(ctx, o.Space().Defaults(), param.WithGradient)
				return err
			})
		})
	}
}

// A score by loose machines ends with the error of its context too, and is not taken for one without a gradient.
func TestInexactScoreStopped(t *testing.T) {
	p := blobs(20, 15, 2, 2, 1)
	stoptest.Everywhere(t, func(ctx context.Context) error {
		s := &score.Refit{
			Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Criterion: score.Risk{Loss: learn.Square()}, Folds: [][]int{{0, 3}, {1, 2, 4}},
			Learner: smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free}, Inexact: true,
		}
		_, err := s.Eval(ctx, []float64{1, 1}, param.WithGradient)
		return err
	})
}
