package read

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// sheet is a further format of cells, each as the reader of such files writes it.
type sheet struct{ cellTable }

func (s *sheet) Format() Format { return "sheet" }

func (s *sheet) WriteCSV(_ context.Context, _ File, w io.Writer) error {
	for _, row := range append([][]string{s.names}, s.cells...) {
		if _, err := fmt.Fprintln(w, strings.Join(row, ",")); err != nil {
			return err
		}
	}
	return nil
}

// typedForms are rows of a table in the forms that say which cells are numbers or truth; a cell that begins with ' is text.
func typedForms(names []string, rows [][]string) map[string]Options {
	texts := map[int]bool{} // columns that are text as a whole, as those of files of columns are
	for c := range names {
		for _, row := range rows {
			texts[c] = texts[c] || strings.HasPrefix(row[c], "'")
		}
	}
	of := cellTable{names: names, number: map[string]bool{}}
	cells := &sheet{cellTable{names: names}}
	var lines, arff strings.Builder
	for c, name := range names {
		of.number[name] = !texts[c] && rows[0][c] != "true" && rows[0][c] != "false"
		fmt.Fprintf(&arff, "@attribute %s %s\n", name, map[bool]string{true: "numeric", false: "string"}[of.number[name]])
	}
	arff.WriteString("@data\n")
	for _, row := range rows {
		var plain, quoted, values []string
		object := map[string]json.RawMessage{}
		for c, cell := range row {
			text, isText := strings.CutPrefix(cell, "'")
			value := text
			if isText {
				text = fmt.Sprintf("%q", text)
				value = fmt.Sprintf("'%s'", value)
			}
			object[names[c]] = json.RawMessage(text)
			plain, quoted, values = append(plain, strings.Trim(text, `"`)), append(quoted, text), append(values, value)
		}
		line, _ := json.Marshal(object) //nolint:errchkjson // cells are values
		fmt.Fprintf(&lines, "%s\n", line)
		fmt.Fprintln(&arff, strings.Join(values, ","))
		of.cells, cells.cells = append(of.cells, plain), append(cells.cells, quoted)
	}
	form := func(format Format, text string, f ...Further) Options {
		return Options{Format: format, Formats: f, Stdin: strings.NewReader(text)}
	}
	return map[string]Options{
		"jsonl": form(FormatJSON, lines.String()), "cells": form("cells", "CELLS of a table", &of), "sheet": form("sheet", "cells", cells),
		"arff": form(FormatARFF, "@relation r\n"+arff.String()),
	}
}

// TestTypedCells: what a file says to be a number is one with a decimal point, whatever marks the model or the texts beside it have; such
// texts are read as ever. Truth is the level that is spelled so in any case, and 1 or 0 among numbers.
func TestTypedCells(t *testing.T) {
	fill := 0.5
	german := data.NewTable([]data.Column{
		{Name: "preis", Kind: data.KindNumber, Decimal: ",", Thousands: true, Fill: &fill, Empty: []string{"-9,125"}, Missing: true},
		{Name: "b", Kind: data.KindNumber, Decimal: ",", Fill: &fill}, {Name: "c", Kind: data.KindNumber, Fill: &fill},
		{Name: "t", Kind: data.KindYesNo, Levels: []string{"False", "True"}, Fill: &fill},
	})
	names := []string{"preis", "b", "c", "t"}
	for _, c := range []struct {
		rows [][]string
		o    Options
		want string
	}{
		{[][]string{{"1.125", "0.5", "0.125", "true"}, {"-2e-3", "1", "2.5", "false"}}, Options{Table: german},
			"[1.125 0 0.5 0.125 1 -0.002 0 1 2.5 0]"},
		{[][]string{{"'1.125", "'0,5", "1", "'True"}, {"'12,5", "'1", "2", "'False"}}, Options{Table: german}, "[1125 0 0.5 1 1 12.5 0 1 2 0]"},
		{[][]string{{"1.125", "'0,5", "1.125", "true"}}, Options{Want: []string{"preis", "t"}}, "[1.125 1]"},
		{[][]string{{"true", "1", "1", "'True"}}, Options{Table: german}, "[1 0 1 1 1]"},
	} {
		for form, o := range typedForms(names, c.rows) {
			if form == "arff" && slices.Contains(slices.Concat(c.rows...), "true") {
				continue // which has words alone
			}
			o.Table, o.Want, o.LabelOptional = c.o.Table, c.o.Want, true
			s, _, err := Open(t.Context(), "-", o)
			if err != nil {
				t.Errorf("%s: %v: %v", form, c.rows, err)
			} else if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data); got != c.want {
				t.Errorf("%s: %v: %s, want %s", form, c.rows, got, c.want)
			}
		}
	}
}

