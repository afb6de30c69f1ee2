package read

// Rows of CSV. A line is read in one pass; records of several lines, blank lines and faults go the
// long way, by fields, which knows what to say of them.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/decimal"
)

// CSV reads text separated by commas, semicolons, tabs or bars; the first line decides, or one before it, sep=;, which spreadsheets
// write. Where neither the first two lines nor that have a delimiter, values are separated by runs of blanks.
// That line names the columns, unless all its fields, the last apart, are
// unquoted numbers that do not count up from 0 or 1: then it is data, the
// columns are x0, x1, ... and the last is the label. Blank lines are skipped.
func CSV(ctx context.Context, in io.Reader, file string, o Options) (*data.Set, []Warning, error) {
	o.Format = FormatCSV
	return wholeSet(func(to *sink) error { return parse(ctx, in, file, o, cutting{}, to) })
}

func readCSV(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	rows, err := newRows(ctx, in, file, o, to)
	if err != nil {
		return err
	}
	r := &csvReader{rows: rows, blocks: newCutter(rows.text, file, o.dialect, c), x: list[float64]{budget: rows.budget}}
	cells, numbers := o.least()
	r.blocks.first = shorter(r.blocks.first, cells, numbers)
	if err := inOrder(ctx, r.blocks, c.workers, r.started, r.parse, r.join); err != nil {
		return err
	}
	switch {
	case r.table == nil:
		return &Error{File: file, What: "empty file", Remedy: "give a header line and rows"}
	case r.count() == 0:
		return &Error{File: file, Line: r.blocks.line, What: "a header but no rows", Remedy: "give rows of data below it"}
	}
	r.tell()
	return r.end(r.blocks.line, r.set)
}

// tell warns of what all rows have shown: words that a model does not know, missing cells that it has a value for, and rows that were
// left out.
func (r *csvReader) tell() {
	say := func(what string) { r.sink.warnings = append(r.sink.warnings, Warning{File: r.file, What: what}) }
	if r.unknown != nil {
		for _, text := range r.unknown.Says(r.coder) {
			say(text)
		}
	}
	for j, n := range r.filled {
		if n > 0 {
			say(fmt.Sprintf("column %q: no value in %s, though all that were learned from have one; there it counts as the median, %.6g",
				r.names[j], brief.Count(n, "row"), r.o.Fill[j]))
		}
	}
	r.sink.warnings = append(r.sink.warnings, r.passed.says(r.file)...)
	if r.void > 0 {
		say("left out: " + brief.Count(r.void, "row") + " without any value")
	}
}

// leastBlock is the least that a block is made shorter to.
const leastBlock = 1 << 10

// shorter is the size of a block that has no more numbers than it would have if each cell were one: so many cells of a row, words that
// have a column each or rows without the columns of some views, become so many numbers.
func shorter(size, cells, numbers int) int {
	if numbers <= cells {
		return size
	}
	return max(size/((numbers+cells-1)/cells), min(size, leastBlock))
}

// least is how few cells a row can have, and how many numbers they become then, as far as that is known before the names are read.
func (o Options) least() (cells, numbers int) {
	switch {
	case o.Table != nil:
		for i := range o.Table.Columns {
			if c := &o.Table.Columns[i]; c.Feature() {
				cells, numbers = cells+1, numbers+len(c.Features())
			}
		}
		return max(cells, 1), numbers
	case o.Missing:
		return 1, len(o.Want)
	}
	return 1, 1
}

// csvReader joins the rows of blocks.
type csvReader struct {
	*rows
	*table
	blocks *cutter
	seen   bool // the first row of data
	x      list[float64]

	once    seenOnce // this was said
	extras  extras
	unknown *columns.Unknown // of a table
	filled  []int            // cells of each feature that were missing; nil: none
	void    int              // rows left out because no cell has a value
	passed  passed
	coded   bool // as data.Set.Coded
}

// csvPart is what one block holds.
type csvPart struct {
	records
	*table
	o   Options
	x   []float64
	at  []int
	err error // why the rows end before the block does

	labels []byte // one after the other
	ends   []int  // of each label

	cells   cells            // of id, weight and group, in this order, those that there are
	unknown *columns.Unknown // of a table
	filled  []int            // cells of each feature that were missing; nil: none
	void    int              // rows left out because no cell has a value
	passed  passed
	codes   bool // some number begins with a 0 that is not its only digit, as codes do
}

