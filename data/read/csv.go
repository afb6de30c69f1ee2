package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// maxQuotedLines bounds a quoted field, so that a stray quote does not swallow a
// file.
const maxQuotedLines = 1000

// field is one value of a record; quoted text is never a number of a header.
type field struct {
	text   []byte
	quoted bool
}

// records splits text into records of fields: values between delimiters, space
// around them dropped, or in double quotes, where "" is a quote and line ends may
// stand.
type records struct {
	*lines
	delim  byte
	line   int // where the record begins
	buf    []byte
	fields []field
}

// next returns the next record that is not blank, valid until the next call.
func (r *records) next() ([]field, error) {
	for {
		b, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		r.line = r.n
		if r.delim == 0 {
			r.delim = delimiter(b)
		}
		if len(r.trimLeft(b)) == 0 {
			continue
		}
		closed, err := r.split(b)
		if err != nil || closed {
			return r.fields, err
		}
		r.buf = append(r.buf[:0], b...)
		for n := 1; !closed; n++ {
			b, err := r.lines.next()
			if errors.Is(err, io.EOF) || err == nil && n == maxQuotedLines {
				return nil, r.fault(len(r.fields), "quote never closed", "close it, or double it where it is meant")
			}
			if err != nil {
				return nil, err
			}
			r.buf = append(append(r.buf, '\n'), b...)
			if closed, err = r.split(r.buf); err != nil {
				return nil, err
			}
		}
		return r.fields, nil
	}
}

// blank says whether c is space that is dropped around values.
func (r *records) blank(c byte) bool { return c == ' ' || c == '\t' && r.delim != '\t' }

// trimLeft drops the space before a value.
func (r *records) trimLeft(b []byte) []byte {
	for len(b) > 0 && r.blank(b[0]) {
		b = b[1:]
	}
	return b
}

// trim drops the space around a value.
func (r *records) trim(b []byte) []byte {
	b = r.trimLeft(b)
	for len(b) > 0 && r.blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func (r *records) fault(column int, what, remedy string) error {
	return &Error{File: r.file, Line: r.line, Column: column, What: what, Remedy: remedy}
}

// delimiter returns the most frequent of comma, semicolon and tab outside
// quotes in the first line; the comma where none occurs.
func delimiter(b []byte) byte {
	var n [3]int
	inside := false
	const candidates = ",;\t"
	for _, c := range b {
		if c == '"' {
			inside = !inside
		} else if k := strings.IndexByte(candidates, c); k >= 0 && !inside {
			n[k]++
		}
	}
	best := 0
	for k := range n {
		if n[k] > n[best] {
			best = k
		}
	}
	return candidates[best]
}

// split sets fields to those of b; closed is false if b ends within quotes.
func (r *records) split(b []byte) (closed bool, err error) {
	r.fields = r.fields[:0]
	for {
		start := r.trimLeft(b)
		if len(start) == 0 || start[0] != '"' {
			end := bytes.IndexByte(b, r.delim)
			text := b
			if end >= 0 {
				text = b[:end]
			}
			if bytes.IndexByte(text, '"') >= 0 {
				return false, r.fault(
					len(r.fields)+1,
					"quote inside the value "+quote(text),
					"put the whole value in quotes, and double quotes within",
				)
			}
			r.fields = append(r.fields, field{text: r.trim(text)})
			if end < 0 {
				return true, nil
			}
			b = b[end+1:]
			continue
		}
		text, rest, ok := unquote(start[1:])
		r.fields = append(r.fields, field{text, true})
		if !ok {
			return false, nil
		}
		rest = r.trimLeft(rest)
		if len(rest) == 0 {
			return true, nil
		}
		if rest[0] != r.delim {
			return false, r.fault(len(r.fields), "text after the closing quote", "double quotes within a quoted value")
		}
		b = rest[1:]
	}
}

// unquote returns the text up to the closing quote and what follows it. The text
// is b itself unless it holds doubled quotes.
func unquote(b []byte) (text, rest []byte, ok bool) {
	var out []byte
	for {
		end := bytes.IndexByte(b, '"')
		if end < 0 {
			return nil, nil, false
		}
		if end+1 == len(b) || b[end+1] != '"' {
			if out == nil {
				return b[:end], b[end+1:], true
			}
			return append(out, b[:end]...), b[end+1:], true
		}
		out = append(out, b[:end+1]...)
		b = b[end+2:]
	}
}

// table says where the columns of a CSV file go.
type table struct {
	width    int
	columns  []int // field of each feature
	names    []string
	label    int // field of the label, -1 = none
	labelled string
}

// CSV reads comma-, semicolon- or tab-separated text; the first line decides.
// That line names the columns, unless all its fields, the last apart, are
// unquoted numbers that do not count up from 0 or 1: then it is data, the
// columns are x0, x1, ... and the last is the label. Blank lines are skipped.
func CSV(in io.Reader, file string, o Options) (*data.Set, []Warning, error) {
	ls, err := newLines(in, file)
	if err != nil {
		return nil, nil, err
	}
	r := &records{lines: ls}
	first, err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, nil, &Error{File: file, What: "empty file", Remedy: "give a header line and rows"}
	}
	if err != nil {
		return nil, nil, err
	}
	t, headless, warnings, err := r.layout(first, o)
	if err != nil {
		return nil, nil, err
	}
	mem := &budget{file: file, limit: o.MemoryLimit}
	p := &csvReader{records: r, table: t, o: o, mem: mem, raw: newAnswers(mem, o.UnlabelledMark)}
	if headless {
		if err := p.row(first); err != nil {
			return nil, nil, err
		}
	}
	for {
		f, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if err := p.row(f); err != nil {
			return nil, nil, err
		}
	}
	if len(p.at) == 0 {
		return nil, nil, &Error{File: file, Line: r.n, What: "a header but no rows", Remedy: "give rows of data below it"}
	}
	s := &data.Set{Name: file, Source: file, Features: t.names, LabelName: t.labelled, Answers: p.raw.all, Lines: p.at}
	s.Rows.Dense = mat.NewDense(len(p.at), len(t.columns), p.x)
	return s, warnings, nil
}

