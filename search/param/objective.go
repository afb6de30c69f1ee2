package param

import "context"

// Value is one evaluation of an objective. F is to be minimised; Grad, where
// asked for and known, is dF/dtheta in natural units. Infeasible points (a
// factorisation failed, a leverage reached one) have F = +Inf.
type Value struct {
	F    float64
	Grad []float64
	// Noise is about how far F is from its exact value, where an inner solver makes it and
	// stops at a tolerance; 0: by rounding only. A search needs not tell apart values that
	// differ by less.
	Noise float64
}

// Want is what is wanted of an evaluation.
type Want int

// ValueOnly is for searches without derivatives, and for points that are only compared.
const (
	ValueOnly Want = iota
	WithGradient
)

// Objective is a score as a function of theta.
type Objective interface {
	Space() Space
	// Eval computes the score, and its gradient if that is wanted. An error is a
	// fault that no other theta would cure, or the context's.
	Eval(ctx context.Context, theta []float64, want Want) (Value, error)
}
