package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/internal/brief"
)

// bin is the rows whose probability lies in one tenth of [0, 1].
type bin struct {
	rows, hits int
	sum        float64 // of the probabilities
}

// reliability sorts rows into ten bins by the probability that the model gives: of the second
// class of two, else of the class it decides for. A hit is a row of that class (Murphy and
// Winkler 1977).
func (j *Judged) reliability(classes int) (bins [10]bin) {
	for i, truth := range j.Class {
		class := 1
		if classes > 2 {
			class = j.Given[i]
		}
		p := j.Probability.At(i, class)
		b := &bins[min(int(p*10), 9)]
		b.rows++
		b.sum += p
		if truth == class {
			b.hits++
		}
	}
	return bins
}

// calibrationFigure draws observed shares against probabilities, with the interval that holds
// the true share in 95 of 100 samples.
func calibrationFigure(j *Judged, classes []string) *Figure {
	if j.Probability == nil {
		return nil
	}
	name := "probability of class " + clip(classes[min(1, len(classes)-1)])
	if len(classes) > 2 {
		name = "probability of the class decided for"
	}
	p := newPlot("Calibration", name, "share of rows that are of it")
	ideal := draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{4, 3}}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, LineStyle: ideal})
	whisker := draw.LineStyle{Color: classColour(0), Width: 1.2}
	mark := draw.GlyphStyle{Color: classColour(0), Radius: 3, Shape: draw.CircleGlyph{}}
	table := &Table{Caption: "Rows by probability", Head: []string{"probability", "rows", "mean probability", "observed share"}}
	var xy plotter.XYs
	for k, b := range j.reliability(len(classes)) {
		if b.rows == 0 {
			continue
		}
		x, y := b.sum/float64(b.rows), float64(b.hits)/float64(b.rows)
		lo, hi := wilson(b.hits, b.rows)
		xy = append(xy, plotter.XY{X: x, Y: y})
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: x, Y: lo}, {X: x, Y: hi}}, LineStyle: whisker})
		table.Rows = append(
			table.Rows,
			[]string{fmt.Sprintf("%.1f to %.1f", float64(k)/10, float64(k+1)/10), fmt.Sprint(b.rows), percent(x), percent(y)},
		)
	}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: mark})
	room(&p.X, 0, 1, 0.02)
	room(&p.Y, 0, 1, 0.02)
	caption := sentence(
		j.describe(),
	) + ": dots on the dashed line are probabilities that come true as often as they say; upright lines are 90 % intervals."
	if j.Kind == "left out" {
		caption += " The probabilities were fitted to these very rows, so the dots lie a little too near the line."
	}
	return &Figure{Name: "calibration", Plot: p, Caption: caption, Data: table,
		Alt:    fmt.Sprintf("Observed shares against probabilities in %s of %s.", brief.Count(len(xy), "bin"), j.describe()),
		Legend: []Entry{{Name: "tenth of the scale", Glyph: &mark}, {Name: "perfectly calibrated", Line: &ideal}}}
}

// usualQuantile is the 95 % point of the normal distribution: intervals of the page are of 90 %, as those of the fit are.
const usualQuantile = 1.6448536269514722

// wilson is the interval of a share of errors, wrong of n, that holds the true rate in 90 of
// 100 samples (Wilson 1927): honest for few rows and for none wrong,
//
//	(p + z^2/2n +- z sqrt(p (1-p)/n + z^2/4n^2)) / (1 + z^2/n),   z = 1.645.
//
// It takes the rows for independent draws.
func wilson(wrong, n int) (lo, hi float64) {
	const z = usualQuantile
	p, m := float64(wrong)/float64(n), float64(n)
	mid, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (mid-half)/(1+z*z/m)), min(1, (mid+half)/(1+z*z/m))
}
