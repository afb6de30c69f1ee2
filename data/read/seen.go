package read

// What a first pass over a file has seen of its cells, by which its columns are decided.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// Seen is what the cells of a file show, or of several files of one table. encoding/gob carries it from one process to another.
type Seen struct {
	names     []string          // of all columns
	roles     map[string]string // of those that are no features: data.KindLabel, data.KindIgnored ...
	delimiter byte
	header    int      // its line
	of        *dialect // of the one file that was looked at; it does not travel

	cells *columns.Profile
	ends  []ending // of the files that were looked at, in their order
}

// ending is how the rows of one file end.
type ending struct {
	Part  int
	Notes int // the line from which on they stand below the table, 0: there are none
	// Line, Column and Word are the first value of the last row, whose word is "" if it is longer than a total.
	Line, Column int
	Word         string
}

// travelling is a Seen as encoding/gob carries it.
type travelling struct {
	Names     []string
	Roles     map[string]string
	Delimiter byte
	Header    int
	Profile   *columns.Profile
	Ends      []ending
}

// GobEncode implements gob.GobEncoder.
func (c *Seen) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(travelling{c.names, c.roles, c.delimiter, c.header, c.cells, c.ends})
	return b.Bytes(), err
}

// GobDecode implements gob.GobDecoder.
func (c *Seen) GobDecode(text []byte) error {
	var t travelling
	err := gob.NewDecoder(bytes.NewReader(text)).Decode(&t)
	*c = Seen{names: t.Names, roles: t.Roles, delimiter: t.Delimiter, header: t.Header, cells: t.Profile, ends: t.Ends}
	return err
}

// Rows is the number of rows that were looked at.
func (c *Seen) Rows() int { return c.cells.Rows }

// lastRow is the first value of the last row that was looked at.
type lastRow struct {
	line, column int
	text         []byte // if it is no longer than a total
}

// totals are the words with which spreadsheets begin the row below a table that sums it up.
var totals = []string{"total", "totals", "grand total", "total general", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt", "somme",
	"suma", "soma", "totale", "totaal", "average", "mean", "mittelwert", "durchschnitt", "moyenne", "promedio", "media"}

// longestTotal is longer than every word of totals; no result depends on by how much.
const longestTotal = 20

func isTotal(word string) bool {
	return slices.Contains(totals, strings.ToLower(strings.TrimRight(word, ": ")))
}

// Ends says where the rows of a file end, and why, if that is before its text does: at notes below the table, or at a row of totals. Files
// are the names of the parts. Whether others stand before these rows shows when the file is looked at again with such an Options.Until.
func (c *Seen) Ends(files []string) (list []Warning) {
	for _, e := range c.ends {
		w := Warning{File: files[e.Part], Line: e.Notes, Guess: true}
		switch {
		case e.Notes > 0:
			w.What = "the lines from here on are notes below the table and are left out"
		case c.sumsUp(e):
			w.Line, w.What = e.Line, fmt.Sprintf("the last row begins with %q: it has the totals and is left out", e.Word)
		default:
			continue
		}
		list = append(list, w)
	}
	return list
}

// sumsUp says whether the last row of a file sums the others up. No row but the last ones of files may have its word in that column.
func (c *Seen) sumsUp(e ending) bool {
	if !isTotal(e.Word) || c.cells.Rows < 2 {
		return false
	}
	last := 0
	for _, o := range c.ends {
		if o.Word == e.Word && o.Column == e.Column {
			last++
		}
	}
	return c.cells.Having(e.Column, e.Word) == last
}

// Look looks at the cells of the CSV file called name, the part of a table of that number: parts lie in files of their own, which
// are looked at one by one; what they show is joined in their order and then decided about.
func Look(ctx context.Context, name string, part int, o Options) (*Seen, error) {
	c, err := look(ctx, o, name, func(ctx context.Context, o Options, to *sink) error { return readNamed(ctx, name, o, to) })
	if c != nil {
		c.cells.Of(part)
		c.ends[0].Part = part
	}
	return c, err
}

// Head looks at the first row of a file alone: whatever its cells hold, it shows what columns there are.
func Head(ctx context.Context, name string, o Options) (*Seen, error) {
	return look(ctx, o, name, func(ctx context.Context, o Options, to *sink) error {
		o.look.first = true
		return readNamed(ctx, name, o, to)
	})
}

