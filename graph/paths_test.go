package graph

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"gonum.org/v1/gonum/mat"
)

func paths(t testing.TB, rows data.Rows, k int, metric Metric, rho float64) *Paths {
	t.Helper()
	g, err := Recipe{Neighbours: k, Metric: metric}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPaths(t.Context(), g, rows, rho)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// apart returns rows in so many distant groups, each of which is a component of a graph of few neighbours.
func apart(seed uint64, n, d, groups int) *mat.Dense {
	x := normal(seed, n, d)
	for i := range n {
		x.Set(i, 0, x.At(i, 0)+float64(20*(i%groups)*(1+i%groups)))
	}
	return x
}

// naiveCosts are the edges of the graph, and those of a minimum spanning tree of its components by Kruskal's
// method on all pairs.
func naiveCosts(g *Graph, x *mat.Dense, cost func(d float64) float64) (c [][]float64, joined int) {
	n := g.N
	c = make([][]float64, n)
	group := make([]int, n)
	merge := func(a, b int) {
		for i := range group {
			if group[i] == a {
				group[i] = b
			}
		}
	}
	for i := range n {
		group[i] = i
		c[i] = make([]float64, n)
		for j := range n {
			if j != i {
				c[i][j] = math.Inf(1)
			}
		}
	}
	for i := range n {
		for p := g.W.Start[i]; p < g.W.Start[i+1]; p++ {
			j := int(g.W.Index[p])
			c[i][j] = cost(math.Sqrt(g.dist2[p]))
			merge(group[i], group[j])
		}
	}
	for {
		a, b, least := -1, -1, math.Inf(1)
		for i := range n {
			for j := range i {
				d := naiveDistance(x, i, j, g.Recipe.Metric)
				if g.Recipe.Metric == Euclidean {
					d = math.Sqrt(d)
				}
				if group[i] != group[j] && d < least {
					a, b, least = i, j, d
				}
			}
		}
		if a < 0 {
			return c, joined
		}
		c[a][b], c[b][a] = cost(least), cost(least)
		merge(group[a], group[b])
		joined++
	}
}

// naiveLengths is Floyd and Warshall's method.
func naiveLengths(c [][]float64, rho float64) *mat.Dense {
	n := len(c)
	for k := range n {
		for i := range n {
			for j := range n {
				through := c[i][k] + c[k][j]
				if math.IsInf(rho, 1) {
					through = max(c[i][k], c[k][j])
				}
				c[i][j] = min(c[i][j], through)
			}
		}
	}
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j, v := range c[i] {
			if rho > 0 && !math.IsInf(rho, 1) {
				v = math.Log1p(v) / rho
			}
			out.Set(i, j, v)
		}
	}
	return out
}

func TestPathsAreTheNaiveOnes(t *testing.T) {
	for _, metric := range []Metric{Euclidean, Cosine} {
		for _, rho := range []float64{0, 0.7, 20, math.Inf(1)} {
			for _, groups := range []int{1, 5} {
				x := apart(uint64(groups), 60, 3, groups)
				g, err := Recipe{Neighbours: 3, Metric: metric}.Build(t.Context(), rowsOf(x), nil)
				if err != nil {
					t.Fatal(err)
				}
				cost := func(d float64) float64 {
					if rho == 0 || math.IsInf(rho, 1) {
						return d
					}
					return math.Exp(min(rho*d, longestCost)) - 1
				}
				c, joined := naiveCosts(g, x, cost)
				want := naiveLengths(c, rho)
				for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
					got := paths(t, rows, 3, metric, rho)
					// e^(rho d) - 1 loses what expm1 keeps of short edges.
					if !mat.EqualApprox(got.Length, want, 1e-9) || got.Bridges != joined {
						t.Errorf("%v, rho %g, %d groups, sparse %v: %d bridges, want %d", metric, rho, groups, rows.IsSparse(), got.Bridges,
							joined)
					}
					if !mat.Equal(got.Length, got.Length.T()) {
						t.Errorf("%v, rho %g: not symmetric", metric, rho)
					}
				}
				if metric == Euclidean && groups == 5 && joined < 4 {
					t.Errorf("%d components; the rows are to have more", joined+1)
				}
			}
		}
	}
}

