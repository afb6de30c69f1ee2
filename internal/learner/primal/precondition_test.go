package primal

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestRidgeOfLandmarks: what is added to the diagonal of the landmarks' matrix is a share of its largest element, whatever the kernel is
// multiplied by. With K = s D, D diagonal, the columns of L^-1 K have the squared norm s d^2 / (d + delta top).
func TestRidgeOfLandmarks(t *testing.T) {
	d := []float64{2, 1, 0.5, 2}
	for _, s := range []float64{1e-6, 1, 1e6} {
		k := mat.NewDense(4, 4, nil)
		for i, v := range d {
			k.Set(i, i, s*v)
		}
		lm, err := newLandmarks(t.Context(), Machine{}, DenseProduct(k), nil, []int{0, 1, 2, 3}, 4)
		if err != nil {
			t.Fatal(err)
		}
		added := math.Sqrt(DenseProduct(k).Unit()) / 16 * 2
		for a, i := range lm.j {
			norm := 0.0
			for b := range 4 {
				norm += lm.ct.At(b, i) * lm.ct.At(b, i)
			}
			if want := d[i] * d[i] / (d[i] + added); math.Abs(norm/s-want) > 1e-14*want {
				t.Errorf("scale %g, landmark %d: %.17g, want %.17g", s, a, norm/s, want)
			}
		}
	}
}
