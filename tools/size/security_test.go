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
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(table, -1)
	if len(rows) < 14 {
		t.Errorf("%d rows of threats were found", len(rows))
	}
	tests := regexp.MustCompile(`(?m)^(\d+)\. (.*(?:\n {4}.*)*)`).FindAllStringSubmatch(table, -1)
	if len(tests) != len(rows) {
		t.Fatalf("%d rows of threats, and %d lists of tests", len(rows), len(tests))
	}
	folder, name := regexp.MustCompile("^`[a-z/]+`$"), regexp.MustCompile(`^(Test|Fuzz)[A-Za-z]+$`)
	for k, list := range tests {
		if list[1] != rows[k][1] {
			t.Errorf("row %s has the tests of %s", rows[k][1], list[1])
		}
		in, found := "", 0
		for _, word := range strings.FieldsFunc(list[2], func(r rune) bool { return strings.ContainsRune(" ,;\n", r) }) {
			switch {
			case folder.MatchString(word):
				in = strings.Trim(word, "`")
			case name.MatchString(word) && in != "":
				found++
				if !declares(t, filepath.Join("../..", in), word) {
					t.Errorf("row %s: %s has no %s", list[1], in, word)
				}
			default:
				t.Errorf("row %s: %q is neither a package nor a test", list[1], word)
			}
		}
		if found == 0 {
			t.Errorf("row %s has no test", list[1])
		}
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
