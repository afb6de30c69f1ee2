// Package training reads the files of a fit, as `mercer fit` does, into its input.
//
// Change here which files a fit may have, and how they are matched with each other.
package training

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Files are those of mercer.Files, where every field is described.
type Files struct {
	Data, Unlabelled, Test string
	Read                   read.Options
	Views                  []string
	Columns                *model.Model
	LabelledRows           string
	Labels, LabelsPerClass int
	Seed                   uint64
}

// Open reads rows to learn from: what columns are is found out, further files are matched with the first one by the names of their columns,
// and labels are hidden where that is asked for. The recipe says which task the labels are of, and is told where the views are.
func (files Files) Open(ctx context.Context, r *result.Recipe) (*result.Input, []read.Warning, error) {
	views, err := apply.ParseViews(files.Views)
	if err == nil {
		err = files.check(views)
	}
	if err != nil {
		return nil, nil, err
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
	return in, from.Warnings, err
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

// furtherRows are the options o for rows to learn from with the columns of a model, which is what weights, groups, the order and names of
// rows are not part of. Those that the model was learned with are given, and need not be there.
func furtherRows(m *model.Model, o read.Options) read.Options {
	weight, group, order := o.Weight, o.Group, o.Order
	o = apply.Matching(o, m.Features, m.Columns, m.Text, m.Table)
	o.Weight, o.Group, o.Order = weight, group, order
	if m.Table != nil {
		o.Given = slices.DeleteFunc(slices.Clone(m.Table.Columns), func(c data.Column) bool { return order != "" && c.Kind == data.KindGroup })
	}
	if m.Features == nil && m.Text == nil {
		o.Dim = 0 // sparse rows may have further columns
	}
	if o.Label == "" && m.Features != nil {
		o.Label = m.Label
	}
	if m.Task == data.Regression {
		o = apply.Measured(o)
	}
	return o
}

// open reads the files, the first one with the options o.
func (files Files) open(ctx context.Context, from *apply.Files, o read.Options, r *result.Recipe) (*result.Input, error) {
	set, err := from.Open(ctx, files.Data, o)
	if err != nil {
		return nil, err
	}
	if err := apply.Labelled(set, files.Read.Label); err != nil {
		return nil, err
	}
	if files.Columns != nil {
		if err := asLearned(set, files.Columns, files.Read); err != nil {
			return nil, err
		}
		from.Warnings = append(from.Warnings, forgotten(set, files.Columns)...)
	}
	if set.Answers == nil {
		set.Answers = make(data.Answers, set.Rows.Len())
	}
	if err := markedLabels(set, *r); err != nil {
		return nil, err
	}
	if err := likelyLabels(set, o, *r); err != nil {
		return nil, err
	}
	if len(from.Views) > 0 {
		if set, r.Views, err = from.Join(ctx, set); err != nil {
			return nil, err
		}
	}
	in := &result.Input{Set: set}
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
		if err := appendUnlabelled(in, more, *r); err != nil {
			return nil, &result.SetError{Set: more, Err: err}
		}
	}
	if files.Test != "" {
		o.LabelOptional = false
		if labels, err := fit.Interpret(in.Set, *r); err == nil && labels.Task == data.Regression {
			o = apply.Measured(o)
		}
		if set.Text == nil && set.Table == nil {
			o.Dim = in.Set.Rows.Dim()
		}
		if in.Test, err = from.Open(ctx, files.Test, o); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(in.Test.Answers, func(a string) bool { return !data.IsUnlabelled(a) }) {
			return nil, &read.Error{File: in.Test.Source, What: "no row has a label, so that nothing can be measured", Remedy: "give the rows " +
				"their labels, or leave out --test and answer them with mercer predict"}
		}
		if s := in.Test.Rows.Sparse; s != nil && s.C < o.Dim {
			s.C = o.Dim // absent columns of sparse rows are zero
		}
		in.Test.Rows = formed(in.Test.Rows, set, *r)
	}
	return in, understood(in, *r)
}

// asLearned has the table of a set say of its columns what that of the model it goes on from does, but for those that have other parts
// now.
func asLearned(set *data.Set, m *model.Model, o read.Options) error {
	if o.Label != "" && slices.Contains(m.Features, o.Label) ||
		m.Table != nil && slices.ContainsFunc(m.Table.Columns, func(c data.Column) bool { return c.Name == o.Label && c.Feature() }) {
		return &read.Error{File: set.Source, What: fmt.Sprintf("column %q: --label names it, and the model has it as a feature", o.Label),
			Remedy: "name the column of the labels, or fit anew"}
	}
	if set.Table == nil || m.Table == nil {
		return nil
	}
	list := slices.Clone(set.Table.Columns)
	for i := range list {
		if list[i].Kind == data.KindLabel {
			list[i].Amounts = m.Table.Columns[i].Amounts // however these answers were read
		}
	}
	for _, part := range [][2]string{{data.KindID, o.ID}, {data.KindWeight, o.Weight}, {data.KindGroup, o.Group}} {
		kind, name := part[0], part[1]
		at := slices.IndexFunc(list, func(c data.Column) bool { return c.Name == name })
		if name == "" || at >= 0 && list[at].Kind == kind {
			continue
		}
		if at >= 0 && list[at].Kind != data.KindIgnored {
			if kind != data.KindID {
				continue
			}
			return &read.Error{File: set.Source, What: fmt.Sprintf("column %q: --%s names it, and the model has it as %s", name, kind,
				list[at].Kind), Remedy: "name another column, or fit anew"}
		}
		for i := range list {
			if list[i].Kind == kind {
				list[i].Kind = data.KindIgnored
			}
		}
		if at < 0 {
			at, list = len(list), append(list, data.Column{Name: name})
		}
		list[at].Kind, list[at].Why = kind, "as asked"
	}
	set.Table = data.NewTable(list)
	return nil
}

// forgotten says which parts of columns that a model was learned with its further rows do not have.
func forgotten(set *data.Set, m *model.Model) (list []read.Warning) {
	say := func(what string) { list = append(list, read.Warning{File: set.Source, What: what}) }
	if m.Table != nil {
		if c := m.Table.Column(data.KindWeight); c != nil && set.Weight == nil {
			say(fmt.Sprintf("no column %q, which had the weights of the rows that the model was learned from: all rows weigh the same "+
				"(--weight names another)", c.Name))
		}
		if c := m.Table.Column(data.KindGroup); c != nil && set.Order != nil {
			say(fmt.Sprintf("the groups of column %q, which the model was learned with, have no part beside --order", c.Name))
		} else if c != nil && set.Group == nil {
			say(fmt.Sprintf("no column %q, which had the groups of the rows that the model was learned from: every row is on its own "+
				"(--group names another)", c.Name))
		}
	}
	var fitted struct {
		Estimate struct {
			From string `json:"from"`
		} `json:"estimate"`
	}
	if set.Order == nil && json.Unmarshal(m.Result, &fitted) == nil && strings.HasPrefix(fitted.Estimate.From, "forward ") {
		say("the model was judged by rows later than those learned from, and does not keep which column had their order: these have none " +
			"(--order names it)")
	}
	return list
}

// likelyLabels refuses a column that was taken for the labels and cannot be that: dates, or words of which most rows have one of their
// own. It names the column that is likely meant.
func likelyLabels(set *data.Set, o read.Options, r result.Recipe) error {
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
		what = "has dates, which are no labels"
	case words == len(rows) && 2*len(different) > len(rows):
		what = fmt.Sprintf("has %d different labels in %d rows", len(different), len(rows))
	default:
		return nil
	}
	remedy := "name the column of the labels with --label, or say --task classification"
	if likely := likelyLabel(set.Table); likely != "" {
		remedy = fmt.Sprintf("name the column of the labels with --label, as --label %s, or say --task classification", brief.Flagged(likely))
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
func understood(in *result.Input, r result.Recipe) error {
	labels, err := fit.Interpret(in.Set, r)
	if err == nil {
		_, _, err = labels.Of(in.Hidden)
	}
	if err != nil {
		return &result.SetError{Set: in.Set, Err: err}
	}
	if in.Test != nil {
		if _, _, err = labels.Of(in.Test.Answers); err != nil {
			return &result.SetError{Set: in.Test, Err: err}
		}
	}
	return nil
}

// hide moves the labels that are not kept from the set to in.Hidden.
func (files Files) hide(ctx context.Context, in *result.Input, r result.Recipe) error {
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
func (files Files) kept(ctx context.Context, set *data.Set, r result.Recipe) (keep []int, err error) {
	if files.LabelledRows != "" {
		return read.LabelledRows(ctx, files.LabelledRows, set.Rows.Len())
	}
	if files.Labels == 0 && files.LabelsPerClass == 0 {
		return nil, nil
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: fit.DataTask(r), Declared: set.Declared})
	if err == nil && files.Labels > 0 {
		keep, err = data.DrawTotal(labels, files.Labels, files.Seed)
	} else if err == nil {
		keep, err = data.DrawPerClass(labels, files.LabelsPerClass, files.Seed)
	}
	if err != nil {
		return nil, &result.SetError{Set: set, Err: err}
	}
	if files.Labels == 1 && labels.Task == data.Classification {
		return nil, task.Usage("--labels 1: one label is of one class; keep 2 at least")
	}
	return keep, nil
}

// formed are rows in the form of those of a set, whose views may be missing.
func formed(rows data.Rows, as *data.Set, r result.Recipe) data.Rows {
	var views [][]int
	for _, v := range r.Views {
		views = append(views, indices.To(v.Last)[v.First-1:])
	}
	return apply.Form(rows, as.Rows.IsSparse(), views...)
}

// appendUnlabelled adds rows whose labels, if there are any, are left out.
func appendUnlabelled(in *result.Input, more *data.Set, r result.Recipe) error {
	rows := *more
	rows.Rows = formed(more.Rows, in.Set, r)
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
