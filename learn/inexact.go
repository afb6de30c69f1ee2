package learn

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Inexact is a Learner whose training can stop earlier, at less cost.
type Inexact interface {
	Learner
	// Loose returns the learner that stops at the relative gradient tol, or at its own
	// tolerance if that is larger.
	Loose(tol float64) Learner
}

// PullError bounds how far what an inexact machine gives is from what the exact one would.
type PullError struct {
	Outputs   float64   // Euclidean norm, over judged rows and outputs
	Theta     []float64 // of dJ/dtheta, the learner's own parameters
	Cotangent float64   // Frobenius norm of dJ/dK; times that of dK/dp it is of dJ/dp
}

// Join adds the error of one more output.
func (e *PullError) Join(o PullError) {
	e.Outputs += o.Outputs // not less than the root of the sum of squares
	e.Cotangent += o.Cotangent
	if e.Theta == nil {
		e.Theta = make([]float64, len(o.Theta))
	}
	for k, v := range o.Theta {
		e.Theta[k] += v
	}
}

// ErrorBounded is a Sensitive trainer that bounds the error of its machines' outputs
// and derivatives by their residuals.
type ErrorBounded interface {
	Sensitive
	// PullError is for Outputs and Pull of the same arguments, where the function's
	// derivatives by the outputs have the Lipschitz constant slope. It is infinite where the
	// loss has no Lipschitz second derivative.
	PullError(ctx context.Context, m *Machine, rows []int, theta []float64, judged []int, bar *mat.Dense, slope float64) (PullError, error)
}
