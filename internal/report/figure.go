package report

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a plot with the words around it. It stands in the page as SVG, and beside the
// page as NAME.png.
type Figure struct {
	Name    string // of the file: letters, digits, hyphens
	Caption string // what is to be seen, and how to read it
	Alt     string // the same for those who do not see it: the figure's message in words
	Plot    *plot.Plot
	Legend  []Entry // below the plot, where it hides nothing
	Data    *Table  // the numbers of the figure, or nil
	Ratio   float64 // height over width, default 0.7
	Wide    bool    // twice as wide as others, where there is room
}

// Entry is one line of a legend: a mark or a line, and its name.
type Entry struct {
	Name  string
	Glyph *draw.GlyphStyle
	Line  *draw.LineStyle
}

// figureWidth is the width of figures in points.
const figureWidth = 440

func (f *Figure) dims() (w, h vg.Length) {
	w = figureWidth
	if f.Wide {
		w = 1.5 * figureWidth
	}
	ratio := f.Ratio
	if ratio == 0 {
		ratio = 0.7
	}
	if f.Wide && f.Ratio == 0 {
		ratio = 0.5
	}
	return w, vg.Length(ratio)*w + f.legendHeight(w)
}

// Sizes of legends in points.
const (
	legendLine = 17
	legendMark = 16
	legendGap  = 14
	margin     = 8
)

// legendRows breaks the legend into rows no wider than w, and returns where each entry
// stands.
func (f *Figure) legendRows(w vg.Length) (rows int, at []vg.Point) {
	style := legendText()
	x, row := vg.Length(margin), 0
	for i, e := range f.Legend {
		width := legendMark + style.Width(clip(e.Name)) + legendGap
		if i > 0 && x+width > w-margin {
			x, row = margin, row+1
		}
		at = append(at, vg.Point{X: x, Y: vg.Length(row)})
		x += width
	}
	return row + 1, at
}

func (f *Figure) legendHeight(w vg.Length) vg.Length {
	if len(f.Legend) == 0 {
		return 0
	}
	rows, _ := f.legendRows(w)
	return vg.Length(rows)*legendLine + margin/2
}

func legendText() text.Style {
	return text.Style{Color: ink, Font: sans(tickSize, false), YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}

// headHeight is the room above the plot: its title, and the name of the vertical axis. That
// name lies flat there, because a name longer than an upright axis would be cut off and push the
// plot aside.
func (f *Figure) headHeight() vg.Length {
	h := f.Plot.Title.TextStyle.Height(f.Plot.Title.Text) + f.Plot.Title.Padding
	if f.Plot.Y.Label.Text != "" {
		h += f.Plot.Y.Label.TextStyle.Height(f.Plot.Y.Label.Text) + f.Plot.Y.Label.Padding
	}
	return h
}

// inside is the part of a canvas that the plot without its head and legend has.
func (f *Figure) inside(c draw.Canvas) draw.Canvas {
	foot := f.legendHeight(c.Max.X - c.Min.X)
	return draw.Crop(c, margin, -margin, foot+margin/2, -margin-f.headHeight())
}

// bare is a copy of the plot without its title and the name of its vertical axis, which the head
// shows. The name of its horizontal axis is cut to the width w.
func (f *Figure) bare(w vg.Length) *plot.Plot {
	p := *f.Plot
	p.Title.Text, p.Y.Label.Text = "", ""
	p.X.Label.Text = fitting(p.X.Label.Text, p.X.Label.TextStyle, w)
	return &p
}

// fitting cuts a text to a width.
func fitting(s string, style text.Style, w vg.Length) string {
	for n := len([]rune(s)); n > 1 && style.Width(s) > w; n-- {
		s = shorter(s, n-1)
	}
	return s
}

// draw draws the head, the plot and its legend.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	w := c.Max.X - c.Min.X - 2*margin
	title, name := f.Plot.Title.TextStyle, f.Plot.Y.Label.TextStyle
	title.XAlign, title.YAlign = text.XCenter, text.YTop
	name.XAlign, name.YAlign, name.Rotation = text.XLeft, text.YBottom, 0
	c.FillText(title, vg.Point{X: c.Min.X + margin + w/2, Y: c.Max.Y - margin}, fitting(f.Plot.Title.Text, title, w))
	inner := f.inside(c)
	if s := f.Plot.Y.Label.Text; s != "" {
		c.FillText(name, vg.Point{X: c.Min.X + margin, Y: inner.Max.Y + f.Plot.Y.Label.Padding}, fitting(s, name, w))
	}
	f.bare(w).Draw(inner)
	if len(f.Legend) > 0 {
		f.drawLegend(c)
	}
}

// drawLegend draws the legend below the plot.
func (f *Figure) drawLegend(c draw.Canvas) {
	w := c.Max.X - c.Min.X
	foot := f.legendHeight(w)
	style := legendText()
	_, at := f.legendRows(w)
	for i, e := range f.Legend {
		x, y := c.Min.X+at[i].X, c.Min.Y+foot-legendLine*(at[i].Y+0.5)
		if e.Line != nil {
			c.StrokeLine2(*e.Line, x, y, x+legendMark-4, y)
		}
		if e.Glyph != nil {
			c.DrawGlyph(*e.Glyph, vg.Point{X: x + legendMark/2 - 2, Y: y})
		}
		c.FillText(style, vg.Point{X: x + legendMark, Y: y}, clip(e.Name))
	}
}

// clip shortens a name for legends and axes.
func clip(name string) string {
	const most = 24
	return shorter(name, most)
}

// PNG writes the figure as PNG, two pixels a point (144 dots an inch).
func (f *Figure) PNG(w io.Writer) (err error) {
	defer caught(f.Name, &err)
	width, height := f.dims()
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144), vgimg.UseBackgroundColor(paper))
	f.draw(draw.New(c))
	_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// What the SVG writer puts before and around the drawing, and its typeface.
var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg [^>]*viewBox="([^"]*)"[^>]*>`)
	svgWhite = regexp.MustCompile(`\s*\n\s*`)
	svgFont  = strings.NewReplacer(
		"font-family:Liberation Sans;font-variant:normal;", "", "font-style:normal;", "", "font-weight:normal;", "",
	)
)

// SVG returns the figure as an element for the page: no outer names, colours as variables
// of the page's style sheet, texts in typefaces of the metrics it was set with.
func (f *Figure) SVG() (out template.HTML, err error) {
	defer caught(f.Name, &err)
	w, h := f.dims()
	c := vgsvg.New(w, h)
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	body := b.String()
	head := svgHead.FindStringSubmatch(body)
	if head == nil {
		return "", errors.New("report: the drawing is no SVG")
	}
	body = svgFont.Replace(body[len(head[0]):])
	body = svgWhite.ReplaceAllString(variable(body), " ")
	return template.HTML(
		fmt.Sprintf(
			`<svg viewBox="%s" role="img" aria-label="%s">%s`, //nolint:gosec // our own drawing: the writer escapes its texts, Alt is escaped here
			head[1],
			html.EscapeString(f.Alt),
			body,
		),
	), nil
}

// caught turns a panic of the plotting library, which panics on ranges it cannot draw, into
// an error that names the figure.
func caught(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("report: figure %s cannot be drawn: %v", name, p)
	}
}
