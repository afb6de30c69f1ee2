package read

// Tables in formats that this package does not know: binary files of columns, whose readers the caller brings. Where
// all features are numbers they go to the rows as they are. Everything else (words, dates, documents, a table
// to be described) is written as the CSV text that it would be and read as such, so that one rule serves all.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/columns"
)

// Further is a format of files that hold a table of named columns. One whose files hold cells of which nothing says which name the
// columns, as spreadsheets do, has a method WriteCSV(ctx, File, io.Writer) error too, which writes the cells as CSV, a line for each row,
// as many cells in each; then nothing is opened, and which lines name the columns is found as in any CSV.
type Further interface {
	Format() Format                // its name
	Endings() []string             // of the names of files, as ".parquet", in lower case
	Begins(head []byte) bool       // whether a file that begins so is one
	Open(f File) (Columnar, error) // the error is one line, what and remedy; it does not name the file
}

// File is what a Further reads.
type File struct {
	io.ReaderAt
	Size        int64
	MemoryLimit int64  // bytes that reading may hold at a time, 0 = no limit
	Sheet       string // of a spreadsheet that is wanted, "" = the only one that has cells
}

// Columnar is an open table.
type Columnar interface {
	Columns() []FurtherColumn
	Rows() int64 // about how many, -1 = not known; only used to find room
	// Batches reads the columns of these numbers from the first row on. A batch is valid until the next one; the error is the
	// last that comes, with a nil batch.
	Batches(ctx context.Context, want []int) iter.Seq2[Batch, error]
	Close() error
}

// FurtherColumn is a column of such a table.
type FurtherColumn struct {
	Name   string
	Number bool   // Batch.Numbers reads it
	Refuse string // why it cannot be read and what to do, as one clause each, divided by "; "; "" = it can be
}

// Batch is some rows. Columns are numbered as in the whole table.
type Batch interface {
	Len() int
	// Numbers sets to[0], to[step], to[2 step], ... to the values of column c, NaN where there is none, and says whether
	// all are finite.
	Numbers(c int, to []float64, step int) (finite bool)
	// Text appends the cell of row i as CSV has it, nothing for one that is missing. A number is written with as many digits as
	// give the value of Numbers again.
	Text(to []byte, c, i int) []byte
}

// formatOf tells the format by the ending of a name, further ones included.
func (o Options) formatOf(name string) Format {
	ending := filepath.Ext(strings.ToLower(name))
	for _, f := range o.Formats {
		if ending != "" && slices.Contains(f.Endings(), ending) {
			return f.Format()
		}
	}
	return formatOf(name)
}

// further is the further format of that name, or that a text begins as; nil without one.
func (o Options) further(head []byte) Further {
	for _, f := range o.Formats {
		if o.Format == f.Format() || o.Format == FormatAuto && f.Begins(head) {
			return f
		}
	}
	return nil
}

// isFurther says whether the format is one of the further ones.
func (o Options) isFurther() bool { return o.Format != FormatAuto && o.further(nil) != nil }

// readFurther reads a file of a further format.
func readFurther(ctx context.Context, f Further, in *plainText, file string, o Options, to *sink) error {
	from := File{ReaderAt: in.file, Size: in.size, MemoryLimit: o.MemoryLimit, Sheet: o.Dialect.Sheet}
	if in.file == nil {
		kept, err := os.CreateTemp("", "mercer.*.tmp")
		if err != nil {
			return &Error{File: file, What: "cannot be kept while it is read: " + err.Error(), Remedy: "give a file"}
		}
		defer os.Remove(kept.Name()) //nolint:errcheck // a file of ours, which may be gone
		defer kept.Close()           //nolint:errcheck // what is wanted of it was read
		from.ReaderAt = kept
		if from.Size, err = io.Copy(kept, in); err != nil {
			if isStop(err) {
				return err
			}
			return &Error{File: file, What: "cannot be read: " + err.Error(), Remedy: "give a file"}
		}
	}
	if cells, ok := f.(written); ok {
		return readWritten(ctx, cells, from, file, o, to)
	}
	if err := o.csvOnly(file, string(f.Format()), cutBy()...); err != nil {
		return err
	}
	table, err := f.Open(from)
	if err != nil {
		return asFault(err, file)
	}
	defer table.Close() //nolint:errcheck // nothing was written
	r := &furtherReader{Columnar: table, file: file, o: o, columns: table.Columns()}
	if len(r.columns) == 0 {
		return &Error{File: file, What: "no columns", Remedy: "give a table with named columns"}
	}
	return r.read(ctx, to)
}

// written is a Further of cells.
type written interface {
	WriteCSV(ctx context.Context, f File, w io.Writer) error
}

