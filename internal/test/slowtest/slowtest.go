// Package slowtest sets the tests that take long apart from those that everybody runs.
//
// `go test ./...` is the second command of a newcomer and the loop of whoever changes the code, so it takes a few minutes.
// With MERCER_TESTS=all, as before a release, every test runs in its whole length.
package slowtest

import (
	"os"
	"testing"
)

// Asked says whether MERCER_TESTS=all asks for every test in its whole length.
func Asked() bool { return os.Getenv("MERCER_TESTS") == "all" }

// Only skips a test that is for the whole run alone. The reason says what it does that takes long.
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Asked() {
		t.Skip(reason + "; MERCER_TESTS=all runs it")
	}
}
