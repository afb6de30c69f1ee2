package answer

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/learn"
)

// counted is an answer on rows with these numbers, all labelled.
func counted(y ...float64) *Answer {
	a := sixRows(nil, nil)
	a.Task.Problem = &learn.Problem{Task: data.Regression, Labelled: indices.To(len(y)), Y: mat.NewDense(len(y), 1, y)}
	return a
}

// Whole numbers of which there are few may be classes: the nearest one is decided, and the most frequent is what needs no machine.
func TestNumbersReadAsClasses(t *testing.T) {
	span := func(n int) []float64 {
		y := make([]float64, 2*n)
		for i := range y {
			y[i] = float64(i % n)
		}
		return y
	}
	says := func(levels int, wrong, most string) string {
		return fmt.Sprintf("its numbers may be classes (--task classification): the nearest of %d is wrong in %s %% of rows, always the "+
			"most frequent in %s %%", levels, wrong, most)
	}
	for name, c := range map[string]struct {
		y, out []float64
		want   string
	}{
		"one is wrong":     {[]float64{1, 1, -2, 4, 3}, []float64{1.4, -8, -1.5, 3.6, 3.4}, says(4, "20", "60")},
		"all are right":    {[]float64{1, 2}, []float64{1.5, 1.51}, says(2, "0", "50")},
		"better by one":    {[]float64{1, 1, 2, 2, 3}, []float64{1, 3, 2, 1, 3}, says(3, "40", "60")},
		"no better":        {[]float64{1, 1, 1, 2, 3}, []float64{1, 3, 1, 1, 3}, ""},
		"fractions":        {[]float64{1, 2, 2.5}, []float64{1, 2, 2}, ""},
		"one number":       {[]float64{3, 3}, []float64{3, 3}, ""},
		"twenty":           {span(20), span(20), says(20, "0", "95")},
		"more than twenty": {span(21), span(21), ""},
	} {
		a := counted(c.y...)
		judged, out := indices.To(len(c.y)), mat.NewDense(len(c.out), 1, c.out)
		if got := a.otherReading(plain(), judged, out); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		a.Task.Recipe.Task = "regression"
		if got := a.otherReading(plain(), judged, out); got != "" {
			t.Errorf("%s, as asked: %q", name, got)
		}
	}
	if got := counted(1, 2).otherReading(plain(), nil, nil); got != "" {
		t.Errorf("of no row: %q", got)
	}
	for v, want := range map[float64]float64{-9: -2, -2: -2, -0.5: -2, -0.4: 1, 1: 1, 2: 1, 2.1: 3, 3.5: 3, 9: 4} {
		if got := nearest([]float64{-2, 1, 3, 4}, v); got != want {
			t.Errorf("the nearest of %g is %g, expected %g", v, got, want)
		}
	}
}

// Classes that are numbers may be answers of a regression where most mistakes are of a neighbour: then their mean by probability is one.
func TestClassesReadAsNumbers(t *testing.T) {
	classes := []string{"1", "2", "4", "8", "16"}
	number := []float64{1, 2, 4, 8, 16}
	read := func(classes []string, class, decided []int) (string, string) {
		a := counted(make([]float64, len(class))...)
		a.Task.Problem.Task, a.Task.Problem.Classes, a.Task.Problem.Class = data.Classification, classes, class
		out := mat.NewDense(len(class), len(classes), nil)
		for i, k := range decided {
			out.Set(i, k, 1.5)
		}
		m := plain(classes...)
		m.Calibration = calibrate.Softmax{Temperature: 1}
		p, err := m.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		var square, mean, spread float64
		n := float64(len(class))
		for i, k := range class {
			d := mat.Dot(p.RowView(i), mat.NewVecDense(5, number)) - number[k]
			square, mean = square+d*d/n, mean+number[k]/n
		}
		for _, k := range class {
			spread += (number[k] - mean) * (number[k] - mean) / n
		}
		want := fmt.Sprintf("its classes may be numbers (--task regression): their mean by probability has rmse %.3g, always the mean %.3g",
			math.Sqrt(square), math.Sqrt(spread))
		judged := indices.To(len(class))
		got := a.otherReading(m, judged, out)
		a.Task.Coding.OneClass = true
		if one := a.otherReading(m, judged, out); one != "" {
			t.Errorf("one class: %q", one)
		}
		a.Task.Coding.OneClass, m.Calibration = false, nil
		if without := a.otherReading(m, judged, out); without != "" {
			t.Errorf("without probabilities: %q", without)
		}
		return got, want
	}
	class := []int{0, 1, 2, 3, 4, 4, 0}
	for name, c := range map[string]struct {
		decided []int
		near    bool
	}{
		"a neighbour above":      {[]int{0, 1, 2, 4, 4, 4, 0}, true},
		"a neighbour below":      {[]int{0, 1, 2, 3, 4, 3, 0}, true},
		"two of three are near":  {[]int{1, 1, 2, 3, 4, 3, 4}, true},
		"one of two is near":     {[]int{1, 1, 2, 3, 4, 4, 4}, false},
		"one of three is near":   {[]int{1, 1, 2, 3, 4, 0, 4}, false},
		"none is near":           {[]int{2, 1, 2, 3, 4, 4, 0}, false},
		"no mistake, no steps":   {[]int{0, 1, 2, 3, 4, 4, 0}, false},
		"far on the other side":  {[]int{0, 1, 2, 3, 2, 4, 0}, false},
		"near on the other side": {[]int{0, 0, 2, 3, 4, 4, 0}, true},
	} {
		got, want := read(classes, class, c.decided)
		if !c.near {
			want = ""
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
	words := slices.Clone(classes)
	words[4] = "many"
	if got, _ := read(words, class, []int{0, 1, 2, 4, 4, 4, 0}); got != "" {
		t.Errorf("words: %q", got)
	}
	four := counted(0, 0, 0, 0)
	four.Task.Problem.Task, four.Task.Problem.Classes, four.Task.Problem.Class = data.Classification, classes[:4], []int{0, 1, 2, 3}
	m := plain(classes[:4]...)
	m.Calibration = calibrate.Softmax{Temperature: 1}
	out := mat.NewDense(4, 4, []float64{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1})
	if got := four.otherReading(m, indices.To(4), out); got != "" {
		t.Errorf("four classes: %q", got)
	}
}
