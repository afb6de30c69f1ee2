package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// subject is a group of pages in the navigation.
type subject struct {
	title string
	pages []string // paths of documents from the root
}

// results is the folder of measurements. Its pages are reached from its README, and are not listed in the navigation.
const results = "docs/results"

// subjects is the order of the documents. A document that is missing here, or is here and nowhere else, is an error.
func subjects() []subject {
	return []subject{
		{"Start", []string{"README.md", "docs/release.md", "docs/how-to-choose.md", "CHANGELOG.md"}},
		{"Data", []string{"docs/tables.md", "docs/labelling.md", "docs/several-views.md", "docs/manifolds.md", "docs/datasets.md"}},
		{"Models", []string{"docs/automatic-choice.md", "docs/explain.md", "docs/report.md", "docs/serving.md", "docs/growing.md"}},
		{"Other programs", []string{"docs/python.md", "docs/exchange.md", "docs/scale.md"}},
		{"Reference", []string{"docs/notation.md", "docs/formats.md", "docs/compatibility.md", "docs/sources.md"}},
		{"Measurements", []string{results + "/README.md", "tools/lab/README.md", "data/builtin/README.md"}},
		{"The project", []string{"docs/architecture.md", "docs/roads.md", "docs/decisions.md", "CONTRIBUTING.md", "SECURITY.md",
			"NOTICES.md"}},
	}
}

// documents lists the documents of a tree in the order of the site: those of the subjects, then the pages of results by name.
func documents(tree fs.FS) ([]string, error) {
	var all []string
	for _, s := range subjects() {
		all = append(all, s.pages...)
	}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !slices.Contains(all, name) {
				return nil, fmt.Errorf("%s: stands in no subject; add it to tools/site/subjects.go", name)
			}
		}
	}
	measured, err := fs.Glob(tree, results+"/*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range measured {
		if path.Base(name) != "README.md" {
			all = append(all, name)
		}
	}
	return all, nil
}

// address is the page of a document, from the root of a version: README.md is index.html of its folder, so that links between
// documents change in their ending alone.
func address(document string) string {
	folder, name := path.Split(document)
	if name == "README.md" {
		return folder + "index.html"
	}
	return folder + strings.TrimSuffix(name, ".md") + ".html"
}
