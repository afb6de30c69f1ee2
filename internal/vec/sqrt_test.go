package vec

import (
	"math"
	"testing"
)

func TestSqrt(t *testing.T) {
	x := append(edges(), spread(1000)...)
	for n := range 40 {
		for _, from := range []int{0, 1, 2, 3, len(x) - n} {
			in := x[from : from+n]
			dst := make([]float64, n+1)
			dst[n] = 7
			Sqrt(dst[:n], in)
			for i, v := range in {
				if ulps(dst[i], math.Sqrt(v)) != 0 {
					t.Fatalf("sqrt(%v) = %v, expected %v", v, dst[i], math.Sqrt(v))
				}
			}
			if dst[n] != 7 {
				t.Fatalf("%d roots: written past the end", n)
			}
		}
	}
	y := make([]float64, len(x))
	copy(y, x)
	Sqrt(y, y)
	for i, v := range x {
		if ulps(y[i], math.Sqrt(v)) != 0 {
			t.Fatalf("in place: sqrt(%v) = %v, expected %v", v, y[i], math.Sqrt(v))
		}
	}
}
