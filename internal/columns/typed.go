package columns

// Cells of files that say which of them are numbers and which are true or false, as spreadsheets, JSON and Parquet do. Such numbers have a
// decimal point, whatever marks the texts of their column have, and show nothing of these marks.

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Numeric says whether a cell is spelled as the number of such a file: digits with a sign, a point and an exponent at most, or a percentage
// of them.
func Numeric(cell []byte) bool {
	cell, _ = bytes.CutSuffix(cell, percent)
	return isDecimal(cell)
}

// Typed says whether a cell is spelled as a number or as the truth of such a file.
func Typed(cell []byte) bool { return Numeric(cell) || isTruth(cell, "true") || isTruth(cell, "false") }

var percent = []byte("%")

// isTruth compares without regard to case, and without memory.
func isTruth(cell []byte, word string) bool {
	return len(cell) == len(word) && bytes.EqualFold(cell, []byte(word))
}

// Fraction is the number of a percentage, 0.53 of 53%, and any other cell as it is.
func Fraction(cell []byte) []byte {
	if digits, ok := bytes.CutSuffix(cell, percent); ok && isDecimal(digits) {
		return Scaled(digits, -2)
	}
	return cell
}

// Scaled is a number as text times ten to a power, as exact as its digits; what is no number stays as it is.
func Scaled(cell []byte, power int) []byte {
	v, err := strconv.ParseFloat(string(cell), 64)
	if err != nil {
		return cell
	}
	shortest := strconv.FormatFloat(v, 'e', -1, 64)
	at := bytes.IndexByte([]byte(shortest), 'e')
	e, err := strconv.Atoi(shortest[at+1:])
	if err != nil {
		return cell // infinite
	}
	if v, err = strconv.ParseFloat(shortest[:at+1]+strconv.Itoa(e+power), 64); err != nil {
		return cell
	}
	return strconv.AppendFloat(nil, v, 'f', -1, 64)
}

// AddNumber is Add of a cell that is a number by what its file says.
func (p *Profile) AddNumber(c int, cell []byte, line int) {
	digits, unit := bytes.CutSuffix(cell, percent)
	v, ok := data.Number(string(digits))
	if !ok || p.empty != nil && p.empty[c].has(cell) {
		p.Add(c, cell, line)
		return
	}
	s := &p.Columns[c]
	s.Cells++
	s.word(cell, hashOf(cell), p.Most)
	if s.First.Line == 0 {
		s.First = Place{Line: line, Text: shortened(cell)}
	}
	s.digits(cell)
	s.Point++
	s.Comma++
	s.span(v, v)
	if unit {
		s.Shares++
		s.unit(percent, cell, line)
		s.undate(nil, cell, line)
		return
	}
	s.unitless(v)
	s.day(cell, v, line)
}

// SetTyped is Set of a cell that is a number, or true or false, by what its file says.
func (e *Coder) SetTyped(row []float64, i int, cell []byte, u *Unknown) (what, remedy string) {
	c := e.columns[i]
	return c.set(row, c.typed(cell), i, u)
}

// AnswerTyped is Answer of such a cell.
func (e *Coder) AnswerTyped(cell []byte) []byte {
	for i, c := range e.columns {
		if c.Amounts && !data.IsUnlabelled(string(cell)) {
			if text, ok := c.answer(c.typed(cell), i, e); ok {
				return text
			}
		}
	}
	return cell
}

// typed is such a cell as the column is to read it, with a decimal point: a percentage is a fraction where none was learned from, and
// words and dates have no exponent.
func (c *coder) typed(cell []byte) []byte {
	c.mark('.', ',')
	switch _, known := c.level[string(cell)]; {
	case known:
	case !Numeric(cell):
		return c.truth(cell)
	case c.Unit != string(percent) && cell[len(cell)-1] == '%':
		return Fraction(cell)
	case c.Kind != data.KindNumber && bytes.ContainsAny(cell, "eE"):
		return Scaled(cell, 0)
	}
	return cell
}

// truth is true or false as the column has it: a level that differs in case alone, or 1 or 0.
func (c *coder) truth(cell []byte) []byte {
	for _, l := range c.Levels {
		if strings.EqualFold(l, string(cell)) {
			return []byte(l)
		}
	}
	digit := Digit(cell)
	if _, known := c.level[string(digit)]; known || c.Kind == data.KindNumber {
		return digit
	}
	return cell
}

// Digit is 1 for true and 0 for false, and any other cell as it is.
func Digit(cell []byte) []byte {
	switch {
	case isTruth(cell, "true"):
		return []byte("1")
	case isTruth(cell, "false"):
		return []byte("0")
	}
	return cell
}
