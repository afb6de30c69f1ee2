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

// TestPlainDate: the short way of layouts of digits reads what time.Parse reads, and takes most of them.
func TestPlainDate(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, cell, layout string) bool {
		got, ok, sure := plainDate([]byte(cell), layout)
		if want, err := time.Parse(layout, cell); sure && (ok != (err == nil) || ok && got != want) {
			t.Fatalf("%q by %s: %v %v, want %v %v", cell, layout, got, ok, want, err)
		}
		return sure
	}
	for _, cell := range []string{"2020-02-29", "2021-02-29", "2020-00-01", "2020-13-01", "2020-04-31", "0000-01-01",
		"2020-1-01", "2020-01-0a", "2020-01-00", "2020-01-01.5", " 2020-01-01", "2020-01"} {
		check(t, cell, "2006-01-02")
	}
	for _, cell := range []string{"01/02/68", "01/02/69", "01/02/70"} { // years of two digits are those from 1969 to 2068
		if !check(t, cell, "02/01/06") {
			t.Errorf("%s is not read the short way", cell)
		}
	}
	taken := 0
	for _, layout := range layouts {
		for _, at := range []time.Time{time.Date(2021, 11, 23, 14, 5, 6, 0, time.UTC), time.Date(1970, 3, 4, 5, 6, 7, 0, time.UTC)} {
			if check(t, at.Format(layout), layout) {
				taken++
			}
		}
	}
	if taken < len(layouts) {
		t.Errorf("%d of %d dates are read the short way", taken, 2*len(layouts))
	}
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		cell := []byte(time.Date(2006, 11, 12, 13, 14, 15, 0, time.UTC).Format(layout))
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(cell)-1).Draw(t, "at")
			with := rapid.SampledFrom([]byte("0123456789 .:-/,")).Draw(t, "with")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				cell[at] = with
			case 1:
				cell = append(cell, with)
			case 2:
				if len(cell) > 1 {
					cell = append(cell[:at], cell[at+1:]...)
				}
			}
		}
		check(t, string(cell), layout)
	})
}

// TestMarks: each mark of a missing value is found in any case, with blanks around it.
func TestMarks(t *testing.T) {
	for _, list := range [][]string{missing, blanks} {
		for _, mark := range list {
			for _, cell := range []string{mark, strings.ToUpper(mark), " " + mark + "\t"} {
				if !among(list, []byte(cell)) {
					t.Errorf("%q is not found", cell)
				}
			}
			if among(list, []byte(mark+"x")) || len(mark) > longestMark {
				t.Errorf("%q", mark)
			}
		}
	}
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
