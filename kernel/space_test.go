package kernel_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// What is computed with kernels ends with the error of its context, wherever it is stopped. (Bindings:
// kerneltest.)
func TestStoppedAnywhere(t *testing.T) {
	x := cloud(40, 3, 2)
	g := bind(t, kernel.Gaussian{Sigma: 1}, x, nil)
	k := full(g)
	product := mat.NewDense(40, 2, nil)
	choice := func(c kernel.LandmarkChoice) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := kernel.Landmarks{Choice: c, Count: 5}.Choose(ctx, g, []int{3})
			return err
		}
	}
	for name, f := range map[string]func(context.Context) error{
		"pivoted": choice(kernel.Pivoted), "means": choice(kernel.Means), "plus-plus": choice(kernel.PlusPlus),
		"uniform": choice(kernel.Uniform),
		"Nystrom": func(ctx context.Context) error {
			_, err := kernel.NewNystrom(ctx, g, 40, []int{1, 5, 8}, nil)
			return err
		},
		"centres": func(ctx context.Context) error { _, err := kernel.Centres(ctx, x, 4, 1); return err },
		"least":   func(ctx context.Context) error { _, err := kernel.Least(ctx, k, true); return err },
		"product": func(ctx context.Context) error {
			return kernel.MulSingle(ctx, product, kernel.NewSingle(g), nil, []int{1, 2, 3}, mat.NewDense(3, 2, nil))
		},
		"relevances": func(ctx context.Context) error {
			_, err := kernel.Relevances(ctx, kernel.Gaussian{Sigma: 1}, x, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
}
