package brief

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestMessage: what is short stays as it is, whether it stands in quotes or not, as do paths; of what is long the beginning is left.
func TestMessage(t *testing.T) {
	long := strings.Repeat("ä", 100)
	cut := strings.Repeat("ä", Most) + mark
	path := "/" + strings.Repeat("folder/", 40) + "file.csv"
	for _, c := range []struct{ message, want string }{
		{"short", "short"},
		{`no column "` + long + `"; columns are a, b`, `no column "` + cut + `"; columns are a, b`},
		{`column ` + long + `: 7`, `column ` + cut + ` 7`},
		{path + `:7: "` + strings.Repeat(`\"`, 80) + `" is no number`, path + `:7: "` + strings.Repeat(`\"`, 40) + mark + `" is no number`},
		{`a "quote that does not end, and then it goes on and on and on and on and on and on and on`,
			`a "quote that does not end, and then it goes on and on and on and on and on and on and on`},
	} {
		if got := Message(c.message); got != c.want {
			t.Errorf("%.200q is\n%.300q, want\n%.300q", c.message, got, c.want)
		}
	}
	if got := Quote(long); got != `"`+cut+`"` {
		t.Error(got)
	}
	many := "what happened; " + strings.Repeat("and so on ", 1000) + "; the remedy"
	if got, want := Message(many), many[:head]+" "+mark+" "+many[len(many)-tail:]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if full := strings.Repeat("ab ", (head+tail)/3+1)[:head+tail]; Message(full) != full || Message(full+"c") == full+"c" {
		t.Error("a message is cut where it is not too long, or it is not where it is")
	}
}

// TestAlwaysShort: no message is long, whatever it holds, and one that is short has all of its words.
func TestAlwaysShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.StringN(0, 40, -1).Draw(t, "unit")
		s := strings.Repeat(unit, rapid.IntRange(0, 400).Draw(t, "times"))
		got := Message(s)
		if len(got) > head+tail+len(mark)+2 && len(got) > len(s) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%d bytes became %d: %.200q", len(s), len(got), got)
		}
		if len(s) <= Most && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// TestLengthsOfMessages: 80 characters are repeated of a word and of a quotation, 400 of a path; a message of more than 4000 bytes has its
// first 3000 and its last 1000.
func TestLengthsOfMessages(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	words := strings.Repeat("ab ", 1400)
	for _, c := range []struct{ message, want string }{
		{"a " + x(80), "a " + x(80)}, {"a " + x(81), "a " + x(80) + "..."},
		{`a "` + x(80) + `"`, `a "` + x(80) + `"`}, {`a "` + x(81) + `"`, `a "` + x(80) + `..."`},
		{"a /" + x(399), "a /" + x(399)}, {"a /" + x(400), "a /" + x(399) + "..."},
		{words[:4000], words[:4000]}, {words[:4001], words[:3000] + " ... " + words[3001:4001]},
	} {
		if got := Message(c.message); got != c.want {
			t.Errorf("%d bytes became %d: %.100q", len(c.message), len(got), got)
		}
	}
	if Quote(x(80)) != `"`+x(80)+`"` || Quote(x(81)) != `"`+x(80)+`..."` {
		t.Errorf("%s, %s", Quote(x(80)), Quote(x(81)))
	}
}

// TestBytesInWords: a unit has 1024 of the one below it, and no number more than three digits.
func TestBytesInWords(t *testing.T) {
	for b, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 999 << 10: "999 KiB", 1000 << 10: "0.977 MiB", 1 << 20: "1 MiB",
		3 << 30: "3 GiB", 1 << 40: "1 TiB",
	} {
		if got := Bytes(b); got != want {
			t.Errorf("%d bytes are %s, want %s", b, got, want)
		}
	}
}
