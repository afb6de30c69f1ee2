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
// in the order of the rows.
type Profile struct {
	Rows    int
	columns []seen
	most    int // words of a column
}

// NewProfile is that of a table without rows.
func NewProfile(width int) *Profile {
	p := &Profile{columns: make([]seen, width), most: min(mostWords, max(leastWords, wordsInAll/max(1, width)))}
	for c := range p.columns {
		p.columns[c].steps, p.columns[c].whole = true, true
	}
	return p
}

// place is a cell for a message.
type place struct {
	line int
	text string
}

// seen is what there is to know of one column.
type seen struct {
	missing  int    // empty, or NA and the like
	blank    int    // that hold nothing if this is a column of numbers
	cells    int    // the others
	numbers  int    // of them, those that are numbers in some way
	point    int    // that can have a decimal point
	comma    int    // that can have a decimal comma
	unlike   int    // with a comma, and not the same in both
	dotted   int    // with a point, and not the same in both
	groups   [2]int // that have digits in groups, read with a decimal point and with a comma
	long     int    // with four digits or more and no groups
	unitless int
	units    []place // different ones, where each is first met
	steps    bool    // each number is one more than that before it
	whole    bool    // numbers are whole
	from, to float64
	least    [2]float64 // with a decimal point, and with a comma
	most     [2]float64
	other    place // the first cell that is no number
	both     place // the first that is unlike
	infinite place // the first that is inf
	points   place // the first that has no decimal comma

	layouts []int   // those that all dates so far have; nil before the first cell
	dates   []dates // of each of them

	words    map[string]int
	overflow int // rows before there were too many words, 0: there are not
	texts    int // cells of several words, or too long
}

