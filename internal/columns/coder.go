package columns

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/decimal"
	"gonum.org/v1/gonum/mat"
)

// Coder turns the cells of rows into numbers as a table says. Several goroutines may use it at once.
type Coder struct {
	Table   *data.Table
	columns []coder
	names   []string
	dim     int
}

// coder is one column.
type coder struct {
	*data.Column
	from, width int            // its numbers in a row
	level       map[string]int // number of each level
	marks       bool           // some level may stand for missing cells
	empty       marks
	fill        float64 // NaN until it is known
	decimal     byte
	group       byte
	divided     bool // digits may stand in groups
	known       bool // the file shows the decimal mark, or the user says it
	plain       bool // a number of digits is what decimal.Parse reads
}

// NewCoder is the coder of a table that Check has found right.
func NewCoder(t *data.Table) *Coder {
	e := &Coder{Table: t, columns: make([]coder, len(t.Columns))}
	e.names, _ = t.Features()
	for i := range t.Columns {
		c := coder{Column: &t.Columns[i], from: e.dim, fill: math.NaN()}
		c.width, c.empty = len(c.Features()), marksOf(c.Empty)
		if c.Fill != nil {
			c.fill = *c.Fill
		}
		if c.mark('.', ','); c.Decimal == "," {
			c.mark(',', '.')
		}
		c.divided = c.Thousands
		if c.Levels != nil {
			c.level = make(map[string]int, len(c.Levels))
			for k, l := range c.Levels {
				c.level[l] = k
				c.marks = c.marks || Missing([]byte(l)) || slices.Contains(c.Empty, l)
			}
		}
		e.dim += c.width
		e.columns[i] = c
	}
	return e
}

// AsTheyStand says whether a table takes all its cells as they stand: numbers with a decimal point at most, and answers.
func AsTheyStand(t *data.Table) bool {
	return !slices.ContainsFunc(t.Columns, func(c data.Column) bool {
		return c.Decimal == "," || c.Amounts || c.Kind != data.KindLabel && (c.Kind != data.KindNumber || len(c.Features()) != 1 ||
			c.Unit != "" || c.Levels != nil || c.Empty != nil || c.Fill != nil)
	})
}

// Marked reads the numbers of a file that need not have the decimal marks of the one that was learned from. Of each column shown has the
// mark that its cells surely have, 0 where they leave both; asked is what the user says of such columns, or 0. Otherwise they have the
// mark that was learned where all that are shown are those learned, and else that of the others, where these agree. The other mark then
// stands between thousands.
func (e *Coder) Marked(shown []byte, asked byte) {
	commas := slices.ContainsFunc(e.columns, func(c coder) bool { return c.Decimal == "," })
	learned := func(c *coder) byte {
		switch {
		case c.Decimal != "":
			return c.Decimal[0]
		case commas:
			return 0 // whole numbers, which are as the file that they stand in
		}
		return '.'
	}
	one, alike, unlike, agree := byte(0), true, true, true
	for i, m := range shown {
		if m == 0 {
			continue
		}
		if d := learned(&e.columns[i]); d != 0 {
			alike, unlike = alike && m == d, unlike && m != d
		}
		agree = agree && (one == 0 || m == one)
		one = m
	}
	if one == 0 && asked == 0 {
		return
	}
	for i := range e.columns {
		c, mark := &e.columns[i], shown[i]
		switch d := learned(c); {
		case mark != 0:
		case asked != 0:
			mark = asked
		case alike && d != 0:
			mark = d
		case agree:
			mark = one
		case unlike && d != 0:
			mark = '.' + ',' - d
		default:
			continue
		}
		if c.mark('.', ','); mark == ',' {
			c.mark(',', '.')
		}
		c.divided = c.Thousands || agree && mark == one || mark == asked
		c.known = true
	}
}

// AnswerMark is the decimal mark of the answers, 0 where nothing says it.
func (e *Coder) AnswerMark() byte {
	at := slices.IndexFunc(e.columns, func(c coder) bool { return c.Kind == data.KindLabel })
	if at < 0 || !e.columns[at].known && e.columns[at].Decimal == "" {
		return 0
	}
	return e.columns[at].decimal
}

// mark is the decimal mark of numbers, and what stands between their groups.
func (c *coder) mark(decimal, group byte) {
	c.decimal, c.group = decimal, group
	c.plain = c.Kind == data.KindNumber && decimal == '.' && c.Empty == nil && c.Unit != "%"
}

