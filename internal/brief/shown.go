package brief

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is a text for a terminal: what would move its cursor, change its colours or title, or turn the direction of writing is the mark
// of a replaced character. Names of columns, labels and files come from people whom nobody has to trust. Ends of lines and tabs stay.
func Shown(s string) string {
	if strings.IndexFunc(s, moves) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if moves(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// moves tells control characters (C0 but \n and \t, DEL, C1) and those that turn the direction of writing (Unicode TR 36, 3.6 and UAX 9).
func moves(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
