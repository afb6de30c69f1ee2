package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed page.html
var layout string

//go:embed site.css
var style []byte

//go:embed site.js
var script []byte

// try is the page that learns in the browser. It works when `make try` has put the program beside it, and is left out before.
const try = "docs/try"

// item is a line of the navigation.
type item struct {
	Title, Link string
	Here        bool
	Parts       []heading // of this page
}

// view is what the layout of a page shows.
type view struct {
	Title, Version, Document string
	Root                     string // leads from the page to the root of its version: "", "../", ..
	Body                     template.HTML
	Subjects                 []struct {
		Title string
		Items []item
	}
	Before, After *item
}

// site makes all files of a version, by their paths from its root.
func site(tree fs.FS, version string) (map[string][]byte, error) {
	names, err := documents(tree)
	if err != nil {
		return nil, err
	}
	l := &linker{tree: tree, pages: map[string]*page{}, copied: map[string]bool{}}
	pages := make([]*page, len(names))
	for i, name := range names {
		if pages[i], err = read(tree, name); err != nil {
			return nil, err
		}
		l.pages[name] = pages[i]
	}
	// The index reads the documents as they are; rewriting then changes them.
	files := map[string][]byte{"site.css": style, "site.js": script}
	if files["search-index.js"], err = index(pages); err != nil {
		return nil, err
	}
	var faults []error
	for _, p := range pages {
		faults = append(faults, l.rewrite(p))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	tried, err := l.trial()
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, err
	}
	for i, p := range pages {
		v := view{Title: p.title, Version: version, Document: p.document, Root: strings.Repeat("../", strings.Count(p.document, "/"))}
		body, err := p.html()
		if err != nil {
			return nil, err
		}
		v.Body = template.HTML(body) //nolint:gosec // made of Markdown, in which HTML is refused
		v.navigate(l, p, tried)
		v.Before, v.After = neighbour(l, pages, i, -1), neighbour(l, pages, i, 1)
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			return nil, err
		}
		files[address(p.document)] = b.Bytes()
	}
	for name := range l.copied {
		if files[name], err = fs.ReadFile(tree, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// trial has the page docs/try copied if it can work, and says so.
func (l *linker) trial() (bool, error) {
	entries, err := fs.ReadDir(l.tree, try)
	if err != nil {
		return false, fmt.Errorf("%s: %w", try, err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if !slices.Contains(names, "mercer.wasm.gz") || !slices.Contains(names, "wasm_exec.js") {
		return false, nil
	}
	for _, name := range names {
		if name != "mercer.wasm" { // the same, not packed
			l.copied[path.Join(try, name)] = true
		}
	}
	return true, nil
}

// navigate fills in the subjects. Pages of results belong to their list.
func (v *view) navigate(l *linker, p *page, tried bool) {
	here := p.document
	if path.Dir(here) == results {
		here = results + "/README.md"
	}
	for i, s := range subjects() {
		var items []item
		for _, d := range s.pages {
			it := item{Title: l.pages[d].title, Link: l.between(p.document, d, ""), Here: d == here}
			if d == p.document {
				it.Link = "#"
				for _, h := range p.headings {
					if h.Level == 2 {
						it.Parts = append(it.Parts, h)
					}
				}
			}
			items = append(items, it)
		}
		if i == 0 && tried {
			items = append(items, item{Title: "Try it in the browser", Link: v.Root + try + "/index.html"})
		}
		v.Subjects = append(v.Subjects, struct {
			Title string
			Items []item
		}{s.title, items})
	}
}

// neighbour is the page before or after, nil at the ends.
func neighbour(l *linker, pages []*page, i, step int) *item {
	if j := i + step; j >= 0 && j < len(pages) {
		return &item{Title: pages[j].title, Link: l.between(pages[i].document, pages[j].document, "")}
	}
	return nil
}
