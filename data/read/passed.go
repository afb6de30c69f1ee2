package read

// Rows that are none: what stands among or below the rows of a table and is not of it. Passed over, and said, are
//
//	rules         lines of dashes between names and rows, as Markdown has them,
//	names         the line of names again, as joined files and printed pages have it,
//	subtotals     rows that begin with the word,
//	notes         at the end, sentences or titles in lines of too few cells, or of one cell with words before empty ones.
//
// Cost: rows of numbers alone are never looked at; of others the first cell.

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/columns"
)

// kinds of rows that are passed over.
const (
	ruled = iota
	named
	summed
	passedKinds
)

// passed counts rows that are passed over, and knows the line of the first of each kind.
type passed struct{ n, line [passedKinds]int }

// pass says whether a record is no row, and counts it then.
func (p *passed) pass(f []field, names []string, line int) bool {
	kind := 0
	switch {
	case isRule(f):
		kind = ruled
	case isNames(f, names):
		kind = named
	case isSubtotal(f):
		kind = summed
	default:
		return false
	}
	if p.n[kind]++; p.line[kind] == 0 {
		p.line[kind] = line
	}
	return true
}

// add counts those of a part that follows.
func (p *passed) add(o *passed) {
	for k, n := range o.n {
		if p.n[k] += n; p.line[k] == 0 {
			p.line[k] = o.line[k]
		}
	}
}

// says lists what is told of them.
func (p *passed) says(file string) (list []Warning) {
	for k, what := range [...]string{
		ruled: "a line of dashes is no row and is passed over", named: "the names stand here again: no row, and passed over",
		summed: "a subtotal is no row and is passed over",
	} {
		if n := p.n[k]; n > 0 {
			if n > 1 {
				what += fmt.Sprintf(", as %d further ones are", n-1)
			}
			list = append(list, Warning{File: file, Line: p.line[k], Guess: true, What: what})
		}
	}
	return list
}

// isRule says whether all cells that have something are three dashes or more, with colons perhaps, and there are two of them.
func isRule(f []field) bool {
	n := 0
	for _, v := range f {
		if len(v.text) == 0 {
			continue
		}
		begins := strings.IndexByte("-=:", v.text[0]) >= 0 && len(v.text) >= 3 && !v.quoted
		if !begins || len(bytes.Trim(v.text, "-=:")) > 0 || !bytes.ContainsAny(v.text, "-=") {
			return false
		}
		n++
	}
	return n > 1
}

// isNames says whether a record has the names of all columns.
func isNames(f []field, names []string) bool {
	if len(f) < len(names) || len(names) < 2 {
		return false
	}
	for c, name := range names {
		text := f[c].text
		if string(text) != name && (isPlain(text) || !isSame(text, name)) {
			return false
		}
	}
	return true
}

// isSame says whether a cell is a name as names are compared.
func isSame(cell []byte, name string) bool {
	text, _, _, ok := compared(cell)
	return ok && string(text) == name
}

// subtotals are words with which rows begin that sum up those before them.
var subtotals = []string{"subtotal", "subtotals", "sub-total", "sub total", "zwischensumme", "sous-total", "subtotale", "tussentotaal"}

// isSubtotal says whether the first cell that has something begins with such a word.
func isSubtotal(f []field) bool {
	at := slices.IndexFunc(f, func(v field) bool { return len(v.text) > 0 })
	if at < 0 || at == len(f)-1 {
		return false
	}
	text := f[at].text
	if len(text) < 2 {
		return false
	}
	switch string([]byte{text[0] | 0x20, text[1] | 0x20}) {
	case "su", "zw", "so", "tu":
	default:
		return false
	}
	return slices.ContainsFunc(subtotals, func(w string) bool {
		return len(text) >= len(w) && strings.EqualFold(string(text[:len(w)]), w) &&
			(len(text) == len(w) || text[len(w)] == ' ' || text[len(w)] == ':')
	})
}

const (
	leastNote = 3  // words of a sentence
	mostNotes = 20 // lines below a table
)

// isNote says whether a record can be one of the lines below a table of so many columns: a sentence in its first cell, nothing beside it,
// or, below a blank line or another note, words in half of the cells or fewer. The end of a row that was torn off is neither.
func isNote(f []field, width int, apart bool) bool {
	if width < 2 || len(f) == 0 || len(f) >= width && !isVoid(f[1:]) { // as of nearly all rows
		return false
	}
	if len(f[0].text) == 0 || columns.ShapeOf(f[0].text) != columns.Word || f[0].text[0] == '"' {
		return false
	}
	sentence := len(bytes.Fields(f[0].text)) >= leastNote
	if len(f) >= width {
		return width > 2 && sentence
	}
	return sentence && (apart || isVoid(f[1:])) || apart && 2*sampled{fields: f}.filled() <= width
}

// notes are lines that may stand below a table.
type notes struct {
	line, n int
	fault   error // what is to be said if rows follow
}

// note takes a record in that may be one; fault is what is wrong with it as a row, nil if nothing is.
func (n *notes) note(line int, fault error) {
	if n.n++; n.line == 0 {
		n.line = line
	}
	if n.fault == nil {
		n.fault = fault
	}
}

// row notes that a row follows: what was noted is none of the notes below the table.
func (n *notes) row() error {
	err := n.fault
	*n = notes{}
	return err
}

// join adds those of a part that follows, which has rows, or has not.
func (n *notes) join(o *notes, rows bool) error {
	if rows {
		if err := n.row(); err != nil {
			return err
		}
	}
	if o.n > 0 {
		if n.n += o.n; n.line == 0 {
			n.line = o.line
		}
		if n.fault == nil {
			n.fault = o.fault
		}
	}
	return nil
}

// mayBeNote marks the fault of a short record that may be a note, so that the text is looked at whole.
func mayBeNote(err error) error {
	var fault *Error
	if errors.As(err, &fault) {
		fault.cell = true
	}
	return err
}
