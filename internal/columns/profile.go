package columns

import (
	"bytes"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/decimal"
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

	empty []marks // cells of each column that stand for missing ones, beside those that always do; nil: there are none
}

// Empty says which cells of each column stand for missing ones, beside those that always do.
func (p *Profile) Empty(list [][]string) {
	p.empty = nil
	for _, of := range list {
		p.empty = append(p.empty, marksOf(of))
	}
}

// NewProfile is that of a table without rows.
func NewProfile(width int) *Profile {
	p := &Profile{Columns: make([]seen, width), Most: min(mostWords, max(leastWords, wordsInAll/max(1, width)))}
	for c := range p.Columns {
		p.Columns[c].Steps, p.Columns[c].Whole = true, true
	}
	return p
}

// Reset makes a profile that of a table without rows, and keeps its memory and what Empty said.
func (p *Profile) Reset() {
	p.Rows = 0
	for c := range p.Columns {
		s := &p.Columns[c]
		s.Words.empty()
		s.Others.empty()
		*s = seen{Words: s.Words, Others: s.Others, Steps: true, Whole: true, hits: s.hits[:0], read: s.read[:0]}
	}
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
	Ledger   int    // below zero as books have it, (12.50) or 12.50-
	Long     int    // with four digits or more and no groups
	Unitless int
	Plain    [2]float64 // the least and the largest of those without a unit
	Units    []Unit     // different ones, where each is first met
	Shares   int        // percentages by what the file says, which are fractions beside numbers without a unit
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
	Other    Place // the first cell that is no number
	Others   words // cells that are no numbers, up to mostOthers different ones
	More     bool  // there are more
	Both     Place // the first that is unlike
	Infinite Place // the first that is inf
	Points   Place // the first that has no decimal comma
	Commas   Place // the first that has no decimal point

	First   Place   // the first cell that has a value
	Layouts []int   // those that some date has, increasing
	Dates   []dates // of each of them

	Words    words // different words, and the cells that have each
	Overflow int   // rows before there were too many words, 0: there are not
	Runs     int   // of equal words one below the other, while they are counted
	Tail     int   // number of the last word, while runs are counted; that of the first is 0
	Broken   bool  // some word stands in two runs, and they are no longer counted
	Texts    int   // cells of several words, or too long

	kept *kept    // of the table, of whose words this part counts no others; nil: it counts its own
	hits []uint32 // number of such a word for each cell that has one
	read []dateBy // dates of words
}

// Unit is a unit of numbers: where it is first met, and how many have it.
type Unit struct {
	Place
	Cells int
	Cell  string // the first that has it
}

// mostOthers are the different cells without a number of a column of numbers of which a profile knows the number.
const mostOthers = 16

// Add takes a cell in. Cost: a scan and a hash of most cells; some readings of others, of bounded length.
func (p *Profile) Add(c int, cell []byte, line int) {
	s := &p.Columns[c]
	cell = trimSpace(cell)
	if len(cell) == 0 { // the first of the marks of missing values
		s.Missing++
		return
	}
	marked := p.empty != nil && p.empty[c].has(cell)
	if mantissa, before, after, size := decimal.Scan(cell); size == len(cell) && !marked {
		if v, ok := decimal.Value(mantissa, -max(after, 0), cell[0] == '-'); ok {
			s.Cells++
			s.word(cell, hashOf(cell), p.Most)
			s.plain(cell, v, mantissa, before, after, line)
			return
		}
	}
	hash := hashOf(cut(cell))
	if len(cell) <= longestWord && s.kept == nil {
		if i := s.Words.find(cell, hash); i >= 0 && s.Words.list[i].seen {
			s.again(i, cell, line)
			return
		}
	}
	p.addAny(c, cell, hash, line, marked)
}

// addAny takes in any cell that has something, the long way.
func (p *Profile) addAny(c int, cell []byte, hash uint32, line int, marked bool) {
	s := &p.Columns[c]
	digit := isDigit(cell[0]) // with which no mark of a missing value begins
	if marked || !digit && trimmed(missing, cell) {
		s.Missing++
		return
	}
	s.Cells++
	at := s.word(cell, hash, p.Most)
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
	s.value(cell, hash, line, at)
}

