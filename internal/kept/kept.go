// Package kept compares what tests see with files that keep it. `go test PACKAGE -update` writes the files
// anew from what the code does now; the difference is then read before it is committed.
//
// Change here how such files are compared.
package kept

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew from what the code does now")

// Updating says whether files are written anew.
func Updating() bool { return *update }

// Text compares a text with the file of that path, which is relative to the package, line by line. Lines
// that differ must be the same to one of the functions, if any are given.
func Text(t testing.TB, path, got string, same ...func(was, now string) bool) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path) //nolint:gosec // a file of a test
	if err != nil {
		t.Fatal(err)
	}
	was, now := strings.Split(strings.TrimRight(string(text), "\n"), "\n"), strings.Split(strings.TrimRight(got, "\n"), "\n")
	if len(was) != len(now) {
		t.Errorf("%s: %d lines, were %d", path, len(now), len(was))
	}
	for i := range min(len(was), len(now)) {
		if was[i] != now[i] && !anyOf(same, was[i], now[i]) {
			t.Errorf("%s: line %d is\n%s\nand was\n%s", path, i+1, now[i], was[i])
			if len(was) != len(now) {
				return // all that follows is elsewhere
			}
		}
	}
}

func anyOf(same []func(was, now string) bool, was, now string) bool {
	for _, f := range same {
		if f(was, now) {
			return true
		}
	}
	return false
}
