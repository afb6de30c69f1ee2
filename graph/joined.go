package graph

// One graph of several on the same rows, one a view: its weights are their mean,
//
//	W = 1/q sum_v W_v,
//
// so that rows are joined as far as the views join them. Its combinatorial Laplacian is the mean of
// theirs (JointOperator, p = 1); the normalised one is taken of W, and so has degrees, components and
// cuts of its own, which the mean of normalised Laplacians has not. Time and memory O(nnz).
// Source: Sindhwani 2007, table 2.7, "joint".

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// Joined returns the graph of the mean weights, with the recipe of the first. An edge has
// no one length in it: dist2 is nil, and heat weights are numbers like any others.
func Joined(gs []*Graph) *Graph {
	w := make([]*data.CSR, len(gs))
	out := &Graph{N: gs[0].N, Recipe: gs[0].Recipe, Recall: 1, joined: true}
	for q, g := range gs {
		if g.N != out.N {
			panic(fmt.Sprintf("graph: one graph of graphs with %d and %d rows", out.N, g.N))
		}
		w[q] = g.W
		out.MeanEdge += g.MeanEdge / float64(len(gs))
		out.Recall = min(out.Recall, g.Recall)
	}
	out.W = data.MeanCSR(w)
	return out
}
