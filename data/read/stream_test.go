package read

import (
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
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// joinedBatches are the batches of a text as one set, each copied before the next one.
func joinedBatches(ctx context.Context, in io.Reader, o Options, c cutting, rows int) (*data.Set, []Warning, error) {
	var all *data.Set
	numbers := 0
	to := &sink{rows: rows}
	to.take = func(batch *data.Set) error {
		n := batch.Rows.Len()
		if n > rows || all != nil && all.Rows.Len()%rows != 0 {
			return fmt.Errorf("a batch of %d rows of %d", n, rows)
		}
		for i := range n {
			if batch.Rows.RowID(i) != numbers {
				return fmt.Errorf("row %d has number %d", numbers, batch.Rows.RowID(i))
			}
			numbers++
		}
		one := batch.Select(numbered(0, n))
		if all == nil {
			one.Rows.ID = nil
			all = one
			return nil
		}
		joined, err := all.Rows.Append(one.Rows)
		if err != nil {
			return err
		}
		answers := one.Answers
		if answers != nil && all.Answers == nil { // the first labels of LIBSVM text
			answers = append(make(data.Answers, all.Rows.Len()), answers...)
		}
		one.Answers, one.Lines = slices.Concat(all.Answers, answers), slices.Concat(all.Lines, one.Lines)
		one.Rows, all = joined, one
		return nil
	}
	if err := parse(ctx, in, "f", o, c, to); err != nil {
		return nil, nil, err
	}
	return all, to.warnings, nil
}

// TestBatchesAgree: the batches of a text, whatever their size and wherever the text is cut, are the whole set, with
// the same warnings and the same fault.
func TestBatchesAgree(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		o := Options{
			Format:         rapid.SampledFrom([]Format{FormatCSV, FormatLIBSVM}).Draw(r, "format"),
			LabelOptional:  rapid.Bool().Draw(r, "optional"),
			LabelNamed:     rapid.Bool().Draw(r, "named"),
			Want:           rapid.SampledFrom([][]string{nil, nil, nil, {"b", "a"}}).Draw(r, "want"),
			Dim:            rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(r, "dim"),
			UnlabelledMark: rapid.SampledFrom([]string{"", "1"}).Draw(r, "mark"),
		}
		text := whatever(r, o.Format)
		open := manner(r, dir, text)
		said := func(s *data.Set, w []Warning, err error) (*data.Set, string) { return s, fmt.Sprint(w, err) }
		closed := func(read func(in io.Reader) (*data.Set, string)) (*data.Set, string) {
			in := open()
			if f, ok := in.(*os.File); ok {
				defer f.Close()
			}
			return read(in)
		}
		want, says := closed(func(in io.Reader) (*data.Set, string) { return said(parsed(t.Context(), in, "f", o, cutting{})) })
		c := cutting{block: rapid.IntRange(1, 80).Draw(r, "block"), workers: rapid.IntRange(0, 3).Draw(r, "workers")}
		rows := rapid.IntRange(1, 12).Draw(r, "rows")
		got, is := closed(func(in io.Reader) (*data.Set, string) { return said(joinedBatches(t.Context(), in, o, c, rows)) })
		if is != says {
			r.Fatalf("%q in batches of %d: %s\nwant %s", text, rows, is, says)
		}
		if got != nil && want != nil && want.Rows.IsSparse() { // kept apart: nil and empty lists are the same
			a, b := got.Rows.Sparse, want.Rows.Sparse
			if a.R != b.R || a.C != b.C || !slices.Equal(a.Start, b.Start) || !slices.Equal(a.Index, b.Index) || !slices.Equal(a.Value, b.Value) {
				r.Fatalf("%q in batches of %d: %+v\nwant %+v", text, rows, a, b)
			}
			got.Rows, want.Rows = data.Rows{}, data.Rows{}
		}
		if !reflect.DeepEqual(got, want) {
			r.Fatalf("%q in batches of %d: %+v\nwant %+v", text, rows, got, want)
		}
	})
}

