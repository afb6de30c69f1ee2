package read

import (
	"bytes"
	"compress/gzip"
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

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/testdata"
)

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		o        Options
		x        []float64
		features string
		label    string
		answers  data.Answers
		lines    []int
		warnings int
	}{
		"plain": {text: "a,b,label\n1,2,x\n3,-4e1,\n", x: []float64{1, 2, 3, -40}, features: "a b", label: "label",
			answers: data.Answers{"x", ""}, lines: []int{2, 3}},
		"CRLF, BOM, space": {text: "\xef\xbb\xbfa , b,y\r\n 1,\t2 , u\r\n\r\n3,4,v", x: []float64{1, 2, 3, 4}, features: "a b", label: "y",
			answers: data.Answers{"u", "v"}, lines: []int{2, 4}},
		"label first": {text: "label,a\nx,1\ny,2\n", x: []float64{1, 2}, features: "a", label: "label", answers: data.Answers{"x", "y"},
			lines: []int{2, 3}},
		"target": {text: "a,target,b\n1,5,2\n", x: []float64{1, 2}, features: "a b", label: "target", answers: data.Answers{"5"},
			lines: []int{2}},
		"named label": {text: "a,label,b\n1,5,2\n", o: Options{Label: "b"}, x: []float64{1, 5}, features: "a label", label: "b",
			answers: data.Answers{"2"}, lines: []int{2}},
		"semicolons": {text: "a;b;c\n1;2;k,l\n", x: []float64{1, 2}, features: "a b", label: "c", answers: data.Answers{"k,l"},
			lines: []int{2}},
		"tabs": {text: "a\tb\tc\n1\t2\tk l\n", x: []float64{1, 2}, features: "a b", label: "c", answers: data.Answers{"k l"},
			lines: []int{2}},
		"quotes": {text: "\"a,\"\"1\"\"\",\"b\nc\",y\n\"1\",2,\"two\nlines, \"\"so\"\"\"\n3,4,z\n", x: []float64{1, 2, 3, 4},
			features: "a,\"1\" b\nc", label: "y", answers: data.Answers{"two\nlines, \"so\"", "z"}, lines: []int{3, 5}},
		"no header": {text: "1.5,2,x\n3,4,y\n", x: []float64{1.5, 2, 3, 4}, features: "x0 x1", label: "label",
			answers: data.Answers{"x", "y"}, lines: []int{1, 2}, warnings: 1},
		"counted header": {text: "0,1,2\n1.5,2,x\n", x: []float64{1.5, 2}, features: "0 1", label: "2", answers: data.Answers{"x"},
			lines: []int{2}},
		"counts no further": {text: "1,2,0\n1.5,2,1\n", x: []float64{1, 2, 1.5, 2}, features: "x0 x1", label: "label",
			answers: data.Answers{"0", "1"}, lines: []int{1, 2}, warnings: 1},
		"quoted numbers": {text: "\"7\",\"9\",\"8\"\n1.5,2,x\n", x: []float64{1.5, 2}, features: "7 9", label: "8",
			answers: data.Answers{"x"}, lines: []int{2}},
		"mark": {text: "a,label\n1,0\n2,-1\n3,0.0\n", o: Options{UnlabelledMark: "0"}, x: []float64{1, 2, 3}, features: "a",
			label: "label", answers: data.Answers{"", "-1", ""}, lines: []int{2, 3, 4}},
		"model": {text: "id,b,a\n7,2,1\n", o: Options{Want: []string{"a", "b"}, LabelOptional: true}, x: []float64{1, 2},
			features: "a b", lines: []int{2}, warnings: 1},
		"model, labelled": {text: "b,label,a\n2,k,1\n", o: Options{Want: []string{"a", "b"}, LabelOptional: true}, x: []float64{1, 2},
			features: "a b", label: "label", answers: data.Answers{"k"}, lines: []int{2}},
		"model, text": {text: "name,a\nfoo,1\n", o: Options{Want: []string{"a"}, LabelOptional: true, Label: "y"}, x: []float64{1},
			features: "a", lines: []int{2}, warnings: 1},
		"model, no header": {text: "1.5,2\n", o: Options{Want: []string{"a", "b"}, LabelOptional: true}, x: []float64{1.5, 2},
			features: "a b", lines: []int{1}, warnings: 1},
		"width": {text: "p,q\n1,2\n", o: Options{Dim: 2, LabelOptional: true}, x: []float64{1, 2}, features: "p q", lines: []int{2}},
	} {
		s, w, err := CSV(t.Context(), strings.NewReader(c.text), "f.csv", c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(s.Rows.Dense.RawMatrix().Data, c.x) || strings.Join(s.Features, " ") != c.features || s.LabelName != c.label ||
			!slices.Equal(s.Answers, c.answers) || !slices.Equal(s.Lines, c.lines) || len(w) != c.warnings {
			t.Errorf("%s: %v %q %q %q lines %v, %v", name, s.Rows.Dense.RawMatrix().Data, s.Features, s.LabelName, s.Answers, s.Lines, w)
		}
	}
}

