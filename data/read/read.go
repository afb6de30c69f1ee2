// Package read reads sets of rows from CSV and LIBSVM text, plain or gzipped, on all
// processors and without holding the text, and the files that say which rows keep
// their labels. Every fault is an *Error with file, line and column.
//
// A new format of text is a reader here. What a fault says (file, line, column, remedy) is
// decided here for all of them.
package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/oserror"
)

// Error is a fault of a file. Line and Column count from 1, 0 = does not apply.
// Column is the field of the record in CSV, the byte of the line elsewhere.
type Error struct {
	File         string
	Line, Column int
	What, Remedy string

	cell   bool // a feature's cell is no number
	header bool // the line that names the columns, or the first row in its place
}

// Error returns FILE:LINE:COLUMN: what; remedy, without the parts that do not apply.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": " + e.What)
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	// Names of columns and labels may hold line ends; the message is one line.
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, b.String())
}

// Words says whether the fault is a cell of a feature that is no number: the table may hold more than numbers (Look).
func (e *Error) Words() bool { return e.cell }

// Header says whether the fault is one of the line that names the columns, or of the first row in its place, without which no other
// row can be read.
func (e *Error) Header() bool { return e.header }

// Warning is what a reader found worth saying though it could go on.
type Warning struct {
	File string
	Line int // 0 = the file as a whole
	What string
	// Guess: it is what was guessed of the file and is not the usual, which Options.Strict refuses.
	Guess bool
}

// String returns FILE:LINE: what.
func (w Warning) String() string {
	return (&Error{File: w.File, Line: w.Line, What: w.What}).Error()
}

// Format of a file.
type Format string

// Formats. FormatAuto decides by the ending of the name, else by the first lines.
const (
	FormatAuto   Format = ""
	FormatCSV    Format = "csv"
	FormatLIBSVM Format = "libsvm"
	FormatARFF   Format = "arff"
	FormatJSON   Format = "jsonl" // objects, one a line or in a list
)

// Options of the readers. The zero value reads a set to learn from.
type Options struct {
	Format Format
	// Label names the CSV column of the answers. Default: label or target, else the
	// last one.
	Label string
	// LabelOptional accepts a set without answers; Answers is then nil.
	LabelOptional bool
	// LabelNamed, with LabelOptional, is for rows that may well have no answers: a CSV
	// column is one of answers if it is Label or is called label, target or class, or is the
	// last and begins with a word.
	LabelNamed bool
	// Want are the features of a model: these CSV columns are read, in this order,
	// wherever they stand; the others are ignored with one warning. Nil = all but
	// the label.
	Want []string
	// Dim is the number of features of a model, 0 = as many as found. LIBSVM
	// entries beyond it are ignored with one warning; CSV must have as many.
	Dim int
	// Text reads documents, whose words become sparse columns (package internal/text): those of a column of CSV, in
	// which all others but the label are left out, or the files of a folder, which is read so without it too. Want
	// are then the words of a model, and what of the documents is not among them is a warning.
	Text *data.Text
	// Missing accepts CSV cells of features that are empty, ?, NA, NaN, null or None, as NaN, and of Want columns
	// that are not there, whose cells are all missing.
	Missing bool
	// Fill, in the order of Want, is what such cells count as in its place, which is then said; columns must be there.
	Fill []float64
	// Prepare understands columns of CSV that hold more than numbers (package internal/columns): it decides from all cells what each
	// is, and the set has the Table that says so. A table of numbers alone has none, unless a column of it counts the
	// rows. Not of streams.
	Prepare bool
	// Part is for one of several files that together are a table to learn from: what Prepare does with each row by itself is done, while
	// what the columns are is decided from all files (Look, Seen.Decide). Columns without a name get one, as with Want and Table too:
	// "unnamed 1" the first. Rows without any value are left out.
	Part bool
	// Until is the line at which the rows end, 0 = with the text (Seen.Ends).
	Until int
	// Describe, with Prepare: the set has a Table in any case, which says what is done with columns of numbers too.
	Describe bool
	// Given, with Prepare, are columns as the user wants them; with Table, those of the kinds id, weight and group are that where no option
	// names others, if they are there.
	Given []data.Column
	// Numbers, with Seen.Decide: the table is known to hold numbers alone, so none of its columns is taken for an id or
	// left out. Prepare finds that out by itself.
	Numbers bool
	// Table is that of a model: cells become numbers as it says. Its features take the place of Want.
	Table *data.Table
	// Drop are columns that are no features; Features, if there are any, are all that are. Names, FIRST..LAST in the
	// order of the file, or PREFIX*.
	Drop, Features []string
	// ID, Weight and Group name columns that are no features either: what rows are called, the weights of their losses, and
	// what rows folds keep together. Of a set to predict a column of that name need not be there.
	ID, Weight, Group string
	// Order names a column of numbers or dates by which rows are in order (data.Set.Order); it is no feature either.
	Order string
	// UnlabelledMark is the answer that means unlabelled, as "0"; it is read as "".
	UnlabelledMark string
	// MemoryLimit bounds the bytes of rows and answers, the copies made of them included, but
	// not the few blocks of text at work; 0 = no limit. Of a stream it bounds one batch.
	MemoryLimit int64
	// Formats are further ones, beside those that this package knows.
	Formats []Further
	// Stdin is what "-" reads; nil = os.Stdin.
	Stdin io.Reader

	// Dialect is what is known of the dialect of CSV, and Strict refuses guesses of it that are not the usual ones.
	Dialect Dialect
	Strict  bool
	// Marks, with Prepare, are cells that stand for missing ones beside those that always do: VALUE, or COLUMN=VALUE.
	Marks []string

	dialect *dialect // of the text, once it is known
	found   *dialect // of the same text, as it was found when it was looked at; nil: it was not

	written bool // by this program, as what a file of another format holds

	look *profiler // looks at the cells of CSV, in the place of a reader
}

