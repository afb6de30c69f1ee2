package multiview_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/test/graphtest"
	"github.com/mercer-ml/mercer/manifold"
)

// A mixture with equal weights is the joint norm, one with a single weight that graph's own, and its square that of the mixed Laplacians.
func TestMixed(t *testing.T) {
	const n = 20
	x, views := cloud(n, 2, 3)
	norm := func(weights []float64, degree int) multiview.Mixed {
		m := multiview.Mixed{Weights: weights}
		for v := range views {
			recipe := graph.Recipe{Neighbours: 4, Degree: degree}
			m.Graphs = append(m.Graphs, manifold.Graph{Recipe: recipe, First: 2 * v, Last: 2*v + 2})
		}
		return m
	}
	r := rand.New(rand.NewPCG(1, 1))
	at := mat.NewDense(n, 2, nil)
	for i := range n {
		at.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
	}
	product := func(norm manifold.Norm) *mat.Dense {
		o, err := norm.Bind(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		graphtest.Operator(t, o)
		out := mat.NewDense(n, 2, nil)
		o.MulTo(out, at)
		return out
	}
	agree := func(name string, got, want *mat.Dense) {
		t.Helper()
		if !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", name, mat.Formatted(got), mat.Formatted(want))
		}
	}
	both := norm([]float64{0.5, 0.5}, 2)
	joint := manifold.Joint{Graph: manifold.Graph{Recipe: both.Graphs[0].Recipe}, Views: [][2]int{{0, 2}, {2, 4}}, Apart: true}
	agree("equal weights", product(both), product(joint))
	agree("one weight", product(norm([]float64{0, 1}, 2)), product(both.Graphs[1]))
	first, second := product(norm([]float64{1, 0}, 1)), product(norm([]float64{0, 1}, 1))
	first.Scale(0.3, first)
	second.Scale(0.7, second)
	first.Add(first, second)
	once := norm([]float64{0.3, 0.7}, 1)
	agree("a sum", product(once), first)
	want := mat.NewDense(n, 2, nil)
	o, err := once.Bind(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.MulTo(want, first)
	agree("the square", product(norm(once.Weights, 2)), want)
}
