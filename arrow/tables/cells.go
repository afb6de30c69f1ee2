package tables

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/mercer-ml/mercer/data/read"
)

// oneClause keeps the text of an error from being taken apart where a remedy would begin.
func oneClause(text string) string { return strings.ReplaceAll(text, "; ", ", ") }

// described says how a column of a type is read.
func described(name string, t arrow.DataType) read.FurtherColumn {
	c := read.FurtherColumn{Name: name}
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	c.Number = isNumber(t) || isDecimal(t)
	switch {
	case arrow.IsNested(t.ID()):
		c.Refuse = fmt.Sprintf("its cells are nested (%s); leave it out with --drop, or write its parts as columns of their own",
			oneClause(t.String()))
	case !isNumber(t) && !isDecimal(t) && !isText(t):
		c.Refuse = fmt.Sprintf("cells of the type %s are not understood; leave it out with --drop, or write numbers, text or times",
			oneClause(t.String()))
	}
	return c
}

func isNumber(t arrow.DataType) bool { return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) }

func isDecimal(t arrow.DataType) bool { return arrow.IsDecimal(t.ID()) }

func isText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64:
		return true
	}
	return false
}

// cells are those of one column in a batch: numbers as the library has them, others as text.
type cells struct {
	parts  []arrow.Array // of numbers
	starts []int         // of each part
	direct []float64     // or numbers as doubles, NaN where there is none
	gaps   bool          // some are NaN for that
	text   []byte
	ends   []int // of the text of each cell
	n      int
	mem    *bounded // that the text keeps to: cells can all be of one long text
}

// add adds an array. It panics, or returns an error, if what the array says of itself does not hold: later calls need not look.
func (c *cells) add(a arrow.Array) error {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if bits := a.NullBitmapBytes(); a.NullN() != 0 && len(bits) > 0 && len(bits)*8 < a.Data().Offset()+a.Len() {
		return errors.New("a column has fewer marks of missing cells than rows")
	}
	if isNumber(a.DataType()) {
		c.parts, c.starts = append(c.parts, a), append(c.starts, c.n)
		c.n += a.Len()
		return nil
	}
	write, err := writer(a, c.mem)
	if err != nil {
		return err
	}
	room := c.mem.room()
	for i := range a.Len() {
		if a.IsValid(i) {
			c.text = write(c.text, i)
		}
		if int64(len(c.text)) > room {
			if err := c.mem.fits(int64(len(c.text))); err != nil {
				return err
			}
			room = c.mem.room()
		}
		c.ends = append(c.ends, len(c.text))
	}
	c.n += a.Len()
	return nil
}

// at is the text of cell i.
func (c *cells) at(i int) []byte {
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.text[from:c.ends[i]]
}

// numbers sets to[i step] to the value of cell i.
func (c *cells) numbers(to []float64, step int) bool {
	if c.direct != nil {
		return spaced(c.direct, to, step) && !c.gaps
	}
	finite := true
	for k, a := range c.parts {
		if !values(a, to[c.starts[k]*step:], step) {
			finite = false
		}
	}
	if c.parts != nil {
		return finite
	}
	for i := range c.n {
		v, err := strconv.ParseFloat(string(c.at(i)), 64)
		if err != nil {
			v = math.NaN()
		}
		to[i*step] = v
		finite = finite && v-v == 0
	}
	return finite
}

// values sets to[i step] to value i of an array of numbers.
func values(a arrow.Array, to []float64, step int) bool {
	switch a := a.(type) {
	case *array.Float64:
		return floats(a, a.Float64Values(), to, step)
	case *array.Float32:
		return floats(a, a.Float32Values(), to, step)
	case *array.Float16:
		finite := true
		for i := range a.Len() {
			v := math.NaN()
			if a.IsValid(i) {
				v = float64(a.Value(i).Float32())
			}
			to[i*step] = v
			finite = finite && v-v == 0
		}
		return finite
	case *array.Int64:
		return floats(a, a.Int64Values(), to, step)
	case *array.Int32:
		return floats(a, a.Int32Values(), to, step)
	case *array.Int16:
		return floats(a, a.Int16Values(), to, step)
	case *array.Int8:
		return floats(a, a.Int8Values(), to, step)
	case *array.Uint64:
		return floats(a, a.Uint64Values(), to, step)
	case *array.Uint32:
		return floats(a, a.Uint32Values(), to, step)
	case *array.Uint16:
		return floats(a, a.Uint16Values(), to, step)
	case *array.Uint8:
		return floats(a, a.Uint8Values(), to, step)
	}
	panic("tables: not an array of numbers")
}

func floats[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](
	a arrow.Array, from []T, to []float64, step int,
) bool {
	finite := spaced(from, to, step)
	if a.NullN() == 0 {
		return finite
	}
	for i := range from {
		if a.IsNull(i) {
			to[i*step] = math.NaN()
		}
	}
	return false
}

