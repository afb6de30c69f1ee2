package design

import (
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/kernel"
)

// Design says in what the candidates may differ. A quantity that is zero is free, and the
// candidates have several values of it; any other value is the one that all of them have.
type Design struct {
	Rows   int  // n
	Sparse bool // the rows are sparse
	Base   kernel.Kernel
	// FixedWidth keeps the widths of the base kernel; else multiples are tried.
	FixedWidth bool
	// Linear adds machines with the linear kernel to those of a base kernel that
	// has a width.
	Linear bool
	// Mutual adds graphs of mutual neighbours to those of Graph's symmetry.
	Mutual bool
	// Graph is the recipe of all graphs. Neighbours, Degree and the Width of self-tuned weights are
	// free where they are 0.
	Graph graph.Recipe
	// Landmarks says that machines with a graph are reduced to landmarks.
	Landmarks bool
	// Ratio, if it is not 0, is the ratio of the two norms in all candidates.
	Ratio float64
	// Evidence is what all rows show of clusters without their labels; nil: nobody has looked.
	Evidence *mixture.Evidence
}

// supervisedWidths are those of machines without a graph, in median distances.
func supervisedWidths() []float64 { return []float64{0.125, 0.25, 0.5, 1, 2} }

// grid is a family of machines with graphs, every number of neighbours with
// every degree and every ratio.
type grid struct {
	linear     bool
	width      float64 // factor of the base kernel's widths
	symmetry   graph.Symmetry
	spread     float64 // graph.Recipe.Width of self-tuned weights
	degrees    []int
	neighbours []int
	ratios     []float64
}

// grids are the machines with a graph, in units of a kernel whose mean diagonal is
// one, the median distance between rows and a normalised Laplacian. Chosen on the
// design sets of docs/automatic-choice.md: these 28 do better than 455 on a broad
// grid, because the score has fewer ways to be fooled.
func grids() []grid {
	strong := []float64{1e4, 1e6} // under which the width of the kernel matters little
	return []grid{
		// Manifolds.
		{width: 0.5, spread: 1, degrees: []int{2}, neighbours: []int{4, 8, 3}, ratios: strong},
		// The same with weights that fall off faster: rings and threads.
		{width: 0.5, spread: 0.25, degrees: []int{2}, neighbours: []int{4, 8, 3}, ratios: strong},
		// Only edges that both ends want: fewer bridges between classes.
		{width: 0.5, symmetry: graph.Mutual, spread: 0.25, degrees: []int{2}, neighbours: []int{8, 4}, ratios: strong},
		{width: 0.5, symmetry: graph.Mutual, spread: 1, degrees: []int{2}, neighbours: []int{20, 10}, ratios: strong},
		// Clusters that overlap, under a plane: their eigenvalue of a Laplacian of many
		// neighbours is not far below the others', so it takes a high power to part them.
		{linear: true, spread: 1, degrees: []int{5, 2}, neighbours: []int{50, 16}, ratios: []float64{1e3, 1e5}},
	}
}

// reducedGrids are the grids for machines on landmarks. A narrow kernel reaches no row between its
// landmarks, and a strong graph then leaves it nothing to fit with, so kernels are wider here and
// ratios smaller.
func reducedGrids() []grid {
	ratios := []float64{1, 1e2, 1e4}
	return []grid{
		{width: 1, spread: 1, degrees: []int{2}, neighbours: []int{8, 4, 20}, ratios: ratios},
		{width: 0.5, spread: 1, degrees: []int{2}, neighbours: []int{8, 4, 20}, ratios: ratios},
		{width: 0.5, symmetry: graph.Mutual, spread: 1, degrees: []int{2}, neighbours: []int{20}, ratios: ratios},
		{linear: true, spread: 1, degrees: []int{5, 2}, neighbours: []int{50, 16}, ratios: []float64{1e3, 1e5}},
	}
}

// grids are the families of machines with a graph that the design tries.
func (d Design) grids() []grid {
	if d.Landmarks {
		return reducedGrids()
	}
	return grids()
}

// Longest is the length of the neighbour lists that all candidates share.
func (d Design) Longest() int {
	longest := max(d.Graph.Neighbours, 1)
	for _, g := range d.grids() {
		for _, k := range g.neighbours {
			if k < d.Rows {
				longest = max(longest, k)
			}
		}
	}
	return longest
}

