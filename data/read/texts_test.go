package read

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/internal/text"
)

// mails is a table with what text has: line ends and quotes in cells, bytes that are no UTF-8, empty cells, a mark at its
// beginning.
const mails = "\xef\xbb\xbfid,body,kind\r\n1,\"Dear all,\nsee \"\"you\"\" soon\",ham\r\n2,buy now buy,spam\r\n\r\n3,,\r\n" +
	"4,caf\xe9 Été été,ham\r\n5,\"soon, you\n\nbuy\",\r\n"

// Cells are documents, whatever is in them; columns beside text and label are left out and named.
func TestTexts(t *testing.T) {
	o := Options{Text: &data.Text{Column: "body"}}
	s, w, err := readText(t, mails, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"all", "buy", "caf", "dear", "now", "see", "soon", "you", "été"}
	if !slices.Equal(s.Features, want) || s.LabelName != "kind" || !slices.Equal(s.Answers, []string{"ham", "spam", "", "ham", ""}) ||
		!slices.Equal(s.Lines, []int{2, 4, 6, 7, 8}) || *s.Text != *o.Text {
		t.Errorf("%+v", s)
	}
	if got := s.Rows.Sparse.ToDense().RawRowView(3); !slices.Equal(got, []float64{0, 0, 1, 0, 0, 0, 0, 0, 2}) {
		t.Errorf("row 3 is %v", got)
	}
	const torn = "f:7: some bytes are no text, and divide words"
	if len(w) != 2 || w[0].String() != `f:1: only the words of "body" are used; left out: id` || w[1].String() != torn {
		t.Errorf("warnings %v", w)
	}
	o.Want, o.LabelOptional = []string{"soon", "buy"}, true
	s, w, err = readText(t, mails, o)
	if err != nil || s.Rows.Dim() != 2 || s.Rows.Sparse.NNZ() != 4 || len(w) != 4 ||
		w[2].What != "64.3 % of the words, 9 of 14, are not in the list that was learned and count for nothing" ||
		w[3].What != "2 of 5 documents have no word of the list: their rows are zero, and their outputs those of the machine "+
			"for such a row" {
		t.Errorf("%+v, %v, %v", s.Rows, w, err)
	}
}

// TestDocumentsOfInput: documents of standard input are of the format that their first line shows, which is never LIBSVM text, in a column
// whose name may differ in case.
func TestDocumentsOfInput(t *testing.T) {
	for in, want := range map[string][]string{
		`{"Body":"buy now","kind":"spam"}` + "\n" + `{"Body":"see you","kind":"ham"}` + "\n": {"buy", "now", "see", "you"},
		`[{"body":"buy"},{"body":"see"}]`:                            {"buy", "see"},
		"@relation r\n@attribute BODY string\n@data\n'buy'\n'see'\n": {"buy", "see"},
		" body \nbuy\nsee\n":                                         {"buy", "see"},
		"body\n1:2\n{}\n\x93see\n":                                   {"see"},
	} {
		o := Options{Text: &data.Text{Column: "body"}, LabelOptional: true, Stdin: strings.NewReader(in)}
		s, _, err := Open(t.Context(), "-", o)
		if err != nil || !slices.Equal(s.Features, want) {
			t.Errorf("%q: %+v, %v", in, s, err)
		}
	}
}

// readText reads text.
func readText(t *testing.T, in string, o Options) (*data.Set, []Warning, error) {
	t.Helper()
	o.Format = FormatCSV
	return parsed(t.Context(), strings.NewReader(in), "f", o, cutting{})
}

// Wherever a text is cut, whoever counts and in whatever batches, the rows are those of encoding/csv.
func TestTextsAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var b bytes.Buffer
		out := csv.NewWriter(&b)
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`([ab]{0,3}[ ,"\n])*[ab]{0,3}`), 2, 2), 1, 12).Draw(r, "rows")
		documents := make([]string, len(rows))
		_ = out.Write([]string{"kind", "body"})
		for i, row := range rows {
			row[0] = "c" // all blank would be no row
			documents[i] = row[1]
			_ = out.Write(row)
		}
		out.Flush()
		o := Options{Format: FormatCSV, Text: &data.Text{Column: "body", NGrams: rapid.IntRange(0, 3).Draw(r, "ngrams")}}
		c := cutting{block: rapid.IntRange(1, 40).Draw(r, "block"), workers: rapid.IntRange(1, 3).Draw(r, "workers")}
		want, err := text.Learn(t.Context(), documents, *o.Text)
		got, _, is := parsed(t.Context(), bytes.NewReader(b.Bytes()), "f", o, c)
		if (err == nil) != (is == nil) {
			r.Fatalf("%v, by the slow way %v", is, err)
		}
		if err != nil {
			return
		}
		if !slices.Equal(got.Features, want.Features) || !reflect.DeepEqual(got.Rows.Sparse.ToDense(), want.Rows.Sparse.ToDense()) {
			r.Fatalf("%q\n%v\n%v", b.String(), got.Rows.Sparse, want.Rows.Sparse)
		}
		o.Want, o.LabelOptional, o.Label = want.Features, true, "kind"
		batches, _, err := joinedBatches(t.Context(), bytes.NewReader(b.Bytes()), o, c, rapid.IntRange(1, 5).Draw(r, "batch"))
		if err != nil || !reflect.DeepEqual(batches.Rows.Sparse.ToDense(), want.Rows.Sparse.ToDense()) || len(batches.Answers) != len(rows) {
			r.Fatalf("batches: %v, %v", batches, err)
		}
	})
}

