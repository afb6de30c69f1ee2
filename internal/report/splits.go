package report

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/internal/brief"
)

// splitsFigure draws the error of every split, their mean and the baseline's.
func (r *Run) splitsFigure() *Figure {
	s, name := r.Result.Splits, r.mainMeasure()
	if len(s.Each) < 2 {
		return nil
	}
	factor, unit := 1.0, "root mean square error"
	if name == "error" {
		factor, unit = 100, "error of hidden rows, %"
	}
	p := newPlot("Error of every split", "split", unit)
	p.X.Tick.Marker = wholeTicks{}
	var xy plotter.XYs
	var values []float64
	for i, v := range s.Each {
		xy, values = append(xy, plotter.XY{X: float64(i + 1), Y: factor * v}), append(values, factor*v)
	}
	mean := factor * s.Hidden[name+"_mean"]
	values = append(values, mean)
	room(&p.X, 1, float64(len(s.Each)), 0.04)
	across := func(y float64, l draw.LineStyle) {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: y}, {X: p.X.Max, Y: y}}, LineStyle: l})
	}
	line := draw.LineStyle{Color: classColour(0), Width: 1.6}
	dash := draw.LineStyle{Color: classColour(1), Width: 1.6, Dashes: []vg.Length{5, 3}}
	mark := draw.GlyphStyle{Color: classColour(0), Radius: 2.8, Shape: draw.CircleGlyph{}}
	across(mean, line)
	f := &Figure{
		Name: "splits", Plot: p, Caption: "Every dot is one draw of the labels.",
		Alt:    fmt.Sprintf("Error of %d splits, mean %s.", len(s.Each), number(mean)),
		Legend: []Entry{{Name: "split", Glyph: &mark}, {Name: "mean", Line: &line}},
	}
	if s.Baseline != nil {
		base := factor * s.Baseline.Hidden[name+"_mean"]
		values = append(values, base)
		across(base, dash)
		f.Legend = append(f.Legend, Entry{Name: "mean of the supervised baseline", Line: &dash})
		f.Alt += fmt.Sprintf(" The baseline's mean is %s.", number(base))
	}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: mark})
	lo, hi, _ := span(values)
	room(&p.Y, lo, hi, 0.08)
	return f
}

// splits is a run over several splits.
func (r *Run) splits() Section {
	s := Section{ID: "splits", Title: "The splits"}
	p := r.Result.Splits
	if p == nil {
		return s
	}
	t := &Table{
		Caption: fmt.Sprintf("Hidden rows over %s: mean ± standard deviation", brief.Count(p.Count, "split")),
		Head:    []string{"measure", "model"},
	}
	if p.Baseline != nil {
		t.Head = append(t.Head, "supervised baseline")
	}
	cell := func(of map[string]float64, name string) string {
		mean, ok := of[name+"_mean"]
		if !ok {
			return "-"
		}
		text := measured(name, mean)
		if sd, ok := of[name+"_std"]; ok {
			text = strings.TrimSuffix(text, " %") + " ± " + measured(name, sd)
		}
		return text
	}
	for _, name := range measureNames {
		if _, ok := p.Hidden[name[0]+"_mean"]; !ok {
			continue
		}
		row := []string{name[1], cell(p.Hidden, name[0])}
		if p.Baseline != nil {
			row = append(row, cell(p.Baseline.Hidden, name[0]))
		}
		t.Rows = append(t.Rows, row)
	}
	s.add(Block{Tables: []*Table{t}})
	if f := r.splitsFigure(); f != nil {
		s.add(Block{Figures: []*Figure{f}})
	}
	each := &Table{Caption: "Every split", Head: []string{"split", r.mainMeasure() + ", hidden rows"}}
	for i, v := range p.Each {
		each.Rows = append(each.Rows, []string{strconv.Itoa(i + 1), measured(r.mainMeasure(), v)})
	}
	if len(each.Rows) > openRows {
		each.Fold = "Every split"
	}
	if len(each.Rows) > 0 {
		s.add(Block{Tables: []*Table{each}})
	}
	s.add(Block{Text: "What follows is of the first split."})
	return s
}
