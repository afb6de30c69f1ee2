package vec

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Against the power of package math.
func TestRational(t *testing.T) {
	s := []float64{0, 0x1p-60, 0.1, 1, 3, 40, 1e6, 1e300, 2}
	for _, alpha := range []float64{0.25, 1, 3} {
		got := make([]float64, len(s))
		Rational(got, s, alpha)
		for i, v := range s {
			want := math.Pow(1+v/alpha, -alpha)
			if math.Abs(got[i]-want) > 0x1p-52*(8+4*alpha*math.Log1p(v/alpha))*want {
				t.Errorf("(1 + %g/%g)^-%g = %.17g, want %.17g", v, alpha, alpha, got[i], want)
			}
		}
	}
}

// Slices of unequal lengths are the caller's mistake.
func TestUnequalLengths(t *testing.T) {
	two, three := make([]float64, 2), make([]float64, 3)
	for words, f := range map[string]func(){
		"powers of 3 numbers into 2":       func() { Rational(two, three, 1) },
		"logarithms of 3 numbers into 2":   func() { Log1pScaled(two, 1, three) },
		"square roots of 3 numbers into 2": func() { Sqrt(two, three) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, words) {
					t.Errorf("%q, want %q", got, words)
				}
			}()
			f()
		}()
	}
}

// The squared distance of two points is the sum of the squares, wherever a feature stands.
func TestSquaredDistanceOfTwo(t *testing.T) {
	for n := range 10 {
		a, b, want := make([]float64, n), make([]float64, n), 0.0
		for k := range n {
			a[k], b[k] = float64(k+1), float64(-2*k)
			want += (a[k] - b[k]) * (a[k] - b[k])
		}
		if got := SquaredDistance(a, b); got != want {
			t.Errorf("%d features: %g, want %g", n, got, want)
		}
	}
}
