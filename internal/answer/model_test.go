package answer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// Probabilities of two classes are those of the temperature where labels are few or left out in closed form, and else of a sigmoid with an
// offset; outputs that say nothing have that, too. They are weighted as the rows are.
func TestCalibrationOfTwoClasses(t *testing.T) {
	for name, c := range map[string]struct {
		rows    int
		classes bool // machines of classes are left out by folds where labels are many
		size    float64
		slope   bool
		weight  float64 // of rows of the second class
	}{
		"few": {60, true, 1, true, 0}, "many": {61, true, 1, false, 0}, "many in closed form": {61, false, 1, true, 0},
		"nothing is said": {60, true, 0, false, 0}, "weights": {61, true, 1, false, 3}, "few with weights": {60, true, 1, true, 3},
	} {
		p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Labelled: indices.To(c.rows), Class: make([]int, c.rows),
			Coding: learn.Coding{Classes: 2}}
		left, scores, second := mat.NewDense(c.rows, 1, nil), make([]float64, c.rows), make([]bool, c.rows)
		for i := range c.rows {
			if i%3 == 0 {
				p.Class[i], second[i] = 1, true
			}
			scores[i] = c.size * (float64(2*p.Class[i]-1) + 2*math.Sin(float64(7*i)))
			left.Set(i, 0, scores[i])
		}
		p.Y = p.Coding.Code(p.Class)
		if c.weight > 0 {
			for _, k := range p.Class {
				p.Weight = append(p.Weight, 1+float64(k)*(c.weight-1))
			}
		}
		want, err := calibrate.FitSigmoid(scores, second, p.Weight)
		if err != nil || want.Offset == 0 {
			t.Fatal(want, err)
		}
		if c.slope {
			want = calibrate.Sigmoid{Slope: score.Temperature(p, nil, left)}
		}
		if got := calibration(&task.Task{Problem: p, Coding: task.Coding{Classes: c.classes}}, left); got != want {
			t.Errorf("%s: %+v, expected %+v", name, got, want)
		}
	}
}

// Medians of the columns fill empty cells of rows that are predicted, where the columns have names and are neither of a table nor of views.
func TestMediansOfModels(t *testing.T) {
	for name, change := range map[string]func(set *data.Set, r *result.Recipe){
		"names":   func(*data.Set, *result.Recipe) {},
		"a table": func(set *data.Set, _ *result.Recipe) { set.Table = &data.Table{} },
		"views":   func(_ *data.Set, r *result.Recipe) { r.Views = []result.View{{Name: "v", First: 1, Last: 1}} },
		"no names": func(set *data.Set, _ *result.Recipe) {
			set.Features = nil
		},
	} {
		a := sixRows(nil, nil)
		a.Task.Whole.Set.Features = []string{"x"}
		change(a.Task.Whole.Set, &a.Task.Recipe)
		m := a.Model(false)
		if (m.Fill != nil) != (name == "names") || name == "names" && !slices.Equal(m.Fill, []float64{2.5}) {
			t.Errorf("%s: %v", name, m.Fill)
		}
	}
}

// The kernel of views in words is that of each view, or of the one that the columns are of.
func TestKernelsOfViewsInWords(t *testing.T) {
	a := sixRows(nil, nil)
	a.Task.Recipe = result.Recipe{Kernel: "laplacian", Views: []result.View{
		{Name: "v", First: 1, Last: 1, Kernel: "linear"}, {Name: "w", First: 2, Last: 3},
	}}
	of := func(k kernel.Kernel) string {
		return a.kernelOf(&choose.Candidate{Machine: &choose.Machine{Kernel: k}})
	}
	for want, k := range map[string]kernel.Kernel{
		"linear of v":             kernel.Columns{Columns: []int{0}, Base: kernel.Linear{}},
		"laplacian of w":          kernel.Columns{Columns: []int{1, 2}, Base: kernel.Gaussian{}},
		"laplacian":               kernel.Columns{Columns: []int{0, 1, 2}, Base: kernel.Gaussian{}},
		"v: linear, w: laplacian": multiview.Coupled{},
	} {
		if got := of(k); got != want {
			t.Errorf("%+v is %q, expected %q", k, got, want)
		}
	}
	a.Task.Recipe.Views[0].Kernel = ""
	if got := of(multiview.Sum{}); got != "laplacian" {
		t.Errorf("of one kernel for all views %q", got)
	}
}

