package data

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// marks are the answers that stand for none as they are spelled here, and folded those that do in any case. Others, such as none, are
// names of classes as often as not.
var (
	marks  = []string{"", "?", "NA", "None"}
	folded = []string{"nan", "null", "n/a", "#n/a", "<na>"}
)

// IsUnlabelled says whether a raw answer stands for none: empty, ?, NA, None, or in any case NaN, null, N/A, #N/A or <NA>.
func IsUnlabelled(raw string) bool {
	raw = strings.TrimSpace(raw)
	if raw != "" {
		switch raw[0] {
		case '?', 'N', 'n', '#', '<':
		default:
			return false // as of nearly all answers
		}
	}
	return slices.Contains(marks, raw) || len(raw) <= len("#n/a") &&
		slices.ContainsFunc(folded, func(mark string) bool { return strings.EqualFold(raw, mark) })
}

// Number reads a finite decimal number: what ParseFloat takes, without its
// hexadecimal, infinite and NaN forms.
func Number(s string) (float64, bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// leadingZero says whether a number is spelled as codes are: with a zero before a digit.
func leadingZero(number string) bool {
	digits := strings.TrimLeft(number, "+-")
	return len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9'
}

// IsCode says whether a raw answer looks like a number and is none as a class: the code
// 01234 is not 1234, and 1e3 is not 1000.
func IsCode(raw string) bool {
	raw = strings.TrimSpace(raw)
	_, ok := Number(raw)
	return ok && (leadingZero(raw) || strings.ContainsAny(raw, "eE"))
}

// ClassName returns the name by which raw classes are compared: numbers in their shortest
// form, so that +1, 1 and 1.0 are one class "1", whole ones below 1e21 without exponent and
// with all the digits they were written with; codes and text without surrounding space.
func ClassName(raw string) string {
	raw = strings.TrimSpace(raw)
	v, ok := Number(raw)
	if !ok || IsCode(raw) {
		return raw
	}
	if v == 0 {
		return "0" // also -0
	}
	if v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if math.Abs(v) < 1e15 { // exact, and reads better without an exponent
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	exact := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	digits, rest, _ := strings.Cut(strings.TrimLeft(raw, "+-"), ".")
	switch {
	case digits != exact && strings.Trim(rest, "0") == "": // an identifier that a float64 would round
	case math.Abs(v) < 1e21:
		digits = exact
	default:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v < 0 {
		return "-" + digits
	}
	return digits
}

// naming returns how the answers of a column are compared, ClassName, or as text if one of
// them is a code, and how the names it gives are sorted: numbers by value before text, or
// all as text.
func naming(answers []string) (name func(raw string) string, order func(a, b string) int) {
	if slices.ContainsFunc(answers, IsCode) {
		return strings.TrimSpace, cmp.Compare[string]
	}
	return ClassName, compareClasses
}

// compareClasses orders names of classes: numbers by value, then text.
func compareClasses(a, b string) int {
	x, xok := Number(a)
	y, yok := Number(b)
	switch {
	case xok && yok:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case xok:
		return -1
	case yok:
		return 1
	}
	return cmp.Compare(a, b)
}

// ClassIndex returns a function that finds the number of a raw class among the printed
// ones, Unseen if it is none of them, and the name by which it was compared.
func ClassIndex(classes []string) func(raw string) (number int, name string) {
	name, _ := naming(classes)
	number := make(map[string]int, len(classes))
	for k, c := range classes {
		number[name(c)] = k
	}
	return func(raw string) (int, string) {
		c := name(raw)
		if k, ok := number[c]; ok {
			return k, c
		}
		return Unseen, c
	}
}
