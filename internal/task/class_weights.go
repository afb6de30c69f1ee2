package task

import (
	"fmt"

	"github.com/mercer-ml/mercer/learn"
)

// classWeights reads --class-weight: `balanced`, l/(C n_k) for class k, or
// LABEL=WEIGHT,... with 1 for classes not named. It returns a weight a labelled
// row, or nil.
func classWeights(text string, p *learn.Problem) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	if p.Class == nil {
		return nil, Usage("--class-weight %s: the targets are numbers, which have no classes; leave it out, or weigh rows by --weight",
			text)
	}
	weight := make([]float64, len(p.Classes))
	if text == "balanced" {
		for _, k := range p.Class {
			weight[k]++
		}
		for k, n := range weight {
			weight[k] = float64(len(p.Class)) / (float64(len(p.Classes)) * n)
		}
	} else {
		list, err := parseOfClasses(text, "weight")
		if err == nil {
			weight, err = numberOfClasses(list, p.Classes, 1)
		}
		if err != nil {
			return nil, fmt.Errorf("--class-weight %s: %w", text, err)
		}
	}
	rows := make([]float64, len(p.Class))
	for i, k := range p.Class {
		rows[i] = weight[k]
	}
	return rows, nil
}
