package read

// The delimiter of a text, and the measure by which it is found: see dialect.go.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/columns"
)

// cut cuts the sample by a delimiter, up to the first record that cannot be cut.
func (f *finder) cut(text []byte, delim byte) (list []sampled) {
	r := records{lines: lines{file: f.file, n: f.d.skip, text: text, stop: io.EOF}, delim: delim, quote: f.d.quote, most: maxQuotedLines,
		widest: widest(f.o.MemoryLimit), made: f.d.made}
	var all []field // of all records, which have parts of it
	for {
		fields, err := r.next()
		if err != nil {
			return list
		}
		from := len(all)
		all = append(all, fields...)
		s := sampled{line: r.line, fields: all[from:len(all):len(all)]}
		if r.n > r.line { // in a buffer that is used again
			for c := range s.fields {
				s.fields[c].text = bytes.Clone(s.fields[c].text)
			}
		}
		for c := range s.fields { // so that €5 is an amount in Latin-1 too
			if text, ok := decoded(s.fields[c].text); ok {
				s.fields[c].text = text
			}
		}
		if len(fields) > 0 && len(fields[0].text) > 0 && !fields[0].quoted {
			s.raw = fields[0].text[0]
		}
		list = append(list, s)
	}
}

// delimiter finds the delimiter, and keeps the records that it cuts.
func (f *finder) delimiter(text []byte) error {
	f.quote(text)
	if f.d.delim != 0 {
		return nil
	}
	type candidate struct {
		delim byte
		value float64
		known int
		recs  []sampled
	}
	var list []candidate
	for _, c := range []byte(delimiters) {
		if bytes.IndexByte(text, c) >= 0 {
			list = append(list, candidate{delim: c})
		}
	}
	blanks := f.mayBeBlanks(text)
	if len(list) == 0 && !blanks {
		f.d.delim = ','
		return f.undivided(text)
	}
	if len(list) == 1 && !blanks {
		if f.d.delim = list[0].delim; f.d.delim == ',' && f.commas(text) {
			f.d.delim = ';'
		}
		return nil
	}
	if blanks {
		list = append(list, candidate{delim: ' '})
	}
	tabs := false
	for i := range list {
		c := &list[i]
		c.recs = f.cut(text, c.delim)
		share, width, mean := measure(c.recs, c.delim)
		c.value, c.known = value(share, width, mean), f.known(c.recs)
		tabs = tabs || c.delim == '\t' && width > 1 && share >= tabbed && mean >= tabbedCells
		if c.delim == ' ' {
			c.value *= nearlyAlike * nearlyAlike // a tab and a run of tabs and blanks are as good
		}
	}
	if tabs { // and the blanks stand in cells
		list = slices.DeleteFunc(list, func(c candidate) bool { return c.delim == ' ' })
	}
	best := slices.MaxFunc(list, func(a, b candidate) int { return cmp.Or(a.known-b.known, cmp.Compare(a.value, b.value)) })
	if best.value == 0 && best.known == 0 {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		f.d.delim, _ = delimiter(first)
		return nil
	}
	for _, c := range list {
		if c.delim != best.delim && c.delim != ' ' && best.known == 0 && c.value >= nearlyAlike*best.value {
			return &Error{File: f.file, What: fmt.Sprintf("can be cut at %s as well as at %s", delimName(best.delim), delimName(c.delim)),
				Remedy: fmt.Sprintf("say --delimiter %q or --delimiter %q", best.delim, c.delim)}
		}
	}
	f.d.delim, f.recs = best.delim, best.recs
	return nil
}

// commas says whether the text is one column of a model, whose numbers have decimal commas: there is one name, and no row has a name of
// its own, as rows have that are counted.
func (f *finder) commas(text []byte) bool {
	if f.o.Table == nil && f.o.Want == nil {
		return false
	}
	recs := f.cut(text, ';')
	if len(recs) < 2 || f.named(recs[0]) == 0 {
		return false
	}
	counted := true
	for i, s := range recs[1:] {
		if _, ok := columns.WithComma(s.fields[0].text); !ok || s.fields[0].quoted {
			return false
		}
		counted = counted && bytes.HasPrefix(s.fields[0].text, fmt.Appendf(nil, "%d,", i+1))
	}
	return !counted
}

// quote finds out whether cells are in single quotes: no line has a double one, every cell that begins with a single quote ends with one,
// and some of them hold a delimiter or most cells are so.
func (f *finder) quote(text []byte) {
	if f.o.Dialect.Quote != "" || bytes.IndexByte(text, '"') >= 0 || bytes.IndexByte(text, '\'') < 0 {
		return
	}
	lines := bytes.Count(bytes.TrimRight(text, "\r\n\t "), []byte("\n")) + 1
	for _, delim := range []byte(delimiters) {
		if f.d.delim != 0 && delim != f.d.delim || bytes.IndexByte(text, delim) < 0 {
			continue
		}
		plain := f.cut(text, delim)
		f.d.quote = '\''
		recs := f.cut(text, delim)
		f.d.quote = '"'
		quoted, inside, cells := 0, 0, 0
		for i, s := range recs {
			for _, v := range s.fields {
				if cells++; v.quoted {
					quoted++
					if bytes.IndexByte(v.text, delim) >= 0 {
						inside++
					}
				}
			}
			if i == 0 && quoted == 0 {
				cells = 0 // of names
			}
		}
		width, same := commonest(recs)
		before, alike := commonest(plain)
		whole := len(recs) > 1 && recs[len(recs)-1].line == lines+f.d.skip && width > 1
		if whole && same >= alike && (inside >= leastQuoted && width < before || 2*quoted > cells) {
			f.d.quote = '\''
			f.d.guess(f.file, 0, "cells are in single quotes (--quote none if they are not)")
			return
		}
	}
}

