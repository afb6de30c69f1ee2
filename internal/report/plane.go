package report

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/model"
)

// Cells of a decision map across and down, points of a curve, and unlabelled rows that a
// map shows at most: what 440 points of width can tell apart.
const (
	mapColumns  = 132
	mapRows     = 99
	curvePoints = 400
	mostRows    = 2000
)

// predictions draws the model over rows of one feature (a regression's curve) or two (a map);
// nil for others. Cost: 13 000 predictions.
func predictions(ctx context.Context, m *model.Model, set *data.Set) (*Figure, error) {
	if m == nil || set == nil || set.Rows.IsSparse() || m.Columns != set.Rows.Dim() || set.Rows.Len() == 0 {
		return nil, nil
	}
	switch {
	case m.Columns == 2:
		return decisionMap(ctx, m, set)
	case m.Columns == 1 && m.Task == data.Regression:
		return curve(ctx, m, set)
	}
	return nil, nil
}

// feature is the name of a column.
func feature(set *data.Set, j int) string {
	if j < len(set.Features) {
		return clip(set.Features[j])
	}
	return "feature " + strconv.Itoa(j+1)
}

// frame is the range of a column with a margin.
func frame(set *data.Set, j int) (lo, hi float64) {
	lo, hi, _ = span(mat.Col(nil, j, set.Rows.Dense))
	d := 0.06 * (hi - lo)
	if !(d > 0) {
		d = max(1e-3*math.Abs(lo), 1e-9)
	}
	return lo - d, hi + d
}

// field is what the model gives a regular grid: the class, or the band of its output, of
// every cell, and for two classes the score.
type field struct {
	x0, x1, y0, y1 float64
	rows, columns  int
	kind           []int
	score          []float64 // nil but for two classes and regressions
}

func newField(ctx context.Context, m *model.Model, set *data.Set) (*field, error) {
	f := &field{rows: mapRows, columns: mapColumns}
	f.x0, f.x1 = frame(set, 0)
	f.y0, f.y1 = frame(set, 1)
	at := mat.NewDense(f.rows*f.columns, 2, nil)
	for r := range f.rows {
		for c := range f.columns {
			at.SetRow(r*f.columns+c, []float64{f.X(c), f.Y(r)})
		}
	}
	out, err := m.Predict(ctx, data.Rows{Dense: at})
	if err != nil {
		return nil, err
	}
	if _, c := out.Dims(); c == 1 {
		f.score = mat.Col(nil, 0, out)
	}
	if m.Task == data.Classification {
		f.kind = m.Decide(out)
	}
	return f, nil
}

// X is the centre of column c: with Y, Z and Dims, a lattice.
func (f *field) X(c int) float64 { return f.x0 + (f.x1-f.x0)*(float64(c)+0.5)/float64(f.columns) }

// Y is the centre of row r, the first at the bottom.
func (f *field) Y(r int) float64 { return f.y0 + (f.y1-f.y0)*(float64(r)+0.5)/float64(f.rows) }

// Dims is the size of the grid.
func (f *field) Dims() (c, r int) { return f.columns, f.rows }

// Z is the score of a cell.
func (f *field) Z(c, r int) float64 { return f.score[r*f.columns+c] }

// bands sorts the scores into n kinds of equal width.
func (f *field) bands(lo, hi float64, n int) {
	f.kind = make([]int, len(f.score))
	for i, v := range f.score {
		f.kind[i] = min(max(int(float64(n)*(v-lo)/(hi-lo)), 0), n-1)
	}
}

// regions fills the cells of each kind as one path, whose seams then do not show, by runs
// of equal cells in a row.
type regions struct {
	*field
	colours []color.Color
}

// Plot implements plot.Plotter.
func (g regions) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	x := func(c int) vg.Length { return trX(g.x0 + (g.x1-g.x0)*float64(c)/float64(g.columns)) }
	y := func(r int) vg.Length { return trY(g.y0 + (g.y1-g.y0)*float64(r)/float64(g.rows)) }
	paths := make([]vg.Path, len(g.colours))
	for r := range g.rows {
		row := g.kind[r*g.columns : (r+1)*g.columns]
		for from := 0; from < len(row); {
			to := from
			for to < len(row) && row[to] == row[from] {
				to++
			}
			p := &paths[row[from]]
			p.Move(vg.Point{X: x(from), Y: y(r)})
			p.Line(vg.Point{X: x(to), Y: y(r)})
			p.Line(vg.Point{X: x(to), Y: y(r + 1)})
			p.Line(vg.Point{X: x(from), Y: y(r + 1)})
			p.Close()
			from = to
		}
	}
	for k, p := range paths {
		if len(p) > 0 {
			c.SetColor(g.colours[k])
			c.Fill(p)
		}
	}
}

