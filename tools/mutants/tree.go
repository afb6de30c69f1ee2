package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pack is a package as `go list` describes it.
type pack struct {
	ImportPath, Dir string
	GoFiles         []string
	TestGoFiles     []string
	XTestGoFiles    []string
	Imports         []string
	Deps            []string
	TestImports     []string
	XTestImports    []string
}

// tree is what faults are drawn from and what tests them.
type tree struct {
	module string
	packs  []pack // that faults are put into
	others []pack // that have tests and may import those
	users  []pack // whose tests see the program as its users do
}

// shown are the packages that users meet, by their path in the module, the quick tests first.
var shown = []string{"/internal/method", "", "/internal/cli", "/internal/methodtest/supervised", "/internal/methodtest/graphs",
	"/internal/methodtest/transductive", "/internal/methodtest/views"}

// untouched are folders whose code is no part of the program; nor are packages that help tests, whose
// names end so.
var untouched = []string{"/tools", "/internal/test"}

// load lists the packages.
func load(ctx context.Context, patterns []string) (*tree, error) {
	for i, p := range patterns {
		if !strings.HasPrefix(p, ".") {
			patterns[i] = "./" + p
		}
	}
	module, err := output(ctx, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	t := &tree{module: strings.TrimSpace(string(module))}
	if t.packs, err = list(ctx, patterns); err != nil {
		return nil, err
	}
	t.packs = slices.DeleteFunc(t.packs, func(p pack) bool {
		return strings.HasSuffix(p.ImportPath, "test") || t.aside(p)
	})
	all, err := list(ctx, []string{"./..."})
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		tested := len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
		if tested && !t.aside(p) && !slices.Contains(shown, strings.TrimPrefix(p.ImportPath, t.module)) {
			t.others = append(t.others, p)
		}
	}
	for _, path := range shown {
		i := slices.IndexFunc(all, func(p pack) bool { return p.ImportPath == t.module+path })
		if i < 0 {
			return nil, fmt.Errorf("there is no package %s%s, whose tests show the program to users", t.module, path)
		}
		t.users = append(t.users, all[i])
	}
	return t, nil
}

// aside says whether a package is no part of the program.
func (t *tree) aside(p pack) bool {
	return slices.ContainsFunc(untouched, func(dir string) bool { return strings.HasPrefix(p.ImportPath, t.module+dir) })
}

// list is `go list -json`.
func list(ctx context.Context, patterns []string) ([]pack, error) {
	text, err := output(
		ctx,
		"go",
		append(
			[]string{"list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps,TestImports,XTestImports"},
			patterns...)...)
	if err != nil {
		return nil, err
	}
	var packs []pack
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pack
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packs, nil
		} else if err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
}

// output runs a command and returns what it prints; an error has what it complained of.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	text, err := exec.CommandContext(ctx, name, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return text, err
}

// watch is one run of tests: of some packages, short or not.
type watch struct {
	own   bool // of the package that the fault is in
	short bool
	vet   string // off for all but the package itself, of which go test vets the formats of messages
	names []string
}

// watchers are the runs of tests that see a package, the quickest first: its own tests, the short ones
// of the packages that import it, and those that see the program as its users do. The tests of a package
// a/b may lie in folders of a/btest too, so that they run side by side.
func (t *tree) watchers(path string) []watch {
	runs := []watch{{own: true, vet: "printf", names: []string{path}}}
	beside := func(p pack) bool { return strings.HasPrefix(p.ImportPath, path+"test/") }
	if own := slices.DeleteFunc(slices.Concat(t.others, t.users), func(p pack) bool { return !beside(p) }); len(own) > 0 {
		w := watch{own: true, vet: "off"}
		for _, p := range own {
			w.names = append(w.names, p.ImportPath)
		}
		runs = append(runs, w)
	}
	importers := watch{short: true, vet: "off"}
	for _, p := range t.others {
		if p.ImportPath != path && !beside(p) && slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), path) {
			importers.names = append(importers.names, p.ImportPath)
		}
	}
	if importers.names != nil {
		runs = append(runs, importers)
	}
	for _, u := range t.users {
		if u.ImportPath != path && !beside(u) && slices.Contains(slices.Concat(u.Deps, u.TestImports, u.XTestImports), path) {
			runs = append(runs, watch{vet: "off", names: []string{u.ImportPath}})
		}
	}
	return runs
}

// short is a path of the module without its beginning.
func (t *tree) short(path string) string {
	if path == t.module {
		return "."
	}
	return strings.TrimPrefix(path, t.module+"/")
}

// sites are all faults of one kind that could be put in, by package and place.
func (t *tree) sites() (map[kind][]*fault, error) {
	sites := map[kind][]*fault{}
	for _, p := range t.packs {
		for _, name := range p.GoFiles {
			found, err := faults(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				f.pack, f.shown = p.ImportPath, filepath.ToSlash(filepath.Join(t.short(p.ImportPath), name))
				sites[f.kind] = append(sites[f.kind], f)
			}
		}
	}
	return sites, nil
}
