package read

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// latin is text of Latin-1.
func latin(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

// nfd is text of which ö and ü are written as two characters.
func nfd(text string) string {
	return strings.NewReplacer("ö", "o\u0308", "ü", "u\u0308").Replace(text)
}

// TestEncodingOfForms: a table of words is the same one in UTF-8, in Latin-1, which is said, and with accents apart, whatever its form.
func TestEncodingOfForms(t *testing.T) {
	lines := `{"größe":1,"city":"Müller","label":"weiß"}` + "\n" + `{"größe":2.5,"city":"Möller","label":"rot"}` + "\n" +
		`{"größe":3,"city":"Müller","label":"weiß"}` + "\n" + `{"größe":"4","city":"Möller","label":"rot"}` + "\n"
	arff := "@relation r\n@attribute größe numeric\n@attribute 'schöne stadt' {Möller,' Müller ',Bonn}\n" +
		"@attribute farbe {weiß,rot}\n@data\n1,Müller,weiß\n2.5,Möller,rot\n3,' Müller',weiß\n4,Möller,rot\n"
	for name, text := range map[string]string{
		"f.jsonl": lines, "f.json": "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",\n") + "]", "f.arff": arff,
	} {
		o := Options{}
		if name == "f.arff" {
			o.Label = "farbe"
		}
		want, err := openText(t, name, text, o)
		if err != nil || len(want.said) > 0 || !strings.Contains(want.answers, "weiß|rot|weiß") || mat.Sum(want.x) != 10.5+4 {
			t.Fatalf("%s: %+v, %v", name, want, err)
		}
		for how, c := range map[string]struct{ text, said string }{
			"Latin-1": {latin(text), notUTF8}, "accents apart": {nfd(text), joined},
		} {
			got, err := openText(t, name, c.text, o)
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			if !mat.Equal(got.x, want.x) || got.names != want.names || got.answers != want.answers || len(got.said) != 1 ||
				!strings.HasSuffix(got.said[0], c.said) {
				t.Errorf("%s, %s: %+v, want %+v", name, how, got, want)
			}
		}
	}
}

// TestVoidRowsOfFurtherFormats: rows of a table of numbers that have no value are left out and said, as those of CSV are.
func TestVoidRowsOfFurtherFormats(t *testing.T) {
	table := &cellTable{
		names: []string{"a", "b", "label"}, number: map[string]bool{"a": true, "b": true, "label": true},
		cells: [][]string{{"1", "2.5", "1"}, {"", "", ""}, {"-3", "4e3", "0"}, {"", "", ""}, {"5", "0.1", "1"}},
	}
	cells, csv := table.inBoth(t, Options{Prepare: true})
	if cells != csv || !strings.Contains(cells, "left out: 2 rows without any value") {
		t.Errorf("%s\nas CSV\n%s", cells, csv)
	}
}

