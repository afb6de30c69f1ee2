package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// The slow twin: a regular expression, and a table of counts a document.
var run = regexp.MustCompile(`[\p{L}\p{N}_]\p{M}*(?:[\p{L}\p{N}_]\p{M}*)+`)

func slowWords(document string) []string {
	list := run.FindAllString(document, -1)
	for i, w := range list {
		list[i] = strings.Map(unicode.ToLower, w)
	}
	return list
}

func slowCounts(document string, ngrams int) map[string]int {
	list, n := slowWords(document), map[string]int{}
	for size := 1; size <= max(1, ngrams); size++ {
		for i := 0; i+size <= len(list); i++ {
			n[strings.Join(list[i:i+size], " ")]++
		}
	}
	return n
}

func TestWords(t *testing.T) {
	for document, want := range map[string]string{
		"":                              "",
		"a b, c":                        "",
		"The cat's 2 hats; the_end--42": "the|cat|hats|the_end|42",
		"Ünïcode ΣΊΣΥΦΟΣ Привет 東京 x":    "ünïcode|σίσυφοσ|привет|東京",
		"bad\xffbyte a\xff tail\xc3":     "bad|byte|tail",
		"e\u0301te\u0301 e\u0301 \u0301": "e\u0301te\u0301",
		"\ufeffbom\x00nul\ttab\nline":    "bom|nul|tab|line",
	} {
		var w words
		w.read([]byte(document))
		var got []string
		for i := range w.len() {
			got = append(got, string(w.gram(i, 1)))
		}
		if strings.Join(got, "|") != want || !slices.Equal(got, slowWords(document)) {
			t.Errorf("%q: %q, want %s, by the expression %q", document, got, want, slowWords(document))
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "a", "ab cd", "Ab\xffcd", "e\u0301te\u0301", "x_1 २३ ١٢ Ⅳ½ ﬁne İst", "one two one two"} {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, document []byte, ngrams int) {
		ngrams %= 5
		c := NewCounts(ngrams)
		c.Add([]byte("some words before"))
		before := len(c.entry)
		c.Add(document)
		got := map[string]int{}
		for _, e := range c.entry[before:] {
			got[c.names[e.word]] = int(e.count)
		}
		if want := slowCounts(string(document), ngrams); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v", document, got, want)
		}
	})
}

// some draws documents of made-up words, a few of them empty.
func some(n int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range rng.IntN(30) {
			fmt.Fprintf(&b, "w%d%s", int(rng.ExpFloat64()*20), []string{" ", ", ", "\n", ". X "}[rng.IntN(4)])
		}
		list[i] = b.String()
	}
	return list
}

// The set has the counts of the slow twin and the words in order; the order of documents changes only the
// order of rows; words of few documents are left out; a vocabulary counts the same.
func TestLearn(t *testing.T) {
	documents := some(700)
	for _, settings := range []data.Text{{}, {NGrams: 2}, {MinDocuments: 5}, {NGrams: 3, MinDocuments: 2}} {
		set, err := Learn(t.Context(), documents, settings)
		if err != nil {
			t.Fatal(err)
		}
		least := max(1, settings.MinDocuments)
		among := map[string]int{}
		for _, d := range documents {
			for w := range slowCounts(d, settings.NGrams) {
				among[w]++
			}
		}
		kept := 0
		for _, n := range among {
			if n >= least {
				kept++
			}
		}
		if !slices.IsSorted(set.Features) || len(set.Features) != kept || *set.Text != settings {
			t.Fatalf("%+v: %d words, want %d in order", settings, len(set.Features), kept)
		}
		for i, d := range documents {
			want := slowCounts(d, settings.NGrams)
			index, value := set.Rows.Sparse.Row(i)
			for p, j := range index {
				w := set.Features[j]
				if float64(want[w]) != value[p] || p > 0 && index[p-1] >= j {
					t.Fatalf("document %d has %q %g times, want %d", i, w, value[p], want[w])
				}
				delete(want, w)
			}
			for w := range want {
				if among[w] >= least {
					t.Fatalf("document %d: %q is lost", i, w)
				}
			}
		}
		again, backward := slices.Clone(documents), make([]int, len(documents))
		slices.Reverse(again)
		for i := range backward {
			backward[i] = len(backward) - 1 - i
		}
		other, err := Learn(t.Context(), again, settings)
		if err != nil || !slices.Equal(other.Features, set.Features) ||
			!reflect.DeepEqual(other.Rows.Sparse.SelectRows(backward), set.Rows.Sparse.SelectRows(numbered(len(documents)))) {
			t.Errorf("%+v: the order of documents matters (%v)", settings, err)
		}
		v, err := NewVocabulary(set.Features, *set.Text)
		if err != nil {
			t.Fatal(err)
		}
		rows, unknown, err := v.Count(t.Context(), documents)
		if err != nil || !reflect.DeepEqual(rows.Sparse.SelectRows(backward), set.Rows.Sparse.SelectRows(backward)) ||
			least == 1 && unknown.Words != 0 || unknown.Among != 700 || unknown.Documents != set.Rows.Zero() {
			t.Errorf("%+v: a vocabulary counts otherwise: %+v, %v", settings, unknown, err)
		}
	}
}

