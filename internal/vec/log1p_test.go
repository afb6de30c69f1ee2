package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// logarithmArguments are numbers from 0 to the largest, with the places where the exponent changes.
func logarithmArguments() []float64 {
	r := rand.New(rand.NewPCG(5, 6))
	x := []float64{0, math.SmallestNonzeroFloat64, 0x1p-60, 0x1p-53, 0x1p-52, 0x1p53, 0x1p54, 0x1p1000}
	for e := -60; e < 1000; e++ {
		for _, v := range []float64{math.Ldexp(1, e), math.Ldexp(math.Sqrt2, e) - 1, math.Ldexp(1+r.Float64(), e)} {
			if v >= 0 {
				x = append(x, v, math.Nextafter(v, 0), math.Nextafter(v, 2e300))
			}
		}
	}
	for range 20000 {
		x = append(x, math.Abs(r.NormFloat64()), 10*r.Float64(), math.Ldexp(r.Float64(), -r.IntN(60)))
	}
	return x
}

// Against math.Log1p, whose error is below 1 ulp.
func TestLog1p(t *testing.T) {
	x := logarithmArguments()
	got := make([]float64, len(x))
	Log1pScaled(got, 1, x)
	for i, v := range x {
		if u := ulps(got[i], math.Log1p(v)); u > 4 {
			t.Fatalf("log(1 + %g) = %.17g, expected %.17g: %d ulp", v, got[i], math.Log1p(v), u)
		}
	}
	special := []float64{math.NaN(), math.Inf(1), math.MaxFloat64}
	Log1pScaled(special, 1, special)
	if !math.IsNaN(special[0]) || special[1] != log1p(0x1p1000) || special[2] != special[1] {
		t.Errorf("NaN, infinity and the largest number give %g", special)
	}
}

// The vector form is the plain one to the last bit, wherever an element stands.
func TestLog1pForms(t *testing.T) {
	x := logarithmArguments()
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 1001, len(x)} {
		got := make([]float64, n)
		Log1pScaled(got, 0.3, x[:n])
		for i, v := range x[:n] {
			if want := log1p(0.3 * v); got[i] != want {
				t.Fatalf("of %d: log(1 + 0.3 %g) = %g, expected %g", n, v, got[i], want)
			}
		}
	}
}

func BenchmarkLog1p(b *testing.B) {
	x := make([]float64, 1024)
	for i := range x {
		x[i] = float64(i) / 100
	}
	out := make([]float64, len(x))
	b.SetBytes(8 * 1024)
	for b.Loop() {
		Log1pScaled(out, 1, x)
	}
}
