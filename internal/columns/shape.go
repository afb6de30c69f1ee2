package columns

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Shape is what a cell looks like on its own, before anything is known of its column.
type Shape int

// Shapes of cells.
const (
	Word    Shape = iota // none of the others
	Nothing              // missing, or a mark that stands for it
	Number               // with or without a unit
	Date                 // or a time of a day
)

// ShapeOf is the shape of a cell. It is a guess from the beginning of a text, by which dialects are told apart, and reads no date.
// Cost: the length of the cell.
func ShapeOf(cell []byte) Shape {
	cell = bytes.TrimSpace(cell)
	switch {
	case isDecimal(cell):
		return Number
	case blank(cell):
		return Nothing
	case infinite(cell):
		return Number
	case dated(cell):
		return Date
	}
	r, ok := readNumber(cell)
	if ok && (len(r.unit) <= utf8.UTFMax || slices.Contains(knownUnits, strings.ToLower(string(r.unit)))) {
		return Number
	}
	return Word
}

// DecimalMark is the decimal mark that a cell must have as a number: a comma, a point, or 0 where it may have either, or is none.
func DecimalMark(cell []byte) byte {
	if !bytes.ContainsAny(cell, ",.") {
		return 0
	}
	r, ok := readNumber(cell)
	switch {
	case !ok:
		return 0
	case math.IsNaN(r.point):
		return ','
	case math.IsNaN(r.comma):
		return '.'
	}
	return 0
}

// WithComma reads a cell as a number with a decimal comma.
func WithComma(cell []byte) (v float64, ok bool) {
	r, ok := readNumber(cell)
	return r.comma, ok && len(r.unit) == 0 && !math.IsNaN(r.comma)
}

// isDecimal says whether a cell is digits with a sign, a point and an exponent at most, as most numbers are.
func isDecimal(cell []byte) bool {
	if at := bytes.LastIndexAny(cell, "eE"); at > 0 && exponent(cell[at+1:]) == len(cell)-at-1 {
		cell = cell[:at]
	}
	if len(cell) > 1 && (cell[0] == '-' || cell[0] == '+') {
		cell = cell[1:]
	}
	digits, points := 0, 0
	for _, c := range cell {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '.':
			points++
		default:
			return false
		}
	}
	return digits > 0 && points <= 1
}

// dated says whether a cell is a date or a time of one of the layouts.
func dated(cell []byte) bool {
	return slices.ContainsFunc(layoutsOf(cell), func(k int) bool {
		_, ok := parseDate(cell, layouts[k])
		return ok
	})
}
