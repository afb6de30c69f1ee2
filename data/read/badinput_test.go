package read

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestBadInput: what is no table is refused in one line that says what to do, soon, and without much memory.
func TestBadInput(t *testing.T) {
	wide := func(text string) string { // as UTF-16
		var b strings.Builder
		for _, c := range []byte(text) {
			b.Write([]byte{c, 0})
		}
		return b.String()
	}
	words := strings.TrimSuffix(strings.Repeat("x,", 50000), ",") + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"one line":              {"a,b,y", "a header but no rows"},
		"delimiters alone":      {",,,\n,,\n", "3 values where the first line has 4"},
		"UTF-16 without a mark": {wide("a,b,y\n1,2,x\n3,4,y\n"), "UTF-16 text without a byte-order mark"},
		"one name many times":   {words + "1\n", "1 values where the first line has 50000"},
		"many names and words":  {words + words, "50000 columns, not all of numbers"},
		"keys beyond a line":    {`{"` + strings.Repeat(`a":1,"`, 40000) + `b":2}` + "\n", "a first line of more than"},
		"nothing but blanks":    {"   \n \n", "empty file"},
	} {
		begin := time.Now()
		_, _, err := Open(t.Context(), "-", Options{Prepare: true, MemoryLimit: 1 << 28, Stdin: strings.NewReader(c.text)})
		var fault *Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || fault.Remedy == "" {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%s: after %v", name, d)
		}
	}
}

// TestBombs: packed text that unpacks to far more than tables do is refused; text that is only repeated is read.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("packs 130 MB")
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	piece := bytes.Repeat([]byte("1"), 1<<20)
	for range 130 {
		if _, err := z.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := Open(t.Context(), "-", Options{Format: FormatCSV, Stdin: &b})
	if err == nil || !strings.Contains(err.Error(), "times its size") {
		t.Errorf("a bomb: %v", err)
	}
	if tooMuch("f", packedBytes, 1) != nil || tooMuch("f", 20*packedBytes, packedBytes) != nil || tooMuch("f", packedBytes+1, 1) == nil {
		t.Error("bounds of packed text")
	}
}

// TestUnpackedInPieces: packed text ends with a fault in the piece with which it becomes too much, of which nothing is given.
func TestUnpackedInPieces(t *testing.T) {
	u := &unpacked{Reader: strings.NewReader("ab"), file: "f", in: func() int64 { return 1 }, out: packedBytes - 1}
	one := make([]byte, 1)
	if n, err := u.Read(one); n != 1 || err != nil {
		t.Errorf("the last byte that may be: %d, %v", n, err)
	}
	var fault *Error
	if n, err := u.Read(one); n != 0 || !errors.As(err, &fault) || fault.File != "f" {
		t.Errorf("one byte more: %d, %v", n, err)
	}
}
