package graph

// Descent over lists: who is near my neighbour may be near me. In a sweep, with
// F(v) the fresh members of v's neighbourhood and G(v) the others, row i is
// compared with
//
//	F(v) and G(v) for v in F(i),    F(v) for v in G(i)
//
// and keeps the best. A neighbourhood is made of the list of v and of the rows
// that list v, at most joinRows of each kind, the list's nearest and of the others those
// with the smallest hash of (sweep, i, v), so that hubs do not cost more than
// their share. Neighbourhoods are taken before the sweep, so rows can be done
// in any order. The sweeps end when fewer than 1 in 1000 entries change, after
// 12 at most.

import (
	"cmp"
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/splitmix"
)

const (
	joinRows  = 10
	maxSweeps = 12
	stillness = 1e-3
)

// around are the neighbourhoods of all rows: members of v at
// member[v*4*joinRows:], fresh ones first.
type around struct {
	fresh, all []int32 // counts
	member     []int32
}

func (r *around) of(v int) (fresh, old []int32) {
	m := r.member[v*4*joinRows:]
	return m[:r.fresh[v]], m[r.fresh[v]:r.all[v]]
}

// descend sweeps until the lists rest.
func (a *approximation) descend(ctx context.Context) error {
	r := &around{fresh: make([]int32, a.n), all: make([]int32, a.n), member: make([]int32, a.n*4*joinRows)}
	stamp := make([][]int32, a.workers) // stamp[worker][j] == turn: j was compared
	turn := make([]int32, a.workers)
	changed := make([]int, a.workers)
	for sweep := range maxSweeps {
		a.gather(r, uint64(sweep))
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(changed)
		parallel.Workers(a.workers, a.n, 256, func(worker, lo, hi int) {
			if ctx.Err() != nil {
				return
			}
			if stamp[worker] == nil {
				stamp[worker] = make([]int32, a.n)
			}
			for _, i := range a.order[lo:hi] {
				turn[worker]++
				changed[worker] += a.pull(r, int(i), stamp[worker], turn[worker])
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		total := 0
		for _, c := range changed {
			total += c
		}
		if float64(total) < stillness*float64(a.n*a.lists.k) {
			return nil
		}
	}
	return nil
}

// pull compares row i and returns how many entries of its list are new.
func (a *approximation) pull(r *around, i int, stamp []int32, turn int32) int {
	list := a.lists.row(i)
	stamp[i] = turn
	for _, e := range list {
		if e.index >= 0 {
			stamp[e.index] = turn
		}
	}
	changed := 0
	try := func(j int32) {
		if stamp[j] == turn {
			return
		}
		stamp[j] = turn
		worst := list[len(list)-1].dist
		if d := a.near(i, int(j), worst); d <= worst && offer(list, d, j) {
			changed++
		}
	}
	all := func(members []int32) {
		for _, j := range members {
			try(j)
		}
	}
	fresh, old := r.of(i)
	for _, v := range fresh {
		f, g := r.of(int(v))
		try(v) // it may list i and not be listed by it
		all(f)
		all(g)
	}
	for _, v := range old {
		f, _ := r.of(int(v))
		all(f)
	}
	return changed
}

// gather takes the neighbourhoods and marks the fresh members that were taken as
// seen.
func (a *approximation) gather(r *around, sweep uint64) {
	n, k := a.n, a.lists.k
	// Who lists v: counted, then placed, in order of the listing row.
	start := make([]int, n+1)
	for _, e := range a.lists.entry {
		if e.index >= 0 {
			start[e.index+1]++
		}
	}
	for v := range n {
		start[v+1] += start[v]
	}
	in := make([]int32, start[n])
	fresh := make([]bool, start[n])
	next := slices.Clone(start[:n])
	for i := range n {
		for _, e := range a.lists.entry[i*k : (i+1)*k] {
			if e.index >= 0 {
				in[next[e.index]], fresh[next[e.index]] = int32(i), e.fresh
				next[e.index]++
			}
		}
	}
	parallel.Workers(a.workers, n, 512, func(_, lo, hi int) {
		var picked [2][]keyed
		for v := lo; v < hi; v++ {
			m := r.member[v*4*joinRows : (v+1)*4*joinRows]
			count := 0
			picked[0], picked[1] = picked[0][:0], picked[1][:0]
			for p := start[v]; p < start[v+1]; p++ {
				kind := 1
				if fresh[p] {
					kind = 0
				}
				picked[kind] = append(picked[kind], keyed{splitmix.Hash(sweep, uint64(in[p]), uint64(v)), in[p]})
			}
			for kind := range 2 {
				taken := 0
				list := a.lists.row(v)
				for c := range list {
					e := &list[c]
					if taken == joinRows || e.index < 0 {
						break
					}
					if e.fresh == (kind == 0) {
						m[count] = e.index
						count++
						taken++
					}
				}
				for _, x := range smallest(picked[kind], joinRows) {
					if !slices.Contains(m[:count], x.row) {
						m[count] = x.row
						count++
					}
				}
				if kind == 0 {
					r.fresh[v] = int32(count)
				}
			}
			r.all[v] = int32(count)
		}
	})
	// Marked after all have looked: fresh members that were taken are seen now.
	parallel.Workers(a.workers, n, 512, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			taken := 0
			list := a.lists.row(v)
			for c := range list {
				if list[c].fresh && taken < joinRows {
					list[c].fresh = false
					taken++
				}
			}
		}
	})
}

// keyed is a row with its random key.
type keyed struct {
	key uint64
	row int32
}

// smallest returns the k of smallest keys.
func smallest(all []keyed, k int) []keyed {
	if len(all) <= k {
		return all
	}
	slices.SortFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	return all[:k]
}
