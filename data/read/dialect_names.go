package read

// What stands above a table, which lines name its columns, and what its last columns are: see dialect.go.

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// drop passes the records before number n over, and the lines they stand on.
func (f *finder) drop(n int) {
	from := f.recs[n].line - 1 // lines that go
	for f.d.skip < from {
		end := bytes.IndexByte(f.head, '\n') + 1
		f.head = f.head[end:]
		f.d.skip, f.d.size = f.d.skip+1, f.d.size+end
	}
	f.recs = f.recs[n:]
}

// above passes over what stands above the table: comments and titles.
func (f *finder) above() {
	if f.o.Dialect.Skip != "" {
		return
	}
	if f.o.Dialect.Comment == "" {
		f.comments()
	}
	if len(f.recs) == 0 {
		return
	}
	width, count := commonest(f.recs)
	at := 0
	for i := range min(len(f.recs)-1, mostTitles) {
		if f.named(f.recs[i]) > 0 { // is the line of names
			at = i
			break
		}
	}
	if at == 0 && count >= 2 && f.named(f.recs[0]) == 0 {
		for at < min(len(f.recs)-2, mostTitles) && isTitle(f.recs[at], width) {
			at++
		}
		for at > 0 && f.recs[at-1].filled() > 1 && !f.over(at) { // several words are a title where names follow
			at--
		}
		if at > 0 && len(f.recs[at].fields) != width && len(f.recs[at].fields) != width-1 {
			at = 0
		}
	}
	if at > 0 {
		before := f.d.skip
		f.drop(at)
		f.d.guess(f.file, before+1, "%d lines above the table are passed over (--skip %d)", f.d.skip-before, f.d.skip)
	}
}

// isTitle says whether a record stands above a table of rows of so many cells.
func isTitle(s sampled, width int) bool {
	n := s.filled()
	if len(s.fields) < width {
		return 2*n <= width && (n > 1 || columns.ShapeOf(s.fields[0].text) == columns.Word || n == 0)
	}
	return n == 0 || n == 1 && len(s.fields[0].text) > 0 && width > 2 && columns.ShapeOf(s.fields[0].text) == columns.Word
}

// comments passes over lines that begin with #, of which the last may name the columns.
func (f *finder) comments() {
	width, count := commonest(f.recs)
	n := 0
	for n < len(f.recs) && f.recs[n].raw == '#' {
		n++
	}
	if n == len(f.recs) {
		return
	}
	if n > 0 && len(f.recs[n-1].fields) == width && (count < 2 || !f.over(n)) {
		n-- // has the names
	}
	later := slices.ContainsFunc(f.recs[n:], func(s sampled) bool { return s.raw == '#' && len(s.fields) != width })
	if n == 0 && !later {
		return
	}
	f.d.comment = '#'
	if n > 0 {
		f.drop(n)
		for _, s := range f.recs {
			later = later || s.raw == '#'
		}
	}
	f.recs = slices.DeleteFunc(f.recs, func(s sampled) bool { return s.raw == '#' && len(s.fields) != width })
	if len(f.recs) > 0 && f.recs[0].raw == '#' {
		f.d.comment = 0
	}
	if f.d.comment != 0 {
		f.d.cells = width
	}
	f.d.guess(f.file, f.d.skip, "lines that begin with # are passed over (--comment none)")
}

// evidence is what the cells of a line say of whether it has names.
type evidence struct{ names, data, again, words int }

// look compares the cells of record i with the columns below it, from record `from` on.
func (f *finder) look(i, from int) (e evidence) {
	width, _ := commonest(f.recs)
	for c, v := range f.recs[i].fields {
		numbers, words, quoted, same := 0, 0, 0, false
		for _, s := range f.recs[from:] {
			if len(s.fields) != width || c >= width {
				continue
			}
			below := s.fields[c]
			switch columns.ShapeOf(below.text) {
			case columns.Nothing:
				continue
			case columns.Word:
				words++
			default:
				numbers++
			}
			if below.quoted {
				quoted++
			}
			same = same || bytes.Equal(below.text, v.text)
		}
		shape := columns.ShapeOf(v.text)
		switch {
		case numbers+words == 0 || shape == columns.Nothing:
		case 5*numbers >= 4*(numbers+words) && (shape == columns.Word || v.quoted && quoted == 0):
			e.names++
		case 5*numbers >= 4*(numbers+words):
			e.data++
		default:
			e.words++
			if same {
				e.again++
			}
		}
	}
	return e
}

