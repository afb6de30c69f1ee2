package graph

import (
	"github.com/mercer-ml/mercer/data"
)

// Among is the graph of some of n rows, which are given in ascending order, as one of all n: the others have no edge. It shares weights
// and lengths with g.
func (g *Graph) Among(rows []int, n int) *Graph {
	out := *g
	out.N = n
	w := &data.CSR{R: n, C: n, Start: make([]int, n+1), Index: make([]int32, len(g.W.Index)), Value: g.W.Value}
	for p, j := range g.W.Index {
		w.Index[p] = int32(rows[j]) //nolint:gosec // a row's number, as in g
	}
	q := 0
	for i := range n {
		w.Start[i] = g.W.Start[q]
		if q < len(rows) && rows[q] == i {
			q++
		}
	}
	w.Start[n] = g.W.Start[q]
	out.W = w
	return &out
}
