package read

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"

	"github.com/mercer-ml/mercer/data"
)

// texts are what the readers are given in TestReadersAreKept, by the options.
func texts() []struct {
	o     Options
	texts []string
} {
	long := strings.Repeat("x", 45)
	many := "a,b,c,d,e,f,g,h,label\n1,2,3,4,5,6,7,8,9\n"
	return []struct {
		o     Options
		texts []string
	}{
		{Options{Format: FormatCSV}, []string{
			"", "\n\n", "a,b\n", "a,label\n1,x\n", "a;label\n1,5;x\n", "a\tb\tlabel\n1\t 2 \tx y \n", "a,b,c\n1,2,x\n3,4,y\n",
			"1,2,x\n3,4,y\n",
			"0,1,2\n5,6,7\n", "1,2,3\n5,6,7\n", "0,1,x\n5,6,7\n", "0,2,3\n5,6,7\n",
			"1\n2\n", "x\n2\n", "5,6\n7,8\n", "a,\"b \"\"c\"\"\",label\n1,2,\"x,\ny\"\n\n3,4,z\n", "a,label\n1,x\"y\n",
			"a,label\n1,\"x\"y\n",
			"a,label\n1,\"x\n", "a,label\n1,x,3\n", "a,b,label\n1,x\n",
			"a,label\n,x\n", "a,label\n?,x\n", "a,label\n-NA,x\n", "a,label\ninf,x\n", "a,label\n-Infinity,x\n", "a,label\n1e400,x\n",
			"a,label\n\"1,5\",x\n", "a,label\nword,x\n", "a,label\n" + long + ",x\n", "a,label\n" + long[:40] + ",x\n",
			"a,a,label\n1,2,x\n", "a,,label\n1,2,x\n", "label\nx\n", "target,a\nx,1\n", "label,target\nx,1\n", "a,label\n1,\xff\n",
			"a\xff,label\n1,2\n", "\xef\xbb\xbfa,label\n1,x\n", "\xff\xfea", "\xfe\xffa", "a,label\n0x10,x\n", "a,label\n1_0,x\n",
			"a,label\n.5,x\n5.,y\n-.5e1,z\n+7,w\n", "a,label\n123456789012345,x\n1234567890123456,y\n12345678901234.5,z\n-,w\n",
			"a,label\n.,w\n", "a,label\n1.2.3,w\n", "a,label\n \"1\" ,\" x\"\n", ", \n1,2\n",
		}},
		{Options{Format: FormatCSV, Label: "kind"}, []string{"kind,a\nx,1\n", "a,b\n1,2\n", "1,2\n3,4\n", many}},
		{Options{Format: FormatCSV, Label: "label"}, []string{"1,2\n3,4\n", strings.Replace(many, "label", "i,last", 1)}},
		{Options{Format: FormatCSV, Label: "kind", LabelOptional: true}, []string{"kind,a\nx,1\n", "a,b\n1,2\n", "1,2\n3,4\n"}},
		{Options{Format: FormatCSV, LabelOptional: true}, []string{"a,label\n1,x\n", "a,b\n1,2\n", "1\n2\n", "1,2\n3,4\n"}},
		{
			Options{Format: FormatCSV, LabelOptional: true, LabelNamed: true},
			[]string{
				"a,Class\n1,x\n",
				"a,b\n1,word\n2,y\n",
				"a,b\n1,2\n",
				"1,2\n3,4\n",
				"1,x\n3,y\n",
				"a,b\n1,NA\n2,x\n",
				"a\nx\n",
				"class\n1\n",
				"a,b\n1,2\n2,word\n",
				"a,b\n1\n",
			},
		},
		{
			Options{Format: FormatCSV, Want: []string{"b", "a"}},
			[]string{
				"a,b,label\n1,2,x\n",
				"c,a,d,b,label\n9,1,9,2,x\n",
				"a,label\n1,x\n",
				"1,2,x\n3,4,y\n",
				"1,2\n",
				"a,b\n1,2\n",
				"a,b,x\n1,2,z\n",
			},
		},
		{
			Options{Format: FormatCSV, Want: []string{"b", "label"}, LabelOptional: true},
			[]string{"b,label\n1,2\n", "b,label,target\n1,2,3\n", "5,6\n", "5,6,7\n"},
		},
		{Options{Format: FormatCSV, Dim: 2}, []string{"a,b,label\n1,2,x\n", "a,label\n1,x\n", "1,2,x\n", "1,x\n"}},
		{Options{Format: FormatCSV, Dim: 2, LabelOptional: true}, []string{"a,b\n1,2\n", "5,2\n", "a,b,c\n1,2,3\n"}},
		{Options{Format: FormatCSV, UnlabelledMark: "0"}, []string{"a,label\n1,0\n2,0.0\n3,1\n4,00\n"}},
		{Options{Format: FormatLIBSVM}, []string{
			"", "#\n", "1 1:2 3:4.5\n-1 2:0 4:1 # 9:9\n\n+1\n", "1\n2\n", "1,2\n3,4\n", "1:2\n", "1 2\n", "1 x:2\n", "1 :2\n", "1 0:2\n",
			"1 2147483648:1\n", "1 99999999999999999999:1\n", "1 2:1 2:3\n", "1 3:1 2:3\n", "1 2:\n", "1 2:inf\n", "1 2:word\n",
			"1 qid:3 1:2\n", "\xff 1:2\n", "1\t1:2\r\n", "  1  2:3 \n", "1 " + long + "\n", "1 1:2:3\n",
		}},
		{Options{Format: FormatLIBSVM, LabelOptional: true}, []string{"1:2\n3:4\n", "1:2\nx 3:4\n", "x\n", ":1\n"}},
		{Options{Format: FormatLIBSVM, Dim: 2}, []string{"1 1:2 3:4\n2 5:1 6:1\n", "1 1:2\n", "x\n"}},
		{Options{Format: FormatLIBSVM, UnlabelledMark: "0"}, []string{"0 1:2\n1 1:3\n"}},
		{Options{Format: "arff"}, []string{"x"}},
		{
			Options{},
			[]string{
				"1 1:2 3:4\n",
				"1,2\n",
				"a,b\n1,2\n",
				"1 2:3 x\n1,2\n",
				"\x00",
				"1 qid:2 3:4\n",
				"1:2 3:4\n2:2\n",
				"a b\n",
				"x 1:2;3\n",
				"# c\n1 1:2\n",
				"1,2 3:4\n",
				"\n",
				"",
			},
		},
	}
}

