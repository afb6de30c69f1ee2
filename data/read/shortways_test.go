package read

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestUnquoted: a line without quotes is cut alike in the short way and in the long one.
func TestUnquoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := []byte(rapid.StringMatching("[a1 \t,;.\v]{0,30}").Draw(t, "line"))
		delim := rapid.SampledFrom([]byte(",;\t")).Draw(t, "delimiter")
		widest := rapid.IntRange(0, 6).Draw(t, "widest")
		short, long := records{delim: delim, quote: '"', widest: widest}, records{delim: delim, quote: '"', widest: widest}
		err := short.unquoted(line)
		closed, want := long.split(line)
		if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() || want == nil && !closed {
			t.Fatalf("%q: %v, want %v, %v", line, err, closed, want)
		}
		same := func(a, b field) bool { return bytes.Equal(a.text, b.text) && a.quoted == b.quoted }
		if !slices.EqualFunc(short.fields, long.fields, same) {
			t.Fatalf("%q: %v, want %v", line, short.fields, long.fields)
		}
	})
}

// TestIsPlain: eight bytes at once are plain if each of them is.
func TestIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0x7f, 0x80, 0xff, 'b', 'c', 'd'}), 0, 20).Draw(t, "text")
		want := true
		for _, c := range text {
			want = want && c > 0 && c < 0x80
		}
		if isPlain(text) != want {
			t.Fatalf("%q: %v", text, !want)
		}
	})
}

// TestColumnsOfManyUses: columns that a model lacks, asks for twice or has as answers are read as they are, as the short way reads none.
func TestColumnsOfManyUses(t *testing.T) {
	for want, o := range map[string]Options{
		"[z a] [NaN 1 NaN 3] [x y]": {Want: []string{"z", "a"}, Missing: true},
		"[a a] [1 1 3 3] [x y]":     {Want: []string{"a", "a"}},
		"[b] [2 4] [2 4]":           {Want: []string{"b"}, Label: "b"},
	} {
		s, _, err := wholeOf(t, "a,b,label\n1,2,x\n3,4,y\n", o)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got := fmt.Sprint(s.Features, s.Rows.Dense.RawMatrix().Data, s.Answers); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDescribedNumbers: a described table of numbers, which is not read again, is the set that its table makes of the file.
func TestDescribedNumbers(t *testing.T) {
	for name, text := range map[string]string{
		"classes":  "a,b,label\n1,2.5,x\n3,1e3,y\n" + strings.Repeat("-4,.5,x\n", 9),
		"values":   "a,b,label\n1,2.5,1.5\n3,1e3,2.5\n" + strings.Repeat("-4,.5,7\n", 9),
		"codes":    "a,b,label\n01,2.5,x\n03,1e3,y\n" + strings.Repeat("07,.5,x\n", 9),
		"commas":   "a;b;label\n1;2,5;x\n3;1,25;y\n" + strings.Repeat("-4;0,5;x\n", 9),
		"groups":   "a;b;label\n1;2.500;x\n3;1.250;y\n" + strings.Repeat("-4;3.500;x\n", 9),
		"answers":  "a;b;label\n1;2.5;1,5\n3;1.2;2,5\n" + strings.Repeat("-4;3.5;7,5\n", 9),
		"no names": strings.Repeat("1,2,x\n3,4,y\n", 9),
		"blank":    "a,b,label\n1,2.5,x\n\n,,\n3,1e3,y\n" + strings.Repeat("-4,.5,x\n", 9),
	} {
		file := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, warnings, err := Open(t.Context(), file, Options{Prepare: true, Describe: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		o := Options{Prepare: true, Table: got.Table}
		want, saying, err := wholeSet(func(to *sink) error { return readNamed(t.Context(), file, o, to) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want.Rows.Dense.RawMatrix(), got.Rows.Dense.RawMatrix()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !slices.Equal(got.Answers, want.Answers) || !slices.Equal(got.Features, want.Features) || !slices.Equal(got.Lines, want.Lines) ||
			len(warnings) < len(saying) {
			t.Errorf("%s: %q of %q, want %q of %q; %v", name, got.Answers, got.Features, want.Answers, want.Features, warnings)
		}
	}
}

// TestBlocksOfManyWords: where the words of columns become too many is not seen in what is decided, however many goroutines read on.
func TestBlocksOfManyWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("name,x,town,day,note,label\n")
	for i := range 30000 {
		fmt.Fprintf(&b, "w%d,%.3f,\"town \"\"%d\"\"\",2020-%02d-%02d,%s,%c\n", rng.IntN(20000), rng.NormFloat64(), rng.IntN(5000),
			1+rng.IntN(12), 1+rng.IntN(28), strings.Repeat("long ", i%40), 'a'+i%3)
	}
	var want *Seen
	for _, workers := range []int{1, 1, 2, 5} {
		p := &profiler{file: "t", o: Options{Prepare: true}}
		text, o, err := dialected(t.Context(), strings.NewReader(b.String()), "t", p.o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.read(t.Context(), io.Reader(text), o.dialect, cutting{block: 1 << 17, workers: workers}); err != nil {
			t.Fatal(err)
		}
		got := p.cells()
		if want == nil {
			want = got
			continue
		}
		first, err := want.Decide([]string{"t"}, p.o)
		if err != nil {
			t.Fatal(err)
		}
		table, err := got.Decide([]string{"t"}, p.o)
		if d := cmp.Diff(first, table); err != nil || d != "" {
			t.Errorf("%d workers: %v\n%s", workers, err, d)
		}
		for _, word := range []string{"w1", "w19999"} {
			if n, m := want.cells.Having(0, word), got.cells.Having(0, word); n != m {
				t.Errorf("%d workers: %q in %d cells, and in %d", workers, word, n, m)
			}
		}
	}
}
