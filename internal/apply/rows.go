// Package apply gives rows of files to models and writes what they answer: it says how text is to be read for a model,
// gives the rows the model's form, and makes the columns of predictions. The program's verbs and its server share it, so
// that they answer alike.
//
// Change here what predictions look like as CSV or JSON, and how rows are matched to a model.
package apply

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/model"
)

// Matching are the options o for rows with the columns of a set or model: by name for dense rows, by
// number for sparse ones, as its words for text.
func Matching(o read.Options, features []string, columns int, text *data.Text, table *data.Table) read.Options {
	o.Want, o.Dim = features, columns
	o.Prepare, o.Given, o.Drop, o.Features, o.Weight, o.Group, o.Order = false, nil, nil, nil, "", "", ""
	if table != nil {
		o.Table, o.Want, o.Dim = table, nil, 0
	}
	if text != nil {
		t := *text
		if o.Text != nil && o.Text.Column != "" {
			t.Column = o.Text.Column
		}
		o.Text, o.Dim = &t, 0
	}
	return o
}

// Options are the options o for rows of a model. Labels of the model's column are read where they are there.
func Options(m *model.Model, o read.Options, needLabels bool) read.Options {
	o = Matching(o, m.Features, m.Columns, m.Text, m.Table)
	o.LabelOptional = !needLabels
	o.Missing = len(m.Parts) > 1 // rows may lack views
	if !o.Missing {
		o.Fill = m.Fill
	}
	if o.Label == "" && m.Features != nil {
		o.Label = m.Label
	}
	if needLabels && m.Task == data.Regression {
		o = Measured(o)
	}
	return o
}

// Measured are the options o for rows whose answers are numbers, and are spelled as those of other columns are.
func Measured(o read.Options) read.Options {
	if o.Table == nil {
		return o
	}
	list := slices.Clone(o.Table.Columns)
	for i := range list {
		list[i].Amounts = list[i].Amounts || list[i].Kind == data.KindLabel
	}
	o.Table = data.NewTable(list)
	return o
}

// BatchRows are read and predicted at a time, where rows come from a stream.
const BatchRows = 8192

// Suited is the set with the columns and the form of the rows that a model knows; the set itself stays as it is. Other columns are
// a *read.Error, and so are rows that memory has no room for with their zeros.
func Suited(m *model.Model, set *data.Set) (*data.Set, error) {
	suited := *set
	if d := set.Rows.Dim(); d != m.Columns {
		if !set.Rows.IsSparse() || d > m.Columns {
			return nil, &read.Error{
				File:   set.Source,
				What:   fmt.Sprintf("%d features, the model was trained on %d", d, m.Columns),
				Remedy: "give the columns it was trained on",
			}
		}
		wide := *set.Rows.Sparse
		wide.C = m.Columns // absent columns of sparse rows are zero
		suited.Rows.Sparse = &wide
	}
	if set.Rows.IsSparse() && !m.Sparse {
		if err := m.HoldsColumns(8 * set.Rows.Len()); err != nil {
			return nil, &read.Error{
				File:   set.Source,
				What:   fmt.Sprintf("%d rows with their zeros, which the model keeps: %v", set.Rows.Len(), err),
				Remedy: "or give fewer rows",
			}
		}
	}
	suited.Rows = FormFor(m, suited.Rows)
	return &suited, nil
}

// FormFor gives rows the form, dense or sparse, of the rows that a model knows. Those without any of its views stay so, and are refused
// when they are predicted.
func FormFor(m *model.Model, rows data.Rows) data.Rows {
	var views [][]int
	for _, p := range m.Parts {
		if p.Columns != nil {
			views = append(views, p.Columns)
		}
	}
	return Form(rows, m.Sparse, views...)
}

// Form gives rows the form, dense or sparse, of those of a set. Dense rows lack a view, of the columns listed, where all of its cells are
// NaN, sparse ones where they store nothing of it.
func Form(rows data.Rows, isSparse bool, views ...[]int) data.Rows {
	switch {
	case isSparse && !rows.IsSparse():
		return data.Rows{Sparse: data.CSRFromDense(withoutMissing(rows.Dense, views)), ID: rows.ID}
	case !isSparse && rows.IsSparse():
		return data.Rows{Dense: rows.Sparse.ToDense(), ID: rows.ID}
	}
	return rows
}

// withoutMissing are dense rows with zeros in the place of views that are missing. Rows that lack each of several are as they were.
func withoutMissing(x *mat.Dense, views [][]int) *mat.Dense {
	n, _ := x.Dims()
	var out *mat.Dense // nil: no view is missing
	for i := range n {
		missing := slices.DeleteFunc(slices.Clone(views), func(view []int) bool {
			return slices.ContainsFunc(view, func(j int) bool { return !math.IsNaN(x.At(i, j)) })
		})
		if len(missing) == len(views) && len(views) > 1 {
			continue
		}
		for _, view := range missing {
			if out == nil {
				out = mat.DenseCopyOf(x)
			}
			for _, j := range view {
				out.Set(i, j, 0)
			}
		}
	}
	if out == nil {
		return x
	}
	return out
}

// Named says that rows lack the column of names, id, that was asked for. Rows may well lack the one that the model knows, and are then
// predicted without names.
func Named(m *model.Model, set *data.Set, id string) error {
	if set.ID != nil || id == "" || id == m.Table.ID() {
		return nil
	}
	return &read.Error{
		File: set.Source, What: fmt.Sprintf("no column %q, which --id names", id), Remedy: "name one of its columns, or leave it out",
	}
}
