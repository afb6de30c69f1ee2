package task

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
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
		return nil, Usage("--class-weight %s: the targets are numbers, which have no classes; leave it out, or weigh rows by --weight", text)
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
		for k := range weight {
			weight[k] = 1
		}
		for _, part := range strings.Split(text, ",") {
			class, value, _ := strings.Cut(part, "=")
			k, _ := data.ClassIndex(p.Classes)(class)
			if k < 0 {
				return nil, fmt.Errorf("--class-weight %s: no labelled row has class %s; the classes are %s", text, class,
					strings.Join(p.Classes, ", "))
			}
			w, err := strconv.ParseFloat(value, 64)
			if err != nil || !(w > 0) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("--class-weight %s: weight %q of class %s must be a positive number", text, value, class)
			}
			weight[k] = w
		}
	}
	rows := make([]float64, len(p.Class))
	for i, k := range p.Class {
		rows[i] = weight[k]
	}
	return rows, nil
}
