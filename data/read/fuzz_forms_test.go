package read

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// fuzzForm reads text of one format: what is refused has one line of words, and what is accepted agrees in its parts, and is the same
// whether it comes from a file or in pieces.
func fuzzForm(t *testing.T, text []byte, format Format) {
	t.Helper()
	o := Options{Format: format, MemoryLimit: 1 << 26, Prepare: true, LabelOptional: true, Stdin: bytes.NewReader(text)}
	s, _, err := Open(t.Context(), "-", o)
	var re *Error
	switch {
	case errors.As(err, &re):
		if re.What == "" || strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("fault without words: %#v", err)
		}
		return
	case err != nil:
		t.Fatalf("no fault of a file: %v", err)
	}
	checkSet(t, s)
	last, end := 0, bytes.Count(text, []byte("\n"))+1
	if format == FormatJSON { // each object counts as a line where several share one
		end += bytes.Count(text, []byte("{"))
	}
	for _, line := range s.Lines {
		if line <= last || line > end {
			t.Fatalf("lines %v of %q", s.Lines, text)
		}
		last = line
	}
}

func FuzzARFF(f *testing.F) {
	for _, s := range []string{
		"@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@attribute c string\n@data\n1,x,'p,q'\n?,'y z',\"s\"\n",
		"% c\n@RELATION r\n@ATTRIBUTE 'a b' REAL\n@ATTRIBUTE y {0,1}\n@DATA\n1.5,0\n% c\n2.5,1\n",
		"@relation r\n@attribute a integer\n@attribute y {no,yes}\n@data\n{0 3, 1 yes}\n{1 yes}\n{}\n",
		"@relation r\n@attribute d date \"yyyy-MM-dd\"\n@attribute y {a\\'b,c}\n@data\n2020-01-02,c\n",
		"@relation r\n@attribute a relational\n@data\n", "@relation\n@data\n", "@attribute a {", "@attribute a numeric\n@data\n'1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { fuzzForm(t, text, FormatARFF) })
}

func FuzzJSONLines(f *testing.F) {
	for _, s := range []string{
		"{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}\n", "{\"a\":true,\"y\":\"\\u00e9\\n\"}\n\n{\"y\":\"b\"}\n", "{\"a\":[1]}\n", "{\"a\":{}}\n",
		"{\"a\":1,\"a\":2}\n", "{\"a\":1}\n{\"b\":2}\n", "{\"a\":1} {}\n", "{\"a\":1e400,\"y\":-0}\n", "{\"\":1,\"y\":2}\n", "{", "{}\n", "[]\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { fuzzForm(t, text, FormatJSON) })
}
