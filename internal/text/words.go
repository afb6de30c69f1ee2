// Package text turns documents into counts of words: rows that machines learn from.
//
// A word is a run of at least two letters, digits or underscores of any script, in lower case. All
// else, bytes that are no UTF-8 included, stands between words. Marks such as accents that follow a
// letter belong to it. So does scikit-learn's CountVectorizer but for the marks, which end words there.
//
// Change here what a word is, and how words become columns.
package text

import (
	"unicode"
	"unicode/utf8"
)

// words are those of one document, each followed by a blank, so that words in a row are one slice of text.
type words struct {
	text []byte
	from []int // where each word begins, and the end of all
}

// read sets w to the words of a document.
func (w *words) read(document []byte) {
	w.text, w.from = w.text[:0], w.from[:0]
	start, runes := 0, 0
	end := func() {
		if runes < 2 {
			w.text = w.text[:start]
		} else {
			w.from = append(w.from, start)
			w.text = append(w.text, ' ')
			start = len(w.text)
		}
		runes = 0
	}
	for p := 0; p < len(document); {
		c := document[p]
		if c < utf8.RuneSelf {
			if p++; ascii[c] != 0 {
				w.text = append(w.text, ascii[c])
				runes++
			} else if runes > 0 {
				end()
			}
			continue
		}
		r, size := utf8.DecodeRune(document[p:])
		p += size
		switch {
		case r == utf8.RuneError && size == 1: // no UTF-8
			end()
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			w.text = utf8.AppendRune(w.text, unicode.ToLower(r))
			runes++
		case runes > 0 && unicode.IsMark(r):
			w.text = utf8.AppendRune(w.text, r)
		default:
			end()
		}
	}
	end()
	w.from = append(w.from, len(w.text))
}

// len is the number of words.
func (w *words) len() int { return len(w.from) - 1 }

// gram is word i and those behind it, n in all, with blanks between them.
func (w *words) gram(i, n int) []byte { return w.text[w.from[i] : w.from[i+n]-1] }

// ascii is the lower case of letters, digits and the underscore, 0 of other bytes.
var ascii = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		switch r := rune(c); {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()
