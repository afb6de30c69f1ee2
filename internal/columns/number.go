package columns

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/decimal"
)

// reading is what a cell says as a number. Digits may be grouped and the decimal mark may be a comma, so that one cell
// can be read in two ways: 1,234 is 1234 in one country and 1.234 in another.
type reading struct {
	point, comma float64 // with a decimal point, and with a decimal comma; NaN: not so
	unit         []byte
	times        float64 // what a word such as k or million behind the number multiplies it by, which is done; 0: there is none
	groups       [2]bool // the point, or the comma, has digits in groups beside it
	hasComma     bool
	round        bool // it ends with a comma and three zeros
	ledger       bool // a sign of books made it less than zero
	digits       int  // before the first mark
}

// same says whether both ways of reading agree, as of 12.
func (r reading) same() bool { return r.point == r.comma }

// longestUnit is that of a unit in bytes: longer text is no unit.
const longestUnit = 12

// longestNumber is that of a cell which is tried as a number.
const longestNumber = 64

// readNumber reads a cell as a number with or without a unit; ok is false for what is none in any way. Cost: the
// length of the cell, which has at most longestNumber bytes.
func readNumber(cell []byte) (r reading, ok bool) {
	cell = trimSpace(cell)
	if len(cell) == 0 || len(cell) > longestNumber || !hasDigit(cell) {
		return r, false
	}
	cell, below := bracketed(simplified(cell))
	cell, r.unit = currency(cell)
	core, rest := split(cell)
	if len(core) == 0 {
		return r, false
	}
	if !below && len(rest) == 1 && rest[0] == '-' && bytes.ContainsAny(core, ".,") {
		below, rest = true, nil // as ledgers write 12.50-; 2- is a mark at school
	}
	if r.times = multiplier(rest); r.times > 0 && len(r.unit) > 0 {
		rest = nil
	}
	if len(rest) > 0 {
		if len(r.unit) > 0 || !isUnit(rest) {
			return r, false
		}
		r.unit = rest
	}
	r.read(core)
	if below {
		if core[0] == '-' || core[0] == '+' {
			return r, false
		}
		r.point, r.comma, r.ledger = -r.point, -r.comma, true
	}
	if r.times > 0 {
		r.point, r.comma = multiplied(r.point, r.times), multiplied(r.comma, r.times)
	}
	r.hasComma, r.round = bytes.IndexByte(core, ',') >= 0, bytes.HasSuffix(core, []byte(",000"))
	first := 0
	for first < len(core) && (core[first] == '+' || core[first] == '-') {
		first++
	}
	for first+r.digits < len(core) && isDigit(core[first+r.digits]) {
		r.digits++
	}
	return r, !math.IsNaN(r.point) || !math.IsNaN(r.comma)
}

// multiplied is v times a power of ten, rounded as the decimal number is: 65.6 million is 65600000.
func multiplied(v, times float64) float64 {
	digits := strconv.AppendFloat(nil, v, 'f', -1, 64)
	out, err := strconv.ParseFloat(fmt.Sprintf("%se%d", digits, int(math.Round(math.Log10(times)))), 64)
	if err != nil {
		return v * times // infinite, or none
	}
	return out
}

// read reads a number with a decimal point, and with a decimal comma. Most numbers have digits and a point at most: then a decimal comma
// is another number only if the point has three digits behind it, as that between thousands has.
func (r *reading) read(core []byte) {
	before, after, plain := pointed(core)
	if !plain {
		r.point, r.groups[0] = value(core, '.', ',')
		r.comma, r.groups[1] = value(core, ',', '.')
		return
	}
	r.point, r.comma = math.NaN(), math.NaN()
	if v, n := decimal.Parse(core); n == len(core) {
		r.point = v
	} else if v, err := strconv.ParseFloat(string(core), 64); err == nil {
		r.point = v
	}
	switch {
	case after < 0:
		r.comma = r.point
	case after == 3 && 0 < before && before <= 3:
		r.comma, r.groups[1] = value(core, ',', '.')
	}
}

