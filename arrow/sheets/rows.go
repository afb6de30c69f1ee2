package sheets

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/columns"
)

// Numbers of rows and columns of a sheet (ECMA-376, part 1, 18.3.1.73 and 22.9.2).
const (
	maxRows    = 1 << 20
	maxColumns = 1 << 14
)

// cell is one of a sheet (ECMA-376, part 1, 18.3.1.4).
type cell struct {
	At    string `xml:"r,attr"` // its place, "" = the one after the last
	Style int    `xml:"s,attr"`
	Type  string `xml:"t,attr"`
	Value string `xml:"v"`
	Words *words `xml:"is"`
}

// words are a text as a whole or in runs. How it is spoken stands beside them and is no part of it.
type words struct {
	Whole []string `xml:"t"`
	Runs  []string `xml:"r>t"`
}

func (w *words) text() string {
	return oneLine(strings.Join(w.Whole, "") + strings.Join(w.Runs, ""))
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// oneLine is a text with its escapes undone (ECMA-376, part 1, 22.9.2.19), whose lines are joined.
func oneLine(text string) string {
	if strings.Contains(text, "_x") {
		text = escaped.ReplaceAllStringFunc(text, func(of string) string {
			code, _ := strconv.ParseUint(of[2:6], 16, 16) // four digits
			return string(rune(code))
		})
	}
	if strings.ContainsAny(text, "\r\n") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
	}
	return text
}

// readTexts reads the texts that cells share.
func (b *book) readTexts(name string) error {
	if b.parts[inLower(name)] == nil {
		return nil // none
	}
	p, err := b.part(name)
	if err != nil {
		return err
	}
	defer p.close()
	var held int64
	for {
		token, err := p.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return within(name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "si" {
			continue
		}
		p.afresh()
		var w words
		if err := p.DecodeElement(&w, &start); err != nil {
			return within(name, err)
		}
		text := w.text()
		if held += int64(len(text)) + 16; held > b.limit { // 16: the text's length and place
			return &limitError{b.limit}
		}
		b.texts = append(b.texts, text)
	}
}

// text is a cell as CSV has it, nothing for an empty one. Text that looks like a number or like truth is in quotes, and such cells are not.
func (b *book) text(c *cell) (string, error) {
	value := strings.TrimSpace(c.Value)
	switch {
	case c.Words != nil:
		return inCSV(c.Words.text()), nil
	case c.Value == "":
		return "", nil
	case c.Type == "s":
		if i, err := strconv.Atoi(value); err == nil && 0 <= i && i < len(b.texts) {
			return inCSV(b.texts[i]), nil
		}
		return "", fmt.Errorf("a shared text %.20s, which the file does not have", value)
	case c.Type == "b" && (value == "1" || value == "true"):
		return "TRUE", nil
	case c.Type == "b" && (value == "0" || value == "false"):
		return "FALSE", nil
	case c.Type != "" && c.Type != "n":
		return inCSV(oneLine(c.Value)), nil
	case 0 <= c.Style && c.Style < len(b.shown):
		return b.number(value, b.shown[c.Style]), nil
	case c.Style == 0:
		return value, nil
	}
	return "", fmt.Errorf("a style %d, which the file does not have", c.Style)
}

// inCSV is a text as CSV has it; blanks at its end, which nobody sees in a sheet, are no part of a cell without quotes.
func inCSV(text string) string {
	if columns.Typed([]byte(text)) || strings.ContainsAny(text, "\",\r\n") || strings.TrimLeft(text, " \t") != text {
		return string(columns.AppendQuoted(nil, []byte(text)))
	}
	return text
}

// rows are the texts of the cells of each row of a sheet, which are valid until the next; empty ones between others too. Of what is no
// table, as a chart, there are none.
func (b *book) rows(ctx context.Context, s sheet) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		p, err := b.part(s.part)
		if err != nil {
			yield(nil, s.fault("", err))
			return
		}
		defer p.close()
		r := rowReader{part: p, book: b, sheet: s}
		for at := 1; ; at++ {
			err := ctx.Err()
			if err == nil {
				err = r.next()
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for ; at < r.row; at++ {
				if !yield(nil, nil) {
					return
				}
			}
			if !yield(r.cells, nil) {
				return
			}
		}
	}
}

// fault names the sheet of an error, and a place there.
func (s sheet) fault(place string, err error) error {
	if final(err) {
		return err
	}
	return fmt.Errorf("sheet %q%s: %s; fetch the file again, or save it again as .xlsx or as CSV", s.name, place, oneClause(err))
}

// rowReader reads a sheet row by row.
type rowReader struct {
	*part
	book  *book
	sheet sheet
	row   int // the last that began
	cells []string
}

// next reads the next row; io.EOF where there is none.
func (r *rowReader) next() error {
	r.cells = r.cells[:0]
	for {
		token, err := r.Token()
		if errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			return r.sheet.fault(r.place(), err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				r.afresh()
				err = r.begin(t)
			case "c":
				err = r.cell(t)
			}
			if err != nil {
				return err
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "row":
				return nil
			case "sheetData":
				if err := r.end(); err != nil {
					return r.sheet.fault("", err)
				}
				return io.EOF
			}
		}
	}
}

func (r *rowReader) place() string {
	if r.row == 0 {
		return ""
	}
	return ", row " + strconv.Itoa(r.row)
}

// begin begins a row, which is the one after the last where no number says which it is.
func (r *rowReader) begin(start xml.StartElement) error {
	row := r.row + 1
	for _, a := range start.Attr {
		if a.Name.Local != "r" {
			continue
		}
		var err error
		if row, err = strconv.Atoi(a.Value); err != nil {
			return r.sheet.fault(r.place(), fmt.Errorf("a row %.20q, which is no number", a.Value))
		}
	}
	if row > maxRows {
		return r.sheet.fault("", fmt.Errorf("a row %d, which no sheet has", row))
	}
	if row <= r.row {
		return r.sheet.fault("", fmt.Errorf("a row %d out of order, after row %d", row, r.row))
	}
	r.row = row
	return nil
}

// cell reads a cell.
func (r *rowReader) cell(start xml.StartElement) error {
	var c cell
	if err := r.DecodeElement(&c, &start); err != nil {
		return r.sheet.fault(r.place(), err)
	}
	column := len(r.cells) + 1
	if c.At != "" {
		var row int
		var err error
		if column, row, err = placeOf(c.At); err != nil {
			return r.sheet.fault(r.place(), err)
		}
		if column <= len(r.cells) || row != r.row {
			return r.sheet.fault(r.place(), fmt.Errorf("a cell %.20q out of order", c.At))
		}
	}
	if column > maxColumns {
		return r.sheet.fault(r.place(), errors.New("more cells than a sheet has columns"))
	}
	text, err := r.book.text(&c)
	if err != nil {
		return r.sheet.fault(fmt.Sprintf(", row %d, column %d", r.row, column), err)
	}
	for len(r.cells) < column-1 {
		r.cells = append(r.cells, "")
	}
	r.cells = append(r.cells, text)
	return nil
}

// placeOf is the column and the row of a cell, whose name is as B7.
func placeOf(name string) (column, row int, err error) {
	digits := strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	for _, c := range strings.ToUpper(name[:min(4, len(name)-len(digits))]) {
		column = 26*column + int(c-'A') + 1
	}
	if row, err = strconv.Atoi(digits); err != nil || column < 1 || column > maxColumns {
		return 0, 0, fmt.Errorf("a cell %.20q, which no sheet has", name)
	}
	return column, row, nil
}
