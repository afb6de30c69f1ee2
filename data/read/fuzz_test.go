package read

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// checkFault: what is refused names the file, and its message is one line.
func checkFault(t *testing.T, err error) {
	t.Helper()
	var re *Error
	if !errors.As(err, &re) || re.File != "f" || re.What == "" || strings.ContainsAny(err.Error(), "\n\r") {
		t.Fatalf("fault without place: %#v", err)
	}
}

// checkSet: what is accepted agrees in its parts.
func checkSet(t *testing.T, s *data.Set) {
	t.Helper()
	n := s.Rows.Len()
	if n == 0 || s.Rows.Dim() == 0 || len(s.Lines) != n || !slices.IsSorted(s.Lines) || s.Lines[0] < 1 ||
		s.Features != nil &&
			len(s.Features) != s.Rows.Dim() || (s.LabelName == "") != (s.Answers == nil) || s.Answers != nil && len(s.Answers) != n {
		t.Fatalf(
			"%d x %d, %d lines, %d names, label %q, %d answers",
			n,
			s.Rows.Dim(),
			len(s.Lines),
			len(s.Features),
			s.LabelName,
			len(s.Answers),
		)
	}
	if err := s.Rows.Check(); err != nil {
		t.Fatal(err)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"a,b,label\n1,2,x\n3,-4e1,\n", "\xef\xbb\xbfa;b;y\r\n1;2;u\r\n\r\n3;4;v",
		"\"a,\"\"1\"\"\",\"b\nc\",y\n\"1\",2,\"two\r\r\nlines\"\n",
		"1.5,2,x\n3,4,y\n", "0,1,2\n1.5,2,x\n", "a\tb\n1\t2", "a,b\n1,NaN\n", "a,b\n1\n", "a,a\n1,1\n", "", "\x1f\x8b", "\xff\xfe",
		"a,y\n1,\"",
		"\"7\",label\n1,\"a \"\n", "a,y\n1,x\ry\n",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, predict bool) {
		o := Options{MemoryLimit: 1 << 26, LabelOptional: predict}
		if predict {
			o.Want = []string{"b", "a"}
		}
		s, _, err := CSV(t.Context(), bytes.NewReader(text), "f", o)
		if err != nil {
			checkFault(t, err)
			return
		}
		checkSet(t, s)
		if s.LabelName == "" || slices.Contains(s.Features, s.LabelName) {
			return
		}
		var b bytes.Buffer
		if err := WriteCSV(&b, s); err != nil {
			t.Fatal(err)
		}
		back, w, err := CSV(t.Context(), bytes.NewReader(b.Bytes()), "f", Options{Label: s.LabelName})
		if err != nil || len(w) > 0 || !reflect.DeepEqual(back.Rows, s.Rows) || !slices.Equal(back.Features, s.Features) ||
			!slices.Equal(back.Answers, s.Answers) {
			t.Fatalf("%q written as %q: %v %v", text, b.String(), err, w)
		}
	})
}

func FuzzLIBSVM(f *testing.F) {
	for _, s := range []string{
		"+1 1:0.5 3:2 # first\n\n-1\t2:-1e-3  4:0\n1", "1:1 2:2\n", "1 2:1 2:2\n", "1 qid:3 1:1\n", "1 2147483647:1\n", "1 2147483648:1\n",
		"1 0:1", "a:b c", "1 1:nan\n", "",
	} {
		f.Add([]byte(s), 0)
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, text []byte, dim int) {
		o := Options{MemoryLimit: 1 << 26, LabelOptional: dim != 0, Dim: max(dim, 0) % (1 << 20)}
		s, _, err := LIBSVM(t.Context(), bytes.NewReader(text), "f", o)
		if err != nil {
			checkFault(t, err)
			return
		}
		checkSet(t, s)
		if s.Answers == nil || slices.Contains(s.Answers, "") {
			return
		}
		var b strings.Builder
		for i, a := range s.Answers {
			b.WriteString(a)
			idx, val := s.Rows.Sparse.Row(i)
			for p, j := range idx {
				fmt.Fprintf(&b, " %d:%v", j+1, val[p])
			}
			b.WriteByte('\n')
		}
		if s.Rows.Sparse.NNZ() == 0 {
			return // only zeros: the width is lost in writing
		}
		back, _, err := LIBSVM(t.Context(), strings.NewReader(b.String()), "f", Options{Dim: s.Rows.Dim()})
		if err != nil || !slices.Equal(back.Rows.Sparse.Index, s.Rows.Sparse.Index) ||
			!slices.Equal(back.Rows.Sparse.Start, s.Rows.Sparse.Start) ||
			!slices.Equal(back.Rows.Sparse.Value, s.Rows.Sparse.Value) ||
			!slices.Equal(back.Answers, s.Answers) {
			t.Fatalf("%q written as %q: %v", text, b.String(), err)
		}
	})
}