// TestStream: a stream can be left, read again and cut anywhere, from a file, from standard input and of a built-in set.
func TestStream(t *testing.T) {
	text := "a,b,label\n" + strings.Repeat("1,2,x\n3,4,y\n", 50)
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "iris", "-"} {
		for _, o := range []Options{{}, {UnlabelledMark: "y"}} {
			o.Stdin = strings.NewReader(text)
			want, _, err := Open(t.Context(), name, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{1, 7, 1000} {
				o.Stdin = strings.NewReader(text)
				s := NewStream(name, o, rows)
				count := 0
				for batch, err := range s.Batches(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					for i := range batch.Rows.Len() {
						at, same := count+i, batch.Answers[i] == want.Answers[count+i]
						if !same || !slices.Equal(batch.Rows.Dense.RawRowView(i), want.Rows.Dense.RawRowView(at)) {
							t.Fatalf("%s in batches of %d: row %d differs", name, rows, at)
						}
					}
					count += batch.Rows.Len()
				}
				if count != want.Rows.Len() {
					t.Errorf("%s in batches of %d: %d rows, want %d", name, rows, count, want.Rows.Len())
				}
			}
		}
	}
	for _, err := range NewStream(path, Options{}, 3).Batches(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break // leaves it
	}
	for _, err := range NewStream(path+"?", Options{Format: FormatCSV}, 3).Batches(t.Context()) {
		if err == nil {
			t.Error("a file that is not there is read")
		}
	}
}

// TestStreamMemory: what a stream asks for does not grow with its rows, and a limit holds for a batch, not for all rows.
func TestStreamMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads many rows, which takes long under the race detector")
	}
	row := strings.Repeat("1,", 50) + "x\n"
	rows := map[Format]string{FormatCSV: row, FormatLIBSVM: "x 1:1 2:3 3:4 5:6\n"}
	for format, row := range rows {
		used := func(n int) uint64 {
			text := strings.Repeat(row, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s := NewStream("-", Options{Format: format, Stdin: strings.NewReader(text), MemoryLimit: 32 << 20}, 512)
			count := 0
			for batch, err := range s.Batches(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				count += batch.Rows.Len()
			}
			if runtime.ReadMemStats(&after); count != n {
				t.Errorf("%s: %d rows of %d", format, count, n)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		few, many := used(200_000), used(400_000)
		if perRow := float64(many-few) / 200_000; perRow > 40 { // a number and a line of each, and no row of 50
			t.Errorf("%s: %.0f bytes a row, %d KB and %d KB", format, perRow, few>>10, many>>10)
		}
	}
	s := NewStream("-", Options{Format: FormatCSV, Stdin: strings.NewReader(strings.Repeat(row, 1000)), MemoryLimit: 100_000}, 512)
	for _, err := range s.Batches(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "over the limit of 97 KB") {
			t.Errorf("a batch of more than the limit gives %v", err)
		}
	}
}

// TestStopped: whoever is asked while a text is read, plain or packed, ends the reading with the error of the context.
func TestStopped(t *testing.T) {
	text := "a,b,label\n" + strings.Repeat("1,2,x\n", 200)
	dir := t.TempDir()
	for name, content := range map[string][]byte{"t.csv": []byte(text), "t.csv.gz": packed([]byte(text)), "t": []byte(text)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, _, err := Open(ctx, path, Options{})
			return err
		})
	}
	for name, c := range map[string]struct {
		text string
		o    Options
	}{
		"words.csv":  {"a,b,label\n1,red,x\n2,blue,y\n3,red,x\n", Options{Prepare: true}},
		"total.csv":  {"a,b,label\nu,1,x\nv,2,y\nw,4,x\ntotal,7,\n", Options{Prepare: true}},
		"words.arff": {"@relation r\n@attribute a {u,v}\n@attribute c {x,y}\n@data\nu,x\nv,y\n", Options{Prepare: true}},
		"t.arff":     {"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2,y\n", Options{}},
		"t.jsonl":    {"{\"a\":1,\"c\":\"x\"}\n{\"a\":2,\"c\":\"y\"}\n", Options{}},
		"t.svm":      {"1 1:2\n-1 2:3\n", Options{}},
		"docs.csv":   {"body,y\nsome words,1\nmore words,2\n", Options{Text: &data.Text{Column: "body"}}},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				_, _, err := Open(ctx, path, c.o)
				return err
			})
			if c.o.Prepare {
				return // which no stream does
			}
			stoptest.Everywhere(t, func(ctx context.Context) (last error) {
				for _, err := range NewStream(path, c.o, 1).Batches(ctx) {
					last = err
				}
				return last
			})
		})
	}
	stoptest.Everywhere(t, func(ctx context.Context) (last error) {
		for _, err := range NewStream("iris", Options{}, 70).Batches(ctx) {
			last = err
		}
		return last
	})
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, name := range []string{filepath.Join(dir, "t.csv"), filepath.Join(dir, "none.csv"), "zipf:n=5"} {
		var fault *Error
		if _, _, err := Open(late, name, Options{}); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &fault) {
			t.Errorf("%s too late: %v", name, err)
		}
	}
	rows := filepath.Join(dir, "rows")
	if err := os.WriteFile(rows, []byte("0\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := LabelledRows(ctx, rows, 2)
		return err
	})
}

