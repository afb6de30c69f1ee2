package graph

// The shortest edges that join the components of a graph.
//
// Method    Boruvka's: each component takes the shortest edge to any row outside it, components that
//           are joined become one, until one is left. Pairs are ordered by (length, rows), so equal
//           lengths make no cycle, and the edges are those of a minimum spanning tree of the
//           components, each with the distance of its nearest rows.
// Cost      at most log2 of the number of components rounds, each n^2 d flops as of a search for
//           neighbours; nothing of a connected graph but a pass over its edges.

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// bridge is an edge between two components.
type bridge struct {
	length   float64
	from, to int32
}

// before orders edges, those of equal length by their rows.
func (b bridge) before(c bridge) bool {
	if b.length != c.length {
		return b.length < c.length
	}
	x, y := [2]int32{min(b.from, b.to), max(b.from, b.to)}, [2]int32{min(c.from, c.to), max(c.from, c.to)}
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}

// bridges lists the edges that join the components of g, which is left as it is. Edges count whatever
// their weight.
func (g *Graph) bridges(ctx context.Context, rows data.Rows) ([]bridge, error) {
	sets := newForest(g.N)
	for i := range g.N {
		for _, j := range g.W.Index[g.W.Start[i]:g.W.Start[i+1]] {
			sets.join(int32(i), j)
		}
	}
	if sets.count <= 1 {
		return nil, nil
	}
	s, err := newSearcher(rows, g.Recipe.Metric)
	if err != nil {
		return nil, err
	}
	var found []bridge
	nearest, root := make([]bridge, g.N), make([]int32, g.N)
	for sets.count > 1 {
		for i := range root {
			root[i] = sets.root(int32(i))
		}
		err := s.scan(ctx, func(_, i int, dot []float64) { nearest[i] = s.outside(i, root, dot) })
		if err != nil {
			return nil, err
		}
		best := map[int32]bridge{}
		for i, b := range nearest {
			if old, ok := best[root[i]]; !ok || b.before(old) {
				best[root[i]] = b
			}
		}
		for i := range root {
			if b := best[int32(i)]; root[i] == int32(i) && sets.join(b.from, b.to) {
				found = append(found, b)
			}
		}
	}
	return found, nil
}

// outside is the shortest edge from row i to a row of another component.
func (s *searcher) outside(i int, root []int32, dot []float64) bridge {
	limit := math.Inf(1)
	up := s.upper(i, dot)
	for j, u := range up {
		if root[j] != root[i] {
			limit = min(limit, u)
		}
	}
	best := bridge{length: math.Inf(1)}
	for j, u := range up {
		if root[j] == root[i] || u-s.gap(i, j) > limit {
			continue
		}
		d := math.Sqrt(s.exact(i, j))
		if s.metric == Cosine {
			d = s.exact(i, j) / 2
		}
		if b := (bridge{d, int32(i), int32(j)}); b.before(best) {
			best = b
		}
	}
	return best
}

// forest are sets of rows that are joined two by two.
type forest struct {
	parent []int32
	count  int
}

func newForest(n int) *forest {
	f := &forest{parent: make([]int32, n), count: n}
	for i := range f.parent {
		f.parent[i] = int32(i)
	}
	return f
}

// root is the row that stands for the set of row i.
func (f *forest) root(i int32) int32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

// join makes one set of two, whose root is the lesser, and says whether they were two.
func (f *forest) join(i, j int32) bool {
	i, j = f.root(i), f.root(j)
	if i == j {
		return false
	}
	f.parent[max(i, j)] = min(i, j)
	f.count--
	return true
}
