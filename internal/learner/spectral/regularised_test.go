package spectral

import (
	"math"
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