// Dim is the number of numbers of a row, and Names are their names.
func (e *Coder) Dim() int { return e.dim }

// Names of the numbers of a row.
func (e *Coder) Names() []string { return e.names }

// Unknown counts cells that were not among those learned from.
type Unknown struct {
	// Of each column: words that are no level, cells that are missing where none was, and such without % that may be fractions.
	Words, Missing, Fractions []int

	Example []string // the first such word or fraction
}

// NewUnknown counts for the columns of e.
func (e *Coder) NewUnknown() *Unknown {
	n := len(e.columns)
	return &Unknown{Words: make([]int, n), Missing: make([]int, n), Fractions: make([]int, n), Example: make([]string, n)}
}

// Add adds the counts of rows that follow.
func (u *Unknown) Add(o *Unknown) {
	for i := range u.Words {
		u.Words[i], u.Missing[i], u.Fractions[i] = u.Words[i]+o.Words[i], u.Missing[i]+o.Missing[i], u.Fractions[i]+o.Fractions[i]
		if u.Example[i] == "" {
			u.Example[i] = o.Example[i]
		}
	}
}

// Reset forgets all counts.
func (u *Unknown) Reset() {
	clear(u.Words)
	clear(u.Missing)
	clear(u.Fractions)
	clear(u.Example)
}

// Says lists what was met, a sentence a column.
func (u *Unknown) Says(e *Coder) []string {
	var list []string
	for i, c := range e.columns {
		if n := u.Words[i]; n > 0 {
			as := "count as none of its words"
			if c.Other {
				as = "count as its other words do"
			} else if c.Kind != data.KindCategory {
				as = "count as missing"
			}
			list = append(list, fmt.Sprintf("column %q: %s with words that were not learned from, such as %q; they %s", c.Name,
				brief.Count(n, "row"), u.Example[i], as))
		}
		if n := u.Missing[i]; n > 0 {
			as := "counts as the median"
			if c.Kind == data.KindCategory {
				as = "counts as none of its words"
			}
			list = append(list, fmt.Sprintf("column %q: no value in %s, though all that were learned from have one; there it %s", c.Name,
				brief.Count(n, "row"), as))
		}
		if n := u.Fractions[i]; n > 0 {
			list = append(list, fmt.Sprintf("column %q: %s without %% and with a number from -1 to 1, such as %q, which counts as so many percent: "+
				"give cells the sign", c.Name, brief.Count(n, "row"), u.Example[i]))
		}
	}
	return list
}

// Set sets the numbers of column i of the table, in a row of Dim numbers, to those of its cell. A number that is missing is NaN while the
// table has no Fill. The fault of a cell is what and remedy, "" without fault.
func (e *Coder) Set(row []float64, i int, cell []byte, u *Unknown) (what, remedy string) {
	return e.columns[i].set(row, cell, i, u)
}

func (c *coder) set(row []float64, cell []byte, i int, u *Unknown) (what, remedy string) {
	to := row[c.from : c.from+c.width]
	for k := range to {
		to[k] = 0
	}
	if c.width == 0 {
		return "", ""
	}
	cell = trimSpace(cell)
	if c.plain {
		if v, n := decimal.Parse(cell); n > 0 && n == len(cell) { // as of most cells
			to[0] = v
			return "", ""
		}
	}
	switch c.Kind {
	case data.KindNumber:
		return c.number(to, cell, i, u)
	case data.KindDate:
		return c.date(to, cell, i, u)
	}
	k, known := c.level[string(cut(cell))]
	if !known && c.empty.has(cell) || (!known || c.marks) && (trimmed(missing, cell) || slices.Contains(c.Empty, string(cell))) {
		c.missing(to, i, u)
		return "", ""
	}
	switch {
	case !known && c.Kind == data.KindCategory && c.Other:
		to[len(c.Levels)] = 1
	case !known:
		u.Words[i]++
		if u.Example[i] == "" {
			u.Example[i] = shortened(cut(cell))
		}
		if c.Kind != data.KindCategory {
			to[0] = c.fill
		}
	case c.Kind == data.KindCategory:
		to[k] = 1
	case len(c.Levels) > 1:
		to[0] = float64(k) / float64(len(c.Levels)-1)
	}
	return "", ""
}