// started says whether the first row of data was seen, by which the columns are known. From then on
// parse writes to its part alone.
func (r *csvReader) started() bool { return r.seen }

// parse reads the rows of a block.
func (r *csvReader) parse(p *csvPart, b block) {
	p.lines, p.most, p.widest = linesOf(b, r.file), maxQuotedLines, widest(r.limit)
	p.table, p.o = r.table, r.o
	p.begin()
	p.unknown, p.passing = nil, r.started()
	p.as(r.o.dialect)
	if !r.started() {
		p.err = r.head(p)
	}
	if p.err == nil && p.coder != nil && p.unknown == nil {
		p.unknown = p.coder.NewUnknown()
	}
	for p.err == nil {
		p.err = p.row()
		// Blocks are not counted, but one alone must not hold more than is allowed for all.
		if size := 8*len(p.x) + 8*len(p.at) + 16*len(p.ends); p.err == nil && r.exceeds(size) {
			p.err = overLimit(r.file, p.n, int64(size), r.limit)
		}
	}
	if errors.Is(p.err, io.EOF) {
		p.err = nil
	}
}

// head reads on until the first row of data, which may show which column has the answers.
func (r *csvReader) head(p *csvPart) error {
	for !r.seen {
		f, err := p.next()
		if err != nil {
			return err
		}
		if r.table == nil {
			headless := false
			var warnings []Warning
			r.table, headless, warnings, err = p.layout(f, r.o, r.o.dialect)
			r.sink.warnings = append(r.sink.warnings, warnings...)
			if err == nil {
				err = r.o.refuse(warnings)
			}
			if err != nil {
				var fault *Error
				if errors.As(err, &fault) {
					fault.header = true
				}
				return err
			}
			p.table = r.table
			if !headless {
				continue
			}
		}
		if r.o.guesses() {
			r.setAside(f, r.o.dialect)
		}
		r.place(r.o)
		r.blocks.size = shorter(r.blocks.size, r.width, r.dim())
		r.blocks.first = r.blocks.size
		p.cells.width = r.extras.begin(r.table, r.budget)
		if r.coder != nil {
			r.unknown, p.unknown = r.coder.NewUnknown(), r.coder.NewUnknown()
		}
		if err := p.take(f); err != nil {
			return err
		}
		if err := r.reserve(); err != nil {
			return err
		}
		r.seen = true
	}
	return nil
}

// reserve finds room for the rows of a file, or for those of a batch: a value has a byte and one after it, and a cell of a table one alone.
func (r *csvReader) reserve() error {
	r.fewer()
	d := r.dim()
	lines, size := r.sink.rows, int(r.text.size)
	if lines == 0 {
		var err error
		if size, lines, err = r.text.count(r.ctx, '\n'); err != nil {
			return err
		}
		lines++
	}
	bytes := 2 * d
	if r.coder != nil {
		bytes = r.width // a cell may be empty, or become several values
	}
	r.x.reserve(min(lines, (size+1)/bytes) * d)
	return nil
}

// fewer makes batches of long rows smaller.
func (r *csvReader) fewer() {
	for r.sink.rows > leastBatch && r.sink.rows*r.dim() > batchValues {
		r.sink.rows /= 2
	}
}

// row takes the next row in.
func (p *csvPart) row() error {
	line, err := p.lines.next()
	if err == nil && p.o.Until > 0 && p.n >= p.o.Until {
		return io.EOF
	}
	if err != nil || !(p.comment != 0 && len(line) > 0 && line[0] == p.comment) && p.plain(line) {
		return err
	}
	f, err := p.record(line)
	if err != nil || f == nil {
		p.apart = true
		return err
	}
	err = p.take(f)
	p.apart = false
	return err
}

// plain takes in a line that is a record without fault. It leaves any other as it is.
func (p *csvPart) plain(line []byte) bool {
	if p.delim == ' ' {
		return false
	}
	base := len(p.x)
	p.x = slices.Grow(p.x, len(p.columns))[:base+len(p.columns)]
	label, ok := p.values(line, p.x[base:])
	if !ok {
		p.x = p.x[:base]
		return false
	}
	p.accept(label, p.n)
	return true
}

