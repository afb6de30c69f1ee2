package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/model"
)

// view is one --view: columns of the data, or a file with further columns of the same rows.
type view struct {
	name        string
	first, last string // names or numbers from 1
	prefix      string // of the names of its columns
	file        string
}

// views reads the --view flags.
func (s source) views() ([]view, error) {
	var list []view
	for _, text := range s.View {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return nil, usage("--view %s: write NAME=FIRST..LAST, two columns, NAME=PREFIX* or NAME=FILE, as in --view words=1..300", text)
		}
		v := view{name: name, file: value}
		if first, last, isRange := strings.Cut(value, ".."); isRange && !strings.ContainsAny(value, "/\\") && first != "" && last != "" {
			v = view{name: name, first: first, last: last}
		} else if prefix, ok := strings.CutSuffix(value, "*"); ok && prefix != "" {
			v = view{name: name, prefix: prefix}
		}
		list = append(list, v)
	}
	return list, nil
}

// viewFiles says whether a view is a file.
func (s source) viewFiles() bool {
	list, err := s.views()
	return err == nil && slices.ContainsFunc(list, func(v view) bool { return v.file != "" })
}

// columns are the first and the last column of a view, from 1.
func (v view) columns(set *data.Set) (mercer.View, error) {
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
		return 0, &fault{
			file: set.Source,
			what: fmt.Sprintf(
				"--view %s=%s..%s: no column %s; give names or numbers from 1 to %d",
				v.name,
				v.first,
				v.last,
				text,
				set.Rows.Dim(),
			),
		}
	}
	first, err := at(v.first)
	if err != nil {
		return mercer.View{}, err
	}
	last, err := at(v.last)
	if err == nil && last < first {
		err = usage("--view %s=%s..%s: the last column is before the first", v.name, v.first, v.last)
	}
	return mercer.View{Name: v.name, First: first, Last: last}, err
}

// named are the columns whose names begin with the prefix.
func (v view) named(set *data.Set) (mercer.View, error) {
	out := mercer.View{Name: v.name}
	for i, name := range set.Features {
		if !strings.HasPrefix(name, v.prefix) {
			continue
		}
		if out.First == 0 {
			out.First = i + 1
		} else if out.Last != i {
			return out, &fault{
				file: set.Source,
				what: fmt.Sprintf("--view %s=%s*: columns %s and %s are not side by side; move them together",
					v.name, v.prefix, set.Features[out.Last-1], name),
			}
		}
		out.Last = i + 1
	}
	if out.First == 0 {
		return out, &fault{
			file: set.Source, what: fmt.Sprintf("--view %s=%s*: no column's name begins so; give a prefix of some", v.name, v.prefix),
		}
	}
	return out, nil
}

// ownView is the name of the data's own columns where the views are files.
const ownView = "data"

// withViews joins the columns of view files to a set and returns where each view is. Beside
// views in files the data's own columns are one, unless views of them are named.
func (e *env) withViews(set *data.Set, s source, t talk) (*data.Set, []mercer.View, error) {
	list, err := s.views()
	if err != nil {
		return nil, nil, err
	}
	for _, v := range list {
		if err := noFolder(v.file); err != nil {
			return nil, nil, err
		}
	}
	plain := *set
	var views []mercer.View
	if slices.ContainsFunc(list, func(v view) bool { return v.file != "" }) &&
		!slices.ContainsFunc(list, func(v view) bool { return v.file == "" || v.name == ownView }) {
		views = append(views, mercer.View{Name: ownView, First: 1, Last: set.Rows.Dim()})
	}
	for _, v := range list {
		if v.file == "" {
			at, err := v.columns(&plain)
			if err != nil {
				return nil, nil, err
			}
			views = append(views, at)
			continue
		}
		joined, err := e.beside(set, v, read.Options{}, s, t)
		if err != nil {
			return nil, nil, err
		}
		views = append(views, mercer.View{Name: v.name, First: set.Rows.Dim() + 1, Last: joined.Rows.Dim()})
		set = joined
	}
	return set, views, nil
}

