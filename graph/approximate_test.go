package graph

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

func approximate(t testing.TB, rows data.Rows, k int, metric Metric) *Lists {
	t.Helper()
	l, err := NeighbourSearch{Method: Approximate, Seed: 5}.Find(context.Background(), rows, k, metric)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The measured recall is that against all exact lists, to the error of a sample
// of 1000 rows; distances are the exact ones.
func TestApproximateRecall(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{1500, 2, 5}, {1200, 20, 8}, {800, 130, 10}} {
		if testing.Short() {
			c.n /= 2
		}
		x := normal(uint64(c.d), c.n, c.d)
		for _, metric := range []Metric{Euclidean, Cosine} {
			forms := []data.Rows{rowsOf(x)}
			if c.d == 20 {
				forms = append(forms, sparseOf(x))
			}
			for _, rows := range forms {
				got, want := approximate(t, rows, c.k, metric), neighbours(t, rows, c.k, metric)
				hits := 0
				for i := range c.n {
					idx, dist := got.Row(i, c.k)
					_, exact := want.Row(i, c.k)
					for p, j := range idx {
						if dist[p] <= exact[c.k-1] {
							hits++
						}
						if p > 0 && dist[p] < dist[p-1] || int(j) == i {
							t.Fatalf("row %d: %v at %v", i, idx, dist)
						}
						if d := naiveDistance(x, i, int(j), metric); math.Abs(d-dist[p]) > 1e-12*(1+d) {
							t.Fatalf("row %d, neighbour %d: distance %g, want %g", i, j, dist[p], d)
						}
					}
				}
				recall := float64(hits) / float64(c.n*c.k)
				if recall < 0.94 || got.Recall < 0.95 || math.Abs(recall-got.Recall) > 0.02 {
					t.Errorf("n = %d, d = %d, %v: recall %g, measured %g", c.n, c.d, metric, recall, got.Recall)
				}
				if want.Recall != 1 {
					t.Errorf("recall of the exact search is %g", want.Recall)
				}
			}
		}
	}
}

// Where a target is not reached lists grow to half of the rows at most.
func TestApproximateWidens(t *testing.T) {
	x := normal(31, 600, 30)
	const k = 10
	low, err := NeighbourSearch{Method: Approximate, Recall: 0.1}.Find(context.Background(), rowsOf(x), k, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	high, err := NeighbourSearch{Method: Approximate, Recall: 0.9999}.Find(context.Background(), rowsOf(x), k, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	if low.Recall >= high.Recall || high.Recall < 0.9999 {
		t.Errorf("recall %g of a narrow search, %g of a wide one", low.Recall, high.Recall)
	}
}

// Many duplicates, a hub, and rows in lines: trees still halve, and lists are
// what the exact search gives where ties leave no choice.
func TestApproximateDuplicates(t *testing.T) {
	x := mat.NewDense(700, 3, nil)
	for i := range 600 {
		x.Set(i, 0, 1) // 600 equal rows
	}
	for i := 600; i < 700; i++ {
		x.Set(i, 1, float64(i))
	}
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		got := approximate(t, rows, 5, Euclidean)
		for i := range 600 {
			if _, dist := got.Row(i, 5); dist[4] != 0 {
				t.Fatalf("row %d: distances %v", i, dist)
			}
		}
		if got.Recall < 0.99 {
			t.Errorf("recall %g", got.Recall)
		}
	}
	small := normal(3, 12, 2)
	want := neighbours(t, rowsOf(small), 11, Euclidean)
	if d := cmp.Diff(want, approximate(t, rowsOf(small), 11, Euclidean), cmp.AllowUnexported(Lists{})); d != "" {
		t.Errorf("all others as neighbours: %s", d)
	}
}

// TestApproximateOfEqualRows: rows that all are one of few have as many neighbours as are asked for, at the least distances.
func TestApproximateOfEqualRows(t *testing.T) {
	for _, values := range []int{1, 2, 3} {
		for _, k := range []int{10, 26, 60} {
			x := mat.NewDense(300, 1, nil)
			for i := range 300 {
				x.Set(i, 0, float64(i%values))
			}
			got := approximate(t, rowsOf(x), k, Euclidean)
			for i := range 300 {
				index, dist := got.Row(i, k)
				for p, j := range index {
					if j < 0 || int(j) == i || dist[p] != 0 {
						t.Fatalf("%d values, %d neighbours: row %d has %v at %v", values, k, i, index, dist)
					}
				}
			}
			if got.Recall < 0.99 {
				t.Errorf("%d values, %d neighbours: recall %g", values, k, got.Recall)
			}
		}
	}
}

func TestApproximateDoesNotDependOnThreads(t *testing.T) {
	x := normal(8, 600, 8)
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		old := runtime.GOMAXPROCS(1)
		one := approximate(t, rows, 6, Euclidean)
		runtime.GOMAXPROCS(3)
		many := approximate(t, rows, 6, Euclidean)
		runtime.GOMAXPROCS(old)
		if d := cmp.Diff(one, many, cmp.AllowUnexported(Lists{})); d != "" {
			t.Error(d)
		}
	}
}

