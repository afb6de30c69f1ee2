package read

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// cellTable is a further format of one table, of which columns in numbers are read as such.
type cellTable struct {
	names  []string
	number map[string]bool
	refuse map[string]string
	cells  [][]string
	rows   int64 // that it says it has
	fails  error // after the first batch
	opens  error
	wanted []int // columns that were asked for last
	closed bool
}

func (c *cellTable) Format() Format                { return "cells" }
func (c *cellTable) Endings() []string             { return []string{".cells"} }
func (c *cellTable) Begins(head []byte) bool       { return bytes.HasPrefix(head, []byte("CELLS")) }
func (c *cellTable) Open(f File) (Columnar, error) { return c, errors.Join(c.opens, c.check(f)) }
func (c *cellTable) Rows() int64                   { return c.rows }
func (c *cellTable) Close() error                  { c.closed = true; return nil }

func (c *cellTable) check(f File) error {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size))
	if string(text) != "CELLS of a table" {
		err = errors.Join(err, fmt.Errorf("the file has %q", text))
	}
	return err
}

func (c *cellTable) Columns() (list []FurtherColumn) {
	for _, name := range c.names {
		list = append(list, FurtherColumn{Name: name, Number: c.number[name], Refuse: c.refuse[name]})
	}
	return list
}

func (c *cellTable) Batches(_ context.Context, want []int) iter.Seq2[Batch, error] {
	c.wanted = want
	return func(yield func(Batch, error) bool) {
		for rows := range slices.Chunk(c.cells, 2) {
			if !yield(cellBatch(rows), nil) {
				return
			}
			if c.fails != nil {
				yield(nil, c.fails)
				return
			}
		}
	}
}

// cellBatch are some rows of a cellTable.
type cellBatch [][]string

func (b cellBatch) Len() int { return len(b) }

