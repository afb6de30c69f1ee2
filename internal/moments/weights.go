package moments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Weights are those of the squared errors of l rows, positive: W = diag(w), S = W^1/2. Without Each every row weighs 1, and no digit
// changes.
type Weights struct {
	Each  []float64 // nil: all 1
	Root  []float64 // their square roots
	Total float64   // their sum, l without weights
}

// NewWeights panics where a list is not of l positive numbers.
func NewWeights(each []float64, l int) Weights {
	w := Weights{Each: each, Total: float64(l)}
	if each == nil {
		return w
	}
	if len(each) != l {
		panic(fmt.Sprintf("rls: %d weights of %d rows", len(each), l))
	}
	w.Root, w.Total = make([]float64, l), floats.Sum(each)
	for i, v := range each {
		if !(v > 0) {
			panic(fmt.Sprintf("rls: weight %g of row %d", v, i))
		}
		w.Root[i] = math.Sqrt(v)
	}
	return w
}

// Of is the weight of a row.
func (w Weights) Of(i int) float64 {
	if w.Each == nil {
		return 1
	}
	return w.Each[i]
}

// Scale replaces X by S X.
func (w Weights) Scale(x *mat.Dense) {
	for i, r := range w.Root {
		floats.Scale(r, x.RawRowView(i))
	}
}
