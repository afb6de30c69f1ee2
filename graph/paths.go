package graph

// Lengths of paths between all rows, softened between the shortest path and the least bottleneck.
//
//	length(i, j) = 1/rho log(1 + min over paths from i to j of sum over edges (e^(rho d) - 1)),
//
// d the length of an edge.
//
// Limits    rho = 0: the shortest path, sum of d. rho = infinity: the bottleneck, the largest d of
//           the path whose largest d is least. The length falls as rho grows; between two clusters it
//           comes to be the width of the gap alone, however far apart their rows are.
// Method    Dijkstra from every row over costs e^(rho d) - 1; for the bottleneck the cost of a path
//           is the largest of its edges' in the place of their sum. Components are joined first, see
//           bridges.go, so that all lengths are finite.
// Rounding  rho d counts as 690 where it is more: e^690 = 1e300, so sums of costs stay finite, and
//           such an edge is as good as none. i to j and j to i are sums in another order; both are
//           given the smaller one.
// Cost      n m log m time for m edges; n^2 numbers, and for each processor a heap of m.
// Source    Chapelle and Zien, AISTATS 2005, algorithms 1 and 3 (compared in Sindhwani 2007, section
//           2.7, as Graph-density and LDS). They take the graph of all edges for small sets.

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Paths are the lengths of paths between all rows of a graph.
type Paths struct {
	Length  *mat.Dense // n x n, symmetric, zero diagonal
	Bridges int        // edges that were added to join components
}

// longestCost is the largest rho d that is told from larger ones.
const longestCost = 690

// NewPaths measures the paths on a graph of these rows; rho, one over a length, is from 0 to +Inf.
func NewPaths(ctx context.Context, g *Graph, rows data.Rows, rho float64) (*Paths, error) {
	if g.dist2 == nil || rows.Len() != g.N {
		panic(fmt.Sprintf("graph: paths of %d rows on a graph of %d, with lengths: %v", rows.Len(), g.N, g.dist2 != nil))
	}
	if !(rho >= 0) {
		return nil, fmt.Errorf("graph: paths with rho = %g; it must be from 0 to +Inf", rho)
	}
	bridges, err := g.bridges(ctx, rows)
	if err != nil {
		return nil, err
	}
	r := newRoads(g, bridges, rho)
	p := &Paths{Length: mat.NewDense(g.N, g.N, nil), Bridges: len(bridges)}
	workers := runtime.GOMAXPROCS(0)
	heaps := make([][]stop, workers)
	parallel.Workers(workers, g.N, 4, func(worker, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			heaps[worker] = r.from(p.Length.RawRowView(i), i, heaps[worker][:0])
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range g.N {
		row := p.Length.RawRowView(i)
		for j := range i {
			v := r.length(min(row[j], p.Length.At(j, i)))
			row[j] = v
			p.Length.Set(j, i, v)
		}
	}
	return p, nil
}

// roads are the edges of a graph with their costs, by rows.
type roads struct {
	rho   float64
	start []int
	index []int32
	cost  []float64
}

func newRoads(g *Graph, bridges []bridge, rho float64) *roads {
	r := &roads{rho: rho, start: make([]int, g.N+1), index: make([]int32, 0, len(g.dist2)+2*len(bridges))}
	more := make(map[int32][]bridge)
	for _, b := range bridges {
		more[b.from] = append(more[b.from], b)
		more[b.to] = append(more[b.to], bridge{b.length, b.to, b.from})
	}
	for i := range g.N {
		for p := g.W.Start[i]; p < g.W.Start[i+1]; p++ {
			r.index, r.cost = append(r.index, g.W.Index[p]), append(r.cost, r.of(math.Sqrt(g.dist2[p])))
		}
		for _, b := range more[int32(i)] {
			r.index, r.cost = append(r.index, b.to), append(r.cost, r.of(b.length))
		}
		r.start[i+1] = len(r.index)
	}
	return r
}

// of is the cost of an edge.
func (r *roads) of(d float64) float64 {
	if r.rho == 0 || math.IsInf(r.rho, 1) {
		return d
	}
	return math.Expm1(min(r.rho*d, longestCost))
}

// length is that of a path of some cost.
func (r *roads) length(cost float64) float64 {
	if r.rho == 0 || math.IsInf(r.rho, 1) {
		return cost
	}
	return math.Log1p(cost) / r.rho
}

// stop is a row to which a path of some cost was found.
type stop struct {
	cost float64
	row  int32
}

// from stores the costs of the cheapest paths from a row in dst and returns the heap, for its storage.
// A row stands in the heap once for each path to it that was the cheapest so far; the dearer ones are
// passed over when they come up.
func (r *roads) from(dst []float64, source int, heap []stop) []stop {
	for i := range dst {
		dst[i] = math.Inf(1)
	}
	bottleneck := math.IsInf(r.rho, 1)
	dst[source] = 0
	heap = append(heap, stop{0, int32(source)})
	for len(heap) > 0 {
		at := heap[0]
		heap = pop(heap)
		if at.cost > dst[at.row] {
			continue
		}
		for p := r.start[at.row]; p < r.start[at.row+1]; p++ {
			cost := at.cost + r.cost[p]
			if bottleneck {
				cost = max(at.cost, r.cost[p])
			}
			if j := r.index[p]; cost < dst[j] {
				dst[j] = cost
				heap = push(heap, stop{cost, j})
			}
		}
	}
	return heap
}

// push adds a stop to a heap with the cheapest on top.
func push(heap []stop, s stop) []stop {
	heap = append(heap, s)
	at := len(heap) - 1
	for at > 0 {
		up := (at - 1) / 2
		if heap[up].cost <= s.cost {
			break
		}
		heap[at], at = heap[up], up
	}
	heap[at] = s
	return heap
}

// pop removes the top of the heap.
func pop(heap []stop) []stop {
	last := heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	if len(heap) == 0 {
		return heap
	}
	at := 0
	for {
		down := 2*at + 1
		if down >= len(heap) {
			break
		}
		if down+1 < len(heap) && heap[down+1].cost < heap[down].cost {
			down++
		}
		if heap[down].cost >= last.cost {
			break
		}
		heap[at], at = heap[down], down
	}
	heap[at] = last
	return heap
}
