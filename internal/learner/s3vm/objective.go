package s3vm

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// decided stores the labels in which a balanced problem costs least for the outputs f of all rows: the
// given ones, and +1 for the Count unlabelled rows of the largest outputs, -1 for the others. V(f) - V(-f)
// falls with f for each of the losses, so no other labels of that balance cost less. Of equal outputs the
// first are +1.
func (p *Problem) decided(y, f []float64) {
	l := copy(y, p.Y)
	u, count := len(f)-l, p.Count()
	for i := range u {
		y[l+i] = -1
	}
	if count == 0 {
		return
	}
	sorted := slices.Clone(f[l:])
	slices.Sort(sorted)
	least := sorted[u-count]
	for i, v := range f[l:] {
		if v > least {
			y[l+i] = 1
			count--
		}
	}
	for i, v := range f[l:] {
		if v == least && count > 0 {
			y[l+i] = 1
			count--
		}
	}
}

// expected is the mean of a loss of the margin over a label whose mean is y in [-1, 1],
//
//	(1 + y)/2 V(f) + (1 - y)/2 V(-f)
//
// at y = -1 and +1 the loss itself. Of the square it is (y - f)^2 + 1 - y^2.
func expected(v learn.Loss, y, f float64) float64 {
	var sum float64
	if y > -1 {
		sum += (1 + y) / 2 * v.Value(1, f)
	}
	if y < 1 {
		sum += (1 - y) / 2 * v.Value(-1, f)
	}
	return sum
}

// value is the objective at T = 0 of a function for labels y, or of a mean of labels where it has
// no entropy: 1/2 ||f||^2 + sum_i c_i V(y_i, f_i).
func (s *system) value(v learn.Loss, at *function, y []float64) float64 {
	sum := at.norm() / 2
	for i, c := range s.cost {
		sum += c * expected(v, y[i], at.f[i])
	}
	return sum
}

// halved is what the source writes of a loss over what is written here: it halves squares.
func halved(v learn.Loss) float64 {
	if math.IsInf(v.Curvature(), 1) {
		return 1
	}
	return 0.5
}
