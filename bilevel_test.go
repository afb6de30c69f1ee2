package mercer

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func builtin(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := data.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A search by gradients of a machine with a smooth loss ends below the score of its start
// and of the best width for all, says what other folds say, and which features count.
func TestFitBilevel(t *testing.T) {
	set := builtin(t, "wine")
	for _, r := range []Recipe{
		{Method: "l2-svm", Kernel: "ard-gaussian"},
		{Method: "svm", Kernel: "gaussian", Multiclass: "one-vs-rest", Set: map[string]string{"loss": "quartic", "loss_width": "0.4",
			"outer": "mse"}},
		{Method: "logistic", Kernel: "ard-linear"},
		{Method: "svm", Kernel: "gaussian", Set: map[string]string{"loss": "modlog", "outer": "squared-hinge"}, Search: "rprop"},
		{Method: "l2-svm", Kernel: "gaussian", Set: map[string]string{"per_class": "yes"}},
		{Method: "rls", Kernel: "ard-gaussian", Tune: "loo:logloss"},
	} {
		if r.Tune == "" {
			r.Tune = "kfold:3"
		}
		r.Scale, r.Budget = "standard", 25
		if r.Search == "" {
			r.Search = "gradient"
		}
		m, res, err := Fit(context.Background(), Input{Set: set}, r, Options{})
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if res.Tuning.Evaluations < 3 || math.IsNaN(res.Tuning.Value) {
			t.Errorf("%+v: %+v", r, res.Tuning)
		}
		if r.Set["per_class"] == "" && (res.Tuning.Fresh == nil || res.Tuning.Fresh.Draws != 4) {
			t.Errorf("%+v: other folds are %v", r, res.Tuning.Fresh)
		}
		if len(res.Relevance) < 2 {
			t.Errorf("%+v: relevance %v", r, res.Relevance)
		}
		if met, _, err := Evaluate(t.Context(), m, set.Rows, set.Answers); err != nil || met["error"] > 0.03 {
			t.Errorf("%+v: error %v of the rows trained on, %v", r, met["error"], err)
		}
	}
}

func TestBilevelUsage(t *testing.T) {
	set := builtin(t, "iris")
	for name, r := range map[string]Recipe{
		"hinge":          {Method: "svm", Search: "gradient"},
		"rprop of hinge": {Method: "lap-svm", Search: "rprop"},
		"width of hinge": {Method: "svm", Set: map[string]string{"loss_width": "0.1"}},
		"outer word":     {Method: "l2-svm", Set: map[string]string{"outer": "hinge"}},
		"outer of gcv":   {Method: "rls", Tune: "gcv", Set: map[string]string{"outer": "mse"}},
		"error count":    {Method: "l2-svm", Tune: "loo:error", Search: "gradient"},
		"per class":      {Method: "l2-svm", Set: map[string]string{"per_class": "yes"}},
	} {
		var u *UsageError
		if _, _, err := Fit(context.Background(), Input{Set: set}, r, Options{}); !errors.As(err, &u) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FISTA in the place of Newton's method finds the same machine.
func TestFitAccelerated(t *testing.T) {
	set := builtin(t, "iris")
	var objective [3]float64
	for i, solver := range []string{"", "fista", "fista-restart"} {
		r := Recipe{Method: "l2-svm", Kernel: "linear", Scale: "standard", Tune: "none", Set: map[string]string{"C": "0.1"}}
		if solver != "" {
			r.Set["solver"] = solver
		}
		_, res, err := Fit(context.Background(), Input{Set: set}, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		objective[i] = res.Certificate.Objective
		if math.Abs(objective[i]-objective[0]) > 1e-9*objective[0] {
			t.Errorf("%s: objective %.12g, Newton's method %.12g", solver, objective[i], objective[0])
		}
	}
	for _, r := range []Recipe{
		{Method: "svm", Set: map[string]string{"solver": "fista"}},
		{Method: "rls", Set: map[string]string{"solver": "fista-restart"}},
		{Method: "l2-svm", Set: map[string]string{"solver": "fast"}},
	} {
		var u *UsageError
		if err := Check(r); !errors.As(err, &u) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