func numbered(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// What is not in the vocabulary is counted, not guessed.
func TestUnknown(t *testing.T) {
	v, err := NewVocabulary([]string{"bird", "fish", "small bird"}, data.Text{NGrams: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows, u, err := v.Count(t.Context(), []string{"Small bird, fish fish", "cat", "", "fish"})
	if err != nil || u != (Unknown{Words: 4, Of: 9, Documents: 2, Among: 4}) { // small, bird fish, fish fish, cat
		t.Errorf("%+v, %v", u, err)
	}
	if got := fmt.Sprint(rows.Sparse.ToDense().RawMatrix().Data); got != "[1 2 1 0 0 0 0 0 0 0 1 0]" {
		t.Error(got)
	}
	if _, err := NewVocabulary([]string{"a", "b", "a"}, data.Text{}); err == nil || err.Error() != `text: words 1 and 3 are both "a"` {
		t.Error(err)
	}
}

func TestNothingToLearn(t *testing.T) {
	for want, t1 := range map[string]data.Text{
		"no document has a word, two letters or digits at least; check that this is the text": {},
		"no word is in 3 documents; ask for fewer with --min-documents":                       {MinDocuments: 3},
	} {
		documents := []string{"", "a , b"}
		if t1.MinDocuments > 0 {
			documents = []string{"one", "two one"}
		}
		if _, err := Learn(t.Context(), documents, t1); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Learn(ctx, some(3), data.Text{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Counts that begin again are as new, and words that were seen allocate nothing.
func TestReset(t *testing.T) {
	c, document := NewCounts(1), []byte("one two two three")
	c.Add([]byte("zero one"))
	c.Reset()
	c.Add(document)
	fresh := NewCounts(1)
	fresh.Add(document)
	if !slices.Equal(c.entry, fresh.entry) || !slices.Equal(c.names, fresh.names) || !slices.Equal(c.start, fresh.start) ||
		c.seen != fresh.seen {
		t.Error("counts differ after Reset")
	}
	v, _ := NewVocabulary([]string{"one", "two"}, data.Text{})
	known := v.Counts()
	many := bytes.Repeat([]byte("one two four "), 100)
	known.Add(many)
	if n := testing.AllocsPerRun(20, func() { known.Reset(); known.Add(many) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// TestCountingIsStopped: whichever part of the documents finds the context ended, learning and counting end with its error; else all
// documents are counted.
func TestCountingIsStopped(t *testing.T) {
	documents := some(600)
	set, err := Learn(t.Context(), documents, data.Text{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVocabulary(set.Features, *set.Text)
	if err != nil {
		t.Fatal(err)
	}
	all := numbered(len(documents))
	want := set.Rows.Sparse.SelectRows(all)
	for looks := 0; ; looks++ {
		learning, counting := stoptest.After(t.Context(), looks), stoptest.After(t.Context(), looks)
		learned, errL := Learn(learning, documents, data.Text{})
		rows, _, errC := v.Count(counting, documents)
		if learning.Ended() != errors.Is(errL, context.Canceled) || counting.Ended() != errors.Is(errC, context.Canceled) {
			t.Fatalf("after %d looks: %v, %v", looks, errL, errC)
		}
		if errL == nil && !reflect.DeepEqual(learned.Rows.Sparse.SelectRows(all), want) ||
			errC == nil && !reflect.DeepEqual(rows.Sparse.SelectRows(all), want) {
			t.Errorf("after %d looks other words are counted", looks)
		}
		if !learning.Ended() && !counting.Ended() {
			break
		}
	}
}
