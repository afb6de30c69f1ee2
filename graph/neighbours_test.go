package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func neighbours(t testing.TB, rows data.Rows, k int, metric Metric) *Lists {
	t.Helper()
	l, err := Neighbours(context.Background(), rows, k, metric)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// agree compares with the naive search. Exact data must give the same lists;
// else distances agree to rounding and any other order is a tie to rounding.
func agree(t *testing.T, x *mat.Dense, l *Lists, exact bool) {
	t.Helper()
	index, dist := naiveNeighbours(x, l.k, l.metric)
	for i := range index {
		idx, d := l.Row(i, l.k)
		for p, j := range idx {
			if exact && (int(j) != index[i][p] || d[p] != dist[i][p]) {
				t.Fatalf("row %d, neighbour %d: %d at %g, want %d at %g", i, p, j, d[p], index[i][p], dist[i][p])
			}
			if tol := 1e-14 + 1e-12*dist[i][p]; math.Abs(d[p]-dist[i][p]) > tol || math.Abs(naiveDistance(x, i, int(j), l.metric)-d[p]) > tol {
				t.Fatalf("row %d, neighbour %d: %d at %g, want %d at %g", i, p, j, d[p], index[i][p], dist[i][p])
			}
		}
	}
}

func TestNeighboursAreTheNaiveOnes(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{2, 1, 1}, {7, 3, 6}, {120, 2, 10}, {90, 33, 50}, {300, 4, 5}} {
		for _, metric := range []Metric{Euclidean, Cosine} {
			for _, whole := range []bool{false, true} {
				x := normal(uint64(c.n), c.n, c.d)
				if whole {
					x = integers(uint64(c.n), c.n, c.d)
				}
				exact := whole && metric == Euclidean
				agree(t, x, neighbours(t, rowsOf(x), c.k, metric), exact)
				agree(t, x, neighbours(t, sparseOf(x), c.k, metric), exact)
			}
		}
	}
}

func TestNeighboursFarFromTheOrigin(t *testing.T) {
	x := integers(3, 200, 5)
	shifted := mat.DenseCopyOf(x)
	// Norms of 1e16 against squared distances of 1: inner products alone would
	// lose every digit.
	shifted.Apply(func(_, j int, v float64) float64 { return v + 1e8*float64(j+1) }, shifted)
	want := neighbours(t, rowsOf(x), 8, Euclidean)
	for _, rows := range []data.Rows{rowsOf(shifted), sparseOf(shifted)} {
		if d := cmp.Diff(want, neighbours(t, rows, 8, Euclidean), cmp.AllowUnexported(Lists{})); d != "" {
			t.Error(d)
		}
	}
}

func TestDuplicatesAreAtDistanceZeroInOrder(t *testing.T) {
	base := normal(9, 5, 37)
	x := mat.NewDense(60, 37, nil)
	for i := range 60 {
		x.SetRow(i, base.RawRowView(i%5))
	}
	for _, metric := range []Metric{Euclidean, Cosine} {
		for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
			l := neighbours(t, rows, 11, metric)
			for i := range 60 {
				idx, dist := l.Row(i, 11)
				var want []int32
				for j := i % 5; j < 60; j += 5 {
					if j != i {
						want = append(want, int32(j))
					}
				}
				if !slices.Equal(idx, want) || slices.Max(dist) != 0 {
					t.Fatalf("%v row %d: %v at %v, want %v at 0", metric, i, idx, dist, want)
				}
			}
		}
	}
}

func TestShorterListsArePrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "n")
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		x := integers(rapid.Uint64().Draw(t, "seed"), n, rapid.IntRange(1, 3).Draw(t, "d"))
		metric := Metric(rapid.IntRange(0, 1).Draw(t, "metric"))
		long, err := Neighbours(context.Background(), rowsOf(x), n-1, metric)
		if err != nil {
			t.Fatal(err)
		}
		short, err := Neighbours(context.Background(), rowsOf(x), k, metric)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			a, ad := long.Row(i, k)
			b, bd := short.Row(i, k)
			if !slices.Equal(a, b) || !slices.Equal(ad, bd) {
				t.Fatalf("row %d: %v of the long list, %v of the short", i, a, b)
			}
		}
	})
}

