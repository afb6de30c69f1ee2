package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
)

// entry is a part of a document under one heading, as the script of the pages searches it.
type entry struct {
	Link  string `json:"l"` // from the root of the version
	Page  string `json:"p"` // title of the page
	Title string `json:"h"` // the heading
	Text  string `json:"t"` // what stands below it, up to the next heading
}

// entries are the parts of a page. Of tables of results the words are taken and the numbers left out, which nobody seeks.
func (p *page) entries() []entry {
	var all []entry
	var below strings.Builder
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].Text = strings.TrimSpace(below.String())
		}
		below.Reset()
	}
	next := 0
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			end()
			h := p.headings[next]
			next++
			link := address(p.document)
			if h.Level > 1 {
				link += "#" + h.Link
			}
			all = append(all, entry{Link: link, Page: p.title, Title: h.Text})
			continue
		}
		words := plain(n, p.source)
		if n.Kind() == extended.KindTable {
			words = wordy(words)
		}
		below.WriteString(words)
		below.WriteByte(' ')
	}
	end()
	return all
}

// wordy leaves out what has no letter.
func wordy(words string) string {
	var kept []string
	for _, w := range strings.Fields(words) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// index is the script that holds all entries: a script, because pages in a folder may read no other file.
func index(pages []*page) ([]byte, error) {
	var all []entry
	for _, p := range pages {
		all = append(all, p.entries()...)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{[]byte("window.siteIndex = "), raw, []byte(";\n")}, nil), nil
}
