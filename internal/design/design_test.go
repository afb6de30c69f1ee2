package design

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
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
				if !c.Supervised() &&
					(r.Degree > 0 && c.Graph.Degree != r.Degree || r.Neighbours > 0 && c.Graph.Neighbours != r.Neighbours) {
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

// TestPlan: how many machines each case tries, with which neighbours, ratios and priors.
func TestPlan(t *testing.T) {
	free := Design{Rows: 200, Base: kernel.Gaussian{Sigma: 1}, Graph: graph.Recipe{Weights: graph.SelfTuned}, Linear: true, Mutual: true}
	with := func(change func(d *Design)) Design {
		d := free
		change(&d)
		return d
	}
	for name, c := range map[string]struct {
		d                   Design
		supervised, graphs  int
		longest, neighbours int // the longest list, and the sum of neighbours over candidates
	}{
		"free":       {free, 6, 28, 50, 408},
		"few rows":   {with(func(d *Design) { d.Rows = 9 }), 6, 16, 8, 84},
		"fixed":      {with(func(d *Design) { d.FixedWidth = true }), 2, 28, 50, 408},
		"union":      {with(func(d *Design) { d.Mutual = false }), 6, 20, 50, 324},
		"no linear":  {with(func(d *Design) { d.Linear = false }), 5, 20, 50, 144},
		"degree":     {with(func(d *Design) { d.Graph.Degree = 3 }), 6, 24, 50, 276},
		"neighbours": {with(func(d *Design) { d.Graph.Neighbours = 60 }), 6, 12, 60, 720},
		"ratio":      {with(func(d *Design) { d.Ratio = 10 }), 6, 10, 50, 72},
		"binary":     {with(func(d *Design) { d.Graph.Weights = graph.Binary }), 6, 18, 50, 354},
		"spread":     {with(func(d *Design) { d.Graph.Width = 0.5 }), 6, 18, 50, 354},
		"landmarks":  {with(func(d *Design) { d.Landmarks = true }), 6, 29, 50, 516},
	} {
		graphs := c.d.Graphs("lap-rls")
		sum := 0
		for _, g := range graphs {
			sum += g.Graph.Neighbours
			if g.Method != "lap-rls" || g.Supervised() || g.Ratio <= 0 {
				t.Errorf("%s: %+v", name, *g)
			}
		}
		supervised := c.d.Supervised("rls")
		for _, s := range supervised {
			if s.Method != "rls" || !s.Supervised() || s.Linear != (s.Prior == linearPrior) {
				t.Errorf("%s: %+v", name, *s)
			}
		}
		if len(supervised) != c.supervised || len(graphs) != c.graphs || c.d.Longest() != c.longest || sum != c.neighbours {
			t.Errorf(
				"%s: %d supervised, %d with a graph, lists of %d, %d neighbours",
				name,
				len(supervised),
				len(graphs),
				c.d.Longest(),
				sum,
			)
		}
	}
}

// TestPriors: the logarithms by hand.
func TestPriors(t *testing.T) {
	k := func(n, mean float64) float64 { v := math.Log(n/mean) / math.Log(2.5); return v * v / 2 }
	for _, c := range []struct {
		d    Design
		g    graph.Recipe
		r    float64
		want float64
	}{
		{Design{}, graph.Recipe{Neighbours: 8, Width: 1}, 1e4, -k(8, 5) - 0.5},
		{Design{}, graph.Recipe{Neighbours: 8, Width: 0.25, Weights: graph.SelfTuned}, 1e6, 1 - k(8, 5)},
		{Design{}, graph.Recipe{Neighbours: 8, Width: 1, Weights: graph.SelfTuned}, 1e6, -k(8, 5)},
		{Design{}, graph.Recipe{Neighbours: 20, Symmetry: graph.Mutual, Width: 0.25, Weights: graph.SelfTuned}, 1e6, 1 - k(20, 8)},
		{Design{Sparse: true}, graph.Recipe{Neighbours: 8, Symmetry: graph.Mutual}, 1e8, -k(8, 20) - 0.5},
		{Design{Landmarks: true}, graph.Recipe{Neighbours: 5}, 1e4, -0.5},
		{Design{}, graph.Recipe{}, 1e4, 0},
	} {
		if got := c.d.prior(choose.Candidate{Graph: c.g, Ratio: c.r}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v, %+v, ratio %g: %g, want %g", c.d, c.g, c.r, got, c.want)
		}
	}
}

// TestCandidates: every candidate of designs for few and many rows, dense and sparse, free and fixed, is
// the one that testdata/candidates.txt keeps.
func TestCandidates(t *testing.T) {
	var b strings.Builder
	for _, d := range []Design{
		{Rows: 200, Base: kernel.Gaussian{Sigma: 1}, Linear: true, Mutual: true},
		{Rows: 9, Base: kernel.Gaussian{Sigma: 1}},
		{Rows: 200, Sparse: true, Base: kernel.Linear{}, Graph: graph.Recipe{Metric: graph.Cosine}},
		{Rows: 20000, Base: kernel.Gaussian{Sigma: 1}, Landmarks: true},
		{Rows: 200, Base: kernel.Gaussian{Sigma: 1}, FixedWidth: true, Ratio: 7},
		{Rows: 200, Base: kernel.Gaussian{Sigma: 1}, Graph: graph.Recipe{Neighbours: 7, Degree: 2, Weights: graph.SelfTuned}},
	} {
		fmt.Fprintf(&b, "%+v, %v neighbours at most\n", d, d.Longest())
		for _, c := range append(d.Supervised("rls"), d.Graphs("lap-rls")...) {
			g := c.Graph
			fmt.Fprintf(
				&b,
				"  %s, linear %v, width %g, ratio %.6g, prior %.6g, %d neighbours of degree %d, %v %v %v %v width %g\n",
				c.Method,
				c.Linear,
				c.Width,
				c.Ratio,
				math.Round(1e12*c.Prior)/1e12, // processors that fuse a product and a sum round differences otherwise
				g.Neighbours,
				g.Degree,
				g.Symmetry,
				g.Weights,
				g.Metric,
				g.Laplacian,
				g.Width,
			)
		}
	}
	kept.Text(t, "testdata/candidates.txt", b.String())
}

// Machines for clusters are proposed where the evidence is there: on components, on clusters, and on
// clusters only if there are two labels for each.
func TestClusterCandidates(t *testing.T) {
	e := mixture.Evidence{Components: &mixture.Components{}, Clusters: &mixture.Clusters{Share: make([]float64, 4)}}
	for _, c := range []struct {
		spiked, clustered bool
		labels, want      int
	}{{false, false, 50, 0}, {true, false, 1, 1}, {false, true, 8, 1}, {false, true, 7, 0}, {true, true, 8, 2}} {
		e.Spiked, e.Clustered = c.spiked, c.clustered
		list := Design{Evidence: &e}.Clusters("rls", c.labels)
		if len(list) != c.want {
			t.Errorf("%+v: %d candidates", c, len(list))
		}
		for _, one := range list {
			prior := 4.0 // of clusters
			if one.Linear {
				prior = 1 // of components
			}
			if one.Own == nil || one.Supervised() || one.HasGraph() || one.Prior != prior {
				t.Errorf("%+v: %+v", c, one)
			}
		}
	}
	if (Design{}).Clusters("rls", 100) != nil {
		t.Error("candidates without evidence")
	}
}

// TestDecades: a strength is tried a decade apart from end to end, one that is fixed once, and the other
// parameters keep their defaults.
func TestDecades(t *testing.T) {
	space := param.Space{
		{Name: "C", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1},
		{Name: "epsilon", Kind: param.Log, Lo: 0.1, Hi: 1, Default: 0.3},
	}
	list := decades(space, 0)
	if len(list) != 5 {
		t.Fatal(list)
	}
	for i, theta := range list {
		if len(theta) != 2 || math.Abs(theta[0]/(0.01*math.Pow(10, float64(i)))-1) > 1e-12 || theta[1] != 0.3 {
			t.Errorf("%d: %v", i, theta)
		}
	}
	if list := decades(space, 5); len(list) != 1 || list[0][0] != score.Strength(5) || list[0][1] != 0.3 {
		t.Errorf("at 5: %v", list)
	}
	space[0].Fixed = true
	if list := decades(space, 5); len(list) != 1 || list[0][0] != 1 {
		t.Errorf("fixed: %v", list)
	}
	if list := decades(nil, 0); len(list) != 1 || len(list[0]) != 0 {
		t.Errorf("no parameters: %v", list)
	}
}
