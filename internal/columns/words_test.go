package columns

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestWords: a list of words counts as a map does, whatever it held before, and finds no other word.
func TestWords(t *testing.T) {
	var w words
	rapid.Check(t, func(t *rapid.T) {
		w.empty()
		cells := rapid.SliceOfN(rapid.StringMatching(`[ab]{0,20}|[0-9]{1,9}`), 0, 200).Draw(t, "cells")
		want := map[string]int{}
		for _, c := range cells {
			w.count([]byte(c), hashOf([]byte(c)), 1)
			want[c]++
		}
		if got := w.counted(); !maps.Equal(got, want) || w.len() != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		other := rapid.StringMatching(`[abc]{1,9}`).Draw(t, "other")
		if got := w.having(other); got != want[other] {
			t.Fatalf("%q: %d, want %d", other, got, want[other])
		}
	})
}

// TestKeptWords: of a list that is kept every word is found under its number, however many there are, and no other word is.
func TestKeptWords(t *testing.T) {
	for _, n := range []int{1, 4, 5, 60, 700} {
		var w words
		for i := range n {
			text := fmt.Appendf(nil, "word %d", i)
			w.count(text, hashOf(text), 1)
		}
		k := keep(&w)
		for i := range 2 * n {
			text, want := fmt.Appendf(nil, "word %d", i), i
			if i >= n {
				want = -1
			}
			if got := k.find(text, hashOf(text)); got != want {
				t.Errorf("word %d of %d is found as %d", i, n, got)
			}
		}
	}
}

// sameSeen compares what profiles show, without the memory by which they are quick.
var sameSeen = cmp.Options{
	cmp.Transformer("counted", func(w words) map[string]int { return w.counted() }),
	cmp.AllowUnexported(Profile{}, seen{}, marks{}),
	cmpopts.IgnoreFields(seen{}, "kept", "hits", "read"),
	cmpopts.EquateNaNs(),
	cmpopts.EquateEmpty(),
}

// someCells are cells of a column of one kind, or of several.
func someCells(t *rapid.T, least, most int) []string {
	kinds := []string{`-?[0-9]{1,3}\.[0-9]{2,4}`, `[+-]?0?[0-9]{1,5}\.?`, `-?0`, `[abc]{1,2}`, `town [0-9]`,
		`20[012][0-9]-[01][0-9]-[0-3][0-9]`, `[1-3][0-9]?/[1-2]/2020`, `[$€]?[0-9]{1,3},[0-9]{3}(\.5)?`, `[0-9] (kg|g|%)`,
		`(NA|-|inf| |0000-00-00|[a-z]+ b c d)?`, `1e[0-9]{1,3}`, `[0-9]{17,21}`, `[0-9]{66}`, `[x7]{201,203}`}
	few := rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 3).Draw(t, "kinds")
	cell := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching(rapid.SampledFrom(few).Draw(t, "kind")).Draw(t, "cell")
	})
	cells := rapid.SliceOfN(cell, least, most).Draw(t, "cells")
	for i := range cells {
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "again") == 0 {
			cells[i] = cells[rapid.IntRange(0, i-1).Draw(t, "of")]
		}
	}
	return cells
}

// profileOf is the profile of a column.
func profileOf(cells []string, line, most int, add func(p *Profile, cell []byte, line int)) *Profile {
	p := NewProfile(1)
	p.Most = most
	p.Empty([][]string{{"7", "b"}})
	for i, c := range cells {
		p.Rows++
		add(p, []byte(c), line+i)
	}
	return p
}

// TestShortWays: what the short ways of plain numbers and of words that were met before show is what the long way shows.
func TestShortWays(t *testing.T) {
	short := func(p *Profile, cell []byte, line int) { p.Add(0, cell, line) }
	long := func(p *Profile, cell []byte, line int) {
		if cell = trimSpace(cell); len(cell) == 0 {
			p.Columns[0].Missing++
			return
		}
		p.addAny(0, cell, hashOf(cut(cell)), line, p.empty[0].has(cell))
	}
	rapid.Check(t, func(t *rapid.T) {
		cells, most := someCells(t, 1, 60), rapid.IntRange(1, 40).Draw(t, "most")
		got, want := profileOf(cells, 1, most, short), profileOf(cells, 1, most, long)
		if d := cmp.Diff(want, got, sameSeen); d != "" {
			t.Fatalf("%q:\n%s", cells, d)
		}
		got.Reset()
		if d := cmp.Diff(profileOf(nil, 1, most, short), got, sameSeen); d != "" {
			t.Fatalf("not empty: %s", d)
		}
	})
}

// TestKept: parts that count only the words that full columns keep show what parts show that count all of theirs.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "most")
		all, want := profileOf(nil, 1, most, nil), profileOf(nil, 1, most, nil)
		var kept Kept
		line := 1
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			cells := someCells(t, 1, 14)
			add := func(p *Profile, cell []byte, line int) { p.Add(0, cell, line) }
			want.Merge(profileOf(cells, line, most, add))
			part := profileOf(nil, 1, most, nil)
			part.Count(kept, len(cells))
			for i, c := range cells {
				part.Rows++
				part.Add(0, []byte(c), line+i)
			}
			all.Merge(part)
			line += len(cells)
			before := kept
			list, more := all.Kept(before)
			if kept = list; more != (all.Columns[0].Overflow > 0 && before == nil) {
				t.Fatalf("further words: %v", more)
			}
		}
		// Runs are not counted where there are too many words.
		for _, s := range []*seen{&all.Columns[0], &want.Columns[0]} {
			if s.Overflow > 0 {
				s.Runs, s.Tail = 0, 0
			}
		}
		if d := cmp.Diff(want, all, sameSeen); d != "" {
			t.Fatal(d)
		}
	})
}

// BenchmarkAdd takes cells of a kind in.
func BenchmarkAdd(b *testing.B) {
	for name, form := range map[string]string{"numbers": "%.5f", "words": "town%.0f", "dates": "2020-01-%02.0f", "units": "%.1f kg"} {
		cells := make([][]byte, 4000)
		for i := range cells {
			cells[i] = fmt.Appendf(nil, form, float64(i*i%977)/31)
		}
		b.Run(name, func(b *testing.B) {
			p := NewProfile(1)
			for i := 0; b.Loop(); i++ {
				if i%len(cells) == 0 {
					p.Reset()
				}
				p.Add(0, cells[i%len(cells)], i+1)
			}
		})
	}
}

// TestDamagedWords: words that come from another process and are cut off are an error, wherever that is.
func TestDamagedWords(t *testing.T) {
	var w words
	for _, text := range []string{"red", "blue"} {
		w.count([]byte(text), hashOf([]byte(text)), 1)
	}
	sent, err := w.GobEncode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(sent) {
		if err := new(words).GobDecode(sent[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(sent))
		}
	}
	if got := new(words); got.GobDecode(sent) != nil || !maps.Equal(got.counted(), w.counted()) {
		t.Errorf("%v, want %v", got.counted(), w.counted())
	}
}
