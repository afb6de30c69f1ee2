package design

import (
	"context"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/score"
)

// Fixed trains the one machine of a score at theta, its kernel's parameters and
// lambda.
func Fixed(ctx context.Context, s *score.LeaveOut, theta []float64) (*choose.Candidates, error) {
	n := len(theta) - 1
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return nil, err
	}
	m, err := train(ctx, s, k, g, theta[n], span{}, s.Folds)
	if err != nil {
		return nil, err
	}
	return choose.Alone(m), nil
}

// FixedLearner trains the one machine of a learner's score at theta, its kernel's
// parameters and the learner's own.
func FixedLearner(ctx context.Context, s *score.Refit, theta []float64) (*choose.Candidates, error) {
	n := len(s.Kernel.Space())
	k, err := s.Kernel.With(theta[:n])
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(ctx, s.Problem.Rows, s.Work)
	if err != nil {
		return nil, err
	}
	t, err := s.Learner.Bind(ctx, g, s.Problem)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: k, Theta: theta[n:], Lambda: ridge(s.Learner, theta[n:])}
	bench := &Bench{Score: score.LeaveOut{Problem: s.Problem, Folds: s.Folds, Criterion: s.Criterion}}
	if m.Score, m.LeftOut, _, err = bench.judge(g, t)(ctx, m.Theta); err != nil {
		return nil, err
	}
	f, err := t.Train(ctx, nil, m.Theta, nil)
	if err != nil {
		return nil, err
	}
	if err := adopt(ctx, m, f, g, s.Problem); err != nil {
		return nil, err
	}
	return choose.Alone(m), nil
}
