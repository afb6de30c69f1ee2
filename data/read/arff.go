package read

// ARFF, the format of Weka: attributes are declared, then rows follow as lines of values with commas between them, or, sparse, of pairs
// of a number from 0 and a value in braces, where 0 or the first declared word stands for what is left out. A value may be in single or
// double quotes, % begins a comment, and ? is a missing value. Attributes of kind relational are refused.
// Source: the manual of Weka 3.9, section ARFF.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

const (
	mostDeclared = 64      // words of an attribute that are levels of its column; of more the cells decide
	mostChecked  = 1 << 14 // words of an attribute that cells are compared with
)

// arff is a file of which the declarations were read.
type arff struct {
	file       string
	attributes []attribute
	above      int // lines up to @data
}

// attribute is a declared column.
type attribute struct {
	raw    string          // its name as it is written
	name   string          // and as names of columns are compared
	words  []string        // of a nominal one, as they are written
	known  map[string]bool // and as cells are compared
	number bool
}

// isARFF says whether a text begins as ARFF does.
func isARFF(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '%' {
			return startsWith(line, "@relation") || startsWith(line, "@attribute")
		}
	}
	return false
}

// startsWith says whether a line begins with a word, in any case.
func startsWith(line []byte, word string) bool {
	return len(line) >= len(word) && bytes.EqualFold(line[:len(word)], []byte(word)) &&
		(len(line) == len(word) || line[len(word)] == ' ' || line[len(word)] == '\t')
}

// newARFF reads the declarations.
func newARFF(ls *lines) (*arff, error) {
	a := &arff{file: ls.file}
	seen := map[string]bool{}
	for {
		line, err := ls.next()
		if errors.Is(err, io.EOF) {
			return nil, &Error{File: a.file, What: "ARFF without @data", Remedy: "make or fetch the file again"}
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '%' || startsWith(line, "@relation"):
		case startsWith(line, "@data"):
			a.above = ls.n
			if len(a.attributes) == 0 {
				return nil, &Error{File: a.file, Line: ls.n, What: "no attributes are declared", Remedy: "make or fetch the file again"}
			}
			return a, nil
		case startsWith(line, "@attribute"):
			at, what := declared(line[len("@attribute"):])
			if what == "" && seen[at.name] {
				what = fmt.Sprintf("attribute %q is declared twice", at.name)
			}
			if what != "" {
				return nil, &Error{File: a.file, Line: ls.n, What: what, Remedy: "correct the declaration"}
			}
			seen[at.name] = true
			a.attributes = append(a.attributes, at)
		default:
			return nil, &Error{File: a.file, Line: ls.n, What: "neither a declaration of ARFF nor a comment",
				Remedy: "correct or remove the line"}
		}
	}
}

// declared reads the name and the kind of an attribute; what is wrong with them otherwise.
func declared(text []byte) (at attribute, what string) {
	name, rest, ok := token(bytes.TrimSpace(text), " \t{")
	if !ok || len(name) == 0 {
		return at, "an attribute without a name"
	}
	at.raw = string(name)
	if name, _, _, ok = compared(name); !ok {
		return at, fmt.Sprintf("the name %q of an attribute is not text", at.raw)
	}
	at.name = string(name)
	rest = bytes.TrimSpace(rest)
	if len(rest) > 0 && rest[0] == '{' {
		inner, closed := bytes.CutSuffix(rest[1:], []byte("}"))
		if !closed {
			return at, fmt.Sprintf("the words of attribute %q have no closing brace", at.name)
		}
		at.known = map[string]bool{}
		for len(bytes.TrimSpace(inner)) > 0 {
			var word []byte
			if word, inner, ok = token(bytes.TrimSpace(inner), ","); !ok {
				return at, fmt.Sprintf("a quote among the words of attribute %q is not closed", at.name)
			}
			level, ok := levelOf(word)
			if !ok {
				return at, fmt.Sprintf("the word %s of attribute %q is not text", quote(word), at.name)
			}
			if at.words = append(at.words, string(word)); len(at.known) < mostChecked {
				at.known[level] = true
			}
			inner = bytes.TrimPrefix(bytes.TrimSpace(inner), []byte(","))
		}
		if len(at.words) > mostChecked {
			at.words, at.known = at.words[:1], nil
		}
		return at, ""
	}
	kind, _, _ := token(rest, " \t")
	switch strings.ToLower(string(kind)) {
	case "numeric", "real", "integer":
		at.number = true
	case "string", "date":
	default:
		return at, fmt.Sprintf("attribute %q has the kind %q, and numeric, nominal, string and date are read", at.name, kind)
	}
	return at, ""
}

// levelOf is a declared word, or a value, as cells of a column of words are compared.
func levelOf(word []byte) (level string, ok bool) {
	word, _, _, ok = compared(word)
	return string(columns.Level(word)), ok
}

// token is the value at the beginning of text, in quotes or up to one of the characters that end it, and what follows it; ok is false
// if its quote is not closed.
func token(text []byte, ends string) (value, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '\'' && text[0] != '"' {
		if end := bytes.IndexAny(text, ends); end >= 0 {
			return bytes.TrimSpace(text[:end]), text[end:], true
		}
		return bytes.TrimSpace(text), nil, true
	}
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			value = append(value, unescaped(text[i]))
		case text[i] == quote:
			return value, text[i+1:], true
		default:
			value = append(value, text[i])
		}
	}
	return nil, nil, false
}

