package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A product with few columns has the bits of the same columns in a wider one, which is packed.
func TestThinProductIsTheWideOne(t *testing.T) {
	if !hasKernels {
		t.Skip("without micro-kernels no product is packed, so that thin ones are as all others")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(n, m int) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		for i := range n {
			for j := range m {
				x.Set(i, j, rnd.NormFloat64())
			}
		}
		return x
	}
	for _, s := range []struct{ m, k int }{{1, 1}, {8, 256}, {7, 257}, {100, 1030}, {129, 3}} {
		a, b := random(s.m, s.k), random(s.k, 12)
		wide := mat.NewDense(s.m, 12, nil)
		Gemm(0.7, N(a), N(b), 0, wide)
		var turned mat.Dense
		turned.CloneFrom(b.T())
		for n := 1; n <= thinColumns; n++ {
			for _, narrow := range []Op{N(b.Slice(0, s.k, 0, n).(*mat.Dense)), T(turned.Slice(0, n, 0, s.k).(*mat.Dense))} {
				got := mat.NewDense(s.m, n, nil)
				Gemm(0.7, N(a), narrow, 0, got)
				for i := range s.m {
					if want := wide.RawRowView(i)[:n]; !slices.Equal(got.RawRowView(i), want) {
						t.Fatalf("%+v, %d columns, row %d: %g, and in a wide product %g", s, n, i, got.RawRowView(i), want)
					}
				}
			}
		}
	}
}
