package read

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
)

// whatever is text of lines that are mostly right, with faults at any place.
func whatever(r *rapid.T, format Format) string {
	heads, rows, words := []string{""}, []string{
		"1 1:2\n", "-1 2:1e-3 4:5 \r\n", "\n", "# c\n", "2\t3:0.12345678901234567 # x\n", "1 1:0 2:0\n", "5:1\n", "3 3:+4 7:.5\n", " \t\n",
	}, []string{
		"1", "1:2", "3:0", " ", "\t", "\n", "\r", "#", ":", "qid:1", "0:1", "2147483647:1", "2147483648:1", "9999999999:2", "01:3",
		"1:x", "x", "1,2", "2:1e999", "\xff", "\x00", "\"", "\xef\xbb\xbf",
	}
	if format == FormatCSV {
		heads, rows, words = []string{
			"", "a,b,label\n", "1,2,x\n", "label,b,a\n", "a,b,class\r\n", "\n\r\na;b;c\n", "\xef\xbb\xbfa,b,label\n",
			"\"a\",\"b\",\"la\nbel\"\n",
		}, []string{
			"1,2,x\n", "3,4,y\r\n", "\n", " \n", " 5 , 6\t,z\n", "1,2,\"x\ny\"\n", "\"1\",2,\"u\"\"v\"\n", "0.12345678901234567,2,\n",
			"1e3,-2E-3,x\n", "1,2,3\n", "1,2,\"\r\n\n\"\n",
		}, []string{
			"1", "2.5", ",", ";", "\t", " ", "\n", "\r", "\"", "\"x\"", "\"x\ny\"", "\"\"", "NA", "word", "1e999",
			"123456789012345678901", "-0", "1_0", "inf", "\xff", "\x00", "1,2\n", "1,2,3,4\n", "#",
		}
	}
	var b strings.Builder
	b.WriteString(rapid.SampledFrom(heads).Draw(r, "head"))
	lines := func(label string, from []string, most int) {
		for range rapid.IntRange(0, most).Draw(r, label) {
			b.WriteString(rapid.SampledFrom(from).Draw(r, "text"))
		}
	}
	lines("rows", rows, 30)
	if rapid.Bool().Draw(r, "faulty") {
		lines("words", words, 6)
		lines("rows", rows, 30)
	}
	return b.String()
}

// manner is a function that gives text to be read, in one way or another.
func manner(r *rapid.T, dir, text string) func() io.Reader {
	cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
	plain := func() io.Reader { return strings.NewReader(text) }
	switch rapid.IntRange(0, 5).Draw(r, "manner") {
	case 0:
		return func() io.Reader { return iotest.OneByteReader(plain()) }
	case 1:
		return func() io.Reader { return iotest.DataErrReader(plain()) }
	case 2:
		return func() io.Reader { return broken{strings.NewReader(text[:cut])} }
	case 3:
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return func() io.Reader { return bytes.NewReader(packed.Bytes()) }
	case 4:
		path := filepath.Join(dir, "t")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.Fatal(err)
		}
		return func() io.Reader {
			f, err := os.Open(path)
			if err != nil {
				r.Fatal(err)
			}
			return f
		}
	}
	return plain
}

// parsed is the whole set of a text that is cut as c says.
func parsed(ctx context.Context, in io.Reader, file string, o Options, c cutting) (*data.Set, []Warning, error) {
	return wholeSet(func(to *sink) error { return parse(ctx, in, file, o, c, to) })
}