// unescaped is the character that one behind a backslash stands for. Lines stay lines, so that their ends are blanks.
func unescaped(c byte) byte {
	switch c {
	case 'n', 'r':
		return ' '
	case 't':
		return '\t'
	}
	return c
}

// columns are what the declarations say of the columns.
func (a *arff) columns() (list []data.Column) {
	for _, at := range a.attributes {
		if at.words != nil && at.known != nil && len(at.words) <= mostDeclared {
			levels := make([]string, len(at.words))
			for i, word := range at.words {
				levels[i], _ = levelOf([]byte(word)) // it is text
			}
			slices.Sort(levels)
			list = append(list, data.Column{Name: at.name, Kind: data.KindCategory, Levels: slices.Compact(levels)})
		}
	}
	return list
}

func (a *arff) names() (names []string, above int) {
	for _, at := range a.attributes {
		names = append(names, at.raw)
	}
	return names, a.above
}

// says is nothing: what is not UTF-8 is written as it is, and told by the reader of CSV.
func (a *arff) says() []Warning { return nil }

func (a *arff) row(to, line []byte, number int) ([]byte, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '%' {
		return to, nil
	}
	if line[0] == '{' {
		return a.sparse(to, line, number)
	}
	rest := line
	for c := range a.attributes {
		if c > 0 {
			if len(rest) == 0 || rest[0] != ',' {
				return to, a.fault(number, c, fmt.Sprintf("%d values where %d attributes are declared", c, len(a.attributes)))
			}
			rest, to = rest[1:], append(to, ',')
		}
		value, after, ok := token(bytes.TrimSpace(rest), ",")
		if !ok {
			return to, a.fault(number, c+1, "quote never closed")
		}
		if rest = bytes.TrimSpace(after); !a.has(c, value) {
			return to, a.fault(number, c+1, fmt.Sprintf("%s is not declared for attribute %q", quote(value), a.attributes[c].name))
		}
		to = appendCellText(to, field{text: value, typed: a.attributes[c].number})
	}
	if len(rest) > 0 {
		return to, a.fault(number, len(a.attributes)+1,
			fmt.Sprintf("more values than the %d attributes that are declared", len(a.attributes)))
	}
	return to, nil
}

// has says whether a value is one that an attribute may have.
func (a *arff) has(c int, value []byte) bool {
	known := a.attributes[c].known
	if known == nil || known[string(value)] || len(value) == 1 && value[0] == '?' {
		return true
	}
	level, ok := levelOf(value)
	return ok && known[level]
}

// sparse appends a row of pairs.
func (a *arff) sparse(to, line []byte, number int) ([]byte, error) {
	inner, closed := bytes.CutSuffix(line[1:], []byte("}"))
	if !closed {
		return to, a.fault(number, 0, "a sparse row without a closing brace")
	}
	values := make([][]byte, len(a.attributes))
	for len(bytes.TrimSpace(inner)) > 0 {
		index, rest, _ := token(bytes.TrimSpace(inner), " \t")
		c, err := strconv.Atoi(string(index))
		if err != nil || c < 0 || c >= len(values) || values[c] != nil {
			return to, a.fault(number, 0, "the number "+quote(index)+" of an attribute, which is none or stands twice")
		}
		value, after, ok := token(bytes.TrimSpace(rest), ",")
		if !ok || !a.has(c, value) {
			return to, a.fault(number, c+1, fmt.Sprintf("%s is not declared for attribute %q", quote(value), a.attributes[c].name))
		}
		values[c] = append([]byte{}, value...)
		inner = bytes.TrimPrefix(bytes.TrimSpace(after), []byte(","))
	}
	for c, v := range values {
		if c > 0 {
			to = append(to, ',')
		}
		switch words := a.attributes[c].words; {
		case v != nil:
			to = appendCellText(to, field{text: v, typed: a.attributes[c].number})
		case words != nil:
			to = appendCellText(to, field{text: []byte(words[0])})
		case a.attributes[c].number:
			to = append(to, '0')
		}
	}
	return to, nil
}

func (a *arff) fault(line, column int, what string) error {
	return &Error{File: a.file, Line: line, Column: column, What: what, Remedy: "give every row a value for each attribute"}
}

// readARFF reads rows of ARFF.
func readARFF(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	ls, err := newLines(ctx, in, file)
	if err != nil {
		return err
	}
	a, err := newARFF(ls)
	if err != nil {
		return err
	}
	take := to.take
	to.take = func(s *data.Set) error {
		s.Declared = a.classes(s.LabelName)
		return take(s)
	}
	return asCSV(ctx, ls, a, o, c, to)
}

// classes says whether the words of an attribute are declared, so that numbers among them are names.
func (a *arff) classes(name string) bool {
	return slices.ContainsFunc(a.attributes, func(at attribute) bool { return at.name == name && at.words != nil })
}
