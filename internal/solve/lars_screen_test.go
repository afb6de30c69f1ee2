package solve

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestVerify: a knot holds although rounding lifts a correlation over the bound, and does not where one is as far over it as the
// certificate must not be; the columns that do this are named, but for those that the path was followed with.
func TestVerify(t *testing.T) {
	const promised = 1e-8
	for _, c := range []struct {
		over [][]float64 // of each column at each knot, as shares of the bound
		good int
		bad  []int32
	}{
		{[][]float64{{0, 0}, {-0.5, -0.2}, {-0.1, 1e-14}}, 2, nil},
		{[][]float64{{0, 0}, {-0.5, 2 * promised}, {-0.1, 1e-14}}, 1, []int32{1}},
		{[][]float64{{0, 0}, {-0.5, 0.3}, {promised, -0.2}}, 0, []int32{1, 2}},
		{[][]float64{{1e-10, 1e-9}, {-0.5, -0.3}, {-0.1, -0.2}}, 2, nil},
	} {
		bounds := []float64{3, 2}
		m := len(c.over)
		s := &screening{h: &homotopy{m: m}, products: mat.NewDense(m, 2, nil), inside: make([]bool, m)}
		s.inside[0] = true
		states := make([]lassoState, 2)
		most := 0.0
		for q, bound := range bounds {
			states[q].bound = bound
			for j, over := range c.over {
				sign := float64(1 - 2*(j%2))
				s.products.Set(j, q, sign*bound*(1+over[q]))
				if q < c.good {
					most = max(most, over[q])
				}
			}
		}
		good, bad, worst := s.verify(states)
		if good != c.good || !slices.Equal(bad, c.bad) || math.Abs(worst-most) > 1e-15 {
			t.Errorf("%v over: %d knots hold, columns %v do not, at worst %g; want %d, %v, %g", c.over, good, bad, worst, c.good, c.bad, most)
		}
	}
}
