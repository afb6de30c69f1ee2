package read

// The dialect of a text: how its lines are cut into cells, which lines stand above the table, and which name its columns.
//
// Measure   Each delimiter that occurs cuts the first lines; it has the value
//               C (L - 1)/L T^2,
//           C the share of lines with the commonest number of cells L, T the mean of the cells of these lines: 1 for what is a number, a
//           date, missing or in quotes, less for words, and next to nothing for what another delimiter stands in. The best wins, the
//           first of delimiters where several are as good.
// Above     Lines with half of the L cells or fewer, or with one cell that is followed by empty ones alone, are titles.
// Names     A line has names if a word in it stands over numbers; it is data if its numbers stand over numbers, or at least half of its
//           words stand in their columns again. A further line of words over numbers alone has units, which join the names.
// Source    van den Burg, Nazabal & Sutton, Data Mining and Knowledge Discovery 33 (2019), for the measure of patterns and types;
//           Vitagliano, Hameed, Jiang, Reisener, Wu & Naumann, PVLDB 16 (2023), for what real files do.
// Cost      The first sampleBytes of a text are cut once for each delimiter in them, and each cell is looked at once.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// Dialect says what the user knows of the dialect of CSV; what is empty is found from the first lines.
type Dialect struct {
	Delimiter string // a character, or tab
	Quote     string // a character, or none
	Comment   string // the character with which lines begin that are passed over, or none
	Header    string // the number of lines that name the columns, or none
	Skip      string // the number of lines above them
	Decimal   string // comma or point
}

const (
	sampleBytes = 1 << 14 // of the beginning of a text, by which its dialect is found
	sampleLines = 20      // that are looked at even if they are longer, up to the size of the reader's buffer
	mostTitles  = 50      // lines above a table
	mostNames   = 3       // lines of names
	nearlyAlike = 0.97    // of the best value: another delimiter that reaches it is as likely
)

// dialect is how a text is cut. The zero value is that of files that are usual but for their delimiter.
type dialect struct {
	delim   byte
	quote   byte // 0: none
	comment byte // 0: none
	skip    int  // lines above the names
	size    int  // bytes of these
	header  int  // lines of names
	width   int  // cells of a row, if the names are one fewer; 0: as many as there are names
	first   bool // the column without a name is the first

	made    bool // the text was written by this program
	words   bool // the last column has words
	codes   bool // some column has codes such as 01234
	mark    byte // the decimal mark of all numbers for which there is no other; 0: not known
	guesses []Warning
}

// set is what a data.Set says of the dialect.
func (d *dialect) set() *data.Dialect {
	if d.made {
		return nil
	}
	s := &data.Dialect{Delimiter: string(rune(d.delim)), Header: d.header, Skip: d.skip}
	if d.first {
		s.Unnamed = 1
	} else if d.width > 0 {
		s.Unnamed = d.width
	}
	if d.quote != '"' && d.quote != 0 {
		s.Quote = string(rune(d.quote))
	}
	if d.quote == 0 {
		s.Quote = none
	}
	if d.comment != 0 {
		s.Comment = string(rune(d.comment))
	}
	return s
}

// cutAs is how a text was cut that a set says.
func cutAs(s *data.Dialect) *dialect {
	d := &dialect{delim: s.Delimiter[0], quote: '"', header: s.Header, skip: s.Skip, width: s.Unnamed, first: s.Unnamed == 1}
	switch {
	case s.Quote == none:
		d.quote = 0
	case s.Quote != "":
		d.quote = s.Quote[0]
	}
	if s.Comment != "" {
		d.comment = s.Comment[0]
	}
	return d
}

// none is the word of flags for nothing.
const none = "none"

// guess notes what is not usual.
func (d *dialect) guess(file string, line int, format string, args ...any) {
	d.guesses = append(d.guesses, Warning{File: file, Line: line, What: fmt.Sprintf(format, args...), Guess: true})
}

// sampled is a record of the beginning of a text.
type sampled struct {
	line   int
	fields []field
	raw    byte // with which it begins
}

// filled counts the cells that have a value.
func (s sampled) filled() (n int) {
	for _, f := range s.fields {
		if len(f.text) > 0 {
			n++
		}
	}
	return n
}

// dialectOf finds the dialect of a text, and passes the lines above its names over.
func dialectOf(text *plainText, file string, o Options) (*dialect, error) {
	head, err := text.Peek(text.Size())
	all := err != nil // of the text
	if err != nil && !errors.Is(err, io.EOF) {
		all = false // what is met later is told then
	}
	f := finder{file: file, o: o, head: head, all: all}
	d, err := f.find()
	if err != nil {
		return nil, err
	}
	if d.size > 0 {
		_, _ = text.Discard(d.size) // peeked above
	}
	return d, nil
}

