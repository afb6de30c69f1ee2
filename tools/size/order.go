package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// promise is the sentence of docs/architecture.md above the order of packages.
const promise = "A package imports only packages that stand below it here."

// promised reads the order of folders from the block of text below the promise in docs/architecture.md. A line begins with one folder
// or several, each with a slash at its end, and goes on with words about them; the folders of one line stand beside each other, the
// first of them above. Lines that begin with a space continue the words.
func promised(file string) ([]string, error) {
	text, err := os.ReadFile(file) //nolint:gosec // a document of this module
	if err != nil {
		return nil, err
	}
	_, rest, found := strings.Cut(string(text), promise)
	parts := strings.SplitN(rest, "```", 3)
	if !found || len(parts) < 3 {
		return nil, fmt.Errorf("%s: there is no block of text below the sentence %q", file, promise)
	}
	var order []string
	for line := range strings.Lines(parts[1]) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			name, ok := strings.CutSuffix(strings.TrimSuffix(word, ","), "/")
			if !ok {
				break
			}
			if slices.Contains(order, name) {
				return nil, fmt.Errorf("%s: %s/ stands twice", file, name)
			}
			order = append(order, name)
		}
	}
	return order, nil
}

// upward are the imports of the module that the order forbids, and its packages that the order does not name. A folder of the order
// speaks for those below it that have no line of their own.
func upward(packages []listing, order []string) []string {
	var against []string
	for _, p := range packages {
		if !p.own() {
			continue
		}
		from := below(p.Module.Path, p.ImportPath)
		at := place(order, from)
		if at < 0 {
			against = append(against, from+" is not named")
			continue
		}
		for _, imported := range p.Imports {
			if imported != p.Module.Path && !strings.HasPrefix(imported, p.Module.Path+"/") {
				continue
			}
			to := below(p.Module.Path, imported)
			if there := place(order, to); there >= 0 && there < at {
				against = append(against, from+" imports "+to)
			}
		}
	}
	slices.Sort(against)
	return against
}

// place is that of the longest folder of the order in which a package lies, or -1. The root's stands for itself alone.
func place(order []string, name string) int {
	for at := name; ; at = path.Dir(at) {
		if i := slices.Index(order, at); i >= 0 && (at != "." || name == ".") {
			return i
		}
		if at == "." {
			return -1
		}
	}
}
