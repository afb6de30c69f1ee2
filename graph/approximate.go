package graph

// Nearest neighbours of many rows, nearly all of them right:
//
//  1. A forest of random-projection trees (forest.go) compares each row with the
//     rows of its leaf in every tree.
//  2. Descent (descent.go) compares each row with the neighbours of its
//     neighbours until hardly a list changes.
//  3. The recall is measured on a sample of rows against their exact neighbours.
//     Where it is below the target, lists are made longer by half, trees are
//     added and the descent goes on, six times at most.
//
// A list is the best of all candidates a row was compared with, by (distance,
// index), whatever their order: results depend on the seed, not on the number of
// threads. Distances are those of the exact search.
//
// Time: at most 48 distances a row and tree and 1220 a row and sweep (20 fresh members
// with 41 rows, 20 others with 20), against n of the exact search; memory n (21 K + 200)
// bytes beside a copy of the rows, K = max(30, 2k) at first, 16 n K more while lists
// grow, and 4 n bytes a thread.
// Source: Dasgupta and Freund 2008 (trees); Dong, Moses and Li, WWW 2011
// (NN-descent), here by pulling: a row reads the lists of others and writes its
// own alone.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// NeighbourSearch says how nearest neighbours are found. The zero value is
// exact up to 50 000 rows and approximate beyond, to a recall of 0.95.
type NeighbourSearch struct {
	Method Method  `json:"method"`
	Recall float64 `json:"recall,omitempty"` // Approximate: wanted share of true neighbours, in (0, 1); 0 means 0.95
	Sample int     `json:"sample,omitempty"` // rows on which the recall is measured; 0 means 1000
	Seed   uint64  `json:"seed,omitempty"`   // of trees and sample
}

const (
	exactRows    = 50_000 // most rows that Auto searches exactly
	recallTarget = 0.95
	recallSample = 1000
	firstTrees   = 8
	moreTrees    = 4
	maxRounds    = 7 // the first and six that widen
)

// Check reports what makes no search.
func (s NeighbourSearch) Check() error {
	switch {
	case s.Method < Auto || s.Method > Approximate:
		return fmt.Errorf("search %d is none of auto, exact, approximate", s.Method)
	case s.Recall != 0 && !(s.Recall > 0 && s.Recall < 1):
		return fmt.Errorf("recall %g must be between 0 and 1 (0 for %g)", s.Recall, recallTarget)
	case s.Sample < 0:
		return fmt.Errorf("sample %d must be at least 1 (0 for %d)", s.Sample, recallSample)
	}
	return nil
}

// Find returns the k nearest neighbours of every row, as Neighbours does, with
// the same errors. Lists.Recall tells what an approximate search reached; below
// the target it is still returned.
func (s NeighbourSearch) Find(ctx context.Context, rows data.Rows, k int, metric Metric) (*Lists, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	n := rows.Len()
	if s.Method == Exact || s.Method == Auto && n <= exactRows {
		return Neighbours(ctx, rows, k, metric)
	}
	if err := checkCount(n, k); err != nil {
		return nil, err
	}
	engine, err := newSearcher(rows, metric)
	if err != nil {
		return nil, err
	}
	a := &approximation{searcher: engine, k: k, seed: s.Seed, target: s.Recall}
	if a.target == 0 {
		a.target = recallTarget
	}
	if err := a.sample(ctx, min(n, s.sampleRows())); err != nil {
		return nil, err
	}
	return a.run(ctx)
}

func (s NeighbourSearch) sampleRows() int {
	if s.Sample == 0 {
		return recallSample
	}
	return s.Sample
}

// approximation is one search.
type approximation struct {
	*searcher
	k      int
	seed   uint64
	target float64

	rows  []int     // of the sample
	reach []float64 // their exact distance to the k-th neighbour
	lists *pools
	trees int
	order []int32 // rows by the leaves of the first tree: neighbours are near each other in it
}

// run widens until the recall is reached, or the limit, or lists of half the
// rows, where the exact search is cheaper.
func (a *approximation) run(ctx context.Context) (*Lists, error) {
	width := min(a.n-1, max(30, 2*a.k))
	recall := 0.0
	for round := range maxRounds {
		trees := firstTrees
		if round > 0 {
			width, trees = min(a.n-1, width+width/2), moreTrees
		}
		a.lists = a.lists.widen(a.n, width)
		if err := a.plant(ctx, trees); err != nil {
			return nil, err
		}
		if err := a.descend(ctx); err != nil {
			return nil, err
		}
		if recall = a.recall(); recall >= a.target || width >= a.n/2 {
			break
		}
	}
	if more, err := a.complete(ctx); err != nil {
		return nil, err
	} else if more {
		recall = a.recall()
	}
	l := &Lists{n: a.n, k: a.k, metric: a.metric, index: make([]int32, a.n*a.k), dist: make([]float64, a.n*a.k), Recall: recall}
	for i := range a.n {
		from := a.lists.row(i)
		for p, c := range from[:a.k] {
			l.index[i*a.k+p], l.dist[i*a.k+p] = c.index, c.dist
			if a.metric == Cosine {
				l.dist[i*a.k+p] /= 2
			}
		}
	}
	return l, nil
}

