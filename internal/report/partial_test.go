package report

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// TestEffectsOfALinearModel: the figure of a column is the mean of the predictions with that value in every row, of a linear model a line
// whose slope is the weight and whose height that of the means of the other columns; the columns that count more come first.
func TestEffectsOfALinearModel(t *testing.T) {
	m := linearModel(data.Regression, nil, mat.NewDense(2, 1, []float64{2, -0.5}), 3)
	set := setOf(30, 2, func([]float64) string { return "1" })
	m.Features = set.Features
	run := &Run{Model: m, Set: set, Result: &mercer.Result{Relevance: []kernel.Relevance{{Name: set.Features[1]}, {Name: "unknown"},
		{Name: set.Features[0]}}}}
	list, err := run.partial(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "effect-1" || list[1].Name != "effect-2" {
		t.Fatalf("%d figures, %v", len(list), err)
	}
	means := []float64{0, 0}
	for i := range 30 {
		for j := range means {
			means[j] += set.Rows.Dense.At(i, j) / 30
		}
	}
	parts := columns.Parts(nil, 2, set.Features)
	for j, slope := range []float64{2, -0.5} {
		other := 1 - j
		f, err := partialOf(t.Context(), m, set.Rows, parts[j])
		if err != nil {
			t.Fatal(err)
		}
		least, most := mat.Min(set.Rows.Dense.ColView(j)), mat.Max(set.Rows.Dense.ColView(j))
		at := []float64{3 + slope*least, 3 + slope*most}
		if slope < 0 {
			at[0], at[1] = at[1], at[0]
		}
		shift := []float64{2, -0.5}[other] * means[other]
		room := (at[1] - at[0]) / 20 // that is left at both ends
		if f.Plot.X.Min != least || f.Plot.X.Max != most || math.Abs(f.Plot.Y.Min-at[0]-shift+room) > 1e-12 ||
			math.Abs(f.Plot.Y.Max-at[1]-shift-room) > 1e-12 || f.Plot.Y.Label.Text != "prediction" {
			t.Errorf("column %d: %g to %g, %g to %g, %s", j, f.Plot.X.Min, f.Plot.X.Max, f.Plot.Y.Min, f.Plot.Y.Max, f.Plot.Y.Label.Text)
		}
	}
	run.Result.Relevance = run.Result.Relevance[1:2]
	if list, err := run.partial(t.Context()); list != nil || err != nil {
		t.Errorf("of no column: %v, %v", list, err)
	}
}

// TestEffectsOfClasses: of three classes each has a line and its name beside it, of two the second one alone, without a name.
func TestEffectsOfClasses(t *testing.T) {
	for c, want := range map[int][]string{2: nil, 3: {"one", "two", "three"}} {
		m := &model.Model{Classes: []string{"one", "two", "three"}[:c]}
		mean := mat.NewDense(4, c, nil)
		for i := range 4 {
			for k := range c {
				mean.Set(i, k, float64(i+k)/10)
			}
		}
		f := partialFigure(m, "a", "probability", []float64{1, 2, 3, 4}, mean)
		var got []string
		for _, e := range f.Legend {
			got = append(got, e.Name)
			if e.Line == nil {
				t.Errorf("%s has no line", e.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d classes: %q beside the lines", c, got)
		}
		if label := f.Plot.Y.Label.Text; (label == "probability of two") != (c == 2) {
			t.Errorf("%d classes: %s", c, label)
		}
	}
}

// TestColumnsWithoutEffect: two values make no line, classes without probabilities none either, nor outputs that are no numbers.
func TestColumnsWithoutEffect(t *testing.T) {
	part := columns.Parts(nil, 1, nil)[0]
	rows := func(v ...float64) data.Rows { return data.Rows{Dense: mat.NewDense(len(v), 1, v)} }
	weight := mat.NewDense(1, 1, []float64{1})
	numbers := linearModel(data.Regression, nil, weight)
	for name, c := range map[string]struct {
		rows   data.Rows
		task   data.Task
		scale  float64
		figure bool
	}{
		"three values": {rows(1, 2, 3, 3), data.Regression, 1, true},
		"two values":   {rows(1, 1, 2, math.NaN()), data.Regression, 1, false},
		"classes":      {rows(1, 2, 3), data.Classification, 1, false},
		"no numbers":   {rows(1, 2, 3), data.Regression, math.Inf(1), false},
	} {
		m := numbers
		if c.task == data.Classification {
			m = linearModel(c.task, []string{"a", "b"}, weight)
		}
		weight.Set(0, 0, c.scale)
		f, err := partialOf(t.Context(), m, c.rows, part)
		if err != nil || (f != nil) != c.figure {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// TestMeansOfGroups: rows that follow each other are averaged by groups.
func TestMeansOfGroups(t *testing.T) {
	got := means(mat.NewDense(4, 2, []float64{1, 2, 3, 6, -1, 0, 5, 8}), 2)
	if want := mat.NewDense(2, 2, []float64{2, 4, 2, 4}); !mat.EqualApprox(got, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// TestStoppedPages: a page that is interrupted anywhere is none, whatever it was drawing.
func TestStoppedPages(t *testing.T) {
	views := fitted(t, "moons-lines:n=30", 6, mercer.Recipe{Method: "co-rls", Tune: "none", Views: []mercer.View{
		{Name: "moons", First: 1, Last: 2}, {Name: "lines", First: 3, Last: 4}}})
	views.Result.Views.Disputed = []int{3, 5}
	for name, run := range map[string]*Run{
		"map":    fitted(t, "two-moons:n=40", 10, mercer.Recipe{Method: "rls", Kernel: "gaussian", Tune: "kfold:3", Budget: 3}),
		"curve":  fitted(t, "sinc:n=30", 20, mercer.Recipe{Method: "rls", Tune: "none"}),
		"views":  views,
		"effect": fitted(t, "wine", 30, mercer.Recipe{Method: "logistic", Kernel: "gaussian", Budget: 3}),
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				_, err := run.Page(ctx)
				return err
			}, "report.partialOf")
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Run{Result: &result.Result{}, Data: "d"}).Page(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSaddles: in a cell whose corners are by turns above and below a level, two lines pass, and the middle lies between them, on the side
// of the level that its mean is on.
func TestSaddles(t *testing.T) {
	for _, c := range []struct {
		z    [4]float64 // counter-clockwise from below left
		want string
	}{
		{[4]float64{0, 1, 0, 1}, "bl tr"}, // the middle is above, so that below left and above right are cut off
		{[4]float64{1, 0, 1, 0}, "br tl"},
		{[4]float64{0, 1, 0, 0.9}, "br tl"}, // the middle is below
		{[4]float64{1, 0, 0.9, 0}, "bl tr"},
	} {
		var got []string
		bottom, right, top, left := edge{0, 0, false}, edge{1, 0, true}, edge{0, 1, false}, edge{0, 0, true}
		corner := map[[2]edge]string{{bottom, left}: "bl", {right, top}: "tr", {bottom, right}: "br", {top, left}: "tl"}
		through(square(c.z), 0.5, 0, 0, func(a, b edge) {
			name := corner[[2]edge{a, b}]
			if name == "" {
				name = corner[[2]edge{b, a}]
			}
			got = append(got, name)
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: the lines cut off %q, expected %q", c.z, got, c.want)
		}
	}
}

// square is a lattice of one cell.
type square [4]float64

func (s square) X(c int) float64           { return float64(c) }
func (s square) Y(r int) float64           { return float64(r) }
func (s square) Dims() (columns, rows int) { return 2, 2 }

func (s square) Z(c, r int) float64 { return s[[2][2]int{{0, 1}, {3, 2}}[r][c]] }

var _ plotter.GridXYZ = square{}

// TestEffectsOfManyRows: the mean is over forty rows at most, which are spread over all, and the line has twenty-five points at most. The
// other column counts in the last row alone, which the forty of forty-one rows are without.
func TestEffectsOfManyRows(t *testing.T) {
	m := linearModel(data.Regression, nil, mat.NewDense(2, 1, []float64{1, 1}))
	for rows, want := range map[int]struct {
		points int
		mean   float64
	}{25: {25, 1. / 25}, 26: {25, 1. / 26}, 40: {25, 1. / 40}, 41: {25, 0}} {
		x := mat.NewDense(rows, 2, nil)
		for i := range rows {
			x.Set(i, 0, float64(i))
		}
		x.Set(rows-1, 1, 1)
		f, err := partialOf(t.Context(), m, data.Rows{Dense: x}, columns.Parts(nil, 2, nil)[0])
		if err != nil {
			t.Fatal(err)
		}
		least := f.Plot.Y.Min + float64(rows-1)/20 // without the room below
		if math.Abs(least-want.mean) > 1e-12 || !strings.Contains(f.Caption, "over 40 rows or fewer") {
			t.Errorf("%d rows: the mean is %g, want %g: %s", rows, least, want.mean, f.Caption)
		}
		var log recorder.Canvas
		w, h := f.dims()
		f.draw(draw.NewCanvas(&log, w, h))
		line, points := false, 0
		for _, a := range log.Actions {
			switch a := a.(type) {
			case *recorder.SetLineWidth:
				line = a.Width == 2
			case *recorder.Stroke:
				if line {
					points += len(a.Path)
				}
			}
		}
		if points != want.points {
			t.Errorf("%d rows: a line of %d points, want %d", rows, points, want.points)
		}
	}
}

// TestEffectsOfManyClasses: up to six classes have a line each, of more there is no figure.
func TestEffectsOfManyClasses(t *testing.T) {
	for classes, want := range map[int]int{6: 6, 7: 0} {
		weights := mat.NewDense(1, classes, nil)
		for k := range classes {
			weights.Set(0, k, float64(k)/10)
		}
		m := linearModel(data.Classification, letters(classes), weights)
		m.Calibration = calibrate.Softmax{Temperature: 1}
		set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})}}
		r := &Run{Model: m, Set: set, Result: &mercer.Result{Relevance: []kernel.Relevance{{Name: "1"}}}}
		list, err := r.partial(t.Context())
		lines := 0
		for _, f := range list {
			lines += len(f.Legend)
		}
		if err != nil || lines != want {
			t.Errorf("%d classes: %d lines, %v", classes, lines, err)
		}
	}
}
