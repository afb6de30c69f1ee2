package report

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// views is the section about each view of a model of several: what it is worth alone, how far the views agree, and what
// each says of the rows that they dispute.
func (r *Run) views(ctx context.Context) (Section, error) {
	s := Section{ID: "views", Title: "The views"}
	v := r.Result.Views
	if v == nil {
		return s, nil
	}
	sets := map[string]bool{}
	for _, one := range v.Views {
		for set := range one.Metrics {
			sets[set] = true
		}
	}
	measure := r.mainMeasure()
	t := &Table{Caption: "Each view by itself", Text: []bool{true}, Head: []string{"view", "rows that have it"}}
	names := slices.Sorted(maps.Keys(sets))
	slices.Reverse(names) // labelled, hidden
	for _, set := range names {
		t.Head = append(t.Head, measure+", "+set+" rows")
	}
	for _, one := range v.Views {
		row := []string{one.Name, strconv.Itoa(one.Rows)}
		for _, set := range names {
			text := ""
			if value, ok := one.Metrics[set][measure]; ok && measure == "error" {
				text = percent(value)
			} else if ok {
				text = number(value)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	s.add(Block{Tables: []*Table{t}})
	if v.Agreement == nil {
		return s, nil
	}
	s.add(Block{Text: fmt.Sprintf("On %s of the rows that have several views, all these decide the same class.", percent(*v.Agreement))})
	disputed, err := r.disputed(ctx)
	if err != nil || disputed == nil {
		return s, err
	}
	s.add(Block{Text: "The rows below are decided differently, those first of which the views are surest. A label tells most there.",
		Tables: []*Table{disputed}})
	return s, nil
}

// disputed lists what each view decides of the rows that are disputed; nil without any, and where there is no model.
func (r *Run) disputed(ctx context.Context) (*Table, error) {
	rows := r.Result.Views.Disputed
	if len(rows) == 0 || r.Model == nil || r.Set == nil {
		return nil, nil
	}
	outs, err := r.Model.Views(ctx, r.Set.Rows.Select(rows))
	if err != nil {
		return nil, err
	}
	t := &Table{Caption: "Disputed rows, from 0", Head: []string{"row"}}
	for _, i := range rows {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i)})
	}
	for v, out := range outs {
		t.Head = append(t.Head, "class by "+r.Model.Parts[v].View)
		for q, class := range r.Model.Decide(out) {
			text := r.Model.Classes[class]
			if math.IsNaN(out.At(q, 0)) {
				text = "no such view"
			}
			t.Rows[q] = append(t.Rows[q], text)
		}
	}
	return t, nil
}
