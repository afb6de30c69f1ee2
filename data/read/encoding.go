package read

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What is said once of a file, of the first line that has it.
const (
	notUTF8  = "text that is not UTF-8 is read as Windows-1252"
	torn     = "some bytes are no text, and divide words"
	joined   = "letters and accents that are written as two characters are compared as one, composed"
	halfRune = "escapes of half a character, as \\ud83d alone, are read as U+FFFD"
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
		r := letter(c)
		if r == 0 {
			return nil, false
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true
}

// letter is the character of a byte in Windows-1252, 0: none.
func letter(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return windows1252[c-0x80]
	}
	return rune(c)
}

// compared is a cell as it is compared with others: decoded, accents composed; and whether it was not UTF-8, and whether any were apart.
func compared(text []byte) (out []byte, latin, apart, ok bool) {
	if isPlain(text) {
		return text, false, false, true
	}
	out, ok = decoded(text)
	latin = ok && len(out) != len(text)
	if isASCII(out) || norm.NFC.IsNormal(out) {
		return out, latin, false, ok
	}
	return norm.NFC.Bytes(out), latin, true, ok
}

// asDocument is a document as UTF-8. Where more letters of several bytes are in it than bytes that are none, it is UTF-8 that was damaged
// or cut off, and these bytes divide words; else it is Windows-1252, in which a few bytes are no letters.
func asDocument(text []byte) (out []byte, latin, broken bool) {
	if utf8.Valid(text) {
		return text, false, false
	}
	letters, others := 0, 0
	for rest := text; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		switch {
		case size > 1:
			letters++
		case rest[0] >= utf8.RuneSelf:
			others++
		}
		rest = rest[size:]
	}
	if letters > others {
		return text, false, true
	}
	for _, c := range text {
		r := letter(c)
		if r == 0 && c != 0 {
			r, broken = utf8.RuneError, true
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true, broken
}

// seenOnce is what of the text of a file is said once: the first line that has it, 0: none has.
type seenOnce struct {
	latin    int // text that is not UTF-8
	composed int // a letter that is written as two and was joined
	torn     int // bytes of a document that are no letter
}

// note keeps a line where it is the first.
func note(at *int, is bool, line int) {
	if is && *at == 0 {
		*at = line
	}
}

// tell says what a part has that was not said yet of its file.
func (s *seenOnce) tell(part *seenOnce, file string, to *sink) {
	for _, one := range []struct {
		said *int
		line int
		w    Warning
	}{{&s.latin, part.latin, Warning{What: notUTF8}}, {&s.torn, part.torn, Warning{What: torn}},
		{&s.composed, part.composed, Warning{What: joined, Guess: true}}} {
		if *one.said > 0 || one.line == 0 {
			continue
		}
		*one.said = one.line
		one.w.File, one.w.Line = file, one.line
		to.warnings = append(to.warnings, one.w)
	}
}

// isLatin says whether text may be Latin-1: no byte is a control character of it, but for those of ASCII without NUL.
func isLatin(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c == 0 || 0x80 <= c && c < 0xa0 })
}
