package read

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestTablesOfModels: rows for a model are read as its table says: answers that are amounts too, numbers by the decimal mark that is
// said, columns in any order, and no answers where it has none; a column that lacks, a cell that does not fit and bytes that are no text
// are refused with their place.
func TestTablesOfModels(t *testing.T) {
	fill, half := 1.0, 0.5
	table := data.NewTable([]data.Column{
		{Name: "size", Kind: data.KindNumber, Fill: &fill}, {Name: "town", Kind: data.KindCategory, Levels: []string{"Köln", "Ulm"}},
		{Name: "note", Kind: data.KindIgnored}, {Name: "old", Kind: data.KindYesNo, Levels: []string{"no", "yes"}, Fill: &half},
		{Name: "price", Kind: data.KindLabel, Amounts: true, Unit: "$", Thousands: true},
	})
	without := data.NewTable(table.Columns[:4])
	none := data.NewTable([]data.Column{{Name: "note", Kind: data.KindIgnored}, {Name: "price", Kind: data.KindLabel}})
	for _, c := range []struct {
		text string
		o    Options
		want string // rows and answers
	}{
		{"price,old,town,size\n\"$1,000\",yes,Ulm,1.5\n$20.50,no,K\xf6ln,2\n", Options{Table: table}, "[1.5 0 1 1 2 1 0 0] [1000 20.5]"},
		{"old;town;size;more\nyes;Ulm;1,5\nno;Bonn;2\n", Options{Table: table, LabelOptional: true}, ""},
		{"old;town;size\nyes;Ulm;1,5\nno;Bonn;2\n", Options{Table: table, LabelOptional: true}, "[1.5 0 1 1 2 0 0 0] []"},
		{"old,town,size,price\nyes,Ulm,1.5,x\nno,,,y\n", Options{Table: without}, "[1.5 0 1 1 1 0 0 0] []"},
		{"old|town|size\nyes|Ulm|1,234\nno|Ulm|2,345\n", Options{Table: without, Dialect: Dialect{Decimal: "comma"}},
			"[1.234 0 1 1 2.345 0 1 0] []"},
		{"old|town|size\nyes|Ulm|1.5\nno|Ulm|2.5\n", Options{Table: without, Dialect: Dialect{Decimal: "point"}}, "[1.5 0 1 1 2.5 0 1 0] []"},
	} {
		s, _, err := wholeOf(t, c.text, c.o)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q is read", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data, s.Answers); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	for want, c := range map[string]struct {
		text string
		of   *data.Table
	}{
		`:1: no column "town", which the model needs; columns are size, old, price; add it, or use a file with the columns of the training ` +
			`data`: {"size,old,price\n1,no,2\n", table},
		":1: no feature column; give at least one feature beside the label": {"note,price\na,1\n", none},
		`:3:2: column "size": "dear" is no number; correct it, or leave it empty`: {"town,size,old\nUlm,1,no\nUlm,dear,no\n",
			without},
		`:2:1: the cell "a\x00" is not text; save the file as UTF-8`:                           {"town,size,old\na\x00,1,no\n", without},
		`:2:2: column "size": "5 kg" has the unit kg, where none was learned from; convert it`: {"town,size,old\nUlm,5 kg,no\n", without},
	} {
		_, _, err := wholeOf(t, c.text, Options{Table: c.of})
		failtest.Refused(t, err, "standard input"+want)
	}
	_, _, err := wholeOf(t, "id,a,label\na\x00,1,x\n", Options{ID: "id"})
	failtest.Refused(t, err, `standard input:2:1: the cell "a\x00" is not text; save the file as UTF-8`)
}

