package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoLogStaysAsItIs: a file that is no log, or a log with a line that is none, is refused and is afterwards what it was, to the byte.
// A log that a process was killed in is one, at whatever byte it ends.
func TestNoLogStaysAsItIs(t *testing.T) {
	subject := Subject{Data: "rows.csv", Rows: 50, Checksum: "sha256:1"}
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path, subject)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := log.Append(Entry{Row: i, Label: "a", Why: "risk"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 5))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rng.IntN(256))
	}
	for name, text := range map[string][]byte{
		"a model":                    []byte("mercer model 3\n{\"method\":\"rls\"}\n\x00\x01"),
		"text without a line end":    []byte("some notes"),
		"one letter":                 []byte("x"),
		"bytes":                      noise,
		"a long line":                bytes.Repeat([]byte("1,2,3;"), 100000),
		"a table":                    []byte("a,b\n1,2\n3,4"),
		"JSON":                       []byte("{}\n{}"),
		"a log and a line of text":   append(bytes.Clone(whole), "a note\n"...),
		"a log and text without end": append(bytes.Clone(whole), "a note"...),
		"a log of other rows":        bytes.Replace(whole, []byte("sha256:1"), []byte("sha256:2"), 1),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenLog(path, subject)
		var fault *LogError
		if !errors.As(err, &fault) || len(err.Error()) > 600 || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: %.200v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) {
			t.Errorf("%s: %d bytes were %d: %v", name, len(now), len(text), err)
		}
	}
	for end := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(path, subject)
		if err != nil {
			t.Fatalf("a log cut after %d bytes: %v", end, err)
		}
		if want := max(0, bytes.Count(whole[:end], []byte("\n"))-1); len(log.Entries) != want {
			t.Errorf("a log cut after %d bytes has %d answers, want %d", end, len(log.Entries), want)
		}
		if err := errors.Join(log.Append(Entry{Row: 7, Label: "b"}), log.Close()); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(now) {
			if !json.Valid(line) {
				t.Errorf("a log cut after %d bytes goes on with %q", end, line)
			}
		}
	}
}

// TestFolderIsNoLog: what is no regular file is refused without being opened.
func TestFolderIsNoLog(t *testing.T) {
	if _, err := OpenLog(t.TempDir(), Subject{Rows: 1}); err == nil || !strings.Contains(err.Error(), "no log of labels") {
		t.Error(err)
	}
}
