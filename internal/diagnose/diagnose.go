// Package diagnose says what a graph can and cannot carry.
package diagnose

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/graph"
)

// Graph says what a graph can and cannot carry: where no label reaches, the
// intrinsic norm decides nothing.
type Graph struct {
	Rows                    int     `json:"rows"`
	Edges                   int     `json:"edges"` // of positive weight, each pair once
	Components              int     `json:"components"`
	ComponentsWithoutLabels int     `json:"components_without_labels"`
	RowsWithoutLabel        int     `json:"rows_without_label"` // rows in those components
	Isolated                int     `json:"isolated"`           // rows without an edge
	MeanDegree              float64 `json:"mean_degree"`        // neighbours a row
	MeanEdge                float64 `json:"mean_edge"`          // length, Euclidean or cosine distance
	WeightMin               float64 `json:"weight_min"`         // of positive weights; 0 without edges
	WeightMax               float64 `json:"weight_max"`
	LargestComponent        int     `json:"largest_component"` // its rows
	// Of graphs of nearest neighbours, else 0:
	MaxInDegree int     `json:"max_in_degree,omitempty"` // how many rows chose the greatest hub; k on average
	MutualShare float64 `json:"mutual_share,omitempty"`  // share of neighbour pairs of which each chose the other
	Recall      float64 `json:"recall,omitempty"`        // share of true neighbours, 1 if all
}

// Of inspects g; labelled are the numbers of the rows that have a label.
// Time O(nnz).
func Of(g *graph.Graph, labelled []int) Graph {
	component, count := g.Components()
	d := Graph{Rows: g.N, Components: count, MeanEdge: g.MeanEdge}
	has := make([]bool, count)
	for _, i := range labelled {
		has[component[i]] = true
	}
	for _, h := range has {
		if !h {
			d.ComponentsWithoutLabels++
		}
	}
	size := make([]int, count)
	for _, c := range component {
		if !has[c] {
			d.RowsWithoutLabel++
		}
		size[c]++
		d.LargestComponent = max(d.LargestComponent, size[c])
	}
	if pairs, oneSided, hub := g.Choices(); pairs > 0 {
		d.MaxInDegree, d.Recall = hub, g.Recall
		d.MutualShare = 1 - float64(oneSided)/float64(pairs)
	}
	d.WeightMin = math.Inf(1)
	for i := range g.N {
		_, w := g.W.Row(i)
		degree := 0
		for _, v := range w {
			if v > 0 {
				degree++
				d.WeightMin, d.WeightMax = min(d.WeightMin, v), max(d.WeightMax, v)
			}
		}
		if degree == 0 {
			d.Isolated++
		}
		d.Edges += degree
	}
	if d.Edges == 0 {
		d.WeightMin = 0
	}
	if g.N > 0 {
		d.MeanDegree = float64(d.Edges) / float64(g.N)
	}
	d.Edges /= 2
	return d
}

// String is one line.
func (d Graph) String() string {
	s := fmt.Sprintf(
		"graph: %s, %s, mean degree %.1f, %s",
		plural(d.Rows, "row"),
		plural(d.Edges, "edge"),
		d.MeanDegree,
		plural(d.Components, "component"),
	)
	if d.ComponentsWithoutLabels > 0 {
		s += fmt.Sprintf(" (%d without labels, %s)", d.ComponentsWithoutLabels, plural(d.RowsWithoutLabel, "row"))
	}
	if d.Isolated > 0 {
		s += fmt.Sprintf(", %d isolated", d.Isolated)
	}
	s += fmt.Sprintf(", mean edge length %.4g", d.MeanEdge)
	if d.WeightMin != d.WeightMax {
		s += fmt.Sprintf(", weights %.3g to %.3g", d.WeightMin, d.WeightMax)
	}
	if d.MaxInDegree > 0 {
		s += fmt.Sprintf(", %.0f %% of the pairs mutual, largest hub %d", 100*d.MutualShare, d.MaxInDegree)
	}
	if d.Recall > 0 && d.Recall < 1 {
		s += fmt.Sprintf(", %.1f %% of the true neighbours found", 100*d.Recall)
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