// Supervised lists the machines without a graph, of the method called id.
func (d Design) Supervised(id string) []*choose.Candidate {
	var plan []*choose.Candidate
	if !d.FixedWidth && HasWidth(d.Base) {
		for _, w := range supervisedWidths() {
			plan = append(plan, &choose.Candidate{Method: id, Width: w})
		}
	} else {
		linear := !HasWidth(d.Base)
		plan = append(plan, &choose.Candidate{Method: id, Width: 1, Linear: linear, Prior: d.prior(choose.Candidate{Linear: linear})})
	}
	if d.Linear {
		plan = append(plan, &choose.Candidate{Method: id, Width: 1, Linear: true, Prior: linearPrior})
	}
	return plan
}

// Graphs lists the machines with a graph: grids of graphs, all ratios of a graph together,
// for they share all but the factorisation.
func (d Design) Graphs(id string) []*choose.Candidate {
	scaled := !d.FixedWidth && HasWidth(d.Base)
	var plan []*choose.Candidate
	for _, g := range d.grids() {
		if g.linear && !d.Linear && HasWidth(d.Base) {
			continue // a kernel with a width does not stand in for the linear one
		}
		plan = append(plan, d.candidates(id, g, scaled)...)
	}
	return plan
}

// candidates lists the machines of a grid, as far as the design leaves them free.
func (d Design) candidates(id string, g grid, scaled bool) []*choose.Candidate {
	c := choose.Candidate{Method: id, Linear: g.linear, Width: 1, Graph: d.Graph}
	if scaled && !g.linear {
		c.Width = g.width
	}
	if g.symmetry != graph.Union {
		if !d.Mutual {
			return nil
		}
		c.Graph.Symmetry = g.symmetry
	}
	if d.Graph.Weights == graph.SelfTuned && d.Graph.Width == 0 {
		c.Graph.Width = g.spread
	} else if g.spread != 1 {
		return nil // a spread of its own is all that makes this grid
	}
	ks, ps, rs := g.neighbours, g.degrees, g.ratios
	if d.Graph.Neighbours > 0 {
		ks = []int{d.Graph.Neighbours}
	}
	if d.Graph.Degree > 0 {
		ps = []int{d.Graph.Degree}
	}
	if d.Ratio > 0 {
		if g.linear {
			return nil // a given ratio is in the units of the kernel that stands in for this one
		}
		rs = []float64{d.Ratio}
	}
	var list []*choose.Candidate
	for _, k := range ks {
		if k >= d.Rows {
			continue
		}
		for _, p := range ps {
			for _, r := range rs {
				one := c
				one.Graph.Neighbours, one.Graph.Degree, one.Ratio = k, p, r
				one.Prior = d.prior(one)
				list = append(list, &one)
			}
		}
	}
	return list
}

// linearPrior is one nat for a linear machine with or without a graph, for its few parameters
// (a prior against over-fitting the score, Cawley & Talbot 2007).
const linearPrior = 1

// prior is the log prior of a candidate against a supervised machine with a
// width: for a graph under such a kernel, normal in log neighbours around 5 (8 for
// mutual ones, of which fewer become edges) and in log ratio around 1e6, and a
// nat more if its weights fall off fast or its edges are mutual; on sparse rows,
// which are mostly texts, normal around 20 neighbours whatever the graph (the
// literature on texts has 10 to 50).
func (d Design) prior(c choose.Candidate) float64 {
	switch {
	case c.Linear:
		return linearPrior
	case c.Supervised():
		return 0
	}
	mean, bonus := 5.0, 0.0
	switch {
	case d.Sparse:
		mean = 20
	case c.Graph.Symmetry == graph.Mutual:
		mean, bonus = 8, 1
	case c.Graph.Weights == graph.SelfTuned && c.Graph.Width < 1:
		bonus = 1
	}
	k := math.Log(float64(c.Graph.Neighbours)/mean) / math.Log(2.5)
	strength := 6.0
	if d.Landmarks {
		strength = 2
	}
	r := (math.Log10(c.Ratio) - strength) / 2
	return bonus - (k*k+r*r)/2
}