// complete finds the neighbours of rows whose lists have fewer than k exactly, and says whether there are some: of many equal rows each
// may have been compared with few.
func (a *approximation) complete(ctx context.Context) (some bool, err error) {
	var short []int
	for i := range a.n {
		if a.lists.row(i)[a.k-1].index < 0 {
			short = append(short, i)
		}
	}
	if len(short) == 0 {
		return false, nil
	}
	scratch := make([]nearest, a.workers)
	return true, a.scanRows(ctx, short, func(worker, at int, dot []float64) {
		c := &scratch[worker]
		c.choose(a.searcher, short[at], a.k, dot)
		for p, one := range c.list[:a.k] {
			a.lists.row(short[at])[p] = entry{dist: one.dist, index: one.index}
		}
	})
}

// sample draws m rows and finds the exact distance of their k-th neighbours, in
// blocks: m n d flops.
func (a *approximation) sample(ctx context.Context, m int) error {
	rng := rand.New(rand.NewPCG(a.seed, 0x73616d70))
	a.rows = rng.Perm(a.n)[:m]
	slices.Sort(a.rows)
	a.reach = make([]float64, m)
	scratch := make([]nearest, a.workers)
	return a.scanRows(ctx, a.rows, func(worker, at int, dot []float64) {
		c := &scratch[worker]
		c.choose(a.searcher, a.rows[at], a.k, dot)
		a.reach[at] = c.list[a.k-1].dist
	})
}

// recall is the share of the sample's first k entries that are as near as its
// k-th true neighbour, so that ties count as right.
func (a *approximation) recall() float64 {
	hits := 0
	for at, i := range a.rows {
		for _, c := range a.lists.row(i)[:a.k] {
			if c.dist <= a.reach[at] && c.index >= 0 {
				hits++
			}
		}
	}
	return float64(hits) / float64(len(a.rows)*a.k)
}

// scanRows is scan for some of the rows; visit gets their places in the list.
func (s *searcher) scanRows(ctx context.Context, rows []int, visit func(worker, at int, dot []float64)) error {
	if s.csr != nil {
		return s.scanSparse(ctx, rows, visit)
	}
	panel := min(len(rows), max(16, (1<<20)/s.n))
	left, out := mat.NewDense(panel, s.d, nil), mat.NewDense(panel, s.n, nil)
	for lo := 0; lo < len(rows); lo += panel {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(len(rows), lo+panel)
		for at := lo; at < hi; at++ {
			copy(left.RawRowView(at-lo), s.centred.RawRowView(rows[at]))
		}
		block := out.Slice(0, hi-lo, 0, s.n).(*mat.Dense)
		blas.Gemm(1, blas.N(left.Slice(0, hi-lo, 0, s.d).(*mat.Dense)), blas.T(s.centred), 0, block)
		parallel.Workers(s.workers, hi-lo, 8, func(worker, from, to int) {
			for at := lo + from; at < lo+to; at++ {
				visit(worker, at, block.RawRowView(at-lo))
			}
		})
	}
	return nil
}

// near is exact(i, j) as long as it is at most limit; else any number above
// limit. Sums of squares only grow, in floating point too, so leaving early
// changes no answer.
func (s *searcher) near(i, j int, limit float64) float64 {
	const stride = 16
	if s.rows == nil || s.empty != nil && (s.empty[i] || s.empty[j]) || s.d < 2*stride {
		return s.exact(i, j)
	}
	a, b := s.rows.RawRowView(i), s.rows.RawRowView(j)
	var s0, s1, s2, s3 float64
	c := 0
	for c+4 <= len(a) {
		end := min(c+stride, len(a)&^3)
		for ; c < end; c += 4 {
			d0, d1, d2, d3 := a[c]-b[c], a[c+1]-b[c+1], a[c+2]-b[c+2], a[c+3]-b[c+3]
			s0 += d0 * d0
			s1 += d1 * d1
			s2 += d2 * d2
			s3 += d3 * d3
		}
		if sum := (s0 + s1) + (s2 + s3); sum > limit {
			return sum
		}
	}
	for ; c < len(a); c++ {
		d := a[c] - b[c]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// entry is a candidate in a list; index -1 marks an empty place.
type entry struct {
	dist  float64
	index int32
	fresh bool // not yet compared with the other members of the list
}

// pools are the lists of all rows, each sorted by (distance, index).
type pools struct {
	n, k  int
	entry []entry
}

func (p *pools) row(i int) []entry { return p.entry[i*p.k : (i+1)*p.k] }

// widen returns lists of length k with the members of p, all fresh.
func (p *pools) widen(n, k int) *pools {
	w := &pools{n: n, k: k, entry: make([]entry, n*k)}
	for i := range w.entry {
		w.entry[i] = entry{dist: math.Inf(1), index: -1}
	}
	if p == nil {
		return w
	}
	for i := range n {
		to := w.row(i)
		copy(to, p.row(i))
		for c := range to {
			to[c].fresh = to[c].index >= 0
		}
	}
	return w
}

// offer puts (dist, j) in the list if it belongs there, and tells so. A member
// offered again changes nothing.
func offer(list []entry, dist float64, j int32) bool {
	at := len(list) - 1
	if !before(dist, j, list[at]) {
		return false
	}
	for at > 0 && before(dist, j, list[at-1]) {
		at--
	}
	if at > 0 && list[at-1].index == j {
		return false
	}
	copy(list[at+1:], list[at:len(list)-1])
	list[at] = entry{dist, j, true}
	return true
}

// before orders candidates; empty places come last.
func before(dist float64, j int32, e entry) bool {
	return dist < e.dist || dist == e.dist && (j < e.index || e.index < 0)
}
