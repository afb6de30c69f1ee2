package mercer

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// TestListening: a listener changes nothing, hears every evaluation that the result counts,
// the best of which is the result's, and left-out outputs that have the score of the result.
func TestListening(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := data.DrawPerClass(labels, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := *set
	seen.Answers, _ = data.Hide(set.Answers, keep)
	in := Input{Set: &seen}
	visible, err := data.Interpret(seen.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Recipe{
		"gradient":    {Method: "rls", Search: "gradient"},
		"graph":       {Method: "lap-rls", Search: "gradient", Set: map[string]string{"neighbours": "6", "degree": "1"}},
		"random":      {Method: "logistic", Search: "random", Budget: 7},
		"nelder-mead": {Method: "svm", Search: "nelder-mead", Tune: "kfold:3", Budget: 12, Multiclass: "one-vs-rest"},
		"auto":        {Budget: 9},
		"design":      {Method: "logistic"},
	} {
		t.Run(name, func(t *testing.T) {
			_, want, err := Fit(t.Context(), in, r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var heard []Evaluation
			var rows []int
			var left *mat.Dense
			surfaces := 0
			o := Options{Listen: Listener{
				Evaluation: func(e Evaluation) { heard = append(heard, e) },
				LeftOut:    func(r []int, out *mat.Dense) { rows, left = r, out },
				Surface: func(ctx context.Context, space param.Space, scored func(context.Context, []float64) (float64, error)) error {
					surfaces++
					for _, e := range heard {
						v, err := scored(ctx, e.Theta)
						if err != nil {
							return err
						}
						if math.Abs(v-e.Score) > 1e-5*math.Abs(e.Score) { // searches by gradients train inexactly at first
							t.Errorf("the surface at evaluation %d is %g, its score %g", e.N, v, e.Score)
						}
					}
					return nil
				},
			}}
			_, got, err := Fit(t.Context(), in, r, o)
			if err != nil {
				t.Fatal(err)
			}
			got.Seconds, want.Seconds = result.Seconds{}, result.Seconds{}
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("listening changes the result:\n%s\n%s", a, b)
			}
			if len(heard) != got.Tuning.Evaluations {
				t.Errorf("%d evaluations heard, %d counted", len(heard), got.Tuning.Evaluations)
			}
			searched := r.Search != ""
			if want := map[bool]int{true: 1, false: 0}[searched]; surfaces != want {
				t.Errorf("%d surfaces, want %d", surfaces, want)
			}
			best := heard[0]
			for i, e := range heard {
				if e.N != i+1 || e.Stage != 1 || len(e.Theta) != len(e.Space) {
					t.Fatalf("evaluation %d is %+v", i+1, e)
				}
				if e.Score < best.Score {
					best = e
				}
			}
			if searched && best.Score != got.Tuning.Value {
				t.Errorf("best score heard %g, result %g", best.Score, got.Tuning.Value)
			}
			if v, ok := got.Params["lambda"].(float64); ok && searched {
				if heard := best.Theta[best.Space.Index("lambda")]; math.Abs(heard-v) > 1e-12*v {
					t.Errorf("lambda heard %g, result %g", heard, v)
				}
			}
			if left == nil {
				t.Fatal("nothing left out")
			}
			l := learn.NewProblem(seen.Rows, visible)
			for q, i := range rows {
				if i != l.Labelled[q] {
					t.Fatalf("row %d is %d, want %d", q, i, l.Labelled[q])
				}
			}
			if r.Search == "gradient" || name == "random" {
				if l.Outputs() != left.RawMatrix().Cols {
					l = l.OneVersusOne()
				}
				if v := (score.LogLoss{}).Eval(l, nil, left, nil); math.Abs(v-got.Tuning.Value) > 1e-5*math.Abs(v) {
					t.Errorf("the left-out outputs score %g, the result %g", v, got.Tuning.Value)
				}
			}
		})
	}
}
