package explain

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// Neighbour is a row learned from that is near the one explained. Row is its number among the training rows that were given, Kept that
// among the rows that the model keeps; both count from 0.
type Neighbour struct {
	Row        *int        `json:"row,omitempty"`
	Kept       *int        `json:"kept,omitempty"`
	Distance   float64     `json:"distance"`        // Euclidean, of the scaled features
	Label      string      `json:"label,omitempty"` // of a training row that has one
	Prediction string      `json:"prediction"`      // the model's answer for it
	Cells      [][2]string `json:"cells"`           // names and values, the first few
	More       int         `json:"more_cells,omitempty"`
}

// neighbours are the rows among which the nearest are looked for.
type neighbours struct {
	rows, scaled data.Rows
	model        *model.Model // that answers for the scaled rows
	without      string       // why there are none
}

// neighbours are the training rows, or else those that the model keeps.
func (e *Explainer) neighbours() (neighbours, error) {
	m := e.model
	if e.o.Training != nil && len(m.Parts) == 1 {
		alone := *m
		alone.Scaling = data.Scaling{Kind: data.ScaleNone}
		return neighbours{rows: e.o.Training.Rows, scaled: e.training, model: &alone}, nil
	}
	k, err := KeptBy(m)
	if err != nil {
		text := err.Error()
		if len(m.Parts) == 1 {
			text += "; give the rows of the fit with --training"
		}
		return neighbours{without: text}, nil
	}
	return neighbours{rows: k.Rows, scaled: k.Scaled, model: k.Alone}, nil
}

// beside stores the nearest rows. Cost: an inner product with each of the rows, and a prediction of each that is found.
func (e *Explainer) beside(ctx context.Context, x *Explanation, row data.Rows) error {
	if e.near.without != "" {
		x.WithoutNearest = e.near.without
		return nil
	}
	all, err := e.model.Nearest(ctx, row, e.near.scaled, e.o.Top)
	if err != nil {
		return err
	}
	idx := make([]int, len(all[0]))
	for q, n := range all[0] {
		idx[q] = n.Centre
	}
	if len(idx) == 0 {
		return nil
	}
	out, err := e.near.model.Predict(ctx, e.near.scaled.Select(idx))
	if err != nil {
		return err
	}
	answers := Named(e.model, out)
	for q, n := range all[0] {
		one := Neighbour{Distance: n.Distance, Prediction: answers[q]}
		one.Cells, one.More = Cells(e.model, e.near.rows, n.Centre)
		if e.o.Training == nil {
			one.Kept = &idx[q]
		} else {
			one.Row, one.Label = &idx[q], e.label(idx[q])
		}
		x.Nearest = append(x.Nearest, one)
	}
	return nil
}

// label is that of a training row, "" if it has none.
func (e *Explainer) label(i int) string {
	if a := e.o.Training.Answers; a != nil {
		return a[i]
	}
	return ""
}