// Open reads the set called name: "-" is standard input, a
// built-in set or generator is known by its name, anything else is a file
// (.csv, .tsv, .svm, .libsvm, .svmlight; others, as standard input, by their first lines;
// each also .gz). A folder has documents, one a file: those in each of its sub-folders are of one class, those in one
// called unlabelled of none. The error is that of the context soon after it has ended, even while a
// pipe gives nothing.
func Open(ctx context.Context, name string, o Options) (*data.Set, []Warning, error) {
	if !o.Prepare {
		return wholeSet(func(to *sink) error { return readNamed(ctx, name, o, to) })
	}
	var set *data.Set
	var said []Warning
	var err error
	if o.Text == nil && !isFolder(name) {
		set, said, err = prepared(ctx, name, o)
	} else {
		set, said, err = wholeSet(func(to *sink) error { return readNamed(ctx, name, o, to) })
	}
	if err == nil && o.UnlabelledMark != "" && len(set.Answers) > 0 && !slices.Contains(set.Answers, "") {
		said = append(said, Warning{File: set.Source, What: fmt.Sprintf("--unlabelled-mark %s: no label is %[1]s, so every row has a label",
			brief.Flagged(o.UnlabelledMark))})
	}
	return set, said, err
}

// readNamed hands the rows of the set called name on.
func readNamed(ctx context.Context, name string, o Options, to *sink) error {
	switch {
	case data.IsBuiltin(name):
		return builtin(ctx, name, o, to)
	case isFolder(name):
		return readFolder(ctx, name, o, to)
	}
	if o.Format = cmp.Or(o.Format, o.formatOf(name)); o.Format == FormatLIBSVM && o.Text != nil {
		return noText(name)
	}
	if name == "-" {
		in := o.Stdin
		if in == nil {
			in = os.Stdin
		}
		return parse(ctx, in, "standard input", o, cutting{}, to)
	}
	f, err := openFile(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return parse(ctx, f, name, o, cutting{}, to)
}

// parse reads text of a format, or of the format that its first lines show.
func parse(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	text, err := plain(ctx, in, file)
	if err != nil {
		return err
	}
	defer text.close()
	if o.Format == FormatAuto || o.isFurther() {
		head, _ := text.Peek(64) // a shorter file is none of a further format
		if f := o.further(head); f != nil {
			return readFurther(ctx, f, text, file, o, to)
		}
		if o.Text != nil {
			o.Format = sniffDocuments(text.Reader)
		} else if o.Format, err = sniff(text.Reader, file); err != nil {
			return err
		}
	}
	if o.Dialect.Sheet != "" {
		return noSheet(file)
	}
	c = c.within(o.MemoryLimit)
	switch o.Format {
	case FormatCSV:
		said := to
		if o.look != nil {
			said = nil
		}
		text, o, err := dialected(ctx, text, file, o, said)
		if err != nil {
			return err
		}
		if o.look != nil {
			return o.look.read(ctx, text, o.dialect, c)
		}
		if o.Text != nil {
			return readTexts(ctx, text, file, o, c, to)
		}
		return readCSV(ctx, text, file, o, c, to)
	case FormatARFF:
		if err := o.csvOnly(file, "ARFF", cutBy()...); err != nil {
			return err
		}
		return readARFF(ctx, text, file, o, c, to)
	case FormatJSON:
		if err := o.csvOnly(file, "JSON", cutBy()...); err != nil {
			return err
		}
		return readJSONLines(ctx, text, file, o, c, to)
	case FormatLIBSVM:
		if o.Text != nil {
			return noText(file)
		}
		if o.chooses() {
			return &Error{File: file, What: "columns of LIBSVM text have no names, by which some are chosen or described",
				Remedy: "give CSV"}
		}
		if err := o.csvOnly(file, "LIBSVM text"); err != nil {
			return err
		}
		if o.look != nil {
			return &Error{File: file, What: "its columns are numbered, and are learned from as they are",
				Remedy: "give CSV to have columns described"}
		}
		return readLIBSVM(ctx, text, file, o, c, to)
	}
	return &Error{File: file, What: fmt.Sprintf("unknown format %q", o.Format), Remedy: "use csv, libsvm, arff or jsonl"}
}

// noText refuses to read documents from a format that has none.
func noText(file string) error {
	return &Error{File: file, What: "text is read from CSV or from a folder", Remedy: "leave out --text, or give such data"}
}

// formatOf tells the format by the ending of a name, FormatAuto if that is another.
func formatOf(name string) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".csv", ".tsv":
		return FormatCSV
	case ".svm", ".libsvm", ".svmlight":
		return FormatLIBSVM
	case ".arff":
		return FormatARFF
	case ".json", ".jsonl", ".ndjson":
		return FormatJSON
	}
	return FormatAuto
}

