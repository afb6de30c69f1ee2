package columns

import (
	"bytes"
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
	if r, ok := readNumber(cell); ok && (len(r.unit) == 0 || len(r.unit) <= utf8.UTFMax || slices.Contains(knownUnits, strings.ToLower(string(r.unit)))) {
		return Number
	}
	return Word
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

// dated says whether a cell is written as dates and times are: digits with the marks of dates between them, and no other words than
// those of dates.
func dated(cell []byte) bool {
	if len(cell) < shortestDate || len(cell) > longestDate {
		return false
	}
	digits, marks := 0, 0
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '-' || c == '/' || c == ':' || c == '.' || c == ' ' || c == ',' || c == '+':
			if i > 0 && i+1 < len(cell) {
				marks++
			}
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			from := i
			for i+1 < len(cell) && 'a' <= cell[i+1]|0x20 && cell[i+1]|0x20 <= 'z' {
				i++
			}
			if !timeWord(strings.ToLower(string(cell[from : i+1]))) {
				return false
			}
			marks++
		default:
			return false
		}
	}
	colon, dash := bytes.IndexByte(cell, ':') > 0, bytes.Count(cell, []byte("-"))+bytes.Count(cell, []byte("/"))
	return digits >= 3 && marks > 0 && (colon || dash >= 2 || bytes.Count(cell, []byte(".")) == 2 || named4(cell))
}

// named4 says whether a date has the name of its month.
func named4(cell []byte) bool {
	return slices.ContainsFunc(months, func(m string) bool { return bytes.Contains(bytes.ToLower(cell), []byte(m)) })
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// timeWord says whether a word stands in dates.
func timeWord(word string) bool {
	switch word {
	case "t", "z", "am", "pm", "utc", "gmt":
		return true
	}
	return len(word) >= 3 && slices.Contains(months, word[:3])
}