// The left-out error of a member is the share of wrong classes, or the root of the mean square.
func TestLeftOutErrorOfMembers(t *testing.T) {
	numbers, classes := sixRows(nil, nil, 0, -2, 1, 7), sixRows([]string{"a", "b"}, nil, -1, -1, 1, 1)
	close(t, "numbers", *numbers.leftOutError(numbers.Choice.Members[0]), math.Sqrt((1+0+4+9)/4.))
	close(t, "classes", *classes.leftOutError(classes.Choice.Members[0]), 0.25)
}

// How rows were left out is said, and where these were too few for an interval, too.
func TestIntervalsInWords(t *testing.T) {
	for name, c := range map[string]struct {
		folds [][]int
		order []float64
		want  string
	}{
		"no fold": {nil, []float64{1}, "leave-one-out"}, "one": {[][]int{{1}}, nil, "hold-out"},
		"the last": {[][]int{{1}}, []float64{1}, "forward hold-out"}, "two": {[][]int{{1}, {0}}, []float64{1}, "2 folds"},
	} {
		a := sixRows(nil, c.folds)
		a.Task.Labels.Order = c.order
		if got := a.leaving(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for n, want := range map[int]string{
		18: "there are no intervals of level 0.9: they need 19 rows left out, and there were 18; " +
			"ask mercer predict for --interval 0.8947 at most, or label more rows", 19: "",
	} {
		r, err := model.NewResiduals(make([]float64, n))
		if err != nil {
			t.Fatal(err)
		}
		res := &result.Result{}
		TellInterval(res, &r, "5 folds")
		if strings.Join(res.Warnings, "; ") != want || (res.Interval == nil) != (want != "") {
			t.Errorf("%d rows: %+v, %q", n, res.Interval, res.Warnings)
		}
		if res.Interval != nil && *res.Interval != (result.Interval{Level: 0.9, Rows: n, From: "5 folds"}) {
			t.Errorf("%d rows: %+v", n, res.Interval)
		}
	}
}

// Of a reduced model, and of one that has other outputs than its training, which is told, the rows that it learned from are measured by
// what it predicts; the baseline has its own name, or that of the method's twin.
func TestMeasuresOfReducedModels(t *testing.T) {
	a := sixRows(nil, nil)
	a.Task.Labels = data.Labels{Task: data.Regression, Value: []float64{0, math.NaN(), 2, 3, math.NaN(), 5}}
	a.Choice.Members[0].Outputs = mat.NewDense(6, 1, []float64{9, 9, 9, 9, 9, 9})
	for _, reduced := range []*model.Model{nil, plain()} {
		a.Reduced = reduced
		res := &result.Result{Metrics: map[string]result.Metric{}}
		if err := a.measure(t.Context(), res, plain()); err != nil || res.Metrics["labelled"]["rmse"] != 0 ||
			(len(res.Warnings) == 0) != (reduced != nil) {
			t.Errorf("reduced %v: %v, %q, %v", reduced != nil, res.Metrics, res.Warnings, err)
		}
	}
	for name, c := range map[string]struct{ own, twin, want string }{
		"its own": {"ls-svm", "erm", "ls-svm"}, "the twin": {"", "erm", "erm"}, "neither": {"", "", "rls"},
	} {
		base := &choose.Candidate{Method: c.own, Machine: &choose.Machine{Kernel: kernel.Gaussian{Sigma: 1}, Score: 0.5}}
		a.Choice.Baseline, a.Method.Baseline = base, c.twin
		res := &result.Result{}
		m, out := a.baseline(res)
		if m == nil || out != nil || res.Baseline.Method != c.want || *res.Baseline.Score != 0.5 {
			t.Errorf("%s: %+v", name, res.Baseline)
		}
		base.Score = math.Inf(1)
		if a.baseline(res); res.Baseline.Score != nil {
			t.Errorf("%s: a score that is not finite is told", name)
		}
	}
	a.Choice.Baseline = a.Choice.Members[0].Candidate
	if m, out := a.baseline(&result.Result{}); m != nil || out != nil {
		t.Error("what was chosen is its own baseline")
	}
}
