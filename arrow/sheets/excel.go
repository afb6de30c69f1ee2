// Package sheets reads spreadsheets as package data/read reads CSV: their cells are written as such, and what they mean is found there.
package sheets

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/mercer-ml/mercer/data/read"
)

// Excel is the format .xlsx of Office Open XML (ECMA-376). Numbers are written with all their digits, dates and times as 2006-01-02
// 15:04:05, and formulas as the values that were computed when the file was saved. Of merged cells the first has the value.
type Excel struct{}

// Format is xlsx.
func (Excel) Format() read.Format { return "xlsx" }

// Endings are .xlsx and .xlsm.
func (Excel) Endings() []string { return []string{".xlsx", ".xlsm"} }

// Begins says whether the first file of a zip archive is one of Office Open XML, as that of a document is too: its name stands after 30
// bytes. Programs may put another first, and the ending of the name or --format then says what it is.
func (Excel) Begins(head []byte) bool {
	const name = 30
	if len(head) < name || !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return false
	}
	return slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "xl/", "docProps/"}, func(first string) bool {
		return bytes.HasPrefix(head[name:], []byte(first))
	})
}

// Open fails: nothing says which cells name columns (WriteCSV).
func (Excel) Open(read.File) (read.Columnar, error) {
	return nil, errors.New("a spreadsheet has cells and no named columns; read it as CSV")
}

// unpackedAtMost bounds the text of all sheets where there is no other limit.
const unpackedAtMost = 16 << 30

// WriteCSV writes the cells of a sheet, a line for each row, as many cells in each. Cost: two passes over the sheet, which is kept in
// memory for the formats of its cells.
func (Excel) WriteCSV(ctx context.Context, f read.File, w io.Writer) error {
	o := excelize.Options{RawCellValue: true, UnzipSizeLimit: unpackedAtMost}
	if f.MemoryLimit > 0 {
		o.UnzipSizeLimit = min(o.UnzipSizeLimit, f.MemoryLimit)
	}
	o.UnzipXMLSizeLimit = o.UnzipSizeLimit // nothing is written to files
	x, err := excelize.OpenReader(io.NewSectionReader(f, 0, f.Size), o)
	if err != nil {
		return fmt.Errorf("no spreadsheet that can be read: %s; save it as .xlsx again, or as CSV", oneLine(err))
	}
	defer x.Close() //nolint:errcheck // nothing was written
	name, width, err := chosen(ctx, x, f.Sheet)
	if err != nil {
		return err
	}
	return (&sheet{file: x, name: name, width: width, dates: map[int]bool{}}).write(ctx, w)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// chosen is the sheet that is wanted, or the only one that has cells, and the number of its columns.
func chosen(ctx context.Context, x *excelize.File, wanted string) (name string, width int, err error) {
	var filled []string
	for _, one := range x.GetSheetList() {
		if wanted != "" && one != wanted {
			continue
		}
		n, err := widest(ctx, x, one)
		if err != nil {
			return "", 0, err
		}
		if n > 0 {
			filled, width = append(filled, one), n
		}
	}
	all := strings.Join(x.GetSheetList(), ", ")
	switch {
	case len(filled) == 1:
		return filled[0], width, nil
	case wanted != "":
		return "", 0, fmt.Errorf("no sheet %q that has cells; sheets are %s", wanted, all)
	case len(filled) == 0:
		return "", 0, errors.New("no sheet has cells; give a spreadsheet with a table")
	}
	return "", 0, fmt.Errorf("%d sheets have cells; name one of them with --sheet: %s", len(filled), strings.Join(filled, ", "))
}

// widest is the number of cells of the longest row of a sheet; 0 of what is no table.
func widest(ctx context.Context, x *excelize.File, name string) (n int, err error) {
	rows, err := x.Rows(name)
	if err != nil {
		return 0, nil //nolint:nilerr // a chart
	}
	defer rows.Close() //nolint:errcheck // nothing was written
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		cells, err := rows.Columns()
		if err != nil {
			return 0, fmt.Errorf("sheet %q: %s; save the file again", name, oneLine(err))
		}
		for c, cell := range cells {
			if cell != "" {
				n = max(n, c+1)
			}
		}
	}
	return n, nil
}

// sheet is one that is written.
type sheet struct {
	file  *excelize.File
	name  string
	width int
	old   bool         // dates count from 1904
	dates map[int]bool // styles, by their number
}

func (s *sheet) write(ctx context.Context, w io.Writer) error {
	if p, err := s.file.GetWorkbookProps(); err == nil && p.Date1904 != nil {
		s.old = *p.Date1904
	}
	rows, err := s.file.Rows(s.name)
	if err != nil {
		return fmt.Errorf("sheet %q: %s; save the file again", s.name, oneLine(err))
	}
	defer rows.Close() //nolint:errcheck // nothing was written
	out := csv.NewWriter(w)
	record := make([]string, s.width)
	for at := 1; rows.Next(); at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells, err := rows.Columns()
		if err != nil {
			return fmt.Errorf("sheet %q: %s; save the file again", s.name, oneLine(err))
		}
		clear(record)
		for c, cell := range cells[:min(len(cells), s.width)] {
			if record[c], err = s.cell(cell, c+1, at); err != nil {
				return err
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell is the text of a cell: a line stays a line, and a number that is shown as a date is one.
func (s *sheet) cell(text string, column, row int) (string, error) {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text, nil //nolint:nilerr // a word
	}
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return "", err
	}
	style, err := s.file.GetCellStyle(s.name, name)
	if err != nil || style == 0 {
		return text, nil //nolint:nilerr // without a format of its own
	}
	date, known := s.dates[style]
	if !known {
		if date, err = s.isDate(style); err != nil {
			return text, nil //nolint:nilerr // as above
		}
		s.dates[style] = date
	}
	kind, err := s.file.GetCellType(s.name, name)
	if !date || err != nil || kind == excelize.CellTypeSharedString || kind == excelize.CellTypeInlineString {
		return text, nil //nolint:nilerr // as above
	}
	when, err := excelize.ExcelDateToTime(v, s.old)
	if err != nil {
		return text, nil //nolint:nilerr // a number that no date has
	}
	return spelled(v, when.Round(time.Second)), nil
}

// spelled is a date, a time of a day, or both.
func spelled(v float64, when time.Time) string {
	clock := when.Format("15:04:05")
	switch {
	case v >= 0 && v < 1:
		return clock
	case clock == "00:00:00":
		return when.Format("2006-01-02")
	}
	return when.Format("2006-01-02 15:04:05")
}

// isDate says whether a style shows numbers as dates or times: by the numbers of the built-in formats (ECMA-376, part 1, 18.8.30), or by
// the letters of its own.
func (s *sheet) isDate(style int) (bool, error) {
	of, err := s.file.GetStyle(style)
	if err != nil {
		return false, err
	}
	if of.CustomNumFmt != nil {
		return dated(*of.CustomNumFmt), nil
	}
	n := of.NumFmt
	return 14 <= n && n <= 22 || 27 <= n && n <= 36 || 45 <= n && n <= 47 || 50 <= n && n <= 58, nil
}

// dated says whether a format has letters of dates outside of what it quotes.
func dated(format string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case strings.IndexByte("ydhsYDHS", c) >= 0:
			return true
		}
	}
	return false
}
