// Package decimal reads short decimal numbers, correctly rounded.
//
// Digits up to 2^53 and powers of ten up to 22 are exact doubles, so that their product or quotient is rounded once, to what
// strconv.ParseFloat returns (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990). What has more digits is left to that.
// Most cells have a few: reading them byte by byte is faster than eight at once, which costs more than it saves up to ten digits.
package decimal

import "math"

const (
	mostDigits = 19 // of which any number fits 64 bits
	mostPower  = 22 // of ten that is exact
)

// Scan reads the digits at the beginning of text, with a sign before them and a point among them, of so many bytes: the number without
// its point, and how many digits stand before the point and after it, -1 without one. No digits and more than 19 have a size of 0.
func Scan(text []byte) (mantissa uint64, before, after, size int) {
	if len(text) == 0 {
		return 0, 0, 0, 0
	}
	i := signs(text[0])
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		mantissa = 10*mantissa + uint64(text[i]-'0')
		i++
	}
	before, after = i-from, -1
	digits := before
	if i < len(text) && text[i] == '.' {
		i++
		from = i
		for i < len(text) && text[i]-'0' <= 9 {
			mantissa = 10*mantissa + uint64(text[i]-'0')
			i++
		}
		after = i - from
		digits += after
	}
	if digits == 0 || digits > mostDigits {
		return 0, 0, 0, 0
	}
	return mantissa, before, after, i
}

// signs is 1 for a sign and 0 for another byte. Signs come in no order that a processor could foresee, so there is no branch here.
func signs(c byte) int {
	n := 0
	if (c-'+')&^('-'-'+') == 0 {
		n = 1
	}
	return n
}

// Value is a number times ten to a power; ok is false where it would be rounded twice.
func Value(mantissa uint64, power int, negative bool) (v float64, ok bool) {
	if mantissa > 1<<53 || power < -mostPower || power > mostPower {
		return 0, false
	}
	v = float64(mantissa)
	if power < 0 {
		v /= powers[-power]
	} else {
		v *= powers[power]
	}
	sign := uint64(0) // without a branch, as signs
	if negative {
		sign = 1
	}
	return math.Float64frombits(math.Float64bits(v) | sign<<63), true
}

// Parse reads the number at the beginning of text, of n bytes; n = 0 for what strconv.ParseFloat is to look at.
func Parse(text []byte) (v float64, n int) {
	mantissa, _, after, n := Scan(text)
	if n == 0 {
		return 0, 0
	}
	power := -max(after, 0)
	if n < len(text) && text[n]|0x20 == 'e' {
		e, k := exponent(text[n+1:])
		if k == 0 {
			return 0, 0
		}
		power += e
		n += 1 + k
	}
	v, ok := Value(mantissa, power, text[0] == '-')
	if !ok {
		return 0, 0
	}
	return v, n
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
