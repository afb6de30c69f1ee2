package result

import (
	"gonum.org/v1/gonum/mat"
)

// Decision decides for the class k of the largest Weight_k p_k, the first of equal ones, p the probabilities of the
// model. With weights that are costs of a mistaken row of each class it has the least expected cost. The probabilities
// stay what they are, so that the class decided need not be the most probable one.
type Decision struct {
	Rule   string    `json:"rule"` // as asked for: balanced, cost=fraud=20, rate=fraud=0.05
	Weight []float64 `json:"weight"`
}

// Decide returns the class number of each row of probabilities.
func (d Decision) Decide(p *mat.Dense) []int {
	n, _ := p.Dims()
	class := make([]int, n)
	for i := range class {
		row := p.RawRowView(i)
		for k, v := range row {
			if v*d.Weight[k] > row[class[i]]*d.Weight[class[i]] {
				class[i] = k
			}
		}
	}
	return class
}
