package propagate

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// TestFloor: what a sum over C classes of l labels must be above is C sqrt(l) (residual + 2^-52)/(1 - alpha).
func TestFloor(t *testing.T) {
	p := classes(points(1, 30), 3, 6)
	s := &spreading{Spreading: Spreading{Alpha: 0.75}, a: connected(t, 30, p)}
	for _, residual := range []float64{0, 1e-3} {
		want := 3 * math.Sqrt(16) * (residual + math.Pow(2, -52)) / 0.25
		if got := s.floor(learn.Certificate{Residual: residual}, 16); math.Abs(got-want) > 1e-15*want {
			t.Errorf("residual %g: %g, want %g", residual, got, want)
		}
	}
}
