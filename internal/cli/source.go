package cli

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model"
)

// source are the flags that say how a file is read.
type source struct {
	Format         string   `help:"${source_format}" enum:"${formats}" default:"" placeholder:"${format_names}"`
	Label          string   `help:"${source_label}" placeholder:"COLUMN"`
	Text           string   `help:"${source_text}" placeholder:"COLUMN"`
	NGrams         *int     `name:"ngrams" help:"Up to N words in a row count as one, too (default 1)." placeholder:"N"`
	MinDocuments   *int     `name:"min-documents" help:"Leave out words of fewer than N documents (default 1)." placeholder:"N"`
	UnlabelledMark string   `help:"Label that means unlabelled, beside empty, ?, NA, N/A, #N/A, <NA>, NaN, null and None." placeholder:"VALUE"`
	View           []string `help:"${source_view}" placeholder:"NAME=..." sep:"none"`
	spelled
	memory
}

// files are those that the flags name.
func (s source) files() (list []string) {
	for _, v := range s.View {
		_, file, _ := strings.Cut(v, "=")
		list = append(list, file)
	}
	return list
}

// spelled are the flags that say how a file is written.
type spelled struct {
	arguments.Dialect
	Sheet string `help:"Sheet of a spreadsheet (.xlsx, which mercer-arrow reads)." placeholder:"NAME"`
}

// add tells the reader.
func (s spelled) add(o *read.Options) {
	o.Dialect = read.Dialect{Delimiter: s.Delimiter, Header: s.Header, Skip: s.Skip, Quote: s.Quote, Comment: s.Comment, Decimal: s.Decimal,
		Sheet: s.Sheet}
	o.Marks, o.Strict = s.Missing, s.Strict
}

// given says whether any of the flags was.
func (s spelled) given() bool { return s.Given() || s.Sheet != "" }

// tabular are the flags that say what columns are.
type tabular struct {
	chosen
	Weight  string `help:"Column of weights of rows." placeholder:"COLUMN"`
	Group   string `help:"Column of groups of rows, which folds keep whole." placeholder:"COLUMN"`
	Order   string `help:"Column of numbers or dates by which rows are in order: every fold looks forward." placeholder:"COLUMN"`
	Columns string `help:"What columns are, as mercer data FILE --json prints it." placeholder:"FILE"`
}

// chosen says which columns are features, wherever rows are read.
type chosen struct {
	Drop     []string `help:"Columns that are no features: NAME, FIRST..LAST, PREFIX*; separated by commas." placeholder:"COLS"`
	Features []string `help:"The only columns that are features." placeholder:"COLS"`
	ID       string   `name:"id" help:"Column of names of rows, carried into predictions." placeholder:"COLUMN"`
}

// choose tells the reader.
func (c chosen) choose(o *read.Options) { o.Drop, o.Features, o.ID = c.Drop, c.Features, c.ID }

// given says whether any of the flags was.
func (t tabular) given() bool {
	return len(t.Drop)+len(t.Features) > 0 || t.ID+t.Weight+t.Group+t.Order+t.Columns != ""
}

// add tells the reader what columns are.
func (t tabular) add(e *env, o *read.Options, views bool) error {
	t.choose(o)
	o.Weight, o.Group, o.Order = t.Weight, t.Group, t.Order
	if views {
		if t.Order != "" {
			return usage("--view with --order: descriptions of one thing are judged together; leave one of them out")
		}
		if len(t.Drop)+len(t.Features) > 0 || t.Columns != "" {
			return usage("--view with --drop, --features or --columns: views are columns of numbers; name those to use with --view")
		}
		return nil
	}
	o.Prepare = true
	if t.Columns == "" {
		return nil
	}
	var given columns.Described
	example := `give what mercer data FILE --json prints, as {"columns":[{"name":"size","kind":"ordered","levels":["S","M"]}]}`
	if err := readJSON(e.ctx, t.Columns, &given, "table", example); err != nil {
		return err
	}
	table := given.Table()
	if err := table.Check(); err != nil {
		return &fault{file: t.Columns, what: err.Error() + "; correct it"}
	}
	o.Given = table.Columns
	return nil
}

func (s source) options(e *env) read.Options {
	o := read.Options{
		Text:           s.words(),
		Format:         read.Format(s.Format),
		Label:          s.Label,
		UnlabelledMark: s.UnlabelledMark,
		Stdin:          e.stdin,
		MemoryLimit:    machine.Allowed(int64(s.Memory)),
		Formats:        e.Formats,
	}
	s.spelled.add(&o)
	return o
}

// words says how words are made of text, nil without a flag that asks for them.
func (s source) words() *data.Text {
	if s.Text == "" && s.NGrams == nil && s.MinDocuments == nil {
		return nil
	}
	t := &data.Text{Column: s.Text}
	if s.NGrams != nil {
		t.NGrams = *s.NGrams
	}
	if s.MinDocuments != nil {
		t.MinDocuments = *s.MinDocuments
	}
	return t
}

// isFolder says whether the set called name is a folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && !data.IsBuiltin(name)
}