// checkRows: rows are increasing, each once, and in range.
func checkRows(t *testing.T, rows []int, n int) {
	t.Helper()
	for k, i := range rows {
		if i < 0 || i >= n || k > 0 && i <= rows[k-1] {
			t.Fatalf("rows %v of %d", rows, n)
		}
	}
	if len(rows) == 0 {
		t.Fatal("no rows, no error")
	}
}

func FuzzSplits(f *testing.F) {
	for _, s := range []string{"split,labelled_rows\n0,3 1 2\n1,4\n", "split,labelled_rows\r\n0,\"1 2\"\n", "split,labelled_rows\n0,9\n",
		"split,labelled_rows\n0,1 1\n", "x", ""} {
		f.Add([]byte(s), 5)
	}
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		n = max(n, 0)
		splits, err := parseSplits(t.Context(), bytes.NewReader(text), "f", n)
		if err != nil {
			checkFault(t, err)
			return
		}
		var b strings.Builder
		b.WriteString("split,labelled_rows\n")
		for _, s := range splits {
			checkRows(t, s.Labelled, n)
			fmt.Fprintf(&b, "%s,%s\n", s.Name, strings.Trim(fmt.Sprint(s.Labelled), "[]"))
		}
		if back, err := parseSplits(t.Context(), strings.NewReader(b.String()), "f", n); err != nil || !reflect.DeepEqual(back, splits) {
			t.Fatalf("%q written as %q: %v", text, b.String(), err)
		}
	})
}

func FuzzLabelledRows(f *testing.F) {
	for _, s := range []string{"0 1 2\n4", "\xef\xbb\xbf3\r\n1\t2", "1 1", "-1", "99999999999999999999", "1,2", ""} {
		f.Add([]byte(s), 5)
	}
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		n = max(n, 0)
		rows, err := parseRows(t.Context(), bytes.NewReader(text), "f", n)
		if err != nil {
			checkFault(t, err)
			return
		}
		checkRows(t, rows, n)
	})
}

// FuzzTable reads text as a table to learn from, whatever its dialect or format.
func FuzzTable(f *testing.F) {
	for _, s := range []string{
		"a;b;y\n1,5;x;u\n2,5;z;v\n", "A title\n\na,b,y\n1,x,u\n2,z,v\n", "# c\na,a,y\n1,x,u\n", "a,b\nm,s\n1,2\n3,4\n5,6\n7,8\n",
		"@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@data\n1,x\n{0 2}\n", "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}\n",
		"$1,000;10%;2020-01-02\n1.2k;5%;31/12/2020\n", "sep=;\na;b\n1;2\n", "a b\n1 2\n3 4\n", "PK\x03\x04",
		"version https://git-lfs.github.com/spec/",
		"1\t2\n3\t4\n", "'a','b'\n'1','2'\n", ";;;\n", "{", "@relation", "a,b\n1,2,3\n4,5,6\n",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, strict bool) {
		o := Options{MemoryLimit: 1 << 26, Prepare: true, LabelOptional: true, Strict: strict, Stdin: bytes.NewReader(text)}
		s, said, err := Open(t.Context(), "-", o)
		var re *Error
		switch {
		case errors.As(err, &re):
			if re.What == "" || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("fault without words: %#v", err)
			}
		case err != nil:
			t.Fatalf("no fault of a file: %v", err)
		default:
			checkSet(t, s)
			if strict && slices.ContainsFunc(said, func(w Warning) bool { return w.Guess }) {
				t.Fatalf("a guess though guesses are faults: %v", said)
			}
		}
	})
}
