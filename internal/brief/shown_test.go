package brief

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain, größer\tund\nweiter": "plain, größer\tund\nweiter",
		"a\x1b[31mred":               "a\ufffd[31mred",
		"\x1b]0;title\x07":           "\ufffd]0;title\ufffd",
		"over\rwritten\b\x7f":        "over\ufffdwritten\ufffd\ufffd",
		"c1 \u009b2J":                "c1 \ufffd2J",
		"turned \u202etxt.exe":       "turned \ufffdtxt.exe",
		"no text \xff":               "no text \xff",
	} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%q) is %q, %q is due", in, got, want)
		}
	}
}

func FuzzShown(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Shown(s)
		as := utf8.RuneCountInString(got) == utf8.RuneCountInString(s) || !utf8.ValidString(s)
		if strings.IndexFunc(got, moves) >= 0 || !as || Shown(got) != got {
			t.Errorf("Shown(%q) is %q", s, got)
		}
	})
}
