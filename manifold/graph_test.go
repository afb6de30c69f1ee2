package manifold_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// Norms, warped kernels and machines over all rows end with the error of their context, wherever
// they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	x := cloud(60, 3, 5)
	in := noise(t, 60, 1, 1)
	class := make([]int, 60)
	for i := range class {
		class[i] = i % 2
	}
	two := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Degree: 2}}
	norms := map[string]manifold.Norm{
		"graph": two, "within": manifold.Within{Graph: two, Class: class}, "joint": manifold.Joint{Graph: two, Views: [][2]int{{0, 1}, {1, 3}}},
		"filtered": manifold.Filtered{Graph: two, Heat: true}, "heat": manifold.Graph{Recipe: graph.Recipe{Weights: graph.Heat, Neighbours: 4}},
		"combined": manifold.Combined{Terms: []manifold.Graph{{Recipe: graph.Recipe{Neighbours: 3}}, {Recipe: graph.Recipe{Neighbours: 6, Degree: 2}}}},
	}
	for name, norm := range norms {
		w := manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: norm, Ratio: 10}
		z := reducedOf(w, []int{1, 5, 9, 20, 30})
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := norm.Bind(ctx, x, nil); return err })
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := w.Bind(ctx, x, nil); return err })
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := z.Bind(ctx, x, nil); return err })
		})
	}
	for name, f := range map[string]func(context.Context) error{
		"landmarks": func(ctx context.Context) error {
			w := reducedOf(warp(1, 1, 3, 1), nil)
			w.Landmarks = kernel.Landmarks{Count: 6}
			_, err := w.Choose(ctx, x, []int{2})
			return err
		},
		"Newton": func(ctx context.Context) error {
			_, err := manifold.Primal{Ambient: 1e-2, Intrinsic: 1}.Newton(ctx, in.k, in.r, in.lab, in.y)
			return err
		},
		"gradients": func(ctx context.Context) error {
			_, err := manifold.Primal{Ambient: 1e-2, Intrinsic: 1}.CG(ctx, manifold.DenseProduct(in.k), in.r, in.lab, in.y, manifold.PrimalCG{})
			return err
		},
		"products": func(ctx context.Context) error { _, err := manifold.NewProduct(ctx, in.g, 1<<30); return err },
		"single":   func(ctx context.Context) error { _, err := manifold.SingleProduct(ctx, in.g); return err },
		"stored":   func(ctx context.Context) error { _, err := manifold.StoredProduct(ctx, in.g); return err },
		"matrix-free": func(ctx context.Context) error {
			k, err := manifold.NewProduct(ctx, in.g, 1)
			if err != nil {
				return err
			}
			_, err = manifold.Primal{Ambient: 1e-2, Intrinsic: 1}.CG(ctx, k, in.r, in.lab, in.y, manifold.PrimalCG{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			// A start that is stopped is a worse one, and single precision may have no room.
			stoptest.Everywhere(t, f, "manifold.stored.MulTo", "manifold.(*triangle).mul", "kernel.MulSingle", "manifold.NewProduct")
		})
	}
}
