package kernel

import (
	"math"
	"testing"
)

// TestRanksOfEqualKnots: at knots that are equal up to rounding a rank is their mean, also of a value that rounding has moved, and beside
// them it is not.
func TestRanksOfEqualKnots(t *testing.T) {
	up := func(v float64) float64 { return math.Nextafter(v, 2) }
	for _, knots := range [][]float64{
		{0, 0.5, 0.5, 0.5, 1}, {0, 0.5, 0.5, up(0.5), 1}, {-3, math.Nextafter(0, -1), 0, 1e-16, 3}, {0, 0, 0, 0, 0},
	} {
		middle := knots[2]
		want, _ := rankOf(knots, middle)
		for _, x := range []float64{up(middle), math.Nextafter(middle, -2), knots[1], knots[3]} {
			if got, slope := rankOf(knots, x); got != want && knots[4] > knots[0] || slope != 0 && got == want {
				t.Errorf("%v: %g has the rank %g with slope %g, and %g has %g", knots, x, got, slope, middle, want)
			}
		}
		if want != 0.5 {
			t.Errorf("%v: the middle has the rank %g", knots, want)
		}
	}
	knots := []float64{0, 0.5, 0.5, 0.5, 1}
	for x, want := range map[float64]float64{0.5 - 1e-9: 0.25 * (1 - 2e-9), 0.5 + 1e-9: 0.75 + 0.25*2e-9, 0.25: 0.125, -1: 0, 2: 1} {
		if got, _ := rankOf(knots, x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g has the rank %.12g, want %.12g", x, got, want)
		}
	}
}
