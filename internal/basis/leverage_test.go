package basis

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Where all rows are pilots the leverages are the diagonal of K (K + lambda I)^-1 for one lambda, and add up to the size.
func TestLeverages(t *testing.T) {
	rng, n := rand.New(rand.NewPCG(1, 2)), 30
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	g, err := kernel.Gaussian{Sigma: 0.5}.Bind(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tau, err := leverages(context.Background(), g, 15, 7)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewSymDense(n, nil)
	full := mat.NewDense(n, n, nil)
	g.Block(full, nil, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, full.At(i, j))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(k, true)
	var v mat.Dense
	eigen.VectorsTo(&v)
	diagonal := func(lambda float64) (tau []float64, sum float64) {
		tau = make([]float64, n)
		for i := range tau {
			for q, e := range eigen.Values(nil) {
				tau[i] += v.At(i, q) * v.At(i, q) * e / (e + lambda)
			}
			sum += tau[i]
		}
		return tau, sum
	}
	lo, hi := 1e-9, 100.0
	for range 100 {
		if _, sum := diagonal(math.Sqrt(lo * hi)); sum > 15 {
			lo = math.Sqrt(lo * hi)
		} else {
			hi = math.Sqrt(lo * hi)
		}
	}
	want, _ := diagonal(lo)
	for i := range tau {
		if math.Abs(tau[i]-want[i]) > 1e-6 {
			t.Errorf("row %d: %g, want %g", i, tau[i], want[i])
		}
	}
}
