package read

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// number reads a finite decimal number from text. Otherwise what says what is
// wrong with it, and remedy what to do.
func number(text []byte) (v float64, what, remedy string) {
	if v, n := Decimal(text); n > 0 && n == len(text) {
		return v, "", ""
	}
	return longNumber(text)
}

// longNumber is number by ParseFloat. It allocates nothing for text of up to 32
// bytes, the room the compiler gives a short-lived string.
func longNumber(text []byte) (v float64, what, remedy string) {
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
	if missing(text) {
		if t == "" {
			t = "empty"
		}
		return 0, "missing value (" + t + ")", "fill it in or remove the row"
	}
	switch strings.TrimLeft(t, "+-") {
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

// missing says whether text stands for no number.
func missing(text []byte) bool {
	switch strings.TrimLeft(strings.ToLower(strings.TrimSpace(string(text))), "+-") {
	case "", "?", "na", "n/a", "null", "none", "nan":
		return true
	}
	return false
}

// Decimal reads the number at the beginning of text, of n bytes; n = 0 for what strconv.ParseFloat is to
// look at. Digits up to 2^53 and powers of ten up to 22 are exact doubles, and so their product or
// quotient is rounded once, to what ParseFloat returns (Clinger 1990).
func Decimal(text []byte) (v float64, n int) {
	i := 0
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		i = 1
	}
	var whole uint64
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		whole = 10*whole + uint64(text[i]-'0')
		i++
	}
	digits, power := i-from, 0
	if i < len(text) && text[i] == '.' {
		i++
		from = i
		for i < len(text) && text[i]-'0' <= 9 {
			whole = 10*whole + uint64(text[i]-'0')
			i++
		}
		power = from - i
		digits -= power
	}
	if digits == 0 || digits > 19 { // 20 digits may be more than 64 bits hold
		return 0, 0
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		e, k := exponent(text[i+1:])
		if k == 0 {
			return 0, 0
		}
		power += e
		i += 1 + k
	}
	if whole > 1<<53 || power < -22 || power > 22 {
		return 0, 0
	}
	v = float64(whole)
	if power < 0 {
		v /= powers[-power]
	} else if power > 0 {
		v *= powers[power]
	}
	if negative {
		v = -v
	}
	return v, i
}

// exponent reads the whole number of at most three digits, and perhaps a sign, at the beginning
// of text, of n bytes; n = 0 if there is none.
func exponent(text []byte) (e, n int) {
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		n = 1
	}
	from := n
	for n < len(text) && text[n]-'0' <= 9 {
		if n-from == 3 {
			return 0, 0
		}
		e = 10*e + int(text[n]-'0')
		n++
	}
	if n == from {
		return 0, 0
	}
	if negative {
		e = -e
	}
	return e, n
}

// powers of ten that are exact.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// quote returns text for a message, cut to a readable length.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
