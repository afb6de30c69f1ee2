package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page is outdated by the code that it measures, which its name says.
func TestMeasured(t *testing.T) {
	for page, want := range map[string]string{
		"docs/results/engine.md": "./internal/blas", "first-look.md": "./data/read", "neighbours.md": "./graph", "label.md": "./internal/label",
		"serve-soak.md": "./serve", "reproduce-becker-f3.1.md": "./internal/reproduce", "pages.md": "./internal/cli",
		"predict.md": "./internal/apply", "size.md": "./...", "suite-busy.md": "./...", "errors.md": "./internal/fit",
	} {
		if got := Measured(page); got != want {
			t.Errorf("%s measures %s, want %s", page, got, want)
		}
	}
}

// TestOutdated: a page that says the hash of what it measures is listed once the code has changed, or what the code imports, and not
// for tests and comments; a page that says none is listed, and a finished study is not.
func TestOutdated(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outdated := func() string {
		pages, err := Outdated(root)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, page := range pages {
			fmt.Fprintf(&b, "%s: %s (%s)\n", page.Name, page.Why, page.Command)
		}
		return b.String()
	}
	write("go.mod", "module github.com/mercer-ml/mercer\n\ngo 1.26\n")
	write("graph/graph.go", "package graph\n\nimport _ \"github.com/mercer-ml/mercer/kernel\"\n")
	write("kernel/kernel.go", "package kernel\n")
	write("docs/results/README.md", "# Results\n")
	write("docs/results/old.md", "# Old\n\nThis study is finished; its program went.\n\n2026-11-01, 2 cores, BLAS: x.\n")
	t.Chdir(filepath.Join(root, "docs"))
	code := OfCode("docs/results/neighbours.md")
	if !strings.HasSuffix(code, " of ./graph") {
		t.Fatal(code)
	}
	const head = "# Neighbours\n\n    go run . -rows 9 \\\n        -markdown a.md\n\n2026-11-27, 2 cores, BLAS: x"
	write("docs/results/neighbours.md", head+strings.Replace(code, " of", "\nof", 1)+".\n")
	if got := outdated(); got != "" {
		t.Errorf("nothing has changed: %s", got)
	}
	write("kernel/kernel_test.go", "package kernel\n\nconst tested = 1\n")
	write("kernel/kernel.go", "// Package kernel is said to be more.\npackage kernel // and here\n")
	if got := outdated(); got != "" {
		t.Errorf("a test and a comment: %s", got)
	}
	write("kernel/kernel.go", "package kernel\n\nconst width = 1\n")
	if got := outdated(); got != "neighbours.md: ./graph has changed (go run . -rows 9 -markdown a.md)\n" {
		t.Errorf("an import has changed: %q", got)
	}
	write("docs/results/neighbours.md", head+OfCode("docs/results/neighbours.md")+".\n")
	write("kernel/kernel.go", "package kernel\n\nconst width = 2\n")
	if got := outdated(); got != "neighbours.md: ./graph has changed (go run . -rows 9 -markdown a.md)\n" {
		t.Errorf("an import has changed: %q", got)
	}
	write("docs/results/neighbours.md", "# Neighbours\n\n    go run .\n\n2026-11-27, 2 cores, BLAS: x.\n")
	if got := outdated(); got != "neighbours.md: does not say which code of ./graph it measured (go run .)\n" {
		t.Errorf("no hash: %q", got)
	}
}
