package graph

// Random-projection trees. A node's rows are ordered by x'(a - b), a and b two of
// its rows drawn at random, and halved at the median (ties by a hash of theirs, so that
// duplicates are halved too) until a leaf has at most leafRows. Within a leaf all
// pairs are compared.
//
// Time of a tree: n log2(n/leafRows) inner products and a sort at every level,
// then n leafRows distances; memory 12 n bytes a tree under work.

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/splitmix"
)

// leafRows bounds a leaf: larger ones find more and cost as much more.
const leafRows = 48

// projected is a row by its place along the direction of a node.
type projected struct {
	at  float64
	row int32
}

// plant grows trees, several at a time, and compares all pairs in their leaves.
// Leaves of one tree have no row in common, so each writes the lists of its own.
func (a *approximation) plant(ctx context.Context, trees int) error {
	orders := make([][]int32, trees)
	for t := range orders {
		orders[t] = make([]int32, a.n)
	}
	parallel.Workers(a.workers, trees, 1, func(_, lo, hi int) {
		scratch := make([]projected, a.n)
		for t := lo; t < hi; t++ {
			if ctx.Err() != nil {
				return
			}
			order := orders[t]
			for i := range order {
				order[i] = int32(i)
			}
			a.split(order, scratch, rand.New(rand.NewPCG(a.seed, uint64(a.trees+t)+0x74726565)))
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	a.trees += trees
	if a.order == nil {
		a.order = slices.Clone(orders[0])
	}
	var leaves [][2]int
	cut(0, a.n, &leaves)
	for _, order := range orders {
		parallel.Workers(a.workers, len(leaves), 8, func(_, lo, hi int) {
			if ctx.Err() != nil {
				return
			}
			for _, l := range leaves[lo:hi] {
				a.compare(order[l[0]:l[1]])
			}
		})
	}
	return ctx.Err()
}

// split orders rows by leaves. The shape of the tree is that of cut.
func (a *approximation) split(rows []int32, scratch []projected, rng *rand.Rand) {
	n := len(rows)
	if n <= leafRows {
		return
	}
	p, q := rng.IntN(n), rng.IntN(n-1)
	if q >= p {
		q++
	}
	from, to := int(rows[p]), int(rows[q])
	for c, i := range rows {
		scratch[c] = projected{a.inner(int(i), from) - a.inner(int(i), to), i}
	}
	// Equal rows are in another order in every tree, so that their leaves are not the same few in all.
	key := uint64(from)<<32 | uint64(to)
	slices.SortFunc(scratch[:n], func(x, y projected) int {
		if x.at != y.at {
			return cmp.Compare(x.at, y.at)
		}
		hx, hy := splitmix.Hash(key, uint64(x.row)), splitmix.Hash(key, uint64(y.row))
		return cmp.Or(cmp.Compare(hx, hy), cmp.Compare(x.row, y.row))
	})
	for c, x := range scratch[:n] {
		rows[c] = x.row
	}
	a.split(rows[:n/2], scratch, rng)
	a.split(rows[n/2:], scratch, rng)
}

// cut lists the leaves of lo..hi-1.
func cut(lo, hi int, leaves *[][2]int) {
	if n := hi - lo; n > leafRows {
		cut(lo, lo+n/2, leaves)
		cut(lo+n/2, hi, leaves)
		return
	}
	*leaves = append(*leaves, [2]int{lo, hi})
}

// compare offers every row of a leaf to the others.
func (a *approximation) compare(leaf []int32) {
	for c, i := range leaf {
		li := a.lists.row(int(i))
		for _, j := range leaf[:c] {
			lj := a.lists.row(int(j))
			worst := max(li[len(li)-1].dist, lj[len(lj)-1].dist)
			if d := a.near(int(i), int(j), worst); d <= worst {
				offer(li, d, j)
				offer(lj, d, i)
			}
		}
	}
}

// inner is x_i'x_j of the rows the estimates use.
func (s *searcher) inner(i, j int) float64 {
	if s.csr != nil {
		return s.csr.RowDot(i, s.csr, j)
	}
	a, b := s.centred.RawRowView(i), s.centred.RawRowView(j)
	sum := 0.0
	for c, v := range a {
		sum += v * b[c]
	}
	return sum
}
