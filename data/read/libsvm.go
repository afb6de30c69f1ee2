package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/decimal"
)

// LIBSVM reads lines "label index:value ..." with indices from 1, strictly
// increasing, below 2^31; what follows # is a comment, blank lines are skipped,
// zeros are not stored. The rows are as wide as the largest index, or as
// Options.Dim says: entries beyond that are then ignored with one warning. With
// LabelOptional a line may begin with its first entry; with the label "none"
// labels are passed over.
func LIBSVM(ctx context.Context, in io.Reader, file string, o Options) (*data.Set, []Warning, error) {
	o.Format = FormatLIBSVM
	return wholeSet(func(to *sink) error { return parse(ctx, in, file, o, cutting{}, to) })
}

func readLIBSVM(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	o.LabelOptional = o.LabelOptional || o.Label == none
	rows, err := newRows(ctx, in, file, o, to)
	if err != nil {
		return err
	}
	r := &svmReader{
		rows:   rows,
		blocks: newCutter(rows.text, file, nil, c),
		start:  list[int]{budget: rows.budget},
		index:  list[int32]{budget: rows.budget},
		value:  list[float64]{budget: rows.budget},
	}
	if err := inOrder(ctx, r.blocks, c.workers, r.started, r.parse, r.join); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if r.beyond > 0 {
		to.warnings = append(
			to.warnings,
			Warning{File: file,
				What: fmt.Sprintf("ignored: %s with an index above %d, which the model does not know", brief.Count(r.beyond, "value"), o.Dim)},
		)
	}
	return r.end(r.blocks.line, r.set)
}

// svmReader joins the rows of blocks.
type svmReader struct {
	*rows
	blocks *cutter

	start  list[int]
	index  list[int32]
	value  list[float64]
	first  string // label of the first row
	labels int    // rows that have one
	svmSums
}

// svmSums are what rows add up to.
type svmSums struct {
	width  int // largest index
	beyond int // entries beyond the features of a model
}

// svmPart is what one block holds.
type svmPart struct {
	lines
	o     Options
	index []int32
	value []float64
	upTo  []int // entries up to the end of each row
	at    []int
	err   error // why the rows end before the block does
	svmSums

	names []byte // labels, one after the other
	ends  []int  // of each label
}

// started says whether there was a row, by which it is known that the text is worth memory.
func (r *svmReader) started() bool { return r.count() > 0 }

// parse reads the rows of a block.
func (r *svmReader) parse(p *svmPart, b block) {
	p.lines, p.o, p.err, p.svmSums = linesOf(b, r.file), r.o, nil, svmSums{}
	p.index, p.value, p.upTo, p.at, p.names, p.ends = p.index[:0], p.value[:0], p.upTo[:0], p.at[:0], p.names[:0], p.ends[:0]
	for p.err == nil {
		line, err := p.next()
		if err != nil {
			p.err = err
			break
		}
		p.err = p.row(line)
		// Blocks are not counted, but one alone must not hold more than is allowed for all.
		if size := 12*len(p.index) + 32*len(p.at); p.err == nil && r.exceeds(size) {
			p.err = overLimit(r.file, p.n, int64(size), r.limit)
		}
	}
	if errors.Is(p.err, io.EOF) {
		p.err = nil
	}
}

// join appends the rows of a block to those before it.
func (r *svmReader) join(p *svmPart) error {
	if len(p.at) > 0 && r.count() == 0 {
		r.first = string(p.names[:p.ends[0]])
		if err := r.reserve(); err != nil {
			return err
		}
	}
	r.width = max(r.width, p.width)
	r.beyond += p.beyond
	entry, name := 0, 0
	for i, line := range p.at {
		if r.at.n == 0 {
			if err := r.start.one(0, line); err != nil {
				return err
			}
		}
		label := p.names[name:p.ends[i]]
		if r.o.Label == none {
			label = nil
		}
		if len(label) > 0 {
			r.labels++
		}
		if err := r.raw.label(label, line); err != nil {
			return err
		}
		if err := r.index.add(p.index[entry:p.upTo[i]], line); err != nil {
			return err
		}
		if err := r.value.add(p.value[entry:p.upTo[i]], line); err != nil {
			return err
		}
		name, entry = p.ends[i], p.upTo[i]
		if err := r.start.one(r.index.n, line); err != nil {
			return err
		}
		if err := r.at.one(line, line); err != nil {
			return err
		}
		if err := r.next(line, r.set); err != nil {
			return err
		}
	}
	return p.err
}

// reserve finds room for the entries of a file; those of a batch are not known beforehand.
func (r *svmReader) reserve() error {
	if r.sink.rows > 0 {
		return nil
	}
	size, colons, err := r.text.count(r.ctx, ':')
	entries := min(colons, (size+1)/4) // digit, colon, digit and what is after it
	r.index.reserve(entries)
	r.value.reserve(entries)
	return err
}

// check finds fault with all rows together.
func (r *svmReader) check() error {
	const remedy = "give lines of the form: label index:value ..."
	switch {
	case r.count() == 0:
		return &Error{File: r.file, What: "no rows", Remedy: remedy}
	case r.width == 0 && r.labels > 0 && strings.Contains(r.first, ","):
		return &Error{
			File:   r.file,
			What:   "no row has a feature, and labels have commas",
			Remedy: "this is CSV: give it that ending or --format csv",
		}
	case r.columns() == 0:
		return &Error{File: r.file, What: "no row has a feature", Remedy: remedy}
	}
	return nil
}