func TestNeighboursDoNotDependOnThreads(t *testing.T) {
	// Two panels; whole numbers, so that dense and sparse distances are equal.
	x := integers(4, 1050, 6)
	dense, sparse := neighbours(t, rowsOf(x), 12, Euclidean), neighbours(t, sparseOf(x), 12, Euclidean)
	if d := cmp.Diff(dense, sparse, cmp.AllowUnexported(Lists{})); d != "" {
		t.Error(d)
	}
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		old := runtime.GOMAXPROCS(1)
		one := neighbours(t, rows, 12, Euclidean)
		runtime.GOMAXPROCS(5)
		many := neighbours(t, rows, 12, Euclidean)
		runtime.GOMAXPROCS(old)
		if d := cmp.Diff(one, many, cmp.AllowUnexported(Lists{})); d != "" {
			t.Error(d)
		}
	}
}

func TestNeighboursErrors(t *testing.T) {
	x := normal(1, 30, 2)
	_, err := Neighbours(context.Background(), rowsOf(x), 50, Euclidean)
	if err == nil || !strings.Contains(err.Error(), "asked 50 neighbours of 30 rows; at most 29") {
		t.Errorf("k >= n: %v", err)
	}
	if _, err := Neighbours(context.Background(), rowsOf(x), 0, Euclidean); err == nil {
		t.Error("k = 0 accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		if _, err := Neighbours(ctx, rows, 3, Euclidean); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := (Recipe{Kind: Full}).Build(ctx, rows, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	x.Set(7, 1, math.NaN())
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		if _, err := Neighbours(context.Background(), rows, 3, Cosine); err == nil || !strings.Contains(err.Error(), "row 7") {
			t.Errorf("NaN: %v", err)
		}
	}
}

func BenchmarkNeighbours(b *testing.B) {
	for _, d := range []int{10, 1024} {
		for _, k := range []int{10, 50} {
			x := normal(1, 2000, d)
			b.Run(fmt.Sprintf("n=2000/d=%d/k=%d", d, k), func(b *testing.B) {
				for b.Loop() {
					neighbours(b, rowsOf(x), k, Euclidean)
				}
			})
		}
	}
}

// Rows that are no numbers, and more rows than can be numbered, are refused by whoever measures their distances, in both forms.
func TestRowsWithoutDistances(t *testing.T) {
	good := normal(1, 30, 2)
	bad := mat.DenseCopyOf(good)
	bad.Set(7, 1, math.NaN())
	pairs := build(t, Recipe{Neighbours: 1, Symmetry: Mutual}, rowsOf(good)) // which paths have to join
	many := data.Rows{Sparse: &data.CSR{R: math.MaxInt32 + 1, C: 1}}
	for name, f := range map[string]func(rows data.Rows) error{
		"neighbours": func(rows data.Rows) error { _, err := Neighbours(t.Context(), rows, 3, Euclidean); return err },
		"nearest": func(rows data.Rows) error {
			_, err := NearestOf(t.Context(), rows, Cosine, []int{1}, []int{2, 3})
			return err
		},
		"approximate": func(rows data.Rows) error {
			_, err := NeighbourSearch{Method: Approximate}.Find(t.Context(), rows, 3, Euclidean)
			return err
		},
		"full": func(rows data.Rows) error { _, err := Recipe{Kind: Full}.Build(t.Context(), rows, nil); return err },
		"radius": func(rows data.Rows) error {
			_, err := Recipe{Kind: Epsilon, Radius: 1}.Build(t.Context(), rows, nil)
			return err
		},
		"paths": func(rows data.Rows) error { _, err := NewPaths(t.Context(), pairs, rows, 1); return err },
	} {
		for _, rows := range []data.Rows{rowsOf(bad), sparseOf(bad)} {
			if err := f(rows); err == nil || !strings.Contains(err.Error(), "row 7 holds a value that is not finite") {
				t.Errorf("%s, sparse %v: error %v", name, rows.IsSparse(), err)
			}
		}
		if slices.Contains([]string{"neighbours", "nearest", "approximate"}, name) { // the others make lists of rows before
			if err := f(many); err == nil || !strings.Contains(err.Error(), "2147483648 rows; at most 2147483647") {
				t.Errorf("%s of very many rows: error %v", name, err)
			}
		}
	}
}