// Every fault must be named with its place and a remedy.
func TestCSVFaults(t *testing.T) {
	model := Options{Want: []string{"a", "b"}, LabelOptional: true}
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"empty":            {"", Options{}, "f.csv: empty file; "},
		"blank":            {"\n \n", Options{}, "f.csv: empty file; "},
		"header only":      {"a,b\n", Options{}, "f.csv:1: a header but no rows; "},
		"short row":        {"a,b,c\n1,2,3\n1,2\n", Options{}, "f.csv:3:2: 2 values where the first line has 3; "},
		"long row":         {"a,b,c\n1,2,3,4,5\n", Options{}, "f.csv:2:4: 5 values where the first line has 3; "},
		"unnamed":          {",a,b\n1,2,3\n", Options{}, "f.csv:1:1: a column without a name; "},
		"text":             {"a,b,c\n1,2,3\n1,two,3\n", Options{}, `f.csv:3:2: column "b": "two" is no number; `},
		"missing":          {"a,b,c\n1,,3\n", Options{}, `f.csv:2:2: column "b": missing value (empty); `},
		"NA":               {"a,b,c\nNA,1,3\n", Options{}, `f.csv:2:1: column "a": missing value (na); `},
		"NaN":              {"a,b,c\nnan,1,3\n", Options{}, `f.csv:2:1: column "a": missing value (nan); `},
		"infinite":         {"a,b,c\n1,-Inf,3\n", Options{}, `f.csv:2:2: column "b": infinite value "-Inf"; `},
		"too large":        {"a,b,c\n1,1e999,3\n", Options{}, `f.csv:2:2: column "b": "1e999" is beyond`},
		"hexadecimal":      {"a,b,c\n1,0x10,3\n", Options{}, `f.csv:2:2: column "b": "0x10" is no number; `},
		"open quote":       {"a,b\n1,\"x\n2,y\n", Options{}, "f.csv:2:2: quote never closed; "},
		"stray quote":      {"a,b\n1,x\"y\n", Options{}, "f.csv:2:2: quote inside the value"},
		"text after quote": {"a,b\n\"1\"2,y\n", Options{}, "f.csv:2:1: text after the closing quote; "},
		"one column":       {"a\n1\n", Options{}, "f.csv:1: no feature column; "},
		"one number":       {"1\n2\n", Options{}, "f.csv:1: one column only; "},
		"no such label":    {"a,b\n1,2\n", Options{Label: "y"}, `f.csv:1: no column "y" for the label; columns are a, b; `},
		"model column":     {"a,c\n1,2\n", model, `f.csv:1: no column "b", which the model needs; columns are a, c; `},
		"model width":      {"a,b\n1,2\n", Options{Dim: 3, LabelOptional: true}, "f.csv:1: 1 features, the model has 3; "},
		"model, headless":  {"1.5,2,3,4\n", model, "f.csv:1: 4 columns without names, but 2 features are expected; "},
		"no label column":  {"a,b\n1,2\n", Options{Want: []string{"a", "b"}}, "f.csv:1: no label column; "},
		"UTF-16":           {"\xff\xfea\x00", Options{}, "f.csv:1: no feature column; "},
		"no text":          {"a,gr\x81\xdfe,y\n1,2,3\n", Options{}, "f.csv:1:2: column name"},
		"no text as label": {"a,y\n1,gr\x81n\n", Options{}, "f.csv:2:2: label"},
		"NUL in a label":   {"a,y\n1,b\x00\n", Options{}, "f.csv:2:2: label"},
		"damaged gzip":     {"\x1f\x8bnothing", Options{}, "f.csv: damaged gzip file"},
		"memory":           {"a,y\n" + strings.Repeat("1,2\n", 1000), Options{MemoryLimit: 10000}, "reading on needs"},
	} {
		_, _, err := CSV(t.Context(), strings.NewReader(c.text), "f.csv", c.o)
		var re *Error
		if !errors.As(err, &re) || re.File != "f.csv" || re.Remedy == "" || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant: %s", name, err, c.want)
		}
	}
}