// TestEncodingOfObjects: each text of JSON is decoded by itself, whatever is escaped in it; half of a character is said, and what is no
// text is refused. So are rows for a model.
func TestEncodingOfObjects(t *testing.T) {
	const first = `{"x":1,"y":"a"}` + "\n"
	for text, want := range map[string]string{
		`{"x":2,"y":"caf\xe9 \u20ac \" \\\\"}`:             "café € \" \\\\|f.jsonl:2: " + notUTF8,
		"{\"x\":2,\"y\":\"caf\xe9\"}{\"x\":2,\"y\":\"é\"}": "café|é|f.jsonl:2: " + notUTF8,
		`{"x":2,"y":"\ud83d\ude42 \\ud83d"}`:               "\U0001F642 \\ud83d",
		`{"x":2,"y":"M\udcfcller"}`:                        "M\ufffdller|f.jsonl:2: " + halfRune,
		`{"x":2,"y":"\ud83d\u0041"}`:                       "\ufffdA|f.jsonl:2: " + halfRune,
	} {
		got, err := openText(t, "f.jsonl", first+strings.ReplaceAll(text, `\xe9`, "\xe9"), Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if have := strings.Join(append([]string{got.answers}, got.said...), "|"); have != "a|"+want {
			t.Errorf("%q is %q, want %q", text, have, want)
		}
	}
	if _, err := openText(t, "f.jsonl", first+"{\"x\":2,\"y\":\"a\x81\"}", Options{}); err == nil ||
		err.Error() != `f.jsonl:2: the text "a\x81" is none; save the file as UTF-8` {
		t.Error(err)
	}
	rows := NewStream("-", Options{Format: FormatJSON, Want: []string{"größe"}, LabelOptional: true,
		Stdin: strings.NewReader(latin(`{"größe":2.5}`))}, 3)
	for set, err := range rows.Batches(t.Context()) {
		if err != nil || set.Rows.Dense.At(0, 0) != 2.5 {
			t.Error(set, err)
		}
	}
	if said := rows.Warnings(); len(said) != 1 || said[0].String() != "standard input:1: "+notUTF8 {
		t.Error(said)
	}
}

// TestSpellingOfDeclaredWords: words of ARFF are compared as cells are, without blanks around them and cut where they are; the first of
// them, which is left out of sparse rows, too. What is no text is refused.
func TestSpellingOfDeclaredWords(t *testing.T) {
	long := strings.Repeat("ü", 150)
	text := "@relation r\n@attribute a numeric\n@attribute b {' " + long + " ',' u ',v}\n@attribute y {0,1}\n@data\n1,u,0\n2,' u',1\n3,v,0\n" +
		"4," + long + ",1\n{0 5}\n"
	for _, text := range []string{text, latin(text), nfd(text)} {
		got, err := openText(t, "f.arff", text, Options{Label: "y"})
		if err != nil {
			t.Error(err)
			continue
		}
		if want := []float64{1, 1, 0, 0, 2, 1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5, 0, 0, 1}; !slices.Equal(got.x.RawMatrix().Data, want) {
			t.Errorf("%v, %v", got.said, mat.Formatted(got.x))
		}
	}
	for old, want := range map[string]string{
		"a num": `f.arff:2: the name "\x81" of an attribute is not text; correct the declaration`,
		",v":    `f.arff:3: the word "\x81" of attribute "b" is not text; correct the declaration`,
	} {
		bad := map[string]string{"a num": "\x81 num", ",v": ",\x81"}[old]
		if _, err := openText(t, "f.arff", strings.Replace(text, old, bad, 1), Options{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestEncodingOfTexts: the words of documents in Latin-1 are those of UTF-8, which is said; a letter that is torn in a document of UTF-8
// divides a word, which is said too.
func TestEncodingOfTexts(t *testing.T) {
	const text = "text,label\nHerr Müller grüßt,weiß\nFrau Möller grüßt nicht,rot\n"
	o := Options{Text: &data.Text{Column: "text"}}
	want, said, err := readText(t, text, o)
	if err != nil || len(said) > 0 {
		t.Fatal(said, err)
	}
	for text, warning := range map[string]string{
		latin(text): "f:2: " + notUTF8,
		strings.Replace(text, "nicht", "nicht gro\xc3", 1): "f:3: " + torn,
		strings.ReplaceAll(text, ",weiß", ","+nfd("blü")):  "f:2: " + joined,
		latin(text) + "\x81,rot\n":                         "f:2: " + notUTF8 + "|f:4: " + torn,
	} {
		got, said, err := readText(t, text, o)
		var all []string
		for _, one := range said {
			all = append(all, one.String())
		}
		words := slices.DeleteFunc(slices.Clone(got.Features), func(word string) bool { return word == "gro" })
		if err != nil || !slices.Equal(words, want.Features) || got.Answers[1] != "rot" || strings.Join(all, "|") != warning {
			t.Errorf("%q, %q, %v, %v", got.Features, got.Answers, said, err)
		}
	}
}

// TestEncodingOfFolders: documents in Latin-1 are read as others are, and counted; what is packed, or no text, is refused.
func TestEncodingOfFolders(t *testing.T) {
	const first, second = "Herr Müller grüßt", "Frau Möller grüßt nicht"
	want, _, err := Open(t.Context(), folder(t, map[string]string{"a/1": first, "a/2": first, "b/3": second}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"a/1": first, "a/2": latin(first), "b/3": latin(second), "b/4": second + " \xc3"})
	got, said, err := Open(t.Context(), dir, Options{})
	if err != nil || !slices.Equal(got.Features, want.Features) || len(said) != 2 ||
		filepath.ToSlash(said[0].String()) != filepath.ToSlash(dir)+"/a/2: "+notUTF8+", here and in 1 further file" ||
		filepath.ToSlash(said[1].String()) != filepath.ToSlash(dir)+"/b/4: "+torn {
		t.Errorf("%q, %v, %v", got.Features, said, err)
	}
	for content, want := range map[string]string{
		"%PDF-1.7 \x81 words":            "a PDF document, not text; save its table as CSV",
		"w\x00o\x00r\x00d\x00s\x00a\x00": "UTF-16 text without a byte-order mark; save it as UTF-8, or with the mark",
		"\xfe\xff\x00w\x00o":             "UTF-16 text; save it as UTF-8",
		"\x1f\x8b\x08":                   "a document that is packed; unpack it",
	} {
		dir := folder(t, map[string]string{"a/1": content})
		if _, _, err := Open(t.Context(), dir, Options{}); err == nil || filepath.ToSlash(err.Error()) != filepath.ToSlash(dir)+"/a/1: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	err = os.Mkdir(filepath.Join(dir, "caf\xe9"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "caf\xe9", "5"), []byte(first), 0o600)
	}
	if _, is := os.Stat(filepath.Join(dir, "caf\ufffd")); err != nil || is == nil {
		t.Skip("names of files are UTF-8 here")
	}
	if _, _, err := Open(t.Context(), dir, Options{}); err == nil ||
		!strings.HasSuffix(err.Error(), `/5: the name of the folder, "caf\xe9", is a class and not text; name the folder in UTF-8`) {
		t.Error(err)
	}
}

// TestCellsThatAreNoText: a cell beside the text that is no text stays in the file with labels as it is.
func TestCellsThatAreNoText(t *testing.T) {
	const text = "text,other,label\nsome words,a\x81b,u\nmore words,caf\xe9,\n"
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := Open(t.Context(), path, Options{Text: &data.Text{Column: "text"}, LabelOptional: true, Label: "label"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := CellsOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.WriteLabelled(&b, "label", s.Answers); err != nil || b.String() != strings.ReplaceAll(text, "\xe9", "é") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestWarningsOfTextsInBatches: what was guessed of a file is said of its batches too, where its words are learned first.
func TestWarningsOfTextsInBatches(t *testing.T) {
	const text = "A title\n\ntext,label\nsome words,u\nmore words,v\n"
	o := Options{Text: &data.Text{Column: "text"}, Format: FormatCSV}
	whole, said, err := readText(t, text, o)
	if err != nil || len(said) != 1 {
		t.Fatal(whole, said, err)
	}
	_, batches, err := joinedBatches(t.Context(), strings.NewReader(text), o, cutting{}, 1)
	if err != nil || !slices.Equal(batches, said) {
		t.Errorf("%v, want %v: %v", batches, said, err)
	}
}

// TestNamesAgainInLatin1: the names are no row where they stand again, in Latin-1 too.
func TestNamesAgainInLatin1(t *testing.T) {
	text := "größe,farbe,n,label\n" + strings.Repeat("klein,rot,1,x\ngroß,blau,2,y\n", 10) + "größe,farbe,n,label\nklein,blau,3,x\n"
	for _, text := range []string{text, latin(text), nfd(text)} {
		got, err := openText(t, "f.csv", text, Options{})
		if err != nil || got.answers != strings.Repeat("x|y|", 10)+"x" ||
			!slices.Contains(got.said, "f.csv:22: the names stand here again: no row, and passed over") {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestEscapesOfARFF: line ends and tabs that are escaped divide words.
func TestEscapesOfARFF(t *testing.T) {
	const text = "@relation r\n@attribute t string\n@attribute y {'u\\tv','w\\nx'}\n@data\n" +
		"'some\\nwords\\tare\\r\\nhere','u\\tv'\n'it\\'s so','w\\nx'\n"
	s, _, err := Open(t.Context(), "-", Options{Text: &data.Text{Column: "t"}, Stdin: strings.NewReader(text), Format: FormatARFF})
	if err != nil || strings.Join(s.Features, " ") != "are here it so some words" || strings.Join(s.Answers, "|") != "u\tv|w x" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestHalfOfAUnit: UTF-16 of an odd number of bytes was cut off, or something was added to it, and is refused.
func TestHalfOfAUnit(t *testing.T) {
	const text = "a,label\n1,größer\n2,klein\n"
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for name, text := range map[string]string{"f.csv": text, "f.txt": text, "f.jsonl": `{"a":1,"label":"x"}` + "\n"} {
			whole := wideText(text, order)
			for _, odd := range []string{whole + "\n", whole[:len(whole)-1]} {
				_, err := openText(t, name, odd, Options{})
				if err == nil || !strings.HasSuffix(err.Error(), ": UTF-16 text that ends within a character; make or fetch it again") {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestNamesThatStandTwiceInLatin1: columns of one name get the same names whatever the encoding.
func TestNamesThatStandTwiceInLatin1(t *testing.T) {
	const text = "größe,größe,größe_2,label\n1,2,3,x\n4,5,6,y\n"
	for _, text := range []string{text, latin(text), nfd(text)} {
		if got, err := openText(t, "f.csv", text, Options{}); err != nil || got.names != "größe|größe_3|größe_2" {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
