package read

// Records of CSV text: fields in quotes or without, the long way by which all that is not plain goes.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/text"
)

// maxQuotedLines bounds a quoted field, so that a stray quote does not swallow a
// file; documents may be longer.
const (
	maxQuotedLines   = 1000
	maxDocumentLines = 1 << 20
)

// field is one value of a record; quoted text is never a number of a header.
type field struct {
	text   []byte
	quoted bool
	typed  bool // a number, or true or false, by what the file says (columns.Typed)
}

// records splits text into records of fields: values between delimiters, space
// around them dropped, or in double quotes, where "" is a quote and line ends may
// stand.
type records struct {
	lines
	delim  byte
	quote  byte // 0: none
	most   int  // lines of a quoted field
	widest int  // fields of a record, 0: any number
	line   int  // where the record begins
	buf    []byte
	fields []field
	room   []byte // for cells of the record with doubled quotes, if records are passing

	seenOnce
	passing bool // no record is looked at when the next is read
	ascii   bool // the record is a line of ASCII without NUL

	comment byte      // with which lines begin that are passed over, 0: none
	cells   int       // see dialect
	made    bool      // see dialect
	apart   bool      // the record stands below a blank line
	alone   int       // records of a block with quotes that seem to be cells of their own
	renamed []Warning // of names that stand twice
}

// as cuts records as a dialect says.
func (r *records) as(d *dialect) {
	r.delim, r.quote, r.comment, r.cells, r.made = d.delim, d.quote, d.comment, d.cells, d.made
}

// decode is compared, and notes where text is not UTF-8.
func (r *records) decode(text []byte) ([]byte, bool) {
	out, latin, apart, ok := compared(text)
	note(&r.latin, latin, r.line)
	note(&r.composed, apart, r.line)
	return out, ok
}

// document is a document as UTF-8, and notes where text is not UTF-8.
func (r *records) document(cell []byte) []byte {
	out, latin, broken := text.UTF8(cell)
	note(&r.latin, latin, r.line)
	note(&r.torn, broken, r.line)
	return out
}

// isASCII says whether text has no letter that could be written in two ways.
func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isPlain says whether text is ASCII without NUL, as most cells are. Eight bytes are looked at as one word: less 1 each, NUL borrows and
// has the high bit that no byte of ASCII has.
func isPlain(text []byte) bool {
	for len(text) >= 8 {
		eight := binary.LittleEndian.Uint64(text)
		if (eight|(eight-0x0101010101010101))&0x8080808080808080 != 0 {
			return false
		}
		text = text[8:]
	}
	for _, c := range text {
		if c-1 >= utf8.RuneSelf-1 {
			return false
		}
	}
	return true
}

// next returns the next record that is not blank, valid until the next call.
func (r *records) next() ([]field, error) {
	r.apart = false
	for {
		b, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		if f, err := r.record(b); err != nil || f != nil {
			return f, err
		}
		r.apart = true
	}
}

// record returns the record that begins with a line, nil if that is blank.
func (r *records) record(b []byte) ([]field, error) {
	f, err := r.begun(b)
	if r.made {
		for c := range f {
			v := &f[c]
			if columns.Typed(v.text) {
				v.typed, v.quoted = !v.quoted, false // quotes say that it is text, and no more
			}
			if bytes.IndexByte(v.text, lineBreak) >= 0 {
				v.text = bytes.ReplaceAll(v.text, []byte{lineBreak}, []byte{'\n'})
			}
		}
	}
	return f, err
}

func (r *records) begun(b []byte) ([]field, error) {
	r.line, r.room = r.n, r.room[:0]
	if len(r.trimLeft(b)) == 0 {
		return nil, nil
	}
	if r.comment != 0 && b[0] == r.comment {
		return nil, r.passOver(b)
	}
	r.ascii = isPlain(b)
	if r.delim != ' ' && (r.quote == 0 || bytes.IndexByte(b, r.quote) < 0) {
		return r.fields, r.unquoted(b)
	}
	closed, err := r.split(b)
	if err != nil || closed {
		return r.fields, err
	}
	r.ascii = false                                                       // what follows is not looked at yet
	after := bytes.Count(r.fields[len(r.fields)-1].text, []byte{r.delim}) // the quote that is open
	r.buf = append(r.buf[:0], b...)
	for n := 1; !closed; n++ {
		b, err := r.lines.next()
		if errors.Is(err, io.EOF) || err == nil && n == r.most {
			return nil, r.fault(len(r.fields), "quote never closed", "close it, or double it where it is meant")
		}
		if err != nil {
			return nil, err
		}
		r.buf = append(append(r.buf, '\n'), b...)
		if bytes.IndexByte(b, r.quote) < 0 {
			continue // closes nothing
		}
		if closed, err = r.split(r.buf); err != nil {
			return nil, err
		}
		if closed && after > 0 && r.dittos(after) {
			return nil, r.fault(0, "quotes stand alone in cells, as for what stands above, and take in the lines up to the next",
				"write out what they stand for, or say --quote none")
		}
	}
	return r.fields, nil
}

