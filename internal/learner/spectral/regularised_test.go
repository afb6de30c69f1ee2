package spectral

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// What cannot be placed or parted is refused in the words it was, and what lies just inside a border is not.
func TestMessages(t *testing.T) {
	var path pathtest.Path
	rows, _ := set(t, "moons-det:n=40")
	g := graphOf(t, graph.Recipe{Neighbours: 4}, rows)
	for _, m := range []int{0, 1, 38, 39, 40} {
		path.Add("map", m, second(Eigenmap{}.Fit(t.Context(), g, m)))
		path.Add("kernel map", m, second(Regularised{Kernel: kernel.Gaussian{Sigma: 0.1}}.Fit(t.Context(), g, rows, m)))
	}
	for _, r := range []Regularised{{Gamma: -1}, {Gamma: math.Inf(1)}, {Gamma: math.NaN()}, {Kernel: kernel.Sigmoid{Scale: 1}},
		{Kernel: kernel.Linear{}}} {
		path.Add("regularised", second(r.Fit(t.Context(), g, rows, 2)))
	}
	path.Add("zero rows", second(Regularised{Kernel: kernel.Linear{}}.Fit(t.Context(), g, data.Rows{Dense: mat.NewDense(40, 2, nil)}, 1)))
	for _, k := range []int{-1, 1, 2, 39, 40} {
		path.Add("clusters", k, second(Clustering{Clusters: k}.Fit(t.Context(), g, rows)))
	}
	few := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 1, 2})}
	path.Add("few", second(Clustering{}.Fit(t.Context(), graphOf(t, graph.Recipe{Neighbours: 2}, few), few)))
	path.Add(
		"edgeless",
		second(Clustering{Clusters: 2}.Fit(t.Context(), graphOf(t, graph.Recipe{Kind: graph.Epsilon, Radius: 1e-6}, rows), rows)),
	)
	e, err := Eigenmap{}.Fit(t.Context(), g, 2)
	if err != nil {
		t.Fatal(err)
	}
	path.Add("new rows", second(e.At(t.Context(), rows)))
	path.Compare(t, "messages")
}

// TestPivotsHaveNoUnit: a kernel has as many pivots as independent functions, whatever the unit of the rows.
func TestPivotsHaveNoUnit(t *testing.T) {
	rows, _ := set(t, "moons-det:n=40")
	for _, unit := range []float64{1e-5, 1, 1e5} {
		x := mat.DenseCopyOf(rows.Dense)
		x.Scale(unit, x)
		g, err := kernel.Linear{}.Bind(t.Context(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		pivots, c, err := pivoted(t.Context(), g, 6)
		if err != nil || len(pivots) != 2 {
			t.Errorf("unit %g: %d pivots of rows in the plane, %v", unit, len(pivots), err)
			continue
		}
		var table, left mat.Dense
		table.Mul(x, x.T())
		left.Mul(c, c.T())
		left.Sub(&left, &table)
		if mat.Norm(&left, 2) > 1e-12*mat.Norm(&table, 2) {
			t.Errorf("unit %g: the factors leave %g of the table", unit, mat.Norm(&left, 2))
		}
	}
}

// inParts is a kernel whose expansions come in so many parts, or, of none, not at all.
type inParts struct {
	kernel.Gaussian
	parts int
}

func (k inParts) Adapt(data.Rows) kernel.Kernel { return k }

func (k inParts) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return gramInParts{g, k.parts}, err
}

type gramInParts struct {
	kernel.Gram
	parts int
}

var errParts = errors.New("it has no parts")

func (g gramInParts) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	if g.parts == 0 {
		return nil, errParts
	}
	list, err := g.Gram.Expand(alpha, j)
	return slices.Repeat(list, g.parts), err
}

// Kernels that cannot be bound, have no finite values or cannot be kept make no map, and a map has no place for rows of other columns,
// nor for any row with a kernel that cannot be bound.
func TestMapsRefuse(t *testing.T) {
	rows, _ := set(t, "moons-det:n=40")
	g := graphOf(t, graph.Recipe{Neighbours: 4}, rows)
	far := mat.DenseCopyOf(rows.Dense)
	far.Set(3, 0, 1e200)
	width := kernel.Gaussian{Sigma: 0.1}
	recipe := Regularised{Kernel: width}
	known := clusters(t, Clustering{Clusters: 2, Regularised: &recipe}, g, rows)
	wide, expansion := data.Rows{Dense: mat.NewDense(2, 3, nil)}, *known.Embedding.Expansion
	expansion.Kernel = kernel.Gaussian{}
	for _, c := range []struct {
		words string
		err   error
	}{
		{"sigma is -1", second(Regularised{Kernel: kernel.Gaussian{Sigma: -1}}.Fit(t.Context(), g, rows, 2))},
		{"spectral: the kernel of row 3 with itself is +Inf; scale the features",
			second(Regularised{Kernel: kernel.Linear{}}.Fit(t.Context(), g, data.Rows{Dense: far}, 1))},
		{"it has no parts", second(Regularised{Kernel: inParts{width, 0}}.Fit(t.Context(), g, rows, 2))},
		{"", second(Regularised{Kernel: inParts{width, 1}}.Fit(t.Context(), g, rows, 2))},
		{"spectral: a kernel over several kinds of centres cannot be kept; take a plain one",
			second(Regularised{Kernel: inParts{width, 2}}.Fit(t.Context(), g, rows, 2))},
		{"the new rows have 3 columns", second(known.At(t.Context(), wide))},
		{"the new rows have 3 columns", second(known.Embedding.At(t.Context(), wide))},
		{"sigma is not set", second((&Embedding{Expansion: &expansion}).At(t.Context(), rows))},
	} {
		if (c.err == nil) != (c.words == "") || c.err != nil && !strings.Contains(c.err.Error(), c.words) {
			t.Errorf("the error is %v, expected %q in it", c.err, c.words)
		}
	}
}

// TestRanks: functions are written over all rows up to 3000 and over 500 of more, unless another number is given; a pivot counts from
// 1e-12 of the largest on.
func TestRanks(t *testing.T) {
	for _, c := range []struct{ rank, n, want int }{{0, 4, 4}, {0, 3000, 3000}, {0, 3001, 500}, {7, 3001, 7}, {9, 4, 4}} {
		if got := (Regularised{Rank: c.rank}).rank(c.n); got != c.want {
			t.Errorf("rank %d of %d rows is %d, want %d", c.rank, c.n, got, c.want)
		}
	}
	k := mat.NewDense(4, 4, nil)
	for i, v := range []float64{1e-13, 1, 1e-11, 2e-12} {
		k.Set(i, i, v)
	}
	g, err := kernel.Precomputed{K: k}.Bind(t.Context(), data.Rows{Dense: mat.NewDense(4, 1, nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pivots, _, err := pivoted(t.Context(), g, 4); err != nil || !slices.Equal(pivots, []int{1, 2, 3}) {
		t.Errorf("pivots %v, %v", pivots, err)
	}
}
