package task

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// weighRows multiplies the loss of each labelled row by its weight, relative to the mean of all labelled rows: then
// the strength of the regularisation means what it means without weights, and a row of weight 2 is one that stands twice. Weights are
// positive and at most MostWeight; nil: all are 1, as are weights that are all the same.
func weighRows(p *learn.Problem, weight []float64) error {
	if weight == nil {
		return nil
	}
	var sum float64
	same := true
	for _, i := range p.Labelled {
		if !(weight[i] > 0 && weight[i] <= data.MostWeight) {
			return &data.LabelError{Row: i, What: fmt.Sprintf("the weight of a labelled row is %g", weight[i]),
				Remedy: fmt.Sprintf("give positive weights up to %g, and blank the label of a row that is not to count", data.MostWeight)}
		}
		sum += weight[i]
		same = same && weight[i] == weight[p.Labelled[0]]
	}
	if same {
		return nil
	}
	mean := sum / float64(len(p.Labelled))
	rows := make([]float64, len(p.Labelled))
	for q, i := range p.Labelled {
		rows[q] = weight[i] / mean
		if p.Weight != nil {
			rows[q] *= p.Weight[q]
		}
	}
	p.Weight = rows
	return nil
}