// Answer is an answer as the table has it: that of a column of amounts as a plain number, any other as it is. The fault of one that can
// be two numbers is what and remedy, "" without fault.
func (e *Coder) Answer(cell []byte) (text []byte, what, remedy string) {
	at := slices.IndexFunc(e.columns, func(c coder) bool { return c.Amounts })
	if at < 0 || data.IsUnlabelled(string(cell)) {
		return cell, "", ""
	}
	text, ok := e.columns[at].answer(bytes.TrimSpace(cell), at, e)
	if !ok {
		if r, number := readNumber(cell); number && !r.same() && !math.IsNaN(r.point) && !math.IsNaN(r.comma) {
			what = fmt.Sprintf(twoNumbers, e.columns[at].Name, shortened(cell))
		}
		return cell, what, eitherMark
	}
	return text, "", ""
}

// answer is an answer as a plain number.
func (c *coder) answer(cell []byte, i int, e *Coder) (text []byte, ok bool) {
	v, ok := c.amount(cell, i, e)
	if !ok {
		return nil, false
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), true
}

// Weight is the number that a cell of the column of weights has.
func (e *Coder) Weight(cell []byte) (v float64, ok bool) {
	at := slices.IndexFunc(e.columns, func(c coder) bool { return c.Kind == data.KindWeight })
	return e.columns[at].amount(cell, at, e)
}

// amount is the number of a cell that is there.
func (c *coder) amount(cell []byte, i int, e *Coder) (v float64, ok bool) {
	if v, ok := data.Number(string(cell)); ok && c.decimal == '.' {
		return v, true
	}
	var to [1]float64
	what, _ := c.number(to[:], cell, i, e.NewUnknown())
	return to[0], what == "" && !math.IsNaN(to[0])
}

// blank says whether a cell of numbers or dates holds nothing.
func (c *coder) blank(cell []byte) bool {
	return trimmed(missing, cell) || trimmed(blanks, cell) || zeroDate(cell) || c.empty.has(cell)
}

// missing sets the numbers of a cell without a value.
func (c *coder) missing(to []float64, i int, u *Unknown) {
	if c.Kind != data.KindCategory {
		to[0] = c.fill
	}
	if c.Missing {
		to[len(to)-1] = 1
	} else {
		u.Missing[i]++
	}
}

// twoNumbers is the fault of a cell such as 1,234, and eitherMark its remedy.
const (
	twoNumbers = "column %q: %q can be a number of thousands or have another decimal mark than those learned from, and no other cell " +
		"says which"
	eitherMark = "write it without marks of thousands, or say --decimal point or --decimal comma"
)

func (c *coder) number(to []float64, cell []byte, i int, u *Unknown) (what, remedy string) {
	v, ok := data.Number(string(cell))
	if ok && !c.empty.has(cell) && c.decimal == '.' && !math.IsInf(v, 0) {
		to[0] = v
		c.fraction(v, cell, i, u)
		return "", ""
	}
	if c.blank(cell) {
		c.missing(to, i, u)
		return "", ""
	}
	if k, known := c.level[string(cell)]; known {
		to[0], to[1+k] = c.fill, 1
		return "", ""
	}
	r, ok := readNumber(cell)
	divided := false
	if ok {
		v = r.point
		grouped := r.groups[0]
		if c.decimal == ',' {
			v, grouped = r.comma, r.groups[1]
		}
		// Where thousands were not divided 1,234 may have another decimal mark, and 1,234.50 has not.
		divided = !c.divided && grouped && bytes.IndexByte(cell, c.group) >= 0 && bytes.IndexByte(cell, c.decimal) < 0
		ok = !math.IsNaN(v) && !divided
	}
	if multiplied := r.times > 0 && string(r.unit) == c.Unit && multiplier(r.unit) > 0; multiplied {
		v /= r.times // K was learned as a unit
	} else if r.times > 0 && multiplier(r.unit) > 0 {
		r.unit = nil
	}
	switch {
	case divided && !math.IsNaN(r.point) && !math.IsNaN(r.comma):
		return fmt.Sprintf(twoNumbers, c.Name, shortened(cell)), eitherMark
	case !ok:
		return fmt.Sprintf("column %q: %q is no number%s", c.Name, shortened(cell), c.spelled()), "correct it, or leave it empty"
	case len(r.unit) > 0 && string(r.unit) != c.Unit:
		return fmt.Sprintf("column %q: %q has the unit %s%s", c.Name, shortened(cell), r.unit, c.otherUnit()), "convert it"
	}
	to[0] = v
	if len(r.unit) == 0 {
		c.fraction(v, cell, i, u)
	}
	return "", ""
}