// refuse makes the first guess that is not the usual one a fault, if that is asked for.
func (o Options) refuse(said []Warning) error {
	at := slices.IndexFunc(said, func(w Warning) bool { return w.Guess })
	if !o.Strict || at < 0 {
		return nil
	}
	return &Error{File: said[at].File, Line: said[at].Line, What: said[at].What, Remedy: "say so with a flag, or leave out --strict"}
}

// finder looks at the beginning of a text.
type finder struct {
	file string
	o    Options
	head []byte
	all  bool // the head is the whole text
	d    dialect
	recs []sampled
}

// sample shortens the head to whole lines, as many as are wanted.
func (f *finder) sample() []byte {
	head, lines := f.head, 0
	for end := 0; end < len(head); {
		n := bytes.IndexByte(head[end:], '\n') + 1
		if n == 0 {
			if f.all || lines == 0 {
				return head
			}
			return head[:end]
		}
		end, lines = end+n, lines+1
		if end >= sampleBytes && lines >= sampleLines {
			return head[:end]
		}
	}
	return head
}

func (f *finder) find() (*dialect, error) {
	f.d.quote, f.d.header = '"', 1
	if err := f.asked(); err != nil {
		return nil, err
	}
	if first, rest, _ := bytes.Cut(f.head, []byte("\n")); f.d.delim == 0 && f.o.Dialect.Skip == "" {
		if f.d.delim = told(trimEnd(first)); f.d.delim != 0 {
			f.head, f.d.skip, f.d.size = rest, 1, len(first)+1
		}
	}
	if err := f.skipAsked(); err != nil {
		return nil, err
	}
	text := f.sample()
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.IndexByte(bytes.TrimRight(first, "\r"), '\r') >= 0 {
		return nil, &Error{File: f.file, Line: 1, What: "lines that end with a carriage return alone",
			Remedy: "save the file with line feeds"}
	}
	if err := f.delimiter(text); err != nil {
		return nil, err
	}
	if f.recs == nil {
		f.recs = f.cut(text, f.d.delim)
	}
	if len(f.recs) > 0 {
		f.above()
		f.names()
	}
	return &f.d, f.o.refuse(f.d.guesses)
}

// asked takes what the user says.
func (f *finder) asked() error {
	a := f.o.Dialect
	for _, c := range []struct {
		flag, value string
		to          *byte
	}{{"delimiter", a.Delimiter, &f.d.delim}, {"quote", a.Quote, &f.d.quote}, {"comment", a.Comment, &f.d.comment}} {
		switch {
		case c.value == "":
		case c.value == none && c.flag != "delimiter":
			*c.to = 0
		case c.value == "tab" && c.flag == "delimiter":
			*c.to = '\t'
		case len(c.value) == 1 && c.value[0] < utf8.RuneSelf:
			*c.to = c.value[0]
		default:
			return &Error{File: f.file, What: fmt.Sprintf("--%s %s", c.flag, c.value), Remedy: "give one character of ASCII"}
		}
	}
	return nil
}

// skipAsked passes the lines over that --skip counts.
func (f *finder) skipAsked() error {
	n, err := number0(f.o.Dialect.Skip)
	if err != nil {
		return &Error{File: f.file, What: "--skip " + f.o.Dialect.Skip, Remedy: "give a number of lines"}
	}
	for range n {
		end := bytes.IndexByte(f.head, '\n') + 1
		if end == 0 {
			return &Error{File: f.file, What: fmt.Sprintf("--skip %d: the text has not so many lines", n), Remedy: "skip fewer"}
		}
		f.head = f.head[end:]
		f.d.skip, f.d.size = f.d.skip+1, f.d.size+end
	}
	return nil
}

// number0 reads a number of lines, 0 where there is none.
func number0(text string) (int, error) {
	if text == "" || text == none {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// cut cuts the sample by a delimiter, up to the first record that cannot be cut.
func (f *finder) cut(text []byte, delim byte) (list []sampled) {
	r := records{lines: lines{file: f.file, n: f.d.skip, text: text, stop: io.EOF}, delim: delim, quote: f.d.quote, most: maxQuotedLines,
		widest: widest(f.o.MemoryLimit)}
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
		if len(fields) > 0 && len(fields[0].text) > 0 && !fields[0].quoted {
			s.raw = fields[0].text[0]
		}
		list = append(list, s)
	}
}

// delimiter finds the delimiter, and keeps the records that it cuts.
func (f *finder) delimiter(text []byte) error {
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
		return nil
	}
	if len(list) == 1 && !blanks {
		f.d.delim = list[0].delim
		return nil
	}
	if blanks {
		list = append(list, candidate{delim: ' '})
	}
	for i := range list {
		c := &list[i]
		c.recs = f.cut(text, c.delim)
		c.value, c.known = value(c.recs, c.delim), f.known(c.recs)
		if c.delim == ' ' {
			c.value *= nearlyAlike * nearlyAlike // a tab and a run of tabs and blanks are as good
		}
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
			return n == width
		}
		if width = n; n < 2 {
			return false
		}
	}
	return false
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
	for _, name := range []string{f.o.Label, f.o.ID, f.o.Weight, f.o.Group} {
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
	for _, v := range s.fields {
		if len(v.text) > 0 && slices.Contains(names, string(v.text)) {
			n++
		}
	}
	return n
}