// dittos says whether this is the second record of a block in which some value of several lines begins with a delimiter, ends with one or
// with a line, and has as many delimiters in its first line as stand behind it: what is between two quotes that are cells of their own.
func (r *records) dittos(after int) bool {
	for c, v := range r.fields {
		n := len(v.text)
		if v.quoted && n > 1 && v.text[0] == r.delim && bytes.IndexByte(v.text, '\n') > 1 && len(r.fields)-1-c == after &&
			(v.text[n-1] == '\n' || v.text[n-1] == r.delim) {
			r.alone++
			break
		}
	}
	return r.alone > 1
}

// passOver passes a comment over. Where comments were guessed, one that has the cells of a row is refused.
func (r *records) passOver(b []byte) error {
	if r.cells < 2 {
		return nil
	}
	if closed, err := r.split(b); err != nil || !closed || len(r.fields) != r.cells {
		return nil //nolint:nilerr // it is no row
	}
	return r.fault(0, fmt.Sprintf("the line begins with %c as comments do, and has as many cells as a row", r.comment),
		fmt.Sprintf("say --comment none if it is a row, --comment %q if it is none", r.comment))
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

// complete refuses a record that has not as many fields as the first line. A delimiter at the end of a row is no fault.
func (r *records) complete(f []field, width int) error {
	if len(f) == width || len(f) == width+1 && isVoid(f[width:]) {
		return nil
	}
	return r.fault(
		min(len(f), width+1),
		fmt.Sprintf("%d values where the first line has %d", len(f), width),
		"give every row as many values as there are columns",
	)
}

// answer is the label of a record, nil if no column has labels.
func (r *records) answer(f []field, label int) ([]byte, error) {
	if label < 0 {
		return nil, nil
	}
	text, ok := r.decode(f[label].text)
	if !ok {
		return nil, r.fault(label+1, "label "+quote(f[label].text)+" is not text", "save the file as UTF-8")
	}
	return text, nil
}

// isVoid says whether no field has a value.
func isVoid(f []field) bool {
	return !slices.ContainsFunc(f, func(v field) bool { return v.quoted || len(v.text) > 0 })
}

// told is the delimiter that a first line such as sep=; says, as spreadsheets write it; 0: it says none.
func told(b []byte) byte {
	b = bytes.Trim(b, "\" ")
	if len(b) == len("sep=;") && bytes.EqualFold(b[:4], []byte("sep=")) && strings.IndexByte(delimiters, b[4]) >= 0 {
		return b[4]
	}
	return 0
}

// blanked is the number of values of a line that is divided by blanks, 0 if it is not.
func (r *records) blanked(line []byte) int {
	own := records{delim: ' ', quote: r.quote, widest: r.widest}
	if closed, err := own.split(line); err != nil || !closed {
		return 0
	}
	return len(own.fields)
}

// delimiters are tried in this order.
const delimiters = ",;\t|"

// delimiter returns the most frequent of the delimiters outside quotes in a line; the comma where none is found.
func delimiter(b []byte) (delim byte, found bool) {
	var n [len(delimiters)]int
	inside := false
	for _, c := range b {
		if c == '"' {
			inside = !inside
		} else if k := strings.IndexByte(delimiters, c); k >= 0 && !inside {
			n[k]++
		}
	}
	best := 0
	for k := range n {
		if n[k] > n[best] {
			best = k
		}
	}
	return delimiters[best], n[best] > 0
}

// split sets fields to those of b; closed is false if b ends within quotes.
func (r *records) split(b []byte) (closed bool, err error) {
	r.fields = r.fields[:0]
	for {
		f, rest, state := r.cell(b)
		if state == stray {
			return false, r.fault(
				len(r.fields)+1,
				"quote inside the value "+quote(f.text),
				"put the whole value in quotes, and double quotes within",
			)
		}
		r.fields = append(r.fields, f)
		switch {
		case len(r.fields) == r.widest:
			return false, r.tooWide()
		case state == open:
			return false, nil
		case state == trailed:
			return false, r.fault(len(r.fields), "text after the closing quote", "double quotes within a quoted value")
		case len(rest) == 0:
			return true, nil
		}
		b = rest[1:]
	}
}

// unquoted is split of a line without quotes, whose delimiter is no blank.
func (r *records) unquoted(b []byte) error {
	r.fields = r.fields[:0]
	for {
		end := bytes.IndexByte(b, r.delim)
		if end < 0 {
			end = len(b)
		}
		text := b[:end]
		if end > 0 && (text[0] <= ' ' || text[end-1] <= ' ') {
			text = r.trim(text)
		}
		r.fields = append(r.fields, field{text: text})
		if len(r.fields) == r.widest {
			return r.tooWide()
		}
		if end == len(b) {
			return nil
		}
		b = b[end+1:]
	}
}

// tooWide is the fault of a record of more fields than memory is allowed for.
func (r *records) tooWide() error {
	return &Error{File: r.file, Line: r.line,
		What: fmt.Sprintf("more than %d columns, which need more memory than is allowed",
			r.widest-1), Remedy: "raise --memory, or give LIBSVM text, whose columns have no names"}
}

// states of a field.
type state int

const (
	right   state = iota
	open          // its quote is not closed
	stray         // it has a quote within
	trailed       // something follows its closing quote
)

// cell returns the field at the beginning of b and what follows it, which is nothing or begins with
// a delimiter if the field is right.
func (r *records) cell(b []byte) (f field, rest []byte, s state) {
	start := r.trimLeft(b)
	if len(start) == 0 || start[0] != r.quote || r.quote == 0 {
		if r.delim == ' ' {
			b = start
		}
		end := r.end(b)
		if r.quote != 0 && bytes.IndexByte(b[:end], r.quote) >= 0 {
			if f, rest, ok := r.asText(start); ok {
				return f, rest, right
			}
			return field{text: b[:end]}, nil, stray
		}
		rest, _ = r.after(b[end:])
		return field{text: r.trim(b[:end])}, rest, right
	}
	text, rest, ok := r.unquote(start[1:])
	if !ok {
		return field{text: start[1:], quoted: true}, nil, open
	}
	if rest, ok = r.after(rest); !ok {
		return field{text: text, quoted: true}, nil, trailed
	}
	if n := len(text); n > 2 && text[0] == '=' && text[1] == r.quote && bytes.IndexByte(text[2:], r.quote) == n-3 {
		text = text[2 : n-1] // as asText reads it, from a program that quotes such a cell once more
	}
	return field{text: text, quoted: true}, rest, right
}

// asText reads ="0012", as spreadsheets write a number that is to stay text.
func (r *records) asText(b []byte) (f field, rest []byte, ok bool) {
	if len(b) < 3 || b[0] != '=' || b[1] != r.quote {
		return f, nil, false
	}
	text, rest, ok := r.unquote(b[2:])
	if !ok {
		return f, nil, false
	}
	rest, ok = r.after(rest)
	return field{text: text, quoted: true}, rest, ok
}

// end is where the value without quotes at the beginning of b ends.
func (r *records) end(b []byte) int {
	end := bytes.IndexByte(b, r.delim)
	if r.delim == ' ' {
		end = bytes.IndexAny(b, " \t")
	}
	if end < 0 {
		return len(b)
	}
	return end
}

// after cuts the space after a value: nothing is left, or a delimiter and what follows it. ok is false if it is something else.
func (r *records) after(rest []byte) (left []byte, ok bool) {
	next := r.trimLeft(rest)
	if r.delim == ' ' && 0 < len(next) && len(next) < len(rest) {
		return rest[len(rest)-len(next)-1:], true // a run of blanks is one delimiter
	}
	return next, len(next) == 0 || next[0] == r.delim
}

// unquote returns the text up to the closing quote and what follows it. The text
// is b itself unless it holds doubled quotes.
func (r *records) unquote(b []byte) (text, rest []byte, ok bool) {
	var out []byte
	from := -1
	for {
		end := bytes.IndexByte(b, r.quote)
		if end < 0 {
			return nil, nil, false
		}
		single := end+1 == len(b) || b[end+1] != r.quote
		if single && from < 0 {
			return b[:end], b[end+1:], true
		}
		if from < 0 {
			out, from = r.room, len(r.room)
		}
		if single {
			if out = append(out, b[:end]...); r.passing {
				r.room = out
			}
			return out[from:len(out):len(out)], b[end+1:], true
		}
		out = append(out, b[:end+1]...)
		b = b[end+2:]
	}
}