// Add takes a cell in. Cost: some readings of the cell, of bounded length.
func (p *Profile) Add(c int, cell []byte, line int) {
	s := &p.columns[c]
	cell = bytes.TrimSpace(cell)
	if Missing(cell) {
		s.missing++
		return
	}
	s.cells++
	s.word(cell, p.most)
	if among(blanks, cell) {
		s.blank++
		return
	}
	if infinite(cell) && s.infinite.line == 0 {
		s.infinite = place{line, shortened(cell)}
	}
	if s.number(cell, line) {
		s.layouts, s.dates = []int{}, nil
		return
	}
	if s.other.line == 0 {
		s.other = place{line, shortened(cell)}
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
	if s.numbers == 0 {
		s.from, s.least, s.most = v, both, both
	} else if v != s.to+1 {
		s.steps = false
	}
	s.to = v
	for k, v := range both {
		s.least[k], s.most[k] = min(s.least[k], v), max(s.most[k], v)
	}
	s.numbers++
	s.whole = s.whole && v == math.Trunc(v)
	if !math.IsNaN(r.point) {
		s.point++
	}
	if !math.IsNaN(r.comma) {
		s.comma++
	} else if s.points.line == 0 {
		s.points = place{line, shortened(cell)}
	}
	if !r.same() && !math.IsNaN(r.point) && !math.IsNaN(r.comma) && !r.hasComma {
		s.dotted++
	} else if !r.same() && !math.IsNaN(r.point) && !math.IsNaN(r.comma) {
		s.unlike++
		if s.both.line == 0 {
			s.both = place{line, shortened(cell)}
		}
	}
	for k, g := range r.groups {
		if g {
			s.groups[k]++
		}
	}
	if r.digits > 3 {
		s.long++
	}
	if len(r.unit) == 0 {
		s.unitless++
	} else {
		s.unit(place{line, string(r.unit)})
	}
	return true
}

// unit keeps a unit that is new.
func (s *seen) unit(u place) {
	if len(s.units) < mostUnits && !slices.ContainsFunc(s.units, func(known place) bool { return known.text == u.text }) {
		s.units = append(s.units, u)
	}
}

// date keeps the layouts that the cell has too.
func (s *seen) date(cell []byte) {
	if s.layouts != nil && len(s.layouts) == 0 {
		return
	}
	if s.layouts == nil {
		s.layouts = []int{}
		for k, l := range layouts {
			if _, ok := parseDate(cell, l); ok {
				s.layouts, s.dates = append(s.layouts, k), append(s.dates, dates{})
			}
		}
	}
	kept, of := s.layouts[:0], s.dates[:0]
	for q, k := range s.layouts {
		if t, ok := parseDate(cell, layouts[k]); ok {
			d := s.dates[q]
			d.add(t)
			kept, of = append(kept, k), append(of, d)
		}
	}
	s.layouts, s.dates = kept, of
}

// word counts a cell as a word.
func (s *seen) word(cell []byte, most int) {
	if bytes.Count(cell, []byte(" ")) >= 3 || len(cell) > longestWord {
		s.texts++
	}
	if len(cell) > longestWord {
		cell = cell[:longestWord]
	}
	if s.words == nil {
		s.words = map[string]int{}
	}
	if _, known := s.words[string(cell)]; known {
		s.words[string(cell)]++
		return
	}
	if s.overflow > 0 {
		return
	}
	if len(s.words) >= most {
		s.overflow = s.cells
		return
	}
	s.words[string(cell)] = 1
}

// different is the share of different words among the cells, or among the first of them while there were not too many.
func (s *seen) different() float64 {
	return float64(len(s.words)) / float64(max(1, s.counted()))
}

// counted are the cells among which all words were counted.
func (s *seen) counted() int {
	if s.overflow > 0 {
		return s.overflow - 1
	}
	return s.cells
}

// Merge adds the cells of a part that follows.
func (p *Profile) Merge(o *Profile) {
	p.Rows += o.Rows
	for c := range p.columns {
		p.columns[c].merge(&o.columns[c], p.most)
	}
}

func (s *seen) merge(o *seen, most int) {
	s.mergeNumbers(o)
	switch {
	case o.layouts == nil:
	case s.layouts == nil:
		s.layouts, s.dates = slices.Clone(o.layouts), slices.Clone(o.dates)
	default:
		kept, of := s.layouts[:0], s.dates[:0]
		for q, k := range s.layouts {
			if at := slices.Index(o.layouts, k); at >= 0 {
				d := s.dates[q]
				d.merge(&o.dates[at])
				kept, of = append(kept, k), append(of, d)
			}
		}
		s.layouts, s.dates = kept, of
	}
	if s.words == nil {
		s.words = map[string]int{}
	}
	list := make([]string, 0, len(o.words))
	for w := range o.words {
		list = append(list, w)
	}
	slices.Sort(list) // what is left out of too many does not depend on the order of a map
	of := cmp.Or(o.overflow, o.cells)
	for q, w := range list {
		if _, known := s.words[w]; !known && (s.overflow > 0 || len(s.words) >= most) {
			if s.overflow == 0 {
				s.overflow = s.cells + of*q/len(list) + 1
			}
			continue
		}
		s.words[w] += o.words[w]
	}
	if o.overflow > 0 && s.overflow == 0 {
		s.overflow = s.cells + o.overflow
	}
	s.texts += o.texts
	s.missing, s.blank, s.cells = s.missing+o.missing, s.blank+o.blank, s.cells+o.cells
}

func (s *seen) mergeNumbers(o *seen) {
	switch {
	case o.numbers == 0:
	case s.numbers == 0:
		s.from, s.to, s.least, s.most, s.steps = o.from, o.to, o.least, o.most, o.steps
	default:
		s.steps = s.steps && o.steps && o.from == s.to+1
		s.to = o.to
		for k := range s.least {
			s.least[k], s.most[k] = min(s.least[k], o.least[k]), max(s.most[k], o.most[k])
		}
	}
	s.whole = s.whole && o.whole
	s.numbers, s.point, s.comma, s.unlike = s.numbers+o.numbers, s.point+o.point, s.comma+o.comma, s.unlike+o.unlike
	s.groups[0], s.groups[1] = s.groups[0]+o.groups[0], s.groups[1]+o.groups[1]
	s.long, s.dotted, s.unitless = s.long+o.long, s.dotted+o.dotted, s.unitless+o.unitless
	for _, u := range o.units {
		s.unit(u)
	}
	for _, both := range []struct{ to, of *place }{{&s.other, &o.other}, {&s.both, &o.both}, {&s.infinite, &o.infinite},
		{&s.points, &o.points}} {
		if both.to.line == 0 {
			*both.to = *both.of
		}
	}
}