func TestLIBSVM(t *testing.T) {
	text := "\xef\xbb\xbf+1 1:0.5 3:2 # first\r\n\n# none\n-1\t2:-1e-3  4:0\n1"
	s, w, err := LIBSVM(t.Context(), strings.NewReader(text), "f.svm", Options{})
	if err != nil || len(w) > 0 {
		t.Fatal(err, w)
	}
	sp := s.Rows.Sparse
	if r, c := sp.Dims(); r != 3 || c != 4 || !slices.Equal(sp.Start, []int{0, 2, 3, 3}) || !slices.Equal(sp.Index, []int32{0, 2, 1}) ||
		!slices.Equal(
			sp.Value,
			[]float64{0.5, 2, -1e-3},
		) || !slices.Equal(s.Answers, data.Answers{"+1", "-1", "1"}) || !slices.Equal(s.Lines, []int{1, 4, 5}) {
		t.Errorf("%dx%d %+v %q %v", r, c, sp, s.Answers, s.Lines)
	}
	o := Options{Dim: 5, LabelOptional: true, UnlabelledMark: "0"}
	s, w, err = LIBSVM(t.Context(), strings.NewReader("1:1 2:2\n0 2:3 7:1 9:1\n"), "f.svm", o)
	if err != nil || s.Rows.Dim() != 5 || s.Rows.Sparse.NNZ() != 3 || !slices.Equal(s.Answers, data.Answers{"", ""}) {
		t.Errorf("%+v, %v", s, err)
	}
	if len(w) != 1 || !strings.HasPrefix(w[0].String(), "f.svm: ignored: 2 values with an index above 5") {
		t.Errorf("warnings %v", w)
	}
	s, _, err = LIBSVM(t.Context(), strings.NewReader("1:1 2:2\n"), "f.svm", Options{LabelOptional: true})
	if err != nil || s.Answers != nil ||
		s.LabelName != "" {
		t.Errorf("without labels: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"":                           "f.svm: no rows; ",
		"# nothing\n":                "f.svm: no rows; ",
		"1\n-1\n":                    "f.svm: no row has a feature; ",
		"1 1:1\n1:1 2:2\n":           "f.svm:2:1: no label before",
		"1 2:1 2:2\n":                "f.svm:1:7: index 2 after 2; sort",
		"1 1:1\n1 3:1 2:2\n":         "f.svm:2:7: index 2 after 3; sort",
		"1 0:1\n":                    "f.svm:1:3: index 0; ",
		"1 2147483648:1\n":           `f.svm:1:3: index "2147483648" is not below 2^31; `,
		"1 99999999999999999999:1\n": "is not below 2^31; ",
		"1 -1:1\n":                   `f.svm:1:3: index "-1" is no whole number; `,
		"1 a:1\n":                    `f.svm:1:3: index "a" is no whole number; `,
		"1 :1\n":                     "f.svm:1:3: no index before the colon; ",
		"1 3\n":                      `f.svm:1:3: "3" is no index:value; `,
		"1 3:x\n":                    `f.svm:1:5: feature 3: "x" is no number; `,
		"1 3:\n":                     "f.svm:1:5: feature 3: missing value",
		"1 3:NaN\n":                  "f.svm:1:5: feature 3: missing value",
		"1 3:inf\n":                  "f.svm:1:5: feature 3: infinite value",
		"1 qid:3 1:1\n":              "f.svm:1:3: qid: ",
	} {
		_, _, err := LIBSVM(t.Context(), strings.NewReader(text), "f.svm", Options{})
		var re *Error
		if !errors.As(err, &re) || re.Remedy == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant: %s", text, err, want)
		}
	}
	_, _, err = LIBSVM(t.Context(), strings.NewReader(strings.Repeat("1 1:1 2:2\n", 1000)), "f.svm", Options{MemoryLimit: 20000})
	if err == nil || !strings.Contains(err.Error(), "--memory") {
		t.Errorf("memory limit: %v", err)
	}
}