// leastQuoted cells with a delimiter in them show what they are quoted with.
const leastQuoted = 2

func delimName(c byte) string {
	switch c {
	case '\t':
		return "tabs"
	case ' ':
		return "blanks"
	}
	return strconv.Quote(string(rune(c)))
}

// mayBeBlanks says whether values may be divided by runs of blanks: the first two lines have as many, and are no LIBSVM text.
func (f *finder) mayBeBlanks(text []byte) bool {
	own := records{delim: ' ', quote: f.d.quote, widest: widest(f.o.MemoryLimit)}
	width := 0
	for line := range bytes.Lines(text) {
		line = trimEnd(line)
		if len(own.trimLeft(line)) == 0 {
			continue
		}
		if _, found := delimiter(line); found && bytes.IndexByte(line, '\t') < 0 {
			return false
		}
		n := own.blanked(line)
		if pairs, ok := entries(line); width == 0 && ok && pairs > 0 {
			return false
		}
		if width > 0 {
			return n == width || n == width+1 && len(line) > 0 && line[0] == f.d.quote // as R writes the names of rows
		}
		if width = n; n < 2 {
			return false
		}
	}
	return false
}

// undivided refuses a table to learn from whose lines no usual delimiter divides, where they seem to be divided otherwise.
func (f *finder) undivided(text []byte) error {
	if f.o.Text != nil || f.o.Table != nil || f.o.Want != nil {
		return nil
	}
	if aligned(text) {
		return &Error{File: f.file, What: "columns stand below one another, and no delimiter divides them",
			Remedy: "put tabs or commas between the columns, or save the table as CSV"}
	}
	for _, c := range []byte("~^:#") {
		n, lines := -1, 0
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if k := bytes.Count(line, []byte{c}); n < 0 || k == n {
				n = k
			} else {
				n = 0
			}
			lines++
		}
		if n > 0 && lines > 2 {
			return &Error{File: f.file, What: fmt.Sprintf("no delimiter that is usual, and %q stands %d times in every line", c, n),
				Remedy: fmt.Sprintf("say --delimiter %q if it divides the cells", c)}
		}
	}
	return nil
}

// aligned says whether the lines are divided by runs of blanks, and not all into as many values: columns of a fixed width.
func aligned(text []byte) bool {
	lines, runs := 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		lines++
		if bytes.Contains(line, []byte("  ")) {
			runs++
		}
	}
	return lines > 2 && 10*runs >= 9*lines
}

// known counts the columns that a model or the user names, in the record that has the most of them.
func (f *finder) known(recs []sampled) (most int) {
	for i := range min(len(recs), mostTitles) {
		most = max(most, f.named(recs[i]))
	}
	return most
}

// named counts the cells of a record that are names of columns which must be there.
func (f *finder) named(s sampled) (n int) {
	names := slices.Clone(f.o.Want)
	if f.o.Table != nil {
		for i := range f.o.Table.Columns {
			names = append(names, f.o.Table.Columns[i].Name)
		}
	}
	for _, name := range []string{f.o.Label, f.o.ID, f.o.Weight, f.o.Group, f.o.Order} {
		if name != "" {
			names = append(names, name)
		}
	}
	for _, g := range f.o.Given {
		names = append(names, g.Name)
	}
	if f.o.Text != nil && f.o.Text.Column != "" {
		names = []string{f.o.Text.Column}
	}
	meant := make(map[string]bool, len(names))
	for _, name := range names {
		meant[strings.TrimSpace(name)] = true // as columns are found by a name that is given
	}
	for _, v := range s.fields {
		if text := bytes.TrimSpace(v.text); len(text) > 0 && meant[string(text)] {
			n++
		}
	}
	return n
}

// value is the measure of a way to cut a text.
func value(share float64, width int, mean float64) float64 {
	return share * float64(width-1) / float64(max(width, 1)) * mean * mean
}

// measure returns the share of records with the commonest number of cells, that number, and how much these cells look like values.
func measure(recs []sampled, delim byte) (share float64, width int, mean float64) {
	width, same := commonest(recs)
	if width < 2 {
		return 0, width, 0
	}
	var sum float64
	for _, s := range recs {
		if len(s.fields) != width {
			continue
		}
		for _, v := range s.fields {
			sum += typed(v, delim)
		}
	}
	return float64(same) / float64(len(recs)), width, sum / float64(width*same)
}

// typed is how much a cell looks like a value that was meant.
func typed(v field, delim byte) float64 {
	switch {
	case v.quoted:
		return 1
	case holds(v.text, strings.Trim(delimiters, ","), delim):
		return 0.1 // 7mm|4 is not 7 of the unit mm|4
	case columns.ShapeOf(v.text) != columns.Word:
		return 1
	case holds(v.text, delimiters, delim):
		return 0.1
	case '0' <= v.text[0] && v.text[0] <= '9':
		return 0.5
	}
	return 0.9
}

// holds says whether a cell holds one of these delimiters that is not the one that cut it.
func holds(cell []byte, list string, but byte) bool {
	return bytes.ContainsFunc(bytes.TrimSpace(cell), func(r rune) bool {
		return r != rune(but) && r < utf8.RuneSelf && strings.IndexByte(list, byte(r)) >= 0
	})
}

// commonest is the number of cells that most records have, the largest of several, and how many have it; a delimiter at the end is no cell.
func commonest(recs []sampled) (width, count int) {
	counts := map[int]int{}
	for _, s := range recs {
		counts[len(s.fields)]++
	}
	for w, n := range counts {
		if n > count || n == count && w > width {
			width, count = w, n
		}
	}
	return width, count
}
