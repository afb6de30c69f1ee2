// Package setting declares what a recipe may fix by name: hyper-parameters and
// options, with their ranges, defaults and meanings, said once. Text is read here, at
// the border, into typed values; help, messages and documentation are made of the same
// declarations.
//
// Change here what forms a value may have, and how it is read and described; which settings
// there are is declared in packages task and method.
package setting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Setting is one name that a recipe may fix. It takes the words, or numbers of the
// range, or text of a form of its own.
type Setting struct {
	Name    string
	Flag    bool     // given by a flag of its own, --NAME, not by --set NAME=VALUE
	Words   []string // accepted as they are
	Range   *Range   // of numbers; nil: none are accepted
	Many    bool     // several values, separated by commas, are accepted
	Default string   // in words; "" where absence is a choice of its own
	About   string
	// Form, if not nil, judges the text in the place of Words and Range, and Says describes
	// what it accepts.
	Form func(text string) error
	Says string
	// Instead are words of the literature that are not accepted: why, and what to give in their place.
	Instead map[string]string
}

// Key is what the setting is called in Values: its name, that of a flag with dashes.
func (s Setting) Key() string {
	if s.Flag {
		return "--" + s.Name
	}
	return s.Name
}

// String is how the setting is given on the command line.
func (s Setting) String() string {
	if s.Flag {
		return "--" + s.Name
	}
	return "--set " + s.Name
}

// Accepts describes the accepted values for people.
func (s Setting) Accepts() string {
	if s.Says != "" {
		return s.Says
	}
	var parts []string
	if s.Range != nil {
		parts = append(parts, s.Range.String())
	}
	parts = append(parts, s.Words...)
	text := strings.Join(parts, ", ")
	if s.Many {
		text += "; one or several"
	}
	return text
}

// Range is an interval of numbers. The zero value is all finite numbers.
type Range struct {
	Lo, Hi         float64
	Bounded        Ends // which of Lo and Hi bound
	OpenLo, OpenHi bool // the bound itself is not accepted
	Whole          bool
	most           float64 // of whole numbers; 0: mostWhole
}

// Ends says which ends of a range are bounded.
type Ends int

// The ends of a range.
const (
	Neither Ends = iota
	Below        // Lo
	Both
)

// Positive are the numbers above zero.
func Positive() *Range { return &Range{Bounded: Below, OpenLo: true} }

// NotNegative are the numbers from zero.
func NotNegative() *Range { return &Range{Bounded: Below} }

// From are the whole numbers from lo.
func From(lo float64) *Range { return &Range{Lo: lo, Bounded: Below, Whole: true} }

// Share are the numbers above zero and below one.
func Share() *Range { return &Range{Hi: 1, Bounded: Both, OpenLo: true, OpenHi: true} }

// ShareOrAll are the numbers above zero up to one.
func ShareOrAll() *Range { return &Range{Hi: 1, Bounded: Both, OpenLo: true} }

// Seeds are the whole numbers that a seed may be: all up to 2^53, below which no two are one as floating-point numbers.
func Seeds() *Range { return &Range{Bounded: Below, Whole: true, most: 1 << 53} }

// mostWhole bounds other whole numbers: rows are counted in fewer digits.
const mostWhole = 1e9

// String is the range as the documentation prints it.
func (r *Range) String() string {
	kind := ""
	if r.Whole {
		kind = "whole, "
	}
	switch r.Bounded {
	case Below:
		if r.OpenLo {
			return fmt.Sprintf("%s> %g", kind, r.Lo)
		}
		return fmt.Sprintf("%s>= %g", kind, r.Lo)
	case Both:
		left, right := "[", "]"
		if r.OpenLo {
			left = "("
		}
		if r.OpenHi {
			right = ")"
		}
		return fmt.Sprintf("%s%s%g, %g%s", kind, left, r.Lo, r.Hi, right)
	}
	return "any number"
}

// check says what is wrong with a number.
func (r *Range) check(v float64) error {
	low := v < r.Lo || r.OpenLo && v == r.Lo
	switch {
	case r.most > 0 && v > r.most:
		return fmt.Errorf("must be a whole number from %g to %.0f", r.Lo, r.most)
	case r.Whole && (v != math.Trunc(v) || r.Bounded != Neither && low || v > cmp.Or(r.most, mostWhole)):
		return fmt.Errorf("must be a whole number from %g", r.Lo)
	case r.Bounded == Below && low && r.Lo != 0:
		return fmt.Errorf("must be %s", strings.Replace(strings.Replace(r.String(), ">=", "at least", 1), ">", "above", 1))
	case r.Bounded == Below && low && r.OpenLo:
		return errors.New("must be positive")
	case r.Bounded == Below && low:
		return errors.New("must not be negative")
	case r.Bounded == Both && (low || v > r.Hi || r.OpenHi && v == r.Hi):
		from, to := "at least", "at most"
		if r.OpenLo {
			from = "above"
		}
		if r.OpenHi {
			to = "below"
		}
		return fmt.Errorf("must be %s %g and %s %g", from, r.Lo, to, r.Hi)
	}
	return nil
}

// Value is text understood: as numbers, words, or the text itself where it has a form of
// its own.
type Value struct {
	Text    string
	Words   []string
	Numbers []float64
}

// Read understands text as a value of the setting. Of text with a form of its own the words
// and numbers in it are read where they are some.
func (s Setting) Read(text string) (Value, error) {
	v := Value{Text: text}
	if s.Form != nil {
		if err := s.Form(text); err != nil {
			return v, err
		}
	}
	parts := []string{text}
	if s.Many || s.Range != nil && len(s.Words) == 0 {
		parts = strings.Split(text, ",")
	}
	if len(parts) > 1 && !s.Many {
		return v, errors.New("takes one number")
	}
	for _, part := range parts {
		if slices.Contains(s.Words, part) {
			v.Words = append(v.Words, part)
			continue
		}
		if why := s.Instead[part]; why != "" {
			return v, errors.New(why)
		}
		x, err := s.number(part)
		if err == nil {
			v.Numbers = append(v.Numbers, x)
		} else if s.Form == nil {
			return v, err
		}
	}
	return v, nil
}

// number reads one number of the range.
func (s Setting) number(text string) (float64, error) {
	if s.Range == nil {
		return 0, errors.New("choose " + Or(s.Words))
	}
	x, err := Number(text)
	if err == nil {
		err = s.Range.check(x)
	}
	if err != nil && len(s.Words) > 0 {
		err = fmt.Errorf("%w, or %s", err, Or(s.Words))
	}
	return x, err
}

// Number reads a finite number.
func Number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("not a number")
	}
	return v, nil
}

// Or joins words as a choice: "a, b or c".
func Or(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
