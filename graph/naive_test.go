package graph

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// naiveDistance is the definition.
func naiveDistance(x *mat.Dense, i, j int, metric Metric) float64 {
	a, b := x.RawRowView(i), x.RawRowView(j)
	if metric == Euclidean {
		sum := 0.0
		for c := range a {
			sum += (a[c] - b[c]) * (a[c] - b[c])
		}
		return sum
	}
	var ab, aa, bb float64
	for c := range a {
		ab += a[c] * b[c]
		aa += a[c] * a[c]
		bb += b[c] * b[c]
	}
	if aa == 0 || bb == 0 {
		return 1
	}
	return 1 - ab/math.Sqrt(aa*bb)
}

func naiveNeighbours(x *mat.Dense, k int, metric Metric) ([][]int, [][]float64) {
	n, _ := x.Dims()
	index, dist := make([][]int, n), make([][]float64, n)
	for i := range n {
		type pair struct {
			j int
			d float64
		}
		var all []pair
		for j := range n {
			if j != i {
				all = append(all, pair{j, naiveDistance(x, i, j, metric)})
			}
		}
		slices.SortFunc(all, func(a, b pair) int { return cmp.Or(cmp.Compare(a.d, b.d), a.j-b.j) })
		for _, p := range all[:k] {
			index[i], dist[i] = append(index[i], p.j), append(dist[i], p.d)
		}
	}
	return index, dist
}

// matrix is the operator written out.
func matrix(o Operator) *mat.Dense {
	n := o.Len()
	eye, out := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	o.MulTo(out, eye)
	return out
}

// normal is an n x d matrix of standard normal numbers.
func normal(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := mat.NewDense(n, d, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// integers are small whole numbers: distances are exact and ties frequent.
func integers(seed uint64, n, d int) *mat.Dense {
	m := normal(seed, n, d)
	m.Apply(func(_, _ int, v float64) float64 { return math.Round(1.2 * v) }, m)
	return m
}

func rowsOf(x *mat.Dense) data.Rows { return data.Rows{Dense: x} }

func sparseOf(x *mat.Dense) data.Rows { return data.Rows{Sparse: data.CSRFromDense(x)} }

func build(t testing.TB, r Recipe, rows data.Rows) *Graph {
	t.Helper()
	g, err := r.Build(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// golden8 are the points of G1 in the hyper-parameter specification.
func golden8() *mat.Dense {
	return mat.NewDense(8, 2, []float64{0, 0, 3, 0.53, 0.47, 2.05, 1.02, -0.11, 2.07, 0.04, 2.44, 1.56, 1.55, 2.46, 0.23, 1.09})
}

// goldenM0 are the points of the manifold regularisation specification.
func goldenM0() *mat.Dense {
	return mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})
}

func edges(g *Graph) [][2]int {
	var e [][2]int
	for i := range g.N {
		idx, _ := g.W.Row(i)
		for _, j := range idx {
			if int(j) > i {
				e = append(e, [2]int{i, int(j)})
			}
		}
	}
	return e
}
