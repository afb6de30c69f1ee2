// Package kept compares what tests see with files that keep it. `go test PACKAGE -update` writes the files
// anew from what the code does now; the difference is then read before it is committed.
//
// Change here how such files are compared.
package kept

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew from what the code does now")

// Updating says whether files are written anew.
func Updating() bool { return *update }

// Text compares a text with the file of that path, which is relative to the package, line by line. Lines
// that differ must be the same to one of the functions, if any are given; these know how far numbers may differ, and
// one line of five may be another to all of them where the arithmetic is another (Rounds).
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
	var others []string
	for i := range min(len(was), len(now)) {
		if was[i] != now[i] && !anyOf(same, was[i], now[i]) {
			others = append(others, fmt.Sprintf("%s: line %d is\n%s\nand was\n%s", path, i+1, now[i], was[i]))
			if len(was) != len(now) {
				break // all that follows is elsewhere
			}
		}
	}
	if len(same) > 0 && len(was) == len(now) && !Rounds() && 5*len(others) <= len(was) {
		return
	}
	for _, o := range others {
		t.Errorf("%s", o)
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