// value is the measure of a way to cut a text.
func value(recs []sampled, delim byte) float64 {
	width, same := commonest(recs)
	if width < 2 {
		return 0
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
	mean := sum / float64(width*same)
	return float64(same) / float64(len(recs)) * float64(width-1) / float64(width) * mean * mean
}

// typed is how much a cell looks like a value that was meant.
func typed(v field, delim byte) float64 {
	switch {
	case v.quoted || columns.ShapeOf(v.text) != columns.Word:
		return 1
	case bytes.ContainsFunc(v.text, func(r rune) bool {
		return r != rune(delim) && r < utf8.RuneSelf && strings.IndexByte(delimiters, byte(r)) >= 0
	}):
		return 0.1
	case '0' <= v.text[0] && v.text[0] <= '9':
		return 0.5
	}
	return 0.9
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
		f.d.header, _ = number0(a)
		f.widen()
		f.last()
		return
	}
	switch first := f.recs[0]; {
	case f.named(first) > 0:
		f.furtherNames()
	case isData(first.fields) || f.isRow():
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
	if len(f.recs) < 3 || counts(first.fields) {
		return false
	}
	e := f.look(0, 1)
	if e.data > 0 {
		return e.data >= 4*e.names
	}
	return e.names == 0 && e.again > 0 && 2*e.again >= e.words && len(first.fields) > 1
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

// furtherNames finds lines of units or of further names below the first.
func (f *finder) furtherNames() {
	const enough = 3 // rows below
	for i := 1; i < mostNames && i+enough < len(f.recs); i++ {
		if len(f.recs[i].fields) != len(f.recs[0].fields) {
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
	if f.d.header == 0 || count < 2 || len(f.recs[0].fields) != width-1 || f.void(width-1) {
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

// countsRows says whether the first column counts the rows or names them, as R writes tables: numbers that rise by one, or words that
// are all different and in quotes.
func (f *finder) countsRows() bool {
	seen, last := map[string]bool{}, 0
	for i, s := range f.recs[1:] {
		text := string(s.fields[0].text)
		k, err := strconv.Atoi(text)
		word := s.fields[0].quoted || columns.ShapeOf(s.fields[0].text) == columns.Word
		if seen[text] || err != nil && !word || err == nil && i > 0 && k != last+1 {
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
		f.d.mark = f.mark()
	}
	for c := range width {
		f.d.codes = f.d.codes || f.coded(c, width)
	}
}

// mark is the decimal mark of the numbers of a file for a model, which need not be that of the rows it was learned from.
func (f *finder) mark() byte {
	switch f.o.Dialect.Decimal {
	case "comma":
		return ','
	case "point":
		return '.'
	}
	mark := byte(0)
	for _, s := range f.recs[f.d.header:] {
		for _, v := range s.fields {
			switch m := columns.DecimalMark(v.text); {
			case m == 0:
			case mark == 0:
				mark = m
			case m != mark:
				return 0
			}
		}
	}
	return mark
}

// coded says whether all cells of a column are digits of one length, of which some begin with 0.
func (f *finder) coded(c, width int) bool {
	zero, length := false, 0
	for _, s := range f.recs[f.d.header:] {
		if len(s.fields) != width {
			continue
		}
		text := s.fields[c].text
		if length = cmp.Or(length, len(text)); len(text) < 2 || len(text) != length || len(bytes.Trim(text, "0123456789")) > 0 {
			return false
		}
		zero = zero || text[0] == '0'
	}
	return zero
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

// dialected reads the dialect of a text, if it is not known, and warns of what is not usual.
func dialected(ctx context.Context, in io.Reader, file string, o Options, to *sink) (*plainText, Options, error) {
	text, err := textOf(ctx, in, file)
	if err != nil || o.dialect != nil {
		return text, o, err
	}
	if o.dialect, err = dialectOf(text, file, o); err == nil && to != nil {
		to.warnings, to.codes = append(to.warnings, o.dialect.guesses...), o.dialect.codes
	}
	return text, o, err
}
