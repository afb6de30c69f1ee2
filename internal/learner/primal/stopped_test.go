package primal_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// Machines over all rows and their products end with the error of their context, wherever they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	in := noise(t, 60, 1, 1)
	for name, f := range map[string]func(context.Context) error{
		"Newton": func(ctx context.Context) error {
			_, err := primal.Machine{Ambient: 1e-2, Intrinsic: 1}.Newton(ctx, in.k, in.r, in.lab, in.y)
			return err
		},
		"gradients": func(ctx context.Context) error {
			_, err := primal.Machine{Ambient: 1e-2, Intrinsic: 1}.CG(ctx, primal.DenseProduct(in.k), in.r, in.lab, in.y, primal.Options{})
			return err
		},
		"products": func(ctx context.Context) error { _, err := primal.NewProduct(ctx, in.g, 1<<30); return err },
		"single":   func(ctx context.Context) error { _, err := primal.SingleProduct(ctx, in.g); return err },
		"stored":   func(ctx context.Context) error { _, err := primal.StoredProduct(ctx, in.g); return err },
		"matrix-free": func(ctx context.Context) error {
			k, err := primal.NewProduct(ctx, in.g, 1)
			if err != nil {
				return err
			}
			_, err = primal.Machine{Ambient: 1e-2, Intrinsic: 1}.CG(ctx, k, in.r, in.lab, in.y, primal.Options{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			// A start that is stopped is a worse one, and single precision may have no room.
			stoptest.Everywhere(t, f, "primal.stored.MulTo", "primal.(*triangle).mul", "kernel.MulSingle", "primal.NewProduct")
		})
	}
}

// A machine that was stopped before its first step is the zero function, which a model can store.
func TestExpansionOfZero(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})}
	r := primal.Result{Alpha: mat.NewDense(3, 2, nil)}
	e := r.Expansion(kernel.Gaussian{Sigma: 1}, x)
	if n, c := e.Coef.Dims(); n != 1 || c != 2 || e.Centres.Len() != 1 || mat.Norm(e.Coef, 1) != 0 {
		t.Errorf("%d centres, %d x %d coefficients", e.Centres.Len(), n, c)
	}
}