// values sets row to the features of such a line.
func (p *csvPart) values(line []byte, row []float64) (label []byte, ok bool) {
	for c, j := range p.to {
		if c > 0 {
			if len(line) == 0 || line[0] != p.delim {
				return nil, false
			}
			line = line[1:]
		}
		if j >= 0 {
			line = p.trimLeft(line)
			v, n := decimal.Parse(line)
			rest := p.trimLeft(line[n:])
			if n > 0 && (len(rest) == 0 || rest[0] == p.delim) {
				p.codes = p.codes || zeroFirst(line[:n])
				row[j], line = v, rest
				continue
			}
		}
		f, rest, s := p.cell(line)
		if s != right {
			return nil, false
		}
		line = rest
		if c == p.label {
			if label = f.text; p.made && bytes.HasSuffix(label, []byte("%")) {
				return nil, false // a fraction
			}
		}
		if j >= 0 {
			what := ""
			if row[j], what, _ = longNumber(f.text); what != "" {
				if !p.o.Missing || !missing(f.text) {
					return nil, false
				}
				row[j] = math.NaN()
			}
		}
	}
	return label, len(line) == 0 && p.to != nil && (p.label < 0 || isText(label) && (isASCII(label) || norm.NFC.IsNormal(label)))
}

// zeroFirst says whether digits begin with a 0 that is not the only one before the point.
func zeroFirst(text []byte) bool { return len(text) > 1 && text[0] == '0' && text[1]-'0' <= 9 }

// decimals is an answer whose decimal comma, if it has one, is a point, as of 12,5. Files that are divided by semicolons have such
// numbers, and tables whose other columns do, unless all other numbers of rows for a model have points. Where these have commas, and no
// table says what answers are, points stand between thousands.
func (p *csvPart) decimals(answer []byte) []byte {
	mark := p.mark
	if p.coder == nil && p.o.dialect != nil {
		mark = p.o.dialect.mark
	}
	switch {
	case mark == ',' && p.coder == nil && bytes.IndexByte(answer, '.') >= 0:
		if v, ok := columns.WithComma(answer); ok {
			return strconv.AppendFloat(nil, v, 'g', -1, 64)
		}
	case mark == '.' && (p.o.Table != nil || p.o.Want != nil) && columns.DecimalMark(answer) != ',':
	case p.delim == ';' || mark == ',' && p.coder != nil:
		pointed(answer)
	}
	return answer
}

// pointed turns the decimal comma of an answer into a point. It looks at no other answer.
func pointed(answer []byte) {
	comma := bytes.IndexByte(answer, ',')
	if comma < 1 || comma == len(answer)-1 {
		return
	}
	for i, c := range answer {
		if i != comma && (c < '0' || c > '9') && !(i == 0 && comma > 1 && (c == '-' || c == '+')) {
			return
		}
	}
	answer[comma] = '.'
}

// accept adds line and label of a row whose features are there.
func (p *csvPart) accept(label []byte, line int) {
	p.at = append(p.at, line)
	if p.label >= 0 {
		from := len(p.labels)
		if p.o.UnlabelledMark != "" && string(label) == p.o.UnlabelledMark { // as it is spelled, before its comma becomes a point
			label = nil
		}
		p.labels = append(p.labels, label...)
		p.labels = append(p.labels[:from], p.decimals(p.labels[from:])...)
		p.ends = append(p.ends, len(p.labels))
	}
}

// take takes one record in.
func (p *csvPart) take(f []field) error {
	if p.passed.pass(f, p.table.all, p.line) {
		return nil
	}
	if err := p.complete(f, p.width); err != nil {
		if len(f) < p.width && isNote(f, p.width, p.apart) {
			return mayBeNote(err)
		}
		return err
	}
	if (p.o.Prepare || p.o.Part) && isVoid(f) {
		p.void++
		return nil
	}
	base := len(p.x)
	err := p.features(f)
	var label []byte
	if err == nil {
		label, err = p.answered(f)
	}
	if err == nil {
		err = p.beside(f)
	}
	if err != nil {
		p.x = p.x[:base]
		return err
	}
	p.accept(label, p.line)
	return nil
}

// answered is the answer of a record, an amount as a number.
func (p *csvPart) answered(f []field) ([]byte, error) {
	label, err := p.answer(f, p.label)
	if err != nil || p.label < 0 {
		return label, err
	}
	switch typed := f[p.label].typed; {
	case p.o.UnlabelledMark != "" && string(label) == p.o.UnlabelledMark:
		return nil, nil
	case p.amounts && typed:
		return p.coder.AnswerTyped(label), nil
	case p.amounts:
		return p.amount(label)
	case typed:
		return columns.Fraction(label), nil
	}
	return label, nil
}

