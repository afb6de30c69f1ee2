package read

import (
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// wide turns UTF-16, as spreadsheets save "Unicode text", into UTF-8 while it is read. What is no character of it becomes U+FFFD.
type wide struct {
	in   io.Reader // behind the byte-order mark
	file string
	big  bool // the first byte of a unit is the higher
	raw  [4096]byte
	have int   // bytes in raw that are not used yet
	err  error // what is met after them
	out  []byte
}

// isWide says whether a text begins as UTF-16 of mostly western letters: each other byte of its first is NUL.
func isWide(head []byte) bool {
	const enough = 8
	if len(head) < enough {
		return false
	}
	var none [2]int
	n := min(len(head), 256) &^ 1
	for i, c := range head[:n] {
		if c == 0 {
			none[i%2]++
		}
	}
	return min(none[0], none[1]) == 0 && 4*max(none[0], none[1]) >= 3*n/2
}

// Read returns UTF-8, never half of a character that its buffer could hold.
func (w *wide) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		var n int
		n, w.err = w.in.Read(w.raw[w.have:])
		w.have += n
		w.decode()
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// decode uses up the units in raw but for the first half of a pair and half a unit, of which the rest is to come.
func (w *wide) decode() {
	w.out = w.out[:0]
	at := 0
	for ; at+1 < w.have; at += 2 {
		r := w.unit(at)
		if utf16.IsSurrogate(r) {
			if at+3 >= w.have && w.err == nil {
				break
			}
			if at+3 < w.have {
				if r = utf16.DecodeRune(r, w.unit(at+2)); r != utf8.RuneError {
					at += 2
				}
			} else {
				r = utf8.RuneError
			}
		}
		w.out = utf8.AppendRune(w.out, r)
	}
	w.have = copy(w.raw[:], w.raw[at:w.have])
	if errors.Is(w.err, io.EOF) && w.have > 0 {
		w.err = &Error{File: w.file, What: "UTF-16 text that ends within a character", Remedy: "make or fetch it again"}
	}
}

func (w *wide) unit(at int) rune {
	if w.big {
		return rune(w.raw[at])<<8 | rune(w.raw[at+1])
	}
	return rune(w.raw[at+1])<<8 | rune(w.raw[at])
}
