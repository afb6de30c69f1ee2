package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSquaredDistances: every distance up to the first near one has the bits of the formula, the rest is left alone, and so it is
// with infinities and what is no number.
func TestSquaredDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const share = 1.0 / 1024
	for trial := range 2000 {
		n := rng.IntN(40)
		s, norm, na := make([]float64, n+1), make([]float64, n), rng.ExpFloat64()
		for b := range n {
			norm[b] = rng.ExpFloat64()
			s[b] = rng.NormFloat64()
			if rng.IntN(20) == 0 {
				s[b] = (na + norm[b]) / 2 * (1 - 1e-6) // near
			} else {
				s[b] = min(s[b], 0.4*(na+norm[b]))
			}
			if trial%3 == 0 && rng.IntN(10) == 0 {
				switch k := rng.IntN(3); k {
				case 0:
					s[b] = math.NaN()
				default:
					norm[b] = math.Inf(1)
				}
			}
		}
		s[n] = 7
		want := append([]float64(nil), s...)
		first := n
		for b := range n {
			sum := na + norm[b]
			d2 := sum - 2*want[b]
			if d2 < share*sum {
				first = b
				break
			}
			want[b] = d2
		}
		if got := SquaredDistances(s[:n], norm, na, share); got != first {
			t.Fatalf("trial %d: near at %d, expected %d of %d", trial, got, first, n)
		}
		for b := range s {
			if math.Float64bits(s[b]) != math.Float64bits(want[b]) && !(math.IsNaN(s[b]) && math.IsNaN(want[b])) {
				t.Fatalf("trial %d: %v at %d, expected %v", trial, s[b], b, want[b])
			}
		}
	}
}

func BenchmarkSquaredDistances(b *testing.B) {
	s, norm := make([]float64, 1024), make([]float64, 1024)
	for i := range norm {
		norm[i] = 1 + float64(i)
	}
	for range b.N {
		clear(s)
		SquaredDistances(s, norm, 1, 1.0/1024)
	}
}