// look looks at the cells that parse reads.
func look(ctx context.Context, o Options, name string, parse func(context.Context, Options, *sink) error) (*Seen, error) {
	p := &profiler{file: name, o: o}
	to := &sink{take: func(*data.Set) error { return nil }}
	o.look = p
	if err := parse(ctx, o, to); err != nil && !(p.first && errors.Is(err, errEnough)) {
		return nil, err
	}
	return p.cells(), nil
}

// profiler joins the profiles of blocks.
type profiler struct {
	file   string
	o      Options
	first  bool // row alone is wanted
	blocks *cutter
	of     *dialect
	header int // its line
	*table
	all   *columns.Profile
	kept  atomic.Pointer[columns.Kept] // of all
	empty [][]string
	last  lastRow
	notes notes
}

// profilePart is what one block holds.
type profilePart struct {
	records
	of   *columns.Profile
	last lastRow
	o    Options
	err  error

	passed passed
	notes  notes // at the end
	rows   bool  // there are some
}

func (r *profiler) read(ctx context.Context, in io.Reader, d *dialect, c cutting) error {
	r.of = d
	r.blocks = newCutter(in, r.file, d, c)
	if err := inOrder(ctx, r.blocks, c.workers, func() bool { return r.table != nil }, r.parse, r.join); err != nil {
		return err
	}
	if r.table == nil || r.all.Rows == 0 && r.o.Until == 0 {
		return &Error{File: r.file, Line: r.blocks.line, What: "no rows", Remedy: "give rows of data below a header line"}
	}
	return nil
}

func (r *profiler) parse(p *profilePart, b block) {
	p.lines, p.most, p.widest, p.err = linesOf(b, r.file), maxQuotedLines, widest(r.o.MemoryLimit), nil
	p.as(r.of)
	p.o, p.passed, p.notes, p.rows = r.o, passed{}, notes{}, false
	p.last.line = 0
	p.alone, p.passing = 0, r.table != nil
	switch {
	case r.table == nil:
		p.err = r.head(p)
	case p.of == nil:
		p.of = columns.NewProfile(r.width)
		p.of.Empty(r.empty)
	default:
		p.of.Reset()
	}
	if list := r.kept.Load(); list != nil && p.of != nil {
		p.of.Count(*list, b.n)
	}
	for p.err == nil {
		if r.first {
			p.err = errEnough
			break
		}
		f, err := p.next()
		if p.err = err; err == nil {
			p.err = p.look(f, r.table)
		}
	}
	if errors.Is(p.err, io.EOF) {
		p.err = nil
	}
}

// head reads the names of the columns.
func (r *profiler) head(p *profilePart) error {
	f, err := p.next()
	if err != nil {
		return err
	}
	t, headless, warnings, err := p.layout(f, r.o, r.of)
	if err == nil {
		err = r.o.refuse(warnings)
	}
	if err != nil {
		return err
	}
	if t.width > columns.MostColumns {
		return p.fault(0, fmt.Sprintf("%d columns, not all of numbers; a table of more than %d has numbers alone", t.width,
			columns.MostColumns),
			"fill its cells with numbers, or write it as LIBSVM text")
	}
	r.table, r.header = t, p.line
	r.empty = r.o.emptyOfGiven(t.all)
	r.all, p.of = columns.NewProfile(t.width), columns.NewProfile(t.width)
	p.of.Empty(r.empty)
	if !headless {
		if f, err = p.next(); err != nil {
			return err
		}
	}
	if r.o.guesses() {
		r.setAside(f, r.of)
	}
	return p.look(f, r.table)
}

// look takes a record in. Its answer shows how amounts among the answers are written, and no more.
func (p *profilePart) look(f []field, t *table) error {
	width, label := t.width, t.label
	if p.o.Until > 0 && p.line >= p.o.Until {
		return io.EOF
	}
	if p.passed.pass(f, t.all, p.line) || isVoid(f) {
		return nil
	}
	err := p.complete(f, width)
	if p.notes.n < mostNotes && isNote(f, width, p.apart || p.notes.n > 0) {
		if p.notes.note(p.line, err); err != nil {
			return nil // unless rows follow
		}
	} else if err == nil {
		p.rows, err = true, p.notes.row()
	}
	if err != nil {
		return err
	}
	p.of.Rows++
	first := true
	for c, v := range f[:width] {
		text := v.text
		if !p.ascii {
			var ok bool
			if text, ok = p.decode(text); !ok {
				return p.fault(c+1, "the cell "+quote(v.text)+" is not text", "save the file as UTF-8")
			}
		}
		switch {
		case v.typed && c == label:
			p.of.AddNumber(c, columns.Fraction(text), p.line)
		case v.typed:
			p.of.AddNumber(c, text, p.line)
		default:
			p.of.Add(c, text, p.line)
		}
		if c == label {
			continue
		}
		if first && len(text) > 0 {
			first = false
			p.last.line, p.last.column = p.line, c
			if p.last.text = p.last.text[:0]; len(text) <= longestTotal {
				p.last.text = append(p.last.text, text...)
			}
		}
	}
	return nil
}

