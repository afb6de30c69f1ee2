package read

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// windows1252 are the characters of the bytes 0x80 to 0x9f in Windows-1252, 0: none. Its other bytes are those of Latin-1.
var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

// decoded is text as UTF-8: as it is, or else, cell by cell, from Windows-1252, which has all of Latin-1. ok is false for
// what is in neither: bytes without a character, and NUL, which only files that are no text have.
func decoded(text []byte) (out []byte, ok bool) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	if utf8.Valid(text) {
		return text, true
	}
	for _, c := range text {
		r := rune(c)
		if c >= 0x80 && c < 0xa0 {
			if r = windows1252[c-0x80]; r == 0 {
				return nil, false
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true
}

// isLatin says whether text may be Latin-1: no byte is a control character of it, but for those of ASCII without NUL.
func isLatin(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c == 0 || 0x80 <= c && c < 0xa0 })
}
