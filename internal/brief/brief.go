// Package brief has what messages share: names cut short whatever input they repeat, as a column may have a name of megabytes; amounts with
// their units, numbers with their nouns.
package brief

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Most is the number of characters of an input that a message repeats.
	Most = 80
	// mostPath is that of a word with slashes, which may be the path of a file and is needed whole.
	mostPath = 400
	// head and tail are what is left of a message that is too long all the same. Its end has the remedy.
	head, tail = 3000, 1000
)

// mark stands for what is left out.
const mark = "..."

// Quote is strconv.Quote of the first characters of s.
func Quote(s string) string { return strconv.Quote(first(s, Most)) }

// first are the first n characters, with a mark where there are more.
func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at, count := 0, 0
	for at < len(s) && count < n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
		count++
	}
	if at == len(s) {
		return s
	}
	return s[:at] + mark
}

// Message is a message in which each quotation has at most Most characters, as has each word that is no path, and which is short as a
// whole.
func Message(s string) string {
	if len(s) <= Most {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		var part string
		switch r, size := utf8.DecodeRuneInString(s); {
		case r == '"':
			part, s = quotation(s)
		case unicode.IsSpace(r):
			part, s = s[:size], s[size:]
		default:
			part, s = word(s)
		}
		b.WriteString(part)
	}
	out := b.String()
	if len(out) > head+tail {
		out = strings.ToValidUTF8(out[:head], "") + " " + mark + " " + strings.ToValidUTF8(out[len(out)-tail:], "")
	}
	return out
}

// quotation cuts a text that begins with a quote after the closing one, which no backslash precedes. Without a closing one the quote
// stands alone.
func quotation(s string) (part, rest string) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			inside := first(s[1:i], Most)
			if len(inside) < i-1 { // not in the middle of an escape
				inside = strings.TrimRight(strings.TrimSuffix(inside, mark), `\`) + mark
			}
			return `"` + inside + `"`, s[i+1:]
		}
	}
	return s[:1], s[1:]
}

// word cuts a text before the next space or quote.
func word(s string) (part, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(s)
	}
	most := Most
	if strings.ContainsAny(s[:min(end, mostPath)], `/\`) {
		most = mostPath
	}
	return first(s[:end], most), s[end:]
}

// Others says of which rows the answer that needs no model is, by how the rows that judge it were left out: of all, "", where each was.
func Others(from string) string {
	switch {
	case strings.Contains(from, "forward"):
		return " of earlier rows"
	case from == "hold-out":
		return " of the other rows"
	}
	return ""
}

// Flagged is a value of a flag, or one more word of a command, as the shell wants it.
func Flagged(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\r\n<>&|;()[]{}#~!`$'\"*?\\") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}
