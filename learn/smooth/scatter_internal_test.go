package smooth

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Entry by entry and by panels of dense rows is one sum, centred or not.
func TestScatterEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, d = 300, 40
	x := mat.NewDense(n, d, nil)
	weight := make([]float64, n)
	for i := range n {
		for j := range d {
			if rng.Float64() < 0.1 {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		if rng.Float64() < 0.8 {
			weight[i] = rng.ExpFloat64()
		}
	}
	centre := make([]float64, d)
	for j := range centre {
		centre[j] = rng.NormFloat64()
	}
	dense := newFeatures(data.Rows{Dense: x}, nil, false)
	csr := newFeatures(data.Rows{Sparse: data.CSRFromDense(x)}, nil, false)
	for _, c := range [][]float64{nil, centre} {
		want, got := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		_ = dense.scatter(context.Background(), want, weight, c)
		_ = csr.scatterEntries(context.Background(), got, weight, c)
		for j := range d {
			for k := range j + 1 {
				if math.Abs(got.At(j, k)-want.At(j, k)) > 1e-11*mat.Max(want) {
					t.Fatalf("centred %v, %d %d: %g, want %g", c != nil, j, k, got.At(j, k), want.At(j, k))
				}
			}
		}
	}
}
