package setting

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// TestRanges: the bounds of every kind of range, from both sides, and what it is called.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		r         *Range
		name      string
		good, bad []string
		says      string // of the bad ones
	}{
		{Positive(), "> 0", []string{"1e-9", "5"}, []string{"0", "-1"}, "must be positive"},
		{NotNegative(), ">= 0", []string{"0", "2.5"}, []string{"-1e-9"}, "must not be negative"},
		{From(1), "whole, >= 1", []string{"1", "7", "1e9"}, []string{"0", "1.5", "-3", "1000000001"}, "must be a whole number from 1"},
		{From(4), "whole, >= 4", []string{"4", "5"}, []string{"3"}, "must be a whole number from 4"},
		{Share(), "(0, 1)", []string{"0.001", "0.999"}, []string{"0", "1", "1.5", "-0.5"}, "must be above 0 and below 1"},
		{ShareOrAll(), "(0, 1]", []string{"0.001", "1"}, []string{"0", "1.001"}, "must be above 0 and at most 1"},
		{&Range{Lo: 2, Bounded: Below}, ">= 2", []string{"2"}, []string{"1.9"}, "must be at least 2"},
		{&Range{Lo: 2, Bounded: Below, OpenLo: true}, "> 2", []string{"2.1"}, []string{"2"}, "must be above 2"},
		{&Range{Lo: 2, Hi: 3, Bounded: Both}, "[2, 3]", []string{"2", "3"}, []string{"1.9", "3.1"}, "must be at least 2 and at most 3"},
		{&Range{}, "any number", []string{"-5", "0", "7"}, []string{"x", "NaN", "Inf"}, "not a number"},
	} {
		if got := c.r.String(); got != c.name {
			t.Errorf("%q, want %q", got, c.name)
		}
		s := Setting{Name: "s", Range: c.r}
		for _, text := range c.good {
			want, _ := strconv.ParseFloat(text, 64)
			if v, err := s.Read(text); err != nil || !slices.Equal(v.Numbers, []float64{want}) {
				t.Errorf("%s: %s: %v, %v", c.name, text, v, err)
			}
		}
		for _, text := range c.bad {
			if _, err := s.Read(text); err == nil || err.Error() != c.says {
				t.Errorf("%s: %s: %v, want %q", c.name, text, err, c.says)
			}
		}
	}
}