// over says whether record i has names of the columns below it.
func (f *finder) over(i int) bool { return f.look(i, i+1).names > 0 }

// names finds the lines that name the columns.
func (f *finder) names() {
	if a := f.o.Dialect.Header; a != "" {
		f.d.header, _ = number0(a) // a number, as find saw
		f.widen()
		f.last()
		return
	}
	switch first := f.recs[0]; {
	case f.named(first) > 0:
		f.furtherNames()
	case isData(first.fields) && !f.years() || f.isRow():
		f.d.header = 0
	default:
		f.furtherNames()
	}
	f.widen()
	f.last()
}

// isRow says whether the first record is one of data, though not all of it are numbers.
func (f *finder) isRow() bool {
	first := f.recs[0]
	if slices.ContainsFunc(first.fields, func(v field) bool { return v.quoted && columns.ShapeOf(v.text) == columns.Number }) {
		return false
	}
	if n := len(f.o.Want); n > 0 && f.o.Want[0] == "x0" && (len(first.fields) == n || len(first.fields) == n+1) && !f.over(0) {
		return true // as a file without names, of which the model was learned
	}
	if t := f.o.Table; t != nil && len(t.Columns) > 0 && t.Columns[0].Name == "x0" && len(first.fields) >= len(t.Columns)-1 && !f.over(0) {
		return true
	}
	if len(f.recs) < 3 || counts(first.fields) && !f.lastAgain() {
		return false
	}
	below := slices.DeleteFunc(slices.Clone(f.recs[1:]), func(s sampled) bool { return alike(s, first) })
	e := f.look(0, 1)
	if 3*(len(f.recs)-1-len(below)) < len(f.recs) { // few are the first again, as names are
		e = (&finder{recs: append(f.recs[:1:1], below...)}).look(0, 1)
	}
	if e.data > 0 {
		return e.data >= 4*e.names
	}
	return e.names == 0 && e.again > 0 && 2*e.again >= e.words && len(first.fields) > 1
}

// lastAgain says whether the last cell of the first record is a word that stands below it again, as an answer does.
func (f *finder) lastAgain() bool {
	c := len(f.recs[0].fields) - 1
	word := f.recs[0].fields[c].text
	return columns.ShapeOf(word) == columns.Word && slices.ContainsFunc(f.recs[1:], func(s sampled) bool {
		return c == len(s.fields)-1 && bytes.Equal(s.fields[c].text, word) && !alike(s, f.recs[0])
	})
}

// alike says whether two records have the same cells.
func alike(a, b sampled) bool {
	return slices.EqualFunc(a.fields, b.fields, func(v, w field) bool { return bytes.Equal(v.text, w.text) })
}

// counts says whether the numbers among the names count up, as years do.
func counts(f []field) bool {
	last, n := 0, 0
	for _, v := range f {
		k, err := strconv.Atoi(string(v.text))
		if err != nil {
			continue
		}
		if n > 0 && k != last+1 || n == 0 && (k < 1800 || k > 2100) && k != 0 && k != 1 {
			return false
		}
		last = k
		n++
	}
	return n > 1
}

// years says whether the first record names years that follow each other, and perhaps a last column, as a table of a year a column does.
func (f *finder) years() bool {
	first := f.recs[0].fields
	last := len(first) - 1
	if last < 1 || !counts(first) || f.lastAgain() {
		return false
	}
	k, err := strconv.Atoi(string(first[0].text))
	return err == nil && k >= 1800 && !slices.ContainsFunc(first[:last], func(v field) bool {
		_, err := strconv.Atoi(string(v.text))
		return err != nil
	}) && (last > 1 || columns.ShapeOf(first[last].text) == columns.Number)
}

