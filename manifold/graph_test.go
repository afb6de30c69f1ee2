package manifold_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
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

// norms are one of each kind with parameters.
func norms() map[string]manifold.Norm {
	heat := func(width float64) manifold.Graph {
		return manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Weights: graph.Heat, Width: width}, Longest: 9}
	}
	plain := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3}, Longest: 9}
	return map[string]manifold.Norm{
		"plain":    plain,
		"heat":     heat(2),
		"power":    manifold.Filtered{Graph: plain, T: 3},
		"semi":     manifold.Filtered{Graph: plain, Heat: true},
		"within":   manifold.Within{Graph: heat(2), Phi: []float64{3, 5}},
		"joint":    manifold.Joint{Graph: heat(4), Views: [][2]int{{0, 1}, {1, 3}}},
		"combined": manifold.Combined{Terms: []manifold.Graph{plain, heat(2), heat(6)}, Mu: []float64{0.2, 0.3, 0.5}},
		"fixed":    manifold.Combined{Terms: []manifold.Graph{plain, heat(2)}, Fixed: true},
	}
}

// The parameters of norms and of kernels warped by them, with their bounds, and what is none of their values.
func TestSpacesOfNorms(t *testing.T) {
	for name, want := range map[string][]string{
		"plain":    nil,
		"heat":     {"width 2 in [0.03125, 128]"},
		"power":    {"degree 3 in [0.25, 8]"},
		"semi":     {"semigroup 1 in [0.015625, 32]"},
		"within":   {"phi[0] 3 in [0.0029296875, 3072]", "phi[1] 5 in [0.0048828125, 5120]", "width 2 in [0.03125, 128]"},
		"joint":    {"width 4 in [0.0625, 256]"},
		"combined": {"mu[0] 0.2 in [0, 1]", "mu[1] 0.3 in [0, 1]", "mu[2] 0.5 in [0, 1]", "width 2 in [0.03125, 128]"},
		"fixed":    {"width 2 in [0.03125, 128]"},
	} {
		norm := norms()[name]
		var got []string
		for _, d := range norm.Space() {
			got = append(got, fmt.Sprintf("%s %v in [%v, %v]", d.Name, d.Default, d.Lo, d.Hi))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: parameters %q, expected %q", name, got, want)
		}
		warped := manifold.Warp{Base: kernel.Gaussian{Sigma: 3}, Norm: norm, Ratio: 8}
		ratio := warped.Space()[1+len(want)]
		if ratio.Name != "ratio" || ratio.Default != 8 || ratio.Lo != 0x1p-17 || ratio.Hi != 0x1p23 {
			t.Errorf("%s: %+v", name, ratio)
		}
	}
}

// With takes each value to its place, and refuses widths and weights below zero by their names.
func TestNormsWith(t *testing.T) {
	for name, theta := range map[string][]float64{
		"heat": {7}, "power": {1.5}, "semi": {0.25}, "within": {2, 4, 7}, "joint": {7}, "combined": {0.1, 0.2, 0.7, 7}, "fixed": {7},
	} {
		norm := norms()[name]
		moved, err := norm.With(theta)
		if err != nil || !slices.Equal(moved.Space().Defaults(), theta) {
			t.Errorf("%s: %+v, %v", name, moved, err)
		}
		if !reflect.DeepEqual(norm, norms()[name]) {
			t.Errorf("%s was changed by With", name)
		}
	}
	moved, err := norms()["combined"].With([]float64{0.1, 0.2, 0.7, 7})
	if err != nil || moved.(manifold.Combined).Terms[2].Recipe.Width != 21 {
		t.Errorf("the second width does not keep its ratio: %+v, %v", moved, err)
	}
	for name, c := range map[string]struct {
		theta []float64
		want  string
	}{
		"heat":     {[]float64{0}, "graph width = 0; it must be positive"},
		"power":    {[]float64{0}, "degree = 0; it must be positive"},
		"semi":     {[]float64{-1}, "semigroup = -1; it must be positive"},
		"within":   {[]float64{1, 1, -2}, "graph width = -2"},
		"joint":    {[]float64{0}, "graph width = 0"},
		"combined": {[]float64{0.5, -0.5, 1, 2}, "mu[1] = -0.5; it must not be negative"},
		"fixed":    {[]float64{0}, "graph width = 0; it must be positive"},
	} {
		if _, err := norms()[name].With(c.theta); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected %s", name, err, c.want)
		}
		w := manifold.Warp{Base: kernel.Gaussian{Sigma: 3}, Norm: norms()[name], Ratio: 8}
		if _, err := w.With(slices.Concat([]float64{1}, c.theta, []float64{1})); err == nil {
			t.Errorf("%s: a warped kernel takes %v", name, c.theta)
		}
	}
	w := manifold.Warp{Base: kernel.Gaussian{Sigma: 3}, Norm: norms()["heat"], Ratio: 8}
	for _, theta := range [][]float64{{0, 1, 1}, {1, 1, -1}, {1, 1, math.Inf(1)}, {1, 1, math.NaN()}} {
		if _, err := w.With(theta); err == nil {
			t.Errorf("a warped kernel takes %v", theta)
		}
	}
}

// An unshared norm has lists of its own length and changes nothing else, nor the norm that it comes from.
func TestUnshared(t *testing.T) {
	for name, norm := range norms() {
		own := manifold.Unshared(norm)
		for q, g := range manifold.Graphs(own) {
			before := manifold.Graphs(norm)[q]
			if g.Longest != 0 || before.Longest != 9 || g.Recipe != before.Recipe {
				t.Errorf("%s: %+v became %+v", name, before, g)
			}
		}
		if !slices.Equal(own.Space().Defaults(), norm.Space().Defaults()) {
			t.Errorf("%s: the parameters changed", name)
		}
	}
	joint := norms()["joint"].(manifold.Joint)
	apart := joint
	apart.Apart = true
	a, b := manifold.Graphs(joint), manifold.Graphs(apart)
	if len(a) != 3 || len(b) != 2 || a[2].First != 1 || a[2].Last != 3 || a[2] != b[1] {
		t.Errorf("views %+v and, without all columns, %+v", a, b)
	}
}

// Cartesian lists the degrees fastest, on lists of the most neighbours.
func TestCartesian(t *testing.T) {
	list := manifold.Cartesian(graph.Recipe{Symmetry: graph.Mutual}, []int{3, 7, 5}, []int{1, 2})
	var got []string
	for _, g := range list {
		got = append(got, fmt.Sprint(g.Recipe.Neighbours, g.Recipe.Degree, g.Longest, g.Recipe.Symmetry == graph.Mutual))
	}
	if want := "3 1 7 true,3 2 7 true,7 1 7 true,7 2 7 true,5 1 7 true,5 2 7 true"; strings.Join(got, ",") != want {
		t.Errorf("terms %q, expected %s", got, want)
	}
}

// Warped takes both kinds of warped kernels apart, and no other.
func TestWarped(t *testing.T) {
	whole := manifold.Warp{Base: kernel.Gaussian{Sigma: 3}, Norm: norms()["heat"], Ratio: 8}
	for _, k := range []kernel.Kernel{whole, manifold.Reduced{Base: whole.Base, Norm: whole.Norm, Ratio: 8}} {
		if got, ok := manifold.Warped(k); !ok || !reflect.DeepEqual(got, whole) {
			t.Errorf("%+v is %+v", k, got)
		}
	}
	for _, k := range []kernel.Kernel{whole.Base, manifold.Reduced{Base: whole.Base}} {
		if got, ok := manifold.Warped(k); ok {
			t.Errorf("%+v is warped: %+v", k, got)
		}
	}
}
