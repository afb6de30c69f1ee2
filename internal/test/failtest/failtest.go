// Package failtest compares the words in which calls fail.
//
// Change here how such words are compared.
package failtest

import (
	"fmt"
	"strings"
	"testing"
)

// Panics compares what a call panics with.
func Panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("it panics with %v, expected %s", got, want)
		}
	}()
	f()
}

// Names wants some words, as of a shape, in what a call panics with.
func Names(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, words) {
			t.Errorf("it panics with %q, expected %q in it", got, words)
		}
	}()
	f()
}

// Refused compares an error.
func Refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, expected %s", err, want)
	}
}
