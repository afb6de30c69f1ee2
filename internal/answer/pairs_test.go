package answer

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// TestCalibrationOfPairs: pairs of classes have a sigmoid each where labels are many, and where they are few, or do not suffice for that,
// one slope for all, the temperature; where the outputs say nothing they have none.
func TestCalibrationOfPairs(t *testing.T) {
	for name, c := range map[string]struct {
		rows, classes int // of which there are rows
		size          float64
		each, any     bool
		weighed       bool
	}{
		"few": {60, 3, 1, false, true, false}, "many": {61, 3, 1, true, true, false}, "nothing is said": {60, 3, 0, false, false, false},
		"many of which none is of two classes": {61, 1, 1, false, true, false},
		"weights":                              {61, 3, 1, true, true, true}, "few with weights": {60, 3, 1, false, true, true},
	} {
		p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b", "c"}, Labelled: indices.To(c.rows),
			Class: make([]int, c.rows), Coding: learn.Coding{Classes: 3, Pairs: true}}
		left := mat.NewDense(c.rows, 3, nil)
		for i := range c.rows {
			p.Class[i] = i % c.classes
			if c.weighed {
				p.Weight = append(p.Weight, float64(1+p.Class[i]))
			}
		}
		p.Y = p.Coding.Code(p.Class)
		for i := range c.rows {
			for o := range 3 {
				left.Set(i, o, c.size*(p.Y.At(i, o)+1.5*math.Sin(float64(7*i+3*o))))
			}
		}
		var want calibrate.Calibration
		if c.each {
			each, err := calibrate.FitPairs(left, p.Class, 3, p.Weight)
			if err != nil {
				t.Fatal(err)
			}
			want = each
		} else if slope := score.Temperature(p, nil, left); slope > 0 {
			one := calibrate.Pairs{Classes: 3, Pair: slices.Repeat([]calibrate.Sigmoid{{Slope: slope}}, 3)}
			if err := one.FitPower(left, p.Class, p.Weight); err != nil {
				t.Fatal(err)
			}
			want = one
		}
		got := calibration(&task.Task{Problem: p, Coding: task.Coding{Classes: true}}, left)
		if !reflect.DeepEqual(got, want) || (want != nil) != c.any {
			t.Errorf("%s: %+v, expected %+v", name, got, want)
		}
	}
}

// TestSharesAreKept: the probabilities of a choice that has some are those of its model.
func TestSharesAreKept(t *testing.T) {
	a := sixRows([]string{"a", "b"}, nil, 1, -1, 1, 0)
	a.Choice.Shares = &calibrate.Shares{Linear: 2, Log: 0.5, Offset: []float64{0.1, -0.1}}
	if got := a.Model(false).Calibration; !reflect.DeepEqual(got, *a.Choice.Shares) {
		t.Errorf("%+v", got)
	}
}

// TestGuessesOfSets: what is said of the label and of the columns, by the table if there is one; sparse rows and words have none.
func TestGuessesOfSets(t *testing.T) {
	rows := mat.NewDense(2, 3, nil)
	table := data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber}, {Name: "b", Kind: data.KindCategory, Levels: []string{"u"}}})
	for _, c := range []struct {
		set     *data.Set
		decided string
		want    []string
	}{
		{&data.Set{Rows: data.Rows{Dense: rows}, LabelName: "y"}, "2 classes", []string{"column y is the label (2 classes)", "so",
			"3 columns of numbers"}},
		{&data.Set{Rows: data.Rows{Dense: rows}, LabelName: "y"}, "", []string{"so", "3 columns of numbers"}},
		{&data.Set{Rows: data.Rows{Dense: rows}}, "2 classes", []string{"so", "3 columns of numbers"}},
		{&data.Set{Rows: data.Rows{Sparse: data.CSRFromDense(rows)}}, "", []string{"so"}},
		{&data.Set{Rows: data.Rows{Dense: rows}, Text: &data.Text{}}, "", []string{"so"}},
		{&data.Set{Rows: data.Rows{Dense: rows}, Table: table}, "", []string{"so", "1 column of numbers", "1 of words"}},
	} {
		one := &task.Task{Input: result.Input{Set: c.set}, Labels: data.Labels{Decided: c.decided}}
		if got := guesses(one, "so"); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := new(Answer).kernelOf(&choose.Candidate{Machine: &choose.Machine{Kernel: manifold.Paths{}}}); got != "paths" {
		t.Errorf("path lengths are the kernel %q", got)
	}
}

// TestViewsThatLack: a view that no answered row has is shown without measures, and answers that are none of the model's kind are
// refused; a model of one part has no views.
func TestViewsThatLack(t *testing.T) {
	m := plain("a", "b")
	m.Columns = 2
	part := m.Parts[0]
	m.Parts = []model.Part{part, part}
	m.Parts[0].View, m.Parts[0].Columns, m.Parts[1].View, m.Parts[1].Columns = "one", []int{0}, "two", []int{1}
	m.Calibration = calibrate.Sigmoid{Slope: 1} // of the mean of the views, which has probabilities where one alone has none
	nan := math.NaN()
	rows := data.Rows{Dense: mat.NewDense(3, 2, []float64{1, nan, -2, nan, 3, 2})}
	got, err := ViewsOf(t.Context(), m, rows, data.Answers{"b", "b", ""})
	if err != nil || len(got.Views) != 2 {
		t.Fatal(got, err)
	}
	one, two := got.Views[0], got.Views[1]
	if one.Name != "one" || one.Rows != 3 || one.Metrics["labelled"]["error"] != 0.5 ||
		len(one.Metrics["labelled"]) != 2 {
		t.Errorf("%+v", one)
	}
	if two.Name != "two" || two.Rows != 1 || len(two.Metrics) != 0 {
		t.Errorf("%+v", two)
	}
	labels, _, err := Known(m, data.Answers{"b", "b", ""})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := Views(t.Context(), m, rows, map[string]data.Labels{"labelled": labels}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
	m.Task, m.Classes = data.Regression, nil
	if _, err := ViewsOf(t.Context(), m, rows, data.Answers{"b", "1", ""}); err == nil {
		t.Error("a word is the answer of a regression")
	}
	if got, err := ViewsOf(t.Context(), plain("a", "b"), column(1, 2), data.Answers{"a", "b"}); got != nil || err != nil {
		t.Errorf("of one part: %+v, %v", got, err)
	}
}
