package serve

import (
	"net/http"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/explain"
	"gonum.org/v1/gonum/mat"
)

// A request of the page is of at most shownRows rows, with nearRows neighbours each: more is for no eye.
const (
	shownRows = 100
	nearRows  = 5
)

// shown is what the page shows of a row.
type shown struct {
	Prediction  string    `json:"prediction"`
	Score       []float64 `json:"score"`
	Probability []float64 `json:"probability,omitempty"`
	Nearest     []near    `json:"nearest,omitempty"`
	Why         *why      `json:"why,omitempty"` // of the first row
}

// why are the columns that move the output most.
type why struct {
	For     string   `json:"for,omitempty"`     // the class whose output it is
	Against string   `json:"against,omitempty"` // and the other one
	Columns []effect `json:"columns"`
}

// effect is by how much the output is larger than it would be with the column at its reference.
type effect struct {
	Name      string  `json:"name"`
	Value     any     `json:"value"`
	Reference any     `json:"reference"`
	Effect    float64 `json:"effect"`
}

// whyColumns is how many columns are shown.
const whyColumns = 5

// near is a row that was learned from, near the one that was asked for.
type near struct {
	Row        int         `json:"row"` // among those that the model keeps, from 1
	Distance   float64     `json:"distance"`
	Prediction string      `json:"prediction"` // the model's answer for it, as labels are not kept
	Cells      [][2]string `json:"cells"`      // names and values
	More       int         `json:"more,omitempty"`
}

// nearest answers POST /nearest/NAME: rows as of /predict, and as JSON their answers with the nearest of the rows that the model
// was learned from and keeps, or why there are none.
func (s *Server) nearest(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), "")
	if err != nil {
		return err
	}
	w.model = l.name
	for _, key := range []string{"probability", "interval"} {
		if r.URL.Query().Has(key) {
			return bad("the parameter %q is of /predict; the answers here have probabilities where the model has them; leave it out", key)
		}
	}
	_, o, err := l.asked(r)
	if err != nil {
		return err
	}
	b, err := s.body(w, r)
	defer b.done()
	if err != nil {
		return err
	}
	stream, err := s.stream(l, b, b.text, o)
	if err != nil {
		return err
	}
	answer := struct {
		Model    string   `json:"model"`
		Version  string   `json:"version"`
		Classes  []string `json:"classes,omitempty"`
		Kept     int      `json:"kept"`
		Without  string   `json:"without,omitempty"` // why nearest rows are not there
		Rows     []shown  `json:"rows"`
		Warnings []string `json:"warnings,omitempty"`
	}{Model: l.name, Version: l.version, Classes: l.Classes}
	k, without := l.kept()
	if without != nil {
		answer.Without = without.Error()
	} else {
		answer.Kept = k.Rows.Len()
	}
	err = s.each(r, l, stream, o.ID, func(set *data.Set, out *mat.Dense) error {
		if len(answer.Rows)+set.Rows.Len() > shownRows {
			return &fault{http.StatusRequestEntityTooLarge,
				"more than " + strconv.Itoa(shownRows) + " rows; the page shows so many, /predict answers more"}
		}
		list, err := l.shown(out)
		if err == nil && len(answer.Rows) == 0 {
			list[0].Why, err = l.why(r, set.Rows)
		}
		if err == nil && k != nil {
			err = l.beside(r, k, set.Rows, list)
		}
		answer.Rows = append(answer.Rows, list...)
		return err
	})
	if err != nil {
		return inBody(err)
	}
	w.rows = len(answer.Rows)
	for _, warning := range stream.Warnings() {
		answer.Warnings = append(answer.Warnings, inLine(warning))
	}
	return object(w, answer)
}

// shown are the answers for outputs.
func (l *loaded) shown(out *mat.Dense) ([]shown, error) {
	n, _ := out.Dims()
	list := make([]shown, n)
	scores := l.Coding().Scores(out)
	for i, text := range explain.Named(l.Model, out) {
		list[i].Prediction, list[i].Score = text, scores.RawRowView(i)
	}
	if l.HasProbabilities() {
		p, err := l.Probabilities(out)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i].Probability = p.RawRowView(i)
		}
	}
	return list, nil
}

// why explains the first of rows; nil where no column has an effect that is known.
func (l *loaded) why(r *http.Request, rows data.Rows) (*why, error) {
	e, err := l.explainer()
	if err != nil {
		return nil, nil //nolint:nilerr // a model of which no row can be explained answers all the same
	}
	x, err := e.Row(r.Context(), rows)
	if err != nil {
		return nil, err
	}
	w := &why{For: x.Output.For, Against: x.Output.Against}
	for _, c := range x.Features.List {
		if c.Effect != nil && *c.Effect != 0 && len(w.Columns) < whyColumns {
			w.Columns = append(w.Columns, effect{c.Name, c.Value, c.Reference, *c.Effect})
		}
	}
	if w.Columns == nil {
		return nil, nil
	}
	return w, nil
}

// beside adds the nearest kept rows to the answers for rows.
func (l *loaded) beside(r *http.Request, k *explain.Kept, rows data.Rows, list []shown) error {
	all, err := l.Nearest(r.Context(), rows, k.Scaled, nearRows)
	if err != nil {
		return err
	}
	var idx []int
	for _, of := range all {
		for _, n := range of {
			idx = append(idx, n.Centre)
		}
	}
	out, err := k.Alone.Predict(r.Context(), k.Scaled.Select(idx))
	if err != nil {
		return rowFault(err, 0)
	}
	answers := explain.Named(l.Model, out)
	for i, of := range all {
		for _, n := range of {
			one := near{Row: n.Centre + 1, Distance: n.Distance, Prediction: answers[0]}
			one.Cells, one.More = explain.Cells(l.Model, k.Rows, n.Centre)
			list[i].Nearest = append(list[i].Nearest, one)
			answers = answers[1:]
		}
	}
	return nil
}