func openFile(ctx context.Context, name string) (*os.File, error) {
	f, err := await.Open(ctx, name)
	if isStop(err) {
		return nil, err
	}
	if errors.Is(err, fs.ErrNotExist) && formatOf(name) == FormatAuto {
		var sets []string
		for _, one := range data.List() {
			sets = append(sets, one.Name)
		}
		what := "no such file or built-in set" + brief.Suggest(name, sets)
		return nil, &Error{File: name, What: what, Remedy: "mercer data lists the built-in sets"}
	}
	if err != nil {
		return nil, &Error{File: name, What: oserror.Text(err), Remedy: "check the name and its permissions"}
	}
	return f, nil
}

// builtin hands on an embedded or generated set. One to be matched to a model, or
// with another label, goes through the CSV reader, so that one rule serves all.
func builtin(ctx context.Context, name string, o Options, to *sink) error {
	if o.Text != nil {
		return &Error{File: name, What: "a built-in set has numbers, not text", Remedy: "leave out --text, or give CSV or a folder"}
	}
	if err := o.csvOnly(name, "a built-in set"); err != nil {
		return err
	}
	s, err := data.BuiltinWithin(ctx, name)
	if isStop(err) {
		return err
	}
	if err != nil {
		return &Error{File: name, What: err.Error()}
	}
	if o.Want == nil && o.Dim == 0 && o.UnlabelledMark == "" && (o.Label == "" || o.Label == s.LabelName) && !o.chooses() && o.look == nil {
		return to.cut(ctx, s)
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, s); err != nil {
		return &Error{File: name, What: err.Error()}
	}
	take := to.take
	to.take = func(out *data.Set) error {
		out.Name, out.Lines = s.Name, nil
		return take(out)
	}
	o.Format = FormatCSV
	return parse(ctx, &b, name, o, cutting{}, to)
}
