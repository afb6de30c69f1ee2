package mixture

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// TestEvidenceIsAsItWas: what rows show of clusters and of directions above the noise, and the features made of it, of rows in several
// clusters, along lines and without either; and clusters by several starts and seeds.
func TestEvidenceIsAsItWas(t *testing.T) {
	var p pathtest.Path
	for _, c := range []struct{ n, d, clusters, lines int }{
		{60, 3, 2, 0}, {90, 12, 3, 0}, {80, 30, 1, 2}, {40, 8, 1, 0}, {200, 5, 6, 1}, {12, 20, 2, 0},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(c.n))) //nolint:gosec // small
		x := mat.NewDense(c.n, c.d, nil)
		for i := range c.n {
			for j := range c.d {
				x.Set(i, j, rng.NormFloat64()+5*float64(i%c.clusters*(j+1)%4))
			}
			for l := range c.lines {
				x.Set(i, l, 7*x.At(i, l))
			}
		}
		x.Set(3, 1, 400) // one row far off
		e, err := Look(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(fmt.Sprintf("%+v", c), e.Rows, e.Above, e.Uneven, e.Spiked, e.Clustered, e.Components.Dim())
		p.Add("  components", e.Components.Scale, e.Components.Map(x).RawRowView(c.n/2))
		p.Add("  cut", e.Components.Cut.Reach, e.Components.Cut.Middle[0], e.Components.Cut.Rows(x).RawRowView(3)[:2])
		if e.Clusters != nil {
			p.Add("  clusters", e.Clusters.Dim(), e.Clusters.Variance, e.Clusters.Share, e.Clusters.Map(x).RawRowView(c.n/2))
			p.Add("  means", e.Clusters.Means[0][:2], fmt.Sprint(e.Clusters.Valid(), e.Components.Valid()))
		}
		for _, k := range []struct {
			k, starts int
			seed      uint64
		}{{1, 1, 1}, {3, 1, 1}, {3, 4, 1}, {3, 1, 2}, {5, 2, 9}} {
			centres, of, sum, err := KMeans(t.Context(), x, k.k, k.starts, k.seed)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(fmt.Sprintf("  means %+v", k), of[0], of[c.n-1], sum, centres.RawRowView(k.k - 1)[:2])
		}
	}
	p.Add("values", Values(10), Values(1000))
	p.Compare(t, "evidence")
}
