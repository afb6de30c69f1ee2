package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSoftmaxOfTinyOutputs: outputs so small that the temperature would be infinite have the largest there is.
func TestSoftmaxOfTinyOutputs(t *testing.T) {
	const tiny = 1e-310
	scores := mat.NewDense(6, 3, nil)
	class := []int{0, 1, 2, 0, 1, 2}
	for i, k := range class {
		scores.Set(i, k, tiny)
	}
	s, err := FitSoftmax(scores, class, nil)
	if err != nil || s.Check() != nil || s.Temperature != math.MaxFloat64 {
		t.Errorf("temperature %g, %v, %v", s.Temperature, s.Check(), err)
	}
}
