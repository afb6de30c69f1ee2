package read

// A column of text in CSV: its words are counted on all processors, block by block as numbers are read.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mercer-ml/mercer/internal/text"
)

func readTexts(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	other := o
	other.ID, other.Drop = "", nil // no features, as all beside the text
	if other.chooses() {
		return &Error{File: file, What: fmt.Sprintf("--text %s: the words of that column are all features, and other columns than the "+
			"label have no part", o.Text.Column), Remedy: "leave out --features, --weight, --group, --order and --columns, or --text"}
	}
	return learnFirst(ctx, o, to, func(to *sink) error {
		rows, err := newRows(ctx, in, file, o, to)
		if err != nil {
			return err
		}
		docs, err := newDocuments(rows)
		if err != nil {
			return err
		}
		c.quoted = maxDocumentLines
		r := &textReader{documents: docs, blocks: newCutter(rows.text, file, o.dialect, c)}
		if err := inOrder(ctx, r.blocks, c.workers, r.started, r.parse, r.join); err != nil {
			return err
		}
		switch {
		case !r.started():
			return &Error{File: file, What: "empty file", Remedy: "give a header line and rows"}
		case r.count() == 0:
			return &Error{File: file, Line: r.blocks.line, What: "a header but no rows", Remedy: "give rows of data below it"}
		}
		return r.finish(r.blocks.line)
	})
}

// textReader joins the rows of blocks.
type textReader struct {
	*documents
	blocks *cutter
	width  int // columns, 0 = the header was not read
	column int // of the text
	label  int // column, -1 = none
	once   seenOnce
}

// textPart is what one block holds.
type textPart struct {
	records
	counts *text.Counts
	at     []int
	err    error // why the rows end before the block does

	labels []byte // one after the other
	ends   []int  // of each label
}

// started says whether the header was read.
func (r *textReader) started() bool { return r.width > 0 }

// parse counts the words of the rows of a block.
func (r *textReader) parse(p *textPart, b block) {
	if p.counts == nil {
		p.counts = r.counts()
	}
	p.counts.Reset()
	p.lines, p.most, p.widest = linesOf(b, r.file), maxDocumentLines, widest(r.limit)
	p.as(r.o.dialect)
	p.at, p.labels, p.ends, p.err, p.seenOnce = p.at[:0], p.labels[:0], p.ends[:0], nil, seenOnce{}
	if !r.started() {
		p.err = r.head(p)
	}
	for p.err == nil {
		p.err = p.row(r.width, r.column, r.label)
		if size := p.counts.Bytes() + 8*len(p.at) + 16*len(p.ends); p.err == nil && r.exceeds(size) {
			p.err = overLimit(r.file, p.n, int64(size), r.limit)
		}
	}
	if errors.Is(p.err, io.EOF) {
		p.err = nil
	}
}

// row takes the next row in.
func (p *textPart) row(width, column, label int) error {
	f, err := p.next()
	if err != nil {
		return err
	}
	if err := p.complete(f, width); err != nil {
		return err
	}
	answer, err := p.answer(f, label)
	if err != nil {
		return err
	}
	p.counts.Add(p.document(f[column].text))
	p.at = append(p.at, p.line)
	p.labels = append(p.labels, answer...)
	p.ends = append(p.ends, len(p.labels))
	return nil
}

// head reads the header line: the columns of text and label, and which are left out.
func (r *textReader) head(p *textPart) error {
	f, err := p.next()
	if err != nil {
		return err
	}
	if f, err = p.heading(f, r.o.dialect); err != nil {
		return err
	}
	at, all, err := p.columnNames(f, r.o)
	if err != nil {
		return err
	}
	name, ok := spelled(r.o.Text.Column, all), false
	if r.column, ok = at[name]; !ok {
		what := fmt.Sprintf("no column %q of text", name)
		if name == "" {
			what = "a table, of which no column is named as that of the text"
		}
		return p.fault(0, what+"; columns are "+listed(all), "name one of them with --text")
	}
	if r.o.Label == name {
		return p.fault(r.column+1, fmt.Sprintf("column %q is named as text and as label", name), "name two columns with --text and --label")
	}
	if r.label, err = p.labelBeside(r.column, all, r.o); err != nil {
		return err
	}
	var left []string
	for c, name := range all {
		if c == r.label {
			r.labelled = name
		} else if c != r.column {
			left = append(left, name)
		}
	}
	if left != nil {
		r.sink.warnings = append(r.sink.warnings, Warning{File: r.file, Line: p.line,
			What: fmt.Sprintf("only the words of %q are used; left out: %s", name, listed(left))})
	}
	r.width = len(f)
	return nil
}

// labelBeside is labelColumn among the columns beside that of the text.
func (r *records) labelBeside(column int, all []string, o Options) (int, error) {
	others := slices.Delete(slices.Clone(all), column, column+1)
	if len(others) == 0 {
		if o.LabelOptional {
			return -1, nil
		}
		return 0, r.fault(0, "no label column beside the text", "give a column of labels, empty where there is none")
	}
	at := make(map[string]int, len(others))
	for c, name := range others {
		at[name] = c
	}
	if o.Want != nil { // words, not columns
		o.Want = []string{}
	}
	c, err := r.labelColumn(at, others, func(int) bool { return true }, o)
	if c >= column {
		c++
	}
	return c, err
}

// join appends the rows of a block to those before it.
func (r *textReader) join(p *textPart) error {
	r.once.tell(&p.seenOnce, r.file, r.sink)
	err := r.documents.join(p.counts, func(i int) (int, []byte) {
		from := 0
		if i > 0 {
			from = p.ends[i-1]
		}
		return p.at[i], p.labels[from:p.ends[i]]
	})
	if err != nil {
		return err
	}
	return p.err
}
