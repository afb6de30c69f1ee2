package read

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// number reads a finite decimal number from text. Otherwise what says what is
// wrong with it, and remedy what to do. It allocates nothing for text of up to 32
// bytes, the room the compiler gives a short-lived string.
func number(text []byte) (v float64, what, remedy string) {
	if v, ok := short(text); ok {
		return v, "", ""
	}
	plain := len(text) > 0
	for _, c := range text {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			plain = false
			break
		}
	}
	if plain {
		v, err := strconv.ParseFloat(string(text), 64)
		if err == nil {
			return v, "", ""
		}
		if errors.Is(err, strconv.ErrRange) {
			return 0, quote(text) + " is beyond the largest number, 1.8e308", "correct the value or rescale the column"
		}
	}
	t := strings.ToLower(strings.TrimSpace(string(text)))
	switch strings.TrimLeft(t, "+-") {
	case "", "?", "na", "n/a", "null", "none", "nan":
		if t == "" {
			t = "empty"
		}
		return 0, "missing value (" + t + ")", "fill it in or remove the row"
	case "inf", "infinity":
		return 0, "infinite value " + quote(text), "correct the value or remove the row"
	}
	if bytes.Count(text, []byte(",")) == 1 {
		if _, err := strconv.ParseFloat(strings.Replace(t, ",", ".", 1), 64); err == nil {
			return 0, quote(text) + " is no number", "write decimals with a point"
		}
	}
	return 0, quote(text) + " is no number", "code text as numbers, or leave the column out"
}

// short reads a decimal of at most 15 digits without an exponent, as most are: whole
// number and power of ten are exact doubles, and so their quotient is rounded once, to
// what ParseFloat returns (Clinger 1990).
func short(text []byte) (v float64, ok bool) {
	digits := text
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	var whole int64
	point := -1
	for i, c := range digits {
		if d := c - '0'; d <= 9 {
			whole = 10*whole + int64(d)
		} else if c == '.' && point < 0 && len(digits) > 1 {
			point = i
		} else {
			return 0, false
		}
	}
	switch {
	case point < 0 && len(digits) > 15:
		return 0, false
	case point >= 0:
		v = float64(whole) / powers[len(digits)-1-point]
	default:
		v = float64(whole)
	}
	if negative {
		v = -v
	}
	return v, true
}

// powers of ten that are exact.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// quote returns text for a message, cut to a readable length.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
