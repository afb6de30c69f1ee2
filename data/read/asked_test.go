package read

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestAskedDialects: what is said of the dialect is what the text is cut by and what the set says, by which its cells are found again,
// as they are in the file.
func TestAskedDialects(t *testing.T) {
	const none = "none"
	for _, c := range []struct {
		text  string
		o     Options
		want  data.Dialect
		cells string // of row 0
		names string
	}{
		{"a;b;label\n'1;2;x\n3;4;y\n", Options{Dialect: Dialect{Quote: none}}, data.Dialect{Delimiter: ";", Header: 1, Quote: none},
			"'1|2|x", "a|b|label"},
		{"a\tb\tlabel\n1\t'2\t'\tx\n3\t4\ty\n", Options{Dialect: Dialect{Delimiter: "tab", Quote: "'"}},
			data.Dialect{Delimiter: "\t", Header: 1, Quote: "'"}, "1|2\t|x", "a|b|label"},
		{"% said\na,b,label\n1,2,x\n% more\n3,4,y\n", Options{Dialect: Dialect{Comment: "%"}},
			data.Dialect{Delimiter: ",", Header: 1, Skip: 1, Comment: "%"}, "1|2|x", "a|b|label"},
		{"#a,b,label\n1,2,x\n3,4,y\n", Options{Dialect: Dialect{Comment: none}}, data.Dialect{Delimiter: ",", Header: 1}, "1|2|x",
			"#a|b|label"},
		{"said\n\na,b,label\n1,2,x\n3,4,y\n", Options{Dialect: Dialect{Skip: "2"}}, data.Dialect{Delimiter: ",", Header: 1, Skip: 2},
			"1|2|x", "a|b|label"},
		{"a,b,label\nkm,kg,\n1,2,x\n3,4,y\n", Options{Dialect: Dialect{Header: "2"}}, data.Dialect{Delimiter: ",", Header: 2}, "1|2|x",
			"a km|b kg|label"},
		{"1|2|x\n3|4|y\n", Options{Dialect: Dialect{Header: none, Delimiter: "|"}}, data.Dialect{Delimiter: "|"}, "1|2|x", "x0|x1|label"},
		{"a,label\nr,1,x\ns,3,y\n", Options{}, data.Dialect{Delimiter: ",", Header: 1, Unnamed: 1}, "r|1|x", "unnamed 1|a|label"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.o.Prepare, c.o.Part = true, true
		s, _, err := Open(t.Context(), path, c.o)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if *s.Dialect != c.want {
			t.Errorf("%q: the dialect is %+v, want %+v", c.text, *s.Dialect, c.want)
		}
		cells, err := CellsOf(t.Context(), s)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var first []string
		for _, cell := range cells.Rows[0] {
			first = append(first, cell.Text)
		}
		if got, names := strings.Join(first, "|"), strings.Join(cells.Names, "|"); got != c.cells || names != c.names {
			t.Errorf("%q: the cells are %s of %s, want %s of %s", c.text, got, names, c.cells, c.names)
		}
	}
	for want, d := range map[string]Dialect{
		"--delimiter none; give one character of ASCII":        {Delimiter: none},
		"--delimiter ::; give one character of ASCII":          {Delimiter: "::"},
		"--quote tab; give one character of ASCII":             {Quote: "tab"},
		"--comment é; give one character of ASCII":             {Comment: "é"},
		"--quote  ; give one character of ASCII":               {Quote: "\n"},
		"--skip x; give a number of lines":                     {Skip: "x"},
		"--skip -1; give a number of lines":                    {Skip: "-1"},
		"--skip 4: the text has not so many lines; skip fewer": {Skip: "4"},
	} {
		_, _, err := wholeOf(t, "a,label\n1,x\n2,y\n", Options{Dialect: d})
		failtest.Refused(t, err, "standard input: "+want)
	}
}

// TestSeenTravels: what was seen of a file is the same in another process, joins the other parts of the table in whatever order their
// columns stand, and refuses those with others; the first row alone shows which columns there are.
func TestSeenTravels(t *testing.T) {
	write := writer(t)
	first := write("a.csv", "key;size;town;label\nk1;1,5;Ulm;x\nk2;2,5;Bonn;y\nk3;3,5;Ulm;x\n")
	second := write("b.csv", "town;key;label;size\nKiel;k4;x;4,5\nUlm;k5;y;5,5\n")
	other := write("c.csv", "town;key;label;weight\nKiel;k4;x;4,5\n")
	more := write("d.csv", "town;key;label;size;weight\nKiel;k4;x;4,5;1\n")
	o := Options{Prepare: true, ID: "key"}
	look := func(name string, part int) *Seen {
		seen, err := Look(t.Context(), name, part, o)
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	plain, sent := look(first, 0), look(first, 0)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(sent); err != nil {
		t.Fatal(err)
	}
	carried := new(Seen)
	if err := gob.NewDecoder(&b).Decode(carried); err != nil {
		t.Fatal(err)
	}
	for _, seen := range []*Seen{plain, carried} {
		if err := seen.Join(look(second, 1)); err != nil {
			t.Fatal(err)
		}
		if seen.Rows() != 5 || seen.Label() != "label" || !slices.Equal(seen.Features(), []string{"size", "town"}) {
			t.Errorf("%d rows of %v, the label is %q", seen.Rows(), seen.Features(), seen.Label())
		}
	}
	files := []string{first, second}
	a, errA := plain.Decide(files, o)
	c, errC := carried.Decide(files, o)
	if errA != nil || errC != nil || fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", c) {
		t.Errorf("%+v, %v; carried %+v, %v", a, errA, c, errC)
	}
	if town := c.Columns[2]; town.Name != "town" || !slices.Equal(town.Levels, []string{"Bonn", "Kiel", "Ulm"}) {
		t.Errorf("%+v", town)
	}
	failtest.Refused(t, plain.Join(look(other, 1)), "the columns town, key, label, weight, and before key, size, town, label")
	failtest.Refused(t, plain.Join(look(more, 1)), "the columns town, key, label, size, weight, and before key, size, town, label")
	if err := carried.GobDecode([]byte("x")); err == nil {
		t.Error("what is damaged is seen")
	}
	head, err := Head(t.Context(), first, o)
	if err != nil || head.Rows() != 1 || !slices.Equal(head.Features(), []string{"size", "town"}) {
		t.Errorf("%+v, %v", head, err)
	}
	nothing, err := Look(t.Context(), write("e.csv", "key,label\nk1,x\nk2,y\n"), 0, o)
	if err == nil {
		_, err = nothing.Decide(files, o)
	}
	if err == nil || !strings.Contains(err.Error(), "feature") {
		t.Errorf("of no feature the error is %v", err)
	}
	_, err = Look(t.Context(), write("f.csv", "key,a,label\n"), 0, o)
	if err == nil || !strings.Contains(err.Error(), "no rows; give rows of data below a header line") {
		t.Errorf("of no row the error is %v", err)
	}
}

// TestPartsOfColumns: columns that are named for other parts than features, and those that may lack where rows are to be predicted.
func TestPartsOfColumns(t *testing.T) {
	const text = "id,w,g,a,b,c,last\nx,1,p,1,2,3,0\ny,0.5,q,4,5,6,1\n"
	for _, c := range []struct {
		o    Options
		want string // features, label, names, weights, groups, places
	}{
		{Options{Features: []string{"a", "b"}, ID: "id"}, "[a b] last [x y] [] [] []"},
		{Options{Features: []string{" a ", "c"}, Label: "b"}, "[a c] b [] [] [] []"},
		{Options{ID: "g", Group: "g", Order: "w", Drop: []string{"id"}}, "[a b c] last [p q] [] [p q] [1 0.5]"},
		{Options{ID: "z", Want: []string{"a", "c"}, LabelOptional: true}, "[a c]  [] [] [] []"},
		{Options{ID: "id", Want: []string{"c", "a"}, Label: "b"}, "[c a] b [x y] [] [] []"},
		{Options{Given: []data.Column{{Name: "id", Kind: data.KindID}, {Name: "w", Kind: data.KindWeight}, {Name: "g", Kind: data.KindGroup},
			{Name: "a", Kind: data.KindLabel}}}, "[b c last] a [x y] [1 0.5] [p q] []"},
		{Options{Given: []data.Column{{Name: "id", Kind: data.KindID}, {Name: "w", Kind: data.KindNumber}}, ID: "g", Drop: []string{"id"}},
			"[w a b c] last [p q] [] [] []"},
	} {
		c.o.Prepare = c.o.Want == nil
		s, _, err := wholeOf(t, text, c.o)
		if err != nil {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		got := fmt.Sprintf("%v %s %v %v %v %v", s.Features, s.LabelName, s.ID, s.Weight, s.Group, s.Order)
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	for want, o := range map[string]Options{
		`standard input:1: no column "idd", which --id names; did you mean id?; columns are id, w, g, a, b, c, last; name one of them`: {
			ID: "idd"},
		"standard input:2:2: column \"w\": the weight \"-1\" is no number from 0 to 1e+100; correct it": {Weight: "w"},
	} {
		o.Drop = []string{"id", "g"}
		_, _, err := wholeOf(t, strings.Replace(text, "x,1,p", "x,-1,p", 1), o)
		failtest.Refused(t, err, want)
	}
}

// TestCSVOfSets: dense and sparse rows are written alike, with or without names and answers, and read again as they were.
func TestCSVOfSets(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{0, 1.5, math.Pi, -2, 0, 1e-300})
	for _, c := range []struct {
		set  data.Set
		want string
	}{
		{data.Set{}, "x0,x1,x2\n0,1.5,3.141592653589793\n-2,0,1e-300\n"},
		{data.Set{LabelName: "kind of", Features: []string{"a", "b,c", "1"}, Answers: data.Answers{"u \"v\"", "01"}},
			"a,\"b,c\",\"1\",\"kind of\"\n0,1.5,3.141592653589793,\"u \"\"v\"\"\"\n-2,0,1e-300,01\n"},
		{data.Set{LabelName: "y", Answers: data.Answers{"", "-1.5e3"}}, "x0,x1,x2,y\n0,1.5,3.141592653589793,\n-2,0,1e-300,-1.5e3\n"},
		{data.Set{LabelName: "y"}, "x0,x1,x2,y\n0,1.5,3.141592653589793,\n-2,0,1e-300,\n"},
	} {
		for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
			c.set.Rows = rows
			var b bytes.Buffer
			if err := WriteCSV(&b, &c.set); err != nil || b.String() != c.want {
				t.Errorf("%s\nwant\n%s%v", b.String(), c.want, err)
			}
			if err := WriteCSV(full{}, &c.set); err == nil {
				t.Error("a full disk is no error")
			}
		}
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, &data.Set{Rows: data.Rows{Sparse: &data.CSR{R: 2, Start: []int{0, 0, 0}}}}); err != nil || b.Len() > 0 {
		t.Errorf("of no column %q is written, %v", b.String(), err)
	}
}

// TestStreamsWarn: the warnings of a stream are those of its set, once it has ended, and again of its next reading; batches have rows.
func TestStreamsWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("1,2,x\n3,4,y\n5,6,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, want, err := Open(t.Context(), path, Options{Format: FormatCSV, Dialect: Dialect{Header: "none"}})
	if err != nil || len(want) != 1 {
		t.Fatal(want, err)
	}
	s := NewStream(path, Options{Format: FormatCSV, Dialect: Dialect{Header: "none"}}, 2)
	for range 2 {
		for _, err := range s.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(s.Warnings(), want) {
			t.Errorf("%v, want %v", s.Warnings(), want)
		}
	}
	failtest.Panics(t, "read: batches without rows", func() { NewStream(path, Options{}, 0) })
	for _, c := range []struct {
		text          string
		words, header bool
	}{{"a,label\nw,x\n", true, false}, {"a,b\n1,x\n", false, true}, {"a,label\n1\n", false, false}} {
		_, _, err := wholeOf(t, c.text, Options{Label: "label"})
		var fault *Error
		if !errors.As(err, &fault) || fault.Words() != c.words || fault.Header() != c.header {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