// DataRange implements plot.DataRanger.
func (g regions) DataRange() (xmin, xmax, ymin, ymax float64) { return g.x0, g.x1, g.y0, g.y1 }

// decisionMap draws what the model says over the plane, and the rows.
func decisionMap(ctx context.Context, m *model.Model, set *data.Set) (*Figure, error) {
	f, err := newField(ctx, m, set)
	if err != nil {
		return nil, err
	}
	if !finiteAll(f.score) {
		return nil, nil
	}
	labels, _, err := data.Labels{Task: m.Task, Classes: m.Classes}.Of(set.Answers)
	if err != nil {
		return nil, err
	}
	regression, title := m.Task == data.Regression, "Decision map"
	if regression {
		title = "Predicted value over the plane"
	}
	p := newPlot(title, feature(set, 0), feature(set, 1))
	d := &planeMap{
		Figure:     &Figure{Name: "map", Plot: p, Ratio: 0.82},
		field:      f,
		plot:       p,
		model:      m,
		set:        set,
		labels:     labels,
		regression: regression,
	}
	d.ground()
	unlabelled := d.unlabelled()
	d.labelled()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = f.x0, f.x1, f.y0, f.y1
	p.X.Padding, p.Y.Padding = 0, 0
	d.explain(unlabelled)
	d.Alt = fmt.Sprintf("Map of the plane by %s and %s: what the model predicts everywhere, %s and %d without a label.",
		feature(set, 0), feature(set, 1), brief.Count(len(labels.Labelled()), "labelled row"), unlabelled)
	return d.Figure, nil
}

// planeMap is a decision map in the making.
type planeMap struct {
	*Figure
	field      *field
	plot       *plot.Plot
	model      *model.Model
	set        *data.Set
	labels     data.Labels
	regression bool
	lo, hi     float64 // of a regression's values
}

// markRadius is that of labelled rows.
const markRadius = 3.6

// unlabelledMark is that of rows without a label.
func unlabelledMark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: faded(ink, 0.45), Radius: 1.2, Shape: draw.CircleGlyph{}}
}

// ground colours the plane, and draws the line between two classes.
func (d *planeMap) ground() {
	f := d.field
	var colours []color.Color
	if d.regression {
		d.lo, d.hi, _ = span(slices.Concat(f.score, known(d.labels.Value)))
		if !(d.hi > d.lo) {
			d.hi = d.lo + 1
		}
		f.bands(d.lo, d.hi, len(viridis))
		for k := range viridis {
			colours = append(colours, faded(shade((float64(k)+0.5)/float64(len(viridis))), 0.6))
		}
	} else {
		for k := range d.model.Classes {
			colours = append(colours, faded(classColour(k), 0.22))
		}
	}
	d.plot.Add(regions{f, colours})
	if !d.regression && f.score != nil && slices.Min(f.score) < 0 && slices.Max(f.score) > 0 {
		d.plot.Add(contours{lattice: f, levels: []float64{0}, styles: []draw.LineStyle{{Color: ink, Width: 1}}})
	}
}

// unlabelled draws the rows without a label, one of several where there are many, and counts them.
func (d *planeMap) unlabelled() int {
	isKnown := make([]bool, d.set.Rows.Len())
	for _, i := range d.labels.Labelled() {
		isKnown[i] = true
	}
	var rows []int
	for i, known := range isKnown {
		if !known {
			rows = append(rows, i)
		}
	}
	var dots plotter.XYs
	for q := 0; q < len(rows); q += thinned(len(rows)) {
		dots = append(dots, point(d.set, rows[q]))
	}
	if len(dots) > 0 {
		d.plot.Add(&plotter.Scatter{XYs: dots, GlyphStyle: unlabelledMark()})
	}
	return len(rows)
}

// thinned is n where one of n rows without a label is drawn.
func thinned(rows int) int { return 1 + (rows-1)/mostRows }

// labelled draws the rows with a label.
func (d *planeMap) labelled() {
	for _, i := range d.labels.Labelled() {
		var mark draw.GlyphStyle
		if d.regression {
			mark = valueMark((d.labels.Value[i] - d.lo) / (d.hi - d.lo))
		} else {
			mark = classMark(d.labels.Class[i], markRadius)
		}
		d.plot.Add(&plotter.Scatter{XYs: plotter.XYs{point(d.set, i)}, GlyphStyle: mark})
	}
}