// again takes in a further cell of a word that is no number.
func (s *seen) again(i int, cell []byte, line int) {
	s.Cells++
	w := &s.Words.list[i]
	w.cells++
	if w.texts {
		s.Texts++
	}
	s.run(i, true)
	if isDigit(cell[0]) {
		s.Digits++
	}
	if !s.More {
		s.Others.list[w.other].cells++
	}
	if len(s.Layouts) > 0 {
		s.dated(s.read[w.date:w.date+uint32(w.dates)], cell, line)
	}
}

// plain takes in a number of digits with a sign and a point at most, as decimal.Scan found them, which number could take in too: a
// decimal comma makes it another number only if the point has three digits behind it, as that between thousands has.
func (s *seen) plain(cell []byte, v float64, mantissa uint64, before, after, line int) {
	if s.First.Line == 0 {
		s.First = Place{Line: line, Text: shortened(cell)}
	}
	digits := 0 // that it begins with
	if isDigit(cell[0]) {
		digits = 1
	}
	s.Digits += digits
	if after < 0 && digits > 0 {
		s.code(cell)
	}
	s.Point++
	if before > 3 {
		s.Long++
	}
	switch {
	case after < 0:
		s.Comma++
		s.span(v, v)
	case after == 3 && 0 < before && before <= 3 && cell[len(cell)-after-1-before] != '0':
		s.Comma++
		s.Dotted++
		s.Groups[1]++
		s.span(v, math.Copysign(float64(mantissa), v))
	default:
		if s.Points.Line == 0 {
			s.Points = Place{Line: line, Text: shortened(cell)}
		}
		s.span(v, v)
	}
	s.unitless(v)
	if before == len(compact) && after < 0 || len(s.Layouts) > 0 {
		s.day(cell, v, line)
	}
}

// day takes in a number that may be a date of eight digits.
func (s *seen) day(cell []byte, v float64, line int) {
	if len(cell) == len(compact) {
		if t, ok := compactDate(v); ok {
			s.dated([]dateBy{{compactAt, t}}, cell, line)
			return
		}
	}
	s.undate(nil, cell, line)
}

// value takes in a cell that holds something, whose word has a number in the list, or -1.
func (s *seen) value(cell []byte, hash uint32, line, at int) {
	if s.First.Line == 0 {
		s.First = Place{Line: line, Text: shortened(cell)}
	}
	s.digits(cell)
	infinite := infinite(cell)
	if infinite && s.Infinite.Line == 0 {
		s.Infinite = Place{Line: line, Text: shortened(cell)}
	}
	if r, ok := readNumber(cell); ok {
		s.number(&r, cell, line)
		s.undate(nil, cell, line)
		return
	}
	if s.Other.Line == 0 {
		s.Other = Place{Line: line, Text: shortened(cell)}
	}
	other, from := s.other(cell, hash), len(s.read)
	s.date(cell, line)
	if at >= 0 && !infinite && len(cell) <= longestNumber {
		w := &s.Words.list[at]
		w.seen, w.other, w.date, w.dates = true, uint8(other), uint32(from), uint8(len(s.read)-from)
	} else {
		s.read = s.read[:from]
	}
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
	s.code(cell)
}

