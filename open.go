package mercer

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/text"
	"github.com/mercer-ml/mercer/model"
)

// Files say what Open reads. The zero value of each field but the first means that there is none.
type Files struct {
	// Data names the rows to learn from: a file, a folder of documents, a built-in set, or "-", which is standard input.
	Data string
	// Unlabelled names further rows, whose labels are not looked at, and Test labelled rows that are never seen in training.
	Unlabelled, Test string
	// Read says how they are read. What the other files must have in common with Data is filled in.
	Read read.Options
	// Views are named parts of the columns: NAME=FIRST..LAST, NAME=PREFIX*, or NAME=FILE, a file of further columns of the same rows.
	Views []string
	// Columns is a model whose columns the rows have, which they need not say themselves.
	Columns *model.Model

	// LabelledRows names a file of the numbers of rows, from 0, that keep their labels. Labels is the number of labels to keep, drawn at
	// random, the classes in proportion, and LabelsPerClass that of each class; Seed draws them. At most one of the three is given. All
	// other labels are hidden: they are Input.Hidden, by which the fit is judged.
	LabelledRows           string
	Labels, LabelsPerClass int
	Seed                   uint64
}

// Open reads rows to learn from, as `mercer fit` does: what columns are is found out, further files are matched with the first one by
// the names of their columns, and labels are hidden where that is asked for. The recipe says which task the labels are of, and is told
// where the views are. Faults of files are *read.Error, or *SetError where they are of labels.
func Open(ctx context.Context, files Files, r *Recipe) (*Input, []read.Warning, error) {
	views, err := apply.ParseViews(files.Views)
	if err == nil {
		err = files.check(views)
	}
	if err != nil {
		return nil, nil, fit.InFields(err)
	}
	o := files.Read
	o.Missing = len(views) > 0 || len(r.Views) > 0
	o.Prepare = !o.Missing
	if r.Method == "one-class" {
		o.LabelNamed, o.LabelOptional = true, true
	}
	if files.Columns != nil {
		o = furtherRows(files.Columns, o)
	}
	from := apply.Files{Options: files.Read, Views: views}
	in, err := files.open(ctx, &from, o, r)
	return in, from.Warnings, fit.InFields(err)
}

// check refuses what does not go together.
func (files Files) check(views []apply.View) error {
	switch {
	case min(files.Labels, files.LabelsPerClass) < 0:
		return task.Usage("--labels %d, --labels-per-class %d: must be at least 1", files.Labels, files.LabelsPerClass)
	case files.LabelledRows != "" && files.Labels+files.LabelsPerClass > 0 || files.Labels > 0 && files.LabelsPerClass > 0:
		return task.Usage("--labelled-rows, --labels and --labels-per-class each say which labels are kept; give one of them")
	case apply.InFiles(views) && files.Unlabelled+files.Test != "":
		return task.Usage("--view NAME=FILE with --unlabelled or --test: those files have no such columns; join the columns of each into " +
			"one file and give --view NAME=FIRST..LAST")
	}
	return nil
}

// furtherRows are the options o for rows to learn from with the columns of a model, which is what weights, groups and names of rows are
// not part of.
func furtherRows(m *model.Model, o read.Options) read.Options {
	weight, group := o.Weight, o.Group
	o = apply.Matching(o, m.Features, m.Columns, m.Text, m.Table)
	o.Weight, o.Group = weight, group
	if m.Features == nil && m.Text == nil {
		o.Dim = 0 // sparse rows may have further columns
	}
	if o.Label == "" && m.Features != nil {
		o.Label = m.Label
	}
	return o
}

