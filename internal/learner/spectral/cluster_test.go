package spectral

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// Partitions and maps, of the rows and of new ones, end with the error of their context, wherever they
// are stopped.
func TestStoppedAnywhere(t *testing.T) {
	rows, _ := blobs(30, 25, 20)
	g := graphOf(t, graph.Recipe{Neighbours: 5}, rows)
	regularised := Regularised{Kernel: kernel.Gaussian{Sigma: 1}}
	reduced := Regularised{Kernel: kernel.Gaussian{Sigma: 1}, Rank: 20}
	known := clusters(t, Clustering{Clusters: 3, Regularised: &regularised}, g, rows)
	for name, f := range map[string]func(context.Context) error{
		"clusters": func(ctx context.Context) error { _, err := Clustering{Clusters: 3}.Fit(ctx, g, rows); return err },
		"count":    func(ctx context.Context) error { _, err := Clustering{}.Fit(ctx, g, rows); return err },
		"regularised": func(ctx context.Context) error {
			_, err := Clustering{Clusters: 3, Regularised: &regularised}.Fit(ctx, g, rows)
			return err
		},
		"map":         func(ctx context.Context) error { _, err := Eigenmap{}.Fit(ctx, g, 3); return err },
		"kernel map":  func(ctx context.Context) error { _, err := regularised.Fit(ctx, g, rows, 3); return err },
		"reduced map": func(ctx context.Context) error { _, err := reduced.Fit(ctx, g, rows, 3); return err },
		"new rows":    func(ctx context.Context) error { _, err := known.At(ctx, rows); return err },
		"new map":     func(ctx context.Context) error { _, err := known.Embedding.At(ctx, rows); return err },
	} {
		t.Run(name, func(t *testing.T) { stoptest.Everywhere(t, f) })
	}
}

// The graph of a component has the edges of its rows, and what was measured of the whole.
func TestInduced(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 100, 1, 101, 2, 102})
	g := graphOf(t, graph.Recipe{Neighbours: 1}, data.Rows{Dense: x})
	g.MeanEdge, g.Recall = 2, 0.5
	keep := []int{0, 2, 4}
	got := induced(g, keep)
	if got.N != 3 || got.MeanEdge != 2 || got.Recall != 0.5 {
		t.Errorf("%d rows, mean edge %g, recall %g", got.N, got.MeanEdge, got.Recall)
	}
	for p, i := range keep {
		idx, val := g.W.Row(i)
		at, weight := got.W.Row(p)
		for k, j := range idx {
			if int(at[k]) != int(j)/2 || weight[k] != val[k] {
				t.Errorf("row %d: %v %v, of the whole %v %v", i, at, weight, idx, val)
			}
		}
	}
}

// Where the number of clusters is to be found, components of less than a hundredth of the rows are set aside.
func TestSetAside(t *testing.T) {
	const n, few = 600, 5
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
		if i >= n-few {
			x.Set(i, 0, float64(1000+i))
		}
	}
	g := graphOf(t, graph.Recipe{Neighbours: 2}, data.Rows{Dense: x})
	for k, aside := range map[int]int{0: few, 5: few, 6: 0} {
		out := new(Clusters)
		keep, err := Clustering{Clusters: k}.setAside(g, out)
		if err != nil || out.Components != 2 || out.Aside != aside || len(keep) != n-aside {
			t.Errorf("%d clusters: %d components, %d rows set aside, want %d, %v", k, out.Components, out.Aside, aside, err)
		}
	}
}

// Rows that are set aside, and follow the nearest cluster, are no reason to go on after the end of the context.
func TestStraysStopped(t *testing.T) {
	x := mat.NewDense(123, 1, nil)
	for i := range 123 {
		x.Set(i, 0, float64(50*(i/40))+0.01*float64(i)) // three pieces of forty rows, and three strays
	}
	rows := data.Rows{Dense: x}
	g := graphOf(t, graph.Recipe{Neighbours: 2}, rows)
	if out := clusters(t, Clustering{Clusters: 2}, g, rows); out.Aside != 3 {
		t.Fatalf("%d rows are set aside", out.Aside)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Clustering{Clusters: 2}.Fit(ctx, g, rows); return err })
}

// TestSettingsThatSayNothing: clusters are sought from ten starts and maps to a tolerance of 1e-7.
func TestSettingsThatSayNothing(t *testing.T) {
	rows, _ := set(t, "two-moons:n=120,noise=0.12")
	g := graphOf(t, graph.Recipe{Neighbours: 12}, rows)
	looks := func(starts int) int {
		const most = 1 << 30
		left := most
		if _, err := (Clustering{Clusters: 4, Starts: starts}).Fit(late{t.Context(), &left}, g, rows); err != nil {
			t.Fatal(err)
		}
		return most - left
	}
	if usual, nine, ten, eleven := looks(0), looks(9), looks(10), looks(11); usual != ten || nine >= ten || ten >= eleven {
		t.Errorf("%d looks at the context, from 9, 10 and 11 starts %d, %d and %d", usual, nine, ten, eleven)
	}
	rows, _ = set(t, "two-moons:n=700,noise=0.12")
	g = graphOf(t, graph.Recipe{}, rows)
	mapped := func(tolerance float64) *mat.Dense {
		e, err := Eigenmap{Tolerance: tolerance}.Fit(t.Context(), g, 3)
		if err != nil {
			t.Fatal(err)
		}
		return e.Coordinates
	}
	if usual := mapped(0); !mat.Equal(usual, mapped(1e-7)) || mat.Equal(usual, mapped(1e-3)) {
		t.Error("another tolerance than 1e-7")
	}
}
