package reproduce

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestDescriptions: every experiment that is described has a protocol, and every protocol a description.
func TestDescriptions(t *testing.T) {
	run := protocols()
	for _, e := range experiments() {
		if e.run == nil {
			t.Errorf("%s is described and has no protocol", e.ID)
		}
		delete(run, e.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(run)) {
		t.Errorf("%s has a protocol and is not described", id)
	}
}

// TestParse: what a file says is read in full, and what is unknown, missing or said twice is an error.
func TestParse(t *testing.T) {
	const good = "text a: one\n  two\n\n== x\ntitle: T: t\nsource: S\ndata: D\ntime: 1 s\nruns: 20\nsets: u, v\n" +
		"* {a}, {runs} {1, 2}\n* {found}\n* last\n\n== shown\ntable 1 | what\nfigure 2 | else | a drawing\n"
	d, err := parse(good)
	if err != nil || len(d.experiments) != 1 || len(d.shown) != 2 || d.shown[1] != (shown{"figure 2", "else", "a drawing"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	e := d.experiments[0]
	if (e.Experiment != Experiment{"x", "T: t", "S", "D", "1 s"}) || e.runs != 20 || !slices.Equal(e.sets, []string{"u", "v"}) {
		t.Errorf("%+v", e)
	}
	if got, want := e.complete([]string{"made"}, 7), []string{"one two, 7 {1, 2}", "made", "last"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	e.notes = []string{"last"}
	if got := e.complete([]string{"made"}, 7); !slices.Equal(got, []string{"made", "last"}) {
		t.Errorf("notes %q without a place for those of the run", got)
	}
	for _, change := range [][2]string{
		{"source: S\n", ""}, {"runs: 20", "runs: many"}, {"sets:", "set:"}, {"data: D", "title: D"}, {"{a}", "{b}"}, {"{a}", ""},
		{"table 1 | what", "table 1"}, {"a drawing", "a | b"}, {"text a", "word a"}, {"one\n", "one\ntext a: two\n"}, {"* last", "last"},
	} {
		if _, err := parse(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%q in the place of %q is no error", change[1], change[0])
		}
	}
}
