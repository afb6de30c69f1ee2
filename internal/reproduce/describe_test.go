package reproduce

import (
	"maps"
	"math"
	"slices"
	"strconv"
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
		"table: a\n- r | 3\nprinted: m; n\n- c | 1 2.5\n* {a}, {runs} {1, 2}\n* {found}\n* last\n" +
		"\n== shown\ntable 1 | what | `x`\nfigure 2 | else | a drawing\n"
	d, err := parse(good)
	if err != nil || len(d.experiments) != 1 || len(d.shown) != 2 || d.shown[1] != (shown{"figure 2", "else", "a drawing"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	e := d.experiments[0]
	if (e.Experiment != Experiment{"x", "T: t", "S", "D", "1 s"}) || e.runs != 20 || !slices.Equal(e.sets, []string{"u", "v"}) {
		t.Errorf("%+v", e)
	}
	if rows := e.tables[0].rows(); len(e.tables) != 1 || len(rows) != 1 || rows["r"][0] != 3 {
		t.Errorf("tables %v", rows)
	}
	l := newLab(t, "", 1)
	l.add("c", "n", 1)
	l.beside(e.printed)
	if c := l.cells[0]; len(l.cells) != 1 || c.Printed == nil || *c.Printed != 2.5 {
		t.Errorf("printed beside: %+v", c.Row)
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
		{"table 1 | what | ", ""}, {"a drawing", "a | b"}, {"text a", "word a"}, {"one\n", "one\ntext a: two\n"}, {"* last", "last"},
		{"1 2.5", "1"}, {"1 2.5", "1 x"}, {"printed: m; n\n", ""}, {"table: a\n", ""},
	} {
		if _, err := parse(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%q in the place of %q is no error", change[1], change[0])
		}
	}
}

// TestPrintedNumbers: the numbers that are printed stand on the pages of results, which an earlier form of these tables wrote.
func TestPrintedNumbers(t *testing.T) {
	pages := map[string]written{}
	for _, w := range results(t) {
		pages[w.id] = w
	}
	for _, e := range experiments() {
		for _, p := range e.printed {
			for k, name := range p.cases {
				for m, metric := range p.metrics {
					text, v := pages[e.ID].printed[strings.ReplaceAll(name+", "+metric, "|", `\|`)], p.values[k][m]
					if theirs, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(theirs-v) > 0.006*math.Abs(v) {
						t.Errorf("%s, %s, %s: %g, the page has %q", e.ID, name, metric, v, text)
					}
				}
			}
		}
	}
}