// As rho falls the lengths are those of the shortest paths, as it grows the bottlenecks, and between they fall.
func TestPathsBetweenShortestAndBottleneck(t *testing.T) {
	rows := rowsOf(normal(4, 80, 2))
	at := func(rho float64) *mat.Dense { return paths(t, rows, 4, Euclidean, rho).Length }
	if !mat.EqualApprox(at(1e-9), at(0), 1e-7) {
		t.Error("a small rho is not the shortest path")
	}
	// log(edges)/rho beyond the bottleneck, where costs are not cut.
	if !mat.EqualApprox(at(500), at(math.Inf(1)), math.Log(80)/500) {
		t.Error("a large rho is not the bottleneck")
	}
	long := at(0)
	for _, rho := range []float64{0.1, 1, 10, 100, math.Inf(1)} {
		short := at(rho)
		for i := range 80 {
			for j := range 80 {
				if short.At(i, j) > long.At(i, j)*(1+1e-12)+1e-300 {
					t.Fatalf("rho %g: the length of (%d, %d) grows from %g to %g", rho, i, j, long.At(i, j), short.At(i, j))
				}
			}
		}
		long = short
	}
}

// Duplicates are no way apart, and edges too long for e^(rho d) still join.
func TestPathsOfDuplicatesAndOutliers(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 0, 1, 1, 1e6})
	p := paths(t, rowsOf(x), 1, Euclidean, 3)
	if p.Length.At(0, 1) != 0 || p.Length.At(2, 3) != 0 || p.Bridges != 1 {
		t.Errorf("duplicates at %g and %g, %d bridges", p.Length.At(0, 1), p.Length.At(2, 3), p.Bridges)
	}
	if d := p.Length.At(0, 2); math.Abs(d-1) > 1e-14 {
		t.Errorf("length %g of one edge of 1", d)
	}
	if d := p.Length.At(0, 4); math.Abs(d-longestCost/3.) > 1e-9 {
		t.Errorf("length %g of an edge beyond the largest cost, want %g", d, longestCost/3.)
	}
	g, err := Recipe{Neighbours: 1}.Build(t.Context(), rowsOf(x), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{-1, math.NaN()} {
		if _, err := NewPaths(t.Context(), g, rowsOf(x), rho); err == nil {
			t.Errorf("rho %g was taken", rho)
		}
	}
}

func TestPathsOnAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rows := rowsOf(apart(7, 90, 4, 3))
	one := paths(t, rows, 3, Euclidean, 2)
	runtime.GOMAXPROCS(3)
	if !mat.Equal(one.Length, paths(t, rows, 3, Euclidean, 2).Length) {
		t.Error("the lengths depend on the number of processors")
	}
}

func TestPathsStoppedAnywhere(t *testing.T) {
	rows := rowsOf(apart(8, 40, 2, 2))
	g, err := Recipe{Neighbours: 3}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := NewPaths(ctx, g, rows, 1)
		return err
	})
}

func BenchmarkPaths(b *testing.B) {
	rows := rowsOf(normal(1, 1500, 20))
	g, err := Recipe{Neighbours: 10}.Build(b.Context(), rows, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := NewPaths(b.Context(), g, rows, 4/g.MeanEdge); err != nil {
			b.Fatal(err)
		}
	}
}

// Edges are told apart up to 690 over rho, as far as sums of their costs are finite; longer ones are alike.
func TestLongestEdgeOfPaths(t *testing.T) {
	for d, want := range map[float64]float64{229.5: 229.5, 230: 230, 230.5: 230, 1e6: 230} {
		p := paths(t, rowsOf(mat.NewDense(2, 1, []float64{0, d})), 1, Euclidean, 3)
		if got := p.Length.At(0, 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("an edge of %g has the length %g, want %g", d, got, want)
		}
	}
}
