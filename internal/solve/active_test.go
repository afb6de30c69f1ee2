package solve

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestActive: the vectors that have not converged are filtered, a tenth of the tolerance being what converged is; all of them, or
// where none is left the last.
func TestActive(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		residual []float64
		want     []int
	}{
		{[]float64{1, 1, 1}, []int{0, 1, 2}}, {[]float64{0, 1, 1}, []int{1, 2}}, {[]float64{1, 0, 1}, []int{0, 2}},
		{[]float64{1, 0, 0}, []int{0}}, {[]float64{0, 0, 0}, []int{2}}, {[]float64{0.19, 0.21, 0.2}, []int{1}},
	} {
		e := &lanczos{n: 2, x: x, residual: c.residual, upper: -2, tol: 1}
		var got []int
		for _, v := range e.active().RawRowView(0) {
			got = append(got, int(v)-1)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of residuals %v vectors %v are filtered, want %v", c.residual, got, c.want)
		}
	}
}
