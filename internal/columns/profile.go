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

	empty [][]string // cells of each column that stand for missing ones, beside those that always do; nil: there are none
}

// Empty says which cells of each column stand for missing ones, beside those that always do.
func (p *Profile) Empty(list [][]string) { p.empty = list }

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
	Plain    [2]float64 // the least and the largest of those without a unit
	Units    []Unit     // different ones, where each is first met
	Codes    int        // digits alone, of which the first is 0 and not the only one
	Length   int        // of cells that are digits alone, -1 if they differ; 0: there is none
	Digits   int        // cells that begin with a digit
	Round    int        // numbers that end with a comma and three zeros
	Zeros    int        // dates of nothing but zeros, which are missing
	Zero     Place      // the first of them
	Steps    bool       // each number is one more than that before it
	Whole    bool       // numbers are whole
	From, To float64
	Least    [2]float64 // with a decimal point, and with a comma
	Most     [2]float64
	Other    Place          // the first cell that is no number
	Others   map[string]int // cells that are no numbers, up to mostOthers different ones
	More     bool           // there are more
	Both     Place          // the first that is unlike
	Infinite Place          // the first that is inf
	Points   Place          // the first that has no decimal comma
	Commas   Place          // the first that has no decimal point

	First   Place   // the first cell that has a value
	Layouts []int   // those that some date has, increasing
	Dates   []dates // of each of them

	Words    map[string]*int // different words, and the cells that have each
	Overflow int             // rows before there were too many words, 0: there are not
	Runs     int             // of equal words one below the other
	Head     []byte          // the first word
	Tail     []byte          // the last
	Broken   bool            // some word stands in two runs, and they are no longer counted
	Texts    int             // cells of several words, or too long
}

// Unit is a unit of numbers: where it is first met, and how many have it.
type Unit struct {
	Place
	Cells int
	Cell  string // the first that has it
}

// mostOthers are the different cells without a number of a column of numbers of which a profile knows the number.
const mostOthers = 16

// Add takes a cell in. Cost: some readings of the cell, of bounded length.
func (p *Profile) Add(c int, cell []byte, line int) {
	s := &p.Columns[c]
	cell = bytes.TrimSpace(cell)
	digit := len(cell) > 0 && isDigit(cell[0]) // with which no mark of a missing value begins
	if !digit && trimmed(missing, cell) || p.empty != nil && slices.Contains(p.empty[c], string(cell)) {
		s.Missing++
		return
	}
	s.Cells++
	s.word(cell, p.Most)
	if !digit && trimmed(blanks, cell) {
		s.Blank++
		return
	}
	if zeroDate(cell) {
		s.Blank++
		if s.Zeros++; s.Zero.Line == 0 {
			s.Zero = Place{Line: line, Text: shortened(cell)}
		}
		return
	}
	if s.First.Line == 0 {
		s.First = Place{Line: line, Text: shortened(cell)}
	}
	s.digits(cell)
	if infinite(cell) && s.Infinite.Line == 0 {
		s.Infinite = Place{Line: line, Text: shortened(cell)}
	}
	if s.number(cell, line) {
		s.undate(nil, cell, line)
		return
	}
	if s.Other.Line == 0 {
		s.Other = Place{Line: line, Text: shortened(cell)}
	}
	s.other(cell)
	s.date(cell, line)
}

// digits notes cells with digits, and codes such as 01234.
func (s *seen) digits(cell []byte) {
	if isDigit(cell[0]) {
		s.Digits++
	}
	for _, c := range cell {
		if !isDigit(c) {
			return
		}
	}
	if len(cell) > 1 && cell[0] == '0' {
		s.Codes++
	}
	switch s.Length {
	case 0:
		s.Length = len(cell)
	case len(cell):
	default:
		s.Length = -1
	}
}

// other counts a cell that is no number.
func (s *seen) other(cell []byte) {
	if s.More {
		return // they are no longer asked for
	}
	if len(cell) > longestWord {
		cell = cell[:longestWord]
	}
	if _, known := s.Others[string(cell)]; !known && len(s.Others) >= mostOthers {
		s.More = true
		return
	}
	if s.Others == nil {
		s.Others = map[string]int{}
	}
	s.Others[string(cell)]++
}