// fraction counts a cell without a unit that may be a fraction where percentages were learned.
func (c *coder) fraction(v float64, cell []byte, i int, u *Unknown) {
	if c.Unit != "%" || v == 0 || math.Abs(v) > 1 {
		return
	}
	u.Fractions[i]++
	if u.Example[i] == "" {
		u.Example[i] = shortened(cell)
	}
}

func (c *coder) spelled() string {
	switch {
	case c.decimal == ',' && c.Decimal == ",":
		return " with a decimal comma, as those learned from"
	case c.decimal == ',':
		return " with a decimal comma, as others of the file"
	case c.Decimal == ",":
		return " with a decimal point, as others of the file"
	}
	return ""
}

func (c *coder) otherUnit() string {
	if c.Unit == "" {
		return ", where none was learned from"
	}
	return ", where " + c.Unit + " was learned from"
}

func (c *coder) date(to []float64, cell []byte, i int, u *Unknown) (what, remedy string) {
	if c.blank(cell) {
		c.missing(to, i, u)
		return "", ""
	}
	t, ok := dateOf(cell, c.Format)
	if !ok {
		return fmt.Sprintf("column %q: %q is no date of the format %s", c.Name, shortened(cell), c.Format), "correct it, or leave it empty"
	}
	to[0] = years(t)
	for q, p := range c.Parts {
		to[1+2*q], to[2+2*q] = turn(t, p)
	}
	return "", ""
}

// Complete finds the Fill of columns that have none (Learn), by as many rows of those that were read with e as Medians looks at, and
// fills it in.
func (e *Coder) Complete(rows data.Rows) {
	n := rows.Len()
	from := e.unfilled()
	if n == 0 || len(from) == 0 {
		return
	}
	sample := rows.Dense
	if step := max(1, n/medianRows); step > 1 {
		sample = mat.NewDense((n+step-1)/step, e.dim, nil)
		for i := 0; i < n; i += step {
			sample.SetRow(i/step, rows.Dense.RawRowView(i))
		}
	}
	e.Learn(sample)
	for i := range n {
		row := rows.Dense.RawRowView(i)
		for _, c := range from {
			if math.IsNaN(row[c.from]) {
				row[c.from] = c.fill
			}
		}
	}
}

// Learn finds the Fill of columns that have none: the median of the rows of sample, which were read with e, that have a value, or 0 of
// none. Cost: a sort of each such column.
func (e *Coder) Learn(sample *mat.Dense) {
	n, _ := sample.Dims()
	there := make([]float64, 0, n)
	for _, c := range e.unfilled() {
		there = there[:0]
		for i := range n {
			if v := sample.At(i, c.from); !math.IsNaN(v) {
				there = append(there, v)
			}
		}
		fill := Median(there)
		c.Fill, c.fill = &fill, fill
	}
}

// unfilled are the columns that have numbers of which the Fill is not known.
func (e *Coder) unfilled() (list []*coder) {
	for k := range e.columns {
		if c := &e.columns[k]; c.width > 0 && c.Kind != data.KindCategory && c.Fill == nil {
			list = append(list, c)
		}
	}
	return list
}

// Guesses says of columns what was guessed of them and is not the usual.
func Guesses(t *data.Table) (list []string) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Guess != "" {
			list = append(list, fmt.Sprintf("column %q: %s", c.Name, c.Guess))
		}
	}
	return list
}

// Summary says in a few lines what is done with the columns of a table.
func Summary(t *data.Table) []string {
	var list []string
	for _, kind := range []string{data.KindNumber, data.KindCategory, data.KindOrdered, data.KindYesNo, data.KindDate} {
		var names []string
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Kind == kind {
				name := c.Name
				if kind == data.KindCategory {
					name += fmt.Sprintf(" (%d)", len(c.Levels))
				}
				names = append(names, name)
			}
		}
		if names != nil {
			list = append(list, fmt.Sprintf("%s: %s", kind, some(names)))
		}
	}
	var missing, left []string
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Missing {
			missing = append(missing, c.Name)
		}
		if c.Kind == data.KindIgnored {
			left = append(left, fmt.Sprintf("%s (%s)", c.Name, c.Why))
		}
	}
	if missing != nil {
		list = append(list, "with missing cells: "+some(missing))
	}
	if left != nil {
		list = append(list, "left out: "+some(left))
	}
	return list
}

// some lists names, the first few of many.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}
