package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShown: names of columns, cells and files move no cursor and change no title of the terminal, whatever a verb prints of them.
func TestShown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	var b strings.Builder
	b.WriteString("a\x1b[31mred,b\u202e,kind\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d.5,\u009b2J%d,\x1b]0;title\x07%d\n", i, i%3, i/20)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "a.mercer")
	for _, args := range [][]string{
		{"data", path},
		{"fit", path, "--method", "rls", "-o", model, "-v"},
		{"evaluate", model, path},
		{"explain", model, path},
		{"shrink", model, "-o", model + "2", "--data", path, "--basis", "5"},
		{"predict", model, path, "--output", filepath.Join(dir, "none\x1b[2J", "p.csv")},
	} {
		r := run(t, "", args...)
		for what, text := range map[string]string{"standard output": r.stdout, "standard error": r.stderr} {
			for _, c := range []string{"\x1b", "\a", "\u009b", "\u202e"} {
				if strings.Contains(text, c) {
					t.Errorf("mercer %s: %s has %q in %q", args[0], what, c, text)
				}
			}
		}
		if args[0] == "fit" && r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
}
