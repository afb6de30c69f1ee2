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

// TestBinsOfCalibration: rows are judged together where their probabilities have the first digit behind the point in common.
func TestBinsOfCalibration(t *testing.T) {
	for _, c := range []struct{ right, wrong, want float64 }{
		{0.62, 0.68, 0.3 / 2}, {0.51, 0.59, 0.1 / 2}, {0.59, 0.61, (0.41 + 0.61) / 2}, {0.91, 1, 0.91 / 2},
	} {
		p := [][]float64{{c.right, 1 - c.right}, {c.wrong, 1 - c.wrong}}
		if got := CalibrationError(p, []int{0, 1}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}
