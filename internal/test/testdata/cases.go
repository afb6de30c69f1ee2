package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Case returns the path of a file of the folder ../cases beside that of the data. Where the folder does not exist the test is skipped.
func Case(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("MERCER_DATA")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "data")
	}
	path := filepath.Join(dir, "..", "cases", name)
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		t.Skipf("skipped: no folder %s", filepath.Dir(path))
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("file missing: %v", err)
	}
	return path
}
