package columns

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// MostColumns is how many a table may have of which not all are numbers.
const MostColumns = 1 << 15

// What a profile holds of a column is bounded: so many different words, each so long.
const (
	mostWords   = 4096
	leastWords  = 64
	wordsInAll  = 1 << 20 // in all columns together
	longestWord = 200     // bytes; a longer cell is text
	mostUnits   = 8
)

// Profile is what there is to know of the cells of a table. Parts of a table have profiles of their own, which are merged
// in the order of the rows. All fields are exported so that encoding/gob carries profiles from one process to another.
type Profile struct {
	Rows    int
	Columns []seen
	Most    int // words of a column
}

// NewProfile is that of a table without rows.
func NewProfile(width int) *Profile {
	p := &Profile{Columns: make([]seen, width), Most: min(mostWords, max(leastWords, wordsInAll/max(1, width)))}
	for c := range p.Columns {
		p.Columns[c].Steps, p.Columns[c].Whole = true, true
	}
	return p
}

// Place is a cell for a message.
type Place struct {
	Line int // from 1; 0: there is none
	Text string
	// Part of the table, and Column there, from 1 (Profile.Of).
	Part, Column int
}

// seen is what there is to know of one column.
type seen struct {
	Missing  int    // empty, or NA and the like
	Blank    int    // that hold nothing if this is a column of numbers
	Cells    int    // the others
	Numbers  int    // of them, those that are numbers in some way
	Point    int    // that can have a decimal point
	Comma    int    // that can have a decimal comma
	Unlike   int    // with a comma, and not the same in both
	Dotted   int    // with a point, and not the same in both
	Groups   [2]int // that have digits in groups, read with a decimal point and with a comma
	Long     int    // with four digits or more and no groups
	Unitless int
	Units    []Place // different ones, where each is first met
	Steps    bool    // each number is one more than that before it
	Whole    bool    // numbers are whole
	From, To float64
	Least    [2]float64 // with a decimal point, and with a comma
	Most     [2]float64
	Other    Place // the first cell that is no number
	Both     Place // the first that is unlike
	Infinite Place // the first that is inf
	Points   Place // the first that has no decimal comma

	Undated bool    // some cell is no date
	Layouts []int   // those that all dates so far have
	Dates   []dates // of each of them

	Words    map[string]int
	Overflow int // rows before there were too many words, 0: there are not
	Texts    int // cells of several words, or too long
}

// Add takes a cell in. Cost: some readings of the cell, of bounded length.
func (p *Profile) Add(c int, cell []byte, line int) {
	s := &p.Columns[c]
	cell = bytes.TrimSpace(cell)
	if Missing(cell) {
		s.Missing++
		return
	}
	s.Cells++
	s.word(cell, p.Most)
	if among(blanks, cell) {
		s.Blank++
		return
	}
	if infinite(cell) && s.Infinite.Line == 0 {
		s.Infinite = Place{Line: line, Text: shortened(cell)}
	}
	if s.number(cell, line) {
		s.undated()
		return
	}
	if s.Other.Line == 0 {
		s.Other = Place{Line: line, Text: shortened(cell)}
	}
	s.date(cell)
}

