package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// TestHelp: every measurement has a name of its own and says what its flags are.
func TestHelp(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range measurements() {
		var help strings.Builder
		if _, _, err := m.Read([]string{"-h"}, &help); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "-markdown") {
			t.Errorf("%s -h: %v, %s", m.Name, err, help.String())
		}
		if seen[m.Name] || m.About == "" {
			t.Errorf("%q is there twice, or is not told", m.Name)
		}
		seen[m.Name] = true
		if _, _, err := m.Read([]string{"word"}, io.Discard); err == nil {
			t.Errorf("%s takes a word that is no flag", m.Name)
		}
	}
}

// TestCommandsOfPages: the commands that documents name are understood, and a page of docs/results has the title that its command gives.
func TestCommandsOfPages(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/results/*.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("go -C tools/lab run \\. ([a-zN][^`\n]*[^`\n\\\\])")
	count := 0
	for _, path := range append(append(documents, pages...), "README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said := regexp.MustCompile(` \\\n +`).ReplaceAllString(string(text), " ")
		for _, found := range command.FindAllStringSubmatch(said, -1) {
			args := words(found[1])
			if args[0] == "NAME" {
				continue
			}
			count++
			p, _, err := pageOf(args)
			if err != nil {
				t.Errorf("%s: %s: %v", path, found[1], err)
			} else if strings.Contains(path, "results") && !strings.Contains(path, "README") && !strings.HasPrefix(said, "# "+p.Title) {
				t.Errorf("%s: its command has the title %q", path, p.Title)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d commands were found", count)
	}
}

// pageOf is the page of a command.
func pageOf(args []string) (measure.Page, string, error) {
	for _, m := range measurements() {
		if m.Name == args[0] {
			return m.Read(args[1:], io.Discard)
		}
	}
	return measure.Page{}, "", errors.New("there is no such measurement")
}

// words are those of a command, of which some stand in single quotes.
func words(command string) (list []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(command, -1) {
		list = append(list, strings.Trim(word, "'"))
	}
	return list
}

// TestRepository: it is found from below, and elsewhere there is none.
func TestRepository(t *testing.T) {
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "tools", "lab", "main.go")); err != nil {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if _, err := repository(); err == nil {
		t.Error("a repository is found in an empty folder")
	}
	if err := run(t.Context(), []string{"nothing"}, io.Discard); err == nil {
		t.Error("a measurement that is not there is taken")
	}
}