// valueMark is the large mark of a value, t of the way from the least to the greatest.
func valueMark(t float64) draw.GlyphStyle {
	return draw.GlyphStyle{Color: shade(t), Radius: markRadius, Shape: outlined{draw.CircleGlyph{}}}
}

// explain writes caption and legend.
func (d *planeMap) explain(unlabelled int) {
	what := "The ground has the colour of the class that the model gives each place"
	if d.regression {
		lo, hi := number(d.lo), number(d.hi)
		what = fmt.Sprintf("The ground is the predicted value in nine bands from %s (violet) to %s (yellow)", lo, hi)
		a, b := valueMark(0), valueMark(1)
		d.Legend = []Entry{{Name: lo, Glyph: &a}, {Name: hi, Glyph: &b}}
	}
	for k, name := range d.model.Classes {
		if k < 16 {
			g := classMark(k, markRadius)
			d.Legend = append(d.Legend, Entry{Name: "class " + name, Glyph: &g})
		}
	}
	d.Caption = what + "; the large marks are the labelled rows."
	if unlabelled == 0 {
		return
	}
	dot := unlabelledMark()
	d.Legend = append(d.Legend, Entry{Name: "no label", Glyph: &dot})
	d.Caption += " Small dots are rows without a label"
	if by := thinned(unlabelled); by > 1 {
		d.Caption += fmt.Sprintf(", one of %d of them", by)
	}
	d.Caption += "."
}

// classMark is the large mark of class k.
func classMark(k int, radius vg.Length) draw.GlyphStyle {
	k = max(k, 0)
	return draw.GlyphStyle{Color: classColour(k), Radius: radius, Shape: outlined{shapes[k%len(shapes)]}}
}

func point(set *data.Set, i int) plotter.XY {
	return plotter.XY{X: set.Rows.Dense.At(i, 0), Y: set.Rows.Dense.At(i, 1)}
}

// known are the values that are numbers.
func known(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
}

func finiteAll(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !finite(v) })
}

// curve draws a regression of one feature and the answers.
func curve(ctx context.Context, m *model.Model, set *data.Set) (*Figure, error) {
	lo, hi := frame(set, 0)
	at := mat.NewDense(curvePoints, 1, nil)
	for k := range curvePoints {
		at.Set(k, 0, lo+(hi-lo)*float64(k)/(curvePoints-1))
	}
	out, err := m.Predict(ctx, data.Rows{Dense: at})
	if err != nil {
		return nil, err
	}
	labels, _, err := data.Labels{Task: m.Task}.Of(set.Answers)
	if err != nil {
		return nil, err
	}
	line := make(plotter.XYs, curvePoints)
	ys := known(labels.Value)
	for k := range line {
		line[k] = plotter.XY{X: at.At(k, 0), Y: out.At(k, 0)}
		ys = append(ys, out.At(k, 0))
	}
	if !finiteAll(ys) {
		return nil, nil
	}
	var rows plotter.XYs
	for i, v := range labels.Value {
		if finite(v) {
			rows = append(rows, plotter.XY{X: set.Rows.Dense.At(i, 0), Y: v})
		}
	}
	answer := set.LabelName
	if answer == "" {
		answer = "answer"
	}
	p := newPlot("The fitted function", feature(set, 0), clip(answer))
	mark := draw.GlyphStyle{Color: faded(muted, 0.7), Radius: 1.9, Shape: draw.CircleGlyph{}}
	if len(rows) > 0 {
		p.Add(&plotter.Scatter{XYs: rows, GlyphStyle: mark})
	}
	stroke := draw.LineStyle{Color: classColour(0), Width: 2}
	p.Add(&plotter.Line{XYs: line, LineStyle: stroke})
	p.X.Min, p.X.Max = lo, hi
	bottom, top, _ := span(ys)
	room(&p.Y, bottom, top, 0.05)
	return &Figure{
		Name: "function", Plot: p,
		Caption: "The line is what the model predicts; the dots are the labelled rows.",
		Alt: fmt.Sprintf(
			"The fitted function over %s from %s to %s, between %s and %s.",
			feature(set, 0),
			number(lo),
			number(hi),
			number(bottom),
			number(top),
		),
		Legend: []Entry{{Name: "model", Line: &stroke}, {Name: "labelled row", Glyph: &mark}},
	}, nil
}
