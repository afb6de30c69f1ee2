package answer

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/columns"
)

// Of a linear function with orthogonal columns each share is that of w^2 times the spread of the column; columns that change nothing
// are left out, and those of several features count once.
func TestShares(t *testing.T) {
	parts := []columns.Part{{Name: "a", At: []int{0}}, {Name: "word", At: []int{1, 2}}, {Name: "idle", At: []int{3}}}
	weight := []float64{3, 1, -1, 0}
	rows := [][]float64{{0, 1, 0, 5}, {1, 0, 1, 6}}
	value := func(x []float64) (f float64) {
		for j, v := range x {
			f += weight[j] * v
		}
		return f
	}
	out := mat.NewDense(2*(1+len(parts)), 1, nil)
	for i := range rows {
		out.Set(i, 0, value(rows[i]))
		for c, part := range parts {
			x := append([]float64(nil), rows[i]...)
			for _, j := range part.At {
				x[j] = rows[1-i][j]
			}
			out.Set(2*(1+c)+i, 0, value(x))
		}
	}
	list := shares(parts, out, 2)
	if len(list) != 2 || list[0].Name != "a" || math.Abs(list[0].Share-9./13) > 1e-12 || math.Abs(list[1].Share-4./13) > 1e-12 {
		t.Errorf("shares %v, want 9/13 of a and 4/13 of word", list)
	}
	out.Zero()
	if list := shares(parts, out, 2); list != nil {
		t.Errorf("shares %v of nothing", list)
	}
}
