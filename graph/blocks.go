package graph

// Problem  the k nearest of all rows for every row, dense.
// Method   inner products by blocks of rows and columns that stay in a processor's own cache. A pair whose lower bound (search.go) is
//          within the k-th least upper bound so far enters the row's list. At the end the rows of a list are measured exactly. A list
//          that is full before, as where many distances are equal, is measured and cut to its k nearest.
// Cost     n^2 d multiply-adds and n^2 comparisons, and for each row some k log(n/k) steps of a heap and k exact distances. Memory, a
//          worker: a block of products, 1 MB, and a list for each of its rows.
// Limits   of rows that are all at equal distances each pair is measured.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

const (
	blockRows    = 256
	blockColumns = 512
	spare        = 64 // room of a list beyond 8 k
)

// blockLists finds the neighbours of dense rows.
func (s *searcher) blockLists(ctx context.Context, l *Lists) error {
	low := make([]float64, s.n) // with the row's own part a lower bound of a distance without its inner product
	for j, v := range s.norm {
		low[j] = (1 - s.slack) * v
	}
	height := min(blockRows, max(16, (s.n+4*s.workers-1)/(4*s.workers)))
	scratch := make([]*blockSearch, s.workers)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parallel.Workers(s.workers, s.n, height, func(worker, lo, hi int) {
		b := scratch[worker]
		if b == nil {
			b = &blockSearch{searcher: s, k: l.k, low: low, alone: blas.Alone(), out: mat.NewDense(height, min(s.n, blockColumns), nil)}
			b.found = make([]found, height)
			scratch[worker] = b
		}
		if err := b.rows(ctx, lo, hi); err != nil {
			stop(err)
			return
		}
		for i := lo; i < hi; i++ {
			for p, c := range b.nearest(i, &b.found[i-lo]) {
				l.index[i*l.k+p], l.dist[i*l.k+p] = c.index, c.dist
			}
		}
	})
	return context.Cause(ctx)
}

// blockSearch is what a worker has.
type blockSearch struct {
	*searcher
	k     int
	low   []float64
	alone blas.Backend
	out   *mat.Dense
	found []found // of the rows of a block
}

// found are rows that may be among the k nearest.
type found struct {
	list     []candidate // with their lower bounds, the measured ones first with their distances
	measured int
	heap     []float64 // the k least upper bounds, the largest first
}

// rows compares rows lo to hi with all.
func (b *blockSearch) rows(ctx context.Context, lo, hi int) error {
	for q := range hi - lo {
		f := &b.found[q]
		f.list, f.measured, f.heap = f.list[:0], 0, f.heap[:0]
		for range b.k {
			f.heap = append(f.heap, math.Inf(1))
		}
	}
	left := blas.N(b.centred.Slice(lo, hi, 0, b.d).(*mat.Dense))
	for from := 0; from < b.n; from += blockColumns {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+blockColumns, b.n)
		out := b.out.Slice(0, hi-lo, 0, to-from).(*mat.Dense)
		b.alone.Gemm(1, left, blas.T(b.centred.Slice(from, to, 0, b.d).(*mat.Dense)), 0, out)
		for q := range hi - lo {
			b.look(lo+q, from, out.RawRowView(q), &b.found[q])
		}
	}
	return nil
}

// look takes the rows from a place on that may be among the k nearest of row i.
func (b *blockSearch) look(i, from int, dot []float64, f *found) {
	low, own := b.low[from:][:len(dot)], b.low[i]
	limit := f.heap[0] - own
	for p, v := range dot {
		least := low[p] - 2*v
		if least > limit || from+p == i {
			continue
		}
		if len(f.list) == 8*b.k+spare {
			b.cut(i, f)
		}
		j := from + p
		least += own
		most := least + b.gap(i, j)
		if b.empty != nil && (b.empty[i] || b.empty[j]) {
			least, most = 2, 2
		}
		f.list = append(f.list, candidate{least, int32(j)})
		if most < f.heap[0] {
			f.heap[0] = most
			sift(f.heap, 0)
		}
		limit = f.heap[0] - own
	}
}

// cut takes from a list what is beyond the bound, and measures it if that leaves much.
func (b *blockSearch) cut(i int, f *found) {
	kept := f.list[:f.measured]
	for _, c := range f.list[f.measured:] {
		if c.dist <= f.heap[0] {
			kept = append(kept, c)
		}
	}
	if f.list = kept; len(kept) > 4*b.k+spare/2 {
		last := b.nearest(i, f)[b.k-1].dist
		for p, v := range f.heap {
			f.heap[p] = min(v, last)
		}
	}
}

// nearest measures what is within the bound and keeps the k nearest, of equals the first, which it returns.
func (b *blockSearch) nearest(i int, f *found) []candidate {
	kept := f.list[:f.measured]
	for _, c := range f.list[f.measured:] {
		if c.dist <= f.heap[0] {
			kept = append(kept, candidate{b.exact(i, int(c.index)), c.index})
		}
	}
	slices.SortFunc(kept, func(x, y candidate) int {
		if x.dist != y.dist {
			return cmp.Compare(x.dist, y.dist)
		}
		return int(x.index) - int(y.index)
	})
	f.list, f.measured = kept[:b.k], b.k
	return f.list
}
