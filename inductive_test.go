package mercer_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// The inductive score is that of machines fitted to files without the rows of a fold,
// at the same ridge and ratio, which predict those rows as new ones.
func TestInductiveScoreEqualsFits(t *testing.T) {
	const folds, gammaA, gammaI = 3, 1e-3, 0.2
	in := few(t, "two-moons:n=60,noise=0.2,seed=4", 6)
	labels, err := data.Interpret(in.Set.Answers, in.Set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := data.Folds(labels, folds, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(in.Set.Rows, labels)
	place := map[int]int{}
	for q, i := range p.Labelled {
		place[i] = q
	}
	recipe := func(method, tune string, shrunk float64) mercer.Recipe {
		r := mercer.Recipe{Method: method, Tune: tune, Scale: "none", Set: map[string]string{
			"sigma": "0.5", "neighbours": "5", "degree": "2", "intrinsic_scale": "none",
			"gamma_a": fmt.Sprint(gammaA * shrunk), "gamma_i": fmt.Sprint(gammaI * shrunk),
		}}
		if tune != "none" {
			r.Search = "grid"
		}
		if method == "lap-svm" {
			r.Tolerance = 1e-6
		}
		return r
	}
	for _, method := range []string{"lap-rls", "lap-svm"} {
		left := mat.NewDense(len(p.Labelled), 1, nil)
		for _, fold := range part.Groups() {
			out := map[int]bool{}
			for _, i := range fold {
				out[i] = true
			}
			var keep []int
			rest := &data.Set{Name: in.Set.Name, Source: in.Set.Source, Features: in.Set.Features, LabelName: in.Set.LabelName}
			for i, a := range in.Set.Answers {
				if !out[i] {
					keep = append(keep, i)
					rest.Answers = append(rest.Answers, a)
				}
			}
			rest.Rows = in.Set.Rows.Select(keep)
			// l gamma_A is held: with fewer labels both weights grow.
			shrunk := float64(len(p.Labelled)) / float64(len(p.Labelled)-len(fold))
			m, _ := fitted(t, mercer.Input{Set: rest}, recipe(method, "none", shrunk))
			o, err := m.Predict(t.Context(), in.Set.Rows.Select(fold))
			if err != nil {
				t.Fatal(err)
			}
			for q, i := range fold {
				left.SetRow(place[i], o.RawRowView(q))
			}
		}
		want := score.LogLoss{}.Eval(p, nil, left, nil)
		_, res := fitted(t, in, recipe(method, fmt.Sprintf("kfold:%d:inductive", folds), 1))
		if got := res.Tuning.Value; math.Abs(got-want) > 1e-5*want || res.Tuning.Score != "kfold:3:inductive" {
			t.Errorf("%s: score %s %v, fits without the folds %v", method, res.Tuning.Score, got, want)
		}
		_, res = fitted(t, in, recipe(method, fmt.Sprintf("kfold:%d", folds), 1))
		if math.Abs(res.Tuning.Value-want) < 1e-4*want {
			t.Errorf("%s: the score with the rows in the graph is the same, %v: the test shows nothing", method, want)
		}
	}
}

// Without a graph it is the score by folds; where it cannot be had the message says
// what to do.
func TestInductiveScoreElsewhere(t *testing.T) {
	in := few(t, "iris", 8)
	for _, method := range []string{"rls", "svm"} {
		r := mercer.Recipe{Method: method, Tune: "kfold:4"}
		_, a := fitted(t, in, r)
		r.Tune = "kfold:4:inductive"
		_, b := fitted(t, in, r)
		if a.Tuning.Value != b.Tuning.Value {
			t.Errorf("%s: %v, inductive %v", method, a.Tuning.Value, b.Tuning.Value)
		}
	}
	for _, c := range []struct {
		recipe mercer.Recipe
		remedy string
	}{
		{mercer.Recipe{Tune: "kfold:3:inductive"}, "lap-rls, c-lap-rls"},
		{mercer.Recipe{Tune: "kfold:3:inductive", Method: "lap-rls"}, "Recipe.Search nelder-mead"},
		{mercer.Recipe{Tune: "kfold:3:inductive", Method: "lap-rls", Search: "gradient"}, "Recipe.Search nelder-mead"},
		{mercer.Recipe{Tune: "loo:press:inductive", Method: "lap-rls", Search: "grid"}, "as in kfold:5:inductive"},
		{mercer.Recipe{Tune: "kfold:1:inductive", Method: "lap-rls", Search: "grid"}, "as in kfold:5:inductive"},
	} {
		var u *mercer.UsageError
		if err := mercer.Check(c.recipe); !errors.As(err, &u) || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%+v: %v, want %s", c.recipe, err, c.remedy)
		}
	}
	r := mercer.Recipe{Tune: "kfold:2:inductive", Method: "lap-rls", Search: "grid", Set: map[string]string{"neighbours": "140"}}
	if _, _, err := mercer.Fit(t.Context(), in, r, mercer.Options{}); err == nil || !strings.Contains(err.Error(),
		"neighbours=140 of the 138 rows that Recipe.Tune kfold:2:inductive leaves; ask for at most 137") {
		t.Errorf("neighbours of a graph without the fold: %v", err)
	}
}
