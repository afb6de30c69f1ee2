// Package report writes a run as one page that needs nothing else: no script, no outer
// file, figures inside as SVG and beside as PNG. Page is the document: sections of words,
// tables and figures. Run makes one of a fit, Front sections of a front of risk against
// complexity. The same input gives the same bytes: nothing here reads a clock.
//
// A new figure is a file here, and Run decides where it stands on the page.
package report

import (
	"bytes"
	_ "embed" // the page's template
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	pages "github.com/mercer-ml/mercer/internal/page"
	"github.com/mercer-ml/mercer/internal/replace"
)

// Page is a report.
type Page struct {
	Title    string
	Lead     string   // under the title: what was run, on what
	Answer   []string // sentences for everybody
	Numbers  []Number // the few that matter
	Warnings []string
	Sections []Section
	Foot     string // version, time
}

// Number is one of the large numbers under the answer.
type Number struct{ Value, What string }

// Section is a part of a page under a heading.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Block is a piece of a section. It shows those of its fields that are set, in their order: words, a
// list, preformatted lines, tables side by side, figures side by side.
type Block struct {
	Text    string
	List    []string
	Code    string
	Tables  []*Table
	Figures []*Figure
	Beside  bool // figures stand beside the rest, where there is room
}

// Table is a table. A row's first cell is its name.
type Table struct {
	Caption string
	Fold    string // the words under which a long table is folded away; "": it is open
	Head    []string
	Rows    [][]string
	Text    []bool // columns of words, set to the left; the first is
	Marked  []int  // rows that stand out
	// Bars, if not nil, are shares of a full bar shown behind the last cell of every row.
	Bars []float64
	// Shades, if not nil, are the depths 0 to 1 of the cells after the first.
	Shades [][]float64
}

// add appends blocks to a section.
func (s *Section) add(b ...Block) { s.Blocks = append(s.Blocks, b...) }

//go:embed page.html
var pageHTML string

// generator marks a page as one of ours, which a later report may replace.
const generator = `<meta name="generator" content="mercer report">`

// Index is the name of the page in its folder.
const Index = "index.html"

// figures lists the figures of a page in their order.
func (p *Page) figures() []*Figure {
	var list []*Figure
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			list = append(list, b.Figures...)
		}
	}
	return list
}

// Render writes the page alone.
func (p *Page) Render(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(pages.Style()) }, //nolint:gosec // embedded above
		"svg":    (*Figure).SVG,
		"words":  func(t *Table, column int) bool { return column == 0 || column < len(t.Text) && t.Text[column] },
		"marked": func(t *Table, row int) bool { return contains(t.Marked, row) },
		"bar": func(t *Table, row, column int) string {
			if t.Bars == nil || column != len(t.Rows[row])-1 {
				return ""
			}
			return fmt.Sprintf("%.1f", 100*min(max(t.Bars[row], 0), 1))
		},
		"shade": func(t *Table, row, column int) string {
			if t.Shades == nil || column == 0 || t.Shades[row][column-1] == 0 {
				return ""
			}
			return fmt.Sprintf("%.0f", 100*t.Shades[row][column-1])
		},
		"generator": func() template.HTML { return generator },
		"png":       func(f *Figure) string { return f.Name + ".png" },
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// Check says whether a report can be written to a folder that may not exist yet. It leaves
// nothing behind. A page that was not written here is nobody's to overwrite.
func Check(dir string) error {
	info, err := os.Stat(dir)
	at := dir
	switch {
	case errors.Is(err, fs.ErrNotExist):
		at = filepath.Dir(filepath.Clean(dir))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: is a file; name a folder for the report", dir)
	default:
		if err := foreign(dir); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(at, ".mercer.*.tmp")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the folder it is to be in does not exist; make it, or name another", dir)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// foreign is an error where a page lies in the folder that is not a report.
func foreign(dir string) error {
	f, err := os.Open(filepath.Join(dir, Index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err = errors.Join(ending(err), f.Close()); err != nil {
		return err
	}
	if !bytes.Contains(head[:n], []byte(generator)) {
		return fmt.Errorf("%s: the %s there is no report of mercer and would be overwritten; name another folder, or move it away", dir,
			Index)
	}
	return nil
}

// ending drops the errors that tell the end of a short file.
func ending(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Write writes the page as index.html to a folder, which is made if need be, and its figures
// beside it. All files are written beside their names and then renamed, the page last, so that a
// full disk leaves the folder as it was.
func (p *Page) Write(dir string) error {
	if err := Check(dir); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o755) //nolint:gosec // a report is to be read
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	names := map[string]bool{}
	var parts []replace.Part
	for _, f := range p.figures() {
		if names[f.Name] {
			panic("report: two figures are called " + f.Name)
		}
		names[f.Name] = true
		parts = append(parts, replace.Part{Path: filepath.Join(dir, f.Name+".png"), Write: f.PNG})
	}
	err = replace.Files(append(parts, replace.Part{Path: filepath.Join(dir, Index), Write: p.Render}))
	if err != nil && made {
		err = errors.Join(err, os.Remove(dir))
	}
	return err
}