// shortened is a cell for a message.
func shortened(cell []byte) string {
	const most = 40
	if len(cell) <= most {
		return string(cell)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(cell[cut]) {
		cut--
	}
	return string(cell[:cut]) + "..."
}

func (s *seen) number(cell []byte, line int) bool {
	r, ok := readNumber(cell)
	if !ok {
		return false
	}
	both := [2]float64{r.point, r.comma}
	if math.IsNaN(r.point) {
		both[0] = r.comma
	} else if math.IsNaN(r.comma) {
		both[1] = r.point
	}
	v := both[0]
	if s.Numbers == 0 {
		s.From, s.Least, s.Most = v, both, both
	} else if v != s.To+1 {
		s.Steps = false
	}
	s.To = v
	for k, v := range both {
		s.Least[k], s.Most[k] = min(s.Least[k], v), max(s.Most[k], v)
	}
	s.Numbers++
	s.Whole = s.Whole && v == math.Trunc(v)
	if !math.IsNaN(r.point) {
		s.Point++
	}
	if !math.IsNaN(r.comma) {
		s.Comma++
	} else if s.Points.Line == 0 {
		s.Points = Place{Line: line, Text: shortened(cell)}
	}
	if !r.same() && !math.IsNaN(r.point) && !math.IsNaN(r.comma) && !r.hasComma {
		s.Dotted++
	} else if !r.same() && !math.IsNaN(r.point) && !math.IsNaN(r.comma) {
		s.Unlike++
		if s.Both.Line == 0 {
			s.Both = Place{Line: line, Text: shortened(cell)}
		}
	}
	for k, g := range r.groups {
		if g {
			s.Groups[k]++
		}
	}
	if r.digits > 3 {
		s.Long++
	}
	if len(r.unit) == 0 {
		s.Unitless++
	} else {
		s.unit(Place{Line: line, Text: string(r.unit)})
	}
	return true
}

// unit keeps a unit that is new.
func (s *seen) unit(u Place) {
	if len(s.Units) < mostUnits && !slices.ContainsFunc(s.Units, func(known Place) bool { return known.Text == u.Text }) {
		s.Units = append(s.Units, u)
	}
}

// undated says that not all cells are dates.
func (s *seen) undated() { s.Undated, s.Layouts, s.Dates = true, nil, nil }

// date keeps the layouts that the cell has too.
func (s *seen) date(cell []byte) {
	if s.Undated {
		return
	}
	if s.Layouts == nil {
		for k, l := range layouts {
			if _, ok := parseDate(cell, l); ok {
				s.Layouts, s.Dates = append(s.Layouts, k), append(s.Dates, dates{})
			}
		}
	}
	kept, of := s.Layouts[:0], s.Dates[:0]
	for q, k := range s.Layouts {
		if t, ok := parseDate(cell, layouts[k]); ok {
			d := s.Dates[q]
			d.add(t)
			kept, of = append(kept, k), append(of, d)
		}
	}
	if s.Layouts, s.Dates = kept, of; len(kept) == 0 {
		s.undated()
	}
}

// word counts a cell as a word.
func (s *seen) word(cell []byte, most int) {
	if bytes.Count(cell, []byte(" ")) >= 3 || len(cell) > longestWord {
		s.Texts++
	}
	if len(cell) > longestWord {
		cell = cell[:longestWord]
	}
	if s.Words == nil {
		s.Words = map[string]int{}
	}
	if _, known := s.Words[string(cell)]; known {
		s.Words[string(cell)]++
		return
	}
	if s.Overflow > 0 {
		return
	}
	if len(s.Words) >= most {
		s.Overflow = s.Cells
		return
	}
	s.Words[string(cell)] = 1
}

// different is the share of different words among the cells, or among the first of them while there were not too many.
func (s *seen) different() float64 {
	return float64(len(s.Words)) / float64(max(1, s.counted()))
}

// counted are the cells among which all words were counted.
func (s *seen) counted() int {
	if s.Overflow > 0 {
		return s.Overflow - 1
	}
	return s.Cells
}

// Of says which part of a table the profile is of, for messages.
func (p *Profile) Of(part int) {
	for c := range p.Columns {
		s := &p.Columns[c]
		for _, at := range []*Place{&s.Other, &s.Both, &s.Infinite, &s.Points} {
			at.Part, at.Column = part, c+1
		}
		for k := range s.Units {
			s.Units[k].Part, s.Units[k].Column = part, c+1
		}
	}
}

// Select is the profile of a table with its columns in another order: those of the numbers in the list.
func (p *Profile) Select(list []int) *Profile {
	out := &Profile{Rows: p.Rows, Columns: make([]seen, len(list)), Most: p.Most}
	for i, c := range list {
		out.Columns[i] = p.Columns[c]
	}
	return out
}

// Merge adds the cells of a part that follows.
func (p *Profile) Merge(o *Profile) {
	p.Rows += o.Rows
	for c := range p.Columns {
		p.Columns[c].merge(&o.Columns[c], p.Most)
	}
}

func (s *seen) merge(o *seen, most int) {
	s.mergeNumbers(o)
	s.mergeDates(o)
	if s.Words == nil {
		s.Words = map[string]int{}
	}
	list := make([]string, 0, len(o.Words))
	for w := range o.Words {
		list = append(list, w)
	}
	slices.Sort(list) // what is left out of too many does not depend on the order of a map
	of := cmp.Or(o.Overflow, o.Cells)
	for q, w := range list {
		if _, known := s.Words[w]; !known && (s.Overflow > 0 || len(s.Words) >= most) {
			if s.Overflow == 0 {
				s.Overflow = s.Cells + of*q/len(list) + 1
			}
			continue
		}
		s.Words[w] += o.Words[w]
	}
	if o.Overflow > 0 && s.Overflow == 0 {
		s.Overflow = s.Cells + o.Overflow
	}
	s.Texts += o.Texts
	s.Missing, s.Blank, s.Cells = s.Missing+o.Missing, s.Blank+o.Blank, s.Cells+o.Cells
}

func (s *seen) mergeDates(o *seen) {
	switch {
	case s.Undated || o.Undated:
		s.undated()
		return
	case o.Layouts == nil:
		return
	case s.Layouts == nil:
		s.Layouts, s.Dates = slices.Clone(o.Layouts), slices.Clone(o.Dates)
		return
	}
	kept, of := s.Layouts[:0], s.Dates[:0]
	for q, k := range s.Layouts {
		if at := slices.Index(o.Layouts, k); at >= 0 {
			d := s.Dates[q]
			d.merge(&o.Dates[at])
			kept, of = append(kept, k), append(of, d)
		}
	}
	if s.Layouts, s.Dates = kept, of; len(kept) == 0 {
		s.undated()
	}
}

func (s *seen) mergeNumbers(o *seen) {
	switch {
	case o.Numbers == 0:
	case s.Numbers == 0:
		s.From, s.To, s.Least, s.Most, s.Steps = o.From, o.To, o.Least, o.Most, o.Steps
	default:
		s.Steps = s.Steps && o.Steps && o.From == s.To+1
		s.To = o.To
		for k := range s.Least {
			s.Least[k], s.Most[k] = min(s.Least[k], o.Least[k]), max(s.Most[k], o.Most[k])
		}
	}
	s.Whole = s.Whole && o.Whole
	s.Numbers, s.Point, s.Comma, s.Unlike = s.Numbers+o.Numbers, s.Point+o.Point, s.Comma+o.Comma, s.Unlike+o.Unlike
	s.Groups[0], s.Groups[1] = s.Groups[0]+o.Groups[0], s.Groups[1]+o.Groups[1]
	s.Long, s.Dotted, s.Unitless = s.Long+o.Long, s.Dotted+o.Dotted, s.Unitless+o.Unitless
	for _, u := range o.Units {
		s.unit(u)
	}
	for _, both := range []struct{ to, of *Place }{{&s.Other, &o.Other}, {&s.Both, &o.Both}, {&s.Infinite, &o.Infinite},
		{&s.Points, &o.Points}} {
		if both.to.Line == 0 {
			*both.to = *both.of
		}
	}
}