// furtherNames finds lines of units or of further names below the first.
func (f *finder) furtherNames() {
	const enough = 3 // rows below, where no model knows the names
	for i := 1; i < mostNames && i+1 < len(f.recs); i++ {
		if i+enough >= len(f.recs) && f.named(f.joined(i)) <= f.named(f.joined(i-1)) {
			return
		}
		if len(f.recs[i].fields) != len(f.recs[0].fields) || isRule(f.recs[i].fields) {
			return
		}
		below, above := f.look(i, i+1), f.look(i-1, i+1)
		if below.names == 0 || below.data > 0 || below.again > 0 || above.names == 0 || 2*below.names < above.names ||
			below.names == 1 && below.words > 0 {
			return
		}
		if f.named(f.joined(i)) < f.named(f.joined(i-1)) {
			return // the names of a model are those without this line
		}
		f.d.header++
		f.d.guess(f.file, f.recs[i].line, "the line joins the names above it, as units do (--header %d)", f.d.header)
	}
}

// joined is a record of the names that the lines up to number i make.
func (f *finder) joined(i int) sampled {
	out := sampled{fields: slices.Clone(f.recs[0].fields)}
	for _, s := range f.recs[1 : i+1] {
		for c := range min(len(out.fields), len(s.fields)) {
			out.fields[c].text = joinNames(out.fields[c].text, s.fields[c].text)
		}
	}
	return out
}

// joinNames is a name with what stands below it.
func joinNames(name, below []byte) []byte {
	return bytes.TrimSpace(slices.Concat(name, []byte(" "), below))
}

// widen finds names that are one fewer than the cells of each row.
func (f *finder) widen() {
	width, count := commonest(f.recs)
	one := len(f.recs) == 2 && (f.o.Table != nil || f.o.Want != nil) && f.named(f.recs[0]) > 0 && f.recs[1].fields[0].quoted // as R has it
	if f.d.header == 0 || count < 2 && !one || len(f.recs[0].fields) != width-1 || f.void(width-1) {
		return
	}
	f.d.width, f.d.first = width, f.countsRows()
	at := "last"
	if f.d.first {
		at = "first"
	}
	f.d.guess(f.file, f.recs[0].line, "rows have %d values, one more than there are names: the %s is a column without a name "+
		"(--header none if the line is no line of names)", width, at)
}

// void says whether a column has no value.
func (f *finder) void(c int) bool {
	return !slices.ContainsFunc(f.recs, func(s sampled) bool {
		return c < len(s.fields) && (len(s.fields[c].text) > 0 || s.fields[c].quoted)
	})
}

// countsRows says whether the first column counts the rows or names them, as R writes tables: numbers that rise by one, or
// words or cells in quotes that are all different.
func (f *finder) countsRows() bool {
	seen, last := map[string]bool{}, 0
	for i, s := range f.recs[1:] {
		text := string(s.fields[0].text)
		k, err := strconv.Atoi(text)
		quoted := s.fields[0].quoted
		word := quoted || columns.ShapeOf(s.fields[0].text) == columns.Word
		if seen[text] || err != nil && !word || err == nil && !quoted && i > 0 && k != last+1 {
			return false
		}
		seen[text], last = true, k
	}
	return true
}

// last finds out whether the last column has more words than numbers: then it may be that of the answers.
func (f *finder) last() {
	if len(f.recs) <= f.d.header {
		return
	}
	width, _ := commonest(f.recs)
	words, numbers := 0, 0
	for _, s := range f.recs[f.d.header:] {
		if len(s.fields) != width {
			continue
		}
		word := string(s.fields[width-1].text)
		if _, number := data.Number(word); number {
			numbers++
		} else if !data.IsUnlabelled(word) && columns.ShapeOf([]byte(word)) != columns.Date {
			words++
		}
	}
	f.d.words = words > numbers
	if !f.o.Prepare { // which finds the marks of every column
		f.d.marks = f.marks()
		f.d.mark = f.mark()
	}
}

// heading reads the lines of names of a dialect, and returns the fields of the names, nil where there are none; first is the first record.
func (r *records) heading(first []field, d *dialect) ([]field, error) {
	names := first
	if d.header > 1 {
		names = make([]field, len(first))
		for c, v := range first {
			names[c] = field{text: bytes.Clone(v.text), quoted: true}
		}
		for range d.header - 1 {
			f, err := r.next()
			if err != nil {
				return nil, err
			}
			for c := range min(len(f), len(names)) {
				names[c].text = joinNames(names[c].text, f[c].text)
			}
		}
	}
	if d.width == 0 {
		return names, nil
	}
	if d.first {
		return append([]field{{text: []byte("unnamed 1")}}, names...), nil
	}
	return append(slices.Clone(names), field{text: fmt.Append(nil, "unnamed ", d.width)}), nil
}