// TestTypedColumns: numbers show nothing of the marks of texts, and are none of them.
func TestTypedColumns(t *testing.T) {
	var rows [][]string
	for i := range 12 {
		rows = append(rows, []string{fmt.Sprintf("'12,%d", i),
			fmt.Sprintf("%d.353", 1+i*i), fmt.Sprintf("'1.%d", 125+i), "'" + []string{"x", "y"}[i%2]})
	}
	rows[3][0], rows[4][0] = "0.5", "1.125"
	for form, o := range typedForms([]string{"a", "b", "c", "y"}, rows) {
		if form == "cells" || form == "arff" {
			continue // whose columns have one type
		}
		o.Prepare, o.Label = true, "y"
		s, _, err := Open(t.Context(), "-", o)
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		for i, want := range []float64{12, 12.1, 12.2, 0.5, 1.125, 12.5} {
			if got := s.Rows.Dense.At(i, 0); got != want {
				t.Errorf("%s: row %d has %g, want %g", form, i, got, want)
			}
		}
		for i := range rows {
			want, _ := strconv.ParseFloat(rows[i][1], 64)
			if got, text := s.Rows.Dense.At(i, 1), s.Rows.Dense.At(i, 2); got != want || text != float64(1125+i) {
				t.Errorf("%s: row %d has %g and %g", form, i, got, text)
			}
		}
	}
}

// TestTypedPercentages: a percentage of a sheet is that of CSV where percentages are learned from, and a fraction where none are.
func TestTypedPercentages(t *testing.T) {
	fill := 0.5
	table := data.NewTable([]data.Column{
		{Name: "a", Kind: data.KindNumber, Unit: "%", Decimal: ",", Fill: &fill}, {Name: "b", Kind: data.KindNumber, Decimal: ",", Fill: &fill},
		{Name: "y", Kind: data.KindLabel, Amounts: true, Unit: "%", Decimal: ","},
	})
	cells := &sheet{cellTable{names: []string{"a", "b", "y"}, cells: [][]string{{"53.125%", "7%", "1.5%"}, {`"53,5%"`, "0.5", "2%"}}}}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Table: table}, "[53.125 0.07 53.5 0.5] [1.5 2]"},
		{Options{Want: []string{"b"}, Label: "y"}, "[0.07 0.5] [0.015 0.02]"},
	} {
		c.o.Format, c.o.Formats, c.o.Stdin = "sheet", []Further{cells}, strings.NewReader("cells")
		s, _, err := Open(t.Context(), "-", c.o)
		if err != nil {
			t.Error(err)
		} else if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data, s.Answers); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for what, c := range map[string]struct {
		words string // begins the cells of the second column
		plain string // is the first cell
		want  float64
		unit  string
	}{"words": {"w", "0.125%", 0.125, "%"}, "numbers": {"", "0.125%", 0.00125, ""}, "some fractions": {"w", "0.25", 0.25, ""}} {
		of := cellTable{names: []string{"a", "b", "y"}}
		for i := range 12 {
			of.cells = append(of.cells, []string{fmt.Sprintf("%d.125%%", i*i), c.words + fmt.Sprint(i*i%7), fmt.Sprintf("%d%%", 1+7*i%5)})
		}
		of.cells[0][0] = c.plain
		s, _, err := Open(t.Context(), "-",
			Options{Prepare: true, Format: "sheet", Formats: []Further{&sheet{of}}, Stdin: strings.NewReader("cells")})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		unit := ""
		if s.Table != nil {
			unit = s.Table.Columns[0].Unit
		}
		scale := 1.0
		if c.unit == "" {
			scale = 0.01
		}
		if first, last := s.Rows.Dense.At(0, 0), s.Rows.Dense.At(11, 0); first != c.want || last != 121.125*scale ||
			s.Answers[0] != "0.01" || unit != c.unit {
			t.Errorf("%s: %g to %g %s and %s", what, first, last, unit, s.Answers[0])
		}
	}
}
