package metric

import (
	"math"
	"testing"
)

// TestCalibrationError: by hand. Two rows at 0.95, one of them right, and two at 0.6, both right.
func TestCalibrationError(t *testing.T) {
	p := [][]float64{{0.95, 0.05}, {0.05, 0.95}, {0.6, 0.4}, {0.6, 0.4}}
	if got, want := CalibrationError(p, []int{0, 0, 0, 0}), (2*0.45+2*0.4)/4; math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	if got := CalibrationError([][]float64{{0, 1}}, []int{1}); got != 0 {
		t.Errorf("a sure and right row: %g", got)
	}
}

func TestBalancedAccuracy(t *testing.T) {
	if got := BalancedAccuracy([][]int{{8, 2}, {1, 1}, {0, 0}}); math.Abs(got-0.65) > 1e-12 {
		t.Errorf("%g, want 0.65: a class without a row does not count", got)
	}
}
