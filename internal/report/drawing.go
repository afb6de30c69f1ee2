package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/internal/brief"
)

// Drawing is a figure of curves, points and lines of equal value. This package knows nothing of what
// it shows; the caller says that in its title, caption and names.
type Drawing struct {
	Name, Title, Caption string
	XName, YName         string
	XLog, YLog           bool
	Curves               []Curve
	Levels               []Level
}

// Curve is points in their order, joined by a line unless they are Loose.
type Curve struct {
	Name  string
	X, Y  []float64
	Loose bool
}

// Level is a function on a grid. The lines on which it has the values At are drawn or, if At is
// empty, lines of values that are spread over the range of the function.
type Level struct {
	Name string
	Surface
	At []float64
}

// Figure draws the drawing; nil where it has no point.
func (d *Drawing) Figure() *Figure {
	p := newPlot(d.Title, d.XName, d.YName)
	f := &Figure{Name: d.Name, Plot: p, Caption: d.Caption, Alt: d.Title + ":"}
	x, y, ok := d.spans()
	if !ok {
		return nil
	}
	if d.XLog && x[0] > 0 {
		logarithmic(&p.X)
	}
	if d.YLog && y[0] > 0 {
		logarithmic(&p.Y)
	}
	room(&p.X, x[0], x[1], 0.04)
	room(&p.Y, y[0], y[1], 0.06)
	for k, v := range d.Levels {
		f.level(p, v, k)
	}
	for k, c := range d.Curves {
		f.curve(p, c, k, len(d.Levels) > 0)
	}
	f.Alt += "."
	return f
}

// spans are the ends of both axes.
func (d *Drawing) spans() (x, y [2]float64, ok bool) {
	var xs, ys []float64
	for _, c := range d.Curves {
		xs, ys = append(xs, c.X...), append(ys, c.Y...)
	}
	for _, v := range d.Levels {
		xs, ys = append(xs, v.X...), append(ys, v.Y...)
	}
	var some bool
	x[0], x[1], ok = span(xs)
	y[0], y[1], some = span(ys)
	return x, y, ok && some
}

// level adds the lines of a function: of one value a line of its own colour, of several faint to
// strong ones.
func (f *Figure) level(p *plot.Plot, v Level, k int) {
	_, top, ok := span(flat(v.Z))
	if !ok {
		return
	}
	g := grid{&v.Surface, top}
	if len(v.At) == 0 {
		if levels, lines := v.contours(); len(levels) > 0 {
			p.Add(lines)
			from, to := draw.LineStyle{Color: shade(0), Width: 1.1}, draw.LineStyle{Color: shade(1), Width: 1.1}
			f.Legend = append(
				f.Legend,
				Entry{Name: v.Name + " " + number(levels[0]), Line: &from},
				Entry{Name: "to " + number(levels[len(levels)-1]), Line: &to},
			)
			f.Alt += fmt.Sprintf(" lines of %s from %s to %s;", v.Name, number(levels[0]), number(levels[len(levels)-1]))
		}
		return
	}
	line := draw.LineStyle{Color: classColour(k + 2), Width: 1.8} // the first two are of classes
	lines := contours{lattice: g, levels: v.At}
	for range v.At {
		lines.styles = append(lines.styles, line)
	}
	p.Add(lines)
	f.Legend = append(f.Legend, Entry{Name: v.Name, Line: &line})
	f.Alt += " the line of " + v.Name + ";"
}

func flat(z [][]float64) []float64 {
	var all []float64
	for _, row := range z {
		all = append(all, row...)
	}
	return all
}

// curve adds points and, unless they are loose, the line that joins them; beneath are lines of levels or not.
func (f *Figure) curve(p *plot.Plot, c Curve, k int, beneath bool) {
	xy := pairs(c.X, c.Y)
	if len(xy) == 0 {
		return
	}
	mark := draw.GlyphStyle{Color: classColour(k), Radius: 2.4, Shape: shapes[k%len(shapes)]}
	line := draw.LineStyle{Color: classColour(k), Width: 1.6}
	switch {
	case beneath && c.Loose && len(xy) <= 5: // a few points that others lie around
		mark.Radius, mark.Shape = 5, outlined{mark.Shape}
	case len(xy) > mostMarked:
		mark.Radius = 0
	}
	entry := Entry{Name: c.Name}
	if !c.Loose && len(xy) > 1 {
		if k >= len(classColours) {
			line.Dashes = []vg.Length{5, 3}
		}
		p.Add(&plotter.Line{XYs: xy, LineStyle: line})
		entry.Line = &line
	}
	if mark.Radius == 0 && c.Loose {
		mark.Radius = 1.4
	}
	if mark.Radius > 0 {
		p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: mark})
		entry.Glyph = &mark
	}
	f.Legend = append(f.Legend, entry)
	f.Alt += fmt.Sprintf(" %s, %s from (%s, %s) to (%s, %s);", c.Name, brief.Count(len(xy), "point"),
		number(xy[0].X), number(xy[0].Y), number(xy[len(xy)-1].X), number(xy[len(xy)-1].Y))
}

// mostMarked is the number of points up to which each has a mark on its line.
const mostMarked = 60
