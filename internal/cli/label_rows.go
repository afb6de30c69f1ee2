package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/label/page"
	documents "github.com/mercer-ml/mercer/internal/text"
)

// sheets are what rows look like: the cells of their file, documents, pictures.
type sheets struct {
	set           *data.Set
	cells         *read.Cells  // of CSV; nil: the features are shown
	files         []string     // of a folder of documents
	text          int          // column of text, -1: none
	column        int          // column of names of pictures, -1: none
	pictures      *photographs // of that column
	width, height int          // of pictures whose pixels are the features, 0: they are not
	lo, hi        float64      // of the pixels
}

// pixels reads --image: 8x8, or a column.
func pixels(image string) (width, height int, column string) {
	if w, h, ok := strings.Cut(image, "x"); ok {
		width, errW := strconv.Atoi(w)
		height, errH := strconv.Atoi(h)
		if errW == nil && errH == nil && width > 0 && height > 0 {
			return width, height, ""
		}
	}
	return 0, 0, image
}

// namesFiles says whether --image is a column.
func namesFiles(image string) bool {
	_, _, column := pixels(image)
	return column != ""
}

// newSheets finds out what the rows of a set look like.
func newSheets(ctx context.Context, set *data.Set, width, height int, column string) (*sheets, error) {
	s := &sheets{set: set, text: -1, column: -1, width: width, height: height}
	var err error
	switch {
	case isFolder(set.Source):
		s.files, err = read.Documents(ctx, set.Source)
	case set.Dialect != nil && (set.Features != nil || set.Text != nil):
		s.cells, err = read.CellsOf(ctx, set)
	}
	if err != nil {
		return nil, named(err, set.Source, set)
	}
	if s.cells != nil && set.Text != nil {
		s.text = slices.Index(s.cells.Names, set.Text.Column)
	}
	if column != "" {
		if s.cells == nil {
			return nil, usage("--image %s: columns with names of files are those of CSV; write WIDTHxHEIGHT where features are pixels",
				column)
		}
		if s.column = slices.Index(s.cells.Names, column); s.column < 0 {
			return nil, usage("--image %s: no such column; name the one that has the files, or write WIDTHxHEIGHT", column)
		}
	}
	if width > 0 {
		if d := set.Rows.Dim(); d != width*height && d != 3*width*height {
			return nil, usage("--image %dx%d: that is %d pixels, and rows have %d features; give their width and height",
				width, height, width*height, d)
		}
		s.lo, s.hi = math.Inf(1), math.Inf(-1)
		for i := range set.Rows.Len() {
			x := s.features(i)
			s.lo, s.hi = min(s.lo, slices.Min(x)), max(s.hi, slices.Max(x))
		}
	}
	return s, nil
}

// features are those of row i.
func (s *sheets) features(i int) []float64 {
	if !s.set.Rows.IsSparse() {
		return s.set.Rows.Dense.RawRowView(i)
	}
	x := make([]float64, s.set.Rows.Dim())
	index, value := s.set.Rows.Sparse.Row(i)
	for q, j := range index {
		x[j] = value[q]
	}
	return x
}

// row is what a person sees of row i.
func (s *sheets) row(i int) (page.Row, error) {
	r := page.Row{Name: "row " + strconv.Itoa(i)}
	if s.set.Lines != nil && s.set.Lines[i] > 0 {
		r.Name = "line " + strconv.Itoa(s.set.Lines[i])
	}
	if s.set.ID != nil {
		r.Name = s.set.ID[i]
	}
	switch {
	case s.files != nil:
		const most = 1 << 20 // of a document
		r.Name = filepath.ToSlash(strings.TrimPrefix(s.files[i], filepath.Clean(s.set.Source)+string(filepath.Separator)))
		f, err := os.Open(s.files[i])
		if err != nil {
			return r, err
		}
		content, err := io.ReadAll(io.LimitReader(f, most))
		content, _, _ = documents.UTF8(content)
		r.Text = strings.ToValidUTF8(string(content), "\uFFFD")
		return r, errors.Join(err, f.Close())
	case s.cells != nil:
		for j, v := range s.cells.Rows[i] {
			switch j {
			case s.cells.Label, s.column:
			case s.text:
				r.Text = v.Text
			default:
				r.Cells = append(r.Cells, page.Cell{Name: s.cells.Names[j], Text: v.Text})
			}
		}
	case s.width > 0: // the picture says it all
	default:
		r.Cells = s.numbers(i)
	}
	if s.width > 0 {
		r.Cells = nil
	}
	return r, nil
}

// numbers are the features of row i under their names, of sparse rows those that are not zero.
func (s *sheets) numbers(i int) []page.Cell {
	var list []page.Cell
	for j, v := range s.features(i) {
		if s.set.Rows.IsSparse() && v == 0 {
			continue
		}
		name := strconv.Itoa(j + 1)
		if s.set.Features != nil {
			name = s.set.Features[j]
		}
		list = append(list, page.Cell{Name: name, Text: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return list
}

// image returns what reads the picture of a row, nil where rows have none.
func (s *sheets) image() func(ctx context.Context, i int) ([]byte, error) {
	switch {
	case s.width > 0:
		return func(_ context.Context, i int) ([]byte, error) { return s.drawn(i) }
	case s.column >= 0:
		return func(ctx context.Context, i int) ([]byte, error) {
			return s.pictures.read(ctx, s.cells.Rows[i][s.column].Text)
		}
	}
	return nil
}

// drawn is a picture whose pixels are the features: of one number each, dark for small ones, or of red, green and blue.
func (s *sheets) drawn(i int) ([]byte, error) {
	x := s.features(i)
	n := s.width * s.height
	at := func(j int) uint8 {
		if !(s.hi > s.lo) {
			return 0
		}
		return uint8(math.Round(255 * (x[j] - s.lo) / (s.hi - s.lo)))
	}
	m := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	for j := range n {
		c := color.RGBA{at(j), at(j), at(j), 255}
		if len(x) == 3*n {
			c = color.RGBA{at(3 * j), at(3*j + 1), at(3*j + 2), 255}
		}
		m.SetRGBA(j%s.width, j/s.width, c)
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}

// write writes the rows of set, which has all labels: CSV as it was but for these, a built-in set as CSV; of other
// formats, whose rows are no records, the names and labels of the rows.
func (s *sheets) write(w io.Writer, set *data.Set) error {
	switch {
	case s.cells != nil:
		return s.cells.WriteLabelled(w, set.LabelName, set.Answers)
	case data.IsBuiltin(set.Source):
		return read.WriteCSV(w, set)
	}
	out := csv.NewWriter(w)
	name := "row"
	if s.files != nil {
		name = "file"
	}
	_ = out.Write([]string{name, set.LabelName}) // Flush keeps the first error
	for i, a := range set.Answers {
		at := strconv.Itoa(i)
		if s.files != nil {
			at = filepath.ToSlash(s.files[i])
		}
		_ = out.Write([]string{at, a}) // as above
	}
	out.Flush()
	return out.Error()
}
