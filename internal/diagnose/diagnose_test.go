package diagnose_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/diagnose"
)

// goldenM0 are the points of the manifold regularisation specification.
func goldenM0() *mat.Dense {
	return mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})
}

func build(t *testing.T, r graph.Recipe, x *mat.Dense) *graph.Graph {
	t.Helper()
	g, err := r.Build(t.Context(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOf(t *testing.T) {
	g := build(t, graph.Recipe{Neighbours: 2}, goldenM0())
	got := diagnose.Of(g, []int{0, 3})
	want := diagnose.Graph{Rows: 8, Edges: 10, Components: 2, ComponentsWithoutLabels: 1, RowsWithoutLabel: 4,
		MeanDegree: 2.5, MeanEdge: g.MeanEdge, WeightMin: 1, WeightMax: 1,
		LargestComponent: 4, MaxInDegree: 3, MutualShare: 0.6, Recall: 1}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	const line = "graph: 8 rows, 10 edges, mean degree 2.5, 2 components (1 without labels, 4 rows), mean edge length 0.7773, " +
		"60 % of the " +
		"pairs mutual, largest hub 3"
	if got.String() != line {
		t.Errorf("%s\nwant %s", got, line)
	}
	x := mat.NewDense(4, 1, []float64{0, 1, 50, 90})
	got = diagnose.Of(build(t, graph.Recipe{Kind: graph.Epsilon, Radius: 2}, x), nil)
	want = diagnose.Graph{Rows: 4, Edges: 1, Components: 3, ComponentsWithoutLabels: 3, RowsWithoutLabel: 4, Isolated: 2,
		MeanDegree: 0.5, MeanEdge: 1, WeightMin: 1, WeightMax: 1, LargestComponent: 2}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	g.Recall = 0.957
	if s := diagnose.Of(g, nil).String(); !strings.Contains(s, "95.7 % of the true neighbours found") {
		t.Error(s)
	}
}