// spaced sets to[i step] to from[i], and says whether all are finite.
func spaced[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](from []T, to []float64, step int) bool {
	sum, at := 0.0, 0 // 0 times what is not finite is NaN
	for _, v := range from {
		x := float64(v)
		to[at] = x
		sum += x * 0
		at += step
	}
	return sum == 0
}

// appendText appends cell i.
func (c *cells) appendText(to []byte, i int) []byte {
	if c.direct != nil {
		if v := c.direct[i]; !math.IsNaN(v) {
			to = appendNumber(to, v)
		}
		return to
	}
	if c.parts == nil {
		return append(to, c.at(i)...)
	}
	k := len(c.starts) - 1
	for c.starts[k] > i {
		k--
	}
	a, i := c.parts[k], i-c.starts[k]
	if a.IsNull(i) {
		return to
	}
	switch a := a.(type) {
	case *array.Int64:
		return strconv.AppendInt(to, a.Value(i), 10)
	case *array.Uint64:
		return strconv.AppendUint(to, a.Value(i), 10)
	}
	var v [1]float64
	one := array.NewSlice(a, int64(i), int64(i)+1)
	defer one.Release()
	values(one, v[:], 1)
	return appendNumber(to, v[0])
}

// appendNumber appends a number as a table writes it: whole ones with all their digits, which ids, classes and days such as 20180131
// need.
func appendNumber(to []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && (v != 0 || !math.Signbit(v)) {
		return strconv.AppendInt(to, int64(v), 10)
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}

// writer returns what appends a cell of an array of other things than numbers.
func writer(a arrow.Array, mem *bounded) (func(to []byte, i int) []byte, error) {
	switch a := a.(type) {
	case *array.Dictionary:
		words := cells{mem: mem}
		if err := words.add(a.Dictionary()); err != nil {
			return nil, err
		}
		return func(to []byte, i int) []byte { return words.appendText(to, a.GetValueIndex(i)) }, nil
	case *array.Boolean:
		return func(to []byte, i int) []byte { return strconv.AppendBool(to, a.Value(i)) }, nil
	case array.StringLike:
		return func(to []byte, i int) []byte { return append(to, a.Value(i)...) }, nil
	case interface{ Value(int) []byte }: // bytes, which are text where old writers did not say so
		return func(to []byte, i int) []byte { return append(to, a.Value(i)...) }, nil
	case *array.Date32:
		return func(to []byte, i int) []byte { return a.Value(i).ToTime().AppendFormat(to, time.DateOnly) }, nil
	case *array.Date64:
		return func(to []byte, i int) []byte { return a.Value(i).ToTime().AppendFormat(to, time.DateOnly) }, nil
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := layoutOf(t)
		return func(to []byte, i int) []byte { return a.Value(i).ToTime(t.Unit).AppendFormat(to, layout) }, nil
	case *array.Time32:
		t := a.DataType().(*arrow.Time32Type)
		return func(to []byte, i int) []byte { return a.Value(i).ToTime(t.Unit).AppendFormat(to, "15:04:05.999999999") }, nil
	case *array.Time64:
		t := a.DataType().(*arrow.Time64Type)
		return func(to []byte, i int) []byte { return a.Value(i).ToTime(t.Unit).AppendFormat(to, "15:04:05.999999999") }, nil
	case *array.Null:
		return func(to []byte, _ int) []byte { return to }, nil
	}
	if isDecimal(a.DataType()) {
		return func(to []byte, i int) []byte { return append(to, a.ValueStr(i)...) }, nil
	}
	return nil, fmt.Errorf("a column of the type %s", a.DataType())
}

// layoutOf is how a timestamp is written.
func layoutOf(t *arrow.TimestampType) string {
	const local = "2006-01-02 15:04:05.999999999"
	if t.TimeZone != "" {
		return local + "-07:00"
	}
	return local
}

// batch is some rows, of the columns that are wanted.
type batch struct {
	columns []cells // numbered as in the whole table
	n       int
	part    arrow.RecordBatch // that the columns are of, nil if they are held otherwise
}

func newBatch(columns int, mem *bounded) *batch {
	b := &batch{columns: make([]cells, columns)}
	for i := range b.columns {
		b.columns[i].mem = mem
	}
	return b
}

// Len is the number of rows.
func (b *batch) Len() int { return b.n }

// Numbers sets the values of a column.
func (b *batch) Numbers(c int, to []float64, step int) bool { return b.columns[c].numbers(to, step) }

// Text appends a cell.
func (b *batch) Text(to []byte, c, i int) []byte { return b.columns[c].appendText(to, i) }
