package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/model"
)

// Judged are rows whose answers the machine did not see when it answered: what an
// estimate of its error rests on.
type Judged struct {
	// Kind: "hidden" (labels kept back), "test" (other rows) or "left out" (labelled rows,
	// each answered by a machine trained without its label).
	Kind string
	// Class and Given are the true and the given class of each row; Class is data.Unseen
	// where no labelled row has it. Nil for a regression.
	Class, Given []int
	// Score ranks the rows, one column for the second class of two or one for each of several;
	// nil where nothing does. Probability has a column a class; nil: the model has none.
	Score, Probability *mat.Dense
	// Value and Output are the same for a regression.
	Value, Output []float64
	// Row numbers the rows among those of the data, from 1; nil where it is not known.
	Row []int
}

// Len is the number of rows.
func (j *Judged) Len() int { return max(len(j.Class), len(j.Value)) }

// Judge compares a model's predictions of the rows that have an answer with these answers;
// nil without any.
func Judge(ctx context.Context, kind string, m *model.Model, rows data.Rows, answers data.Answers) (*Judged, error) {
	idx := answered(answers)
	if len(idx) == 0 {
		return nil, nil
	}
	out, err := m.Predict(ctx, rows.Select(idx))
	if err != nil {
		return nil, err
	}
	return JudgeOutputs(kind, m, out, idx, answers)
}

// JudgeOutputs is Judge for outputs that are there already, a row each of idx.
func JudgeOutputs(kind string, m *model.Model, out *mat.Dense, idx []int, answers data.Answers) (*Judged, error) {
	if n, _ := out.Dims(); n != len(idx) {
		panic(fmt.Sprintf("report: %d outputs for %d rows", n, len(idx)))
	}
	labels, _, err := data.Labels{Task: m.Task, Classes: m.Classes}.Of(answers)
	if err != nil {
		return nil, err
	}
	j := &Judged{Kind: kind}
	if m.Task == data.Regression {
		j.Output = mat.Col(nil, 0, out)
		for _, i := range idx {
			j.Value, j.Row = append(j.Value, labels.Value[i]), append(j.Row, i+1)
		}
		return j, nil
	}
	j.Given = m.Decide(out)
	for _, i := range idx {
		j.Class = append(j.Class, labels.Class[i])
	}
	if m.HasProbabilities() {
		if j.Probability, err = m.Probabilities(out); err != nil {
			return nil, err
		}
	}
	j.Score = scoresOf(m, out, j.Probability)
	return j, nil
}

// answered lists the rows with an answer.
func answered(answers data.Answers) []int {
	var idx []int
	for i, a := range answers {
		if !data.IsUnlabelled(a) {
			idx = append(idx, i)
		}
	}
	return idx
}

// errors counts the rows of a classification given another class than theirs.
func (j *Judged) errors() int {
	n := 0
	for i, c := range j.Class {
		if c != j.Given[i] {
			n++
		}
	}
	return n
}

// confusion counts the rows by true class (down, classes never seen in a last row where
// there are any) and given class (across).
func (j *Judged) confusion(classes int) [][]int {
	counts := make([][]int, classes+1)
	for k := range counts {
		counts[k] = make([]int, classes)
	}
	for i, c := range j.Class {
		if c < 0 {
			c = classes
		}
		counts[c][j.Given[i]]++
	}
	if !slices.ContainsFunc(counts[classes], func(n int) bool { return n > 0 }) {
		counts = counts[:classes]
	}
	return counts
}

// figures are those of how the rows judged were answered.
func (j *Judged) figures(classes []string) []*Figure {
	all := []*Figure{}
	if j.Class != nil {
		all = append(all, confusionFigure(j, classes), rocFigure(j, classes), precisionFigure(j, classes), calibrationFigure(j, classes))
	} else {
		all = append(all, residualFigure(j), fittedFigure(j))
	}
	return slices.DeleteFunc(all, func(f *Figure) bool { return f == nil })
}

// rows names the kind of the rows judged.
func (j *Judged) rows() string { return strings.ReplaceAll(j.Kind, " ", "-") + " rows" }

