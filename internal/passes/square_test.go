package passes

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestSquare: the square of a row is its product with itself, dense or sparse, with and without the constant, of all rows and of some.
func TestSquare(t *testing.T) {
	x := drawn(13, 9)
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		for _, among := range [][]int{nil, every(13)} {
			for _, constant := range []bool{false, true} {
				r := rowsOf(rows, among, constant)
				n, d := r.Dims()
				for k := range n {
					self := make([]float64, d)
					r.AddTo(self, 1, k)
					if got, want := r.Square(k), r.Dot(k, self); math.Abs(got-want) > 1e-12 || constant && got < 1 {
						t.Errorf("constant %v, row %d: %g, want %g", constant, k, got, want)
					}
				}
			}
		}
	}
}