// beside reads the file of a view and puts its columns behind those of the set.
func (e *env) beside(set *data.Set, v view, want read.Options, s source, t talk) (*data.Set, error) {
	o := s.options(e)
	o.Want, o.Dim, o.Missing = want.Want, want.Dim, true
	o.Label, o.LabelOptional, o.LabelNamed = set.LabelName, true, true
	if set.Features == nil {
		o.Label = ""
	}
	more, err := e.open(v.file, o, t)
	if err != nil {
		return nil, err
	}
	if a, b := set.Rows.Len(), more.Rows.Len(); a != b {
		return nil, &fault{
			file: more.Source,
			what: fmt.Sprintf("%d rows, %s has %d; a view has one row for each, in the same order", b, set.Source, a),
		}
	}
	out := *set
	out.Rows = set.Rows.Beside(apply.Form(more.Rows, set.Rows.IsSparse()))
	if set.Features != nil && more.Features != nil {
		out.Features = slices.Clone(set.Features)
		for _, f := range more.Features {
			out.Features = append(out.Features, v.name+"."+f)
		}
	}
	return &out, nil
}

// openViews reads rows for a model whose views came from files: the data's own columns, then
// those of every --view NAME=FILE.
func (e *env) openViews(m *model.Model, name string, o read.Options, s source, t talk) (*data.Set, error) {
	var recipe mercer.Recipe
	if err := json.Unmarshal(m.Recipe, &recipe); err != nil {
		return nil, err
	}
	list, err := s.views()
	if err != nil {
		return nil, err
	}
	own := m.Columns
	var files []view
	for _, v := range list {
		at := slices.IndexFunc(recipe.Views, func(r mercer.View) bool { return r.Name == v.name })
		if at < 0 || v.file == "" {
			return nil, usage("--view %s: the model has no view of that name to be given as a file", v.name)
		}
		v.first, v.last = strconv.Itoa(recipe.Views[at].First), strconv.Itoa(recipe.Views[at].Last)
		own = min(own, recipe.Views[at].First-1)
		files = append(files, v)
	}
	slices.SortFunc(files, func(a, b view) int {
		x, _ := strconv.Atoi(a.first)
		y, _ := strconv.Atoi(b.first)
		return x - y
	})
	if m.Features != nil {
		o.Want = m.Features[:own]
	}
	o.Dim = own
	set, err := e.open(name, o, t)
	if err != nil {
		return nil, err
	}
	if set.Rows.IsSparse() && set.Rows.Sparse.C < own {
		set.Rows.Sparse.C = own
	}
	for _, v := range files {
		first, _ := strconv.Atoi(v.first)
		last, _ := strconv.Atoi(v.last)
		if first != set.Rows.Dim()+1 {
			return nil, usage("--view %s: the model's views came from several files; give all of them", v.name)
		}
		want := read.Options{Dim: last - first + 1}
		if m.Features != nil {
			for _, f := range m.Features[first-1 : last] {
				want.Want = append(want.Want, strings.TrimPrefix(f, v.name+"."))
			}
		}
		if set, err = e.beside(set, v, want, s, t); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// kernelFlags takes apart what was given as --kernel: one for all, and others, NAME=SPEC, for views.
func kernelFlags(list []string) (one string, views map[string]string, err error) {
	for _, text := range list {
		name, spec, ok := strings.Cut(text, "=")
		switch {
		case !ok || strings.ContainsAny(name, "(["):
			if one != "" {
				return "", nil, usage("--kernel %s and --kernel %s: give one, or NAME=SPEC for each view", one, text)
			}
			one = text
		case name == "" || spec == "" || views[name] != "":
			return "", nil, usage("--kernel %s: give each view one kernel, as in --kernel words=linear", text)
		default:
			if views == nil {
				views = map[string]string{}
			}
			views[name] = spec
		}
	}
	return one, views, nil
}

// withKernels gives the views the kernels that were named for them.
func (c *teaching) withKernels(r *mercer.Recipe) error {
	for name, spec := range c.kernels {
		at := slices.IndexFunc(r.Views, func(v mercer.View) bool { return v.Name == name })
		if at < 0 {
			return usage("--kernel %s=%s: there is no view %s; name one of --view, or give --kernel %s for all", name, spec, name, spec)
		}
		if m, ok := method.Find(r.Method); ok && !m.Supports(nil).Views {
			return usage("--kernel %s=%s: method %s has one kernel for all views; give --kernel %s, or choose --method %s",
				name, spec, m.ID, spec, setting.Or(method.IDs(func(m method.Method) bool { return m.Supports(nil).Views })))
		}
		r.Views[at].Kernel = spec
	}
	return nil
}
