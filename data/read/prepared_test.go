package read

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/data"
)

// mixed is a table of many kinds of columns, so many rows.
func mixed(n int) string {
	var b strings.Builder
	b.WriteString("row;name;size;town;since;member;price;label\n")
	for i := range n {
		price := strings.ReplaceAll(fmt.Sprintf("%.1f €", float64(i%17)/2), ".", ",")
		if i%9 == 4 {
			price = "n/a"
		}
		fmt.Fprintf(&b, "%d;person %d;%s;%s;%02d.03.201%d;%s;%s;%s\n", i+1, i, []string{"S", "M", "L"}[i%3], []string{"K\xf6ln",
			"Ulm", "", "Bonn"}[i%4],
			1+i%28, i%10, []string{"ja", "nein"}[i%2], price, []string{"1,5", "2,25", ""}[i%3])
	}
	return b.String()
}

// TestPrepared: a table is the same from a file, packed, from a pipe, and by batches; answers have no part in it.
func TestPrepared(t *testing.T) {
	text := mixed(3000)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.csv.gz")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	for name, content := range map[string][]byte{plain: []byte(text), packed: z.Bytes()} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, warnings, err := Open(t.Context(), plain, Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].String(), "2: text that is not UTF-8 is read as Windows-1252") {
		t.Errorf("warnings %v", warnings)
	}
	want := "size=L|size=M|size=S|town=Bonn|town=Köln|town=Ulm|town missing|since|since month sin|since month cos|since weekday " +
		"sin|since weekday cos|" +
		"member|price|price missing"
	if got := strings.Join(set.Features, "|"); got != want {
		t.Errorf("features %s", got)
	}
	if a := set.Answers; a[0] != "1.5" || a[1] != "2.25" || a[2] != "" {
		t.Errorf("answers %q", a[:3])
	}
	for i, j := range []int{0, 1, 2, 8, 13} {
		if got, want := set.Rows.Dense.At(4, j), []float64{0, 1, 0, set.Rows.Dense.At(4, 8), 4}[i]; got != want {
			t.Errorf("row 4 has %g in column %d, want %g", got, j, want)
		}
	}
	if set.Rows.Dense.At(4, 14) != 1 || set.Rows.Check() != nil {
		t.Error("the missing price is not marked, or some number is not filled in")
	}
	same := func(from string, got *data.Set, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(from, err)
		}
		if d := cmp.Diff(set.Table, got.Table); d != "" {
			t.Errorf("%s: table\n%s", from, d)
		}
		if d := cmp.Diff(set.Rows.Dense.RawMatrix().Data, got.Rows.Dense.RawMatrix().Data); d != "" {
			t.Errorf("%s: rows differ", from)
		}
	}
	got, _, err := Open(t.Context(), packed, Options{Prepare: true})
	same("packed", got, err)
	got, _, err = Open(t.Context(), "-", Options{Prepare: true, Format: FormatCSV,
		Stdin: struct{ *strings.Reader }{strings.NewReader(text)}})
	same("pipe", got, err)
	got, _, err = Open(t.Context(), plain, Options{Table: set.Table, Label: "label"})
	same("with its table", got, err)
	blank := filepath.Join(dir, "b.csv")
	hidden := strings.ReplaceAll(strings.ReplaceAll(text, ";1,5\n", ";\n"), ";2,25\n", ";other\n")
	if err := os.WriteFile(blank, []byte(hidden), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _, err = Open(t.Context(), blank, Options{Prepare: true})
	same("other answers", got, err)

	s := NewStream(plain, Options{Table: set.Table, LabelOptional: true, ID: "name"}, 1000)
	n := 0
	for batch, err := range s.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Rows.Len() {
			if batch.ID[i] != fmt.Sprint("person ", n) {
				t.Fatalf("row %d is called %s", n, batch.ID[i])
			}
			if !cmp.Equal(batch.Rows.Dense.RawRowView(i), set.Rows.Dense.RawRowView(n)) {
				t.Fatalf("row %d differs in a stream", n)
			}
			n++
		}
	}
	if n != 3000 {
		t.Errorf("%d rows", n)
	}
}

