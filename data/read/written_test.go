package read

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// cellsAsText is a further format of cells that are written as CSV.
type cellsAsText struct {
	cellTable
	text  string
	sheet string // that was asked for
	err   error
}

func (c *cellsAsText) WriteCSV(_ context.Context, f File, w io.Writer) error {
	c.sheet = f.Sheet
	if err := c.check(f); err != nil {
		return err
	}
	if _, err := io.WriteString(w, c.text); err != nil {
		return err
	}
	return c.err
}

// TestWrittenCells: cells of a further format are read as the CSV that they are written as, cut by commas, so that another delimiter
// is refused; errors of who writes them name the file, and the name of a sheet is for them alone.
func TestWrittenCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.cells")
	if err := os.WriteFile(path, []byte("CELLS of a table"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "A title,,\na;b,c,label\n1,2.5,x\n-3,4,y\n5,\"6\",x\n7,8,y\n"
	for _, o := range []Options{{}, {Dialect: Dialect{Sheet: "s"}}} {
		for _, stdin := range []io.Reader{nil, strings.NewReader("CELLS of a table")} {
			cells := &cellsAsText{text: text}
			o.Formats, o.Stdin = []Further{cells}, stdin
			name := path
			if stdin != nil {
				name = "-"
			}
			set, warnings, err := Open(t.Context(), name, o)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(set.Features, "|") != "a;b|c" || set.Rows.Len() != 4 || set.Rows.Dense.At(2, 1) != 6 || set.Dialect != nil ||
				cells.sheet != o.Dialect.Sheet || len(warnings) != 1 {
				t.Errorf("%+v of sheet %q, %v", set, cells.sheet, warnings)
			}
		}
	}
	for flag, d := range map[string]Dialect{"delimiter ;": {Delimiter: ";"}, "quote none": {Quote: none}} {
		_, _, err := Open(t.Context(), path, Options{Dialect: d, Formats: []Further{&cellsAsText{text: text}}})
		failtest.Refused(t, err, path+": --"+flag+" says how CSV is written, and this is no CSV; leave it out, or give CSV")
	}
	cells := &cellsAsText{text: text, err: errors.New("the last row is cut off; fetch it again")}
	o := Options{Formats: []Further{cells}}
	_, _, err := Open(t.Context(), path, o)
	failtest.Refused(t, err, path+": the last row is cut off; fetch it again")
	cells.err = context.Canceled
	if _, _, err = Open(t.Context(), path, o); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), path) {
		t.Errorf("stopped, the error is %v", err)
	}
	cells.text, cells.err = "a,label\n1,x\n2\n", nil // who reads may have enough before who writes
	if _, _, err = Open(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), path+":3") {
		t.Errorf("of a short row the error is %v", err)
	}
}

// TestSheetsOfOthers: a sheet is asked for of spreadsheets alone.
func TestSheetsOfOthers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"t.csv": "a,label\n1,x\n", "t.svm": "1 1:1\n", "t.arff": "@relation r\n@attribute a numeric\n@data\n1\n", "t.jsonl": "{\"a\":1}\n",
		"t.cells": "CELLS of a table",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(t.Context(), path, Options{Dialect: Dialect{Sheet: "s"}, Formats: []Further{&cellTable{}}})
		failtest.Refused(t, err, path+": --sheet is for spreadsheets, and this is none that is read here; leave it out, or give .xlsx to "+
			"mercer-arrow")
	}
	_, _, err := Open(t.Context(), "-", Options{Format: "other", Stdin: strings.NewReader("a,label\n1,x\n")})
	failtest.Refused(t, err, `standard input: unknown format "other"; use csv, libsvm, arff or jsonl`)
}