// pointed counts the digits before and after the point of a number that has nothing but digits, a sign and a point; after is -1 where
// there is no point.
func pointed(core []byte) (before, after int, plain bool) {
	after = -1
	for i, c := range core {
		switch {
		case isDigit(c) && after < 0:
			before++
		case isDigit(c):
			after++
		case c == '.' && after < 0:
			after = 0
		case i == 0 && (c == '-' || c == '+'):
		default:
			return 0, 0, false
		}
	}
	return before, after, true
}

// bracketed takes the brackets off a number below zero as books have it, (12.50).
func bracketed(cell []byte) (inner []byte, ok bool) {
	if n := len(cell); n > 2 && cell[0] == '(' && cell[n-1] == ')' {
		return bytes.TrimSpace(cell[1 : n-1]), true
	}
	return cell, false
}

// simplified is a cell with the blanks, apostrophes and minus signs of typesetters as those of keyboards.
func simplified(cell []byte) []byte {
	if bytes.IndexByte(cell, 0xe2) < 0 { // with which all of them begin
		return cell
	}
	for _, s := range [][2]string{{"\u202f", " "}, {"\u2009", " "}, {"\u2007", " "}, {"\u2019", "'"}, {"\u2212", "-"}} {
		cell = bytes.ReplaceAll(cell, []byte(s[0]), []byte(s[1]))
	}
	return cell
}

// currency takes a sign of money, or its code, off the beginning; a sign of the number may stand before it.
func currency(cell []byte) (rest, unit []byte) {
	if len(cell) > 1 && (cell[0] == '-' || cell[0] == '+') {
		if inner, unit := currency(cell[1:]); unit != nil && len(inner) > 0 && inner[0] != '-' && inner[0] != '+' {
			return slices.Concat(cell[:1], inner), unit
		}
		return cell, nil
	}
	r, size := rune('$'), 1
	if len(cell) == 0 || cell[0] != '$' {
		r, size = utf8.DecodeRune(cell)
	}
	if r == '$' || r >= utf8.RuneSelf && unicode.Is(unicode.Sc, r) {
		return bytes.TrimSpace(cell[size:]), cell[:size]
	}
	if r < 'A' || r > 'Z' {
		return cell, nil
	}
	for _, code := range moneys {
		if len(cell) > len(code) && string(cell[:len(code)]) == code && (cell[len(code)] == ' ' || isDigit(cell[len(code)])) {
			return bytes.TrimSpace(cell[len(code):]), cell[:len(code)]
		}
	}
	return cell, nil
}

