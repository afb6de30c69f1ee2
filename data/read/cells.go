package read

// The cells of CSV as they are written, for people to read, and the same file with other labels.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Cell is a value of a CSV file: its text without quotes, and whether it had some.
type Cell struct {
	Text   string
	quoted bool
}

// Cells are those of a CSV file.
type Cells struct {
	Names []string // of the columns; x0, x1, ... and label where the file has no header line
	Rows  [][]Cell
	Label int // column of the labels, -1: there is none

	header []Cell // nil: there is none
	delim  byte
	given  data.Answers // of the rows as they were read
}

// CellsOf reads the cells of the rows of s from the CSV file that Open read it from, plain or gzipped. All of the
// file's text is in memory then. A file that has changed meanwhile is an *Error.
func CellsOf(ctx context.Context, s *data.Set) (*Cells, error) {
	f, err := openFile(ctx, s.Source)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := newLines(ctx, f, s.Source)
	if err != nil {
		return nil, err
	}
	d := s.Dialect
	changed := &Error{File: s.Source, What: "the file has changed while it was read", Remedy: "try again"}
	for range d.Skip {
		if _, err := text.next(); errors.Is(err, io.EOF) {
			return nil, changed
		} else if err != nil {
			return nil, err
		}
	}
	r := &records{lines: *text, most: maxDocumentLines}
	r.as(cutAs(d))
	c := &Cells{Label: -1, given: s.Answers}
	for {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		cells := make([]Cell, len(record))
		for j, v := range record {
			text, ok := r.decode(v.text)
			if !ok {
				text = v.text // no text, and not looked at
			}
			cells[j] = Cell{string(text), v.quoted}
		}
		if c.Names == nil {
			c.delim = r.delim
			if err := c.name(r, record, s); err != nil {
				return nil, err
			}
			if d.Header > 0 {
				c.header = cells
				if d.Header > 1 || d.Unnamed > 0 {
					c.header = nil
					for _, name := range c.Names {
						c.header = append(c.header, Cell{Text: name})
					}
				}
				continue
			}
		}
		if len(cells) == len(c.Names)+1 && isVoid(record[len(c.Names):]) {
			cells = cells[:len(c.Names)] // a delimiter at the end of the row
		}
		q := len(c.Rows)
		ended := q == len(s.Lines)
		if (isVoid(record) || new(passed).pass(record, c.Names, 0)) && (ended || s.Lines[q] > r.line) ||
			ended && (isTotal(firstOf(cells)) || isNote(record, len(c.Names), r.apart)) {
			continue // was left out
		}
		if q >= len(s.Lines) || s.Lines[q] != r.line || len(cells) != len(c.Names) {
			return nil, changed
		}
		c.Rows = append(c.Rows, cells)
	}
	if len(c.Rows) != s.Rows.Len() {
		return nil, changed
	}
	return c, nil
}

// firstOf is the text of the first cell that has some.
func firstOf(cells []Cell) string {
	for _, c := range cells {
		if c.Text != "" {
			return c.Text
		}
	}
	return ""
}

// name finds what the columns are called, and which is that of the labels.
func (c *Cells) name(r *records, first []field, s *data.Set) error {
	if s.Dialect.Header > 0 {
		first, err := r.heading(first, cutAs(s.Dialect))
		if err != nil {
			return err
		}
		_, all, err := r.columnNames(first, Options{Prepare: true})
		c.Names = all
		if s.LabelName != "" {
			c.Label = slices.Index(all, s.LabelName)
		}
		return err
	}
	for j := range first {
		c.Names = append(c.Names, fmt.Sprint("x", j))
	}
	if s.LabelName != "" {
		if c.Label = slices.Index(c.Names, s.LabelName); c.Label < 0 {
			c.Label = len(first) - 1
			c.Names[c.Label] = s.LabelName
		}
	}
	return nil
}

// WriteLabelled writes the file again with the labels given, in its column of labels or, where it has none, in a further one
// of that name. A row that had a label when it was read and has none now, as one whose label is hidden, gets an empty cell. All other
// cells are as they were; text is UTF-8.
func (c *Cells) WriteLabelled(w io.Writer, name string, labels data.Answers) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	write := func(cells []Cell, last Cell) {
		line = line[:0]
		for j, v := range cells {
			if j == c.Label {
				v = last
			}
			line = append(c.appendCell(line, v), c.delim)
		}
		if c.Label < 0 {
			line = append(c.appendCell(line, last), c.delim)
		}
		_, _ = out.Write(append(line[:len(line)-1], '\n')) // Flush returns the first error
	}
	if c.header != nil {
		last := Cell{Text: name}
		if c.Label >= 0 {
			last = c.header[c.Label]
		}
		write(c.header, last)
	}
	for i, row := range c.Rows {
		last := Cell{Text: labels[i]}
		switch none := data.IsUnlabelled(labels[i]); {
		case c.Label < 0:
		case none && c.given != nil && !data.IsUnlabelled(c.given[i]):
			last = Cell{}
		case none || row[c.Label].Text == labels[i]:
			last = row[c.Label] // as it is spelled, be it a mark of no label
		}
		write(row, last)
	}
	return out.Flush()
}

// appendCell adds a cell, in quotes if it had some or needs some.
func (c *Cells) appendCell(line []byte, v Cell) []byte {
	bare := !v.quoted && strings.Trim(v.Text, " \t") == v.Text && (v.Text != "" || c.delim != ' ')
	if bare && !strings.ContainsAny(v.Text, "\"\r\n"+string(rune(c.delim))) {
		return append(line, v.Text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(v.Text, `"`, `""`)...)
	return append(line, '"')
}

// Documents lists the files of a folder of documents, in the order of the rows that Open makes of them.
func Documents(ctx context.Context, folder string) ([]string, error) {
	list, _, err := listDocuments(ctx, folder, Options{LabelOptional: true})
	paths := make([]string, len(list))
	for i, d := range list {
		paths[i] = d.path
	}
	return paths, err
}