func (b cellBatch) Numbers(c int, to []float64, step int) (finite bool) {
	finite = true
	for i, row := range b {
		v, err := strconv.ParseFloat(row[c], 64)
		if err != nil {
			v = math.NaN()
		}
		to[i*step] = v
		finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return finite
}

func (b cellBatch) Text(to []byte, c, i int) []byte { return append(to, b[i][c]...) }

// csv is the text that the table would be as CSV, all in quotes but for numbers and cells that are missing.
func (c *cellTable) csv() string {
	var b strings.Builder
	for i, row := range append([][]string{c.names}, c.cells...) {
		for j, cell := range row {
			if _, number := data.Number(cell); i == 0 || !number && cell != "" || len(row) == 1 {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// inBoth reads a table from a file of cells and from one of CSV, and says what came of each.
func (c *cellTable) inBoth(t *testing.T, o Options) (cells, csv string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"t.cells": "CELLS of a table", "t.csv": c.csv()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.Formats = []Further{c}
	all := func(name string) string {
		s, w, err := Open(t.Context(), filepath.Join(dir, name), o)
		text := said(s, w, err)
		if err == nil {
			table, err := json.Marshal(s.Table)
			text += fmt.Sprintf("%q %v %q %v %s %v", s.ID, s.Weight, s.Group, s.Order, table, err)
		}
		return strings.ReplaceAll(strings.ReplaceAll(text, dir, ""), "t.csv", "t.cells")
	}
	return all("t.cells"), all("t.csv")
}

// TestFurtherFormats: a table of another format is read as the CSV text that it would be, whatever of it is asked for.
func TestFurtherFormats(t *testing.T) {
	plain := &cellTable{
		names: []string{"a", "b", "kind"}, number: map[string]bool{"a": true, "b": true},
		cells: [][]string{{"1", "2.5", "x"}, {"-3", "4e3", "y"}, {"5", "0.1", "x"}, {"6", "7", "y"}, {"8", "9", ""}},
	}
	gaps := &cellTable{
		names: []string{"a", "b", "label", "unused"}, number: map[string]bool{"a": true, "b": true}, rows: 5,
		cells: [][]string{{"1", "", "x", "."}, {"2", "3", "y", "."}, {"", "4", "x", "."}, {"5", "Inf", "y", "."}, {"6", "7", "x", "."}},
	}
	words := &cellTable{
		names: []string{"key", "town, or \"city\"", "size", "heavy", "group", "day", "label"}, rows: -1,
		number: map[string]bool{"size": true, "heavy": true},
		cells: [][]string{
			{"k1", "Ulm", "1", "2", "g", "2026-01-03", "x"}, {"k2", " Bonn, on Rhine", "2", "1", "h", "2026-01-02", "y"},
			{"k3", "Kiel \"old\" ", "3.5", "1", "g", "2026-01-01", "x"}, {"k4", "", "4", "0.5", "h", "2026-01-04", "y"},
			{"k5", "\tUlm", "", "3", "g", "2026-01-05", "x"}, {"k6", "Bonn\r", "6", "1", "", "2026-01-06", "y"},
		},
	}
	one := &cellTable{names: []string{"only"}, number: map[string]bool{"only": true}, cells: [][]string{{"1"}, {""}, {"3"}}}
	last := &cellTable{names: one.names, number: one.number, cells: [][]string{{""}, {"1"}, {"3"}, {""}}}
	lines := &cellTable{names: []string{"a\nb", "c", "label"}, cells: [][]string{{"1\n2", "3", "x"}, {"\n4", "\r", "y\n"}}}
	for _, c := range []struct {
		table *cellTable
		o     Options
		used  string // columns of which cells are asked for, where that is said
	}{
		{plain, Options{}, "[0 1 2]"}, {plain, Options{Label: "a"}, ""},
		{plain, Options{Want: []string{"b"}, LabelOptional: true, Label: "none"}, "[1]"}, {plain, Options{Want: []string{"b", "c"}}, ""},
		{plain, Options{Want: []string{"b", "c"}, Missing: true}, ""}, {plain, Options{Want: []string{"b", "a"}, Fill: []float64{1, 2}}, ""},
		{plain, Options{Want: []string{"b", "a"}, Fill: []float64{1, 2}, Marks: []string{"b=2.5"}}, ""},
		{plain, Options{Prepare: true}, ""}, {plain, Options{Drop: []string{"a"}}, "[1 2]"}, {plain, Options{ID: "kind", Label: "b"}, ""},
		{plain, Options{Dim: 3}, ""}, {plain, Options{UnlabelledMark: "x"}, ""},
		{plain, Options{Text: &data.Text{Column: "kind"}, Label: "a"}, ""}, {plain, Options{Text: &data.Text{Column: "none"}}, ""},
		{gaps, Options{}, ""}, {gaps, Options{Missing: true, Drop: []string{"unused"}, Label: "label"}, "[0 1 2]"},
		{gaps, Options{Want: []string{"b", "a"}, Fill: []float64{10, 20}, Label: "label"}, ""},
		{gaps, Options{Want: []string{"a"}, Fill: []float64{10}, Label: "label", Group: "unused"}, ""},
		{words, Options{}, ""}, {words, Options{Prepare: true}, ""},
		{words, Options{Prepare: true, ID: "key", Weight: "heavy", Group: "group", Order: "day"}, ""},
		{words, Options{Features: []string{"size"}, ID: "key", Weight: "heavy", Group: "group", Order: "day", Missing: true}, ""},
		{words, Options{Features: []string{"size"}, Weight: "size"}, ""}, {words, Options{Features: []string{"heavy"}, Weight: "key"}, ""},
		{words, Options{Text: &data.Text{Column: "town, or \"city\""}, Label: "label"}, ""},
		{lines, Options{Prepare: true}, ""}, {lines, Options{}, ""},
		{one, Options{LabelOptional: true, Label: "none", Missing: true}, ""}, {last, Options{LabelOptional: true, Missing: true}, ""},
		{one, Options{Prepare: true, LabelOptional: true}, ""},
	} {
		cells, csv := c.table.inBoth(t, c.o)
		if cells != csv {
			t.Errorf("%+v:\n%s\nas CSV\n%s", c.o, cells, csv)
		}
		if got := fmt.Sprint(c.table.wanted); c.used != "" && got != c.used {
			t.Errorf("%+v: columns %s are read, want %s", c.o, got, c.used)
		}
		if !strings.HasPrefix(cells, "error") && !c.table.closed {
			t.Errorf("%+v: the table stays open", c.o)
		}
	}
	if cells, _ := plain.inBoth(t, Options{}); !strings.Contains(cells, `columns ["a" "b"], label "kind", answers ["x" "y" "x" "y" ""]`) {
		t.Errorf("%s", cells)
	}
}

// TestFurtherFormatsByContent: a text that begins as a file of another format is read as one, from a pipe too.
func TestFurtherFormatsByContent(t *testing.T) {
	table := &cellTable{names: []string{"a", "label"}, number: map[string]bool{"a": true}, cells: [][]string{{"1", "x"}, {"2", "y"}}}
	for _, o := range []Options{{}, {Format: "cells"}} {
		o.Formats, o.Stdin = []Further{table}, strings.NewReader("CELLS of a table")
		if s, _, err := Open(t.Context(), "-", o); err != nil || s.Rows.Len() != 2 {
			t.Errorf("%q: %v", o.Format, err)
		}
	}
	s, _, err := Open(t.Context(), "-", Options{Formats: []Further{table}, Stdin: strings.NewReader("a,label\n5,x\n")})
	if err != nil || s.Rows.Dense.At(0, 0) != 5 {
		t.Errorf("CSV beside another format: %v", err)
	}
	_, _, err = Open(t.Context(), "-", Options{Formats: []Further{table}, Stdin: broken{strings.NewReader("CELLS of")}})
	if err == nil || err.Error() != "standard input: cannot be read: the disk is gone; give a file" {
		t.Errorf("half a file: %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, "CELLS of a table"+strings.Repeat(" ", 64))
		cancel()
	}()
	_, _, err = Open(stopped, "-", Options{Formats: []Further{table}, Stdin: in})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	_ = out.Close()
}

// TestFurtherFaults: what is wrong with a table of another format is said of the file, and ends the reading.
func TestFurtherFaults(t *testing.T) {
	rows := [][]string{{"1", "x"}, {"2", "y"}, {"3", "x"}}
	number := map[string]bool{"a": true}
	names := []string{"a", "label"}
	for _, c := range []struct {
		table cellTable
		o     Options
		want  string
	}{
		{cellTable{opens: errors.New("a damaged file; fetch it again")}, Options{}, "a damaged file; fetch it again"},
		{cellTable{}, Options{}, "no columns; give a table with named columns"},
		{cellTable{names: names, number: number}, Options{}, "a table without rows; give rows of data"},
		{cellTable{names: names}, Options{Prepare: true}, "a table without rows; give rows of data"},
		{cellTable{names: names, number: number, cells: rows, fails: errors.New("torn; mend it")}, Options{}, "torn; mend it"},
		{cellTable{names: names, cells: rows, fails: errors.New("torn; mend it")}, Options{Prepare: true}, "torn; mend it"},
		{cellTable{names: names, number: number, cells: rows, fails: context.DeadlineExceeded}, Options{}, "context deadline exceeded"},
		{cellTable{names: names, number: number, cells: rows, refuse: map[string]string{"a": "a list; unfold it"}}, Options{},
			`column "a": a list; unfold it`},
		{cellTable{names: names, number: number, cells: rows}, Options{Dialect: Dialect{Sheet: "one"}},
			"--sheet is for spreadsheets, and this is none that is read here; leave it out, or give .xlsx to mercer-arrow"},
		{cellTable{names: names, number: number, cells: rows}, Options{MemoryLimit: 20},
			"reading on needs 512 B of memory, over the limit of 20 B; raise --memory, or use fewer rows or columns"},
		{cellTable{names: names, number: number, cells: [][]string{{"1", "x\x00"}}}, Options{},
			`label "x\x00" is not text; save it as UTF-8`},
	} {
		c.o.Formats, c.o.Stdin, c.o.Format = []Further{&c.table}, strings.NewReader("CELLS of a table"), "cells"
		_, _, err := Open(t.Context(), "-", c.o)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, stop := c.table.fails.(interface{ Timeout() bool }); !stop && !strings.HasPrefix(fmt.Sprint(err), "standard input:") {
			t.Errorf("the fault is not said of the file: %v", err)
		}
	}
	unused := cellTable{names: []string{"a", "b", "label"}, number: number, refuse: map[string]string{"b": "a list; unfold it"},
		cells: [][]string{{"1", "?", "x"}, {"2", "?", "y"}}}
	o := Options{Formats: []Further{&unused}, Stdin: strings.NewReader("CELLS of a table"), Drop: []string{"b"}}
	if s, _, err := Open(t.Context(), "-", o); err != nil || s.Rows.Dim() != 1 {
		t.Errorf("a column that is not used: %v", err)
	}
}

// TestFirstColumnOfTexts: texts are no numbers, whatever the column's place and whatever another reader would take them for.
func TestFirstColumnOfTexts(t *testing.T) {
	table := &cellTable{names: []string{"a", "label"}, cells: [][]string{{"0x1p4", "x"}, {"2", "y"}}}
	cells, csv := table.inBoth(t, Options{})
	if cells != csv || !strings.Contains(cells, `"0x1p4" is no number`) {
		t.Errorf("%s\nas CSV\n%s", cells, csv)
	}
}

// stopping is a cellTable that ends the context with each batch that it gives, and goes on.
type stopping struct {
	cellTable
	stop  func()
	given int
}

func (s *stopping) Open(File) (Columnar, error) { return s, nil }

func (s *stopping) Batches(context.Context, []int) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for range 9 {
			s.stop()
			if s.given++; !yield(cellBatch(s.cells), nil) {
				return
			}
		}
	}
}

// TestFurtherFormatsInTime: a table of numbers is left with the batch in which the context ends, though its reader goes on, and with one
// that needs more memory than is allowed.
func TestFurtherFormatsInTime(t *testing.T) {
	plain := cellTable{names: []string{"a", "label"}, number: map[string]bool{"a": true}, cells: [][]string{{"1", "x"}, {"2", "y"}}}
	ctx, cancel := context.WithCancel(t.Context())
	table := &stopping{cellTable: plain, stop: cancel}
	o := Options{Format: "cells", Formats: []Further{table}, Stdin: strings.NewReader("CELLS of a table")}
	if _, _, err := Open(ctx, "-", o); !errors.Is(err, context.Canceled) || table.given != 1 {
		t.Errorf("after %d batches: %v", table.given, err)
	}
	o.Formats, o.Stdin, o.MemoryLimit = []Further{&plain}, strings.NewReader("CELLS of a table"), 10
	_, _, err := Open(t.Context(), "-", o)
	const want = "standard input:1: reading on needs 16 B of memory, over the limit of 10 B; raise --memory, or use fewer rows or columns"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