func (r *profiler) join(p *profilePart) error {
	if p.of != nil {
		r.all.Merge(p.of)
		r.keep()
	}
	if p.last.line > 0 {
		r.last = lastRow{p.last.line, p.last.column, append(r.last.text[:0], p.last.text...)}
	}
	if err := r.notes.join(&p.notes, p.rows || p.err != nil); err != nil {
		return err
	}
	return p.err
}

// keep tells blocks to come which columns have too many words. Whether a block knows does not show in its profile once it is merged.
func (r *profiler) keep() {
	var before columns.Kept
	if list := r.kept.Load(); list != nil {
		before = *list
	}
	if list, more := r.all.Kept(before); more {
		r.kept.Store(&list)
	}
}

// cells are those that were looked at.
func (r *profiler) cells() *Seen {
	roles := map[string]string{}
	for c, name := range r.table.all {
		if !contains(r.columns, c) {
			roles[name] = data.KindIgnored
		}
	}
	for c, kind := range map[int]string{r.label: data.KindLabel, r.id: data.KindID, r.weight: data.KindWeight, r.group: data.KindGroup} {
		if c >= 0 {
			roles[r.table.all[c]] = kind
		}
	}
	end := ending{Notes: r.notes.line, Line: r.last.line, Column: r.last.column, Word: string(r.last.text)}
	return &Seen{names: r.table.all, roles: roles, delimiter: r.of.delim, header: r.header, of: r.of, cells: r.all, ends: []ending{end}}
}

// Join adds the cells of a file that follows, whose columns may stand in another order. A column that one of them lacks is an error.
func (c *Seen) Join(o *Seen) error {
	order := make([]int, len(c.names))
	for i, name := range c.names {
		if order[i] = slices.Index(o.names, name); order[i] < 0 || len(o.names) != len(c.names) {
			return fmt.Errorf("the columns %s, and before %s", listed(o.names), listed(c.names))
		}
	}
	c.cells.Merge(o.cells.Select(order))
	for _, e := range o.ends {
		e.Column = slices.Index(order, e.Column)
		c.ends = append(c.ends, e)
	}
	return nil
}

// Features are the names of the columns that may be learned from.
func (c *Seen) Features() (names []string) {
	for _, name := range c.names {
		if c.roles[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

// coded says whether some column to learn from holds codes such as 01234.
func (c *Seen) coded() bool {
	for i, name := range c.names {
		if c.roles[name] == "" && c.cells.Coded(i) {
			return true
		}
	}
	return false
}

// Label is the name of the column of answers, "" if there is none.
func (c *Seen) Label() string {
	for name, kind := range c.roles {
		if kind == data.KindLabel {
			return name
		}
	}
	return ""
}

// Decide says what the columns are. Files are the names of the parts, for messages.
func (c *Seen) Decide(files []string, o Options) (*data.Table, error) {
	t, err := columns.Decide(c.names, c.cells, columns.Settings{Given: o.Given, Roles: c.roles, Delimiter: c.delimiter,
		Numbers: o.Numbers && !c.coded(), Empty: o.emptyByName(c.names), Decimal: o.Dialect.Decimal})
	var fault *columns.Fault
	switch {
	case errors.As(err, &fault):
		return nil, &Error{
			File: files[fault.Part], Line: cmp.Or(fault.Line, c.header), Column: cmp.Or(fault.Place.Column, fault.Column+1),
			What:   fault.What,
			Remedy: fault.Remedy,
		}
	case err != nil:
		return nil, err
	}
	if names, _ := t.Features(); len(names) == 0 {
		return nil, &Error{File: files[0], What: "no column to learn from: " + strings.Join(columns.Summary(t), "; "),
			Remedy: "say what its columns are with --columns"}
	}
	return t, nil
}

func contains(list []int, c int) bool {
	for _, v := range list {
		if v == c {
			return true
		}
	}
	return false
}
