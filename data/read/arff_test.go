package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestFaultsOfARFF: what is wrong with a declaration or a row is said with its line, and for a value with its column.
func TestFaultsOfARFF(t *testing.T) {
	const file = "@relation r\n@attribute a numeric\n@attribute 'b c' {u,'v w'}\n@data\n1,u\n2,'v w'\n"
	const correct, each = "; correct the declaration", "; give every row a value for each attribute"
	for _, c := range []struct{ old, text, want string }{
		{"'b c'", "a", `:3: attribute "a" is declared twice` + correct},
		{"a numeric", "", ":2: an attribute without a name" + correct},
		{"a numeric", "'a numeric", ":2: an attribute without a name" + correct},
		{"'v w'}", "'v w}", `:3: a quote among the words of attribute "b c" is not closed` + correct},
		{",'v w'}", "", `:3: the words of attribute "b c" have no closing brace` + correct},
		{"a numeric", "a number", `:2: attribute "a" has the kind "number", and numeric, nominal, string and date are read` + correct},
		{"@attribute a numeric\n@attribute 'b c' {u,'v w'}\n", "", ":2: no attributes are declared; make or fetch the file again"},
		{"@relation r\n", "@relation r\nnone\n", ":2: neither a declaration of ARFF nor a comment; correct or remove the line"},
		{"@data\n1,u\n2,'v w'\n", "", ": ARFF without @data; make or fetch the file again"},
		{"1,u", "1", ":5:1: 1 values where 2 attributes are declared" + each},
		{"1,u", "1,u,2", ":5:3: more values than the 2 attributes that are declared" + each},
		{"1,u", "1,'u", ":5:2: quote never closed" + each},
		{"1,u", "1,v", `:5:2: "v" is not declared for attribute "b c"` + each},
		{"1,u", "{0 1,1 v}", `:5:2: "v" is not declared for attribute "b c"` + each},
		{"1,u", "{0 1,1 'u}", `:5:2: "" is not declared for attribute "b c"` + each},
		{"1,u", "{0 1", ":5: a sparse row without a closing brace" + each},
		{"1,u", "{2 1}", `:5: the number "2" of an attribute, which is none or stands twice` + each},
		{"1,u", "{-1 1}", `:5: the number "-1" of an attribute, which is none or stands twice` + each},
		{"1,u", "{0 1, 0 2}", `:5: the number "0" of an attribute, which is none or stands twice` + each},
		{"1,u", "{x 1}", `:5: the number "x" of an attribute, which is none or stands twice` + each},
	} {
		_, _, err := Open(t.Context(), "-", Options{Format: FormatARFF, Stdin: strings.NewReader(strings.Replace(file, c.old, c.text, 1))})
		failtest.Refused(t, err, "standard input"+c.want)
	}
}

// TestWordsOfARFF: quotes of both kinds, a sign after a backslash, blanks, comments, upper case, and cells that are missing or left out;
// so many words of an attribute are compared with those of rows, and of more none is.
func TestWordsOfARFF(t *testing.T) {
	const file = "% above\n@RELATION r\n\n@Attribute\ta REAL\n@attribute \"it\\'s\" { u , 'v\\'w' ,\"x,y\"}\n@attribute c string\n@DATA\n" +
		"1, 'v\\'w' ,k\n% between\n\n ?,\"x,y\",'l m'\n{1 u,2 k}\n{ 0 2 }\n"
	s, _, err := Open(t.Context(), "-", Options{Prepare: true, Label: "it's", Stdin: strings.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Answers, "|"); got != "v'w|x,y|u|u" || s.Rows.Dense.At(2, 0) != 0 || s.Rows.Dense.At(3, 0) != 2 {
		t.Errorf("answers %s of the rows %v", got, s.Rows.Dense.RawMatrix().Data)
	}
	for words, fails := range map[int]bool{mostChecked: true, mostChecked + 1: false} {
		var list []string
		for i := range words {
			list = append(list, fmt.Sprint("w", i))
		}
		text := "@relation r\n@attribute a numeric\n@attribute b {" + strings.Join(list, ",") + "}\n@data\n1,w1\n2,other\n"
		_, _, err := Open(t.Context(), "-", Options{Stdin: strings.NewReader(text)})
		if (err != nil) != fails {
			t.Errorf("%d words: %v", words, err)
		}
	}
	if a := (attribute{known: map[string]bool{"u": true}}); !(&arff{attributes: []attribute{a}}).has(0, []byte("?")) {
		t.Error("a missing cell is no value")
	}
	twice := &arff{attributes: []attribute{{name: "a", words: []string{"v", "u", "v"}, known: map[string]bool{}}}}
	if got := twice.columns(); len(got) != 1 ||
		strings.Join(got[0].Levels, ",") != "u,v" || got[0].Kind != data.KindCategory {
		t.Errorf("declared words are %+v", got)
	}
}

// TestClassesOfARFF: numbers among the declared words of the label are classes, however many there are, unless the user asks for another
// task; those of an attribute that is numeric are what they look like.
func TestClassesOfARFF(t *testing.T) {
	var declared, rows strings.Builder
	for i := range 30 {
		fmt.Fprintf(&declared, "%d,", i)
		fmt.Fprintf(&rows, "%d,%d.5,%d\n", i*i, i, i)
	}
	text := "@relation r\n@attribute a numeric\n@attribute n numeric\n@attribute k {" + declared.String() + "}\n@data\n" + rows.String()
	for label, auto := range map[string]data.Task{"k": data.Classification, "n": data.Regression} {
		for _, prepare := range []bool{false, true} {
			s, _, err := Open(t.Context(), "-", Options{Prepare: prepare, Label: label, Stdin: strings.NewReader(text)})
			if err != nil {
				t.Fatal(err)
			}
			for _, asked := range []data.Task{data.TaskAuto, data.Classification, data.Regression} {
				want := asked
				if asked == data.TaskAuto {
					want = auto
				}
				l, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{Task: asked, Declared: s.Declared})
				if err != nil || l.Task != want || s.Declared != (label == "k") {
					t.Errorf("%s, asked for %v: %v (%s), %v", label, asked, l.Task, l.Decided, err)
				}
			}
		}
	}
}
