package text

import "unicode/utf8"

// windows1252 are the characters of the bytes 0x80 to 0x9f in Windows-1252, 0: none. Its other bytes are those of Latin-1.
var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

// Letter is the character of a byte in Windows-1252, 0: none.
func Letter(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return windows1252[c-0x80]
	}
	return rune(c)
}

// UTF8 is a document as UTF-8. Where more letters of several bytes are in it than bytes that are none, it is UTF-8 that was damaged
// or cut off, and these bytes divide words; else it is Windows-1252, in which a few bytes are no letters.
func UTF8(document []byte) (out []byte, latin, broken bool) {
	if utf8.Valid(document) {
		return document, false, false
	}
	letters, others := 0, 0
	for rest := document; len(rest) > 0; {
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
		return document, false, true
	}
	for _, c := range document {
		r := Letter(c)
		if r == 0 && c != 0 {
			r, broken = utf8.RuneError, true
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true, broken
}