// layout reads the first record: names of columns, or data.
func (r *records) layout(first []field, o Options) (t *table, headless bool, w []Warning, err error) {
	if !isData(first) {
		t, ignored, err := r.header(first, o)
		if ignored > 0 {
			w = append(w, Warning{r.file, r.line, fmt.Sprintf("%d columns the model does not know are ignored", ignored)})
		}
		return t, false, w, err
	}
	if t, err = r.unnamed(first, o); err != nil {
		return nil, true, nil, err
	}
	what := fmt.Sprintf("no header line; columns are named %s to %s", t.names[0], t.names[len(t.names)-1])
	if t.label >= 0 {
		what += ", the last is the label"
	}
	return t, true, []Warning{{r.file, r.line, what}}, nil
}

// csvReader takes rows in.
type csvReader struct {
	*records
	*table
	o   Options
	mem *budget
	raw *answers
	x   []float64
	at  []int // line of each row
}

// row takes one record in.
func (p *csvReader) row(f []field) (err error) {
	if len(p.at) == 0 && p.o.guesses() {
		p.setAside(f)
	}
	if len(f) != p.width {
		return p.fault(
			min(len(f), p.width+1),
			fmt.Sprintf("%d values where the first line has %d", len(f), p.width),
			"give every row as many values as there are columns",
		)
	}
	if p.x, err = grow(p.mem, p.x, len(p.columns), p.line); err != nil {
		return err
	}
	for j, c := range p.columns {
		v, what, remedy := number(f[c].text)
		if what != "" {
			if p.o.guesses() && c == p.width-1 {
				remedy += ", or name it with --label if it holds labels"
			}
			return p.fault(c+1, fmt.Sprintf("column %q: %s", p.names[j], what), remedy)
		}
		p.x = append(p.x, v)
	}
	if p.at, err = grow(p.mem, p.at, 1, p.line); err != nil {
		return err
	}
	p.at = append(p.at, p.line)
	if p.label < 0 {
		return nil
	}
	text := f[p.label].text
	if !isText(text) {
		return p.fault(p.label+1, "label "+quote(text)+" is not UTF-8 text", "save the file as UTF-8")
	}
	return p.raw.add(text, p.line)
}

// numbers says whether all fields are unquoted numbers.
func numbers(f []field) bool {
	for _, v := range f {
		if _, ok := data.Number(string(v.text)); v.quoted || !ok {
			return false
		}
	}
	return true
}

// isData says whether the first record holds data rather than names.
func isData(f []field) bool {
	most := f
	if len(f) > 1 {
		most = f[:len(f)-1]
	}
	if !numbers(most) {
		return false
	}
	for from := range 2 {
		counting := len(most) > 1
		for j, v := range f {
			if _, number := data.Number(string(v.text)); j < len(most) || number {
				counting = counting && string(v.text) == strconv.Itoa(j+from)
			}
		}
		if counting {
			return false
		}
	}
	return true
}

// guesses says whether the data are to show if their last column is one of answers.
func (o Options) guesses() bool {
	return o.LabelOptional && o.LabelNamed && o.Label == "" && o.Want == nil && o.Dim == 0
}

// setAside makes the last column that of the answers if none is and its first value is a
// word, for words are no features.
func (t *table) setAside(first []field) {
	last := len(t.columns) - 1
	if t.label >= 0 || last < 1 || len(first) != t.width {
		return
	}
	word := string(first[t.width-1].text)
	if _, ok := data.Number(word); ok || data.IsUnlabelled(word) {
		return
	}
	t.label, t.labelled = t.columns[last], t.names[last]
	t.columns, t.names = t.columns[:last], t.names[:last]
}

