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
	users bool     // for those who use Mercer, else for those who work on it
	pages []string // paths of documents from the root
}

// results is the folder of measurements. Its pages are reached from its README, and are not listed in the navigation.
const results = "docs/results"

// subjects is the order of the documents. A document that is missing here, or is here and nowhere else, is an error.
func subjects() []subject {
	return []subject{
		{"Start", true, []string{"README.md", "docs/README.md", "docs/tutorial.md", "docs/gallery.md", "docs/faq.md",
			"docs/coming-from.md"}},
		{"Data", true, []string{"docs/tables.md", "docs/labelling.md", "docs/several-views.md", "docs/manifolds.md"}},
		{"Models", true, []string{"docs/how-to-choose.md", "docs/explain.md", "docs/report.md", "docs/growing.md", "docs/scale.md"}},
		{"Other programs", true, []string{"docs/python.md", "docs/exchange.md", "docs/serving.md"}},
		{"Reference", true, []string{"docs/install.md", "docs/commands.md", "docs/methods.md", "docs/settings.md", "docs/formats.md",
			"docs/compatibility.md", "CHANGELOG.md", "SECURITY.md"}},
		{"Measurements", false, []string{results + "/README.md", "tools/lab/README.md", "data/builtin/README.md"}},
		{"For developers", false, []string{"docs/architecture.md", "docs/roads.md", "docs/decisions.md", "docs/automatic-choice.md",
			"docs/notation.md", "docs/sources.md", "docs/datasets.md", "docs/release.md", "CONTRIBUTING.md", "NOTICES.md"}},
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
