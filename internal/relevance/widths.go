package relevance

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Widths learns all parameters of a kernel from labelled rows, see Learn.
type Widths struct {
	Start kernel.Kernel
	Steps int // evaluations at most
}

// Learn finds them from the rows of the first problem alone.
func (w Widths) Learn(ctx context.Context, own, _ *learn.Problem) (Learned, error) {
	return Learn(ctx, w.Start, own, Options{Steps: w.Steps})
}

// Mean has the geometric means of all parameters.
func (w Widths) Mean(learned []Learned) (Learned, error) {
	theta, lambda := make([]float64, len(learned[0].Kernel.Space())), 0.0
	part := 1 / float64(len(learned))
	for _, one := range learned {
		for i, d := range one.Kernel.Space() {
			theta[i] += part * math.Log(d.Default)
		}
		lambda += part * math.Log(one.Lambda)
	}
	for i, v := range theta {
		theta[i] = math.Exp(v)
	}
	k, err := w.Start.With(theta)
	return Learned{Kernel: k, Lambda: math.Exp(lambda)}, err
}