// TestPreparedSources: a table is understood alike from a file, from standard input, which is read once, and from a set that is built in.
func TestPreparedSources(t *testing.T) {
	text := "town,size,label\n" + rowsOf(30, func(i int) string {
		return fmt.Sprintf("%s,%d.5,%s", []string{"Ulm", "Bonn"}[i%2], i*i%13, []string{"x", "y"}[i/2%2])
	}) + "Total,70,\n"
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, name := range []string{path, "-"} {
		s, w, err := Open(t.Context(), name, Options{Prepare: true, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer(path, "standard input").Replace(fmt.Sprintf("%+v %v %v %v", s.Rows.Dense.RawMatrix().Data, s.Answers,
			s.Lines, w))
		if want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if s.Rows.Len() != 30 || len(w) == 0 {
			t.Errorf("%s: %d rows, %v", name, s.Rows.Len(), w)
		}
	}
	plain, _, err := Open(t.Context(), "iris", Options{})
	if err != nil {
		t.Fatal(err)
	}
	described, _, err := Open(t.Context(), "iris", Options{Prepare: true, Describe: true, Given: []data.Column{{Name: "sepal_width",
		Kind: data.KindIgnored}}})
	if err != nil || !slices.Equal(described.Features, slices.Delete(slices.Clone(plain.Features), 1, 2)) || described.Table == nil ||
		!slices.Equal(described.Answers, plain.Answers) {
		t.Errorf("%v, %v", described, err)
	}
	enough := 0
	for _, err := range NewStream("iris", Options{}, 40).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if enough++; enough == 2 {
			break // of four
		}
	}
	if enough != 2 {
		t.Errorf("%d batches", enough)
	}
}

// TestDocumentsOfFolders: the documents are the rows of the set in their order, whatever is hidden or no file left out.
func TestDocumentsOfFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b/two.txt": "red dog", "a/one.txt": "red cat", "a/.hidden": "x", ".none/x": "x",
		"a/sub/z": "cat"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := os.Symlink(filepath.Join(dir, "absent"), filepath.Join(dir, "a", "link")) == nil
	list, err := Documents(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i], err = filepath.Rel(dir, list[i])
		list[i] = filepath.ToSlash(list[i])
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(list, []string{"a/one.txt", "a/sub/z", "b/two.txt"}) {
		t.Errorf("%q", list)
	}
	s, w, err := Open(t.Context(), dir, Options{})
	if err != nil || strings.Join(s.Answers, ",") != "a,a,b" || linked && len(w) != 1 {
		t.Errorf("%v, %v, %v", s, w, err)
	}
}