func TestTextFaults(t *testing.T) {
	body := Options{Text: &data.Text{Column: "body"}}
	model := Options{Text: &data.Text{}, Want: []string{"ab"}, LabelOptional: true}
	limited := body
	limited.MemoryLimit = 5000
	labelled := body
	labelled.Label = "body"
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"", body, "f: empty file; give a header line and rows"},
		{"body,y\n", body, "f:1: a header but no rows; give rows of data below it"},
		{"text,y\nab,1\n", body, `f:1: no column "body" of text; columns are text, y; name one of them with --text`},
		{"text,y\nab,1\n", model,
			"f:1: a table, of which no column is named as that of the text; columns are text, y; name one of them with --text"},
		{"body\nab\n", body, "f:1: no label column beside the text; give a column of labels, empty where there is none"},
		{"body,y\nab,1,2\n", body, "f:2:3: 3 values where the first line has 2; give every row as many values as there are columns"},
		{"body,y\nab,\x81\n", body, `f:2:2: label "\x81" is not text; save the file as UTF-8`},
		{"body,y\n\"ab,1\n", body, "f:2:1: quote never closed; close it, or double it where it is meant"},
		{"body,y\na b,1\n", body, "f: no document has a word, two letters or digits at least; check that this is the text"},
		{"body,y\nab,1\n", labelled, `f:1:1: column "body" is named as text and as label; name two columns with --text and --label`},
		{"body,y\n" + strings.Repeat("ab cd,1\n", 300), limited,
			"f:66: reading on needs 5249 B of memory, over the limit of 5000 B; raise --memory, or use fewer rows or columns"},
	} {
		_, _, err := readText(t, c.text, c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.30q: %v, want %s", c.text, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"iris":  "iris: a built-in set has numbers, not text; leave out --text, or give CSV or a folder",
		"x.svm": "x.svm: text is read from CSV or from a folder; leave out --text, or give such data",
	} {
		if _, _, err := Open(t.Context(), name, body); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMemoryOfDocuments: documents are read with the memory that they need and refused with any less, alone and for a model.
func TestMemoryOfDocuments(t *testing.T) {
	var b strings.Builder
	b.WriteString("body,y\n")
	for i := range 150 {
		fmt.Fprintf(&b, "word%d common text number%d,class %d\n", i, i%7, i%5)
	}
	whole, _, err := readText(t, b.String(), Options{Text: &data.Text{Column: "body"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{nil, whole.Features} {
		enough := false
		for limit := int64(64); limit < 1<<20; limit += 80 + limit/32 {
			s, _, err := readText(t, b.String(), Options{Text: &data.Text{Column: "body"}, Want: want, MemoryLimit: limit})
			switch {
			case err == nil:
				enough = true
				if s.Rows.Len() != 150 || len(s.Lines) != 150 || !slices.Equal(s.Answers, whole.Answers) ||
					s.Rows.Sparse.NNZ() != whole.Rows.Sparse.NNZ() {
					t.Fatalf("%d bytes: %d rows, %d lines, %d answers", limit, s.Rows.Len(), len(s.Lines), len(s.Answers))
				}
			case enough || !strings.Contains(err.Error(), "of memory, over the limit of"):
				t.Fatalf("%d bytes: %v", limit, err)
			}
		}
		if !enough {
			t.Error("a MB is too little")
		}
	}
}

// A document may have more lines than a cell of numbers.
func TestLongTexts(t *testing.T) {
	long := "body,y\n\"" + strings.Repeat("some words\n", 5000) + "\",1\nshort words,0\n"
	s, _, err := readText(t, long, Options{Text: &data.Text{Column: "body"}})
	if err != nil || s.Rows.Len() != 2 || s.Rows.Sparse.Value[0] != 5000 {
		t.Errorf("%+v, %v", s, err)
	}
}

// folder writes files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Sub-folders are classes, but for the one of the unlabelled; what begins with a dot is passed over, other files are counted.
func TestFolder(t *testing.T) {
	files := map[string]string{
		"spam/1.txt": "buy now", "ham/b/2": "see you", "ham/a": "you", "unlabelled/x": "buy you", ".git/y": "no no",
		"spam/.hidden": "no no",
		"README":       "read me",
	}
	s, w, err := Open(t.Context(), folder(t, files), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Features, []string{"buy", "now", "see", "you"}) || !slices.Equal(s.Answers, []string{"ham", "ham", "spam", ""}) ||
		s.LabelName != "class" || len(w) != 1 || w[0].What != "1 files in no sub-folder, or that are no plain files, are left out" {
		t.Errorf("%+v, %v", s, w)
	}
	want, o := s, Options{Text: s.Text, Want: s.Features, LabelOptional: true}
	flat := folder(t, map[string]string{"1": "see you", "2": "you", "3": "buy now", "4": "buy you"})
	s, w, err = Open(t.Context(), flat, o)
	row := func(s *data.Set) []float64 { return s.Rows.Sparse.ToDense().RawRowView(2) }
	if err != nil || s.Answers != nil || len(w) > 0 || !slices.Equal(row(s), row(want)) {
		t.Errorf("%+v, %v, %v", s, w, err)
	}
	n := 0
	for batch, err := range NewStream(flat, o, 3).Batches(t.Context()) {
		if err != nil || batch.Rows.RowID(0) != n {
			t.Fatal(err)
		}
		n += batch.Rows.Len()
	}
	if n != 4 {
		t.Errorf("%d rows in batches", n)
	}
}

func TestFolderFaults(t *testing.T) {
	for what, files := range map[string]map[string]string{
		": a folder of files, none of which has a label; " +
			"put those of each class into a sub-folder named after it, or name a file in it": {"a": "b"},
		": a folder without files; give documents, one a file":                                  {},
		"/a/b: UTF-16 text; save it as UTF-8":                                                   {"a/b": "\xff\xfea\x00"},
		": no document has a word, two letters or digits at least; check that this is the text": {"a/b": "1 2 3"},
	} {
		dir := folder(t, files)
		if _, _, err := Open(t.Context(), dir, Options{}); err == nil || filepath.ToSlash(err.Error()) != filepath.ToSlash(dir)+what {
			t.Errorf("%v, want %s", err, what)
		}
	}
	dir := folder(t, map[string]string{"a/1": "some words"})
	if _, _, err := Open(t.Context(), dir, Options{Want: []string{"x0"}}); err == nil ||
		err.Error() != dir+": is a folder of documents, the model knows columns; name a file" {
		t.Error(err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, _, err := Open(ctx, dir, Options{})
		return err
	})
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{
		mails, "body,label\nab cd,1\n", "a,body,\"y\"\n1,\"two\nlines \"\"q\"\"\",x\n", "body\nab\n", "y;body\n1;\"a;b\"\n", "",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, predict bool) {
		o := Options{Format: FormatCSV, MemoryLimit: 1 << 26, Text: &data.Text{Column: "body", NGrams: 2}, LabelOptional: predict}
		if predict {
			o.Want = []string{"ab", "ab cd"}
		}
		s, _, err := parsed(t.Context(), bytes.NewReader(in), "f", o, cutting{})
		if err != nil {
			checkFault(t, err)
			return
		}
		checkSet(t, s)
	})
}

// TestMemoryOfWords: new words take memory, and so do the words of each document: what is over the limit with both is refused, though
// either alone, or one document alone, would fit.
func TestMemoryOfWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("body,y\n")
	for k, label := range []string{"u", "v"} {
		for i := range 1000 {
			fmt.Fprintf(&b, "%c%03d ", 'a'+k, i)
		}
		fmt.Fprintf(&b, ",%s\n", label)
	}
	// 2000 words of 64 bytes, and of 12 in a document; blocks have a document each.
	for limit, fits := range map[int64]bool{100_000: false, 145_000: false, 160_000: true} {
		o := Options{Format: FormatCSV, Text: &data.Text{Column: "body"}, MemoryLimit: limit}
		s, _, err := parsed(t.Context(), strings.NewReader(b.String()), "f", o, cutting{block: 1, workers: 1})
		if (err == nil) != fits || err == nil && s.Rows.Dim() != 2000 || err != nil && !strings.Contains(err.Error(), "over the limit of") {
			t.Errorf("%d bytes: %v", limit, err)
		}
	}
}

// TestMemoryOfFolders: the documents of a folder are read with the memory that they need and refused with any less.
func TestMemoryOfFolders(t *testing.T) {
	dir := folder(t, map[string]string{"a/1": "some words", "b/2": "more words here"})
	enough := false
	for limit := int64(1); limit < 10_000; limit += 120 {
		s, _, err := Open(t.Context(), dir, Options{MemoryLimit: limit})
		switch {
		case err == nil:
			enough = true
			if s == nil || s.Rows.Len() != 2 || len(s.Answers) != 2 || len(s.Features) != 4 {
				t.Fatalf("%d bytes: %+v", limit, s)
			}
		case enough || !strings.Contains(err.Error(), "over the limit of"):
			t.Fatalf("%d bytes: %v", limit, err)
		}
	}
	if !enough {
		t.Error("10 KB are too little")
	}
}
