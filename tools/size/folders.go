package main

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// topFolders are the folders of a folder, hidden ones left out.
func topFolders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !hidden(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func hidden(name string) bool { return len(name) > 1 && name[0] == '.' }

// folder is the one that a package counts to, by its path below the root of the module, two levels deep.
func folder(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(len(parts), 2)], "/")
}

// knotted are the folders that import themselves by way of another one, their tests aside: from none of them can one begin to read.
func knotted(packages []listing) []string {
	imports := map[string]map[string]bool{}
	for _, p := range packages {
		if !p.own() {
			continue
		}
		from := folder(below(p.Module.Path, p.ImportPath))
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, path := range p.Imports {
			if path == p.Module.Path || strings.HasPrefix(path, p.Module.Path+"/") {
				imports[from][folder(below(p.Module.Path, path))] = true
			}
		}
	}
	var knot []string
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		seen := map[string]bool{}
		var walk func(at string)
		walk = func(at string) {
			for to := range imports[at] {
				if to != at && !seen[to] {
					seen[to] = true
					walk(to)
				}
			}
		}
		walk(from)
		if seen[from] {
			knot = append(knot, from)
		}
	}
	return knot
}

// below is a package's path below that of its module: "." is the root.
func below(module, path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}