// open reads the files, the first one with the options o.
func (files Files) open(ctx context.Context, from *apply.Files, o read.Options, r *Recipe) (*Input, error) {
	set, err := from.Open(ctx, files.Data, o)
	if err != nil {
		return nil, err
	}
	if set.Answers == nil {
		set.Answers = make(data.Answers, set.Rows.Len())
	}
	if err := likelyLabels(set, o, *r); err != nil {
		return nil, err
	}
	if len(from.Views) > 0 {
		if set, r.Views, err = from.Join(ctx, set); err != nil {
			return nil, err
		}
	}
	in := &Input{Set: set}
	if err := files.hide(ctx, in, *r); err != nil {
		return nil, err
	}
	o = alike(set, o)
	if set.Table == nil && set.Text == nil && set.Features != nil && set.Rows.Dense != nil && len(r.Views) == 0 {
		o.Fill = columns.Medians(set.Rows)
	}
	if files.Unlabelled != "" {
		o.LabelOptional = true
		more, err := from.Open(ctx, files.Unlabelled, o)
		if err != nil {
			return nil, err
		}
		if err := appendUnlabelled(in, more); err != nil {
			return nil, &SetError{Set: more, Err: err}
		}
	}
	if files.Test != "" {
		o.LabelOptional = false
		if set.Text == nil && set.Table == nil {
			o.Dim = in.Set.Rows.Dim()
		}
		if in.Test, err = from.Open(ctx, files.Test, o); err != nil {
			return nil, err
		}
		if s := in.Test.Rows.Sparse; s != nil && s.C < o.Dim {
			s.C = o.Dim // absent columns of sparse rows are zero
		}
		in.Test.Rows = apply.Form(in.Test.Rows, set.Rows.IsSparse())
	}
	return in, understood(in, *r)
}

// likelyLabels refuses a column that was taken for the labels and cannot be that: dates, or words of which most rows have one of their
// own. It names the column that is likely meant.
func likelyLabels(set *data.Set, o read.Options, r Recipe) error {
	rows := set.Answers.Answered()
	const enough = 10 // rows, of which some have the same class
	if len(rows) < enough || 2*len(rows) < len(set.Answers) || r.Task != "" && r.Task != "auto" {
		return nil
	}
	different, dates, words := map[string]columns.Shape{}, 0, 0
	for _, i := range rows {
		a := set.Answers[i]
		shape, known := different[a]
		if !known {
			shape = columns.ShapeOf([]byte(a))
			different[a] = shape
		}
		switch shape {
		case columns.Date:
			dates++
		case columns.Word:
			words++
		}
	}
	what := ""
	switch {
	case dates == len(rows) && o.Label == "":
		what = "the last column, has dates, which are no labels"
	case words == len(rows) && 2*len(different) > len(rows):
		what = fmt.Sprintf("has %d different labels in %d rows", len(different), len(rows))
	default:
		return nil
	}
	remedy := "name the column of the labels with --label, or say --task classification"
	if likely := likelyLabel(set.Table); likely != "" {
		remedy = fmt.Sprintf("name the column of the labels with --label, as --label %s, or say --task classification", likely)
	}
	return &read.Error{File: set.Source, What: fmt.Sprintf("column %q: %s", set.LabelName, what), Remedy: remedy}
}

// likelyLabel is the column of the fewest words, "" without one.
func likelyLabel(t *data.Table) string {
	if t == nil {
		return ""
	}
	name, least := "", 0
	for _, c := range t.Columns {
		if n := len(c.Levels); (c.Kind == data.KindCategory || c.Kind == data.KindYesNo) && (name == "" || n < least) {
			name, least = c.Name, n
		}
	}
	return name
}

// alike are the options o for files with the columns of a set.
func alike(set *data.Set, o read.Options) read.Options {
	o = apply.Matching(o, set.Features, set.Rows.Dim(), set.Text, set.Table)
	if o.Label == "" && set.Features != nil {
		o.Label = set.LabelName // wherever it stands in the other files
	}
	if set.Rows.IsSparse() && set.Text == nil {
		o.Dim = 0 // further rows may have further columns
	}
	return o
}

// understood finds the faults of all answers before the work starts, while it is known on which lines of their files they stand.
func understood(in *Input, r Recipe) error {
	labels, err := fit.Interpret(in.Set, r)
	if err == nil {
		_, _, err = labels.Of(in.Hidden)
	}
	if err != nil {
		return &SetError{Set: in.Set, Err: err}
	}
	if in.Test != nil {
		if _, _, err = labels.Of(in.Test.Answers); err != nil {
			return &SetError{Set: in.Test, Err: err}
		}
	}
	return nil
}

// hide moves the labels that are not kept from the set to in.Hidden.
func (files Files) hide(ctx context.Context, in *Input, r Recipe) error {
	keep, err := files.kept(ctx, in.Set, r)
	if keep == nil || err != nil {
		return err
	}
	visible, hidden := data.Hide(in.Set.Answers, keep)
	shown := *in.Set
	shown.Answers = visible
	in.Set, in.Hidden = &shown, hidden
	return nil
}

