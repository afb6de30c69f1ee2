package report

import (
	"math"
	"strings"
	"testing"
)

// TestDrawing: curves, points and levels lie within the frame, stand in the legend and in the words
// for those who do not see the figure, and no coordinate is missing.
func TestDrawing(t *testing.T) {
	z := [][]float64{{0, 1, 2}, {1, math.Inf(1), 3}, {2, 3, 4}}
	d := &Drawing{Name: "d", Title: "All kinds", Caption: "c", XName: "x", YName: "y", XLog: true,
		Curves: []Curve{
			{Name: "way", X: []float64{1, 10, 100, 1000}, Y: []float64{1, 2, math.NaN(), 3}},
			{Name: "rows", X: []float64{5}, Y: []float64{-1}, Loose: true},
		},
		Levels: []Level{
			{Name: "H", Surface: Surface{X: []float64{1, 10, 100}, Y: []float64{0, 1, 2}, Z: z}},
			{Name: "boundary", Surface: Surface{X: []float64{1, 10, 100}, Y: []float64{0, 1, 2}, Z: z}, At: []float64{1.5}},
		}}
	f := d.Figure()
	if f.Plot.X.Min > 1 || f.Plot.X.Max < 1000 || f.Plot.Y.Min > -1 || f.Plot.Y.Max < 3 {
		t.Errorf("the frame is %g to %g, %g to %g", f.Plot.X.Min, f.Plot.X.Max, f.Plot.Y.Min, f.Plot.Y.Max)
	}
	var names []string
	for _, e := range f.Legend {
		names = append(names, e.Name)
	}
	for _, want := range []string{"way", "rows", "H", "boundary"} {
		if !strings.Contains(strings.Join(names, "|"), want) || !strings.Contains(f.Alt, want) {
			t.Errorf("%s is not in the legend %q or the words %q", want, names, f.Alt)
		}
	}
	p := &Page{Title: "t", Sections: []Section{{Blocks: []Block{{Figures: []*Figure{f}}}}}}
	text := rendered(t, p)
	checkSelfContained(t, text)
	checkFigures(t, p, text)
	if (&Drawing{Curves: []Curve{{X: []float64{math.NaN()}, Y: []float64{1}}}}).Figure() != nil {
		t.Error("a figure of nothing")
	}
}