// describe says which rows were judged, and how many.
func (j *Judged) describe() string {
	switch j.Kind {
	case "hidden":
		return brief.Count(j.Len(), "row") + " whose labels were hidden"
	case "test":
		return brief.Count(j.Len(), "test row")
	}
	return brief.Count(j.Len(), "labelled row") + ", each left out once"
}

// matrix draws a confusion matrix: a cell's colour is its share of the row.
type matrix struct {
	counts [][]int
}

// mostCells is the number of classes up to which cells carry their counts.
const mostCells = 12

// Plot implements plot.Plotter. Row 0 is at the top.
func (m matrix) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	n := len(m.counts)
	for r, row := range m.counts {
		total := 0
		for _, v := range row {
			total += v
		}
		for k, v := range row {
			box := vg.Rectangle{
				Min: vg.Point{X: trX(float64(k) - 0.5), Y: trY(float64(n-1-r) - 0.5)},
				Max: vg.Point{X: trX(float64(k) + 0.5), Y: trY(float64(n-1-r) + 0.5)},
			}
			share := 0.0
			if total > 0 {
				share = float64(v) / float64(total)
			}
			if v > 0 { // right ones blue, wrong ones red; the faintest is seen still
				colour := classColour(1)
				if r == k {
					colour = classColour(0)
				}
				c.SetColor(faded(colour, 0.12+0.58*share))
				c.Fill(box.Path())
			}
			c.SetLineStyle(draw.LineStyle{Color: rule, Width: 0.5})
			c.Stroke(box.Path())
			if v == 0 || len(row) > mostCells {
				continue
			}
			style := text.Style{
				Color:   ink,
				Font:    sans(tickSize, r == k),
				XAlign:  text.XCenter,
				YAlign:  text.YCenter,
				Handler: plot.DefaultTextHandler,
			}
			c.FillText(style, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}, fmt.Sprint(v))
		}
	}
}

// DataRange implements plot.DataRanger.
func (m matrix) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(m.counts[0])) - 0.5, -0.5, float64(len(m.counts)) - 0.5
}

// named puts names at 0, 1, ..., as many as there is room for.
type named []string

// Ticks implements plot.Ticker.
func (n named) Ticks(float64, float64) []plot.Tick {
	const most = 24
	by := (len(n) + most - 1) / most
	var ticks []plot.Tick
	for k, name := range n {
		if k%by == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: shorter(name, 60/max(len(n), 5)+2)})
		}
	}
	return ticks
}

// shorter cuts a name to most runes.
func shorter(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// confusionFigure draws the confusion matrix of the rows judged.
func confusionFigure(j *Judged, classes []string) *Figure {
	counts := j.confusion(len(classes))
	down := slices.Clone(classes)
	if len(counts) > len(classes) {
		down = append(down, "never seen")
	}
	p := newPlot("True and predicted classes", "predicted class", "true class")
	p.Add(matrix{counts})
	p.X.Tick.Marker = named(classes)
	up := slices.Clone(down)
	slices.Reverse(up)
	p.Y.Tick.Marker = named(up)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding, a.Tick.Length = 2, 0
		a.LineStyle.Width, a.Tick.Width = 0, 0
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(classes))-0.5, -0.5, float64(len(down))-0.5
	data := &Table{Caption: "Rows by true class (down) and predicted class (across)", Head: append([]string{"true class"}, classes...)}
	for r, row := range counts {
		cells, shades, total := []string{down[r]}, []float64(nil), 0
		for _, v := range row {
			total += v
		}
		for _, v := range row {
			cells = append(cells, fmt.Sprint(v))
			shades = append(shades, 0.5*float64(v)/float64(max(total, 1)))
		}
		data.Rows, data.Shades = append(data.Rows, cells), append(data.Shades, shades)
	}
	wrong := j.errors()
	alt := fmt.Sprintf("Confusion matrix of %s: %d right, %d wrong.", j.describe(), j.Len()-wrong, wrong)
	r, k := worst(counts)
	caption := fmt.Sprintf(
		"%s: blue cells are right, red ones wrong; a cell is the darker the larger its share of the row.",
		sentence(j.describe()),
	)
	if r >= 0 {
		most := fmt.Sprintf(" The most frequent confusion: %s of class %s taken for %s.", brief.Count(counts[r][k], "row"), down[r], classes[k])
		caption, alt = caption+most, alt+most
	}
	if j.Kind != "hidden" && j.Kind != "test" {
		caption += " The same answers chose the parameters, so that they are a little better than those of new rows."
	}
	ratio := 0.78
	if len(classes) > 6 {
		ratio = 0.9
	}
	return &Figure{Name: "confusion", Plot: p, Ratio: ratio, Caption: caption, Alt: alt, Data: data}
}