// zeroDate says whether a cell is a date of nothing but zeros, as databases write one that is missing.
func zeroDate(cell []byte) bool {
	return len(cell) >= len("0000-00-00") && bytes.HasPrefix(cell, []byte("0000-00-00")) && len(bytes.Trim(cell, "0-:. T")) == 0
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
	} else if s.Commas.Line == 0 {
		s.Commas = Place{Line: line, Text: shortened(cell)}
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
		if math.Mod(r.point, 1000) == 0 {
			s.Round++
		}
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
		if s.Unitless == 0 {
			s.Plain = [2]float64{v, v}
		}
		s.Plain[0], s.Plain[1] = min(s.Plain[0], v), max(s.Plain[1], v)
		s.Unitless++
	} else {
		s.unit(Unit{Place{Line: line, Text: string(r.unit)}, 1, shortened(cell)})
	}
	return true
}

// unit counts a unit.
func (s *seen) unit(u Unit) {
	at := slices.IndexFunc(s.Units, func(known Unit) bool { return known.Text == u.Text })
	if at >= 0 {
		s.Units[at].Cells += u.Cells
	} else if len(s.Units) < mostUnits {
		s.Units = append(s.Units, u)
	}
}

// undate notes that a cell has none of the layouts but some.
func (s *seen) undate(has []int, cell []byte, line int) {
	for q, k := range s.Layouts {
		if s.Dates[q].Out.Line == 0 && !slices.Contains(has, k) {
			s.Dates[q].Out = Place{Line: line, Text: shortened(cell)}
		}
	}
}

// date counts the layouts that a cell has.
func (s *seen) date(cell []byte, line int) {
	var few [8]int
	has := few[:0]
	for _, k := range layoutsOf(cell) {
		t, ok := parseDate(cell, layouts[k])
		if !ok {
			continue
		}
		has = append(has, k)
		q, known := slices.BinarySearch(s.Layouts, k)
		if !known {
			d := dates{}
			if s.First.Line != line {
				d.Out = s.First // has not this layout
			}
			s.Layouts, s.Dates = slices.Insert(s.Layouts, q, k), slices.Insert(s.Dates, q, d)
		}
		s.Dates[q].add(t)
	}
	s.undate(has, cell, line)
}

// word counts a cell as a word.
func (s *seen) word(cell []byte, most int) {
	if len(cell) >= len("a b c d") && bytes.Count(cell, []byte(" ")) >= 3 || len(cell) > longestWord {
		s.Texts++
	}
	if len(cell) > longestWord {
		cell = cell[:longestWord]
	}
	n := s.Words[string(cell)]
	if !s.Broken && (s.Runs == 0 || !bytes.Equal(cell, s.Tail)) {
		s.run(cell, n != nil)
	}
	if n != nil {
		*n++
		return
	}
	if s.Overflow > 0 {
		return
	}
	if len(s.Words) >= most {
		s.Overflow, s.Broken = s.Cells, true
		return
	}
	s.add(string(cell), 1)
}

// run begins a run of equal words.
func (s *seen) run(cell []byte, again bool) {
	if s.Broken = again; again {
		return
	}
	if s.Runs == 0 {
		s.Head = bytes.Clone(cell)
	}
	s.Runs++
	s.Tail = append(s.Tail[:0], cell...)
}

// add counts n further cells that have a word.
func (s *seen) add(word string, n int) {
	if s.Words == nil {
		s.Words = map[string]*int{}
	}
	if known := s.Words[word]; known != nil {
		*known += n
		return
	}
	count := n // allocated only here
	s.Words[word] = &count
}