// hasDigit says whether a cell has a digit.
func hasDigit(cell []byte) bool {
	for _, c := range cell {
		if isDigit(c) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// moneys are codes and signs of money in letters.
var moneys = []string{
	"EUR", "USD", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "BRL",
	"MXN", "ZAR", "KRW", "TRY", "ILS", "SGD", "HKD", "Rs.", "Rs", "US$", "R$", "A$", "C$", "HK$", "NZ$",
}

// multiplier is what a word behind a number multiplies it by, 0 for what is no such word.
func multiplier(word []byte) float64 {
	switch string(word) {
	case "k", "K", "thousand", "Tsd", "Tsd.", "tsd":
		return 1e3
	case "lakh", "lakhs", "lac", "lacs", "Lakh":
		return 1e5
	case "M", "mn", "Mn", "mio", "Mio", "Mio.", "million", "Million", "millions", "MM":
		return 1e6
	case "crore", "crores", "Crore", "Cr", "cr":
		return 1e7
	case "B", "bn", "Bn", "billion", "Billion", "billions", "Mrd", "Mrd.", "mrd":
		return 1e9
	}
	return 0
}

// split cuts a cell behind its number.
func split(cell []byte) (core, rest []byte) {
	i, digits := 0, 0
	if cell = bytes.TrimSpace(cell); len(cell) > 0 && (cell[0] == '+' || cell[0] == '-') {
		i = 1
	}
	for i < len(cell) {
		switch c := cell[i]; {
		case '0' <= c && c <= '9':
			digits++
			i++
			continue
		case c == '.' || c == ',':
			i++
			continue
		case digits > 0 && (c == '\'' || c == ' ') && threeDigits(cell[i+1:]):
			i++
			continue
		case digits > 0 && bytes.HasPrefix(cell[i:], []byte("\u00a0")) && threeDigits(cell[i+2:]):
			i += 2
			continue
		case digits > 0 && c|0x20 == 'e':
			if n := exponent(cell[i+1:]); n > 0 {
				i += 1 + n
			}
		}
		break
	}
	core, rest = cell[:i], bytes.TrimSpace(cell[i:])
	if digits == 0 || len(rest) > 0 && (core[i-1] < '0' || core[i-1] > '9') {
		return nil, nil
	}
	return core, rest
}

// threeDigits says whether text begins with three digits and no fourth.
func threeDigits(text []byte) bool {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n == 3
}

// exponent is the length of the exponent at the beginning of text, 0 without one.
func exponent(text []byte) int {
	n := 0
	if n < len(text) && (text[n] == '+' || text[n] == '-') {
		n++
	}
	from := n
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n == from || n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		return 0
	}
	return n
}

// isUnit says whether text can be a unit: it begins with a letter or a sign, is short, and has one digit at most, as m2; Jan 2006
// is what follows a day.
func isUnit(text []byte) bool {
	if len(text) == 1 && text[0] == '+' {
		return true // at least so many
	}
	if len(text) > longestUnit || bytes.Count(text, []byte(" ")) > 1 {
		return false
	}
	digits := 0
	for _, c := range text {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	if digits > 1 {
		return false
	}
	r, _ := utf8.DecodeRune(text)
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) || r == '%' || r == '°' || r == '\'' ||
		r == '"' || r == '‰')
}

// value reads digits with a decimal mark and groups of three that another mark, an apostrophe or a blank divides, or of two before
// the last three as in India, NaN if they are not so; grouped says that there are groups.
func value(core []byte, point, group byte) (v float64, grouped bool) {
	var plain [longestNumber]byte
	out := plain[:0]
	i := 0
	if core[0] == '+' || core[0] == '-' {
		out, i = append(out, core[0]), 1
	}
	run, first, whole := 0, i, true
	middle := 0                                                     // digits of the groups between the first and the last
	closed := func() bool { return !grouped || !whole || run == 3 } // the last group is of three digits
	for ; i < len(core); i++ {
		c := core[i]
		switch {
		case '0' <= c && c <= '9':
			out = append(out, c)
			run++
		case c == point && whole && closed():
			out, whole, run = append(out, '.'), false, 0
		case (c == 'e' || c == 'E') && !grouped: // whose digits before it are never in groups
			out = append(out, core[i:]...)
			i, whole = len(core), false
		case (c == group || c == '\'' || c == ' ' || c == 0xc2) && whole && core[first] != '0' &&
			(run == 3 || 0 < run && run < 3 && (!grouped || run == 2 && c == ',')):
			if grouped && middle > 0 && run != middle {
				return math.NaN(), false
			}
			if grouped {
				middle = run
			}
			if c == 0xc2 {
				i++ // the second byte of a blank at which no line breaks
			}
			grouped, run = true, 0
		default:
			return math.NaN(), false
		}
	}
	if !closed() {
		return math.NaN(), false
	}
	if v, n := decimal.Parse(out); n > 0 && n == len(out) {
		return v, grouped
	}
	v, err := strconv.ParseFloat(string(out), 64)
	if err != nil {
		return math.NaN(), false
	}
	return v, grouped
}