// worst is the cell of the most errors, the first on ties; -1 without any.
func worst(counts [][]int) (row, column int) {
	row, column = -1, -1
	most := 0
	for r, list := range counts {
		for k, v := range list {
			if r != k && v > most {
				row, column, most = r, k, v
			}
		}
	}
	return row, column
}

// residualFigure draws the residuals of a regression against the predictions.
func residualFigure(j *Judged) *Figure {
	p := newPlot("Residuals", "predicted value", "answer minus prediction")
	xy := make(plotter.XYs, 0, j.Len())
	var ss float64
	var xs, ys []float64
	for i, v := range j.Value {
		e := v - j.Output[i]
		if !finite(e) {
			continue
		}
		xy, xs, ys = append(xy, plotter.XY{X: j.Output[i], Y: e}), append(xs, j.Output[i]), append(ys, e)
		ss += e * e
	}
	if len(xy) == 0 {
		return nil
	}
	rmse := math.Sqrt(ss / float64(len(xy)))
	lo, hi, _ := span(xs)
	top := 0.0
	for _, e := range ys {
		top = max(top, math.Abs(e))
	}
	band := draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{4, 3}}
	room(&p.X, lo, hi, 0.03)
	room(&p.Y, -top, top, 0.06)
	across := func(y float64, s draw.LineStyle) {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: y}, {X: p.X.Max, Y: y}}, LineStyle: s})
	}
	across(0, draw.LineStyle{Color: ink, Width: 0.8})
	across(rmse, band)
	across(-rmse, band)
	row := draw.GlyphStyle{Color: faded(classColour(0), rowOpacity(len(xy))), Radius: 2.2, Shape: draw.CircleGlyph{}}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: row})
	return &Figure{
		Name: "residuals", Plot: p,
		Caption: fmt.Sprintf(
			"%s: how far each answer is from its prediction. A good fit scatters evenly about zero, without a trend; the dashed "+
				"lines are the "+
				"root mean square, %s.",
			sentence(j.describe()),
			number(rmse),
		),
		Alt: fmt.Sprintf(
			"Residuals against predictions of %s; root mean square %s, largest %s.",
			j.describe(),
			number(rmse),
			number(top),
		),
		Legend: []Entry{{Name: "one row", Glyph: &row}, {Name: "root mean square", Line: &band}},
		Data:   outliers(j),
	}
}

// fittedFigure draws the predictions of a regression against the answers.
func fittedFigure(j *Judged) *Figure {
	xy := pairs(j.Value, j.Output)
	if len(xy) == 0 {
		return nil
	}
	p := newPlot("Predicted against true values", "answer", "prediction")
	lo, hi, _ := span(append(slices.Clone(j.Value), j.Output...))
	room(&p.X, lo, hi, 0.03)
	room(&p.Y, lo, hi, 0.03)
	ideal := draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{4, 3}}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: p.X.Min}, {X: p.X.Max, Y: p.X.Max}}, LineStyle: ideal})
	row := draw.GlyphStyle{Color: faded(classColour(0), rowOpacity(len(xy))), Radius: 2.2, Shape: draw.CircleGlyph{}}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: row})
	return &Figure{
		Name: "fitted", Plot: p,
		Caption: sentence(
			j.describe(),
		) + ": on the dashed line predictions are the answers. A cloud flatter than the line is a model that keeps too near the mean.",
		Alt:    fmt.Sprintf("Predictions against answers of %s, both from %s to %s.", j.describe(), number(lo), number(hi)),
		Legend: []Entry{{Name: "one row", Glyph: &row}, {Name: "prediction = answer", Line: &ideal}},
	}
}

// rowOpacity is the opacity of dots that are rows: of many, those below show through.
func rowOpacity(rows int) float64 {
	if rows > 500 {
		return 0.35
	}
	return 0.75
}
