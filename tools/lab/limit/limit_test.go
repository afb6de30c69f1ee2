package limit

import (
	"strconv"
	"strings"
	"testing"
)

// TestPage: every job has a line, whose numbers are positive, and the formula of its least work; the short jobs follow.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds of fits")
	}
	l := limits{program: "/bin/true", runs: 1, divide: 64, csv: 8, words: 8, starts: 2}
	var b strings.Builder
	if err := l.write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	lines, formulas := map[string]int{}, map[string]int{}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "* (") {
			formulas[line[3:4]]++
		}
		cells := strings.Split(line, "|")
		if len(cells) != 12 || !strings.HasPrefix(line, "| (") {
			continue
		}
		lines[line[3:4]]++
		for _, k := range []int{4, 5, 7, 10} { // GB, seconds at the least and measured, growth of the formula
			if v, err := strconv.ParseFloat(strings.TrimSpace(cells[k]), 64); err != nil || !(v > 0) {
				t.Errorf("%s: cell %d is %g, %v", line, k, v, err)
			}
		}
	}
	for letter, want := range map[string][2]int{
		"a": {3, 3}, "b": {2, 2}, "c": {2, 2}, "e": {2, 1}, "f": {1, 1}, "g": {1, 1}, "h": {1, 1}, "i": {1, 1}, "j": {2, 1},
	} {
		if got := [2]int{lines[letter], formulas[letter]}; got != want {
			t.Errorf("(%s) has %v lines and formulas, want %v", letter, got, want)
		}
	}
	if !strings.Contains(b.String(), "`mercer version` | ") {
		t.Error("nothing is told of short jobs")
	}
}

// TestVectorMachines: they are measured where their files are.
func TestVectorMachines(t *testing.T) {
	if n := len(limits{}.vectorMachines()); n != 0 {
		t.Errorf("%d machines of no files", n)
	}
	if n := len(limits{data: "data"}.vectorMachines()); n != 4 {
		t.Errorf("%d machines, want 4", n)
	}
}

// TestCandidates: leaves are halves of halves until they are small, and no row has more candidates than there are rows.
func TestCandidates(t *testing.T) {
	for n, want := range map[int]float64{100: 100, 4800: trees*38 + sweep, 200_000: trees*25 + sweep} {
		if got := candidates(n); got != want {
			t.Errorf("%d rows: %g candidates, want %g", n, got, want)
		}
	}
}

// TestNearest: of all pairs a product of half the table, and the comparisons.
func TestNearest(t *testing.T) {
	if w := nearest(10, 10, 3); w.Products != 500 || w.Passes != 240 {
		t.Errorf("%+v", w)
	}
}

// TestBounds: what makes no sense is refused before anything is measured.
func TestBounds(t *testing.T) {
	if err := (limits{divide: 0, runs: 1, csv: 1, words: 1, starts: 1}).write(t.Context(), nil); err == nil {
		t.Error("rows divided by 0")
	}
}
