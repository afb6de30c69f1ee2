package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer"
)

// mostAxes is how many parameters parallel axes show; of more, those the search moved most.
const mostAxes = 8

// parallel draws every setting as a line over parallel axes, one a parameter (Inselberg
// 1985), coloured by the place of its score; a setting without some parameter passes
// below that axis.
type parallel struct {
	axes  []upright
	lines [][]float64 // height of each setting on each axis, 0 to 1; NaN: below
	rank  []float64
	best  int
}

// upright is one of the axes.
type upright struct {
	name   string
	lo, hi float64
	log    bool
	absent bool // some setting is without it
	at     int  // its dimension
}

// place is the height of a value, 0 to 1.
func (a upright) place(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	if !(hi > lo) {
		return 0.5
	}
	return (v - lo) / (hi - lo)
}

func newParallel(list []mercer.Evaluation, dims []int) parallel {
	var p parallel
	for _, i := range dims {
		v := column(list, i)
		lo, hi, ok := span(v)
		if !ok {
			continue
		}
		p.axes = append(p.axes, upright{
			name: list[0].Space[i].Name, lo: lo, hi: hi, log: scaledLog(list[0].Space[i], v), at: i,
			absent: slices.ContainsFunc(v, math.IsNaN),
		})
	}
	if len(p.axes) > mostAxes { // those moved by most decades, in their order
		most := slices.Clone(p.axes)
		width := func(a upright) float64 {
			if a.log {
				return math.Log(a.hi / a.lo)
			}
			return a.hi - a.lo
		}
		slices.SortStableFunc(most, func(a, b upright) int { return cmp.Compare(width(b), width(a)) })
		p.axes = most[:mostAxes]
		slices.SortFunc(p.axes, func(a, b upright) int { return cmp.Compare(a.at, b.at) })
	}
	for _, e := range list {
		line := make([]float64, len(p.axes))
		for k, a := range p.axes {
			line[k] = math.NaN()
			if v := e.Theta[a.at]; finite(v) {
				line[k] = a.place(v)
			}
		}
		p.lines = append(p.lines, line)
	}
	p.rank, p.best = ranks(list), least(list)
	return p
}

// Heights outside the axes: where lines pass that have no such parameter, and the range of
// the plot around them.
const (
	below           = -0.12
	lowest, topmost = -0.32, 1.2
)

// Plot implements plot.Plotter.
func (p parallel) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	height := func(h float64) vg.Length {
		if math.IsNaN(h) {
			h = below
		}
		return trY(h)
	}
	stroke := func(i int, s draw.LineStyle) {
		pts := make([]vg.Point, len(p.axes))
		for k := range p.axes {
			pts[k] = vg.Point{X: trX(float64(k)), Y: height(p.lines[i][k])}
		}
		c.StrokeLines(s, pts)
	}
	for k := range p.axes {
		x := trX(float64(k))
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.8}, x, trY(0), x, trY(1))
	}
	for _, i := range byDecreasing(p.rank) {
		if i != p.best {
			stroke(i, draw.LineStyle{Color: faded(shade(p.rank[i]), 0.65), Width: 0.9})
		}
	}
	stroke(p.best, draw.LineStyle{Color: classColour(1), Width: 2.6})
	words := func(s string, k int, h float64, bold bool) {
		style := text.Style{
			Color:   muted,
			Font:    sans(tickSize, bold),
			XAlign:  text.XCenter,
			YAlign:  text.YCenter,
			Handler: plot.DefaultTextHandler,
		}
		if bold {
			style.Color = ink
		}
		switch k { // at the sides, inside the figure
		case 0:
			style.XAlign = -0.25
		case len(p.axes) - 1:
			style.XAlign = -0.75
		}
		at := vg.Point{X: trX(float64(k)), Y: trY(h)}
		ground := style.Rectangle(s) // lines pass behind
		ground.Min, ground.Max = ground.Min.Add(at), ground.Max.Add(at)
		c.SetColor(paper)
		c.Fill(ground.Path())
		c.FillText(style, at, s)
	}
	for k, a := range p.axes {
		words(number(a.hi), k, 1.06, false)
		words(number(a.lo), k, -0.06, false)
		name := a.name
		if r := []rune(name); len(r) > 12 {
			name = string(r[:11]) + "…"
		}
		words(name, k, 1.15, true)
		if a.absent {
			words("without", k, -0.2, false)
		}
	}
}

// DataRange implements plot.DataRanger.
func (p parallel) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.15, float64(len(p.axes)) - 0.85, lowest, topmost
}

// parallel draws a search of many parameters.
func (r *Run) parallel(list []mercer.Evaluation, dims []int) *Figure {
	lines := newParallel(list, dims)
	if len(lines.axes) < 2 {
		return nil
	}
	p := newPlot("What was tried", "", "")
	p.HideAxes()
	p.Add(lines)
	caption := fmt.Sprintf(
		"Each line is one of %d settings that were scored; it crosses the axis of each parameter at its value.",
		len(list),
	)
	if len(lines.axes) < len(dims) {
		caption += fmt.Sprintf(" Of %d parameters those %d are shown that the search moved most.", len(dims), len(lines.axes))
	}
	if slices.ContainsFunc(lines.axes, func(a upright) bool { return a.absent }) {
		caption += " Lines that pass below an axis are settings without that parameter: models without a graph, or with another kernel."
	}
	best := draw.LineStyle{Color: classColour(1), Width: 2.6}
	good, bad := draw.LineStyle{Color: shade(0), Width: 1.4}, draw.LineStyle{Color: shade(1), Width: 1.4}
	alt := fmt.Sprintf("Parallel coordinates of %d settings. The best has", len(list))
	for k, a := range lines.axes {
		if v := list[lines.best].Theta[a.at]; finite(v) {
			if k > 0 {
				alt += ","
			}
			alt += " " + a.name + " = " + number(v)
		}
	}
	return &Figure{
		Name: "trajectory", Plot: p, Caption: caption, Alt: alt + ".",
		Legend: []Entry{{Name: "best", Line: &best}, {Name: "good score", Line: &good}, {Name: "bad score", Line: &bad}},
	}
}
