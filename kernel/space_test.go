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

// A search moves a positive parameter within a factor of 64, and ranks not below their least width.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		k          kernel.Kernel
		name       string
		lo, hi, is float64
	}{
		{kernel.Gaussian{Sigma: 2}, "sigma", 2.0 / 64, 128, 2},
		{kernel.ARDGaussian{Sigma: []float64{1, 2}}, "sigma[2]", 2.0 / 64, 128, 2},
		{kernel.ARDRational{Sigma: []float64{1}, Alpha: 3}, "alpha", 3.0 / 64, 192, 3},
		{kernel.ARDL1Laplacian{Sigma: []float64{1, 4}, Group: []int{0, 1}, Names: []string{"g", "h"}}, "sigma[h]", 4.0 / 64, 256, 4},
		{kernel.ANOVA{Weight: []float64{1, 2}, Sigma: 0.64}, "sigma", 0.01, 0.64 * 64, 0.64},
		{kernel.ANOVA{Weight: []float64{1, 2}, Sigma: 0.064}, "sigma", 0.002, 0.064 * 64, 0.064},
		{kernel.ANOVA{Weight: []float64{1, 2}, Sigma: 0.064}, "weight[2]", 2.0 / 64, 128, 2},
		{kernel.Polynomial{Degree: 2, Scale: 1, Offset: 0.5}, "offset", 0, 8, 0.5},
		{kernel.Polynomial{Degree: 2, Scale: 1, Offset: 2}, "offset", 0, 16, 2},
		{kernel.Sigmoid{Scale: 1, Offset: -2}, "offset", -16, 16, -2},
		{kernel.Scaled{Weight: 2, Base: kernel.Linear{}}, "weight", 2.0 / 64, 128, 2},
	} {
		found := false
		for _, d := range c.k.Space() {
			if d.Name == c.name {
				found = true
				if d.Lo != c.lo || d.Hi != c.hi || d.Default != c.is {
					t.Errorf("%+v: %s is %g in [%g, %g]", c.k, c.name, d.Default, d.Lo, d.Hi)
				}
			}
		}
		if !found {
			t.Errorf("%+v has no parameter %s", c.k, c.name)
		}
	}
}

// A kernel that is bound within a context that ends, at whichever look, is whole or an error.
func TestBoundWholeOrNot(t *testing.T) {
	rows := histograms(40, 5, 1)
	low := kernel.LowRank{Base: kernel.Gaussian{Sigma: 1}, Centres: cloud(3, 5, 8)}
	for _, k := range append(kernels(), kernel.Chi2Map{Harmonics: 2}, low) {
		stoptest.Whole(t, func(a, b kernel.Gram) bool { return mat.Equal(full(a), full(b)) }, func(ctx context.Context) (kernel.Gram, error) {
			return k.Bind(ctx, rows, nil)
		})
	}
}
