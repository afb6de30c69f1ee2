package shard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// written writes files into a folder and returns their names, sorted.
func written(tb testing.TB, files map[string]string) (dir string, names []string) {
	dir = tb.TempDir()
	for name, text := range files {
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(text)) // a buffer takes everything
			_ = z.Close()
			text = b.String()
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
		names = append(names, path)
	}
	slices.Sort(names)
	return dir, names
}

// Patterns name files in the order of their names, each once.
func TestExpand(t *testing.T) {
	dir, names := written(t, map[string]string{"b.csv": "", "a.csv": "", "c.svm": ""})
	got, err := Expand([]string{filepath.Join(dir, "*.csv"), filepath.Join(dir, "*")})
	if err != nil || !slices.Equal(got, names) {
		t.Errorf("%v, %v", got, err)
	}
	for _, p := range []string{filepath.Join(dir, "*.txt"), "[", dir} {
		if list, err := Expand([]string{p}); err == nil {
			t.Errorf("%s: %v", p, list)
		}
	}
}

// Shards of one table may have their columns in any order; others are refused by name, and empty ones listed.
func TestSurvey(t *testing.T) {
	first := "a,b,label\n1,2,x\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"alike":         {map[string]string{"2.csv": "b,label,a\n1,y,2\n", "3.csv.gz": first}, ""},
		"empty":         {map[string]string{"2.csv": "", "3.csv": "a,b,label\n"}, ""},
		"fewer columns": {map[string]string{"2.csv": "a,label\n1,y\n"}, `2.csv: has other columns than`},
		"more columns":  {map[string]string{"2.csv": "a,b,c,label\n1,2,3,y\n"}, `it has "c" besides`},
		"other names":   {map[string]string{"2.csv": "a,c,label\n1,2,y\n"}, `it has no "b"`},
		"another label": {map[string]string{"2.csv": "a,b,kind\n1,2,y\n"}, `its labels are in column "kind"`},
		"LIBSVM later":  {map[string]string{"2.svm": "1 1:2\n"}, "2.svm: is LIBSVM text"},
		"LIBSVM first":  {map[string]string{"0.svm": "1 1:2\n"}, "0.svm: is LIBSVM text"},
		"unnamed":       {map[string]string{"2.csv": ",a,b,label\n0,1,2,y\n"}, `it has "unnamed 1" besides`},
		"words":         {map[string]string{"2.csv": "b,a,label\n?x,1,y\n", "3.csv": first}, ""},
		"ragged":        {map[string]string{"2.csv": "a,b,label\n1,x\n"}, "2.csv:2"},
	} {
		c.files["1.csv"] = first
		_, files := written(t, c.files)
		got, err := Survey(context.Background(), files, Options{})
		switch {
		case c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		case err == nil && (len(got.Shards)+len(got.Empty) != 3 || got.LabelName != "label" || len(got.Features) != 2 ||
			got.Words != (name == "words")):
			t.Errorf("%s: %+v", name, got)
		}
	}
	_, files := written(t, map[string]string{"1.csv": ""})
	if _, err := Survey(context.Background(), files, Options{}); err == nil {
		t.Error("a table without rows")
	}
}

// Warnings of the first rows and of whole shards are those of package read; of equal ones the first is told.
func TestWarnings(t *testing.T) {
	_, files := written(t, map[string]string{"1.csv": "1.5,2,x\n", "2.csv": "3.5,4,y\n"})
	table, err := Survey(context.Background(), files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := files[0] + ":1: no header line; columns are named x0 to x1, the last is the label"
	if got := Say(table.Warnings); len(got) != 1 || got[0] != want+" (of 2 shards)" {
		t.Errorf("of shards: %q", got)
	}
	nothing := Taker{func() {}, func(*data.Set) error { return nil }}
	notes, err := Each(context.Background(), files[0], Options{}, Options{}.Reading(), 9, nothing)
	if got := Say(notes.Warnings); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("of one: %q, %v", got, err)
	}
	var many []read.Warning
	for i := range mostSaid + 3 {
		many = append(many, read.Warning{File: "f", What: strconv.Itoa(i)})
	}
	if got := Say(many); len(got) != mostSaid+1 || got[mostSaid] != "3 further warnings of shards are not shown" {
		t.Errorf("of many: %q", got)
	}
}

// Lines that cannot be read are left out as far as that is allowed; the rows that are left keep their lines.
func TestEachSkips(t *testing.T) {
	text := "a,label\n1,x\nbad,x\n3,y\n4,y,5\n6,x\n"
	for _, name := range []string{"rows.csv", "rows.csv.gz", "rows"} {
		_, files := written(t, map[string]string{name: text})
		for allowed := range 4 {
			var lines []int
			o := Options{SkipBad: allowed, Format: read.FormatCSV}
			notes, err := Each(context.Background(), files[0], o, o.Reading(), 2, Taker{func() { lines = nil }, func(s *data.Set) error {
				lines = append(lines, s.Lines...)
				return nil
			}})
			if allowed < 2 {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s:%d", files[0], []int{3, 5}[allowed])) {
					t.Errorf("%s, %d allowed: %v", name, allowed, err)
				}
			} else if err != nil || !slices.Equal(notes.Skipped, []int{3, 5}) || !slices.Equal(lines, []int{2, 4, 6}) {
				t.Errorf("%s, %d allowed: %v, rows at %v, %v", name, allowed, notes.Skipped, lines, err)
			}
		}
	}
}

// A line of names that cannot be read is no row to leave out.
func TestEachKeepsHeader(t *testing.T) {
	_, files := written(t, map[string]string{"rows.csv": "a,b\x00,label\n1,2,x\n3,4,y\n"})
	o := Options{SkipBad: 9}
	_, err := Each(context.Background(), files[0], o, o.Reading(), 9, Taker{func() {}, func(*data.Set) error { return nil }})
	if err == nil || !strings.Contains(err.Error(), "is not text") {
		t.Error(err)
	}
}

// A record of several lines is left out line by line.
func TestEachOfQuotedLines(t *testing.T) {
	_, files := written(t, map[string]string{"rows.csv": "a,label\n1,x\n\"2\n3\",x\n4,y\n"})
	o := Options{SkipBad: 9}
	var lines []int
	notes, err := Each(context.Background(), files[0], o, o.Reading(), 9, Taker{func() { lines = nil }, func(s *data.Set) error {
		lines = append(lines, s.Lines...)
		return nil
	}})
	if err != nil || !slices.Equal(notes.Skipped, []int{3, 4}) || !slices.Equal(lines, []int{2, 5}) {
		t.Errorf("without %v rows at %v, %v", notes.Skipped, lines, err)
	}
}

// FuzzBlanks: lines that are left out are empty, all others as they were.
func FuzzBlanks(f *testing.F) {
	f.Add("a\nb\nc\n", uint64(2), 3)
	f.Add("a\r\n\nlast", uint64(0xff), 1)
	f.Fuzz(func(t *testing.T, text string, mask uint64, buffer int) {
		lines := strings.SplitAfter(text, "\n")
		var without []int
		var want strings.Builder
		for i, line := range lines {
			if i < 64 && mask>>i&1 == 1 {
				without = append(without, i+1)
				line = line[len(strings.TrimSuffix(line, "\n")):]
			}
			want.WriteString(line)
		}
		in := bufio.NewReaderSize(strings.NewReader(text), 16+max(0, buffer)%100)
		got, err := io.ReadAll(&blanks{in: in, without: without})
		if err != nil || string(got) != want.String() {
			t.Errorf("%q without %v is %q, %v", text, without, got, err)
		}
	})
}
