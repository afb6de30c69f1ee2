package read

// Text of other formats that holds tables is written as the CSV that it would be, line for line, and read as such, so that one rule
// serves all and faults name the lines of the file.

import (
	"bytes"
	"context"
	"io"

	"github.com/mercer-ml/mercer/internal/columns"
)

// converter writes the lines of a text as CSV.
type converter interface {
	// names are those of the columns; lines before them, up to number above, are read.
	names() (names []string, above int)
	// row appends the cells of a line as CSV, nothing for a line without any.
	row(to, line []byte, number int) ([]byte, error)
	// says lists what is to be told of all lines.
	says() []Warning
}

// asCSV reads lines as a converter writes them.
func asCSV(ctx context.Context, ls *lines, from converter, o Options, c cutting, to *sink) error {
	names, above := from.names()
	ctx, stop := context.WithCancel(ctx)
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = out.CloseWithError(convert(out, ls, from, names)) // it never fails
	}()
	defer func() {
		stop()
		_ = in.Close() // it never fails
		<-done
		to.warnings = append(to.warnings, from.says()...)
	}()
	o.Format, o.dialect = FormatCSV, &dialect{delim: ',', quote: '"', header: 1, skip: above - 1, made: true, words: true}
	return parse(ctx, in, ls.file, o, c, to)
}

// convert writes the names and then a line for every line.
func convert(w io.Writer, ls *lines, from converter, names []string) error {
	const enough = 1 << 16 // bytes written at once; no result depends on it
	var text []byte
	for c, name := range names {
		if c > 0 {
			text = append(text, ',')
		}
		text = columns.AppendQuoted(text, []byte(name))
	}
	text = append(text, '\n')
	for {
		line, err := ls.next()
		if err == nil {
			text, err = from.row(text, line, ls.n)
		}
		if err != nil {
			if _, failed := w.Write(text); failed != nil {
				return failed
			}
			return err // io.EOF ends what is read, too
		}
		if text = append(text, '\n'); len(text) > enough {
			if _, err := w.Write(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
}

// lineBreak stands for the end of a line within a cell of text that is written as CSV, of which a line must stay a line.
const lineBreak = '\v'

// appendCellText adds a cell of CSV, in quotes where it needs some; a line stays a line.
func appendCellText(to []byte, cell field) []byte {
	text := cell.text
	if bytes.ContainsAny(text, "\r\n") {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // as lines of CSV are read
		for i, c := range text {                                    // not yet UTF-8, perhaps
			switch c {
			case '\n':
				text[i] = lineBreak
			case '\r':
				text[i] = ' '
			}
		}
	}
	if needsQuotes(text) || !cell.typed && columns.Typed(text) {
		return columns.AppendQuoted(to, text)
	}
	return append(to, text...)
}