// readWritten reads cells that are written as CSV.
func readWritten(ctx context.Context, cells written, from File, file string, o Options, to *sink) error {
	o.Dialect.Sheet = "" // which was chosen
	if err := o.csvOnly(file, "no CSV", "delimiter", "quote"); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := cells.WriteCSV(ctx, from, out)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			err = asFault(err, file)
		}
		_ = out.CloseWithError(err) // it never fails
	}()
	defer func() {
		stop()
		_ = in.Close() // it never fails
		<-done
	}()
	o.Format, o.written = FormatCSV, true
	o.Dialect.Delimiter, o.Dialect.Quote = ",", `"`
	return parse(ctx, in, file, o, cutting{}, to)
}

// noSheet refuses to look for a sheet in what is no spreadsheet.
func noSheet(file string) error {
	return &Error{File: file, What: "--sheet is for spreadsheets, and this is none that is read here",
		Remedy: "leave it out, or give .xlsx to mercer-arrow"}
}

// asFault names the file of an error that is not the end of a context.
func asFault(err error, file string) error {
	if isStop(err) {
		return err
	}
	what, remedy, _ := strings.Cut(err.Error(), "; ")
	return &Error{File: file, What: what, Remedy: remedy}
}

// furtherReader reads one table.
type furtherReader struct {
	Columnar
	file    string
	o       Options
	columns []FurtherColumn
}

func (r *furtherReader) read(ctx context.Context, to *sink) error {
	names := make([]field, len(r.columns))
	for c, column := range r.columns {
		names[c] = field{text: []byte(column.Name), quoted: true} // never data
	}
	if r.o.Text != nil {
		return r.asText(ctx, names, r.readable(func(c int) bool { return r.columns[c].Name == r.o.Text.Column }), to)
	}
	part := &csvPart{o: r.o}
	part.lines, part.line = lines{file: r.file}, 1
	layout, _, warnings, err := part.layout(names, r.o, &dialect{header: 1})
	if err != nil {
		return err
	}
	used := func(c int) bool {
		return slices.Contains(layout.columns, c) || c == layout.label || slices.Contains(layout.besides(), c)
	}
	for c := range r.columns {
		if why := r.columns[c].Refuse; why != "" && used(c) {
			what, remedy, _ := strings.Cut(why, "; ")
			return &Error{File: r.file, What: fmt.Sprintf("column %q: %s", r.columns[c].Name, what), Remedy: remedy}
		}
	}
	numbers := layout.coder == nil && r.o.look == nil && len(r.o.Marks) == 0 // which are found in cells
	for _, c := range layout.columns {
		numbers = numbers && (c < 0 || r.columns[c].Number)
	}
	if !numbers {
		return r.asText(ctx, names, r.readable(used), to)
	}
	to.warnings = append(to.warnings, warnings...)
	return r.direct(ctx, part, layout, r.readable(used), to)
}

// readable are the columns of a kind that can be read.
func (r *furtherReader) readable(used func(int) bool) []int {
	var list []int
	for c := range r.columns {
		if r.columns[c].Refuse == "" && (used(c) || r.o.Text != nil) {
			list = append(list, c)
		}
	}
	return list
}