// TestBlocksAgree: wherever a text is cut, and whoever parses the blocks, rows, warnings and faults are
// those of one block parsed by one.
func TestBlocksAgree(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		o := Options{
			Format:         rapid.SampledFrom([]Format{FormatCSV, FormatLIBSVM}).Draw(r, "format"),
			LabelOptional:  rapid.Bool().Draw(r, "optional"),
			LabelNamed:     rapid.Bool().Draw(r, "named"),
			Label:          rapid.SampledFrom([]string{"", "", "", "b"}).Draw(r, "label"),
			Want:           rapid.SampledFrom([][]string{nil, nil, nil, {"b", "a"}, {"a", "a"}}).Draw(r, "want"),
			Dim:            rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(r, "dim"),
			UnlabelledMark: rapid.SampledFrom([]string{"", "1"}).Draw(r, "mark"),
			MemoryLimit:    rapid.SampledFrom([]int64{0, 0, 0, 200, 2000, 3000, 4000, 8000}).Draw(r, "limit"),
		}
		text := whatever(r, o.Format)
		open := manner(r, dir, text)
		longest := rapid.SampledFrom([]int{0, 0, 20}).Draw(r, "longest")
		read := func(c cutting) (*data.Set, string) {
			in := open()
			s, w, err := parsed(t.Context(), in, "f", o, c)
			if f, ok := in.(*os.File); ok {
				_ = f.Close()
			}
			return s, fmt.Sprint(w, err)
		}
		want, said := read(cutting{block: len(text) + 1, workers: 1, longest: longest})
		c := cutting{block: rapid.IntRange(1, 80).Draw(r, "block"), workers: rapid.IntRange(0, 3).Draw(r, "workers"), longest: longest}
		got, says := read(c)
		if says != said {
			r.Fatalf("%q by %+v: %s\nwant %s", text, c, says, said)
		}
		if !reflect.DeepEqual(got, want) {
			r.Fatalf("%q by %+v: %+v\nwant %+v", text, c, got, want)
		}
	})
}

// TestBlocks: blocks are the text, end with a line, and know their lines.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := whatever(r, FormatCSV)
		c := newCutter(strings.NewReader(text), "f", &dialect{quote: '"'}, cutting{block: rapid.IntRange(1, 80).Draw(r, "block")})
		var all []byte
		for {
			b, _, ok := c.next(nil)
			if !ok {
				break
			}
			if !errors.Is(b.end, io.EOF) || b.line != bytes.Count(all, []byte("\n")) {
				r.Fatalf("%q: block %q at line %d, then %v", text, b.text, b.line, b.end)
			}
			if all = append(all, b.text...); len(all) < len(text) && !bytes.HasSuffix(all, []byte("\n")) {
				r.Fatalf("%q is cut after %q", text, all)
			}
		}
		if string(all) != text {
			r.Fatalf("%q is read as %q", text, all)
		}
	})
}

// TestCommentsWithQuotes: a quote in a comment opens no cell, wherever the text is cut, and # in a quoted cell is no comment.
func TestCommentsWithQuotes(t *testing.T) {
	text := "a,b,label\n# a width of 5\"\n" + strings.Repeat("1,2,\"x\n#\"\n", 3) + "#\"\n" + strings.Repeat("3,4,\"\n\n\"\n", 3)
	o := Options{Dialect: Dialect{Comment: "#"}}
	for size := range len(text) + 1 {
		s, w, err := parsed(t.Context(), strings.NewReader(text), "f", o, cutting{block: size + 1, workers: 1 + size%3})
		if err != nil || s.Rows.Len() != 6 || len(w) > 0 || s.Answers[2] != "x\n#" {
			t.Fatalf("blocks of %d: %v, %v, %v", size+1, s, w, err)
		}
	}
}

// TestLongLines: a line may be so long and no longer, wherever it stands; rows before it are looked at first.
func TestLongLines(t *testing.T) {
	const long = "1,2,333333333"
	for _, c := range []struct{ text, want string }{
		{"a,b,label\n" + long + "\n", "<nil>"},
		{"a,b,label\n" + long, "<nil>"},
		{"a,b,label\n" + long + "3\n", "f:2: a line of more than 13 bytes; check that this is a text file with one row a line"},
		{"a,b,label\n1,2,3\n\n" + long + "3", "f:4: a line of more than 13 bytes; check that this is a text file with one row a line"},
		{"a,b,label\n1,2,\"\n\n" + long + "3\"", "f:4: a line of more than 13 bytes; check that this is a text file with one row a line"},
		{"a,b,label\n1,2\n" + long + "3\n", "f:2:2: 2 values where the first line has 3; give every row as many values as there " +
			"are columns"},
	} {
		for block := 1; block < 60; block++ {
			cut := cutting{block: block, workers: 2, longest: len(long)}
			_, _, err := parsed(t.Context(), strings.NewReader(c.text), "f", Options{Format: FormatCSV}, cut)
			if got := fmt.Sprint(err); got != c.want {
				t.Fatalf("%q in blocks of %d: %s, want %s", c.text, block, got, c.want)
			}
		}
	}
}

// idle is a reader that never gives anything.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestNoProgress: a reader that gives nothing is left.
func TestNoProgress(t *testing.T) {
	_, _, err := CSV(t.Context(), io.MultiReader(strings.NewReader("a,label\n1,x\n"), idle{}), "f", Options{})
	if err == nil || !strings.Contains(err.Error(), "f:3: cannot be read further: "+io.ErrNoProgress.Error()) {
		t.Error(err)
	}
}

