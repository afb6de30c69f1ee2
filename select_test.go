package mercer

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// noisy is every so many-th row of wine with two columns of noise, on the scale of the others once standardised.
func noisy(t *testing.T, every int) *data.Set {
	t.Helper()
	set := *builtin(t, "wine")
	rng := rand.New(rand.NewPCG(5, 1))
	n, d := set.Rows.Dense.Dims()
	x := mat.NewDense(n/every, d+2, nil)
	answers := set.Answers
	set.Answers = nil
	for i := range n / every {
		set.Answers = append(set.Answers, answers[every*i])
		for k, v := range set.Rows.Dense.RawRowView(every * i) {
			x.Set(i, k, v)
		}
		x.Set(i, d, rng.NormFloat64())
		x.Set(i, d+1, rng.NormFloat64())
	}
	set.Rows = data.Rows{Dense: x}
	set.Features = append(slices.Clone(set.Features), "noise1", "noise2")
	return &set
}

// Selection, by the source's outer loss, drops noise and predicts as well from what is left.
func TestSelect(t *testing.T) {
	set := noisy(t, 1)
	for _, c := range []struct{ method, kernel, share string }{
		{"l2-svm", "ard-gaussian", "0.02"},
		{"logistic", "ard-linear", "0.05"},
	} {
		r := Recipe{Method: c.method, Kernel: c.kernel, Tune: "kfold:5", Scale: "standard", Budget: 60, Search: "gradient",
			Set: map[string]string{"select": c.share, "outer": "mse"}}
		m, res, err := Fit(context.Background(), Input{Set: set}, r, Options{})
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if len(res.Warnings) > 0 {
			t.Errorf("%s: %v", r.Method, res.Warnings)
		}
		if slices.Contains(res.Selected, "noise1") || slices.Contains(res.Selected, "noise2") || len(res.Selected) < 2 {
			t.Errorf("%s: selected %v", r.Method, res.Selected)
		}
		if len(res.Relevance) != len(res.Selected) {
			t.Errorf("%s: relevance of %d, selected %d", r.Method, len(res.Relevance), len(res.Selected))
		}
		for _, f := range res.Relevance {
			if !slices.Contains(res.Selected, f.Name) {
				t.Errorf("%s: relevance of %s, which was dropped", r.Method, f.Name)
			}
		}
		if res.Tuning.Evaluations > r.Budget+1 {
			t.Errorf("%s: %d evaluations of %d", r.Method, res.Tuning.Evaluations, r.Budget)
		}
		if met, _, err := Evaluate(t.Context(), m, set.Rows, set.Answers); err != nil || met["error"] > 0.03 {
			t.Errorf("%s: error %v of the rows trained on, %v", r.Method, met["error"], err)
		}
		// What was dropped plays no part.
		moved := mat.DenseCopyOf(set.Rows.Dense)
		_, d := moved.Dims()
		for i := range set.Rows.Len() {
			moved.Set(i, d-1, 1e3*float64(i))
		}
		a, err := m.Predict(t.Context(), set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Predict(t.Context(), data.Rows{Dense: moved})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(a, b) {
			t.Errorf("%s: a column that was dropped changes predictions", r.Method)
		}
		text, err := json.Marshal(res)
		if err != nil || !strings.Contains(string(text), `"selected":["`) {
			t.Errorf("%s: %v", r.Method, err)
		}
	}
}

// Features that count are not dropped in silence, and where all count none is.
func TestSelectShare(t *testing.T) {
	set := noisy(t, 2)
	r := Recipe{
		Kernel: "ard-gaussian",
		Tune:   "kfold:5",
		Scale:  "standard",
		Search: "gradient",
		Set:    map[string]string{"select": "0.5", "outer": "mse"},
	}
	r.Budget = 45
	for _, r.Method = range []string{"rls", "l2-svm"} {
		_, res, err := Fit(context.Background(), Input{Set: set}, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Selected) > 5 || len(res.Warnings) == 0 || !strings.Contains(res.Warnings[0], "smaller share") {
			t.Errorf("%s: selected %v: %v", r.Method, res.Selected, res.Warnings)
		}
	}
	r.Set["select"] = "1e-9"
	r.Budget = 9
	_, res, err := Fit(context.Background(), Input{Set: set}, r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Selected) != set.Rows.Dim() || res.Tuning.Evaluations != 9 || res.Params["sigma[15]"] == nil {
		t.Errorf("selected %v by %d evaluations, %v", res.Selected, res.Tuning.Evaluations, res.Params)
	}
}

// An interrupt ends both searches and leaves a machine on what was found relevant.
func TestSelectInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := Recipe{
		Method: "l2-svm",
		Kernel: "ard-gaussian",
		Tune:   "kfold:5",
		Scale:  "standard",
		Search: "gradient",
		Set:    map[string]string{"select": "0.02", "outer": "mse"},
	}
	_, res, err := Fit(ctx, Input{Set: noisy(t, 2)}, r, Options{Progress: func(p Progress) {
		if p.Done == 20 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Tuning.Status != "interrupted" || res.Selected == nil || res.Tuning.Evaluations != 21 || len(res.Selected) == 15 {
		t.Errorf("%+v, selected %v", res.Tuning, res.Selected)
	}
}

func TestSelectUsage(t *testing.T) {
	for name, r := range map[string]Recipe{
		"share":  {Method: "l2-svm", Kernel: "ard-linear", Search: "gradient", Set: map[string]string{"select": "1"}},
		"kernel": {Method: "l2-svm", Kernel: "gaussian", Search: "gradient", Set: map[string]string{"select": "0.1"}},
		"search": {Method: "l2-svm", Kernel: "ard-linear", Search: "random", Set: map[string]string{"select": "0.1"}},
		"semi":   {Method: "lap-rls", Kernel: "ard-gaussian", Search: "gradient", Set: map[string]string{"select": "0.1"}},
		"per class": {Method: "l2-svm", Kernel: "ard-gaussian", Search: "gradient",
			Set: map[string]string{"select": "0.1", "per_class": "yes"}},
		"width": {Method: "l2-svm", Kernel: "ard-gaussian", Search: "gradient", Set: map[string]string{"select": "0.1", "sigma": "1"}},
	} {
		var u *UsageError
		if err := Check(r); !errors.As(err, &u) || len(u.Problems) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
