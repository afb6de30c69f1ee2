// Package hyper chooses hyper-parameters: scores of a parameter vector, with
// gradients where they exist, under any search. The driver owns the budget, the
// trace and the replay of an earlier trace.
package hyper

import (
	"context"

	"github.com/mercer-ml/mercer/param"
)

// Value is one evaluation of an objective. F is to be minimised; Grad, where
// asked for and known, is dF/dtheta in natural units. Infeasible points (a
// factorisation failed, a leverage reached one) have F = +Inf.
type Value struct {
	F    float64
	Grad []float64
}

// Objective is a score as a function of theta.
type Objective interface {
	Space() param.Space
	// Eval computes the score, and its gradient if grad is true. An error is a
	// fault that no other theta would cure, or the context's.
	Eval(ctx context.Context, theta []float64, grad bool) (Value, error)
}

// Evaluate is what a Search calls: it evaluates a batch (in parallel where it
// can), in natural units, and returns ErrBudget when the budget is spent.
type Evaluate func(ctx context.Context, theta [][]float64, grad bool) ([]Value, error)

// Search proposes points. It never sees the objective itself.
type Search interface {
	Run(ctx context.Context, s param.Space, eval Evaluate) error
}
