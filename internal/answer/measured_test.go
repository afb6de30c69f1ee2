package answer

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// TestTestRows: rows that were never seen are measured by the model and by the baseline; their faults name their file.
func TestTestRows(t *testing.T) {
	far := math.MaxFloat64
	for _, c := range []struct {
		name     string
		m, base  *model.Model
		rows     data.Rows
		answers  data.Answers
		want     result.Metric // of the test rows; nil: they are not measured
		baseline float64
		warning  string
		fault    string
	}{
		{"numbers", plain(), steep(3), column(1, 2), data.Answers{"1", "4"},
			result.Metric{"rmse": math.Sqrt2, "mae": 1, "r2": 1 - 4/4.5},
			math.Sqrt(4), "", ""},
		{"no baseline", plain(), nil, column(1, 2), data.Answers{"1", "4"},
			result.Metric{"rmse": math.Sqrt2, "mae": 1, "r2": 1 - 4/4.5}, 0, "", ""},
		{"no answers", plain(), steep(3), column(1, 2), data.Answers{"", ""}, nil, 0, "", ""},
		{"words", plain(), nil, column(1, 2), data.Answers{"1", "x"}, nil, 0, "", "x"},
		{"far rows", steep(10), nil, column(1, far), data.Answers{"1", "2"}, nil, 0, "", "no finite prediction"},
		{"far rows of the baseline", plain(), steep(10), column(1, far), data.Answers{"1", "2"}, nil, 0, "", "no finite prediction"},
		{"classes never seen", plain("a", "b"), nil, column(1, 2, 3, -4), data.Answers{"b", "new", "more", "new"},
			result.Metric{"error": 0.75}, 0,
			"3 test rows have a class that no labelled row has; they count as errors", ""},
	} {
		a := sixRows(c.m.Classes, nil)
		a.Task.Input.Test = &data.Set{Source: "test.csv", Rows: c.rows, Answers: c.answers}
		res := &result.Result{Metrics: map[string]result.Metric{}, Baseline: &result.Baseline{Metrics: map[string]result.Metric{}}}
		err := a.test(t.Context(), res, c.m, c.base)
		if c.fault != "" {
			var of *result.SetError
			if !errors.As(err, &of) || of.Set != a.Task.Input.Test || !strings.Contains(of.Err.Error(), c.fault) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || len(res.Metrics["test"]) != len(c.want) || strings.Join(res.Warnings, "; ") != c.warning ||
			(len(res.Baseline.Metrics) > 0) != (c.baseline > 0) {
			t.Errorf("%s: %v, %v, %q, %v", c.name, res.Metrics, res.Baseline.Metrics, res.Warnings, err)
		}
		for name, v := range c.want {
			close(t, c.name+", "+name, res.Metrics["test"][name], v)
		}
		close(t, c.name+", baseline", res.Baseline.Metrics["test"]["rmse"], c.baseline)
	}
}

// TestHiddenRows: hidden answers are those of the rows that were learned from, or of the whole set where a sample was; the outputs that
// are known are taken as they are.
func TestHiddenRows(t *testing.T) {
	hidden := data.Answers{"", "3", "", "", "4", ""}
	known := mat.NewDense(6, 1, []float64{0, 3, 0, 0, 4, 0})
	for _, c := range []struct {
		name          string
		hidden        data.Answers
		out           *mat.Dense
		sampled       bool
		rmse, baseMae float64
		fault         bool
	}{
		{"predicted", hidden, nil, false, math.Sqrt2, 4, false},
		{"known", hidden, known, false, 0, 4, false},
		{"sampled", hidden, known, true, math.Sqrt2, 4, false},
		{"none", nil, known, false, -1, -1, false},
		{"no answers", make(data.Answers, 6), known, false, -1, -1, false},
		{"words", data.Answers{"", "x", "", "", "4", ""}, known, false, -1, -1, true},
	} {
		a := sixRows(nil, nil)
		a.Task.Labels = data.Labels{Task: data.Regression}
		a.Task.Whole.Hidden = c.hidden
		if c.sampled {
			a.Task.Whole.Set = &data.Set{Rows: a.Task.Input.Set.Rows}
		}
		res := &result.Result{Metrics: map[string]result.Metric{}, Baseline: &result.Baseline{Metrics: map[string]result.Metric{}}}
		// The answers 3 and 4 are of the rows 1 and 4, for which the baseline has 3 and 12.
		err := a.hidden(t.Context(), res, plain(), steep(3), c.out, nil)
		met, ok := res.Metrics["hidden"]
		if (err != nil) != c.fault || ok != (c.rmse >= 0) {
			t.Errorf("%s: %v, %v", c.name, res.Metrics, err)
		}
		if ok {
			close(t, c.name, met["rmse"], c.rmse)
			close(t, c.name+", baseline", res.Baseline.Metrics["hidden"]["mae"], c.baseMae)
		}
	}
}

// TestHiddenRowsOfOneClass: hidden answers of a model of one class are understood as those of other rows are.
func TestHiddenRowsOfOneClass(t *testing.T) {
	m := plain("-1", "1")
	m.Method = "one-class"
	a := sixRows(m.Classes, nil)
	a.Task.Whole.Hidden = data.Answers{"", "odd", "odd", "", "-1", ""}
	res := &result.Result{Metrics: map[string]result.Metric{}}
	if err := a.hidden(t.Context(), res, m, nil, mat.NewDense(6, 1, []float64{0, 3, -3, 0, -4, 0}), nil); err != nil {
		t.Fatal(err)
	}
	if close(t, "error", res.Metrics["hidden"]["error"], 1.0/3); res.Warnings != nil {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// TestFronts: every member of a front is kept and shown with its own numbers, the chosen one is marked, and what is interrupted says so.
func TestFronts(t *testing.T) {
	term := func(rows []int, coef ...float64) choose.Term {
		return choose.Term{Kernel: kernel.Gaussian{Sigma: 1}, Rows: rows, Coef: mat.NewDense(len(coef), 1, coef)}
	}
	f := &choose.Tradeoff{
		Centres: column(0, 1, 2), Trained: 17, Violation: 1e-9, Parts: make([]result.FrontPart, 2),
		Points: []choose.Point{
			{Risk: 3, Complexity: 0, Params: map[string]any{"k": 0}, Offset: []float64{1}, Terms: []choose.Term{{}}},
			{Risk: 2, Complexity: 5, Params: map[string]any{"k": 1}, Terms: []choose.Term{term([]int{2}, 0.5), term([]int{0, 1}, 1, 2)}},
		},
	}
	for _, partial := range []bool{false, true} {
		a := sixRows(nil, nil)
		f.Partial = partial
		a.Candidates.Front, a.Task.Warnings, a.Candidates.Warnings, a.Task.Scaled = f, []string{"one"}, []string{"two"}, "none"
		a.Task.Labels = data.Labels{Task: data.Regression, Value: []float64{1, math.NaN(), -2, 3, math.NaN(), 4}}
		a.Forecast = result.Foreseen{Seconds: 2, Bytes: 3}
		a.Choice = &choose.Choice{Point: 1, Rule: "knee", Assumed: "it", Scores: []float64{math.NaN(), 0.25}}
		if err := a.Pick(0); err != nil {
			t.Fatal(err)
		}
		m := a.Model(true)
		if m.Front.Chosen != 1 || len(m.Front.Members) != 2 || !reflect.DeepEqual(m.Front.Members[1].Parts, m.Parts) {
			t.Fatalf("%+v", m.Front)
		}
		first, second := m.Front.Members[0], m.Front.Members[1]
		if first.Risk != 3 || first.Complexity != 0 || second.Risk != 2 || second.Complexity != 5 || len(first.Parts[0].Functions) != 0 ||
			len(second.Parts[0].Functions) != 2 || first.Parts[0].Offset[0] != 1 {
			t.Errorf("%+v", m.Front.Members)
		}
		if a.Model(false).Front != nil {
			t.Error("the front is kept without being asked for")
		}
		res, err := a.FrontResult(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		score := 0.25
		want := []result.FrontMember{
			{Risk: 3, Params: f.Points[0].Params},
			{Risk: 2, Complexity: 5, Params: f.Points[1].Params, Support: 3, Score: &score, Chosen: true},
		}
		warnings := "one; two"
		if partial {
			warnings += "; the front is partial: it was interrupted, and shows what is nondominated so far"
		}
		if !reflect.DeepEqual(res.Front, want) || res.Chosen() != 1 || strings.Join(res.Warnings, "; ") != warnings || res.Trained != 17 ||
			res.Violation != 1e-9 || res.Partial != partial || res.Decision != "knee" || res.Assumed != "it" || res.Method != "rls" ||
			res.Task != "regression" || res.Scaling != "none" || res.Rows != (result.RowCounts{Labelled: 4, Unlabelled: 2, Features: 1}) ||
			len(res.Parts) != 2 || res.Forecast.Bytes != 3 || len(res.Metrics["labelled"]) == 0 {
			t.Errorf("%+v", res)
		}
		one, err := a.Result(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if one.Support != 3 || one.Params["k"] != 1 || one.Tuning.Score != "knee" || one.Tuning.Value != 0.25 ||
			one.Certificate.Residual != 1e-9 || (one.Tuning.Status == "interrupted") != partial || strings.Join(one.Warnings,
			"; ") != warnings {
			t.Errorf("%+v, %+v", one, one.Tuning)
		}
	}
}

// TestBalanceOfPredictions: the classes of unlabelled rows are counted among predictions where the machines kept no outputs of all rows, as
// those of a race that learned from labelled rows alone, or a reduced model stands in their place, or the model has others, which is told.
func TestBalanceOfPredictions(t *testing.T) {
	kept := mat.NewDense(6, 1, []float64{9, 9, 9, 9, 9, 9})
	for _, c := range []struct {
		name    string
		outputs *mat.Dense
		reduced *model.Model
		slope   float64
		first   float64 // share of the first class
	}{
		{"outputs that are not the model's", kept, nil, -1, 1},
		{"no outputs", nil, nil, -1, 1},
		{"no outputs, the other way", nil, nil, 1, 0},
		{"a reduced model", kept, steep(-1, "a", "b"), -1, 1},
	} {
		a := sixRows([]string{"a", "b"}, nil)
		a.Task.Labels = data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, -1, 1, 1, -1, 1}}
		a.Choice.Members[0].Outputs, a.Reduced = c.outputs, c.reduced
		res, err := a.Result(t.Context(), steep(c.slope, "a", "b"))
		if err != nil {
			t.Fatal(err)
		}
		if b := res.Balance; !slices.Equal(b.Labelled, []float64{0.25, 0.75}) || !slices.Equal(b.Unlabelled, []float64{c.first, 1 - c.first}) {
			t.Errorf("%s: %+v", c.name, b)
		}
		told := strings.Contains(strings.Join(res.Warnings, "; "), "the model gives other outputs than its training had")
		if told != (c.outputs != nil && c.reduced == nil) {
			t.Errorf("%s: %q", c.name, res.Warnings)
		}
	}
}
