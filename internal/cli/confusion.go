package cli

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// confusion counts how often a class was taken for another, on the labelled rows of a set.
type confusion struct {
	classes               []string // those of the model, then labels that it has never seen
	counts                [][]int
	precision, recall, f1 []float64
}

// confused predicts the labelled rows; nil for a regression.
func confused(ctx context.Context, m *model.Model, set *data.Set) (*confusion, error) {
	if m.Task != data.Classification {
		return nil, nil
	}
	labels, _, err := answer.Known(m, set.Answers)
	if err != nil {
		return nil, err
	}
	c := &confusion{classes: slices.Clone(m.Classes)}
	var rows, want []int
	for i, k := range labels.Class {
		if k == data.Unlabelled {
			continue
		}
		if k == data.Unseen {
			name := data.ClassName(set.Answers[i])
			if k = slices.Index(c.classes, name); k < 0 {
				k, c.classes = len(c.classes), append(c.classes, name)
			}
		}
		rows, want = append(rows, i), append(want, k)
	}
	out, err := m.Predict(ctx, set.Rows.Select(rows))
	if err != nil {
		return nil, err
	}
	c.counts = metric.Confusion(m.Decide(out), want, len(m.Classes))
	c.precision, c.recall, c.f1 = metric.PerClass(c.counts)
	return c, nil
}

// Evaluation is what `mercer evaluate` says, for programs beside it: the object of --json, and the text below the measures. Counts are by
// the true class and then by the predicted one, nil of a regression; classes name the rows of counts.
func Evaluation(rows int, metrics mercer.Metric, classes []string, counts [][]int, moved *result.DriftState) (object any, text string) {
	var c *confusion
	var s sheet
	if counts != nil {
		c = &confusion{classes: classes, counts: counts}
		c.precision, c.recall, c.f1 = metric.PerClass(counts)
		c.table(&s)
	}
	s.drift(moved, nil)
	return c.object(evaluation{Rows: rows, Metrics: metrics.Finite(), Drift: moved}), s.String()
}

// evaluation is what --json prints. Precision, recall and F of a class are absent if no row is of it.
// Confusion has the number of rows by the true class and then by the predicted one, and leaves out
// pairs without a row.
type evaluation struct {
	Rows      int                       `json:"rows"`
	Metrics   mercer.Metric             `json:"metrics"`
	Precision map[string]float64        `json:"precision,omitempty"`
	Recall    map[string]float64        `json:"recall,omitempty"`
	F1        map[string]float64        `json:"f1,omitempty"`
	Confusion map[string]map[string]int `json:"confusion,omitempty"`
	Views     *result.ViewState         `json:"views,omitempty"`
	Drift     *result.DriftState        `json:"drift,omitempty"`
}

// object adds what is known of classes, if anything is, to an evaluation.
func (c *confusion) object(o evaluation) evaluation {
	if c == nil {
		return o
	}
	o.Precision, o.Recall, o.F1 = c.named(c.precision), c.named(c.recall), c.named(c.f1)
	o.Confusion = map[string]map[string]int{}
	for a, row := range c.counts {
		of := map[string]int{}
		for b, n := range row {
			if n > 0 {
				of[c.classes[b]] = n
			}
		}
		if len(of) > 0 {
			o.Confusion[c.classes[a]] = of
		}
	}
	return o
}

func (c *confusion) named(list []float64) map[string]float64 {
	of := map[string]float64{}
	for k, v := range list {
		if !math.IsNaN(v) {
			of[c.classes[k]] = v
		}
	}
	return of
}

// tableClasses is the largest number of classes of which the table shows every one.
const tableClasses = 12

// table writes a line a class: precision, recall, f1, its rows, and as which classes they were predicted.
func (c *confusion) table(s *sheet) {
	if len(c.classes) > tableClasses {
		s.line("classes", strconv.Itoa(len(c.classes))+"; precision, recall, f1 and confusion of each with --json")
		return
	}
	head := []string{"class", "precision", "recall", "f1", "rows"}
	for _, name := range c.classes[:len(c.counts[0])] {
		head = append(head, "as "+name)
	}
	grid := [][]string{head}
	for k, row := range c.counts {
		line, there := []string{c.classes[k]}, 0
		for _, n := range row {
			there += n
		}
		for _, v := range []float64{c.precision[k], c.recall[k], c.f1[k]} {
			text := "-"
			if !math.IsNaN(v) {
				text = strconv.FormatFloat(v, 'f', 4, 64)
			}
			line = append(line, text)
		}
		line = append(line, strconv.Itoa(there))
		for _, n := range row {
			line = append(line, strconv.Itoa(n))
		}
		grid = append(grid, line)
	}
	s.grid(grid)
}
