package catalogue

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew from what the catalogue says now")

// TestEntriesAreKept: what is said of kernels, scores, searches and losses stays as it is in testdata; what is
// said of methods is of their declarations.
func TestEntriesAreKept(t *testing.T) {
	var b bytes.Buffer
	for _, e := range List() {
		if e.Kind == Method {
			continue
		}
		text, err := json.MarshalIndent(e, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	path := filepath.Join("testdata", "entries.json")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("line %d is\n%s\nand was\n%s", i+1, is[i], was[i])
		}
	}
	if len(is) != len(was) {
		t.Errorf("%d lines, were %d", len(is), len(was))
	}
}
