package manifold_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// threeClasses are rows without structure, of classes 0, 1, 2 in turn, 1 twice.
func threeClasses(n int) (data.Rows, []int) {
	class := make([]int, n)
	for i := range class {
		class[i] = []int{0, 1, 2, 1}[i%4]
	}
	return data.Rows{Dense: graphtest.Normal(21, n, 3)}, class
}

// dense is the matrix of a norm on rows.
func denseNorm(t *testing.T, norm manifold.Norm, rows data.Rows) *mat.Dense {
	t.Helper()
	o, err := norm.Bind(context.Background(), rows, new(kernel.Work))
	if err != nil {
		t.Fatal(err)
	}
	n := rows.Len()
	id, r := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		id.Set(i, i, 1)
	}
	o.MulTo(r, id)
	return r
}

// The norm is that of the graph without its edges across classes, by definition: the Laplacian of
// the edges left, row by row, to its power, times the class's factor.
func TestWithinIsTheNormOfEdgesInsideClasses(t *testing.T) {
	const n = 40
	rows, class := threeClasses(n)
	recipe := graph.Recipe{Neighbours: 6, Laplacian: graph.Combinatorial}
	built, err := recipe.Build(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := mat.NewDense(n, n, nil)
	for i := range n {
		idx, w := built.W.Row(i)
		for p, j := range idx {
			if class[i] == class[j] {
				l.Set(i, int(j), -w[p])
				l.Set(i, i, l.At(i, i)+w[p])
			}
		}
	}
	for degree, phi := range map[int][]float64{1: nil, 2: {1, 1, 1}, 3: {0.5, 2, 7}} {
		recipe.Degree = degree
		want := mat.DenseCopyOf(l)
		for range degree - 1 {
			want.Mul(mat.DenseCopyOf(want), l)
		}
		for i := range n {
			if phi != nil {
				row := want.RawRowView(i)
				for j := range row {
					row[j] *= phi[class[i]]
				}
			}
		}
		got := denseNorm(t, manifold.Within{Graph: manifold.Graph{Recipe: recipe}, Class: class, Phi: phi}, rows)
		if !mat.EqualApprox(got, want, 1e-10*mat.Max(want)) {
			t.Errorf("degree %d, phi %v: another norm", degree, phi)
		}
	}
}

// One class leaves the graph as it is; a class a row leaves nothing.
func TestWithinLimits(t *testing.T) {
	rows, class := threeClasses(30)
	for _, recipe := range []graph.Recipe{{Neighbours: 5, Degree: 2}, {Neighbours: 4, Weights: graph.SelfTuned}} {
		g := manifold.Graph{Recipe: recipe, Longest: 9}
		if !mat.Equal(denseNorm(t, manifold.Within{Graph: g, Class: make([]int, 30)}, rows), denseNorm(t, g, rows)) {
			t.Error("one class changes the graph")
		}
		for i := range class {
			class[i] = i
		}
		if r := denseNorm(t, manifold.Within{Graph: g, Class: class}, rows); mat.Norm(r, 1) != 0 {
			t.Errorf("rows of classes of their own are joined: %g", mat.Norm(r, 1))
		}
	}
}

// Classes go with the identity of a row: a selection, in any order, has the norm of the graph made on
// it, and is no prefix of the classes.
func TestWithinFollowsIdentity(t *testing.T) {
	rows, class := threeClasses(40)
	idx := []int{39, 2, 17, 5, 31, 8, 22, 13, 4, 28, 30, 11, 19, 36}
	part := rows.Select(idx)
	var own []int
	for _, i := range idx {
		own = append(own, class[i])
	}
	g := manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Degree: 2}}
	got := denseNorm(t, manifold.Within{Graph: g, Class: class}, part)
	alone := data.Rows{Dense: part.Dense} // identities 0, 1, ...
	if !mat.Equal(got, denseNorm(t, manifold.Within{Graph: g, Class: own}, alone)) {
		t.Error("a selection has another norm than the same rows by themselves")
	}
	if mat.Equal(got, denseNorm(t, manifold.Within{Graph: g, Class: class}, alone)) {
		t.Error("the classes by place give the same norm: the test shows nothing")
	}
}

func TestWithinConforms(t *testing.T) {
	rows, class := threeClasses(50)
	for _, w := range []manifold.Within{
		{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 2}}, Class: class},
		{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5}}, Class: class, Phi: []float64{1, 2, 3}},
		{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Weights: graph.Heat, Width: 2}}, Class: class},
		{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Weights: graph.Heat, Width: 2, Degree: 2}}, Class: class,
			Phi: []float64{1, 2, 3}},
	} {
		o, err := w.Bind(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		graphtest.Operator(t, o)
		names := func(norm interface{ Names() []string }) string { return strings.Join(norm.Names(), " ") }
		if names(w.Space()) != names(o.Space()) || !slices.Equal(w.Space().Defaults(), o.Space().Defaults()) {
			t.Errorf("the recipe's parameters %v, its operator's %v", w.Space(), o.Space())
		}
		theta := w.Space().Defaults()
		for k := range theta {
			theta[k] *= 1.5
		}
		moved, err := w.With(theta)
		if err != nil {
			t.Fatal(err)
		}
		if got := moved.Space().Defaults(); !slices.Equal(got, theta) {
			t.Errorf("moved to %v, is at %v", theta, got)
		}
		if w.Phi != nil && w.Phi[0] != 1 {
			t.Error("With changed the recipe")
		}
		if list := manifold.Graphs(w); len(list) != 1 || list[0] != w.Graph {
			t.Errorf("its graphs are %v", list)
		}
	}
}

func TestWithinNeedsEveryClass(t *testing.T) {
	rows, class := threeClasses(20)
	g := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3}}
	missing := slices.Clone(class)
	missing[7] = -1
	for name, c := range map[string]struct {
		class []int
		want  string
	}{"missing": {missing, "row 7, identity 7"}, "short": {class[:12], "row 12"}} {
		_, err := manifold.Within{Graph: g, Class: c.class}.Bind(context.Background(), rows, nil)
		if err == nil || !strings.Contains(err.Error(), "every row labelled") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := manifold.Within{Graph: g, Class: class, Phi: []float64{1, -1, 1}}
	if _, err := w.Bind(context.Background(), rows, nil); err == nil {
		t.Error("a negative factor was taken")
	}
	w.Graph.Longest = 8
	if u := manifold.Unshared(w).(manifold.Within); u.Graph.Longest != 0 || w.Graph.Longest != 8 {
		t.Error("lists of neighbours are still shared")
	}
}
