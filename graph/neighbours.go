package graph

// Exact k nearest neighbours: of dense rows by blocks (blocks.go), else by whole rows of estimates (search.go): with the k-th
// smallest upper bound of row i as threshold, every true neighbour has its lower bound below it; the few candidates, k and near ties,
// are measured exactly and sorted by (distance, index).
//
// Time n^2 d flops plus n^2 comparisons; memory n k and a panel.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Lists are the k nearest neighbours of each of n rows, itself excluded, nearest
// first, ties by lower index. The first of a row are its nearest, so one computation
// serves all smaller k.
type Lists struct {
	n, k   int
	metric Metric
	index  []int32   // n*k, row by row
	dist   []float64 // squared Euclidean, or cosine distance
	// Recall is the share of true neighbours: 1 of an exact search, else measured
	// on a sample of rows.
	Recall float64
}

// Row returns views of the k nearest neighbours of row i and their distances: squared Euclidean, or of the cosine.
func (l *Lists) Row(i, k int) ([]int32, []float64) {
	lo := i * l.k
	return l.index[lo : lo+k], l.dist[lo : lo+k]
}

// Neighbours finds the k nearest neighbours of every row, exactly. Duplicates
// have distance exactly 0. Asking k of k rows or fewer is an error, as are
// features that are not finite and a cancelled context.
func Neighbours(ctx context.Context, rows data.Rows, k int, metric Metric) (*Lists, error) {
	n := rows.Len()
	if err := checkCount(n, k); err != nil {
		return nil, err
	}
	s, err := newSearcher(rows, metric)
	if err != nil {
		return nil, err
	}
	l := &Lists{n: n, k: k, metric: metric, index: make([]int32, n*k), dist: make([]float64, n*k), Recall: 1}
	if s.centred != nil {
		err = s.blockLists(ctx, l)
	} else {
		scratch := make([]nearest, s.workers)
		err = s.scan(ctx, func(worker, i int, dot []float64) {
			c := &scratch[worker]
			c.choose(s, i, k, dot)
			for p := range k {
				l.index[i*k+p], l.dist[i*k+p] = c.list[p].index, c.list[p].dist
			}
		})
	}
	if err != nil {
		return nil, err
	}
	if metric == Cosine {
		for p := range l.dist {
			l.dist[p] /= 2
		}
	}
	return l, nil
}

// checkCount refuses k neighbours of n rows where there are none or too few.
func checkCount(n, k int) error {
	if k < 1 {
		return fmt.Errorf("graph: asked %d neighbours; at least 1", k)
	}
	if k >= n {
		return fmt.Errorf("graph: asked %d neighbours of %d rows; at most %d", k, n, max(0, n-1))
	}
	return nil
}

// candidate is a row at an exact distance.
type candidate struct {
	dist  float64
	index int32
}

// nearest is one worker's scratch.
type nearest struct {
	heap []float64
	list []candidate // of the present row
}

// choose sets list to row i's candidates, sorted; its first k are the answer.
func (c *nearest) choose(s *searcher, i, k int, dot []float64) {
	up := s.upper(i, dot)
	limit := c.kth(up, k)
	c.list = c.list[:0]
	for j, u := range up {
		if u-s.gap(i, j) <= limit && j != i {
			c.list = append(c.list, candidate{s.exact(i, j), int32(j)})
		}
	}
	slices.SortFunc(c.list, func(a, b candidate) int {
		if a.dist != b.dist {
			return cmp.Compare(a.dist, b.dist)
		}
		return int(a.index) - int(b.index)
	})
}

// kth is the k-th smallest of v, by a heap of the k smallest so far, the
// largest on top.
func (c *nearest) kth(v []float64, k int) float64 {
	c.heap = append(c.heap[:0], v[:k]...)
	h := c.heap
	for p := k/2 - 1; p >= 0; p-- {
		sift(h, p)
	}
	for _, x := range v[k:] {
		if x < h[0] {
			h[0] = x
			sift(h, 0)
		}
	}
	return h[0]
}

func sift(h []float64, p int) {
	x := h[p]
	for {
		q := 2*p + 1
		if q >= len(h) {
			break
		}
		if q+1 < len(h) && h[q+1] > h[q] {
			q++
		}
		if h[q] <= x {
			break
		}
		h[p] = h[q]
		p = q
	}
	h[p] = x
}

// within lists, for every row, the rows at distance at most radius (in the
// metric's own unit), itself excluded, in increasing order; more than limit
// entries in all are an error.
func within(ctx context.Context, rows data.Rows, radius float64, metric Metric, limit int) (index [][]int32, dist [][]float64, err error) {
	s, err := newSearcher(rows, metric)
	if err != nil {
		return nil, nil, err
	}
	if s.n > 0 && math.IsInf(radius, 1) && s.n-1 > limit/s.n {
		return nil, nil, fmt.Errorf(
			"graph: full graph of %d rows has %d weights, more than max_edges %d; take nearest neighbours, fewer rows or a "+
				"larger max_edges",
			s.n,
			s.n*(s.n-1),
			limit,
		)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	index, dist = make([][]int32, s.n), make([][]float64, s.n)
	scratch := make([]nearest, s.workers)
	bound := radius * radius * (1 + 0x1p-50)
	if metric == Cosine {
		bound = 2 * radius * (1 + 0x1p-50)
	}
	var count atomic.Int64
	err = s.scan(ctx, func(worker, i int, dot []float64) {
		if ctx.Err() != nil {
			return
		}
		c := &scratch[worker]
		c.list = c.list[:0]
		for j, u := range s.upper(i, dot) {
			if j == i || u-s.gap(i, j) > bound {
				continue
			}
			d := s.exact(i, j)
			if metric == Cosine {
				d /= 2
			}
			if d <= radius && metric == Cosine || math.Sqrt(d) <= radius && metric == Euclidean {
				c.list = append(c.list, candidate{d, int32(j)})
			}
		}
		index[i], dist[i] = make([]int32, len(c.list)), make([]float64, len(c.list))
		for p, near := range c.list {
			index[i][p], dist[i][p] = near.index, near.dist
		}
		if count.Add(int64(len(c.list))) > int64(limit) {
			stop(
				fmt.Errorf(
					"graph: radius %g joins more than %d pairs of the %d rows; take a smaller radius, nearest neighbours or a "+
						"larger max_edges",
					radius,
					limit,
					s.n,
				),
			)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return nil, nil, cause
	}
	return index, dist, err
}

// NearestOf returns, for each of the rows from, the nearest of the rows to (ties:
// the first listed). Cost: d flops a pair; memory a copy of the rows.
func NearestOf(ctx context.Context, rows data.Rows, metric Metric, from, to []int) ([]int, error) {
	if len(to) == 0 {
		return nil, fmt.Errorf("graph: nearest of no rows")
	}
	s, err := newSearcher(rows, metric)
	if err != nil {
		return nil, err
	}
	nearest := make([]int, len(from))
	parallel.Workers(s.workers, len(from), 4, func(_, lo, hi int) {
		for at := lo; at < hi && ctx.Err() == nil; at++ {
			best := math.Inf(1)
			nearest[at] = to[0]
			for _, j := range to {
				if d := s.near(from[at], j, best); d < best {
					best, nearest[at] = d, j
				}
			}
		}
	})
	return nearest, ctx.Err()
}