// unnamed lays out columns without a header, of which the first record is given.
func (r *records) unnamed(first []field, o Options) (*table, error) {
	n := len(first)
	t := &table{width: n, label: n - 1, labelled: "label"}
	d := n - 1
	want := max(len(o.Want), o.Dim)
	switch {
	case o.Label != "" && o.Label != t.labelled && !o.LabelOptional:
		return nil, r.fault(0, fmt.Sprintf("no header line, so no column %q", o.Label), "give a header line that names the columns")
	case want > 0 && want == n && o.LabelOptional:
		t.label, t.labelled, d = -1, "", n
	case want > 0 && want != d:
		return nil, r.fault(
			0,
			fmt.Sprintf("%d columns without names, but %d features are expected", n, want),
			"give a header line that names the columns",
		)
	case want == 0 && o.LabelOptional && (n == 1 || o.guesses() && numbers(first)):
		t.label, t.labelled, d = -1, "", n
	}
	if d == 0 {
		return nil, r.fault(0, "one column only", "give at least one feature beside the label")
	}
	for j := range d {
		t.columns = append(t.columns, j)
		t.names = append(t.names, "x"+strconv.Itoa(j))
	}
	if o.Want != nil {
		t.names = slices.Clone(o.Want)
	}
	return t, nil
}

// header lays out named columns and counts those ignored.
func (r *records) header(f []field, o Options) (t *table, ignored int, err error) {
	t = &table{width: len(f), label: -1}
	at := make(map[string]int, len(f))
	all := make([]string, len(f))
	for c, v := range f {
		name := string(v.text)
		if !isText(v.text) {
			return nil, 0, r.fault(c+1, "column name "+quote(v.text)+" is not UTF-8 text", "save the file as UTF-8")
		}
		if name == "" {
			return nil, 0, r.fault(c+1, "a column without a name", "name it or remove it (an index column is no feature)")
		}
		if old, ok := at[name]; ok {
			return nil, 0, r.fault(c+1, fmt.Sprintf("columns %d and %d are both named %q", old+1, c+1, name), "rename or remove one")
		}
		at[name], all[c] = c, name
	}
	if t.label, err = r.labelColumn(at, all, o); err != nil {
		return nil, 0, err
	}
	if t.label >= 0 {
		t.labelled = all[t.label]
	}
	if o.Want != nil {
		for _, name := range o.Want {
			c, ok := at[name]
			if !ok {
				return nil, 0, r.fault(
					0,
					fmt.Sprintf("no column %q, which the model needs; columns are %s", name, listed(all)),
					"add it, or use a file with the columns of the training data",
				)
			}
			t.columns = append(t.columns, c)
		}
		t.names = slices.Clone(o.Want)
		ignored = len(f) - len(t.columns)
		if t.label >= 0 && !slices.Contains(t.columns, t.label) {
			ignored--
		}
	} else {
		for c, name := range all {
			if c != t.label {
				t.columns = append(t.columns, c)
				t.names = append(t.names, name)
			}
		}
	}
	if len(t.columns) == 0 {
		return nil, 0, r.fault(0, "no feature column", "give at least one feature beside the label")
	}
	if o.Dim > 0 && len(t.columns) != o.Dim {
		return nil, 0, r.fault(
			0,
			fmt.Sprintf("%d features, the model has %d", len(t.columns), o.Dim),
			"use a file with the columns of the training data",
		)
	}
	return t, ignored, nil
}

// labelColumn returns the field of the label, -1 if there is none and need be none.
func (r *records) labelColumn(at map[string]int, all []string, o Options) (int, error) {
	if o.Label != "" {
		if c, ok := at[o.Label]; ok {
			return c, nil
		}
		if o.LabelOptional {
			return -1, nil
		}
		return 0, r.fault(
			0,
			fmt.Sprintf("no column %q for the label; columns are %s", o.Label, listed(all)),
			"name one of them with --label",
		)
	}
	for _, name := range []string{"label", "target"} {
		if c, ok := at[name]; ok && !slices.Contains(o.Want, name) {
			return c, nil
		}
	}
	last := len(all) - 1
	if o.guesses() && last > 0 {
		if c := slices.IndexFunc(all, func(name string) bool { return strings.EqualFold(name, "class") }); c >= 0 {
			return c, nil
		}
	}
	if o.LabelOptional && (o.Want != nil || o.Dim == len(all) || o.LabelNamed) || slices.Contains(o.Want, all[last]) {
		if o.LabelOptional {
			return -1, nil
		}
		return 0, r.fault(0, fmt.Sprintf("no label column; columns are %s", listed(all)), "name one of them with --label")
	}
	return last, nil
}

// listed returns names for a message, the first few of many.
func listed(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}
