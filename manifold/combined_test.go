package manifold_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// The graphs of a combination are those with a weight, the heaviest first, equal ones in
// their order.
func TestGraphsByWeight(t *testing.T) {
	c := manifold.Combined{
		Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 5}, []int{1, 2, 3}),
		Mu:    []float64{0.1, 0, 0.3, 0.2, 0.1, 0.3},
	}
	got := manifold.Graphs(c)
	want := []int{2, 5, 3, 0, 4}
	if len(got) != len(want) {
		t.Fatalf("%d graphs, want %d", len(got), len(want))
	}
	for q, j := range want {
		if got[q] != c.Terms[j] {
			t.Errorf("graph %d is %+v, want that of term %d, %+v", q, got[q].Recipe, j, c.Terms[j].Recipe)
		}
	}
	c.Mu = nil
	for j, g := range manifold.Graphs(c) {
		if g != c.Terms[j] {
			t.Errorf("equal weights: graph %d is %+v", j, g.Recipe)
		}
	}
}

// A combination is the sum of its terms by weight, each divided by what normalises it: the mean eigenvalue, or the
// largest. Widths move in proportion; weights that are fixed are no parameters.
func TestCombinedIsTheWeightedSum(t *testing.T) {
	x := cloud(50, 3, 12)
	heat := func(width float64) graph.Recipe {
		return graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: width}
	}
	plain := graph.Recipe{Neighbours: 7, Laplacian: graph.Combinatorial}
	square := plain
	square.Degree = 2
	build := func(scale float64, mu []float64, normalise graph.Normalisation) *mat.Dense {
		sum := mat.NewDense(50, 50, nil)
		for j, r := range []graph.Recipe{plain, heat(0.5 * scale), square, heat(2 * scale)} {
			m := powerOf(t, r, x)
			var c float64 = 1
			switch normalise {
			case graph.Trace:
				c = mat.Trace(m) / 50
			case graph.Spectral:
				var e mat.Eigen
				if !e.Factorize(m, mat.EigenNone) {
					t.Fatal("no eigenvalues")
				}
				c = 0
				for _, v := range e.Values(nil) {
					c = max(c, real(v))
				}
			}
			m.Scale(mu[j]/c, m)
			sum.Add(sum, m)
		}
		return sum
	}
	c := manifold.Combined{Terms: []manifold.Graph{{Recipe: plain}, {Recipe: heat(0.5)}, {Recipe: square}, {Recipe: heat(2)}}}
	mu := []float64{0.1, 0.2, 0.3, 0.4}
	for _, normalise := range []graph.Normalisation{graph.None, graph.Trace, graph.Spectral} {
		c.Normalise = normalise
		agree(t, "equal weights", denseNorm(t, c, x), build(1, []float64{0.25, 0.25, 0.25, 0.25}, normalise), 1e-7)
		moved, err := c.With(append(slices.Clone(mu), 1.5))
		if err != nil {
			t.Fatal(err)
		}
		agree(t, "moved", denseNorm(t, moved, x), build(3, mu, normalise), 1e-7)
		if !slices.Equal(moved.Space().Defaults(), append(slices.Clone(mu), 1.5)) {
			t.Errorf("the moved norm is at %v", moved.Space().Defaults())
		}
	}
	c.Fixed, c.Mu, c.Normalise = true, mu, graph.None
	if s := c.Space(); len(s) != 1 || s[0].Name != "width" || s[0].Default != 0.5 {
		t.Errorf("fixed weights leave the parameters %+v", s)
	}
	moved, err := c.With([]float64{1.5})
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "fixed", denseNorm(t, moved, x), build(3, mu, graph.None), 1e-12)
	o, err := c.Bind(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := o.(graph.Tunable).Space(); len(s) != 1 {
		t.Errorf("bound with fixed weights, the parameters are %+v", s)
	}
	names := []string{}
	c.Fixed = false
	for _, d := range c.Space() {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "mu[0] mu[1] mu[2] mu[3] width" {
		t.Errorf("parameters %s", got)
	}
	for _, theta := range [][]float64{{1, -0.1, 0, 0, 1}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, -1}} {
		if _, err := c.With(theta); err == nil {
			t.Errorf("%v are accepted", theta)
		}
	}
}

// The derivatives of a bound combination, one width for several graphs, agree with differences of With.
func TestCombinedConforms(t *testing.T) {
	x := cloud(40, 3, 13)
	c := manifold.Combined{Terms: []manifold.Graph{
		{Recipe: graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 0.5}}, {Recipe: graph.Recipe{Neighbours: 5}},
		{Recipe: graph.Recipe{Neighbours: 6, Weights: graph.Heat, Width: 2, Degree: 2}},
	}, Mu: []float64{0.2, 0.3, 0.5}}
	u, v := graphtest.Normal(3, 40, 2), graphtest.Normal(4, 40, 2)
	for _, c.Fixed = range []bool{false, true} {
		theta := c.Space().Defaults()
		at := func(theta []float64) float64 {
			moved, err := c.With(theta)
			if err != nil {
				t.Fatal(err)
			}
			r := denseNorm(t, moved, x)
			var ru mat.Dense
			ru.Mul(r, v)
			ru.MulElem(&ru, u)
			return mat.Sum(&ru)
		}
		o, err := c.Bind(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(theta))
		for q := range got {
			got[q] = 0.5 // Pull must add
		}
		o.(graph.Tunable).Pull(got, u, v)
		for q := range theta {
			moved := slices.Clone(theta)
			h := 1e-4 * theta[q]
			moved[q] = theta[q] + h
			want := at(moved)
			moved[q] = theta[q] - h
			want = (want - at(moved)) / (2 * h)
			near(t, c.Space()[q].Name, got[q]-0.5, want, 1e-6)
		}
	}
}
