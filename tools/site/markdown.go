package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a document, parsed.
type page struct {
	document string // its path from the root
	source   []byte
	tree     ast.Node
	title    string // the heading of level 1, which every document begins with
	headings []heading
	anchors  map[string]bool
}

type heading struct {
	Level      int
	Text, Link string // Link is the anchor without #
}

// markdown is CommonMark with tables. HTML inside documents is refused, except comments, which are left out.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	)
}

// read parses a document.
func read(files fs.FS, document string) (*page, error) {
	source, err := fs.ReadFile(files, document)
	if err != nil {
		return nil, err
	}
	p := &page{document: document, source: source, anchors: map[string]bool{}}
	p.tree = markdown().Parser().Parse(text.NewReader(source))
	var comments []ast.Node
	err = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.head(n)
		case *ast.HTMLBlock:
			if n.HTMLBlockType != ast.HTMLBlockType2 {
				return ast.WalkStop, p.fault(n, "HTML in a document; write Markdown, or put it between backquotes")
			}
			comments = append(comments, n)
		case *ast.RawHTML:
			return ast.WalkStop, p.fault(n, "HTML in a document; write Markdown, or put it between backquotes")
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range comments {
		c.Parent().RemoveChild(c.Parent(), c)
	}
	if len(p.headings) == 0 || p.headings[0].Level != 1 {
		return nil, fmt.Errorf("%s:1: no title; begin with a heading of level 1", document)
	}
	p.title = p.headings[0].Text
	return p, nil
}

// fault is an error at a place of the document.
func (p *page) fault(n ast.Node, format string, args ...any) error {
	line := 1 + bytes.Count(p.source[:place(n)], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", p.document, line, fmt.Sprintf(format, args...))
}

// place is where a node begins in the source, or the nearest block around it.
func place(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if at := n.Pos(); at >= 0 && n.Kind() != ast.KindDocument {
			return at
		}
	}
	return 0
}

// head gives a heading the anchor that GitHub gives it: its text in small letters, blanks as hyphens, without punctuation, and a
// number where another heading of the document has it.
func (p *page) head(n *ast.Heading) {
	words := plain(n, p.source)
	var slug strings.Builder
	for _, r := range strings.ToLower(words) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			slug.WriteRune(r)
		case r == ' ':
			slug.WriteByte('-')
		}
	}
	link := slug.String()
	for i := 1; p.anchors[link]; i++ {
		link = slug.String() + "-" + strconv.Itoa(i)
	}
	p.anchors[link] = true
	n.SetAttributeString("id", []byte(link))
	p.headings = append(p.headings, heading{n.Level, words, link})
}

// plain is the text of a node without its marks; words of different cells and lines are apart.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing here fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
				b.WriteByte(' ')
			}
		default:
			if !entering && (n.Type() == ast.TypeBlock || n.Kind() == extended.KindTableCell) {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(string(util.UnescapePunctuations([]byte(b.String())))), " ")
}

// html renders the document.
func (p *page) html() (string, error) {
	m := markdown()
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(own{}, 1))) //nolint:misspell // goldmark's name
	var b bytes.Buffer
	err := m.Renderer().Render(&b, p.source, p.tree)
	return strings.ReplaceAll(b.String(), "<pre>", `<pre tabindex="0">`), err // code that is wider than the page is moved by keys too
}

// own renders what differs from plain HTML: headings are links to themselves, and tables that are wider than the page are moved
// in a box of their own.
type own struct{}

// RegisterFuncs is that of a renderer of nodes.
func (own) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		level := n.(*ast.Heading).Level
		value, _ := n.AttributeString("id")
		id := util.EscapeHTML(value.([]byte))
		if entering {
			_, err := fmt.Fprintf(w, "<h%d id=\"%s\">", level, id)
			return ast.WalkContinue, err
		}
		_, err := fmt.Fprintf(w, " <a class=\"anchor\" href=\"#%s\" aria-label=\"link to this heading\">#</a></h%d>\n", id, level)
		return ast.WalkContinue, err
	})
	r.Register(extended.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>\n"
		if !entering {
			tag = "</table></div>\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}
