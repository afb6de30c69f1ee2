package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
)

const first = `{"mercer_trace":2,"data":"sum","recipe":{"method":"rls","tune":"none"},"program":"v1"}` + "\n"

// of is the header of a run.
func of() Header {
	return Header{Data: "sum", Recipe: json.RawMessage(`{"method":"rls","tune":"none"}`), Program: "v1"}
}

// keep opens the journal, keeps results, and returns those that it had.
func keep(t *testing.T, path string, h Header, results ...string) string {
	t.Helper()
	f, lines, err := Open(path, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := f.Keep([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil || f.Err() != nil {
		t.Fatal(err, f.Err())
	}
	if err := f.Close(); err != nil { // which is done already
		t.Fatal(err)
	}
	return string(lines)
}

// has compares a file.
func has(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the file has %q, %v, want %q", got, err, want)
	}
}

// TestGoesOn: a journal is made with its first result, each of which is a line at once, and the next run has them all but one that was
// cut off, which is written over.
func TestGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.trace")
	if got := keep(t, path, of()); got != "" {
		t.Errorf("nothing had the results %q", got)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a result there is a file: %v", err)
	}
	f, _, err := Open(path, of())
	if err != nil || f.Keep([]byte(`{"a":1}`)) != nil {
		t.Fatal(err, f.Err())
	}
	has(t, path, first+"{\"a\":1}\n") // before it is closed
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := keep(t, path, of(), "2", "3"); got != "{\"a\":1}\n" {
		t.Errorf("it had %q", got)
	}
	has(t, path, first+"{\"a\":1}\n2\n3\n")
	for _, cut := range []string{"{\"b\"", "4"} {
		if err := os.WriteFile(path, []byte(first+"{\"a\":1}\n2\n3\n"+cut), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := keep(t, path, of()); got != "{\"a\":1}\n2\n3\n" {
			t.Errorf("it had %q", got)
		}
		has(t, path, first+"{\"a\":1}\n2\n3\n"+cut) // what is only read stays
		keep(t, path, of(), "5")
		has(t, path, first+"{\"a\":1}\n2\n3\n5\n")
	}
	spaced := of()
	spaced.Recipe = json.RawMessage("{\"method\": \"rls\",\n \"tune\":\"none\"}")
	if got := keep(t, path, spaced); got != "{\"a\":1}\n2\n3\n5\n" {
		t.Errorf("of the same recipe it had %q", got)
	}
	if FirstLine != 1+bytes.Count([]byte(first), []byte("\n")) {
		t.Errorf("the first result is on line %d", FirstLine)
	}
}

// TestBegunAnew: a file that is empty, or whose first line was cut short, is a journal without results.
func TestBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.trace")
	for n := range len(first) {
		if err := os.WriteFile(path, []byte(first[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := keep(t, path, of(), "1"); got != "" {
			t.Errorf("of %d bytes it had %q", n, got)
		}
		has(t, path, first+"1\n")
	}
	if got := keep(t, path, of()); got != "1\n" {
		t.Errorf("it had %q", got)
	}
}

// TestOtherFiles: what is no journal of the run is refused, with the line, and stays as it is.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.trace")
	const none = "trace: is not a trace of this program"
	for _, c := range []struct {
		text   string
		change func(h *Header)
		want   string
		line   int
	}{
		{"a,label\n1,x\n", nil, none, 0}, {"{}\n", nil, none, 0}, {"x", nil, none, 0}, {first[:9] + "x", nil, none, 0},
		{`{"mercer_trace":1,"data":"sum"}` + "\n", nil, "trace line 1: has version 1, this program writes 2", 1},
		{first, func(h *Header) { h.Data = "other" }, "trace line 1: is of other data", 1},
		{first, func(h *Header) { h.Recipe = json.RawMessage(`{"method":"svm"}`) },
			`trace line 1: is of another recipe, {"method":"rls","tune":"none"}; here {"method":"svm"}`, 1},
		{first, func(h *Header) { h.Program = "v2" }, `trace line 1: was written by version "v1" of the program, and this is "v2"`, 1},
		{`{"mercer_trace":2,"data":"sum"}` + "\n", nil, `trace line 1: is of another recipe, ; here {"method":"rls","tune":"none"}`, 1},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		h := of()
		if c.change != nil {
			c.change(&h)
		}
		_, _, err := Open(path, h)
		failtest.Refused(t, err, c.want)
		var fault *Error
		if !errors.As(err, &fault) || fault.Line != c.line {
			t.Errorf("%v is of line %+v", err, fault)
		}
		has(t, path, c.text)
	}
	_, _, err := Open(dir, of())
	failtest.Refused(t, err, "trace: is no regular file")
	var place *fs.PathError
	if _, _, err := Open(filepath.Join(path, "t.trace"), of()); !errors.As(err, &place) {
		t.Errorf("below a file: %v", err)
	}
	bad := of()
	bad.Recipe = json.RawMessage("{")
	if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, bad); err == nil {
		t.Error("a recipe that is no JSON is that of a file")
	}
}

// TestFullDisk: the error of a result that could not be written ends the run: no other is written, and it is said again.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	f, _, err := Open(filepath.Join(dir, "t.trace"), of())
	if err != nil {
		t.Fatal(err)
	}
	failed := f.Keep([]byte("1"))
	if !errors.Is(failed, fs.ErrNotExist) || !errors.Is(f.Err(), failed) {
		t.Fatal(failed, f.Err())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep([]byte("2")); !errors.Is(err, failed) {
		t.Errorf("after an error the next result has %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	f, _, err = Open(filepath.Join(dir, "t.trace"), of())
	if err != nil || f.Keep([]byte("1")) != nil {
		t.Fatal(err)
	}
	_ = f.file.Close()
	if err := f.Keep([]byte("2")); !errors.Is(err, fs.ErrClosed) || !errors.Is(f.Err(), fs.ErrClosed) {
		t.Errorf("of a closed file: %v", err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	bad := of()
	bad.Recipe = json.RawMessage("{")
	f, _, err = Open(filepath.Join(dir, "other.trace"), bad)
	if err == nil {
		err = f.Keep([]byte("1"))
	}
	if err == nil {
		t.Error("a recipe that is no JSON is written")
	}
}
