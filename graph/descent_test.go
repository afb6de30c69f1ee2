package graph

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// The approximate search goes the way it went: what two trees find, with whom rows are compared first, and what is
// found in the end and after wider lists; with any metric, of dense and sparse rows. Its seed moves all of it.
func TestWay(t *testing.T) {
	if testing.Short() {
		t.Skip("steps of one goroutine, slow under the race detector")
	}
	var path pathtest.Path
	for _, d := range []int{4, 40} {
		x := normal(uint64(d), 400, d)
		for _, metric := range []Metric{Euclidean, Cosine} {
			for form, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
				for _, seed := range []uint64{0, 3} {
					name := fmt.Sprintf("%d columns, %v, form %d, seed %d", d, metric, form, seed)
					engine, err := newSearcher(rows, metric)
					if err != nil {
						t.Fatal(err)
					}
					a := &approximation{searcher: engine, k: 6, seed: seed, target: 0.5}
					if err := a.sample(t.Context(), 40); err != nil {
						t.Fatal(err)
					}
					look(t, &path, name, a)
				}
			}
		}
	}
	path.Compare(t, "approximate")
}

// look records the stages of one search.
func look(t *testing.T, path *pathtest.Path, name string, a *approximation) {
	t.Helper()
	drawn := 0
	for at, i := range a.rows {
		drawn += (at + 1) * i
	}
	path.Add(name+", sample", drawn, total(a.reach))
	for _, width := range []int{12, 18} {
		a.lists = a.lists.widen(a.n, width)
		if err := a.plant(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		path.Add(fmt.Sprintf("%s, two trees into %d", name, width), listed(a), a.recall())
		r := &around{fresh: make([]int32, a.n), all: make([]int32, a.n), member: make([]int32, a.n*4*joinRows)}
		a.gather(r, 1)
		fresh, all, who := 0, 0, 0
		for v := range a.n {
			fresh, all = fresh+int(r.fresh[v]), all+int(r.all[v])
			f, old := r.of(v)
			for p, j := range f {
				who += (p + 1) * int(j)
			}
			for p, j := range old {
				who -= (p + 1) * int(j)
			}
		}
		path.Add(fmt.Sprintf("%s, compared at %d", name, width), fresh, all, who)
		if err := a.descend(t.Context()); err != nil {
			t.Fatal(err)
		}
		path.Add(fmt.Sprintf("%s, descended at %d", name, width), listed(a), a.recall())
	}
}

// listed counts the entries of all lists and adds their places, to see any difference.
func listed(a *approximation) string {
	count, places := 0, 0
	for p, e := range a.lists.entry {
		if e.index >= 0 {
			count++
			places += p * int(e.index) % 1009
		}
	}
	return fmt.Sprint(count, " ", places)
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// A descent ends after twelve sweeps though lists still change: a row at the end of a line that knows its beginning alone comes one row
// nearer to its own place in each.
func TestSweepsOfADescent(t *testing.T) {
	const last = 20
	x := normal(1, last+1, 1)
	at := 0.0
	for i := range last {
		x.Set(i, 0, at)
		at += float64(30 - i) // so that the next row is the nearest one
	}
	x.Set(last, 0, at+100)
	engine, err := newSearcher(rowsOf(x), Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	a := &approximation{searcher: engine, k: 1}
	a.lists = a.lists.widen(last+1, 1)
	for i := range last + 1 {
		j := i + 1
		switch i {
		case last - 1:
			j = i - 1
		case last:
			j = 0
		}
		a.order = append(a.order, int32(i))
		a.lists.row(i)[0] = entry{engine.exact(i, j), int32(j), i == last}
	}
	if err := a.descend(t.Context()); err != nil || a.lists.row(last)[0].index != 12 {
		t.Errorf("the row is at %d, %v", a.lists.row(last)[0].index, err)
	}
}
