package read

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/decimal"
)

// number reads a finite decimal number from text. Otherwise what says what is
// wrong with it, and remedy what to do.
func number(text []byte) (v float64, what, remedy string) {
	if v, n := decimal.Parse(text); n > 0 && n == len(text) {
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

// quote returns text for a message, cut to a readable length.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