// columns is how wide the rows are, so far.
func (r *svmReader) columns() int { return cmp.Or(r.o.Dim, r.width) }

// set makes the rows a set.
func (r *svmReader) set(line int) (*data.Set, error) {
	s := &data.Set{Name: r.file, Source: r.file}
	n, columns := r.at.n, max(r.columns(), 1) // a batch may have no feature
	value, e1 := r.value.whole(line)
	index, e2 := r.index.whole(line)
	start, e3 := r.start.whole(line)
	for _, err := range []error{e1, e2, e3} {
		if err != nil {
			return nil, err
		}
	}
	r.value.again()
	r.index.again()
	r.start.again()
	csr, err := data.NewCSR(n, columns, start, index, value)
	if err != nil {
		return nil, &Error{File: r.file, What: err.Error()}
	}
	s.Rows.Sparse = csr
	if r.labels > 0 {
		s.LabelName = "label"
	}
	return s, nil
}

func (p *svmPart) fault(column int, what, remedy string) error {
	return &Error{File: p.file, Line: p.n, Column: column, What: what, Remedy: remedy}
}

// row takes one line in.
func (p *svmPart) row(line []byte) error {
	if end := bytes.IndexByte(line, '#'); end >= 0 {
		line = line[:end]
	}
	token, pos := nextToken(line, 0)
	if token == nil {
		return nil
	}
	if bytes.IndexByte(token, ':') >= 0 {
		if !p.o.LabelOptional {
			return p.fault(pos+1, "no label before "+quote(token), "begin every line with its label")
		}
	} else {
		if !isText(token) {
			return p.fault(pos+1, "label "+quote(token)+" is not UTF-8 text", "save the file as UTF-8")
		}
		p.names = append(p.names, token...)
		pos += len(token)
	}
	last := int64(0)
	for {
		for pos < len(line) && isBlank(line[pos]) {
			pos++
		}
		if pos == len(line) {
			break
		}
		index, v, n := pair(line[pos:])
		if n == 0 || index <= last {
			token, _ := nextToken(line, pos)
			var err error
			if index, v, err = p.entry(token, pos, last); err != nil {
				return err
			}
			n = len(token)
		}
		p.keep(index, v)
		last = index
		pos += n
	}
	p.upTo, p.at, p.ends = append(p.upTo, len(p.index)), append(p.at, p.n), append(p.ends, len(p.names))
	return nil
}

// pair reads index:value at the beginning of text, of n bytes; n = 0 for what entry is to look at.
func pair(text []byte) (index int64, v float64, n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		index = 10*index + int64(text[n]-'0')
		n++
	}
	if n == 0 || n > 9 || n == len(text) || text[n] != ':' { // nine digits are below 2^31
		return 0, 0, 0
	}
	v, k := decimal.Parse(text[n+1:])
	n += 1 + k
	if k == 0 || n < len(text) && !isBlank(text[n]) {
		return 0, 0, 0
	}
	return index, v, n
}

// keep stores an entry, unless the model does not know it or it is zero.
func (p *svmPart) keep(index int64, v float64) {
	if p.o.Dim > 0 && index > int64(p.o.Dim) {
		p.beyond++
		return
	}
	p.width = max(p.width, int(index))
	if v != 0 {
		p.index, p.value = append(p.index, int32(index-1)), append(p.value, v)
	}
}

// entry reads the token index:value, or says what is wrong with it.
func (p *svmPart) entry(token []byte, pos int, last int64) (index int64, v float64, err error) {
	colon := bytes.IndexByte(token, ':')
	if colon < 0 {
		return 0, 0, p.fault(pos+1, quote(token)+" is no index:value", "write entries as index:value, a blank between them")
	}
	name := token[:colon]
	if string(name) == "qid" {
		return 0, 0, p.fault(pos+1, "qid: ranking queries are not supported", "remove the qid fields")
	}
	for _, c := range name {
		if c-'0' > 9 {
			return 0, 0, p.fault(pos+1, "index "+quote(name)+" is no whole number", "number the features from 1")
		}
		// Stopping at 2^31 keeps any number of digits from overflowing.
		index = min(index*10+int64(c-'0'), math.MaxInt32+1)
	}
	switch {
	case len(name) == 0:
		return 0, 0, p.fault(pos+1, "no index before the colon", "write entries as index:value, without blanks around the colon")
	case index == 0:
		return 0, 0, p.fault(pos+1, "index 0", "number the features from 1")
	case index > math.MaxInt32:
		return 0, 0, p.fault(pos+1, "index "+quote(name)+" is not below 2^31", "renumber the features")
	case index <= last:
		return 0, 0, p.fault(pos+1, fmt.Sprintf("index %d after %d", index, last), "sort the entries of each row by index, each index once")
	}
	v, what, remedy := number(token[colon+1:])
	if what != "" {
		return 0, 0, p.fault(pos+colon+2, fmt.Sprintf("feature %d: %s", index, what), remedy)
	}
	return index, v, nil
}

// nextToken returns the token of line at or after byte from and where it begins;
// nil if there is none. Tokens are parted by blanks.
func nextToken(line []byte, from int) ([]byte, int) {
	for from < len(line) && isBlank(line[from]) {
		from++
	}
	end := from
	for end < len(line) && !isBlank(line[end]) {
		end++
	}
	if end == from {
		return nil, from
	}
	return line[from:end], from
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
