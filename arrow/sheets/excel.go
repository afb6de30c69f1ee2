// Package sheets reads spreadsheets as package data/read reads CSV: their cells are written as such, and what they mean is found there.
package sheets

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data/read"
)

// Excel is the format .xlsx of Office Open XML (ECMA-376). Numbers are written with all their digits, dates and times as 2006-01-02
// 15:04:05 or the part of it that their format shows, times that went by as hours, percentages with their sign, truth as TRUE and FALSE,
// and formulas as the values that were computed when the file was saved. Of merged cells the first has the value.
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

// WriteCSV writes the cells of a sheet, a line for each row, as many cells in each. Cost: two passes over the sheet, of which a row is
// held at a time, and the texts that cells share.
func (Excel) WriteCSV(ctx context.Context, f read.File, w io.Writer) error {
	b, err := open(f)
	if err != nil {
		if final(err) {
			return err
		}
		return fmt.Errorf("no spreadsheet that can be read: %s; fetch it again, or save it again as .xlsx or as CSV", oneClause(err))
	}
	s, width, err := b.chosen(ctx, f.Sheet)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for cells, err := range b.rows(ctx, s) {
		if err != nil {
			return err
		}
		cells = cells[:min(len(cells), width)] // empty ones may follow
		_, _ = out.WriteString(strings.Join(cells, ","))
		_, _ = out.WriteString(strings.Repeat(",", width-max(1, len(cells))))
		if err := out.WriteByte('\n'); err != nil { // the first that was met
			return err
		}
	}
	return out.Flush()
}

// chosen is the sheet that is wanted, or the only one that has cells, and the number of its columns.
func (b *book) chosen(ctx context.Context, wanted string) (one sheet, width int, err error) {
	var all, filled []string
	for _, s := range b.sheets {
		all = append(all, s.name)
		if wanted != "" && s.name != wanted {
			continue
		}
		n, err := b.width(ctx, s)
		if err != nil {
			return one, 0, err
		}
		if n > 0 {
			filled, one, width = append(filled, s.name), s, n
		}
	}
	switch {
	case len(filled) == 1:
		return one, width, nil
	case wanted != "":
		return one, 0, fmt.Errorf("no sheet %q that has cells; sheets are %s", wanted, strings.Join(all, ", "))
	case len(filled) == 0:
		return one, 0, errors.New("no sheet has cells; give a spreadsheet with a table")
	}
	return one, 0, fmt.Errorf("%d sheets have cells; name one of them with --sheet: %s", len(filled), strings.Join(filled, ", "))
}

// width is the number of cells of the longest row of a sheet.
func (b *book) width(ctx context.Context, s sheet) (n int, err error) {
	for cells, err := range b.rows(ctx, s) {
		if err != nil {
			return 0, err
		}
		for c := len(cells); c > n; c-- {
			if cells[c-1] != "" {
				n = c
			}
		}
	}
	return n, nil
}
