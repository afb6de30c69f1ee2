// Package testdata finds the real data sets that tests compare against. They
// are no part of the module: they stand in the folder named by MERCER_DATA or,
// without it, in ../shared/data seen from the module root.
//
// Change here where tests look for data.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Open returns the path of the data file name. Where the folder exists, a
// missing file fails the test; where it does not, the test is skipped and says
// so.
func Open(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("MERCER_DATA")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "data")
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("skipped: no data folder %s; set MERCER_DATA to check against %s", dir, name)
		}
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("data file missing: %v", err)
	}
	return path
}

// root returns the folder of go.mod, at or above the test's own.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
}
