package read

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestAllowances: of an allowance of memory a line takes an eighth, but a MB at least, and a cell 256 bytes, but 4096 cells are read.
func TestAllowances(t *testing.T) {
	for limit, want := range map[int64][2]int{
		0: {0, 0}, 1: {1 << 20, 1 << 12}, 1 << 23: {1 << 20, 1 << 15}, 1 << 24: {1 << 21, 1 << 16}, 1 << 40: {1 << 28, 1 << 32}, -1: {0, 0},
	} {
		if line, cells := (cutting{}).within(limit).longest, widest(limit); line != want[0] || cells != want[1] {
			t.Errorf("of %d bytes lines have %d and rows %d cells, want %v", limit, line, cells, want)
		}
	}
	if c := (cutting{longest: 7}).within(1 << 30); c.longest != 7 {
		t.Errorf("a line that is bounded already has %d bytes", c.longest)
	}
}

// TestListsGrowByPieces: memory is counted by pieces of 64 values, and by eighths of a list beyond.
func TestListsGrowByPieces(t *testing.T) {
	b := &budget{ctx: t.Context(), file: "f"}
	l := list[int32]{budget: b}
	want := map[int]int64{1: 256, 64: 256, 65: 512, 128: 512, 512: 2048, 513: 2304, 576: 2304, 577: 4 * (576 + 72), 649: 4 * (648 + 81)}
	for n := 1; n <= 649; n++ {
		if err := l.one(int32(n), n); err != nil {
			t.Fatal(err)
		}
		if bytes, ok := want[n]; ok && b.used != bytes {
			t.Errorf("%d values are counted as %d bytes, want %d", n, b.used, bytes)
		}
	}
	all, err := l.whole(649)
	if err != nil || len(all) != 649 || all[0] != 1 || all[648] != 649 || b.used != 4*649 {
		t.Errorf("%d values, %d bytes, %v", len(all), b.used, err)
	}
	if b.limit = b.used + 4; b.fits(4, 1) != nil || b.fits(5, 1) == nil || b.take(5, 1) == nil || b.take(4, 1) != nil || b.take(1, 1) == nil {
		t.Error("the last bytes of a budget")
	}
	small := &budget{ctx: t.Context(), file: "f", limit: 64*16 + 5}
	a := newAnswers(small, "")
	if a.label([]byte("five5"), 1) != nil || a.label([]byte("five5"), 2) != nil || a.label([]byte("s"), 3) == nil || a.n != 2 {
		t.Errorf("%d labels of five bytes that is known and one more: %d bytes", a.n, small.used)
	}
	if _, err := a.whole(2); err == nil {
		t.Error("a copy beyond the limit is made")
	}
}

// TestMemoryOfNames: rows whose names need more memory than is allowed are refused at the row that does, none being read without its name.
func TestMemoryOfNames(t *testing.T) {
	text := "id,a,label\nu,1,x\nv,2,y\n" + strings.Repeat("w", 5000) + ",3,x\n"
	s, _, err := wholeOf(t, text, Options{ID: "id", MemoryLimit: 20_000})
	if err != nil || len(s.ID) != 3 || len(s.ID[2]) != 5000 {
		t.Errorf("%v, %v", s, err)
	}
	_, _, err = wholeOf(t, text, Options{ID: "id", MemoryLimit: 6000})
	if err == nil || !strings.Contains(err.Error(), "input:4: reading on needs") {
		t.Errorf("names of more than the limit give %v", err)
	}
}

// TestBatchesOfLongRows: batches are halved while they have more than 2^22 values and 64 rows.
func TestBatchesOfLongRows(t *testing.T) {
	for _, c := range []struct{ rows, columns, want int }{
		{130, 70_000, 32}, {128, 70_000, 64}, {64, 1 << 20, 64}, {1 << 12, 1 << 10, 1 << 12}, {1 << 12, 1<<10 + 1, 1 << 11},
	} {
		r := &csvReader{rows: &rows{sink: &sink{rows: c.rows}}, table: &table{columns: make([]int, c.columns)}}
		if r.fewer(); r.sink.rows != c.want {
			t.Errorf("%d rows of %d columns are read by %d, want %d", c.rows, c.columns, r.sink.rows, c.want)
		}
	}
}

