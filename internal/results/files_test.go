package results

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFilesOfResults: every file of docs/results but the index begins with title, command, date and machine, or says in the place of the
// command that its study is finished, and the index names all of them and no other.
func TestFilesOfResults(t *testing.T) {
	const dir = "../../docs/results"
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(
		`^# [^\n]+\n\n(` +
			`    (mercer reproduce|go run \./tools/|go -C (beam|arrow) run \./bench|go -C tools/lab run \. )[^\n]+( \\\n     [^\n]+)*|` +
			"This study is finished; its program, `tools/lab/[^`]+`, " +
			`went after commit [0-9a-f]{8} \(20\d\d-\d\d-\d\d\)\.(\n?[^\n])*)\n\n` +
			`20\d\d-\d\d-\d\d, \d+ cores(\n?[^\n])*BLAS:(\n?[^\n])+\.\n\n`,
	)
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\(([A-Za-z0-9.-]+\.md)\)`).FindAllStringSubmatch(string(index), -1) {
		named[m[1]] = true
	}
	for _, path := range files {
		name := filepath.Base(path)
		if name == "README.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !heading.Match(text) {
			first, _, _ := strings.Cut(string(text), "\n## ")
			t.Errorf("%s does not begin as a command writes it:\n%s", name, first)
		}
		if !named[name] {
			t.Errorf("the index does not name %s", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("the index names %s, which is not there", name)
	}
}
