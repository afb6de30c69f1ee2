package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/internal/decimal"
)

// scanner reads JSON text, for requests that are mostly numbers: encoding/json makes an interface or a slice of each of them
// first, which takes more than twice as long (BenchmarkScan). It is as strict as JSON but for the spelling of numbers, where
// it takes 01 and 1. too. Its first fault stays.
type scanner struct {
	text []byte
	at   int
	err  error
}

// deepest nesting of values that are skipped.
const deepest = 100

// fail notes a fault.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// next skips blanks and returns the byte there, 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take reads c if it stands there.
func (s *scanner) take(c byte) bool {
	if s.err != nil || s.next() != c {
		return false
	}
	s.at++
	return true
}

// need reads c, which must stand there.
func (s *scanner) need(c byte) {
	if !s.take(c) {
		s.unexpected(string(c))
	}
}

// unexpected says what stands in the place of what was due.
func (s *scanner) unexpected(due string) {
	if s.next() == 0 && s.at >= len(s.text) {
		s.fail("the JSON ends at byte %d, where %s is due", s.at+1, due)
		return
	}
	word := s.text[s.at:min(len(s.text), s.at+12)]
	if i := bytes.IndexAny(word, " \t\r\n,]}"); i > 0 {
		word = word[:i]
	}
	switch string(word) {
	case "NaN", "Infinity", "-Infinity":
		s.fail("%s at byte %d is no number of JSON; every value must be finite", word, s.at+1)
		return
	}
	s.fail("the JSON has %q at byte %d, where %s is due", word, s.at+1, due)
}

// object reads an object and calls field at the value of each of its fields.
func (s *scanner) object(field func(name string)) {
	s.need('{')
	s.list('}', func() {
		name := s.string()
		s.need(':')
		if s.err == nil {
			field(name)
		}
	})
}

// array reads an array and calls element at each of its values.
func (s *scanner) array(element func()) {
	s.need('[')
	s.list(']', element)
}

// list reads what is separated by commas up to end.
func (s *scanner) list(end byte, element func()) {
	if s.take(end) {
		return
	}
	for s.err == nil {
		element()
		if s.take(end) {
			return
		}
		if !s.take(',') {
			s.unexpected("a comma or " + string(end))
		}
	}
}

// string reads a string.
func (s *scanner) string() string {
	s.need('"')
	if s.err != nil {
		return ""
	}
	from := s.at
	plain := true
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			text := s.text[from:s.at]
			s.at++
			if plain && utf8.Valid(text) {
				return string(text)
			}
			var out string
			if err := json.Unmarshal(s.text[from-1:s.at], &out); err != nil {
				s.fail("the JSON has a faulty string at byte %d", from)
			}
			return out
		case c == '\\':
			plain = false
			s.at++
		case c < ' ':
			s.fail("the JSON has a control character in the string at byte %d", from)
			return ""
		}
	}
	s.fail("the JSON ends within the string at byte %d", from)
	return ""
}

// number reads a finite number.
func (s *scanner) number() float64 {
	c := s.next()
	if c != '-' && c-'0' > 9 {
		s.unexpected("a number")
		return 0
	}
	v, n := decimal.Parse(s.text[s.at:])
	if n > 0 {
		s.at += n
		return v
	}
	from := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c-'0' > 9 && c != '-' && c != '+' && c != '.' && c|0x20 != 'e' {
			break
		}
		s.at++
	}
	v, err := strconv.ParseFloat(string(s.text[from:s.at]), 64)
	if err != nil {
		s.fail("%s at byte %d is no finite number", s.text[from:min(s.at, from+40)], from+1)
	}
	return v
}

// word reads true, false or null if it stands there.
func (s *scanner) word(w string) bool {
	s.next()
	if s.err != nil || !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// skip reads any value.
func (s *scanner) skip() { s.skipped(0) }

func (s *scanner) skipped(depth int) {
	if depth > deepest {
		s.fail("the JSON nests deeper than %d", deepest)
		return
	}
	switch c := s.next(); {
	case c == '{':
		s.object(func(string) { s.skipped(depth + 1) })
	case c == '[':
		s.array(func() { s.skipped(depth + 1) })
	case c == '"':
		_ = s.string()
	case s.word("true"), s.word("false"), s.word("null"):
	default:
		_ = s.number()
	}
}

// end says whether nothing follows.
func (s *scanner) end() {
	if s.err == nil && (s.next() != 0 || s.at < len(s.text)) {
		s.unexpected("the end")
	}
}