// writer writes files into a folder of the test's own and returns their paths.
func writer(t *testing.T) func(name, text string) string {
	t.Helper()
	dir := t.TempDir()
	return func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// TestLook: files that together are a table show of it what one file does, and a fault names its file.
func TestLook(t *testing.T) {
	write := writer(t)
	text := mixed(1000)
	head, rest, _ := strings.Cut(text, "\n")
	lines := strings.SplitAfter(rest, "\n")
	o := Options{Prepare: true}
	set, _, err := Open(t.Context(), write("whole.csv", text), o)
	if err != nil {
		t.Fatal(err)
	}
	joined := func(files []string) *Seen {
		var all *Seen
		for k, f := range files {
			seen, err := Look(t.Context(), f, k, o)
			if err != nil {
				t.Fatal(err)
			}
			if all == nil {
				all = seen
			} else if err := all.Join(seen); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	var files []string
	for k := range 4 {
		files = append(files, write(fmt.Sprintf("part%d.csv", k), head+"\n"+strings.Join(lines[250*k:250*(k+1)], "")))
	}
	got, err := joined(files).Decide(files, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Table.Columns {
		set.Table.Columns[i].Fill = nil // which the rows show
	}
	if d := cmp.Diff(set.Table, got); d != "" {
		t.Error(d)
	}
	first, err := Head(t.Context(), files[1], o)
	if err != nil || first.Label() != "label" || strings.Join(first.Features(), " ") != "row name size town since member price" {
		t.Errorf("%+v, %v", first, err)
	}
	files = append(files, write("other.csv", "label;price;member;since;town;size;name;row\n1;inf;ja;01.03.2010;Ulm;S;x;9\n"))
	_, err = joined(files).Decide(files, o)
	if err == nil || !strings.Contains(err.Error(), `other.csv:2:2: column "price": "inf" is not finite`) {
		t.Error(err)
	}
	seen, err := Look(t.Context(), write("fewer.csv", "label;price\n1;2\n"), 0, o)
	if err == nil {
		err = joined(files).Join(seen)
	}
	if err == nil || !strings.Contains(err.Error(), "columns") {
		t.Error(err)
	}
}

// TestNumbersAlone: a table of numbers is read as without Prepare, unless a column counts its rows.
func TestNumbersAlone(t *testing.T) {
	text := "a,b,label\n"
	for i := range 30 {
		text += fmt.Sprintf("%d,5,%d\n", i*i, i%2)
	}
	plain, _, err := CSV(t.Context(), strings.NewReader(text), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	open := func(text string, o Options) *data.Set {
		o.Prepare, o.Format, o.Stdin = true, FormatCSV, strings.NewReader(text)
		s, _, err := Open(t.Context(), "-", o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(text, Options{})
	s.Name, s.Source = plain.Name, plain.Source
	if s.Table != nil || !cmp.Equal(s.Rows.Dense.RawMatrix(), plain.Rows.Dense.RawMatrix()) || !cmp.Equal(s.Features, plain.Features) {
		t.Error("a table of numbers is not read as it is")
	}
	if d := open(text, Options{Describe: true}); d.Table == nil || !cmp.Equal(d.Features, plain.Features) {
		t.Error("its description does not keep its columns")
	}
	counting := ",a,b,label\n"
	for i, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		counting += fmt.Sprintf("%d,%s\n", i, line)
	}
	s = open(counting, Options{})
	if s.Table == nil || strings.Join(s.Features, " ") != "a" || s.Table.Columns[0].Name != "unnamed 1" {
		t.Errorf("a column that counts rows: %v", s.Features)
	}
	before := func(name string, cell func(i int) int) *data.Set {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		lines[0] = name + "," + lines[0]
		for i := range lines[1:] {
			lines[i+1] = fmt.Sprintf("%d,%s", cell(i), lines[i+1])
		}
		return open(strings.Join(lines, "\n"), Options{})
	}
	if s := before("customer_id", func(i int) int { return 7000 + i*i }); s.Table == nil || strings.Join(s.Features, " ") != "a" {
		t.Errorf("numbers of an id: %v", s.Features)
	}
	if s := before("customer_id", func(i int) int { return 7000 + i/2 }); s.Table != nil || s.Rows.Dim() != 3 {
		t.Errorf("numbers that recur under the name of an id: %v", s.Features)
	}
	s = before("day", func(i int) int { return 20180201 + 100*(i%10) + i/10 })
	if s.Table == nil || s.Table.Columns[0].Kind != data.KindDate {
		t.Errorf("dates of eight digits: %v", s.Features)
	}
	if s := before("day", func(i int) int { return 20180201 + 3*i }); s.Table != nil {
		t.Errorf("days above 31: %v", s.Features)
	}
}

// TestBeside: the columns that flags name, and what is refused.
func TestBeside(t *testing.T) {
	text := "id,w,g,a,b,c,label\nx,1,p,1,2,3,0\ny,0.5,q,4,5,6,1\n"
	open := func(o Options) (*data.Set, error) {
		o.Prepare, o.Format, o.Stdin = true, FormatCSV, strings.NewReader(text)
		s, _, err := Open(t.Context(), "-", o)
		return s, err
	}
	s, err := open(Options{ID: "id", Weight: "w", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Features, s.ID, s.Weight, s.Group) != "[a b c] [x y] [1 0.5] [p q]" {
		t.Error(s.Features, s.ID, s.Weight, s.Group)
	}
	if r := s.Select([]int{1}); fmt.Sprint(r.ID, r.Weight, r.Group) != "[y] [0.5] [q]" {
		t.Error(r.ID, r.Weight, r.Group)
	}
	for want, o := range map[string]Options{
		"[a c]":   {Drop: []string{"id", "w", "g", "b"}},
		"[b c]":   {Features: []string{"b..c"}},
		"[w a]":   {Features: []string{"a", "w"}},
		"[b]":     {Features: []string{"b*"}},
		"[a b c]": {Drop: []string{"id..g"}},
	} {
		s, err := open(o)
		if err != nil || fmt.Sprint(s.Features) != want || s.LabelName != "label" {
			t.Errorf("%v, %v, want %s", s, err, want)
		}
	}
	for want, o := range map[string]Options{
		`standard input:1: --drop z: no such column; columns are id, w`:                     {Drop: []string{"z"}},
		`standard input:1: no column "z", which --id names`:                                 {ID: "z"},
		`standard input:2:1: column "id": the weight "x" is no number from 0 to`:            {Weight: "id"},
		`standard input:1:7: --drop label: it is the column of the labels`:                  {Drop: []string{"label"}, Label: "label"},
		`standard input:1:1: column "id" is named twice, with --weight and as another part`: {ID: "id", Weight: "id"},
		`standard input:1:4: column "a" is named with --features and as no feature`: {Features: []string{"a"},
			Drop: []string{"a"}},
		`-: the columns that are given: column "a": unknown kind "x"`:    {Given: []data.Column{{Name: "a", Kind: "x"}}},
		`standard input:1: no column "z", which the file of columns has`: {Given: []data.Column{{Name: "z"}}},
		`standard input:1:4: column "a": "1" is none of its levels 4; list it in "levels", or corre`: {
			Given: []data.Column{{Name: "a", Kind: "ordered", Levels: []string{"4"}}},
		},
	} {
		if _, err := open(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestManyWords: a column of very many words and very long cells is read in memory that is bounded.
func TestManyWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,word,long,label\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "%d,w%d,%s,%d\n", i*i%101, i%9000, strings.Repeat("x", 300+i%7), i%2)
	}
	s, _, err := Open(t.Context(), "-", Options{Prepare: true, Format: FormatCSV, Stdin: strings.NewReader(b.String()),
		MemoryLimit: 64 << 20})
	if err != nil || len(s.Features) > 200 {
		t.Fatalf("%v, %v", s, err)
	}
	if c := s.Table.Columns[1]; c.Kind != data.KindIgnored && (len(c.Levels) > 64 || !c.Other) {
		t.Errorf("%+v", c)
	}
}

// TestDecoded: what is not UTF-8 is Windows-1252, unless it has bytes without a character there.
func TestDecoded(t *testing.T) {
	for text, want := range map[string]string{"K\xf6ln": "Köln", "5 \x80": "5 €", "Köln": "Köln", "\x81": "-", "a\x00": "-", "": ""} {
		got, ok := decoded([]byte(text))
		if !ok {
			got = []byte("-")
		}
		if string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPointed: decimal commas of answers, in files that are divided by semicolons.
func TestPointed(t *testing.T) {
	for text, want := range map[string]string{"1,5": "1.5", "-1,5": "-1.5", "a,b": "a,b", "1,2,3": "1,2,3", ",5": ",5", "5,": "5,",
		"-,5": "-,5", "7": "7"} {
		got := []byte(text)
		pointed(got)
		if string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestMarksOfMissing: a mark stands for a missing cell of every column, one with the name of a column only there; a name that no
// column has is a part of the mark.
func TestMarksOfMissing(t *testing.T) {
	got := Options{Marks: []string{"-9", "b=x", "c=1", "=y", "a=p=q"}}.emptyOf([]string{"a", "b"})
	if want := [][]string{{"-9", "c=1", "=y", "p=q"}, {"-9", "x", "c=1", "=y"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if (Options{}).emptyOf([]string{"a"}) != nil {
		t.Error("no marks stand for something")
	}
	text := "a,b,label\n1,-9,u\n-9,5,v\n3,x,u\n"
	s, _, err := wholeOf(t, text, Options{Prepare: true, Marks: []string{"a=-9", "b=x"}, Missing: true})
	if err != nil || fmt.Sprint(s.Features) != "[a a missing b b missing]" || s.Rows.Dense.At(0, 2) != -9 || s.Rows.Dense.At(1, 1) != 1 ||
		s.Rows.Dense.At(2, 3) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestFaultsBeforeRows: what cannot be opened, decoded or put in order is said of the file, by all ways of reading it.
func TestFaultsBeforeRows(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join("docs", "u"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join("docs", "u", "1"): "some words", "wide.csv": "a\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00",
		"order.csv": "o,a,label\n1,2,x\n2,3,y\nlate,4,x\n", "short.csv": "a,label\n1,x\n", "head.csv": "a,label\n",
		"late.jsonl": strings.Repeat("{\"a\":1,\"c\":\"x\"}\n", 6000) + "{\"b\":1}\n",
		"wide.jsonl": "{\x00\"\x00a\x00\"\x00:\x001\x00}\x00\n\x00", "words.csv": "body,y\nsome words,1\nmore words,2,3\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const wide = ": UTF-16 text without a byte-order mark; save it as UTF-8, or with the mark"
	body, twice := Options{Text: &data.Text{Column: "body"}}, Options{Text: &data.Text{Column: "body"}, Want: []string{"some", "some"}}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"none.csv", Options{Prepare: true}, "none.csv: no such file or directory; check the name and its permissions"},
		{"irris", Options{}, "irris: no such file or built-in set; did you mean iris?; mercer data lists the built-in sets"},
		{"wide.csv", Options{}, "wide.csv" + wide}, {"wide.csv", Options{Prepare: true}, "wide.csv" + wide},
		{"wide.csv", body, "wide.csv" + wide},
		{"wide.jsonl", Options{}, "wide.jsonl" + wide}, {"wide.csv", Options{Format: FormatARFF}, "wide.csv" + wide},
		{"wide.csv", Options{Format: FormatLIBSVM}, "wide.csv" + wide},
		{"wide.csv", Options{Format: FormatARFF, Prepare: true}, "wide.csv" + wide},
		{"order.csv", Options{Order: "o"}, `order.csv:4:1: column "o": "late" is no`},
		{"short.csv", Options{Features: []string{"z"}}, "short.csv:1: --features z: no such column; columns are a"},
		{"late.jsonl", Options{}, `late.jsonl:6001: the key "b", which none of the first objects has; give the first object all keys`},
		{"short.csv", Options{Dialect: Dialect{Skip: "x"}}, "short.csv: --skip x; give a number of lines"},
		{"short.csv", Options{Dialect: Dialect{Skip: "-1"}}, "short.csv: --skip -1; give a number of lines"},
		{"head.csv", Options{Prepare: true, Given: []data.Column{{Name: "a"}}}, "head.csv:1: "},
		{"short.csv", Options{Format: FormatLIBSVM, Drop: []string{"a"}}, "short.csv: columns of LIBSVM text have no names"},
		{"short.csv", Options{Prepare: true, Drop: []string{"a"}, Describe: true}, "short.csv:1: no feature column"},
		{"short.csv", Options{Prepare: true, Given: []data.Column{{Name: "a", Kind: data.KindIgnored}}}, "short.csv: no column to learn from: "},
		{"head.csv", Options{Prepare: true}, "head.csv:1: a header but no rows; give rows of data below it"},
		{"short.csv", Options{Dialect: Dialect{Skip: "2"}}, "short.csv: empty file; give a header line and rows"},
		{"short.csv", Options{Dialect: Dialect{Skip: "3"}}, "short.csv: --skip 3: the text has not so many lines; skip fewer"},
		{"words.csv", twice, `words.csv: text: words 1 and 2 are both "some"`}, {"docs", twice, `docs: text: words 1 and 2 are both "some"`},
		{"words.csv", body, "words.csv:3:3: 3 values where the first line has 2"},
	} {
		if _, _, err := Open(t.Context(), c.name, c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for batch, err := range NewStream("words.csv", body, 1).Batches(t.Context()) {
		if err == nil {
			t.Errorf("documents of which one is faulty: %v", batch)
		}
	}
	if _, err := Splits(t.Context(), "none.csv", 3); err == nil || !strings.HasPrefix(err.Error(), "none.csv: no such file") {
		t.Errorf("splits of no file: %v", err)
	}
	if err := os.WriteFile("large", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]string{1<<28 + 1: "large: a document of more than 268435456 bytes; check that this is text", 0: ""} {
		if err := os.Truncate("large", size); err != nil {
			t.Fatal(err)
		}
		if _, err := contentOf("large"); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("a document of %d bytes: %v", size, err)
		}
	}
	const gone = "none: no such file or directory; check the file and its permissions"
	if _, err := contentOf("none"); err == nil || err.Error() != gone {
		t.Errorf("a document that is gone: %v", err)
	}
	if _, err := CellsOf(t.Context(), &data.Set{Source: "none.csv"}); err == nil || !strings.Contains(err.Error(), "none.csv: no such file") {
		t.Errorf("cells of no file: %v", err)
	}
}

// TestWarningsOfTables: numbers far from all others, and columns that group or order the rows, are told, unless it was said what they are.
func TestWarningsOfTables(t *testing.T) {
	text := "day,n,colour,label\n" + rowsOf(60, func(i int) string {
		n := i * i % 17
		if i%12 == 5 {
			n = -999
		}
		return fmt.Sprintf("2026-%02d-%02d,%d,%s,%c", 1+i/28, 1+i%28, n, []string{"red", "blue"}[i%2], 'x'+i%2)
	})
	const far, order = `column "n": 5 cells are -999, far from all others`, `column "day": dates rise with the rows`
	for _, c := range []struct {
		o          Options
		far, order bool
	}{
		{Options{}, true, true}, {Options{Marks: []string{"n=-999"}}, false, true}, {Options{Order: "day"}, true, false},
		{Options{Group: "colour"}, true, false}, {Options{Drop: []string{"n"}}, false, true},
	} {
		c.o.Prepare = true
		_, warnings, err := wholeOf(t, text, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if said := fmt.Sprint(warnings); strings.Contains(said, far) != c.far || strings.Contains(said, order) != c.order {
			t.Errorf("%+v: %s", c.o, said)
		}
	}
	strict := Options{Prepare: true, Strict: true, Order: "day"}
	if _, _, err := wholeOf(t, text, strict); err == nil || !strings.Contains(err.Error(), far) {
		t.Errorf("a guess that is not allowed: %v", err)
	}
}

// TestTablesWithoutNames: rows without names are read for a model by the places of their columns, with labels and without.
func TestTablesWithoutNames(t *testing.T) {
	text := rowsOf(20, func(i int) string {
		return fmt.Sprintf("%s,%d.5,%d.25,k%d,%c", []string{"red", "blue"}[i%2], i*i%11, i*i%7, i, 'x'+i%2)
	})
	learned, _, err := wholeOf(t, text, Options{Prepare: true, Drop: []string{"x1"}, ID: "x3"})
	if err != nil || fmt.Sprint(learned.Features) != "[x0=blue x0=red x2]" {
		t.Fatalf("%+v, %v", learned, err)
	}
	for rows, want := range map[string]string{
		"red,7.5,1.5,a,x\nblue,8.5,2.5,b,\n": "[0 1 1.5 1 0 2.5] [a b] [x ]", "red,7.5,1.5,a\nblue,8.5,2.5,b\n": "[0 1 1.5 1 0 2.5] [a b] []",
	} {
		s, _, err := wholeOf(t, rows, Options{Table: learned.Table, LabelOptional: true})
		if err != nil {
			t.Errorf("%q: %v", rows, err)
		} else if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data, s.ID, s.Answers); got != want {
			t.Errorf("%q: %s, want %s", rows, got, want)
		}
	}
	for _, rows := range []string{"red,7.5,1.5,a\nblue,8.5,2.5,b\n", "7.5,1.5,1\n8.5,2.5,2\n"} {
		_, _, err := wholeOf(t, rows, Options{Table: learned.Table})
		if err == nil || !strings.Contains(err.Error(), "columns without names, but 5 are expected") {
			t.Errorf("%q: %v", rows, err)
		}
	}
}

// TestWarningsOfRowsForModels: words that a model has not seen, cells that are missing and rows without a value are counted and told.
func TestWarningsOfRowsForModels(t *testing.T) {
	learned, _, err := wholeOf(t, "n,colour,label\n"+rowsOf(20, func(i int) string {
		return fmt.Sprintf("%d.5,%s,%c", i*i%11, []string{"red", "blue"}[i%2], 'x'+i%2)
	}), Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	_, said, err := wholeOf(t, "n,colour\n1.5,green\n2.5,red\n3.5,green\n", Options{Table: learned.Table, LabelOptional: true})
	if err != nil || !strings.Contains(fmt.Sprint(said), "green") {
		t.Errorf("a word that is not known: %v, %v", said, err)
	}
	_, said, err = wholeOf(t, "a,b\n1,\n,2\n3,\n", Options{Want: []string{"a", "b"}, Fill: []float64{7, 8}, LabelOptional: true})
	if text := fmt.Sprint(said); err != nil || !strings.Contains(text, `column "a": no value in 1 row, `) ||
		!strings.Contains(text, `column "b": no value in 2 rows, though all that were learned from have one; there it counts as the median, 8`) {
		t.Errorf("cells that are missing: %v, %v", said, err)
	}
	set, said, err := wholeOf(t, "a,b,label\n1,2,x\n,,\n3,4,y\n,,\n5,6,x\n", Options{Prepare: true})
	if err != nil || set.Rows.Len() != 3 || !strings.Contains(fmt.Sprint(said), "left out: 2 rows without any value") {
		t.Errorf("rows without a value: %v, %v", said, err)
	}
}

// TestNotReadAgain: a text that cannot be read again from its beginning is refused, before anything is made of what is left of it.
func TestNotReadAgain(t *testing.T) {
	f, err := os.Open(writer(t)("t.csv", "a,label\n1,x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*replay{{name: "f", file: f}, {name: "f", kept: f, in: strings.NewReader("")}} {
		_, _, decided := s.decided(t.Context(), Options{}, nil)
		for _, err := range []error{s.again(), decided} {
			var fault *Error
			if !errors.As(err, &fault) || fault.File != "f" || !strings.Contains(err.Error(), os.ErrClosed.Error()) {
				t.Errorf("a closed file: %v", err)
			}
		}
	}
}
