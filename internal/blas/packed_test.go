package blas

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// Products with packed rows are those of Sgemm to the last bit, columns between the last and
// the padding are zero, and without the micro-kernels they agree to rounding.
func TestPacked32(t *testing.T) {
	for _, s := range []struct{ r, n, k int }{{1, 1, 1}, {5, 7, 0}, {6, 16, 3}, {13, 257, 9}, {48, 40, 300}, {7, 100, 600}} {
		rnd := source(s.n)
		a, oka := guarded32(t, rnd, s.r, s.k)
		b, okb := guarded32(t, rnd, s.n, s.k)
		want := blas32.General{Rows: s.r, Cols: s.n, Stride: max(s.n, 1), Data: make([]float32, s.r*s.n)}
		Go().Sgemm(false, true, 1, a, b, 0, want)
		for _, plain := range []bool{false, true} {
			p := PackRows32(b)
			if plain {
				p.b = nil
			}
			high, wide := roundUp(s.r, stripA), p.wide+16
			got := blas32.General{Rows: s.r, Cols: s.n, Stride: wide, Data: make([]float32, high*wide)}
			for i := range got.Data {
				got.Data[i] = float32(math.NaN())
			}
			p.MulTo(got, a)
			for i := range s.r {
				for j := range p.wide {
					v, exact := got.Data[i*wide+j], float32(0)
					if j < s.n {
						exact = want.Data[i*s.n+j]
					}
					if off := math.Abs(float64(v - exact)); !(off <= 1e-4) || off > 0 && !plain {
						t.Fatalf("%+v: element (%d, %d) is %v, expected %v", s, i, j, v, exact)
					}
				}
			}
		}
		oka()
		okb()
	}
}