// Having is the number of cells of a column that have a word.
func (p *Profile) Having(c int, word string) int {
	if n := p.Columns[c].Words[word]; n != nil {
		return *n
	}
	return 0
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
		for _, at := range []*Place{&s.Other, &s.Both, &s.Infinite, &s.Points, &s.Commas, &s.First, &s.Zero} {
			at.Part, at.Column = part, c+1
		}
		for k := range s.Units {
			s.Units[k].Part, s.Units[k].Column = part, c+1
		}
		for k := range s.Dates {
			s.Dates[k].Out.Part, s.Dates[k].Out.Column = part, c+1
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
	s.mergeDates(o) // before the first cells
	s.mergeOthers(o)
	s.mergeWords(o, most)
	if o.Overflow > 0 && s.Overflow == 0 {
		s.Overflow = s.Cells + o.Overflow
	}
	if s.First.Line == 0 {
		s.First = o.First
	}
	s.Texts += o.Texts
	s.Missing, s.Blank, s.Cells = s.Missing+o.Missing, s.Blank+o.Blank, s.Cells+o.Cells
}

// mergeWords adds words. If there are too many then, the first in the order of the alphabet are kept, so that what is left out does not
// depend on the order of a map.
func (s *seen) mergeWords(o *seen, most int) {
	s.Broken = s.Broken || o.Broken
	switch {
	case s.Runs == 0:
		s.Runs, s.Head, s.Tail = o.Runs, o.Head, o.Tail
	case o.Runs > 0:
		if s.Runs += o.Runs; bytes.Equal(s.Tail, o.Head) {
			s.Runs--
		}
		s.Tail = o.Tail
	}
	further := 0
	for w := range o.Words {
		if s.Words[w] == nil {
			further++
		}
	}
	if len(s.Words)+further <= most && s.Overflow == 0 {
		for w, n := range o.Words {
			s.add(w, *n)
		}
		return
	}
	if s.Overflow > 0 {
		for w, n := range o.Words {
			if known := s.Words[w]; known != nil {
				*known += *n
			}
		}
		return
	}
	list := make([]string, 0, len(o.Words))
	for w := range o.Words {
		list = append(list, w)
	}
	slices.Sort(list)
	of := cmp.Or(o.Overflow, o.Cells)
	for q, w := range list {
		if s.Words[w] == nil && (s.Overflow > 0 || len(s.Words) >= most) {
			if s.Overflow == 0 {
				s.Overflow = s.Cells + of*q/len(list) + 1
			}
			continue
		}
		s.add(w, *o.Words[w])
	}
}

func (s *seen) mergeOthers(o *seen) {
	list := make([]string, 0, len(o.Others))
	for w := range o.Others {
		list = append(list, w)
	}
	slices.Sort(list) // as words
	for _, w := range list {
		if _, known := s.Others[w]; !known && len(s.Others) >= mostOthers {
			s.More = true
			continue
		}
		if s.Others == nil {
			s.Others = map[string]int{}
		}
		s.Others[w] += o.Others[w]
	}
	s.More = s.More || o.More
	s.Digits, s.Codes, s.Zeros, s.Round = s.Digits+o.Digits, s.Codes+o.Codes, s.Zeros+o.Zeros, s.Round+o.Round
	if s.Length != o.Length && s.Length != 0 && o.Length != 0 {
		s.Length = -1
	}
	s.Length = cmp.Or(s.Length, o.Length)
}

func (s *seen) mergeDates(o *seen) {
	for q, k := range o.Layouts {
		at, known := slices.BinarySearch(s.Layouts, k)
		if !known {
			d := dates{Out: s.First}
			s.Layouts, s.Dates = slices.Insert(s.Layouts, at, k), slices.Insert(s.Dates, at, d)
		}
		s.Dates[at].merge(&o.Dates[q])
	}
	for q, k := range s.Layouts {
		if !slices.Contains(o.Layouts, k) && s.Dates[q].Out.Line == 0 {
			s.Dates[q].Out = o.First
		}
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
	switch {
	case o.Unitless == 0:
	case s.Unitless == 0:
		s.Plain = o.Plain
	default:
		s.Plain = [2]float64{min(s.Plain[0], o.Plain[0]), max(s.Plain[1], o.Plain[1])}
	}
	s.Long, s.Dotted, s.Unitless = s.Long+o.Long, s.Dotted+o.Dotted, s.Unitless+o.Unitless
	for _, u := range o.Units {
		s.unit(u)
	}
	for _, both := range []struct{ to, of *Place }{{&s.Other, &o.Other}, {&s.Both, &o.Both}, {&s.Infinite, &o.Infinite},
		{&s.Points, &o.Points}, {&s.Commas, &o.Commas}, {&s.Zero, &o.Zero}} {
		if both.to.Line == 0 {
			*both.to = *both.of
		}
	}
}