func TestSearchByRecipe(t *testing.T) {
	x := normal(9, 800, 4)
	auto := build(t, Recipe{Neighbours: 6}, rowsOf(x))
	near := build(t, Recipe{Neighbours: 6, Search: NeighbourSearch{Method: Approximate}}, rowsOf(x))
	if auto.Recall != 1 || near.Recall < 0.95 {
		t.Errorf("recall %g and %g", auto.Recall, near.Recall)
	}
	for _, s := range []NeighbourSearch{{Method: 7}, {Recall: 1}, {Recall: -0.5}, {Sample: -1}} {
		if err := (Recipe{Search: s}).Check(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

func TestApproximateErrors(t *testing.T) {
	x := normal(1, 200, 2)
	a := NeighbourSearch{Method: Approximate}
	if _, err := a.Find(context.Background(), rowsOf(x), 200, Euclidean); err == nil ||
		!strings.Contains(err.Error(), "asked 200 neighbours of 200 rows; at most 199") {
		t.Errorf("k >= n: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		if _, err := a.Find(ctx, rows, 3, Euclidean); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	x.Set(7, 1, math.Inf(1))
	if _, err := a.Find(context.Background(), rowsOf(x), 3, Euclidean); err == nil || !strings.Contains(err.Error(), "row 7") {
		t.Errorf("Inf: %v", err)
	}
}

func BenchmarkApproximateNeighbours(b *testing.B) {
	x := normal(1, 20_000, 10)
	for b.Loop() {
		approximate(b, rowsOf(x), 10, Euclidean)
	}
}

// A search that has its recall at once is of eight trees and lists of 30; one that never has it adds four trees six times, to lists that
// are longer by half each time.
func TestRoundsOfASearch(t *testing.T) {
	x := rowsOf(normal(4, 680, 2))
	for _, c := range []struct {
		target       float64
		trees, width int
	}{{0, 8, 30}, {2, 8 + 6*4, 337}} {
		engine, err := newSearcher(x, Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		a := &approximation{searcher: engine, k: 5, seed: 1, target: c.target}
		if err := a.sample(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := a.run(t.Context()); err != nil || a.trees != c.trees || a.lists.k != c.width {
			t.Errorf("recall %g: %d trees, lists of %d, %v", c.target, a.trees, a.lists.k, err)
		}
	}
}

// In a tree 48 rows are one leaf, in which each is compared with all others; one more makes two of it.
func TestRowsOfALeaf(t *testing.T) {
	for n, want := range map[int]int{48: 48 * 47, 49: 24*23 + 25*24} {
		engine, err := newSearcher(rowsOf(normal(2, n, 2)), Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		a := &approximation{searcher: engine, k: 1, seed: 1}
		a.lists = a.lists.widen(n, n-1)
		if err := a.plant(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range a.lists.entry {
			if e.index >= 0 {
				found++
			}
		}
		if found != want {
			t.Errorf("%d rows: %d neighbours after a tree, want %d", n, found, want)
		}
	}
}

// A search that ends without an error is the whole one, at whichever look its context has ended: lists that were not yet descended reach
// a low target too.
func TestApproximateIsWhole(t *testing.T) {
	rows := rowsOf(normal(8, 250, 30))
	stoptest.Whole(t, slices.Equal[[]int32], func(ctx context.Context) ([]int32, error) {
		l, err := NeighbourSearch{Method: Approximate, Recall: 0.1, Sample: 20}.Find(ctx, rows, 10, Euclidean)
		if err != nil {
			return nil, err
		}
		return l.index, nil
	})
}