// TestRead: one value or several, words beside numbers, and forms of their own.
func TestRead(t *testing.T) {
	one, many := Setting{
		Name:  "one",
		Range: Positive(),
	}, Setting{
		Name:  "many",
		Range: Positive(),
		Many:  true,
		Words: []string{"real", "own"},
	}
	if _, err := one.Read("1,2"); err == nil || err.Error() != "takes one number" {
		t.Errorf("two values: %v", err)
	}
	v, err := many.Read("2,real,3,own")
	if err != nil || !slices.Equal(v.Numbers, []float64{2, 3}) || !slices.Equal(v.Words, []string{"real", "own"}) ||
		v.Text != "2,real,3,own" {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := many.Read("2,other"); err == nil || err.Error() != "not a number, or real or own" {
		t.Errorf("a wrong word: %v", err)
	}
	if _, err := many.Read("-2"); err == nil || err.Error() != "must be positive, or real or own" {
		t.Errorf("a wrong number: %v", err)
	}
	words := Setting{Name: "words", Words: []string{"a", "b", "c"}}
	if _, err := words.Read("d"); err == nil || err.Error() != "choose a, b or c" {
		t.Errorf("%v", err)
	}
	if v, err := words.Read("b"); err != nil || !slices.Equal(v.Words, []string{"b"}) || v.Numbers != nil {
		t.Errorf("%+v, %v", v, err)
	}
	form := Setting{Name: "form", Range: Positive(), Form: func(text string) error {
		if text == "bad" {
			return fmt.Errorf("told so")
		}
		return nil
	}}
	if _, err := form.Read("bad"); err == nil || err.Error() != "told so" {
		t.Errorf("%v", err)
	}
	if v, err := form.Read("2"); err != nil || !slices.Equal(v.Numbers, []float64{2}) {
		t.Errorf("a number in a form: %+v, %v", v, err)
	}
	if v, err := form.Read("any"); err != nil || v.Numbers != nil || v.Text != "any" {
		t.Errorf("a text in a form: %+v, %v", v, err)
	}
}

// TestValues: what is asked of values that are there, and of those that are not.
func TestValues(t *testing.T) {
	word, number, flag := Setting{Name: "w"}, Setting{Name: "n"}, Setting{Name: "w", Flag: true}
	v := Values{"w": {Text: "x,y", Words: []string{"x", "y"}}, "n": {Text: "4,5", Numbers: []float64{4, 5}}}
	switch {
	case !v.Given(word), !v.Given(number), v.Given(flag):
		t.Error("given")
	case v.Word(word) != "x", v.Word(number) != "", v.Word(flag) != "":
		t.Error("word")
	case v.Number(number) != 4, v.Number(word) != 0:
		t.Error("number")
	case !slices.Equal(v.Words(word), []string{"x", "y"}), !slices.Equal(v.Numbers(number), []float64{4, 5}):
		t.Error("several")
	case !v.Is(word, "y"), v.Is(word, "z"), v.Is(flag, "x"):
		t.Error("is")
	case v.Text(number) != "4,5", v.Text(flag) != "":
		t.Error("text")
	}
	if flag.Key() != "--w" || word.Key() != "w" || flag.String() != "--w" || word.String() != "--set w" {
		t.Error("keys")
	}
}

// TestSchema: bounds and kinds as JSON schema has them, and what a person is told.
func TestSchema(t *testing.T) {
	whole := Setting{Name: "k", Range: From(1), Many: true, Default: "tuned", About: "how many"}
	s := whole.Schema()
	if len(s.AnyOf) != 2 || s.AnyOf[0].Type != "integer" || *s.AnyOf[0].Minimum != 1 || s.AnyOf[0].Above != nil ||
		s.AnyOf[1].Type != "array" ||
		s.AnyOf[1].Items.Type != "integer" {
		t.Errorf("%+v", s)
	}
	if s.Description != "how many" || s.Default != "tuned" || s.Flag {
		t.Errorf("%+v", s)
	}
	if got := whole.Accepts(); got != "whole, >= 1; one or several" {
		t.Error(got)
	}
	share := Setting{Name: "share", Range: Share(), Words: []string{"all"}, Flag: true}
	s = share.Schema()
	if len(s.AnyOf) != 2 || s.AnyOf[0].Enum[0] != "all" || *s.AnyOf[1].Above != 0 || *s.AnyOf[1].Below != 1 ||
		s.AnyOf[1].Type != "number" ||
		!s.Flag {
		t.Errorf("%+v", s)
	}
	if got := share.Accepts(); got != "(0, 1), all" {
		t.Error(got)
	}
	closed := Setting{Range: &Range{Lo: 2, Hi: 3, Bounded: Both}}.Schema()
	if closed.Type != "number" || *closed.Minimum != 2 || *closed.Maximum != 3 || closed.Above != nil || closed.Below != nil {
		t.Errorf("%+v", closed)
	}
	if free := (Setting{Range: &Range{}}).Schema(); free.Minimum != nil || free.Above != nil || free.Maximum != nil {
		t.Errorf("%+v", free)
	}
	o := Object([]Setting{whole, share})
	if o.Type != "object" || len(o.Properties) != 2 || o.Properties["--share"].Flag != true || *o.Additional {
		t.Errorf("%+v", o)
	}
	if got := (Setting{Says: "this", Words: []string{"x"}}).Accepts(); got != "this" {
		t.Error(got)
	}
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := Or(words); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