// said is all that a reader returns, in words.
func said(s *data.Set, w []Warning, err error) string {
	if err != nil {
		return "error " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"%s, %s: %d x %d, sparse %t, columns %q, label %q, answers %q, lines %v\n",
		s.Name,
		s.Source,
		s.Rows.Len(),
		s.Rows.Dim(),
		s.Rows.IsSparse(),
		s.Features,
		s.LabelName,
		s.Answers,
		s.Lines,
	)
	for i := range s.Rows.Len() {
		if s.Rows.IsSparse() {
			at, v := s.Rows.Sparse.Row(i)
			fmt.Fprintf(&b, "  %v %v\n", at, v)
		} else {
			fmt.Fprintf(&b, "  %v\n", s.Rows.Dense.RawRowView(i))
		}
	}
	for _, line := range w {
		fmt.Fprintf(&b, "  warning %s\n", line)
	}
	return b.String()
}

// TestReadersAreKept: what the readers make of small texts, right and wrong ones, and what they say
// of them, stays as it is in testdata.
func TestReadersAreKept(t *testing.T) {
	var b strings.Builder
	for _, group := range texts() {
		o := group.o
		fmt.Fprintf(
			&b,
			"== format %q, label %q, optional %t, named %t, want %q, dim %d, mark %q\n",
			o.Format,
			o.Label,
			o.LabelOptional,
			o.LabelNamed,
			o.Want,
			o.Dim,
			o.UnlabelledMark,
		)
		for _, text := range group.texts {
			o.Stdin = strings.NewReader(text)
			s, w, err := Open(t.Context(), "-", o)
			fmt.Fprintf(&b, "%q: %s", text, said(s, w, err))
		}
	}
	b.WriteString("== splits and lists of rows of a set of 12\n")
	const head = "split,labelled_rows\n"
	for _, text := range []string{"", head, "a,b\n", head + "0,1 2 11\n\n1, 3\n", "\"Split\", \"labelled_rows\"\nx,\"5 4\"\n", head +
		"0\n", head + "0,1\n 0 ,2\n", head + "0,12\n", head + "0,1 1\n", head + "0,1 x\n", head + "0,\"1 x\"\n", head + "0,\n",
		head + "0,\"\"\n",
		head + "0,99999999999999999999999\n", head + "0,-1\n", head + "\"s t\",0\n", head + "0,\"\n"} {
		list, err := parseSplits(t.Context(), strings.NewReader(text), "f", 12)
		fmt.Fprintf(&b, "%q: %v %v\n", text, list, err)
	}
	for _, text := range []string{"", " \n", "3 1\n0\t11", "12", "1 2\n3 1\n", "1, 2", "007"} {
		list, err := parseRows(t.Context(), strings.NewReader(text), "f", 12)
		fmt.Fprintf(&b, "%q: %v %v\n", text, list, err)
	}
	kept.Text(t, "testdata/readers.txt", b.String())
}

