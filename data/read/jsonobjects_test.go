package read

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestObjectsAreLines: objects of a list, on one line or on many, are those of JSON lines, at the lines that they begin on.
func TestObjectsAreLines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[a-c{}\[\],:"\\ é\n]{0,6}`)
		var list []map[string]any
		var lines strings.Builder
		for i := range rapid.IntRange(1, 8).Draw(r, "objects") {
			one := map[string]any{"number": i, "word": text.Draw(r, "word"), "kind": []string{"u", "v"}[i%2]}
			list = append(list, one)
			line, err := json.Marshal(one)
			if err != nil {
				r.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s\n", line)
		}
		want, err := objectsOf(t, lines.String())
		if err != nil {
			r.Fatal(err)
		}
		one, err := json.Marshal(list)
		if err != nil {
			r.Fatal(err)
		}
		pretty, err := json.MarshalIndent(list, "", " ")
		if err != nil {
			r.Fatal(err)
		}
		apart := strings.ReplaceAll(strings.TrimSuffix(lines.String(), "\n"), "\n", "\n,\n")
		for _, form := range []string{string(one), string(pretty), strings.ReplaceAll(lines.String(), "\n", " "), "\n[" + apart + "]\n"} {
			got, err := objectsOf(t, form)
			if err != nil {
				r.Fatalf("%v\n%s", err, form)
			}
			if !reflect.DeepEqual(asObjects(got), asObjects(want)) {
				r.Fatalf("%q\nis %q\nnot %q", form, got, want)
			}
		}
	})
	got, err := objectsOf(t, "\n[\n{\"a\":\n1\n},\n\n{\"a\":2},{\"a\":3}\n]\n")
	if want := "\n\n{\"a\": 1 }\n\n\n\n{\"a\":2}\n{\"a\":3}\n\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// objectsOf are the lines of a text of objects, read in pieces of one byte.
func objectsOf(t *testing.T, text string) (string, error) {
	t.Helper()
	out, err := io.ReadAll(newObjectLines(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), 16), "f"))
	return string(out), err
}

// asObjects are the objects of lines; what is none is an object without keys.
func asObjects(lines string) (all []map[string]any) {
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) != "" {
			var one map[string]any
			_ = json.Unmarshal([]byte(line), &one)
			all = append(all, one)
		}
	}
	return all
}

// TestNoObjects: a text that begins as JSON and is no list of objects is refused, with its line.
func TestNoObjects(t *testing.T) {
	for text, want := range map[string]string{
		"[{\"x\":1,\"y\":2},\n{\"x\":1,\"y\":2}\n": "f:3: a list of JSON that is not closed: the file is cut off",
		"[{\"x\":1,\"y\":2},\n":                    "f:2: a list of JSON that is not closed",
		"[{\"x\":1,\"y\":2},\n{\"x\":1,":           "f:2: an object that is not",
		"[[1, 2],\n[3, 4]]":                        "f:1: a list of JSON with something other than objects",
		"[\n{\"x\":1,\"y\":2},\n3]":                "f:3: a list of JSON with something other than objects",
		"[{\"x\":1,\"y\":2}\n{\"x\":1}]":           "f:2: a list of JSON without a comma between two objects",
		"[{\"x\":1,\"y\":2}\n]\n7":                 "f:3: text behind the list of JSON",
		"[{\"x\":1,\"y\":2},\n]":                   "f:2: a list of JSON with something other than objects",
		"{\"x\": {\"0\": 1}}":                      `f:1: the value of "x" is an object or a list`,
		"{\n\"x\": 1,\n\"y\": [2]}":                `f:1: the value of "y" is an object or a list`,
		"{\"x\":1,\"y\":2}, 3":                     "f:1: text after the object",
	} {
		if _, err := openText(t, "f", text, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"[note],x\na,1\nb,2\n", "{a},x\nu,1\nv,2\n", "\"a\",x\nu,1\nv,2\n"} {
		if isJSON([]byte(text)) {
			t.Errorf("%q is CSV", text)
		}
	}
}

// TestObjectsOfOneKey: an object whose only value is missing is a row, and a blank line is none.
func TestObjectsOfOneKey(t *testing.T) {
	o := Options{Format: FormatJSON, Want: []string{"x"}, Fill: []float64{5}, LabelOptional: true}
	o.Stdin = strings.NewReader("{\"x\":1}\n{\"x\":null}\n\n{\"x\":\"\"}\n{\"x\":3}\n")
	s, _, err := Open(t.Context(), "-", o)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data, s.Lines); got != "[1 5 5 3] [1 2 4 5]" {
		t.Errorf("values and lines %s", got)
	}
}

// TestObjectsOfABrokenDisk: an error of the reader is told as it is, wherever in the text it comes.
func TestObjectsOfABrokenDisk(t *testing.T) {
	disk := errors.New("broken disk")
	text := "{\"a\":1,\"label\":\"x\"}\n{\"a\":2,\"label\":\"y\"}\n{\"a\":3,\"label\":\"x\"}\n"
	for k := range len(text) {
		in := io.MultiReader(strings.NewReader(text[:k]), iotest.ErrReader(disk))
		_, _, err := Open(t.Context(), "-", Options{Stdin: in, Format: FormatJSON})
		if err == nil || !strings.Contains(err.Error(), "cannot be read further: broken disk") {
			t.Errorf("after %d bytes: %v", k, err)
		}
	}
}