// slow gives nothing so many times before it gives its text.
type slow struct {
	io.Reader
	left int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.left--; s.left >= 0 {
		return 0, nil
	}
	return s.Reader.Read(p)
}

// TestPatience: a hundred readings without a byte are borne, one more is not.
func TestPatience(t *testing.T) {
	for left, want := range map[int]error{100: io.EOF, 101: io.ErrNoProgress} {
		c := newCutter(&slow{strings.NewReader("a,b\n1,2\n"), left}, "f", nil, cutting{})
		if c.fill(nil, 64); !errors.Is(c.end, want) {
			t.Errorf("after %d readings without a byte: %v, want %v", left, c.end, want)
		}
	}
}

// TestNamesInMessages: eight names and forty bytes are shown whole, of more as many and what is left.
func TestNamesInMessages(t *testing.T) {
	names := strings.Fields("a b c d e f g h i")
	if got := listed(names[:8]); got != "a, b, c, d, e, f, g, h" {
		t.Error(got)
	}
	if got := listed(names); got != "a, b, c, d, e, f, g, h, ... (9 in all)" {
		t.Error(got)
	}
	for n, want := range map[int]string{40: `"` + strings.Repeat("x", 40) + `"`, 41: `"` + strings.Repeat("x", 40) + `"...`} {
		if got := quote([]byte(strings.Repeat("x", n))); got != want {
			t.Errorf("%d bytes: %s", n, got)
		}
	}
}

// TestDeclaredWords: the words that ARFF declares are levels of their column where they are 64 at most.
func TestDeclaredWords(t *testing.T) {
	for _, n := range []int{64, 65} {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf("w%02d", i))
		}
		text := "@relation r\n@attribute a {" + strings.Join(words, ",") + "}\n@attribute c {u,v}\n@data\nw05,u\nw03,v\nw05,u\n"
		s, _, err := Open(t.Context(), "-", Options{Prepare: true, Format: FormatARFF, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		want := words
		if n > 64 {
			want = []string{"w03", "w05"}
		}
		if got := s.Table.Columns[0].Levels; !slices.Equal(got, want) {
			t.Errorf("%d words: levels %q", n, got)
		}
	}
}

// TestUnpackedSizes: text may be 200 times as large as it was packed, and 128 MB whatever it was.
func TestUnpackedSizes(t *testing.T) {
	for _, c := range []struct {
		out, in int64
		fits    bool
	}{{1 << 27, 1, true}, {1<<27 + 1, 1, false}, {1 << 28, 1<<28/200 + 1, true}, {1 << 28, 1 << 28 / 200, false}, {200 << 20, 1 << 20, true}} {
		if err := tooMuch("f", c.out, c.in); (err == nil) != c.fits {
			t.Errorf("%d bytes out of %d: %v", c.out, c.in, err)
		}
	}
}

// TestSamples: a dialect is found by 16 KB of whole lines, twenty at least, and by the whole text where it is shorter.
func TestSamples(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	for _, c := range []struct {
		lines, short int // of 1024 bytes, and of 2 below them
		all          bool
		want         int // bytes
	}{{30, 0, false, 20 << 10}, {10, 5000, false, 10<<10 + 3072*2}, {3, 2, true, 3<<10 + 4}, {0, 9000, false, 1 << 14}} {
		f := &finder{head: []byte(strings.Repeat(line, c.lines) + strings.Repeat("y\n", c.short)), all: c.all}
		if got := len(f.sample()); got != c.want {
			t.Errorf("%d long and %d short lines: %d bytes, want %d", c.lines, c.short, got, c.want)
		}
	}
	for text, want := range map[string]int{"one\ntwo": 4, "one": 3} {
		if got := len((&finder{head: []byte(text)}).sample()); got != want {
			t.Errorf("%q, of which there is more: %d bytes, want %d", text, got, want)
		}
		if got := len((&finder{head: []byte(text), all: true}).sample()); got != len(text) {
			t.Errorf("%q, which is all: %d bytes", text, got)
		}
	}
	var recs []sampled
	for range 50 {
		recs = append(recs, sampled{fields: []field{{text: []byte("other")}}})
	}
	f := &finder{o: Options{Want: []string{"a"}}}
	for n, want := range map[int]int{50: 1, 51: 0} {
		with := slices.Clone(recs[:n-1])
		with = append(with, sampled{fields: []field{{text: []byte(" a ")}, {text: []byte("b")}}})
		if got := f.known(with); got != want {
			t.Errorf("names in line %d: %d are known, want %d", n, got, want)
		}
	}
}

