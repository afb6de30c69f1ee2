package read

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mercer-ml/mercer/internal/text"
)

// What is said once of a file, of the first line that has it.
const (
	notUTF8  = "text that is not UTF-8 is read as Windows-1252"
	torn     = "some bytes are no text, and divide words"
	joined   = "letters and accents that are written as two characters are compared as one, composed"
	halfRune = "escapes of half a character, as \\ud83d alone, are read as U+FFFD"
)

// decoded is a cell as UTF-8: as it is, or else, cell by cell, from Windows-1252, which has all of Latin-1. ok is false for
// what is in neither: bytes without a character, and NUL, which only files that are no text have.
func decoded(cell []byte) (out []byte, ok bool) {
	if bytes.IndexByte(cell, 0) >= 0 {
		return nil, false
	}
	if utf8.Valid(cell) {
		return cell, true
	}
	for _, c := range cell {
		r := text.Letter(c)
		if r == 0 {
			return nil, false
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true
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
