package task

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/learn"
)

// ClassTotals are the numbers of labelled rows of each class, where a row of weight 2 counts as two.
func (t *Task) ClassTotals() []float64 {
	p, weight := t.Described(), t.Input.Set.Weight
	n := make([]float64, len(p.Classes))
	for q, k := range p.Class {
		if weight == nil {
			n[k]++
		} else {
			n[k] += weight[p.Labelled[q]]
		}
	}
	return n
}

// BalancedWeights are l/(C n_k) for each class k, with which all C classes weigh alike, by their totals n_k, whose sum is l.
func BalancedWeights(totals []float64) []float64 {
	weight := make([]float64, len(totals))
	for k, n := range totals {
		weight[k] = floats.Sum(totals) / (float64(len(totals)) * n)
	}
	return weight
}

// classWeights reads --class-weight: `balanced`, by the totals of the classes, or LABEL=WEIGHT,... with 1 for classes not named. It
// returns a weight a labelled row, or nil.
func classWeights(text string, p *learn.Problem, totals []float64) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	if p.Class == nil {
		return nil, Usage("--class-weight %s: the targets are numbers, which have no classes; leave it out, or weigh rows by --weight",
			text)
	}
	weight := make([]float64, len(p.Classes))
	if text == "balanced" {
		weight = BalancedWeights(totals)
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
