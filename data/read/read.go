// Package read reads sets of rows from CSV and LIBSVM text, plain or gzipped, on all
// processors and without holding the text, and the files that say which rows keep
// their labels. Every fault is an *Error with file, line and column.
//
// A new format of text is a reader here. What a fault says (file, line, column, remedy) is
// decided here for all of them.
package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/data"
)

// Error is a fault of a file. Line and Column count from 1, 0 = does not apply.
// Column is the field of the record in CSV, the byte of the line elsewhere.
type Error struct {
	File         string
	Line, Column int
	What, Remedy string
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

// Warning is what a reader found worth saying though it could go on.
type Warning struct {
	File string
	Line int // 0 = the file as a whole
	What string
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
	// UnlabelledMark is the answer that means unlabelled, as "0"; it is read as "".
	UnlabelledMark string
	// MemoryLimit bounds the bytes of rows and answers, the copies made of them included, but
	// not the few blocks of text at work; 0 = no limit.
	MemoryLimit int64
	// Stdin is what "-" reads; nil = os.Stdin.
	Stdin io.Reader
}

// Open reads the set called name: "-" is standard input, a
// built-in set or generator is known by its name, anything else is a file
// (.csv, .tsv, .svm, .libsvm, .svmlight; others, as standard input, by their first lines;
// each also .gz).
func Open(name string, o Options) (*data.Set, []Warning, error) {
	if data.IsBuiltin(name) {
		return builtin(name, o)
	}
	if o.Format == FormatAuto {
		o.Format = formatOf(name)
	}
	if name == "-" {
		in := o.Stdin
		if in == nil {
			in = os.Stdin
		}
		return parse(in, "standard input", o)
	}
	f, err := openFile(name)
	if err != nil {
		return nil, nil, err
	}
	s, w, err := parse(f, name, o)
	_ = f.Close() // nothing was written
	return s, w, err
}

// parse reads text of a format, or of the format that its first lines show.
func parse(in io.Reader, file string, o Options) (*data.Set, []Warning, error) {
	return parseBlocks(in, file, o, cutting{})
}

func parseBlocks(in io.Reader, file string, o Options, c cutting) (*data.Set, []Warning, error) {
	if o.Format == FormatAuto {
		text, err := plain(in, file)
		if err != nil {
			return nil, nil, err
		}
		if o.Format, err = sniff(text.Reader, file); err != nil {
			return nil, nil, err
		}
		in = text
	}
	switch o.Format {
	case FormatCSV:
		return readCSV(in, file, o, c)
	case FormatLIBSVM:
		return readLIBSVM(in, file, o, c)
	}
	return nil, nil, &Error{File: file, What: fmt.Sprintf("unknown format %q", o.Format), Remedy: "use csv or libsvm"}
}

// formatOf tells the format by the ending of a name, FormatAuto if that is another.
func formatOf(name string) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".csv", ".tsv":
		return FormatCSV
	case ".svm", ".libsvm", ".svmlight":
		return FormatLIBSVM
	}
	return FormatAuto
}

func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && formatOf(name) == FormatAuto {
		return nil, &Error{File: name, What: "no such file or built-in set", Remedy: "mercer data lists the built-in sets"}
	}
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &Error{File: name, What: err.Error(), Remedy: "check the name and its permissions"}
	}
	return f, nil
}

// builtin returns an embedded or generated set. One to be matched to a model, or
// with another label, goes through the CSV reader, so that one rule serves all.
func builtin(name string, o Options) (*data.Set, []Warning, error) {
	s, err := data.Builtin(name)
	if err != nil {
		return nil, nil, &Error{File: name, What: err.Error()}
	}
	if o.Want == nil && o.Dim == 0 && o.UnlabelledMark == "" && (o.Label == "" || o.Label == s.LabelName) {
		return s, nil, nil
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, s); err != nil {
		return nil, nil, &Error{File: name, What: err.Error()}
	}
	out, w, err := CSV(&b, name, o)
	if err != nil {
		return nil, nil, err
	}
	out.Name, out.Lines = s.Name, nil
	return out, w, nil
}
