package manifold_test

import (
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/manifold"
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
