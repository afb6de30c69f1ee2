package manifold_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// Norms and warped kernels end with the error of their context, wherever
// they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	x := cloud(60, 3, 5)
	class := make([]int, 60)
	for i := range class {
		class[i] = i % 2
	}
	two := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Degree: 2}}
	norms := map[string]manifold.Norm{
		"graph": two, "within": manifold.Within{Graph: two, Class: class},
		"joint": manifold.Joint{Graph: two, Views: [][2]int{{0, 1}, {1, 3}}},
		"filtered": manifold.Filtered{
			Graph: two,
			Heat:  true,
		}, "heat": manifold.Graph{Recipe: graph.Recipe{Weights: graph.Heat, Neighbours: 4}},
		"combined": manifold.Combined{
			Terms: []manifold.Graph{{Recipe: graph.Recipe{Neighbours: 3}}, {Recipe: graph.Recipe{Neighbours: 6, Degree: 2}}},
		},
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
	t.Run("landmarks", func(t *testing.T) {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			w := reducedOf(warp(1, 1, 3, 1), nil)
			w.Landmarks = kernel.Landmarks{Count: 6}
			_, err := w.Choose(ctx, x, []int{2})
			return err
		})
	})
}

// powerOf is the matrix of the norm of a recipe on rows, from the graph's Laplacian alone.
func powerOf(t *testing.T, r graph.Recipe, x data.Rows) *mat.Dense {
	t.Helper()
	g, err := r.Build(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := g.Laplacian().ToDense()
	out := mat.DenseCopyOf(l)
	for range max(r.Degree, 1) - 1 {
		out.Mul(l, mat.DenseCopyOf(out))
	}
	return out
}

// recipes are graphs that differ from the first in one field each.
func recipes() map[string]graph.Recipe {
	first := graph.Recipe{Neighbours: 5}
	out := map[string]graph.Recipe{"first": first}
	for name, change := range map[string]func(r *graph.Recipe){
		"neighbours": func(r *graph.Recipe) { r.Neighbours = 9 },
		"degree":     func(r *graph.Recipe) { r.Degree = 3 },
		"metric":     func(r *graph.Recipe) { r.Metric = graph.Cosine },
		"laplacian":  func(r *graph.Recipe) { r.Laplacian = graph.Combinatorial },
		"symmetry":   func(r *graph.Recipe) { r.Symmetry = graph.Mutual },
		"kind":       func(r *graph.Recipe) { r.Kind, r.Radius = graph.Epsilon, 1.5 },
		"weights":    func(r *graph.Recipe) { r.Weights = graph.SelfTuned },
		"heat":       func(r *graph.Recipe) { r.Weights = graph.Heat },
		"width":      func(r *graph.Recipe) { r.Weights, r.Width = graph.Heat, 0.3 },
	} {
		r := first
		change(&r)
		out[name] = r
	}
	return out
}

// The norm of a graph is the power of its Laplacian, whatever the recipe asks for, with lists of neighbours that are
// shared with other graphs too; so are the operators of Combined, and no two recipes make the same norm.
func TestNormOfEveryRecipe(t *testing.T) {
	x := cloud(90, 4, 11)
	seen := map[string]*mat.Dense{}
	work := new(kernel.Work)
	for name, r := range recipes() {
		want := powerOf(t, r, x)
		norm := manifold.Graph{Recipe: r}
		for how, norm := range map[string]manifold.Norm{
			"alone": norm, "longer lists": manifold.Graph{Recipe: r, Longest: 20},
			"combined": manifold.Combined{Terms: []manifold.Graph{norm}},
		} {
			agree(t, name+", "+how, denseNorm(t, norm, x), want, 1e-12)
			o, err := norm.Bind(t.Context(), x, work)
			if err != nil {
				t.Fatal(err)
			}
			got := mat.NewDense(90, 90, nil)
			one := mat.NewDense(90, 90, nil)
			for i := range 90 {
				one.Set(i, i, 1)
			}
			o.MulTo(got, one)
			agree(t, name+", "+how+", shared", got, want, 1e-12)
		}
		for other, m := range seen {
			if mat.EqualApprox(m, want, 1e-9) {
				t.Errorf("%s and %s are the same norm", name, other)
			}
		}
		seen[name] = want
	}
	columns := manifold.Graph{Recipe: graph.Recipe{Neighbours: 5}, First: 1, Last: 3}
	agree(t, "columns", denseNorm(t, columns, x), powerOf(t, columns.Recipe, x.SelectColumns([]int{1, 2})), 1e-12)
}

// Neighbours are searched as the recipe asks, by its seed, also where other searches are shared.
func TestSearchOfTheRecipe(t *testing.T) {
	x := cloud(1500, 120, 14) // so many columns hide some neighbours
	work := new(kernel.Work)
	var norms []*mat.Dense
	for _, search := range []graph.NeighbourSearch{{}, {Method: graph.Approximate, Recall: 0.01},
		{Method: graph.Approximate, Recall: 0.01, Seed: 4}} {
		g, err := manifold.Graph{Recipe: graph.Recipe{Neighbours: 8, Search: search}}.Build(t.Context(), x, work)
		if err != nil {
			t.Fatal(err)
		}
		if exact := search.Method == graph.Auto; exact != (g.Recall == 1) {
			t.Errorf("%+v finds a share of %g", search, g.Recall)
		}
		w := g.W.ToDense()
		for _, other := range norms {
			if mat.Equal(other, w) {
				t.Errorf("%+v gives the edges of another search", search)
			}
		}
		norms = append(norms, w)
	}
}