// suits refuses flags that say nothing of the set called name, or of the others that go with it.
func (s source) suits(name string, others ...string) error {
	folder := isFolder(name)
	table := slices.ContainsFunc(others, func(name string) bool { return name != "" && !isFolder(name) })
	switch {
	case s.NGrams != nil && *s.NGrams < 1:
		return usage("--ngrams %d: must be at least 1", *s.NGrams)
	case s.MinDocuments != nil && *s.MinDocuments < 1:
		return usage("--min-documents %d: must be at least 1", *s.MinDocuments)
	case s.words() != nil && len(s.View) > 0:
		return usage("--view: words of text are one view; leave it out")
	case folder && (s.Text != "" && !table || s.Label != "" || s.Format != "" || len(s.View) > 0):
		return usage("%s is a folder of documents, whose labels are its sub-folders; leave out --text, --label, --format and --view", name)
	case !folder && s.Text == "" && s.words() != nil:
		return usage("--ngrams and --min-documents are of text; name its column with --text, or give a folder of documents")
	}
	return nil
}

// open reads a set and passes the reader's warnings on.
func (e *env) open(name string, o read.Options, t talk) (*data.Set, error) {
	set, warnings, err := e.read(name, o)
	e.warnOf(t, warnings)
	return set, err
}

// read is open whose warnings are not told yet.
func (e *env) read(name string, o read.Options) (*data.Set, []read.Warning, error) {
	if err := readable(name); err != nil {
		return nil, nil, err
	}
	o.Formats = e.Formats
	set, warnings, err := read.Open(e.ctx, name, o)
	if err != nil {
		return nil, nil, named(err, name, nil)
	}
	return set, warnings, nil
}

// warnOf passes the reader's warnings on.
func (e *env) warnOf(t talk, warnings []read.Warning) {
	for _, w := range warnings {
		e.warn(t, w.String())
	}
}

// further says whether a name ends as those of a further format.
func (p Program) further(name string) bool {
	return slices.ContainsFunc(p.Formats, func(f read.Further) bool {
		return slices.Contains(f.Endings(), strings.ToLower(filepath.Ext(name)))
	})
}

// readable refuses what is no name of a set.
func readable(name string) error {
	if name == "" {
		return usage("an empty name; name a file, or a set that mercer data lists")
	}
	return nil
}

// noFolder refuses a directory where a file is read.
func noFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &fault{file: path, what: "is a directory; name a file in it"}
	}
	return nil
}

// knows refuses flags that a model leaves no choice of.
func (s source) knows(m *model.Model, name string) error {
	switch {
	case s.NGrams != nil || s.MinDocuments != nil:
		return usage("--ngrams and --min-documents: a model has its own list of words; leave them out")
	case m.Text == nil && s.Text != "":
		return usage("--text %s: the model knows columns of numbers, not text; leave it out", s.Text)
	}
	return s.suits(name)
}

// openFor reads rows for a model; labels of the model's column are read where
// they are there.
func (e *env) openFor(m *model.Model, name string, s source, needLabels bool, t talk) (*data.Set, error) {
	if err := s.knows(m, name); err != nil {
		return nil, err
	}
	views, err := apply.ParseViews(s.View)
	if err != nil {
		return nil, err
	}
	files := apply.Files{Options: s.options(e), Views: views}
	set, err := files.For(e.ctx, m, name, needLabels)
	if err == nil {
		err = labelledFor(m, set, s.Label)
	}
	e.warnOf(t, files.Warnings)
	return set, named(err, "", nil)
}

// labelledFor refuses a column of labels that rows for a model do not have, but for the model's own, which new rows may lack.
func labelledFor(m *model.Model, set *data.Set, name string) error {
	if name == m.Label {
		return nil
	}
	return apply.Labelled(set, name)
}

// batchesFor are the rows of openFor, with or without labels, a batch after the other. Views in files of
// their own are joined row by row, for which all rows are read: they are one batch.
func (e *env) batchesFor(m *model.Model, name, id string, s source, t talk) iter.Seq2[*data.Set, error] {
	return func(yield func(*data.Set, error) bool) {
		if len(s.View) > 0 {
			yield(e.openFor(m, name, s, false, t))
			return
		}
		if err := errors.Join(readable(name), s.knows(m, name)); err != nil {
			yield(nil, err)
			return
		}
		o := apply.Options(m, s.options(e), false)
		o.ID = id
		stream := read.NewStream(name, o, apply.BatchRows)
		for batch, err := range stream.Batches(e.ctx) {
			if err == nil {
				err = labelledFor(m, batch, s.Label)
			}
			if err != nil {
				yield(nil, named(err, name, nil))
				return
			}
			if !yield(apply.Suited(m, batch)) {
				break
			}
		}
		e.warnOf(t, stream.Warnings())
	}
}

// loadModel reads a model file.
func (e *env) loadModel(path string) (*model.Model, error) {
	m, err := model.Load(e.ctx, path)
	if err == nil {
		return m, nil
	}
	var fe *model.FileError
	if errors.As(err, &fe) {
		return nil, &fault{file: path, what: fe.What + "; " + fe.Remedy}
	}
	return nil, named(err, path, nil)
}

// standard is the name of standard output where a file is asked for.
const standard = "-"

// save writes a model to a file or standard output; tables then go to stderr.
func (e *env) save(m *model.Model, path string) error {
	if path != standard {
		return named(m.Save(path), path, nil)
	}
	if err := replace.Held(e.stdout, m.Write); err != nil {
		return named(err, "standard output", nil)
	}
	e.stdout = e.stderr
	return nil
}
