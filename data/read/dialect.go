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
	Sheet     string // of a spreadsheet, by its name
}

const (
	sampleBytes = 1 << 14 // of the beginning of a text, by which its dialect is found
	sampleLines = 20      // that are looked at even if they are longer, up to the size of the reader's buffer
	mostTitles  = 50      // lines above a table
	mostNames   = 3       // lines of names
	nearlyAlike = 0.97    // of the best value: another delimiter that reaches it is as likely

	// Tabs divide cells that may have blanks in them if they cut so many lines alike, and if what they cut looks so much like values:
	// numbers with blanks between them are none.
	tabbed, tabbedCells = 0.6, 0.8
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
	cells   int  // of a row, where comments were guessed: a line that begins as they do and has as many may be a row; 0: they were not

	made    bool   // the text was written by this program: cells without quotes are what the file says that they are
	words   bool   // the last column has words
	mark    byte   // the decimal mark of all numbers for which there is no other; 0: not known
	marks   []byte // the decimal mark that each field of records surely has; 0: its cells leave both, bothMarks: they have both
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

// unusual is the remedy of a guess that is refused, of which only some have a flag.
const unusual = "say so with a flag or by --columns, correct the file where none says it, or leave out --strict"

// refuse makes the first guess that is not the usual one a fault, if that is asked for.
func (o Options) refuse(said []Warning) error {
	at := slices.IndexFunc(said, func(w Warning) bool { return w.Guess })
	if !o.Strict || at < 0 {
		return nil
	}
	return &Error{File: said[at].File, Line: said[at].Line, What: said[at].What, Remedy: unusual}
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
	f.d.quote, f.d.header, f.d.made = '"', 1, f.o.written
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
	if _, err := number0(f.o.Dialect.Header); err != nil {
		return nil, &Error{File: f.file, What: "--header " + f.o.Dialect.Header, Remedy: "give a number of lines that name the columns, or none"}
	}
	text := f.sample()
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if at := bytes.IndexByte(bytes.TrimRight(first, "\r"), '\r'); at >= 0 && bytes.Count(first[:at], []byte{'"'})%2 == 0 { // not in quotes
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
		case len(c.value) == 1 && c.value[0] < utf8.RuneSelf && !strings.ContainsAny(c.value, "\r\n"):
			*c.to = c.value[0]
		default:
			return &Error{File: f.file, What: fmt.Sprintf("--%s %s", c.flag, c.value), Remedy: "give one character of ASCII"}
		}
	}
	return nil
}

// cutBy are the flags that say how a line of CSV is cut into cells and which lines are rows.
func cutBy() []string { return []string{"delimiter", "quote", "header", "skip", "comment"} }

// csvOnly returns an error if the dialect of CSV is described though the set is none: by one of these flags or, if none is given here, by
// any. It names the flag and what the set is. The name of a sheet is always refused.
func (o Options) csvOnly(file, is string, flags ...string) error {
	d := o.Dialect
	if d.Sheet != "" {
		return noSheet(file)
	}
	for _, said := range []struct{ flag, value string }{{"delimiter", d.Delimiter}, {"quote", d.Quote}, {"header", d.Header}, {"skip", d.Skip},
		{"comment", d.Comment}, {"decimal", d.Decimal}, {"missing", strings.Join(o.Marks, ",")}} {
		if said.value != "" && (len(flags) == 0 || slices.Contains(flags, said.flag)) {
			return &Error{File: file, What: fmt.Sprintf("--%s %s says how CSV is written, and this is %s", said.flag, said.value, is),
				Remedy: "leave it out, or give CSV"}
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

// mark is the decimal mark of the numbers of a file for a model, which need not be that of the rows it was learned from.
func (f *finder) mark() byte {
	if said := markSaid(f.o.Dialect.Decimal); said != 0 {
		return said
	}
	mark, numeric := byte(0), f.numeric()
	for c, m := range f.d.marks {
		switch {
		case m == 0 || numeric != nil && !numeric[c]:
		case mark == 0:
			mark = m
		case m != mark:
			return 0
		}
	}
	if mark == bothMarks {
		return 0
	}
	return mark
}

// markSaid is the decimal mark that the user says, 0 for none.
func markSaid(word string) byte {
	switch word {
	case "comma":
		return ','
	case "point":
		return '.'
	}
	return 0
}

// bothMarks is what a field shows whose cells have both marks.
const bothMarks = 'x'

// marks are the decimal marks that the fields of a file for a model surely have, each by its own cells.
func (f *finder) marks() []byte {
	var list []byte
	for _, s := range f.recs[f.d.header:] {
		for c, v := range s.fields {
			if c == len(list) {
				list = append(list, 0)
			}
			switch m := columns.DecimalMark(v.text); {
			case v.typed || m == 0 || m == list[c]:
			case list[c] == 0:
				list[c] = m
			default:
				list[c] = bothMarks
			}
		}
	}
	return list
}

// numeric says which fields of a record the model reads as numbers, its labels among them; nil: that is not known, as there are no names.
func (f *finder) numeric() map[int]bool {
	numbers := map[string]bool{}
	for _, name := range f.o.Want {
		numbers[name] = true
	}
	if t := f.o.Table; t != nil {
		for i := range t.Columns {
			numbers[t.Columns[i].Name] = t.Columns[i].Kind == data.KindNumber || t.Columns[i].Kind == data.KindLabel
		}
	}
	if len(numbers) == 0 || f.d.header != 1 {
		return nil
	}
	fields, shift := map[int]bool{}, 0
	if f.d.first {
		shift = 1 // before the names
	}
	for c, name := range f.recs[0].fields {
		if is, ok := numbers[string(bytes.TrimSpace(name.text))]; ok {
			fields[c+shift] = is
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return fields
}

// dialected reads the dialect of a text, if it is not known, and warns of what is not usual.
func dialected(ctx context.Context, in io.Reader, file string, o Options, to *sink) (*plainText, Options, error) {
	text, err := textOf(ctx, in, file)
	if err != nil || o.dialect != nil {
		return text, o, err
	}
	if o.dialect = o.found; o.dialect == nil {
		o.dialect, err = dialectOf(text, file, o)
	} else if o.dialect.size > 0 {
		if _, err = text.Peek(o.dialect.size); err == nil {
			_, err = text.Discard(o.dialect.size) // as when it was found
		}
	}
	if err == nil && to != nil {
		to.warnings = append(to.warnings, o.dialect.guesses...)
	}
	return text, o, err
}