// amount reads an answer that is an amount. One that can be two numbers is refused where answers are asked for.
func (p *csvPart) amount(label []byte) ([]byte, error) {
	text, what, remedy := p.coder.Answer(label)
	if what != "" && !p.o.LabelOptional && !(p.delim == ';' && bytes.IndexByte(label, ',') >= 0) { // which is decimal there
		return nil, p.fault(p.label+1, what, remedy)
	}
	return text, nil
}

// number reads a cell with the decimal mark of the file.
func (p *csvPart) number(f field) (v float64, what, remedy string) {
	switch {
	case f.typed && p.o.Want != nil: // before it is learned from, truth is a word
		return number(columns.Fraction(columns.Digit(f.text)))
	case f.typed:
		return number(columns.Fraction(f.text))
	case p.o.dialect != nil && p.o.dialect.mark == ',':
		if v, ok := columns.WithComma(f.text); ok {
			return v, "", ""
		}
	}
	return number(f.text)
}

// features appends the features of a record.
func (p *csvPart) features(f []field) error {
	if p.coder != nil {
		return p.coded(f)
	}
	for j, c := range p.columns {
		if c < 0 {
			p.x = append(p.x, math.NaN())
			continue
		}
		text := f[c].text
		p.codes = p.codes || zeroFirst(text)
		v, what, remedy := p.number(f[c])
		absent := what != "" && missing(text)
		if p.marks != nil && p.marks[c](text) {
			absent, what, remedy = true, "missing value ("+quote(text)+")", "fill it in or remove the row"
		}
		switch {
		case absent && p.o.Missing:
			v, what = math.NaN(), ""
		case absent && p.o.Fill != nil:
			if v, what = p.o.Fill[j], ""; p.filled == nil {
				p.filled = make([]int, len(p.columns))
			}
			p.filled[j]++
		}
		if what != "" {
			if p.o.guesses() && c == p.width-1 {
				remedy += ", or name it with --label if it holds labels"
			}
			if len(strings.Fields(string(f[c].text))) > 1 {
				remedy += ", or learn from its words with --text " + brief.Flagged(p.names[j])
			}
			return &Error{
				File: p.file, Line: p.line, Column: c + 1,
				What: fmt.Sprintf("column %q: %s", p.names[j], what), Remedy: remedy, cell: true,
			}
		}
		p.x = append(p.x, v)
	}
	return nil
}

// join appends the rows of a block to those before it.
func (r *csvReader) join(p *csvPart) error {
	r.once.tell(&p.seenOnce, r.file, r.sink)
	r.coded = r.coded || p.codes
	d, from := 0, 0
	if len(p.at) > 0 {
		d = r.dim()
	}
	for i, line := range p.at {
		if err := r.x.add(p.x[i*d:(i+1)*d], line); err != nil {
			return err
		}
		if err := r.at.one(line, line); err != nil {
			return err
		}
		if r.label >= 0 {
			if err := r.raw.label(p.labels[from:p.ends[i]], line); err != nil {
				return err
			}
			from = p.ends[i]
		}
		if err := r.extras.join(&p.cells, i, line); err != nil {
			return err
		}
		if err := r.next(line, r.set); err != nil {
			return err
		}
	}
	if p.unknown != nil && r.unknown != nil {
		r.unknown.Add(p.unknown)
	}
	r.void += p.void
	r.passed.add(&p.passed)
	for j, n := range p.filled {
		if r.filled == nil {
			r.filled = make([]int, len(p.filled))
		}
		r.filled[j] += n
	}
	return p.err
}

// set makes the rows a set.
func (r *csvReader) set(line int) (*data.Set, error) {
	s := &data.Set{Name: r.file, Source: r.file, Features: r.names, LabelName: r.labelled, Coded: r.coded}
	if r.o.dialect != nil {
		s.Dialect = r.o.dialect.set()
	}
	n, d := r.at.n, r.dim()
	x, err := r.x.whole(line)
	if err != nil {
		return nil, err
	}
	r.x.again()
	s.Rows.Dense = mat.NewDense(n, d, x)
	if r.coder != nil {
		s.Table = r.coder.Table
	}
	return s, r.extras.set(s, line)
}
