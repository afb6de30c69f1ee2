package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// View is a named part of the columns as it is asked for: columns of the data, or a file with further columns of the same rows.
type View struct {
	Name        string
	File        string
	first, last string // names or numbers from 1
	prefix      string // of the names of its columns
}

// ownView is the name of the data's own columns where the views are files.
const ownView = "data"

// ParseViews understands views in words: NAME=FIRST..LAST, NAME=PREFIX* or NAME=FILE.
func ParseViews(texts []string) ([]View, error) {
	var list []View
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return nil, task.Usage("--view %s: write NAME=FIRST..LAST, two columns, NAME=PREFIX* or NAME=FILE, as in --view words=1..300",
				text)
		}
		v := View{Name: name, File: value}
		if first, last, isRange := strings.Cut(value, ".."); isRange && !strings.ContainsAny(value, "/\\") && first != "" && last != "" {
			v = View{Name: name, first: first, last: last}
		} else if prefix, ok := strings.CutSuffix(value, "*"); ok && prefix != "" {
			v = View{Name: name, prefix: prefix}
		}
		list = append(list, v)
	}
	return list, nil
}

// InFiles says whether one of the views is a file.
func InFiles(views []View) bool {
	return slices.ContainsFunc(views, func(v View) bool { return v.File != "" })
}

// fault is an error of a file, or of the columns of one.
func fault(file, format string, args ...any) error {
	what, remedy, _ := strings.Cut(fmt.Sprintf(format, args...), "; ")
	return &read.Error{File: file, What: what, Remedy: remedy}
}

// in is where the view stands among the columns of the set.
func (v View) in(set *data.Set) (result.View, error) {
	if v.prefix != "" {
		return v.named(set)
	}
	at := func(text string) (int, error) {
		if i := slices.Index(set.Features, text); i >= 0 {
			return i + 1, nil
		}
		if i, err := strconv.Atoi(text); err == nil && i >= 1 && i <= set.Rows.Dim() {
			return i, nil
		}
		return 0, fault(set.Source, "--view %s=%s..%s: no column %s; give names or numbers from 1 to %d",
			v.Name, v.first, v.last, text, set.Rows.Dim())
	}
	first, err := at(v.first)
	if err != nil {
		return result.View{}, err
	}
	last, err := at(v.last)
	if err == nil && last < first {
		err = task.Usage("--view %s=%s..%s: the last column is before the first", v.Name, v.first, v.last)
	}
	return result.View{Name: v.Name, First: first, Last: last}, err
}

// named are the columns whose names begin with the prefix.
func (v View) named(set *data.Set) (result.View, error) {
	out := result.View{Name: v.Name}
	for i, name := range set.Features {
		if !strings.HasPrefix(name, v.prefix) {
			continue
		}
		if out.First == 0 {
			out.First = i + 1
		} else if out.Last != i {
			return out, fault(set.Source, "--view %s=%s*: columns %s and %s are not side by side; move them together",
				v.Name, v.prefix, set.Features[out.Last-1], name)
		}
		out.Last = i + 1
	}
	if out.First == 0 {
		return out, fault(set.Source, "--view %s=%s*: no column's name begins so; give a prefix of some", v.Name, v.prefix)
	}
	return out, nil
}

// Files reads sets, and keeps what the reader warned of.
type Files struct {
	Options  read.Options // of every file, but for what says which of its columns are read
	Views    []View
	Warnings []read.Warning
}

// Open reads one set.
func (f *Files) Open(ctx context.Context, name string, o read.Options) (*data.Set, error) {
	if name == "" {
		return nil, task.Usage("an empty name; name a file, or a set that mercer data lists")
	}
	set, warnings, err := read.Open(ctx, name, o)
	f.Warnings = append(f.Warnings, warnings...)
	return set, of(name, err)
}

// Labelled refuses a column of labels that a set does not have, though it was asked for by this name: "none" is no such name.
func Labelled(set *data.Set, name string) error {
	switch {
	case name == "" || name == "none" || strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(set.LabelName)):
		return nil // as names of columns are read, whatever their case and the spaces around them
	case set.Features == nil && set.Text == nil:
		return fault(set.Source, "no column %q, as columns have no names: the label is the first number of a row; leave out --label, or "+
			"give CSV", name)
	case set.Text != nil && set.LabelName != "":
		return fault(set.Source, "no column %q: the labels of these documents are called %q; leave out --label", name, set.LabelName)
	}
	return fault(set.Source, "no column %q for the label; name another with --label, or leave the flag out", name)
}

