package spectral

import (
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
)

// Maps and partitions are what they were: eigenvalues, what of them decided, sizes and cuts.
func TestWay(t *testing.T) {
	var path pathtest.Path
	rows, _ := blobs(40, 25, 30, 20)
	moons, _ := set(t, "two-moons:n=120,noise=0.12")
	for _, r := range []graph.Recipe{{Neighbours: 5}, {Neighbours: 12, Laplacian: graph.Combinatorial}, {Neighbours: 8, Degree: 2},
		{Neighbours: 6, Weights: graph.Heat}} {
		g, m := graphOf(t, r, rows), graphOf(t, r, moons)
		name := fmt.Sprintf("%d neighbours", r.Neighbours)
		e, err := Eigenmap{}.Fit(t.Context(), m, 4)
		if err != nil {
			t.Fatal(err)
		}
		path.Add(name+", map", e.Status, values(e.Values))
		for _, reg := range []Regularised{{}, {Gamma: 0.1}, {Kernel: kernel.Gaussian{Sigma: 0.5}, Rank: 30}} {
			e, err := reg.Fit(t.Context(), m, moons, 3)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(fmt.Sprintf("%s, kernel map %g %d", name, reg.Gamma, reg.Rank), e.Status, values(e.Values))
		}
		for _, c := range []Clustering{{}, {Clusters: 2}, {Clusters: 3, Starts: 1, Seed: 2}, {MaxClusters: 6},
			{Clusters: 4, Regularised: &Regularised{}}, {Clusters: 2, Split: Median}} {
			for which, of := range []*graph.Graph{g, m} {
				x := rows
				if which == 1 {
					x = moons
				}
				out := clusters(t, c, of, x)
				path.Add(
					fmt.Sprintf("%s, %d to %d clusters of set %d", name, c.Clusters, c.MaxClusters, which),
					out.K,
					out.Components,
					out.Aside,
					fmt.Sprint(out.Size),
					values(out.Gaps),
					fmt.Sprintf("%.5g", out.Cut),
				)
			}
		}
	}
	path.Compare(t, "way")
}

// values are numbers without their rounding errors about zero.
func values(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = math.Round(1e9*v[i]) / 1e9
	}
	return out
}

// Other seeds start elsewhere: the same to the tolerance, not to the last digit.
func TestSeedsOfMaps(t *testing.T) {
	rows, _ := set(t, "two-moons:n=700,noise=0.12")
	g := graphOf(t, graph.Recipe{}, rows)
	for name, fit := range map[string]func(seed uint64) (*Embedding, error){
		"eigenmap": func(seed uint64) (*Embedding, error) { return Eigenmap{Seed: seed}.Fit(t.Context(), g, 3) },
		"regularised": func(seed uint64) (*Embedding, error) {
			return Regularised{Kernel: kernel.Gaussian{Sigma: 0.03}, Seed: seed, Rank: 700}.Fit(t.Context(), g, rows, 3)
		},
	} {
		var seen [2]*Embedding
		for seed := range seen {
			e, err := fit(uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			seen[seed] = e
		}
		if a, b := seen[0].Coordinates.At(3, 0), seen[1].Coordinates.At(3, 0); a == b || math.Abs(a-b) > 1e-3*math.Abs(a) {
			t.Errorf("%s: seeds give %.17g and %.17g", name, a, b)
		}
	}
}