func TestSplits(t *testing.T) {
	got, err := parseSplits(t.Context(), strings.NewReader("split,labelled_rows\r\n0,3 1 2\r\n\r\nb,\"0 4\"\n"), "f.csv", 5)
	if want := []data.Split{{Name: "0", Labelled: []int{1, 2, 3}}, {Name: "b", Labelled: []int{0, 4}}}; err != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	const head = "split,labelled_rows\n"
	for text, want := range map[string]string{
		"":                                     "f.csv: no split; ",
		head:                                   "f.csv: no split; ",
		"a,b\n0,1\n":                           "f.csv:1: the header is",
		head + "0 1\n":                         "f.csv:2: no comma",
		head + "0,1\n0,2\n":                    `f.csv:3:1: split "0" again, after line 2; `,
		head + "0,\n":                          "f.csv:2: no labelled row; ",
		head + "0,1 5\n":                       "f.csv:2:5: row 5 of a set of 5; rows count from 0 to 4",
		head + "0,1 -1\n":                      `f.csv:2:5: "-1" is no row number; `,
		head + "0,\"1 x\"\n":                   `f.csv:2:6: "x" is no row number; `,
		head + "0,1 3 1\n":                     "f.csv:2:7: row 1 again",
		head + "0,1\n1,2,3\n":                  `f.csv:3:3: "2,3" is no row number; `,
		head + "0,4 99999999999999999999999\n": "f.csv:2:5: row 99999999999999999999999 of a set of 5; ",
	} {
		if s, err := parseSplits(t.Context(), strings.NewReader(text), "f.csv", 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %v\nwant: %s", text, s, err, want)
		}
	}
	rows, err := parseRows(t.Context(), strings.NewReader("4 0\n\n 2\t1\r\n"), "f.txt", 5)
	if err != nil || !slices.Equal(rows, []int{0, 1, 2, 4}) {
		t.Errorf("%v, %v", rows, err)
	}
	for text, want := range map[string]string{
		"":         "f.txt: no labelled row; ",
		"1\n2 1\n": "f.txt:2:3: row 1 again, after line 1; ",
		"1,2\n":    `f.txt:1:1: "1,2" is no row number; `,
		"1\n  5":   "f.txt:2:3: row 5 of a set of 5; ",
	} {
		if _, err := parseRows(t.Context(), strings.NewReader(text), "f.txt", 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant: %s", text, err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string, zip bool) string {
		t.Helper()
		var b bytes.Buffer
		var w io.Writer = &b
		if zip {
			z := gzip.NewWriter(&b)
			defer func() { _ = z.Close() }()
			w = z
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if z, ok := w.(*gzip.Writer); ok {
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const csv, svm = "a,b,y\n1,2,k\n3,4,l\n", "1 1:1\n-1 2:1\n"
	const bare, mark = "# made by hand\n\n1:1\n2:1e-3 # the last\n", "\xef\xbb\xbf"
	var wide strings.Builder // a first line beyond what is looked at
	for j := range 20000 {
		fmt.Fprintf(&wide, " %d:0", j+3)
	}
	for _, c := range []struct {
		name   string
		o      Options
		sparse bool
	}{
		{put("a.csv", csv, false), Options{}, false},
		{put("a.csv.gz", csv, true), Options{}, false},
		{put("b.CSV", csv, true), Options{}, false}, // gzip known by its magic bytes
		{put("c.svm.gz", svm, true), Options{}, true},
		{put("c.libsvm", svm, false), Options{}, true},
		{put("c.dat", svm, false), Options{Format: FormatLIBSVM}, true},
		{"-", Options{Format: FormatCSV, Stdin: strings.NewReader(csv)}, false},
		{"-", Options{Format: FormatLIBSVM, Stdin: strings.NewReader(svm)}, true},
		{"-", Options{Stdin: strings.NewReader(csv)}, false},
		{"-", Options{Stdin: strings.NewReader(svm)}, true},
		{"-", Options{Stdin: strings.NewReader(mark + svm)}, true},
		{"-", Options{Stdin: strings.NewReader("0\n1 2:1\r\n")}, true}, // a row without entries
		{"-", Options{Stdin: strings.NewReader(bare), LabelOptional: true}, true},
		{"-", Options{Stdin: strings.NewReader(strings.Replace(svm, "\n", wide.String()+"\n", 1)), Dim: 2}, true},
		{"-", Options{Stdin: strings.NewReader(strings.Repeat(" \n", 40000) + csv)}, false},
		{put("x.txt", csv, false), Options{}, false},
		{put("x.data", svm, false), Options{}, true},
		{put("y.data.gz", svm, true), Options{}, true},
		{put("names", "a b:1;c;y\n1;2;k\n3;4;l\n", false), Options{}, false}, // names with colons
		{put("times.txt", "a,b,y\n1,2,12:30\n3,4,12:45\n", false), Options{}, false},
	} {
		s, _, err := Open(t.Context(), c.name, c.o)
		if err != nil || s.Rows.Len() != 2 || s.Rows.Dim() != 2 || s.Rows.IsSparse() != c.sparse {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	for name, o := range map[string]Options{
		"-": {Stdin: strings.NewReader("")}, "nothing": {}, filepath.Join(dir, "none.csv"): {}, put("zero.dat", "1 1:1\x00\n", false): {},
		put("y.csv", csv, false): {Format: "arff"},
		"two-moons:n=x":          {}, dir: {Format: FormatCSV},
	} {
		_, _, err := Open(t.Context(), name, o)
		var re *Error
		if !errors.As(err, &re) || re.File == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole, err := os.ReadFile(put("z.csv.gz", csv+strings.Repeat("1,2,k\n", 5000), true))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cut.csv.gz"), whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(t.Context(), filepath.Join(dir, "cut.csv.gz"), Options{}); err == nil ||
		!strings.Contains(err.Error(), "cannot be read further") {
		t.Errorf("cut gzip: %v", err)
	}

	s, _, err := Open(t.Context(), "iris", Options{Want: []string{"petal_width", "sepal_length"}, LabelOptional: true})
	if err != nil || s.Rows.Dim() != 2 || s.Rows.Dense.At(0, 0) != 0.2 || s.Rows.Dense.At(0, 1) != 5.1 || s.Answers[149] != "2" {
		t.Errorf("columns of a built-in set: %v", err)
	}
	if s, _, err := Open(t.Context(), "iris", Options{Label: "petal_width"}); err != nil || s.Rows.Dim() != 4 || s.Answers[0] != "0.2" {
		t.Errorf("another label of a built-in set: %v", err)
	}
	if _, err := Splits(t.Context(), filepath.Join(dir, "none"), 3); err == nil {
		t.Error("missing file of splits accepted")
	}
	if _, err := LabelledRows(t.Context(), filepath.Join(dir, "none"), 3); err == nil {
		t.Error("missing file of rows accepted")
	}
}

// Which column holds the answers, of rows to learn from and of rows that may have none.
func TestLabelColumn(t *testing.T) {
	maybe := Options{LabelOptional: true, LabelNamed: true}
	for _, c := range []struct {
		text     string
		o        Options
		label    string
		features int
	}{
		{"a,b,class\n1,2,0\n3,4,1\n", Options{}, "class", 2},
		{"a,b,class\n1,2,0\n3,4,1\n", maybe, "class", 2},
		{"Class,a,b\n0,1,2\n1,3,4\n", maybe, "Class", 2},
		{"Class,a,b\n0,1,2\n1,3,4\n", Options{}, "b", 2},
		{"a,target,class\n1,2,0\n3,4,1\n", maybe, "target", 2},
		{"a,b,c\n1,2,0\n3,4,1\n", maybe, "", 3},
		{"a,b,c\n1,2,0\n3,4,1\n", Options{LabelOptional: true, LabelNamed: true, Label: "a"}, "a", 2},
		{"a,b,kind\n1,2,oak\n3,4,elm\n", maybe, "kind", 2},
		{"a,b,c\n1,2,\n4,5,oak\n", maybe, "c", 2},
		{"1.5,2,0\n3,4,1\n", Options{}, "label", 2},
		{"1.5,2,0\n3,4,1\n", maybe, "", 3},
		{"1.5,2,oak\n3,4,elm\n", maybe, "label", 2},
	} {
		s, _, err := CSV(t.Context(), strings.NewReader(c.text), "f.csv", c.o)
		if err != nil || s.LabelName != c.label || s.Rows.Dim() != c.features || len(s.Features) != c.features ||
			(s.Answers == nil) != (c.label == "") {
			t.Errorf("%q %+v: %+v, %v", c.text, c.o, s, err)
		}
	}
	for text, at := range map[string]string{"a,b,c\n1,2,3\n4,5,oak\n": "f.csv:3:3"} {
		if _, _, err := CSV(t.Context(), strings.NewReader(text), "f.csv", maybe); err == nil || !strings.HasPrefix(err.Error(), at) ||
			!strings.HasSuffix(err.Error(), "with --label if it holds labels") {
			t.Errorf("words below a number or a gap: %v", err)
		}
	}
}

// Delimiters in the quotes of the first line do not count.
func TestDelimiterInQuotes(t *testing.T) {
	for _, text := range []string{
		"\"a,b,c,d\";e;label\n1;2;x\n3;4;y\n",
		"\"a;b;c;d\",\"e;f\",label\n1,2,x\n3,4,y\n",
		"\"a \"\",,,\"\" b\"\te\tlabel\n1\t2\tx\n3\t4\ty\n",
	} {
		s, _, err := CSV(t.Context(), strings.NewReader(text), "f.csv", Options{})
		if err != nil || s.Rows.Dim() != 2 || s.LabelName != "label" {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}

// Every warning, and the same rows without it.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		text   string
		format Format
		o      Options
		want   string
	}{
		{"1.5,2,x\n3,4,y\n", FormatCSV, Options{}, "f:1: no header line; columns are named x0 to x1, the last is the label"},
		{"1.5,2\n3,4\n", FormatCSV, Options{LabelOptional: true, LabelNamed: true}, "f:1: no header line; columns are named x0 to x1"},
		{"a,b,label\n1.5,2,x\n3,4,y\n", FormatCSV, Options{}, ""},
		{"a,c,b,label\n1,9,2,x\n", FormatCSV, Options{Want: []string{"b", "a"}}, "f:1: the model ignores 1 column that it does not know"},
		{"a,b,label\n1,2,x\n", FormatCSV, Options{Want: []string{"b", "a"}}, ""},
		{"1 1:1 3:1\n2 2:1 3:1\n", FormatLIBSVM, Options{Dim: 2},
			"f: ignored: 2 values with an index above 2, which the model does not know"},
		{"1 1:1\n2 2:1\n", FormatLIBSVM, Options{Dim: 2}, ""},
	} {
		c.o.Format = c.format
		_, w, err := parsed(t.Context(), strings.NewReader(c.text), "f", c.o, cutting{})
		got := ""
		if len(w) > 0 {
			got = w[0].String()
		}
		if err != nil || len(w) > 1 || got != c.want {
			t.Errorf("%q: %v, %v, want %q", c.text, w, err, c.want)
		}
	}
}

// Reading must not allocate by the number of values: the slices that grow are all.
func TestCSVAllocatesLittle(t *testing.T) {
	text := "a,b,c,label\n" + strings.Repeat("1.25,-3.5e-7,12345.678,spam\n", 20000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := CSV(t.Context(), strings.NewReader(text), "f.csv", Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 1000 {
		t.Errorf("%d allocations for 80000 values", n)
	}
}

// Counts of the real files.
func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file    string
		n, d    int
		sparse  bool
		task    data.Task
		classes []string
		counts  []int
	}{
		{"iris.csv", 150, 4, false, data.Classification, []string{"0", "1", "2"}, []int{50, 50, 50}},
		{"digits.csv.gz", 1797, 64, false, data.Classification, strings.Fields("0 1 2 3 4 5 6 7 8 9"),
			[]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}},
		{"glass.csv", 214, 9, false, data.Classification, strings.Fields("1 2 3 5 6 7"), []int{70, 76, 17, 13, 9, 29}},
		{"boston.csv", 506, 13, false, data.Regression, nil, nil},
		{"abalone.csv.gz", 4177, 10, false, data.Regression, nil, nil},
		{"a9a.svm.gz", 32561, 123, true, data.Classification, []string{"-1", "1"}, []int{24720, 7841}},
		{"webkb_course_link.svm", 1051, 1840, true, data.Classification, []string{"-1", "1"}, []int{821, 230}},
		{"macwin_svmlin_train.svm.gz", 1460, 7511, true, data.Classification, []string{"-1", "1"}, []int{29, 21}},
		{"macwin_text1.svm.gz", 1946, 7511, true, data.Classification, []string{"-1", "1"}, []int{961, 985}},
	} {
		t.Run(c.file, func(t *testing.T) {
			o := Options{}
			if c.sparse {
				o.Dim = c.d
				o.UnlabelledMark = "0"
			}
			s, w, err := Open(t.Context(), testdata.Open(t, c.file), o)
			if err != nil || len(w) > 0 {
				t.Fatal(err, w)
			}
			l, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{})
			if err != nil || s.Rows.Len() != c.n || s.Rows.Dim() != c.d || s.Rows.IsSparse() != c.sparse || s.Rows.Check() != nil ||
				l.Task != c.task || !slices.Equal(l.Classes, c.classes) || c.counts != nil && !slices.Equal(l.Counts(), c.counts) {
				t.Errorf("%d x %d, %v %q %v, %v", s.Rows.Len(), s.Rows.Dim(), l.Task, l.Classes, l.Counts(), err)
			}
		})
	}
}

func TestRealSplits(t *testing.T) {
	for _, c := range []struct {
		file                string
		n, splits, labelled int
	}{
		{"g50c.splits.csv", 550, 10, 50}, {"uspst.splits.csv", 2007, 10, 50}, {"macwin_text1.splits.csv", 1946, 10, 50},
		{"coil20.gensplits.csv", 1440, 10, 40}, {"ssl_usps1500.splits100.csv", 1500, 12, 100},
	} {
		s, err := Splits(t.Context(), testdata.Open(t, c.file), c.n)
		if err != nil || len(s) != c.splits {
			t.Errorf("%s: %d splits, %v", c.file, len(s), err)
		}
		for _, x := range s {
			if len(x.Labelled) != c.labelled {
				t.Errorf("%s: split %s labels %d rows", c.file, x.Name, len(x.Labelled))
			}
		}
	}
}

// Columns without names get the same ones when they are learned from and predicted.
func TestUnnamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(",a,label\n7,8,x\n9,6,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"to learn from": {Part: true}, "prepared": {Prepare: true},
		"of a model": {Want: []string{"unnamed 1", "a"}, LabelOptional: true},
	} {
		set, _, err := Open(t.Context(), path, o)
		if err != nil || set.Features[0] != "unnamed 1" || set.Rows.Dense.At(1, 0) != 9 || set.Answers[1] != "y" {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
}
