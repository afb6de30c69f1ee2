package main

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// linker makes the links of documents those of pages, and collects the files that they need beside them.
type linker struct {
	tree   fs.FS
	pages  map[string]*page // by their documents
	copied map[string]bool  // pictures and the like, from the root
}

// rewrite changes all links of a page. The error has a line for each that leads nowhere.
func (l *linker) rewrite(p *page) error {
	var faults []error
	var names []*ast.CodeSpan
	err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = l.target(p, n, string(n.Destination), false)
		case *ast.Image:
			n.Destination, err = l.target(p, n, string(n.Destination), true)
		case *ast.CodeSpan:
			if n.Parent().Kind() != ast.KindLink {
				names = append(names, n)
			}
		}
		if err != nil {
			faults = append(faults, err)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range names {
		if err := l.named(p, n); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(append(faults, err)...)
}

// target is where a link of a page leads.
func (l *linker) target(p *page, n ast.Node, link string, picture bool) ([]byte, error) {
	to, err := url.Parse(link)
	if err != nil {
		return nil, p.fault(n, "dead link %s: it is no address", link)
	}
	if to.Scheme == "https" || to.Scheme == "http" {
		if picture {
			return nil, p.fault(n, "picture %s: it lies on another host; put the file beside the document", link)
		}
		return []byte(link), nil
	}
	if to.Scheme != "" || to.Host != "" || path.IsAbs(to.Path) {
		return nil, p.fault(n, "dead link %s: give a path from the folder of this document, or https://", link)
	}
	document := p.document
	if to.Path != "" {
		document = path.Join(path.Dir(p.document), to.Path)
	}
	if other, ok := l.pages[document]; ok {
		if to.Fragment != "" && !other.anchors[to.Fragment] {
			return nil, p.fault(n, "dead link %s: %s has no such heading", link, document)
		}
		return []byte(l.between(p.document, document, to.Fragment)), nil
	}
	if info, err := fs.Stat(l.tree, document); err != nil || info.IsDir() {
		return nil, p.fault(n, "dead link %s: there is no such file", link)
	}
	switch path.Ext(document) {
	case ".png", ".svg", ".jpg", ".html", ".csv":
	default:
		return nil, p.fault(n, "dead link %s: the site has pages and pictures alone", link)
	}
	l.copied[document] = true
	return []byte(link), nil
}

// between is the link from one document's page to another's.
func (l *linker) between(from, to, anchor string) string {
	link := strings.Repeat("../", strings.Count(from, "/")) + address(to)
	if from == to {
		link = ""
	} else if below, ok := strings.CutPrefix(address(to), path.Dir(from)+"/"); ok {
		link = below
	}
	if anchor != "" {
		link += "#" + anchor
	}
	return link
}

// named makes a link of a document's name between backquotes, such as `docs/formats.md`, from the root or from this folder. A name
// below docs/ that no document has is an error.
func (l *linker) named(p *page, n *ast.CodeSpan) error {
	name := plain(n, p.source)
	if !strings.HasSuffix(name, ".md") || strings.ContainsAny(name, " *<>$") {
		return nil
	}
	document := name
	if l.pages[document] == nil {
		document = path.Join(path.Dir(p.document), name)
	}
	if l.pages[document] == nil {
		if strings.HasPrefix(name, "docs/") {
			return p.fault(n, "dead link %s: there is no such document", name)
		}
		return nil
	}
	if document == p.document {
		return nil
	}
	link := ast.NewLink()
	link.Destination = []byte(l.between(p.document, document, ""))
	parent := n.Parent()
	parent.ReplaceChild(parent, n, link)
	link.AppendChild(link, n)
	return nil
}