// kept are the rows whose labels are seen, nil where all are.
func (files Files) kept(ctx context.Context, set *data.Set, r Recipe) (keep []int, err error) {
	if files.LabelledRows != "" {
		return read.LabelledRows(ctx, files.LabelledRows, set.Rows.Len())
	}
	if files.Labels == 0 && files.LabelsPerClass == 0 {
		return nil, nil
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: fit.DataTask(r)})
	if err == nil && files.Labels > 0 {
		keep, err = data.DrawTotal(labels, files.Labels, files.Seed)
	} else if err == nil {
		keep, err = data.DrawPerClass(labels, files.LabelsPerClass, files.Seed)
	}
	if err != nil {
		return nil, &SetError{Set: set, Err: err}
	}
	if files.Labels == 1 && labels.Task == data.Classification {
		return nil, task.Usage("--labels 1: one label is of one class; keep 2 at least")
	}
	return keep, nil
}

// appendUnlabelled adds rows whose labels, if there are any, are left out.
func appendUnlabelled(in *Input, more *data.Set) error {
	rows := *more
	rows.Rows = apply.Form(more.Rows, in.Set.Rows.IsSparse())
	set, err := in.Set.WithUnlabelled(&rows)
	if err != nil {
		return err
	}
	if in.Hidden != nil {
		in.Hidden = append(in.Hidden, make(data.Answers, more.Rows.Len())...)
	}
	in.Set = set
	return nil
}

// OpenFor reads the rows called name for a model, as `mercer predict` does: columns are found by their names, in whatever order they
// stand; words, dates and missing cells become what they became in the fit, documents the counts of the model's words. Answers are
// read where the rows have them. The name and the options are those of read.Open. Views that were files in the fit are given as
// NAME=FILE, files of the same rows.
func OpenFor(ctx context.Context, m *model.Model, name string, o read.Options, views ...string) (*data.Set, []read.Warning, error) {
	list, err := apply.ParseViews(views)
	if err != nil {
		return nil, nil, err
	}
	from := apply.Files{Options: o, Views: list}
	set, err := from.For(ctx, m, name, false)
	return set, from.Warnings, err
}

// RowsFor makes rows for a model of cells by the names of its columns, in words as they would stand in a file, a map a row. A column that
// a row does not name is a missing cell; names that the model does not know are left out. Errors name the column, and as the line of
// their file the number of the row plus one.
func RowsFor(ctx context.Context, m *model.Model, rows ...map[string]string) (data.Rows, error) {
	var names []string
	for _, row := range rows {
		names = append(names, slices.Collect(maps.Keys(row))...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	// A further column, which the model does not know and nothing is made of, keeps rows without a cell from being blank lines.
	number := "row"
	for slices.Contains(names, number) || slices.Contains(m.Features, number) || m.Table != nil &&
		slices.ContainsFunc(m.Table.Columns, func(c data.Column) bool { return c.Name == number }) {
		number += " number"
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	lines := [][]string{append([]string{number}, names...)}
	for i, row := range rows {
		cells := []string{strconv.Itoa(i + 1)}
		for _, name := range names {
			cells = append(cells, row[name])
		}
		lines = append(lines, cells)
	}
	if err := w.WriteAll(lines); err != nil {
		return data.Rows{}, err
	}
	set, _, err := OpenFor(ctx, m, "-", read.Options{Stdin: &table, Format: read.FormatCSV})
	if err != nil {
		return data.Rows{}, err
	}
	return set.Rows, nil
}

// Documents counts the words of documents for a model that learned from text: a row each. Of all their words, so many as of says, the
// model does not have unknown. A model that learned from other columns is an error.
func Documents(ctx context.Context, m *model.Model, documents []string) (rows data.Rows, unknown, of int, err error) {
	if m.Text == nil {
		return data.Rows{}, 0, 0, errors.New("the model learned from columns, not from documents; give rows of its columns")
	}
	words, err := text.NewVocabulary(m.Features, *m.Text)
	if err != nil {
		return data.Rows{}, 0, 0, err
	}
	rows, lacks, err := words.Count(ctx, documents)
	return rows, lacks.Words, lacks.Of, err
}
