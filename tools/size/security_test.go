package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each row of the table of SECURITY.md has tests, and each of them is there.
func TestThreatsHaveTests(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Who may try what, and what holds")
	table, _, _ = strings.Cut(table, "\n## ")
	folder, name := regexp.MustCompile("^`[a-z/]+`$"), regexp.MustCompile(`^(Test|Fuzz)[A-Za-z]+$`)
	rows := 0
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || strings.HasPrefix(strings.TrimSpace(cells[2]), "-") || strings.TrimSpace(cells[4]) == "tests" ||
			strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows++
		in, found := "", 0
		for _, word := range strings.FieldsFunc(cells[4], func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
			switch {
			case folder.MatchString(word):
				in = strings.Trim(word, "`")
			case name.MatchString(word) && in != "":
				found++
				if !declares(t, filepath.Join("../..", in), word) {
					t.Errorf("%s: %s has no %s", strings.TrimSpace(cells[2]), in, word)
				}
			default:
				t.Errorf("%s: %q is neither a package nor a test", strings.TrimSpace(cells[2]), word)
			}
		}
		if found == 0 {
			t.Errorf("%s: no test", strings.TrimSpace(cells[2]))
		}
	}
	if rows < 10 {
		t.Errorf("%d rows of threats were found", rows)
	}
}

// declares says whether a test of a folder has a function.
func declares(t *testing.T, folder, function string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+function+"(") {
			return true
		}
	}
	return false
}
