package graph_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// TestAmong: the graph of some rows among others is itself on these rows, and the others have no edge.
func TestAmong(t *testing.T) {
	all := []float64{0, 9, 0.4, 1, 9, 1.7, 2.1, 9}
	some := []int{0, 2, 3, 5, 6}
	x := mat.NewDense(len(some), 1, nil)
	for q, i := range some {
		x.Set(q, 0, all[i])
	}
	for _, weights := range []graph.Weights{graph.Binary, graph.Heat} {
		g, err := graph.Recipe{Neighbours: 2, Weights: weights}.Build(t.Context(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		among := g.Among(some, len(all))
		own, wide := g.W.ToDense(), among.W.ToDense()
		for i := range all {
			for j := range all {
				want, a, b := 0.0, slices.Index(some, i), slices.Index(some, j)
				if a >= 0 && b >= 0 {
					want = own.At(a, b)
				}
				if got := wide.At(i, j); got != want {
					t.Errorf("weight of %d and %d is %g, want %g", i, j, got, want)
				}
			}
		}
		l := among.Laplacian().ToDense()
		if r, _ := l.Dims(); r != len(all) || l.At(1, 1) != 0 || l.At(7, 7) != 0 {
			t.Errorf("the Laplacian is\n%v", mat.Formatted(l))
		}
	}
}
