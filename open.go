package mercer

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/apply/training"
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
	in, warnings, err := training.Files(files).Open(ctx, r)
	return in, reading().warnings(warnings), reading().fault(err)
}

// OpenFor reads the rows called name for a model, as `mercer predict` does: columns are found by their names, in whatever order they
// stand; words, dates and missing cells become what they became in the fit, documents the counts of the model's words. Answers are
// read where the rows have them. The name and the options are those of read.Open. Views that were files in the fit are given as
// NAME=FILE, files of the same rows.
func OpenFor(ctx context.Context, m *model.Model, name string, o read.Options, views ...string) (*data.Set, []read.Warning, error) {
	list, err := apply.ParseViews(views)
	if err != nil {
		return nil, nil, reading().fault(err)
	}
	from := apply.Files{Options: o, Views: list}
	set, err := from.For(ctx, m, name, false)
	return set, reading().warnings(from.Warnings), reading().fault(err)
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