// broken gives a text and then an error that is not its end.
type broken struct{ io.Reader }

var errDisk = errors.New("the disk is gone")

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errDisk
	}
	return n, err
}

// readings are the readers of files, with texts that have all they look for.
func readings() map[string]func(in io.Reader) error {
	set := func(o Options) func(in io.Reader) error {
		return func(in io.Reader) error { o.Stdin = in; _, _, err := Open(context.Background(), "-", o); return err }
	}
	return map[string]func(in io.Reader) error{
		"a,label\n1,\"x\ny\"\n2,z\n": set(
			Options{Format: FormatCSV},
		), "@relation r\n@attribute a numeric\n@attribute c {u,v}\n@data\n1,u\n{0 2}\n": set(Options{Format: FormatARFF}),
		"{\"a\":1,\"c\":\"u\"}\n{\"a\":2,\"c\":\"v\"}\n": set(Options{Format: FormatJSON}),
		"body,y\nsome words,1\n\"more\nwords\",2\n":      set(Options{Format: FormatCSV, Text: &data.Text{Column: "body"}}),
		"3,1,x\n4,2,y\n": set(Options{}), "1 1:2 2:5\n-1 2:3\n": set(Options{Format: FormatLIBSVM}),
		"2 1:2\n": set(Options{}),
		"split,labelled_rows\n0,1 2\n1,3\n": func(in io.Reader) error {
			_,
				err := parseSplits(context.Background(), in, "f", 12)
			return err
		},
		"1 2\n3\n": func(in io.Reader) error {
			_,
				err := parseRows(context.Background(), in, "f", 12)
			return err
		},
	}
}