// of makes an error of reading name what was read.
func of(name string, err error) error {
	var place *read.Error
	var usage *result.UsageError
	var path *fs.PathError
	if err == nil || errors.As(err, &place) || errors.As(err, &usage) || errors.As(err, &path) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Join puts the columns of views in files behind those of a set to learn from, and says where each view stands. Beside
// views in files the set's own columns are one, unless views of them are named.
func (f *Files) Join(ctx context.Context, set *data.Set) (*data.Set, []result.View, error) {
	for _, v := range f.Views {
		if info, err := os.Stat(v.File); err == nil && info.IsDir() {
			return nil, nil, fault(v.File, "is a directory; name a file in it")
		}
	}
	own := *set
	var views []result.View
	if InFiles(f.Views) && !slices.ContainsFunc(f.Views, func(v View) bool { return v.File == "" || v.Name == ownView }) {
		views = append(views, result.View{Name: ownView, First: 1, Last: set.Rows.Dim()})
	}
	for _, v := range f.Views {
		if v.File == "" {
			at, err := v.in(&own)
			if err != nil {
				return nil, nil, err
			}
			views = append(views, at)
			continue
		}
		joined, err := f.beside(ctx, set, v, nil, 0)
		if err != nil {
			return nil, nil, err
		}
		views = append(views, result.View{Name: v.Name, First: set.Rows.Dim() + 1, Last: joined.Rows.Dim()})
		set = joined
	}
	return set, views, nil
}

// beside reads the file of a view, of which the columns called want are read, or as many as columns says, and puts its columns behind
// those of the set.
func (f *Files) beside(ctx context.Context, set *data.Set, v View, want []string, columns int) (*data.Set, error) {
	o := Matching(f.Options, want, columns, nil, nil)
	o.ID, o.Missing = "", true
	o.Label, o.LabelOptional, o.LabelNamed = set.LabelName, true, true
	if set.Features == nil {
		o.Label = ""
	}
	more, err := f.Open(ctx, v.File, o)
	if err != nil {
		return nil, err
	}
	if a, b := set.Rows.Len(), more.Rows.Len(); a != b {
		return nil, fault(more.Source, "%d rows, %s has %d; a view has one row for each, in the same order", b, set.Source, a)
	}
	out := *set
	out.Rows = set.Rows.Beside(Form(more.Rows, set.Rows.IsSparse(), indices.To(more.Rows.Dim())))
	if set.Features != nil && more.Features != nil {
		out.Features = slices.Clone(set.Features)
		for _, name := range more.Features {
			out.Features = append(out.Features, v.Name+"."+name)
		}
	}
	return &out, nil
}

// For reads rows for a model, in its form: the data's own columns, then those of every view in a file.
func (f *Files) For(ctx context.Context, m *model.Model, name string, needLabels bool) (*data.Set, error) {
	o := Options(m, f.Options, needLabels)
	if len(f.Views) == 0 {
		set, err := f.Open(ctx, name, o)
		if err != nil {
			return nil, err
		}
		return Suited(m, set)
	}
	views, own, err := f.viewsOf(m)
	if err != nil {
		return nil, err
	}
	if m.Features != nil {
		o.Want = m.Features[:own]
	}
	o.Dim = own
	set, err := f.Open(ctx, name, o)
	if err != nil {
		return nil, err
	}
	if set.Rows.IsSparse() && set.Rows.Sparse.C < own {
		set.Rows.Sparse.C = own
	}
	for _, at := range views {
		if at.First != set.Rows.Dim()+1 {
			return nil, task.Usage("--view %s: the model's views came from several files; give all of them", at.Name)
		}
		var want []string
		if m.Features != nil {
			for _, name := range m.Features[at.First-1 : at.Last] {
				want = append(want, strings.TrimPrefix(name, at.Name+"."))
			}
		}
		v := f.Views[slices.IndexFunc(f.Views, func(v View) bool { return v.Name == at.Name })]
		if set, err = f.beside(ctx, set, v, want, at.Last-at.First+1); err != nil {
			return nil, err
		}
	}
	return Suited(m, set)
}

// viewsOf are the model's views that are given as files, in the order of its columns, and the number of columns before them.
func (f *Files) viewsOf(m *model.Model) (views []result.View, own int, err error) {
	var recipe result.Recipe
	if err := json.Unmarshal(m.Recipe, &recipe); err != nil {
		return nil, 0, err
	}
	own = m.Columns
	for _, v := range f.Views {
		at := slices.IndexFunc(recipe.Views, func(r result.View) bool { return r.Name == v.Name })
		if at < 0 || v.File == "" {
			return nil, 0, task.Usage("--view %s: the model has no view of that name to be given as a file", v.Name)
		}
		own = min(own, recipe.Views[at].First-1)
		views = append(views, recipe.Views[at])
	}
	slices.SortFunc(views, func(a, b result.View) int { return a.First - b.First })
	return views, own, nil
}
