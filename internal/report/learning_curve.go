package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Share is the error to expect of new rows, of a fit that had a part of the labels.
type Share struct {
	Labels           int
	Error, Low, High float64
}

// learningCurve draws the error to expect over the number of labels, from a part of them to all; nil without a part.
func (r *Run) learningCurve() *Figure {
	e := r.Result.Estimate
	if len(r.Curve) == 0 || e == nil {
		return nil
	}
	all := slices.Concat(r.Curve, []Share{{r.Result.Rows.Labelled, e.Error, e.Low, e.High}})
	show, unit := number, ""
	y := "expected " + e.Measure
	if e.Measure == "error" {
		show, unit, y = percent, " %", y+", %"
	}
	f := &Figure{Name: "learning-curve", Plot: newPlot("Learning curve", "labels", y)}
	f.Data = &Table{Caption: "Fits of parts of the labels", Head: []string{"labels", "expected " + e.Measure, "from", "to"}}
	scale := 1.0
	if unit != "" {
		scale = 100
	}
	line := draw.LineStyle{Color: classColour(0), Width: 2}
	whisker := draw.LineStyle{Color: classColour(0), Width: 1.2}
	mark := draw.GlyphStyle{Color: classColour(0), Radius: 3, Shape: draw.CircleGlyph{}}
	var xy plotter.XYs
	var top float64
	for _, s := range all {
		if !finiteAll([]float64{s.Error, s.Low, s.High}) {
			return nil
		}
		x := float64(s.Labels)
		xy = append(xy, plotter.XY{X: x, Y: scale * s.Error})
		f.Plot.Add(&plotter.Line{XYs: plotter.XYs{{X: x, Y: scale * s.Low}, {X: x, Y: scale * s.High}}, LineStyle: whisker})
		top = max(top, scale*s.High)
		f.Data.Rows = append(f.Data.Rows, []string{fmt.Sprint(s.Labels), show(s.Error), show(s.Low), show(s.High)})
	}
	f.Plot.Add(&plotter.Line{XYs: xy, LineStyle: line}, &plotter.Scatter{XYs: xy, GlyphStyle: mark})
	room(&f.Plot.X, 0, xy[len(xy)-1].X, 0.02)
	room(&f.Plot.Y, 0, top, 0.02)
	first, last := all[0], all[len(all)-1]
	f.Caption = "The error to expect of new rows when the same fit has a part of the labels, drawn at random, and all of them; upright " +
		"lines are 90 % intervals. "
	switch gain := all[len(all)-2].Error - last.Error; {
	case gain > (last.High-last.Low)/2:
		f.Caption += "It still falls: more labels are likely to help."
	case gain > 0:
		f.Caption += "It falls by less than the intervals are wide: more labels may help little."
	default:
		f.Caption += "It falls no more: more labels alone are not likely to help."
	}
	f.Alt = fmt.Sprintf("The expected %s goes from %s with %d labels to %s with %d.", e.Measure, show(first.Error), first.Labels,
		show(last.Error), last.Labels)
	return f
}