// TestBrokenReaders: wherever a file can be read no further, or a packed one ends too soon, reading fails
// and says so; never are the rows until there taken for all.
func TestBrokenReaders(t *testing.T) {
	for text, read := range readings() {
		if err := read(strings.NewReader(text)); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for n := range len(text) + 1 {
			err := read(broken{strings.NewReader(text[:n])})
			if n == 0 && !strings.Contains(fmt.Sprint(err), "the disk is gone") {
				t.Errorf("%q, of which nothing can be read: %v", text, err)
			}
			if e := (*Error)(nil); !errors.As(err, &e) ||
				n == len(text) && !strings.Contains(err.Error(), "cannot be read further: the disk is gone; make or fetch it again") {
				t.Errorf("%q: %v", text[:n], err)
			}
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := read(bytes.NewReader(packed.Bytes())); err != nil {
			t.Errorf("packed %q: %v", text, err)
		}
		for n := range packed.Len() {
			if err := read(bytes.NewReader(packed.Bytes()[:n])); err == nil {
				t.Errorf("%q is read from %d of %d packed bytes", text, n, packed.Len())
			}
		}
	}
}

// TestMemoryLimit: a text is read with the memory that it needs and refused with any less, by each of
// the lists that grow.
func TestMemoryLimit(t *testing.T) {
	var table, thin, full strings.Builder
	table.WriteString("a,b,label\n")
	full.WriteString("a,b,id,w,g,o,label\n")
	for i := range 200 {
		fmt.Fprintf(&table, "%d,%d,class %d\n", i, i, i)
		fmt.Fprintf(&full, "%d,%d,r%d,%d,g%d,%d,class %d\n", i, i, i, i, i%7, i, i)
		fmt.Fprintf(&thin, "%d 1:%d 3:7\n", i, i+1)
	}
	for _, c := range []struct {
		format Format
		text   string
		beside bool // there are cells beside the features
	}{{FormatCSV, table.String(), false}, {FormatLIBSVM, thin.String(), false}, {FormatCSV, full.String(), true}} {
		read := func(limit int64) error {
			o := Options{Format: c.format, MemoryLimit: limit, Stdin: strings.NewReader(c.text)}
			if c.beside {
				o.ID, o.Weight, o.Group, o.Order = "id", "w", "g", "o"
			}
			_, _, err := Open(t.Context(), "-", o)
			return err
		}
		enough := int64(sort.Search(1<<17, func(limit int) bool { return limit > 0 && read(int64(limit)) == nil }))
		least := int64(200 * (8 + 16 + 2*8)) // lines, answers and two features or entries
		if c.beside {
			least += 4 * 200 * 16
		} else if c.format == FormatLIBSVM {
			least = 200 * (8 + 8 + 16 + 2*12)
		}
		if enough < least || enough > 2*least {
			t.Errorf("%s: %d bytes are enough for rows of %d", c.format, enough, least)
		}
		for limit := int64(1); limit < enough; limit += 1 + min(limit/16, max(40, (enough-limit-3000)/8)) {
			if err := read(limit); err == nil || !strings.Contains(err.Error(), "of memory, over the limit of") {
				t.Fatalf("%s with %d bytes: %v", c.format, limit, err)
			}
		}
	}
}

// TestQuotedLines: a quoted value may have a thousand lines and no more.
func TestQuotedLines(t *testing.T) {
	for lines, right := range map[int]bool{2: true, 1000: true, 1001: false} {
		text := "a,label\n1,\"" + strings.Repeat("x\n", lines-1) + "x\"\n"
		if _, _, err := CSV(t.Context(), strings.NewReader(text), "f", Options{}); err == nil != right {
			t.Errorf("%d lines: %v", lines, err)
		}
	}
}

// TestOpenNames: files are told by their endings, and what is no file by what would do.
func TestOpenNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.CSV": "1 1:2,3\n4,5\n", "b.svm": "1 1:2\n", "c.libsvm": "1 1:2\n",
		"d.svmlight": "1 1:2\n", "e.txt": "1 1:2\n", "f.tsv": "a\tb\n1\t2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a.CSV": "columns", "b.svm": "sparse true", "c.libsvm": "sparse true", "d.svmlight": "sparse true", "e.txt": "sparse true",
		"f.tsv":    `columns ["a"]`,
		"none.csv": "none.csv: no such file or directory; check the name and its permissions",
		"none":     "none: no such file or built-in set; mercer data lists the built-in sets",
		"iris:n=3": `iris:n=3: iris takes no parameters; drop ":n=3"`,
		"sinc:n=3": `sinc, sinc:n=3: 3 x 1, sparse false, columns ["x0"], label "target"`,
	} {
		if got := said(Open(t.Context(), name, Options{})); !strings.Contains(got, want) &&
			!(name == "a.CSV" && strings.HasPrefix(got, "error a.CSV:")) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for want, o := range map[string]Options{
		`columns ["x0"], label "target"`:                                     {Label: "target"},
		`columns ["target"], label "x0"`:                                     {Label: "x0"},
		`error moons-det:n=2: 2 features, the model has 3`:                   {Dim: 3},
		`error moons-det:n=2: no column "y", which the model needs`:          {Want: []string{"y"}},
		`moons-det, moons-det:n=2: 2 x 2, sparse false, columns ["x1" "x0"]`: {Want: []string{"x1", "x0"}},
		`label "label", answers ["" "-1"]`:                                   {UnlabelledMark: "1"},
	} {
		name := "moons-det:n=2"
		if o.Label != "" {
			name = "sinc:n=3"
		}
		if got := said(Open(t.Context(), name, o)); !strings.Contains(strings.ReplaceAll(got, ":1: ", ": "), want) {
			t.Errorf("%s with %+v: %s, want %s", name, o, got, want)
		}
	}
}

// TestRowsAtTheLimit: rows are read whole or refused, whatever memory is allowed.
func TestRowsAtTheLimit(t *testing.T) {
	const columns = 6
	var b strings.Builder
	b.WriteString("a,b,c,d,e,f,label\n")
	for i := range 200 {
		for j := range columns {
			fmt.Fprintf(&b, "%d,", i*columns+j+1)
		}
		fmt.Fprintf(&b, "class %d\n", i)
	}
	taken, refused := 0, 0
	for limit := int64(8 << 10); limit < 48<<10; limit += 500 {
		s, _, err := Open(t.Context(), "-", Options{Format: FormatCSV, MemoryLimit: limit, Stdin: strings.NewReader(b.String())})
		if err != nil {
			refused++
			continue
		}
		taken++
		for k, v := range s.Rows.Dense.RawMatrix().Data {
			if v != float64(k+1) {
				t.Fatalf("%d bytes: value %d is %g", limit, k+1, v)
			}
		}
		if len(s.Answers) != 200 || s.Answers[199] != "class 199" || s.Lines[199] != 201 {
			t.Fatalf("%d bytes: %d answers, the last %q of line %d", limit, len(s.Answers), s.Answers[199], s.Lines[199])
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d limits are enough, %d are not", taken, refused)
	}
}
