// Package shard knows files that together are one table: which they are, whether they have the same columns, and their
// rows in batches, bad lines left out where that is asked for.
//
// Change here what a shard may look like.
package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// Options say how shards are read. They travel to the workers as JSON.
type Options struct {
	Format         read.Format `json:"format,omitempty"`
	Label          string      `json:"label,omitempty"`
	UnlabelledMark string      `json:"unlabelled_mark,omitempty"`
	Drop           []string    `json:"drop,omitempty"`
	Features       []string    `json:"features,omitempty"`
	// Given are columns as the user wants them, of a table to learn from.
	Given []data.Column `json:"given,omitempty"`
	// Unlabelled rows need no labels: a column is one of labels if it is Label or is called so, or is the last and of words.
	Unlabelled bool `json:"unlabelled,omitempty"`
	// SkipBad is how many lines that cannot be read are left out, of all shards together.
	SkipBad int `json:"skip_bad,omitempty"`
	// Dialect is how CSV is cut, as far as it is known, of every shard; Marks are cells that stand for missing ones, of a table to learn
	// from; and Strict refuses guesses that are not the usual ones.
	Dialect read.Dialect `json:"dialect,omitzero"`
	Marks   []string     `json:"marks,omitempty"`
	Strict  bool         `json:"strict,omitempty"`

	Memory int64 `json:"memory,omitempty"` // bytes that a batch may take; 0: any number
}

// Reading are the options of package read for rows to learn from.
func (o Options) Reading() read.Options {
	return read.Options{
		Format: o.Format, Label: o.Label, UnlabelledMark: o.UnlabelledMark, Drop: o.Drop, Features: o.Features, Given: o.Given,
		Part: true, LabelOptional: o.Unlabelled, LabelNamed: o.Unlabelled, MemoryLimit: o.Memory, Formats: formats(),
		Dialect: o.Dialect, Marks: o.Marks, Strict: o.Strict,
	}
}

// formats are those of shards beside text.
func formats() []read.Further { return []read.Further{tables.Parquet{}} }

// Expand lists the files that patterns name, sorted, each once. A pattern that names none, or a folder, is an error.
func Expand(patterns []string) ([]string, error) {
	var files []string
	for _, p := range patterns {
		list, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("%s: is no pattern of names; write it as in 'shards/*.csv'", p)
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s: no such file; check the pattern, and quote it so that the shell leaves it alone", p)
		}
		files = append(files, list...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s: is a folder; name its files, as in '%s'", f, filepath.Join(f, "*"))
		}
	}
	return files, nil
}

// Table is what shards have in common.
type Table struct {
	Shards    []string // those with rows, in order
	Features  []string // nil where columns are numbered (LIBSVM)
	LabelName string
	Sparse    bool
	Words     bool     // the first row of some shard holds more than numbers
	Empty     []string // shards without a row
	Warnings  []read.Warning
}

// Survey looks at the first row of every shard. Shards must have the same columns, in any order of names, and be all LIBSVM
// text or all CSV or Parquet. Cost: the first block of every file.
func Survey(ctx context.Context, files []string, o Options) (*Table, error) {
	t := &Table{}
	first := ""
	for _, f := range files {
		set, warnings, err := head(ctx, f, o)
		t.Warnings = append(t.Warnings, warnings...)
		var fault *read.Error
		if errors.As(err, &fault) && fault.Words() {
			t.Words = true
			set, err = named(ctx, f, o)
		}
		if err != nil {
			return nil, err
		}
		if set == nil {
			t.Empty = append(t.Empty, f)
			continue
		}
		t.Shards = append(t.Shards, f)
		if first == "" {
			first, t.Features, t.LabelName, t.Sparse = f, set.Features, set.LabelName, set.Rows.IsSparse()
			continue
		}
		if set.Rows.IsSparse() != t.Sparse {
			text, table := first, f
			if !t.Sparse {
				text, table = f, first
			}
			return nil, fmt.Errorf("%s: is LIBSVM text, and %s a table with named columns; give shards of one kind", text, table)
		}
		if what := differs(t, set); what != "" {
			return nil, fmt.Errorf("%s: has other columns than %s: %s; give shards of one table, or choose columns with --features",
				f, first, what)
		}
	}
	if first == "" {
		return nil, fmt.Errorf("%s: none of the shards has a row; give rows of data", files[0])
	}
	return t, nil
}

// head is the first row of a shard, nil if it has none. A bad first row is left out where that is allowed, for its header
// shows the columns.
func head(ctx context.Context, file string, o Options) (*data.Set, []read.Warning, error) {
	var set *data.Set
	notes, err := Each(ctx, file, o, o.Reading(), 1, Taker{Begin: func() { set = nil }, Batch: func(s *data.Set) error {
		one := *s
		one.Features = slices.Clone(s.Features)
		set = &one
		return errEnough
	}})
	if errors.Is(err, errEnough) {
		return set, notes.Warnings, nil
	}
	return nil, nil, err
}

// named is a row of which nothing but the names of the columns is known.
func named(ctx context.Context, file string, o Options) (*data.Set, error) {
	seen, err := read.Head(ctx, file, o.Reading())
	if err != nil {
		return nil, err
	}
	names := seen.Features()
	return &data.Set{Features: names, LabelName: seen.Label(), Rows: data.Rows{Dense: mat.NewDense(1, len(names), nil)}}, nil
}

// differs says what columns of a set are not those of the table, "" if none.
func differs(t *Table, set *data.Set) string {
	if set.LabelName != t.LabelName {
		return fmt.Sprintf("its labels are in column %q, not %q", set.LabelName, t.LabelName)
	}
	for _, name := range t.Features {
		if !slices.Contains(set.Features, name) {
			return fmt.Sprintf("it has no %q", name)
		}
	}
	for _, name := range set.Features {
		if !slices.Contains(t.Features, name) {
			return fmt.Sprintf("it has %q besides", name)
		}
	}
	return ""
}

// IsEmpty says whether a reader found no row at all.
func IsEmpty(err error) bool {
	var e *read.Error
	return errors.As(err, &e) && slices.ContainsFunc([]string{"empty file", "a header but no rows", "a table without rows"},
		func(what string) bool { return strings.HasPrefix(e.What, what) })
}
