package read

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
)

// rowsOf are lines that a function makes.
func rowsOf(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// TestDialects: how a text is cut, which lines stand above its table, and which name its columns.
func TestDialects(t *testing.T) {
	kind := func(i int) string { return []string{"a", "b"}[i%2] }
	numbers := rowsOf(12, func(i int) string { return fmt.Sprintf("%d.5,%d,%s", i*i%11, i*i%7, kind(i)) })
	for name, c := range map[string]struct {
		text, names string
		want        data.Dialect
		rows        int
	}{
		"usual": {"x,y,kind\n" + numbers, "x|y kind", data.Dialect{Delimiter: ",", Header: 1}, 12},
		"decimal commas without names": {rowsOf(9, func(i int) string { return fmt.Sprintf("%d,25;-%d,5;%d", i, i*i%5, i%2) }),
			"x0|x1 label", data.Dialect{Delimiter: ";"}, 9},
		"commas in names": {"a, b;c, d;kind\n" + rowsOf(9,
			func(i int) string { return fmt.Sprintf("%d,25;%d,5;%s", i, i*i%5, kind(i)) }),
			"a, b|c, d kind", data.Dialect{Delimiter: ";", Header: 1}, 9},
		"words without names": {rowsOf(9, func(i int) string {
			return fmt.Sprintf("%s, %d, %s", []string{"red", "blue"}[i%2], 10+i*i%7, []string{"u", "v"}[i%2])
		}),
			"x0=blue|x0=red|x1 label", data.Dialect{Delimiter: ","}, 9},
		"equal values in the first row": {rowsOf(9, func(i int) string { return fmt.Sprintf("A%d,4,%d,%d,%d", i%2, i*i%5+4, 1+i%3, i%2) }),
			"x0=A0|x0=A1|x2|x3 label", data.Dialect{Delimiter: ","}, 9},
		"a title": {"Figures of the year\n\nx,y,kind\n" + numbers, "x|y kind", data.Dialect{Delimiter: ",", Header: 1, Skip: 2}, 12},
		"a title above one row": {"Figures of the year\nx,y,kind\n1.5,2,a\n", "x|y kind",
			data.Dialect{Delimiter: ",", Header: 1, Skip: 1}, 1},
		"a title of a spreadsheet": {"Figures of the year,,\n,,\nx,y,kind\n" + numbers, "x|y kind",
			data.Dialect{Delimiter: ",", Header: 1, Skip: 2}, 12},
		"comments": {"# one, two\n# three\nx,y,kind\n" + numbers, "x|y kind",
			data.Dialect{Delimiter: ",", Header: 1, Skip: 2, Comment: "#"}, 12},
		"names in a comment": {"#x,y,kind\n" + numbers, "#x|y kind", data.Dialect{Delimiter: ",", Header: 1}, 12},
		"names in a comment above one row": {"# one, two\n#x,y,kind\n1.5,2,a\n", "#x|y kind",
			data.Dialect{Delimiter: ",", Header: 1, Skip: 1}, 1},
		"units": {"x,y,kind\nm,s,\n" + numbers, "x m|y s kind", data.Dialect{Delimiter: ",", Header: 2}, 12},
		"row numbers as R writes them": {"x,kind\n" + rowsOf(12,
			func(i int) string { return fmt.Sprintf("\"%d\",%d.5,%s", i+1, i*i%7, kind(i)) }),
			"x kind", data.Dialect{Delimiter: ",", Header: 1, Unnamed: 1}, 12},
		"years as names": {"land,2019,2020,2021\n" + rowsOf(9,
			func(i int) string { return fmt.Sprintf("L%d,%d,%d,%d", i%3, i, i*i%5, i*i%7) }),
			"land=L0|land=L1|land=L2|2019|2020 2021", data.Dialect{Delimiter: ",", Header: 1}, 9},
		"quotes with delimiters": {"x;note;kind\n" + rowsOf(9,
			func(i int) string { return fmt.Sprintf("%d;\"a, b, c\";%s", i*i%7, kind(i)) }),
			"x kind", data.Dialect{Delimiter: ";", Header: 1}, 9},
		"tabs between decimal commas and short words": {"x\tkind\n" + strings.Repeat("1,5\tyes\n2,25\tno\n", 10) + "n/a\tno\n",
			"x|x missing kind", data.Dialect{Delimiter: "\t", Header: 1}, 21},
		"bars between decimal commas and units": {"x|y|kind\n" + strings.Repeat("41,7mm|4,5e+07|a\n33,7mm|6,25e-06|b\n", 10), "x|y kind",
			data.Dialect{Delimiter: "|", Header: 1}, 20},
		"tabs between amounts in Latin-1": {"x\tz\ty z\n" + strings.Repeat("11,52\t7\t\x80 755,81\n1,25\t4\t\x80 9,5\n", 9) + "10,44\t9\tn/a\n",
			"x|z y z", data.Dialect{Delimiter: "\t", Header: 1}, 19},
		"tabs": {"x\ty\tkind\n" + strings.ReplaceAll(numbers, ",", "\t"), "x|y kind", data.Dialect{Delimiter: "\t", Header: 1}, 12},
		"bars": {"x|y|kind\n" + strings.ReplaceAll(numbers, ",", "|"), "x|y kind", data.Dialect{Delimiter: "|", Header: 1}, 12},
	} {
		s, _, err := wholeOf(t, c.text, Options{Prepare: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(s.Features, "|") + " " + s.LabelName; got != c.names || *s.Dialect != c.want || s.Rows.Len() != c.rows {
			t.Errorf("%s: %q, %+v, %d rows, want %q, %+v, %d", name, got, *s.Dialect, s.Rows.Len(), c.names, c.want, c.rows)
		}
	}
}

// wholeOf reads a text as standard input is read.
func wholeOf(t testing.TB, text string, o Options) (*data.Set, []Warning, error) {
	t.Helper()
	o.Stdin, o.Format = strings.NewReader(text), FormatCSV
	return Open(t.Context(), "-", o)
}

// TestGuessesAreTold: what is not usual is told once, is a fault where guesses are, and is as the flag says where one is given.
func TestGuessesAreTold(t *testing.T) {
	text := "Report\n\nx,x,kind\n" + rowsOf(9, func(i int) string { return fmt.Sprintf("%d.5,%d,%s", i, i*i%5, []string{"a", "b"}[i%2]) })
	_, said, err := wholeOf(t, text, Options{Prepare: true})
	guesses := slices.DeleteFunc(slices.Clone(said), func(w Warning) bool { return !w.Guess })
	if err != nil || len(guesses) != 2 || !strings.Contains(guesses[0].What, "--skip 2") || !strings.Contains(guesses[1].What, "x_2") {
		t.Errorf("%v, %v", said, err)
	}
	if _, _, err := wholeOf(t, text, Options{Prepare: true, Strict: true}); err == nil || !strings.Contains(err.Error(), "--skip 2") {
		t.Errorf("strict: %v", err)
	}
	s, said, err := wholeOf(t, text, Options{Prepare: true, Dialect: Dialect{Skip: "3", Header: "none"}})
	if err != nil || s.Rows.Len() != 9 || s.Features[0] != "x0" || s.Lines[0] != 4 {
		t.Errorf("--skip 3 --header none: %v, %v, %v", s, said, err)
	}
	for _, d := range []Dialect{{Delimiter: "ab"}, {Skip: "-1"}, {Skip: "100"}, {Quote: "é"}} {
		if _, _, err := wholeOf(t, text, Options{Dialect: d}); err == nil {
			t.Errorf("%+v is accepted", d)
		}
	}
	if _, _, err := wholeOf(t, rowsOf(5, func(i int) string { return fmt.Sprintf("%d;x,%d", i, i) }), Options{}); err == nil ||
		!strings.Contains(err.Error(), "--delimiter") {
		t.Errorf("two delimiters as good as each other: %v", err)
	}
}

// TestAnyTableInAnyDialect: a table of numbers and words is read back equal however it is written.
func TestAnyTableInAnyDialect(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, d := rapid.IntRange(6, 30).Draw(r, "rows"), rapid.IntRange(2, 6).Draw(r, "columns")
		delim := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(r, "delimiter")
		comma := delim != "," && rapid.Bool().Draw(r, "decimal comma")
		title := rapid.IntRange(0, 3).Draw(r, "lines above")
		quoted, crlf, mark := rapid.Bool().Draw(r, "quotes"), rapid.Bool().Draw(r, "CRLF"), rapid.Bool().Draw(r, "byte-order mark")
		var b strings.Builder
		end := "\n"
		if crlf {
			end = "\r\n"
		}
		if mark {
			b.WriteString("\ufeff")
		}
		for i := range title {
			b.WriteString([]string{"A title of words", "", "of 2020"}[i] + end)
		}
		for j := range d {
			fmt.Fprintf(&b, "column %c%s", 'a'+j, delim)
		}
		b.WriteString("kind" + end)
		want := make([][]float64, n)
		for i := range n {
			for range d {
				v := float64(rapid.IntRange(-9999, 9999).Draw(r, "value"))/100 + 0.001
				want[i] = append(want[i], v)
				text := strconv.FormatFloat(v, 'f', 3, 64)
				if comma {
					text = strings.Replace(text, ".", ",", 1)
				}
				if quoted {
					text = `"` + text + `"`
				}
				b.WriteString(text + delim)
			}
			b.WriteString([]string{"yes, it is", "no; never"}[i%2][:3*(1-i%2)+2*(i%2)] + end)
		}
		s, said, err := wholeOf(t, b.String(), Options{Prepare: true})
		if err != nil {
			r.Fatalf("%v\n%s", err, b.String())
		}
		if s.Rows.Len() != n || s.Rows.Dim() != d || s.LabelName != "kind" || s.Features[0] != "column a" {
			r.Fatalf("%d x %d, %q, %q, %v\n%s", s.Rows.Len(), s.Rows.Dim(), s.Features, s.LabelName, said, b.String())
		}
		for i := range n {
			for j := range d {
				if got := s.Rows.Dense.At(i, j); got < want[i][j]-1e-9 || got > want[i][j]+1e-9 {
					r.Fatalf("row %d, column %d: %v, want %v\n%s", i, j, got, want[i][j], b.String())
				}
			}
		}
	})
}

// TestOtherForms: ARFF, JSON lines and an archive are the table that they hold.
func TestOtherForms(t *testing.T) {
	const arffText = "% c\n@RELATION 'a b'\n@attribute size numeric\n@attribute 'my colour' {red, 'dark blue',green}\n" +
		"@attribute when date\n@attribute class {a,b}\n@data\n1.5,red,?,a\n% c\n2,'dark blue',?,b\n{0 3, 3 b}\n{1 green}\n?,red,?,a\n"
	s, _, err := Open(t.Context(), "-", Options{Prepare: true, Stdin: strings.NewReader(arffText)})
	if err != nil || s.LabelName != "class" || strings.Join(s.Answers, "") != "abbaa" || s.Lines[1] != 10 || s.Dialect != nil ||
		strings.Join(s.Features, "|") != "size|size missing|my colour=dark blue|my colour=green|my colour=red" {
		t.Errorf("ARFF: %+v, %v", s, err)
	}
	s, _, err = Open(t.Context(), "-", Options{Missing: true, Stdin: strings.NewReader(
		"@relation x\n@attribute a numeric\n@attribute b numeric\n@attribute c {u,v}\n@data\n{1 5}\n{0 7, 2 v}\n?,2,u\n")})
	if err != nil || strings.Join(s.Answers, "") != "uvu" || s.Rows.Dense.At(0, 0) != 0 || s.Rows.Dense.At(1, 1) != 0 ||
		!math.IsNaN(s.Rows.Dense.At(2, 0)) {
		t.Errorf("sparse rows of ARFF: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		strings.Replace(arffText, "2,'dark", "2,'light", 1):      `:10:2: "light blue" is not declared`,
		strings.Replace(arffText, "1.5,red,?,a", "1.5,red", 1):   ":8:2: 2 values where 4 attributes are declared",
		strings.Replace(arffText, "numeric", "relational", 1):    `:3: attribute "size" has the kind "relational"`,
		"@relation x\n@attribute a numeric\n":                    ": ARFF without @data",
		strings.Replace(arffText, "{0 3, 3 b}", "{0 3, 0 4}", 1): ":11: the number",
		strings.Replace(arffText, "{0 3, 3 b}", "{0 3", 1):       ":11: a sparse row without",
	} {
		_, _, err := Open(t.Context(), "-", Options{Prepare: true, Stdin: strings.NewReader(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	const jsonText = `{"x":1.5,"word":"a, \"b\"","kind":"u"}` + "\n\n" +
		`{"kind":"v","x":null,"word":"c\nd","more":true}` + "\n" + `{"x":2}` + "\n"
	s, _, err = Open(t.Context(), "-", Options{Prepare: true, Label: "kind", Stdin: strings.NewReader(jsonText)})
	if err != nil || strings.Join(s.Answers, "|") != "u|v|" || s.Rows.Dense.At(2, 0) != 2 || s.Lines[2] != 4 ||
		!slices.Contains(s.Features, `word=a, "b"`) {
		t.Errorf("JSON lines: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"{\"x\":1,\"y\":[1]}\n":                  `:1: the value of "y" is an object or a list`,
		"{\"x\":1,\"y\":2}\n{\"x\":1,\n":         ":2: an object that is not",
		"{\"x\":1,\"y\":2}\n{\"x\":1,\"x\":2}\n": `:2: the key "x" stands twice`,
		"{}\n{}\n":                               "standard input: no object with a key; give flat objects, one a line or in a list",
	} {
		_, _, err := Open(t.Context(), "-", Options{Stdin: strings.NewReader(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := openText(t, "f.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n", Options{}); err == nil ||
		!strings.Contains(err.Error(), "pointer of Git LFS") {
		t.Errorf("Git LFS: %v", err)
	}
}

// TestNamesDecide: where the lines say too little, the delimiter is the one that makes the columns that are asked for.
func TestNamesDecide(t *testing.T) {
	const text = "a,b;c,d\nu,v;w,x\ny,z;p,q\n"
	for by, asked := range map[byte][]string{';': {"a,b", "c,d"}, ',': {"a", "b;c", "d"}} {
		table := data.NewTable([]data.Column{{Name: asked[0], Kind: data.KindCategory, Levels: []string{"u"}}})
		for what, o := range map[string]Options{
			"features": {Want: asked[:1]}, "a table": {Table: table}, "a label": {Label: asked[0]}, "names of rows": {ID: asked[0]},
			"weights": {Weight: asked[0]}, "groups": {Group: asked[0]}, "places": {Order: asked[0]},
			"documents":     {Text: &data.Text{Column: asked[0]}},
			"given columns": {Given: []data.Column{{Name: asked[0]}}},
		} {
			d, err := dialectOf(&plainText{Reader: bufio.NewReader(strings.NewReader(text))}, "f", o)
			if err != nil || d.delim != by {
				t.Errorf("%s %q: %+v, %v", what, asked[0], d, err)
			}
		}
	}
}

// TestFirstRowIsSeen: the row right below the names says as much as all others of words and of decimal commas.
func TestFirstRowIsSeen(t *testing.T) {
	for text, want := range map[string]dialect{
		"a;label\n1;x\n2;y\n3;5\n":      {delim: ';', words: true},
		"a;label\n1;x\n2;y\n3;5\n4;6\n": {delim: ';'},
		"a;b;c\n1,5;2;1\n3;4;2\n":       {delim: ';', mark: ','},
		"a;b;c\n1,5;2;1\n3.5;4;2\n":     {delim: ';'},
	} {
		d, err := dialectOf(&plainText{Reader: bufio.NewReader(strings.NewReader(text))}, "f", Options{})
		if err != nil || d.header != 1 || d.delim != want.delim || d.words != want.words || d.mark != want.mark {
			t.Errorf("%q: %+v, %v", text, d, err)
		}
	}
	s, _, err := wholeOf(t, "label,colour\n"+rowsOf(12, func(i int) string {
		return []string{"x", "y"}[i%2] + "," + []string{"red", "blue", "green"}[i%3]
	}), Options{Prepare: true, Label: "label"})
	if err != nil || strings.Join(s.Features, "|") != "colour=blue|colour=green|colour=red" {
		t.Errorf("words of the last column: %+v, %v", s, err)
	}
	_, _, err = wholeOf(t, "a,b,label\n\"x,1,y\n", Options{Prepare: true})
	if err == nil || !strings.Contains(err.Error(), ":2:1: quote never closed") {
		t.Errorf("a quote below the names: %v", err)
	}
}

// TestRowNames: the first column counts the rows by ones, or has words that are all different.
func TestRowNames(t *testing.T) {
	for cells, want := range map[string]bool{
		"1 2 3": true, "7 8 9": true, "a b c": true, "1.5 2 3": false, "1 2 4": false, "1 3 4": false, "a b a": false, "a a b": false,
	} {
		f := &finder{recs: []sampled{{fields: []field{{text: []byte("name")}}}}}
		for _, text := range strings.Fields(cells) {
			f.recs = append(f.recs, sampled{fields: []field{{text: []byte(text)}, {text: []byte("5")}}})
		}
		if f.countsRows() != want {
			t.Errorf("%s: names of rows %v", cells, !want)
		}
		for _, s := range f.recs[1:] {
			s.fields[0].quoted = true // as R has the numbers of rows that were drawn
		}
		if want = !strings.HasPrefix(cells, "a a") && !strings.HasSuffix(cells, "b a"); f.countsRows() != want {
			t.Errorf("%s in quotes: names of rows %v", cells, !want)
		}
	}
}

// TestComposedLetters: a letter and its accent are one, which is told once.
func TestComposedLetters(t *testing.T) {
	_, said, err := wholeOf(t, "a,b,label\n1,cafe\u0301,x\n2,th\u00e9,y\n3,caf\u00e9,x\n4,cafe\u0301,y\n", Options{Prepare: true})
	const warning = "letters and accents that are written as two characters are compared as one, composed"
	if text := fmt.Sprint(said); err != nil || strings.Count(text, warning) != 1 || !strings.Contains(text, ":2: letters") {
		t.Errorf("%v, %v", said, err)
	}
}

// TestTabsBesideBlanks: tabs divide cells that have blanks in them if they cut six lines of ten alike, into what is no number with blanks.
func TestTabsBesideBlanks(t *testing.T) {
	for _, c := range []struct {
		tabs int
		cell string
		want byte
	}{{6, "san jose", '\t'}, {5, "san jose", ' '}, {10, "san jose", '\t'}, {10, "5 6", ' '}} {
		text := rowsOf(10, func(i int) string { return "new york" + map[bool]string{true: "\t", false: " "}[i < c.tabs] + c.cell })
		d, err := dialectOf(&plainText{Reader: bufio.NewReader(strings.NewReader(text))}, "f", Options{})
		if err != nil || d.delim != c.want {
			t.Errorf("%+v: %+v, %v", c, d, err)
		}
	}
}

// TestModelsKnowColumns: rows for a model are read alike from any dialect, the units, decimal marks and names of titles included.
func TestModelsKnowColumns(t *testing.T) {
	learned, _, err := wholeOf(t, "size,colour,kind\n"+rowsOf(20, func(i int) string {
		return fmt.Sprintf("%d.25,%s,%s", i*i%11, []string{"red", "blue"}[i%2], []string{"u", "v"}[i%2])
	}), Options{Prepare: true})
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, text := range []string{
		"size,colour\n1.5,red\n2.5,blue\n", "colour;size\nred;1,5\nblue;2,5\n", "New rows\n\nsize\tcolour\n1.5\tred\n2.5\tblue\n",
		"{\"colour\":\"red\",\"size\":1.5}\n{\"colour\":\"blue\",\"size\":2.5}\n", "# by hand\nsize|colour\n1.5|red\n2.5|blue\n",
	} {
		s, _, err := Open(t.Context(), "-", Options{Table: learned.Table, LabelOptional: true, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestAnswersSilenceGuesses: what was said is no guess that Strict refuses, and the remedy of others is not a flag alone.
func TestAnswersSilenceGuesses(t *testing.T) {
	twice := "a,a,label\n1,2,x\n3,4,y\n1,4,x\n"
	amounts := "a,price\n" + rowsOf(30, func(i int) string { return fmt.Sprintf("%d,\"$1,%d.46\"", i%7, 100+i) })
	for _, c := range []struct {
		text string
		said Options
		what string
	}{
		{twice, Options{Dialect: Dialect{Header: "1"}}, "names that stand twice"},
		{amounts, Options{Given: []data.Column{{Name: "price", Kind: data.KindLabel, Amounts: true, Unit: "$", Thousands: true}}}, "are amounts"},
	} {
		_, _, err := wholeOf(t, c.text, Options{Prepare: true, Strict: true})
		if err == nil || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), "correct the file where none says it") {
			t.Errorf("%s: %v", c.what, err)
		}
		c.said.Prepare, c.said.Strict = true, true
		if _, _, err := wholeOf(t, c.text, c.said); err != nil {
			t.Errorf("%s, as it was said: %v", c.what, err)
		}
	}
}

// TestValuesOfCells: what is meant as a value counts most, a word less, and least what another delimiter stands in.
func TestValuesOfCells(t *testing.T) {
	for _, c := range []struct {
		cell   string
		quoted bool
		delim  byte
		want   float64
	}{
		{"12", false, ',', 1}, {"", false, ',', 1}, {"2020-01-02", false, ',', 1}, {"7mm", false, ',', 1}, {"red", true, ',', 1},
		{"red;blue", true, ',', 1}, {"red", false, ',', 0.9}, {"red;blue", false, ',', 0.1}, {"red;blue", false, ';', 0.9},
		{"red,blue", false, ';', 0.1}, {"red,blue", false, ',', 0.9}, {"7mm|4", false, ',', 0.1}, {"1,5", false, ';', 1},
		{"9 lives of a black cat", false, ',', 0.5}, {"0 lives of a black cat", false, ',', 0.5}, {":9 lives", false, ',', 0.9},
		{"/9 lives", false, ',', 0.9},
	} {
		if got := typed(field{text: []byte(c.cell), quoted: c.quoted}, c.delim); got != c.want {
			t.Errorf("%q in quotes %v, cut at %q: %g, want %g", c.cell, c.quoted, c.delim, got, c.want)
		}
	}
}

// TestQuotesOfFewCells: two cells with a delimiter in them show that cells are in single quotes, one does not.
func TestQuotesOfFewCells(t *testing.T) {
	const one = "name,size,label\n'red, dark',1,a\n"
	for text, want := range map[string]byte{one: '"', one + "'blue, light',2,b\n": '\''} {
		d, err := dialectOf(&plainText{Reader: bufio.NewReader(strings.NewReader(text))}, "f", Options{})
		if err != nil || d.quote != want {
			t.Errorf("%q: %+v, %v", text, d, err)
		}
	}
}
