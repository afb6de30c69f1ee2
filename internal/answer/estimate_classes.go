package answer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// estimateClasses counts what a model decides of left-out outputs on labelled rows, where the classes are unequal: where one of them has
// less than half of an even share of the labels, so that the error says little of it.
func (a *Answer) estimateClasses(m *model.Model, judged []int, out *mat.Dense) (list []result.ClassEstimate) {
	p := a.Task.Problem
	if p.Task != data.Classification || a.Task.Coding.OneClass || !unequal(p.Class, len(p.Classes)) {
		return nil
	}
	confusion := make([][]int, len(p.Classes))
	for k := range confusion {
		confusion[k] = make([]int, len(p.Classes))
	}
	for q, k := range m.Decide(out) {
		confusion[p.Class[judged[q]]][k]++
	}
	precision, recall, _ := metric.PerClass(confusion)
	for k, name := range p.Classes {
		one := result.ClassEstimate{Class: name, Recall: shareOf(recall[k]), Precision: shareOf(precision[k])}
		for _, n := range confusion[k] {
			one.Rows += n
		}
		list = append(list, one)
	}
	return list
}

// unequal says whether some class has less than half of an even share of the labels.
func unequal(class []int, classes int) bool {
	n := make([]int, classes)
	for _, k := range class {
		n[k]++
	}
	return classes > 1 && 2*classes*slices.Min(n) < len(class)
}

// shareOf is nil for what is of no row.
func shareOf(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