// code notes a cell that is digits alone.
func (s *seen) code(cell []byte) {
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

// other counts a cell that is no number, and is the number of its word among these while they are counted.
func (s *seen) other(cell []byte, hash uint32) int {
	if s.More {
		return 0 // they are no longer asked for
	}
	cell = cut(cell)
	if s.Others.len() >= mostOthers && s.Others.find(cell, hash) < 0 {
		s.More = true
		return 0
	}
	return s.Others.count(cell, hash, 1)
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

// number takes in what a cell says as a number.
func (s *seen) number(r *reading, cell []byte, line int) {
	both := [2]float64{r.point, r.comma}
	if math.IsNaN(r.point) {
		both[0] = r.comma
	} else if math.IsNaN(r.comma) {
		both[1] = r.point
	}
	v := both[0]
	s.span(v, both[1])
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
		if r.round {
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
	if r.ledger {
		s.Ledger++
	}
	if len(r.unit) > 0 {
		s.unit(r.unit, cell, line)
		return
	}
	s.unitless(v)
}

// span takes the value of a number in, with a decimal point and with a decimal comma.
func (s *seen) span(v, comma float64) {
	if s.Numbers == 0 {
		s.From, s.Least, s.Most = v, [2]float64{v, comma}, [2]float64{v, comma}
	} else if v != s.To+1 {
		s.Steps = false
	}
	s.To = v
	s.Numbers++
	extend(&s.Least[0], &s.Most[0], v)
	extend(&s.Least[1], &s.Most[1], comma)
	s.Whole = s.Whole && v == math.Trunc(v)
}

// extend moves the ends of an interval to hold a value. It compares first, as hardly any value moves them.
func extend(least, most *float64, v float64) {
	if v <= *least {
		*least = min(*least, v)
	}
	if v >= *most {
		*most = max(*most, v)
	}
}

// unitless takes the value of a number without a unit in.
func (s *seen) unitless(v float64) {
	if s.Unitless == 0 {
		s.Plain = [2]float64{v, v}
	}
	extend(&s.Plain[0], &s.Plain[1], v)
	s.Unitless++
}

// unit counts the unit of a cell.
func (s *seen) unit(unit, cell []byte, line int) {
	for k := range s.Units {
		if s.Units[k].Text == string(unit) {
			s.Units[k].Cells++
			return
		}
	}
	s.addUnit(Unit{Place{Line: line, Text: string(unit)}, 1, shortened(cell)})
}

// addUnit adds the cells of a unit.
func (s *seen) addUnit(u Unit) {
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

// dateBy is a date that a cell is by a layout.
type dateBy struct {
	layout int
	at     time.Time
}

// date counts the layouts that a cell has, and appends what it is by each to those that were read.
func (s *seen) date(cell []byte, line int) {
	from := len(s.read)
	for _, k := range layoutsOf(cell) {
		if t, ok := parseDate(cell, layouts[k]); ok {
			s.read = append(s.read, dateBy{k, t})
		}
	}
	s.dated(s.read[from:], cell, line)
}

// dated counts the dates of a cell.
func (s *seen) dated(list []dateBy, cell []byte, line int) {
	var few [8]int
	has := few[:0]
	for _, d := range list {
		k := d.layout
		has = append(has, k)
		q, known := slices.BinarySearch(s.Layouts, k)
		if !known {
			d := dates{}
			if s.First.Line != line {
				d.Out = s.First // has not this layout
			}
			s.Layouts, s.Dates = slices.Insert(s.Layouts, q, k), slices.Insert(s.Dates, q, d)
		}
		s.Dates[q].add(d.at)
	}
	s.undate(has, cell, line)
}

// word counts a cell as a word, and is its number in the list, -1 if it is not there.
func (s *seen) word(cell []byte, hash uint32, most int) int {
	texts := len(cell) >= len("a b c d") && bytes.Count(cell, []byte(" ")) >= 3 || len(cell) > longestWord
	if texts {
		s.Texts++
	}
	cell = cut(cell)
	if s.kept != nil {
		if i := s.kept.find(cell, hash); i >= 0 {
			s.hits = append(s.hits, uint32(i))
		}
		return -1
	}
	i := s.Words.find(cell, hash)
	known := i >= 0
	switch {
	case known:
		s.Words.list[i].cells++
	case s.Overflow > 0:
		return -1
	case s.Words.len() >= most:
		s.Overflow, s.Broken = s.Cells, true
		return -1
	default:
		i = s.Words.add(cell, hash, 1)
		s.Words.list[i].texts = texts
	}
	s.run(i, known)
	return i
}

// run begins a run of equal words, if the word of a number is another than the last.
func (s *seen) run(i int, known bool) {
	if s.Broken || s.Runs > 0 && i == s.Tail {
		return
	}
	if s.Broken = known; !known {
		s.Runs++
		s.Tail = i
	}
}

// Having is the number of cells of a column that have a word.
func (p *Profile) Having(c int, word string) int {
	return p.Columns[c].Words.having(word)
}

// different is the share of different words among the cells, or among the first of them while there were not too many.
func (s *seen) different() float64 {
	return float64(s.Words.len()) / float64(max(1, s.counted()))
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
