package data

import (
	"math"
	"testing"
)

// TestLengthOfExtremes: lengths are right where squares leave the range of a float64, and zeros have none.
func TestLengthOfExtremes(t *testing.T) {
	for _, c := range []struct {
		row  []float64
		want float64
	}{
		{nil, 0}, {[]float64{0}, 0}, {[]float64{0, 0, 0}, 0}, {[]float64{3, 4}, 5}, {[]float64{0, 1}, 1},
		{[]float64{3e-200, -4e-200}, 5e-200}, {[]float64{3e200, 4e200}, 5e200}, {[]float64{-1e-300}, 1e-300},
	} {
		if got := length(c.row); !(math.Abs(got-c.want) <= 1e-15*c.want) {
			t.Errorf("%v has the length %g, want %g", c.row, got, c.want)
		}
	}
}