// TestSilentInput: standard input that gives nothing is left when the context ends, in the midst of rows or of an archive too.
func TestSilentInput(t *testing.T) {
	for _, begun := range []string{"a,b,label\n1,2,x\n", "1 1:2\n", "\x1f\x8b", "PK\x03\x04", ""} {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, _, err := Open(ctx, "-", Options{Stdin: in})
				ended <- err
			}()
			_, _ = io.WriteString(out, begun) // to the pipe
			synctest.Wait()
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("after %q: %v", begun, err)
			}
			_ = out.Close()
		})
	}
}

// TestStoppedInMidst: at whichever look the context has ended, a set is read whole or the error is that of the context; never is a part
// of it taken for all.
func TestStoppedInMidst(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
	}{
		{"a,b\n1,2\n3,4\n", Options{Format: FormatCSV, LabelOptional: true, Label: none}},
		{"id,a,label\nu,1,x\nv,2,y\n", Options{Format: FormatCSV, ID: "id"}},
		{"1 1:2\n-1 2:3\n", Options{Format: FormatLIBSVM}},
		{"body,y\nsome words,1\nmore words,2\n", Options{Format: FormatCSV, Text: &data.Text{Column: "body"}}},
		{"a,b,label\n1,red,x\n2,blue,y\n3,red,x\n", Options{Prepare: true}},
		{"a,b,label\nu,1,x\nv,2,y\nw,4,x\ntotal,7,\n", Options{Prepare: true}},
	} {
		stoptest.Whole(t, func(a, b string) bool { return a == b }, func(ctx context.Context) (string, error) {
			c.o.Stdin = strings.NewReader(c.text)
			s, w, err := Open(ctx, "-", c.o)
			if err != nil {
				return "", err
			}
			return said(s, w, nil) + fmt.Sprintf("%q", s.ID), nil
		})
	}
}

// TestStoppedBlocks: blocks that several parse are given up as soon as the context has ended, be it while they are still read or when
// they are only to be joined.
func TestStoppedBlocks(t *testing.T) {
	for looks := 0; ; looks++ {
		ctx := stoptest.After(t.Context(), looks)
		c := newCutter(strings.NewReader(strings.Repeat("x\n", 20)), "f", nil, cutting{block: 2})
		joined := 0
		err := inOrder(ctx, c, 2, func() bool { return joined > 0 }, func(*int, block) {}, func(*int) error { joined++; return nil })
		if ctx.Ended() != errors.Is(err, context.Canceled) || err == nil && joined != 21 {
			t.Errorf("after %d looks %d blocks are joined: %v", looks, joined, err)
		}
		if !ctx.Ended() {
			break
		}
	}
}

// TestStreamsAreLeft: whoever has enough of a stream after its first batch is given no more of it, whatever it is read from. (To go on
// is a panic.)
func TestStreamsAreLeft(t *testing.T) {
	table := &cellTable{names: []string{"a", "label"}, number: map[string]bool{"a": true}, cells: [][]string{{"1", "x"}, {"2", "y"}}}
	words := Options{Format: FormatCSV, Text: &data.Text{Column: "body"}, Want: []string{"some"}, LabelOptional: true}
	docs := folder(t, map[string]string{"a/1": "some words", "b/2": "more words", "b/3": "some"})
	for _, c := range []struct {
		name, text string
		o          Options
	}{
		{"-", "a,label\n1,x\n2,y\n3,x\n", Options{Format: FormatCSV}},
		{"-", "1 1:2\n-1 2:3\n1 1:1\n", Options{Format: FormatLIBSVM}},
		{"-", "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2,y\n", Options{Format: FormatARFF}},
		{"-", "{\"a\":1,\"c\":\"x\"}\n{\"a\":2,\"c\":\"y\"}\n", Options{Format: FormatJSON}},
		{"-", "CELLS of a table", Options{Format: "cells", Formats: []Further{table}}},
		{"-", "body,y\nsome words,1\nmore words,2\nsome,1\n", words},
		{docs, "", words},
	} {
		c.o.Stdin = strings.NewReader(c.text)
		n := 0
		for batch, err := range NewStream(c.name, c.o, 1).Batches(t.Context()) {
			if err != nil || batch.Rows.Len() != 1 {
				t.Errorf("%q: %v", c.text, err)
			}
			n++
			break // leaves it
		}
		if n != 1 {
			t.Errorf("%q has no batch", c.text)
		}
	}
}
