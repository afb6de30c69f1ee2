package read_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// TestCSVOnly: what says how CSV is written is refused of data that are not, each flag by its name, and not ignored; but decimal commas
// and marks of missing cells are looked for wherever cells are text.
func TestCSVOnly(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "docs", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"rows.svm":   "1 1:2 3:1\n2 2:1\n1 1:1\n",
		"rows.jsonl": "{\"a\":\"1,5\",\"b\":\"x\"}\n{\"a\":\"?!\",\"b\":\"y\"}\n{\"a\":\"2,5\",\"b\":\"x\"}\n",
		"rows.arff":  "@relation r\n@attribute a string\n@attribute b {x,y}\n@data\n'1,5',x\n'?!',y\n'2,5',x\n", "docs/x/1.txt": "one",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	is := map[string]string{"rows.svm": "LIBSVM text", "rows.jsonl": "JSON", "rows.arff": "ARFF", "docs": "a folder of documents",
		"iris": "a built-in set"}
	for name, is := range is {
		path := filepath.Join(folder, name)
		if name == "iris" {
			path = name
		}
		for flag, o := range map[string]read.Options{
			"--delimiter ;":   {Dialect: read.Dialect{Delimiter: ";"}},
			"--quote none":    {Dialect: read.Dialect{Quote: "none"}},
			"--header 1":      {Dialect: read.Dialect{Header: "1"}},
			"--skip 1":        {Dialect: read.Dialect{Skip: "1"}},
			"--comment %":     {Dialect: read.Dialect{Comment: "%"}},
			"--decimal comma": {Dialect: read.Dialect{Decimal: "comma"}},
			"--sheet s":       {Dialect: read.Dialect{Sheet: "s"}},
			"--missing ?!,-":  {Marks: []string{"?!", "-"}},
		} {
			o.Prepare, o.Text = true, nil
			cells := (flag == "--decimal comma" || flag == "--missing ?!,-") && (name == "rows.jsonl" || name == "rows.arff")
			want := path + ": " + flag + " says how CSV is written, and this is " + is + "; leave it out, or give CSV"
			if flag == "--sheet s" {
				want = path + ": --sheet is for spreadsheets, and this is none that is read here; leave it out, or give .xlsx to mercer-arrow"
			}
			_, _, err := read.Open(t.Context(), path, o)
			if cells && err != nil || !cells && (err == nil || err.Error() != want) {
				t.Errorf("%s of %s: %v", flag, name, err)
			}
		}
	}
	for _, o := range []read.Options{{Drop: []string{"a"}}, {Features: []string{"a"}}, {ID: "a"}, {Weight: "a"}, {Group: "a"}, {Order: "a"}} {
		for name, want := range map[string]string{
			"rows.svm": "columns of LIBSVM text have no names, by which some are chosen or described; give CSV",
			"docs":     "documents have no columns, of which some are chosen or described; give CSV",
		} {
			path := filepath.Join(folder, name)
			o.Prepare = true
			if _, _, err := read.Open(t.Context(), path, o); err == nil || err.Error() != path+": "+want {
				t.Errorf("%+v of %s: %v", o, name, err)
			}
		}
	}
	for _, o := range []read.Options{{Features: []string{"b"}}, {Weight: "b"}, {Group: "b"}, {Order: "b"}} {
		o.Text, o.Stdin, o.Format = &data.Text{Column: "a"}, strings.NewReader("a,b,label\none two,1,x\ntwo three,2,y\n"), read.FormatCSV
		_, _, err := read.Open(t.Context(), "-", o)
		if err == nil || !strings.Contains(err.Error(), "--text a: the words of that column are all") {
			t.Errorf("%+v of text: %v", o, err)
		}
	}
	for _, name := range []string{"rows.jsonl", "rows.arff"} {
		set, _, err := read.Open(t.Context(), filepath.Join(folder, name), read.Options{Prepare: true, Dialect: read.Dialect{Decimal: "comma"},
			Marks: []string{"?!"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := []float64{set.Rows.Dense.At(0, 0), set.Rows.Dense.At(2, 0)}; !reflect.DeepEqual(got, []float64{1.5, 2.5}) {
			t.Errorf("%s: %v in rows with decimal commas", name, got)
		}
		if c := set.Table.Columns[0]; !c.Missing {
			t.Errorf("%s: no cell is missing in %+v", name, c)
		}
	}
}

// TestDescribedNumbers: columns that are numbered are not described; those of a built-in set are, though they hold numbers alone.
func TestDescribedNumbers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.svm")
	if err := os.WriteFile(name, []byte("1 1:2 3:1\n2 2:1\n1 1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := read.Open(t.Context(), name, read.Options{Prepare: true, Describe: true})
	if err == nil || !strings.Contains(err.Error(), "its columns are numbered, and are learned from as they are; give CSV") {
		t.Error(err)
	}
	set, _, err := read.Open(t.Context(), "iris", read.Options{Prepare: true, Describe: true})
	if err != nil || set.Table == nil || len(set.Table.Columns) != 5 {
		t.Errorf("%v, %v", set, err)
	}
}

// TestLabelBesideNamedFeatures: where --features names all features, the label is the last column that is neither one of them nor has
// another part, wherever it stands, and features alone have none.
func TestLabelBesideNamedFeatures(t *testing.T) {
	const text = "kind,a,b,c\nx,1,2,7\ny,2,3,8\nx,1,1,9\n"
	open := func(o read.Options) (*data.Set, error) {
		o.Prepare, o.Stdin, o.Format = true, strings.NewReader(text), read.FormatCSV
		set, _, err := read.Open(t.Context(), "-", o)
		return set, err
	}
	for name, c := range map[string]struct {
		o        read.Options
		label    string
		features []string
	}{
		"before them":         {read.Options{Features: []string{"a", "b", "c"}}, "kind", []string{"a", "b", "c"}},
		"the last of two":     {read.Options{Features: []string{"a", "b"}}, "c", []string{"a", "b"}},
		"another part":        {read.Options{Features: []string{"a", "b"}, Weight: "c"}, "kind", []string{"a", "b"}},
		"one that is dropped": {read.Options{Features: []string{"a", "b"}, Drop: []string{"c"}}, "kind", []string{"a", "b"}},
		"named":               {read.Options{Features: []string{"a", "b"}, Label: "kind"}, "kind", []string{"a", "b"}},
		"none is needed":      {read.Options{Features: []string{"a", "b"}, LabelOptional: true, LabelNamed: true}, "", []string{"a", "b"}},
	} {
		set, err := open(c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if set.LabelName != c.label || !reflect.DeepEqual(set.Features, c.features) {
			t.Errorf("%s: label %q beside %q", name, set.LabelName, set.Features)
		}
	}
	for _, o := range []read.Options{{Features: []string{"kind", "a..c"}}, {Drop: []string{"kind", "a", "b", "c"}}} {
		const want = "no label column; columns are kind, a, b, c; name one of them with --label"
		if _, err := open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
