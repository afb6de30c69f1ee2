package learn

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"
)

// ErrUnsolved is wrapped by the error of a Pull through a machine that does not solve its
// training problem well enough for its derivatives to mean anything.
var ErrUnsolved = errors.New("the machine is not solved, so it has no derivatives; bound C or widen the loss")

// Sensitive is a Trainer whose machines can be differentiated: it knows how the
// solution of the training problem answers to a change of the kernel and of the
// learner's own parameters (implicit function theorem). With it a score of left-out
// outputs has a gradient by every hyper-parameter of kernel and learner.
type Sensitive interface {
	Trainer
	// Outputs stores what m gives the labelled rows numbered by `judged` in dst
	// (|judged| x c), from the kernel values the trainer holds.
	Outputs(dst *mat.Dense, m *Machine, judged []int)
	// Pull differentiates a function J of those outputs, whose derivatives by them are
	// bar (|judged| x c), through a machine trained by Train(rows, theta). It returns
	// u, v (l x c) with dJ/dK = u v' on the labelled block, by the outputs' kernel values
	// and by the coefficients, and dJ/dtheta: one solution an output whatever the number
	// of parameters. An error says that the machine does not solve its problem well
	// enough for the derivatives to mean anything.
	Pull(ctx context.Context, m *Machine, rows []int, theta []float64, judged []int, bar *mat.Dense) (
		u, v *mat.Dense, dTheta []float64, err error)
}
