package columns

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPlainNumbers: the short way of numbers with a point at most reads what the long way reads.
func TestPlainNumbers(t *testing.T) {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	rapid.Check(t, func(t *rapid.T) {
		core := []byte(rapid.StringMatching(`[+-]?[0-9]{0,5}[.]?[0-9]{0,4}`).Draw(t, "core"))
		if !hasDigit(core) {
			return
		}
		var r reading
		r.read(core)
		point, pointGroups := value(core, '.', ',')
		comma, commaGroups := value(core, ',', '.')
		if !same(r.point, point) || !same(r.comma, comma) || r.groups != [2]bool{pointGroups, commaGroups && !math.IsNaN(comma)} {
			t.Fatalf("%q: %v, want %v %v %v %v", core, r, point, comma, pointGroups, commaGroups)
		}
	})
}

// TestDayOf: the short way of the commonest layout reads what time.Parse reads.
func TestDayOf(t *testing.T) {
	const layout = "2006-01-02"
	check := func(t interface{ Fatalf(string, ...any) }, cell string) {
		want, err := time.Parse(layout, cell)
		if got, ok := dayOf([]byte(cell)); ok != (err == nil) || ok && !got.Equal(want) {
			t.Fatalf("%q: %v %v, want %v %v", cell, got, ok, want, err)
		}
	}
	for _, cell := range []string{"2020-02-29", "2021-02-29", "2020-00-01", "2020-13-01", "2020-04-31", "0000-01-01",
		"2020-1-01", "2020-01-0a"} {
		check(t, cell)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringMatching(`[0-9]{4}-[0-3][0-9]-[0-4][0-9]`).Draw(t, "cell")) })
}

// TestMergeWords: parts of a table show the words that the whole shows while there are not too many, and no others then; their number of
// cells is that of the whole in any case.
func TestMergeWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringMatching(`[a-d]{1,2}`), 1, 60).Draw(t, "cells")
		cut := rapid.IntRange(0, len(cells)).Draw(t, "cut")
		most := rapid.IntRange(1, 12).Draw(t, "most")
		of := func(cells []string) *Profile {
			p := NewProfile(1)
			p.Most = most
			for i, c := range cells {
				p.Rows++
				p.Add(0, []byte(c), i+1)
			}
			return p
		}
		whole, parts := of(cells), of(cells[:cut])
		parts.Merge(of(cells[cut:]))
		for w := range parts.Columns[0].Words.counted() {
			n := 0
			for _, c := range cells {
				if c == w {
					n++
				}
			}
			if got := parts.Having(0, w); got > n || parts.Columns[0].Overflow == 0 && got != n {
				t.Fatalf("%q: %d of %d", w, got, n)
			}
		}
		if (parts.Columns[0].Overflow > 0) != (whole.Columns[0].Overflow > 0) || parts.Columns[0].Words.len() != whole.Columns[0].Words.len() {
			t.Fatalf("%d words, %d of the whole: %s", parts.Columns[0].Words.len(), whole.Columns[0].Words.len(), strings.Join(cells, " "))
		}
	})
}
