package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/sparse"
)

// LIBSVM reads lines "label index:value ..." with indices from 1, strictly
// increasing, below 2^31; what follows # is a comment, blank lines are skipped,
// zeros are not stored. The rows are as wide as the largest index, or as
// Options.Dim says: entries beyond that are then ignored with one warning. With
// LabelOptional a line may begin with its first entry.
func LIBSVM(in io.Reader, file string, o Options) (*data.Set, []Warning, error) {
	ls, err := newLines(in, file)
	if err != nil {
		return nil, nil, err
	}
	mem := &budget{file: file, limit: o.MemoryLimit}
	p := &svmReader{
		lines:         ls,
		mem:           mem,
		dim:           o.Dim,
		labelOptional: o.LabelOptional,
		raw:           newAnswers(mem, o.UnlabelledMark),
		start:         []int{0},
	}
	for {
		line, err := ls.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if err := p.row(line); err != nil {
			return nil, nil, err
		}
	}
	n, width := len(p.start)-1, p.width
	if o.Dim > 0 {
		width = o.Dim
	}
	switch {
	case n == 0:
		return nil, nil, &Error{File: file, What: "no rows", Remedy: "give lines of the form: label index:value ..."}
	case p.width == 0 && p.labels > 0 && strings.Contains(p.raw.all[0], ","):
		return nil, nil, &Error{
			File:   file,
			What:   "no row has a feature, and labels have commas",
			Remedy: "this is CSV: give it that ending or --format csv",
		}
	case width == 0:
		return nil, nil, &Error{File: file, What: "no row has a feature", Remedy: "give lines of the form: label index:value ..."}
	}
	csr, err := sparse.New(n, width, p.start, p.index, p.value)
	if err != nil {
		return nil, nil, &Error{File: file, What: err.Error()}
	}
	s := &data.Set{Name: file, Source: file, Rows: data.Rows{Sparse: csr}, Lines: p.at}
	if p.labels > 0 {
		s.LabelName, s.Answers = "label", p.raw.all
	}
	var warnings []Warning
	if p.beyond > 0 {
		warnings = append(
			warnings,
			Warning{file, 0, fmt.Sprintf("%d entries with an index above %d, which the model does not know, are ignored", p.beyond, o.Dim)},
		)
	}
	return s, warnings, nil
}

type svmReader struct {
	*lines
	mem           *budget
	dim           int
	labelOptional bool

	raw    *answers
	labels int // lines that had one
	start  []int
	index  []int32
	value  []float64
	at     []int // line of each row
	width  int   // largest index
	beyond int   // entries beyond dim
}

func (p *svmReader) fault(column int, what, remedy string) error {
	return &Error{File: p.file, Line: p.n, Column: column, What: what, Remedy: remedy}
}

// row takes one line in.
func (p *svmReader) row(line []byte) error {
	if end := bytes.IndexByte(line, '#'); end >= 0 {
		line = line[:end]
	}
	token, pos := nextToken(line, 0)
	if token == nil {
		return nil
	}
	label := token
	if bytes.IndexByte(token, ':') >= 0 {
		if !p.labelOptional {
			return p.fault(pos+1, "no label before "+quote(token), "begin every line with its label")
		}
		label = nil
	} else {
		p.labels++
		if !isText(label) {
			return p.fault(pos+1, "label "+quote(label)+" is not UTF-8 text", "save the file as UTF-8")
		}
		token, pos = nextToken(line, pos+len(token))
	}
	if err := p.raw.add(label, p.n); err != nil {
		return err
	}
	last := int64(0)
	for ; token != nil; token, pos = nextToken(line, pos+len(token)) {
		index, err := p.entry(token, pos, last)
		if err != nil {
			return err
		}
		last = index
	}
	var err error
	if p.start, err = grow(p.mem, p.start, 1, p.n); err != nil {
		return err
	}
	if p.at, err = grow(p.mem, p.at, 1, p.n); err != nil {
		return err
	}
	p.start, p.at = append(p.start, len(p.index)), append(p.at, p.n)
	return nil
}

// entry takes index:value in and returns the index.
func (p *svmReader) entry(token []byte, pos int, last int64) (int64, error) {
	colon := bytes.IndexByte(token, ':')
	if colon < 0 {
		return 0, p.fault(pos+1, quote(token)+" is no index:value", "write entries as index:value, a blank between them")
	}
	name := token[:colon]
	if string(name) == "qid" {
		return 0, p.fault(pos+1, "qid: ranking queries are not supported", "remove the qid fields")
	}
	index := int64(0)
	for _, c := range name {
		if c-'0' > 9 {
			return 0, p.fault(pos+1, "index "+quote(name)+" is no whole number", "number the features from 1")
		}
		// Stopping at 2^31 keeps any number of digits from overflowing.
		index = min(index*10+int64(c-'0'), math.MaxInt32+1)
	}
	switch {
	case len(name) == 0:
		return 0, p.fault(pos+1, "no index before the colon", "write entries as index:value, without blanks around the colon")
	case index == 0:
		return 0, p.fault(pos+1, "index 0", "number the features from 1")
	case index > math.MaxInt32:
		return 0, p.fault(pos+1, "index "+quote(name)+" is not below 2^31", "renumber the features")
	case index <= last:
		return 0, p.fault(pos+1, fmt.Sprintf("index %d after %d", index, last), "sort the entries of each row by index, each index once")
	}
	v, what, remedy := number(token[colon+1:])
	if what != "" {
		return 0, p.fault(pos+colon+2, fmt.Sprintf("feature %d: %s", index, what), remedy)
	}
	if p.dim > 0 && index > int64(p.dim) {
		p.beyond++
		return index, nil
	}
	p.width = max(p.width, int(index))
	if v == 0 {
		return index, nil
	}
	var err error
	if p.index, err = grow(p.mem, p.index, 1, p.n); err != nil {
		return 0, err
	}
	if p.value, err = grow(p.mem, p.value, 1, p.n); err != nil {
		return 0, err
	}
	p.index, p.value = append(p.index, int32(index-1)), append(p.value, v)
	return index, nil
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
