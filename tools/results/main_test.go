package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/results"
)

// TestWrite: the command of a heading runs in the root of the repository with the folder of the data in the place of DIR, and one that
// fails says which it was and what it printed.
func TestWrite(t *testing.T) {
	root, data := t.TempDir(), filepath.Join(t.TempDir(), "my data")
	page := results.Page{Name: "a.md", Command: "printf '%s|' --data DIR -sets DIRECT -markdown a.md > a.md"}
	if err := write(t.Context(), root, data, page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "a.md"))
	if want := "--data|" + data + "|-sets|DIRECT|-markdown|a.md|"; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	page.Command = "echo no such set; exit 1"
	err = write(t.Context(), root, data, page)
	if err == nil || !strings.Contains(err.Error(), page.Command) || !strings.Contains(err.Error(), "\nno such set\n") {
		t.Error(err)
	}
}
