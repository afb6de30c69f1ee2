package score

import "context"

// Errors is what the tests see of bounds.
type Errors = bounds

// ReducedFit is what the tests see of reducedFit.
type ReducedFit = reducedFit

// Errors is what the tests see of errors.
func (s *Refit) Errors(ctx context.Context, theta []float64, tol float64) (Errors, error) {
	return s.errors(ctx, theta, tol)
}