// TestLinesOfNames: up to three lines name the columns, with three rows below them.
func TestLinesOfNames(t *testing.T) {
	names := []string{"weight,height,kind", "net,total,of", "kg,cm,animal", "x,y,z"}
	for _, c := range []struct{ lines, rows, want int }{{1, 20, 1}, {2, 2, 1}, {2, 3, 2}, {2, 20, 2}, {3, 20, 3}, {4, 60, 3}} {
		text := strings.Join(names[:c.lines], "\n") + "\n" +
			rowsOf(c.rows, func(i int) string { return fmt.Sprintf("%d.5,%d,%d", i*i, 7*i%5, i%2) })
		d, err := dialectOf(&plainText{Reader: bufio.NewReader(strings.NewReader(text))}, "f", Options{})
		if err != nil || d.header != c.want {
			t.Errorf("%+v: %+v, %v", c, d, err)
		}
	}
}

// TestManyNotes: twenty lines may stand below a table.
func TestManyNotes(t *testing.T) {
	for n, fits := range map[int]bool{20: true, 21: false} {
		text := "a,b,label\n" + rowsOf(30, func(i int) string { return fmt.Sprintf("%d,%d,%c", i*i%17, i*5%11, 'x'+i%2) }) + "\n" +
			rowsOf(n, func(i int) string { return fmt.Sprintf("This is note number %d", i) })
		s, _, err := wholeOf(t, text, Options{Prepare: true})
		if (err == nil) != fits || fits && s.Rows.Len() != 30 {
			t.Errorf("%d notes: %v", n, err)
		}
	}
}

// TestBlocksOfManyNumbers: cells of a byte that become a thousand numbers each are read within the memory of a batch, whether words have a
// column each or rows lack the columns of a view.
func TestBlocksOfManyNumbers(t *testing.T) {
	const columns, rows = 1000, 2500
	levels := make([]string, columns)
	for k := range levels {
		levels[k] = fmt.Sprint("w", k)
	}
	table := data.NewTable([]data.Column{{Name: "a", Kind: data.KindCategory, Levels: levels}})
	want := append([]string{"a"}, levels[1:]...)
	for name, o := range map[string]Options{"words": {Table: table}, "views": {Want: want, Missing: true}} {
		o.LabelOptional, o.MemoryLimit = true, 16<<20
		o.Stdin = strings.NewReader("a\n" + strings.Repeat("1\n", rows))
		n := 0
		for set, err := range NewStream("-", o, 64).Batches(t.Context()) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n += set.Rows.Len(); set.Rows.Dim() != columns {
				t.Fatalf("%s: %d columns", name, set.Rows.Dim())
			}
		}
		if n != rows {
			t.Errorf("%s: %d rows", name, n)
		}
	}
	for _, c := range []struct{ size, cells, numbers, want int }{
		{blockSize, 5, 5, blockSize}, {blockSize, 5, 1, blockSize}, {blockSize, 5, 6, blockSize / 2}, {blockSize, 20, 1300, blockSize / 65},
		{blockSize, 1, blockSize, leastBlock}, {100, 1, 1000, 100},
	} {
		if got := shorter(c.size, c.cells, c.numbers); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestNamesAtTheLimit: rows are read with all their names or refused, whatever memory is allowed; a copy of the names that finds no room
// is not left out.
func TestNamesAtTheLimit(t *testing.T) {
	text := "id,a\n" + rowsOf(200, func(i int) string { return fmt.Sprintf("r%d,%d", i, i+1) })
	taken, refused := 0, 0
	for limit := int64(4000); limit < 20_000; limit += 300 {
		s, _, err := wholeOf(t, text, Options{ID: "id", LabelOptional: true, Label: none, MemoryLimit: limit})
		if err != nil {
			refused++
			continue
		}
		taken++
		if len(s.ID) != 200 || s.ID[199] != "r199" || len(s.Lines) != 200 || s.Rows.Dense.At(199, 0) != 200 {
			t.Errorf("%d bytes: %d rows with %d names in %d lines", limit, s.Rows.Len(), len(s.ID), len(s.Lines))
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d limits are enough, %d are not", taken, refused)
	}
}