// TestNoGoroutineStays: reading leaves no goroutine behind, whether it ends well, by a fault, by a reader that
// is stopped or by the limit of memory. (A bubble waits for its goroutines, and fails if they wait for ever.)
func TestNoGoroutineStays(t *testing.T) {
	rows := strings.Repeat("1 1:2 3:4\n", 1000)
	for name, c := range map[string]struct {
		in    func() io.Reader
		limit int64
		fails bool
	}{
		"well":    {func() io.Reader { return strings.NewReader(rows) }, 0, false},
		"fault":   {func() io.Reader { return strings.NewReader(rows + "x y\n" + rows + rows) }, 0, true},
		"stopped": {func() io.Reader { return broken{strings.NewReader(rows)} }, 0, true},
		"memory":  {func() io.Reader { return strings.NewReader(rows) }, 20000, true},
	} {
		ended := false
		synctest.Test(t, func(t *testing.T) {
			_, _, err := parsed(t.Context(), c.in(), "f", Options{Format: FormatLIBSVM, MemoryLimit: c.limit},
				cutting{block: 100, workers: 3})
			if ended = true; (err != nil) != c.fails {
				t.Errorf("%s: %v", name, err)
			}
		})
		if !ended {
			t.Errorf("%s: not ended", name)
		}
	}
}

// TestSidesWork: blocks are parsed at the same time, since each of two waits for the other here, and joined in
// their order.
func TestSidesWork(t *testing.T) {
	c := newCutter(strings.NewReader(strings.Repeat("x\n", 8)), "f", nil, cutting{block: 2})
	first, met, order := true, make(chan int), []int(nil)
	parse := func(p *int, b block) {
		*p = b.line
		switch {
		case b.line == 0: // before it is started
		case b.line%2 == 1:
			met <- b.line
		default:
			<-met
		}
	}
	join := func(p *int) error { first = false; order = append(order, *p); return nil }
	err := inOrder(t.Context(), c, 2, func() bool { return !first }, parse, join)
	if err != nil || !slices.IsSorted(order) || len(order) != 9 {
		t.Errorf("%v, %v", order, err)
	}
}

// TestTableMemory: a table of a file takes little more memory than its numbers, all that was ever asked for
// taken together; one of a stream, whose rows cannot be counted beforehand, is read within a limit that is
// little above.
func TestTableMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million cells, slow under the race detector")
	}
	const n, d = 100000, 100
	row := strings.Repeat("1,", d) + "x\n"
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	text := strings.Join(names, ",") + ",label\n" + strings.Repeat(row, n)
	const table, constant = 8 * n * d, 32 << 20 // five blocks, and what their tables grew from
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := parsed(t.Context(), f, path, Options{Format: FormatCSV}, cutting{workers: 2}); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	runtime.ReadMemStats(&after)
	if used := int64(after.TotalAlloc - before.TotalAlloc); used < table || used > table/10*11+constant {
		t.Errorf("%d KB for a table of %d KB", used>>10, table>>10)
	}
	for limit, enough := range map[int64]bool{table / 10 * 13: true, table: false} {
		_, _, err := Open(t.Context(), "-", Options{Format: FormatCSV, MemoryLimit: limit, Stdin: strings.NewReader(text)})
		if (err == nil) != enough {
			t.Errorf("%d KB for a table of %d KB of a stream: %v", limit>>10, table>>10, err)
		}
	}
}

// TestStrayQuote: a quote that is never closed does not make the reader hold the rest of the text.
func TestStrayQuote(t *testing.T) {
	rest := &counted{in: strings.NewReader(strings.Repeat("1,x\n", 1<<20))}
	in := io.MultiReader(strings.NewReader("a,label\n1,\"x\n"), rest)
	_, _, err := parsed(t.Context(), in, "f", Options{Format: FormatCSV}, cutting{block: 1 << 10, workers: 2})
	if want := "f:2:2: quote never closed; close it, or double it where it is meant"; fmt.Sprint(err) != want || rest.n > 1<<18 {
		t.Errorf("after %d bytes: %v, want %s", rest.n, err, want)
	}
}

// counted counts the bytes that are read.
type counted struct {
	in io.Reader
	n  int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += n
	return n, err
}
