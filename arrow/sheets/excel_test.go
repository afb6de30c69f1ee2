package sheets_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/mercer-ml/mercer/arrow/sheets"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/cli"
)

// book writes a workbook: a table below a title, with dates, numbers and words, and a sheet of notes where that is wanted.
func book(t *testing.T, notes bool) string {
	t.Helper()
	x := excelize.NewFile()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(x.SetSheetName("Sheet1", "Data"))
	day, err := x.NewStyle(&excelize.Style{NumFmt: 14})
	must(err)
	money := "#,##0.00 \"dollars\""
	amount, err := x.NewStyle(&excelize.Style{CustomNumFmt: &money})
	must(err)
	must(x.SetCellValue("Data", "A1", "Report of the year"))
	must(x.SetSheetRow("Data", "A3", &[]any{"when", "size", "note, long", "kind"}))
	for i := range 20 {
		row := []any{44197 + 3*i, 1234.5 + float64(i*i%7)/3, []string{"red\nor so", "blue"}[i%2], []string{"a", "b"}[i%2]}
		cell, err := excelize.CoordinatesToCellName(1, 4+i)
		must(err)
		must(x.SetSheetRow("Data", cell, &row))
	}
	must(x.SetCellStyle("Data", "A4", "A23", day))
	must(x.SetCellStyle("Data", "B4", "B23", amount))
	_, err = x.NewSheet("Empty")
	must(err)
	if notes {
		_, err := x.NewSheet("Notes")
		must(err)
		must(x.SetCellValue("Notes", "B2", "by hand"))
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	must(x.SaveAs(path))
	return path
}

// TestExcel: a sheet is the table that it would be as CSV, its title passed over, its dates dates.
func TestExcel(t *testing.T) {
	o := read.Options{Prepare: true, Formats: []read.Further{sheets.Excel{}}}
	plain := "Report of the year,,,\n,,,\nwhen,size,\"note, long\",kind\n"
	for _, c := range []struct {
		notes bool
		sheet string
	}{{false, ""}, {false, "Data"}, {true, "Data"}} {
		o.Dialect.Sheet = c.sheet
		s, said, err := read.Open(t.Context(), book(t, c.notes), o)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if s.Rows.Len() != 20 || s.LabelName != "kind" || s.Dialect != nil || s.Lines[0] != 4 || s.Features[0] != "when" ||
			s.Table.Columns[0].Format != "2006-01-02" || s.Table.Columns[1].Why != "numbers from 1234.5 to 1235.83" ||
			strings.Join(s.Table.Columns[2].Levels, "|") != "blue|red or so" {
			t.Errorf("%+v: %+v, %v", c, s.Table, said)
		}
	}
	o.Dialect.Sheet = ""
	for sheet, want := range map[string]string{"": "2 sheets have cells; name one of them with --sheet: Data, Notes",
		"Dat": `no sheet "Dat" that has cells; sheets are Data, Empty, Notes`, "Empty": `no sheet "Empty" that has cells`} {
		o.Dialect.Sheet = sheet
		if _, _, err := read.Open(t.Context(), book(t, true), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", sheet, err, want)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.xlsx")
	o.Dialect.Sheet = ""
	for _, text := range []string{"", "PK\x03\x04", plain} {
		if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read.Open(t.Context(), broken, o); err == nil || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: %v", text, err)
		}
	}
	small := o
	small.MemoryLimit = 1000
	if _, _, err := read.Open(t.Context(), book(t, false), small); err == nil {
		t.Error("read beyond the memory that is allowed")
	}
}

// TestVerbs: --sheet is of spreadsheets, and every verb reads them.
func TestVerbs(t *testing.T) {
	program := cli.Program{Formats: []read.Further{sheets.Excel{}}}
	run := func(args ...string) (int, string) {
		var out, said bytes.Buffer
		code := program.Main(context.Background(), args, strings.NewReader(""), &out, &said)
		return code, out.String() + said.String()
	}
	file := book(t, true)
	model := filepath.Join(t.TempDir(), "m.mercer")
	for _, args := range [][]string{{"fit", file, "--sheet", "Data", "-o", model}, {"predict", model, file, "--sheet", "Data"},
		{"evaluate", model, file, "--sheet", "Data"}, {"data", file, "--sheet", "Data"}} {
		if code, said := run(args...); code != 0 {
			t.Errorf("%q: exit %d, %s", args, code, said)
		}
	}
	if code, said := run("fit", file); code != 1 || !strings.Contains(said, "--sheet: Data, Notes") {
		t.Errorf("exit %d, %s", code, said)
	}
	text := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(text, []byte("a,y\n1,x\n2,z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := run("fit", text, "--sheet", "Data"); code != 1 || !strings.Contains(said, "--sheet is for spreadsheets") {
		t.Errorf("exit %d, %s", code, said)
	}
}

// TestExcelFromAPipe: a workbook that can be read only once is known by its beginning, and read as the file is.
func TestExcelFromAPipe(t *testing.T) {
	path := book(t, false)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := read.Options{Prepare: true, Formats: []read.Further{sheets.Excel{}}}
	want, _, err := read.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []read.Format{read.FormatAuto, "xlsx"} {
		o.Format, o.Stdin = format, bytes.NewBuffer(text)
		got, _, err := read.Open(t.Context(), "-", o)
		if err != nil {
			t.Fatalf("%q: %v", format, err)
		}
		if got.Rows.Len() != want.Rows.Len() || !slices.Equal(got.Rows.Dense.RawMatrix().Data, want.Rows.Dense.RawMatrix().Data) {
			t.Errorf("%q: other rows than those of the file", format)
		}
	}
	unnamed := filepath.Join(t.TempDir(), "book")
	if err := os.WriteFile(unnamed, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Format = read.FormatAuto
	if got, _, err := read.Open(t.Context(), unnamed, o); err != nil || got.Rows.Len() != want.Rows.Len() {
		t.Errorf("without an ending: %v", err)
	}
	for _, part := range [][]byte{text[:len(text)/2], text[:40], []byte("PK\x03\x04")} {
		o.Stdin = bytes.NewReader(part)
		if _, _, err := read.Open(t.Context(), "-", o); err == nil || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%d bytes of it: %v", len(part), err)
		}
	}
}