// TestChangedFiles: a file from which rows are missing, or that has other lines above its table, is not that of the set any more; a
// delimiter at the end of rows is no cell.
func TestChangedFiles(t *testing.T) {
	const text = "A title\na,b,label\n1,2,x,\n3,4,y,\n5,6,x,\n"
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := Open(t.Context(), path, Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	if cells, err := CellsOf(t.Context(), s); err != nil || len(cells.Rows) != 3 || len(cells.Rows[2]) != 3 || cells.Rows[2][1].Text != "6" {
		t.Errorf("%+v, %v", cells, err)
	}
	for _, other := range []string{"A title\na,b,label\n1,2,x,\n3,4,y,\n", text + "7,8,y\n", "A title\na,b,label\n1,2,x,\n\n3,4,y,\n5,6,x,\n",
		"A title\na,b,label\n1,2,x,\n3,4\n5,6,x,\n"} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := CellsOf(t.Context(), s)
		failtest.Refused(t, err, path+": the file has changed while it was read; try again")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CellsOf(t.Context(), s); err == nil {
		t.Error("an empty file has the cells of a set")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := CellsOf(t.Context(), s); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestLongFormsAgree: rows of other forms than CSV, which are written as such on their way, are the same however long the text is.
func TestLongFormsAgree(t *testing.T) {
	const n = 7000
	var csv, lines, arffText strings.Builder
	csv.WriteString("a,word,label\n")
	arffText.WriteString("@relation r\n@attribute a numeric\n@attribute word string\n@attribute label string\n@data\n")
	table := &cellTable{names: []string{"a", "word", "label"}, number: map[string]bool{"a": true}}
	for i := range n {
		row := []string{fmt.Sprintf("%d.25", i*i%977), strings.Repeat("word ", 30) + fmt.Sprint(i%5), []string{"x", "y"}[i%2]}
		csv.WriteString(strings.Join(row, ",") + "\n")
		fmt.Fprintf(&arffText, "%s,'%s',%s\n", row[0], row[1], row[2])
		fmt.Fprintf(&lines, "{\"a\":%s,\"word\":%q,\"label\":%q}\n", row[0], row[1], row[2])
		table.cells = append(table.cells, row)
	}
	want, _, err := Open(t.Context(), "-", Options{Prepare: true, Stdin: strings.NewReader(csv.String())})
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[Format]string{FormatJSON: lines.String(), FormatARFF: arffText.String(), "cells": "CELLS of a table"} {
		s, _, err := Open(t.Context(), "-", Options{Prepare: true, Format: form, Formats: []Further{table}, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if s.Rows.Len() != n || !slices.Equal(s.Answers, want.Answers) ||
			!slices.Equal(s.Rows.Dense.RawMatrix().Data, want.Rows.Dense.RawMatrix().Data) {
			t.Errorf("%s: %d rows are others", form, s.Rows.Len())
		}
	}
}

// TestRowsWithoutNames: rows for a model of a file without names may have none either, and the first of them is no name.
func TestRowsWithoutNames(t *testing.T) {
	for text, want := range map[string]string{"1,2\n3,4\n": "[1 2 3 4]", "1,2,k\n3,4,l\n": "[1 2 3 4]", "x1,x0\n1,2\n": "[2 1]"} {
		s, _, err := wholeOf(t, text, Options{Want: []string{"x0", "x1"}, LabelOptional: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	first := "{\"a\":\"" + strings.Repeat("x", 1<<17) + "\"}\n"
	_, _, err := Open(t.Context(), "-", Options{Format: FormatJSON, Stdin: strings.NewReader(first)})
	if err == nil || !strings.Contains(err.Error(), "standard input:1: a first line of more than ") ||
		!strings.HasSuffix(err.Error(), "; give objects of fewer keys, or CSV") {
		t.Errorf("%.200v", err)
	}
}

// TestFaultsOfNames: what cannot be read of the second line of names, or of the first row below them, is said with its place by all who
// read names: of rows, of documents and of a table that is looked at.
func TestFaultsOfNames(t *testing.T) {
	const torn = "a,b,label\n\"km,kg,\n1,2,x\n3,4,y\n"
	const open = ":2:1: quote never closed; close it, or double it where it is meant"
	for _, text := range []*data.Text{nil, {Column: "a"}} {
		_, _, err := wholeOf(t, torn, Options{Dialect: Dialect{Header: "2"}, Text: text})
		failtest.Refused(t, err, "standard input"+open)
	}
	_, _, err := readText(t, "body,y\x81,kind\nsome words,1,u\n", Options{Text: &data.Text{Column: "body"}})
	failtest.Refused(t, err, `f:1:2: column name "y\x81" is not text; save the file as UTF-8`)
	write := writer(t)
	for _, c := range []struct{ text, want string }{
		{"", ": no rows; give rows of data below a header line"}, {"a,b,label\n\"1,2,x\n", open},
	} {
		name := write("t.csv", c.text)
		_, err := Look(t.Context(), name, 0, Options{})
		failtest.Refused(t, err, name+c.want)
	}
}

// TestFaultsOfChangedFiles: a file that has changed so that it cannot be read is refused for what is wrong with it, also where all rows
// of the set stand above the fault.
func TestFaultsOfChangedFiles(t *testing.T) {
	const text, units = "a,b,label\n1,2,x\n3,4,y\n", "a,b,label\nkm,kg,\n1,2,x\n3,4,y\n"
	for _, c := range []struct{ text, header, changed, want string }{
		{text, "1", text + "5,\"6,x\n", ":4:2: quote never closed; "},
		{text, "1", "a\x81" + text[1:], `:1:1: column name "a\x81" is not text; `},
		{text, "1", "\x1f\x8bnothing", ": damaged gzip file: "},
		{units, "2", strings.Replace(units, "km", "\"km", 1), ":2:1: quote never closed; "},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, _, err := Open(t.Context(), path, Options{Prepare: true, Part: true, Dialect: Dialect{Header: c.header}})
		if err != nil {
			t.Fatal(err)
		}
		if cells, err := CellsOf(t.Context(), s); err != nil || len(cells.Rows) != 2 {
			t.Errorf("%q: %+v, %v", c.text, cells, err)
		}
		if err := os.WriteFile(path, []byte(c.changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := CellsOf(t.Context(), s); err == nil || !strings.HasPrefix(err.Error(), path+c.want) {
			t.Errorf("%q: %v, want %s", c.changed, err, c.want)
		}
	}
}

// TestFaultsByTheirNames: a quote that is closed in a later line, and then followed by text, is not one that is never closed; an empty
// file of JSON is said to be empty, and a file of rows that is not there not to be there.
func TestFaultsByTheirNames(t *testing.T) {
	_, _, err := wholeOf(t, "a,label\n1,\"x\ny\"z\n2,v\n", Options{})
	failtest.Refused(t, err, "standard input:2:2: text after the closing quote; double quotes within a quoted value")
	_, _, err = Open(t.Context(), "-", Options{Format: FormatJSON, Stdin: strings.NewReader("")})
	failtest.Refused(t, err, "standard input: empty file; give flat objects, one a line or in a list")
	path := filepath.Join(t.TempDir(), "none.csv")
	if _, err := LabelledRows(t.Context(), path, 3); err == nil || !strings.HasPrefix(err.Error(), path+": no such file") {
		t.Errorf("rows of no file: %v", err)
	}
}
