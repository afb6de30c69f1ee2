package design

import (
	"testing"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
)

// No machine may be trained twice: it would count twice in the average.
func TestDesignHasNoDuplicates(t *testing.T) {
	for _, r := range []graph.Recipe{
		{}, {Neighbours: 4}, {Neighbours: 16}, {Degree: 2}, {Degree: 5}, {Degree: 1, Neighbours: 10},
	} {
		for _, linear := range []bool{true, false} {
			r.Weights = graph.SelfTuned
			d := Design{Rows: 200, Base: kernel.Gaussian{}, Graph: r, Linear: linear, Mutual: true}
			seen := map[choose.Candidate]bool{}
			for _, c := range append(d.Supervised("rls"), d.Graphs("lap-rls")...) {
				if seen[*c] {
					t.Errorf("graph %+v, linear %v: twice %+v", r, linear, *c)
				}
				seen[*c] = true
				if !c.Supervised() && (r.Degree > 0 && c.Graph.Degree != r.Degree || r.Neighbours > 0 && c.Graph.Neighbours != r.Neighbours) {
					t.Errorf("graph %+v: not as given: %+v", r, c.Graph)
				}
			}
		}
	}
}

// A linear machine's prior does not depend on its graph; that of a graph under a
// Gaussian kernel has its mode at few neighbours, on sparse rows at more.
func TestPrior(t *testing.T) {
	d := Design{Rows: 10}
	if a, b := d.prior(choose.Candidate{Linear: true}), d.prior(choose.Candidate{Linear: true, Graph: graph.Recipe{Neighbours: 50}}); a != b {
		t.Errorf("linear: %g without a graph, %g with one", a, b)
	}
	at := func(n int) float64 {
		return d.prior(choose.Candidate{Ratio: 1e6, Graph: graph.Recipe{Neighbours: n}})
	}
	if !(at(5) > at(3) && at(5) > at(20)) {
		t.Errorf("dense: %g, %g, %g at 3, 5, 20 neighbours", at(3), at(5), at(20))
	}
	d.Sparse = true
	if !(at(20) > at(5) && at(20) > at(80)) {
		t.Errorf("sparse: %g, %g, %g at 5, 20, 80 neighbours", at(5), at(20), at(80))
	}
}