// direct reads features that are all numbers. Rows that have a cell without a number, or cells beside their features, go the long
// way of CSV, which knows what to make or to say of them. Lines are those that the rows would have as CSV.
func (r *furtherReader) direct(ctx context.Context, p *csvPart, layout *table, want []int, to *sink) error {
	mem := &budget{ctx: ctx, file: r.file, limit: r.o.MemoryLimit}
	rows := &rows{budget: mem, o: r.o, sink: to, at: list[int]{budget: mem}, raw: newAnswers(mem, r.o.UnlabelledMark)}
	all := &csvReader{rows: rows, table: layout, x: list[float64]{budget: mem}}
	all.fewer()
	d := layout.dim()
	if room := r.Rows(); room > 0 {
		most := int64(1) << 31 / int64(8*d) // of rows: what a file says is not what it has
		all.x.reserve(int(min(room, most)) * d)
	}
	p.table, p.cells.width = layout, all.extras.begin(layout, mem)
	beside := p.cells.width > 0
	line := 1
	for batch, err := range r.Batches(ctx, want) {
		if err != nil {
			return asFault(err, r.file)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.begin()
		n := batch.Len()
		if err := all.fits(int64(8*n*d), line); err != nil {
			return err
		}
		x := slices.Grow(p.x, n*d)[:n*d]
		p.x = x[:0]
		clean := !beside
		for j, c := range layout.columns {
			if c < 0 {
				clean = false
				for i := range n {
					x[i*d+j] = math.NaN()
				}
			} else if !batch.Numbers(c, x[j:], d) {
				clean = false
			}
		}
		if clean {
			for i := range n {
				p.line = line + 1 + i
				if p.x = x[:(i+1)*d]; !p.answeredBy(batch, i, layout.label) {
					break
				}
			}
		} else {
			p.longWay(batch, x, line, want, beside)
		}
		line += n
		if err := all.join(p); err != nil {
			return err
		}
	}
	if all.count() == 0 {
		return &Error{File: r.file, What: "a table without rows", Remedy: "give rows of data"}
	}
	all.tell()
	return all.end(line, all.set)
}

// begin empties a part.
func (p *csvPart) begin() {
	p.x, p.at, p.labels, p.ends, p.err = p.x[:0], p.at[:0], p.labels[:0], p.ends[:0], nil
	p.cells.reset()
	p.seenOnce, p.filled, p.void, p.passed = seenOnce{}, nil, 0, passed{}
	p.apart, p.alone = false, 0
}

// answeredBy accepts row i of a batch, whose features are there, with its answer.
func (p *csvPart) answeredBy(batch Batch, i, label int) bool {
	p.buf = p.buf[:0]
	if label >= 0 {
		cell := batch.Text(p.buf, label, i)
		text, ok := p.decode(cell)
		if !ok {
			p.err = p.fault(label+1, "label "+quote(cell)+" is not text", "save it as UTF-8")
			return false
		}
		p.buf = text
	}
	p.accept(p.buf, p.line)
	return true
}

// longWay takes in the rows of a batch one by one, x are their features: as records of CSV where a feature is no
// finite number, or all.
func (p *csvPart) longWay(batch Batch, x []float64, line int, want []int, all bool) {
	d := len(p.columns)
	record := make([]field, p.width)
	var text []byte
	for i := range batch.Len() {
		row := x[i*d : (i+1)*d] // p.x grows in the same memory, never beyond the row that is read
		p.line = line + 1 + i
		if !all && !slices.ContainsFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			p.x = append(p.x, row...)
			if !p.answeredBy(batch, i, p.label) {
				return
			}
			continue
		}
		text = text[:0]
		ends := make([]int, 0, len(want))
		for _, c := range want {
			text = batch.Text(text, c, i)
			ends = append(ends, len(text))
		}
		from := 0
		for k, c := range want {
			record[c].text = text[from:ends[k]:ends[k]]
			from = ends[k]
		}
		if p.err = p.take(record); p.err != nil {
			return
		}
	}
}

// asText reads the table as CSV.
func (r *furtherReader) asText(ctx context.Context, names []field, want []int, to *sink) error {
	ctx, stop := context.WithCancel(ctx)
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = out.CloseWithError(r.write(ctx, out, names, want)) // it never fails
	}()
	defer func() {
		stop()
		_ = in.Close() // it never fails
		<-done
	}()
	o := r.o
	o.Format, o.dialect = FormatCSV, &dialect{delim: ',', quote: '"', header: 1, made: true, words: true}
	return parse(ctx, in, r.file, o, cutting{}, to)
}

// write writes the table as CSV, all names in quotes, cells where they need them and texts that look like numbers; columns that are not
// wanted are empty.
func (r *furtherReader) write(ctx context.Context, w io.Writer, names []field, want []int) error {
	const enough = 1 << 20 // bytes written at once; no result depends on it
	var text, cell []byte
	for c, name := range names {
		if c > 0 {
			text = append(text, ',')
		}
		text = columns.AppendQuoted(text, name.text)
	}
	text = append(text, '\n')
	rows := 0
	for batch, err := range r.Batches(ctx, want) {
		if err != nil {
			return asFault(err, r.file)
		}
		rows += batch.Len()
		for i := range batch.Len() {
			k := 0
			for c := range names {
				if c > 0 {
					text = append(text, ',')
				}
				if k == len(want) || want[k] != c {
					continue
				}
				k++
				switch cell = batch.Text(cell[:0], c, i); {
				case needsQuotes(cell), len(names) == 1 && len(cell) == 0, !r.columns[c].Number && columns.Numeric(cell):
					text = columns.AppendQuoted(text, cell)
				default:
					text = append(text, cell...)
				}
			}
			if text = append(text, '\n'); len(text) > enough {
				if _, err := w.Write(text); err != nil {
					return err
				}
				text = text[:0]
			}
		}
	}
	if rows == 0 {
		return &Error{File: r.file, What: "a table without rows", Remedy: "give rows of data"}
	}
	_, err := w.Write(text)
	return err
}

// needsQuotes says whether a cell of CSV would be read as something else without quotes.
func needsQuotes(cell []byte) bool {
	for i, c := range cell {
		switch c {
		case '"', ',', '\n', '\r':
			return true
		case ' ', '\t':
			if i == 0 || i == len(cell)-1 {
				return true
			}
		}
	}
	return false
}
