package mercer_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// whole is a built-in set with all its labels.
func whole(t *testing.T, name string) mercer.Input {
	t.Helper()
	set, err := data.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return mercer.Input{Set: set}
}

// withIn is a recipe of a class-wise graph, all of it set.
func withIn(method string) mercer.Recipe {
	return mercer.Recipe{Method: method, Tune: "kfold:3:inductive", Search: "grid", Scale: "none", Set: map[string]string{
		"within": "yes", "sigma": "1", "neighbours": "6", "degree": "2", "gamma_a": "0.001", "gamma_i": "0.5", "intrinsic_scale": "none",
		"weights": "binary"}}
}

// The score is that of training without the rows of each fold, and the graph described
// is the one without edges across classes.
func TestClassWiseGraphs(t *testing.T) {
	in := whole(t, "iris")
	labels, err := data.Interpret(in.Set.Answers, in.Set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := data.Folds(labels, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := learn.NewProblem(in.Set.Rows, labels)
	g := manifold.Graph{Recipe: graph.Recipe{Neighbours: 6, Degree: 2}}
	w := manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: manifold.Within{Graph: g, Class: p.Class}, Ratio: 500}
	s := score.Refit{Kernel: w, Learner: rls.Learner{}, Problem: p, Criterion: score.LogLoss{}, Folds: part.Groups(), Inductive: true}
	want, err := s.Eval(context.Background(), []float64{1, 500, 0.15}, param.ValueOnly)
	if err != nil {
		t.Fatal(err)
	}
	m, res := fitted(t, in, withIn("lap-rls"))
	if math.Abs(res.Tuning.Value-want.F) > 1e-6*want.F {
		t.Errorf("score %g, training without the folds gives %g", res.Tuning.Value, want.F)
	}
	built, err := g.Build(context.Background(), in.Set.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all, own := diagnose.Of(built, p.Labelled), diagnose.Of(built.Within(p.Class), p.Labelled); res.Graph.Edges != own.Edges ||
		own.Edges >= all.Edges ||
		res.Graph.Components < 3 {
		t.Errorf("%d edges in %d components, want %d of %d edges", res.Graph.Edges, res.Graph.Components, own.Edges, all.Edges)
	}
	if res.Params["within"] != "yes" || res.Params["neighbours"] != 6 || res.Params["degree"] != 2 {
		t.Errorf("parameters %v", res.Params)
	}
	if met, _, err := mercer.Evaluate(t.Context(), m, in.Set.Rows, in.Set.Answers); err != nil || met["error"] > 0.05 {
		t.Errorf("error %v of the rows trained on, %v", met["error"], err)
	}
	for _, method := range []string{"lap-svm", "lap-logistic"} {
		if _, res := fitted(t, in, withIn(method)); math.IsNaN(res.Tuning.Value) || res.Tuning.Value > 0.5 {
			t.Errorf("%s: score %g", method, res.Tuning.Value)
		}
	}
}

func TestClassWiseGraphsRefuse(t *testing.T) {
	iris, hidden := whole(t, "iris"), few(t, "iris", 8)
	with := func(change func(r *mercer.Recipe)) mercer.Recipe {
		r := withIn("lap-rls")
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		in     mercer.Input
		recipe mercer.Recipe
		usage  bool
		want   string
	}{
		"unlabelled":   {hidden, withIn("lap-rls"), false, "class-wise graphs need every row labelled"},
		"closed score": {iris, with(func(r *mercer.Recipe) { r.Tune = "loo:logloss" }), true, "Recipe.Tune kfold:5:inductive"},
		"folds":        {iris, with(func(r *mercer.Recipe) { r.Tune = "kfold:5" }), true, "Recipe.Tune kfold:5:inductive"},
		"auto":         {iris, with(func(r *mercer.Recipe) { r.Tune = "" }), true, "Recipe.Tune kfold:5:inductive"},
		"no graph": {iris, with(func(r *mercer.Recipe) { r.Method = "rls" }), true,
			"Recipe.Set within: method rls has no such setting; it is of lap-rls"},
		"combined":      {iris, with(func(r *mercer.Recipe) { r.Set["combine"] = "yes" }), true, "leave one of them out"},
		"no word":       {iris, with(func(r *mercer.Recipe) { r.Set["within"] = "maybe" }), true, "choose yes or no"},
		"numbers":       {iris, with(func(r *mercer.Recipe) { r.Task = "regression" }), true, "within=yes: the targets are numbers"},
		"sqp inductive": {iris, with(func(r *mercer.Recipe) { r.Search = "sqp" }), true, "Recipe.Search sqp with Recipe.Tune"},
	} {
		_, _, err := mercer.Fit(context.Background(), c.in, c.recipe, mercer.Options{})
		var u *mercer.UsageError
		if err == nil || errors.As(err, &u) != c.usage || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// --search sqp is the route of weights that end at zero exactly, and serves where gradient does.
func TestSearchSQP(t *testing.T) {
	in := few(t, "two-moons:n=120,noise=0.1,seed=2", 12)
	for _, method := range []string{"c-lap-rls", "rls", "lap-rls"} {
		_, res := fitted(t, in, mercer.Recipe{Method: method, Search: "sqp", Budget: 60})
		_, other := fitted(t, in, mercer.Recipe{Method: method, Search: "gradient", Budget: 60})
		if res.Tuning.Search != "sqp" || res.Tuning.Value > other.Tuning.Value+0.05 {
			t.Errorf("%s: score %g by %s, %g by gradient", method, res.Tuning.Value, res.Tuning.Search, other.Tuning.Value)
		}
		mu, ok := res.Params["mu"].([]float64)
		if ok != (method == "c-lap-rls") {
			t.Errorf("%s: weights %v", method, mu)
		}
		zeros := 0
		for _, m := range mu {
			if m == 0 {
				zeros++
			}
		}
		if ok && zeros == 0 {
			t.Errorf("%s: no weight of %v is zero", method, mu)
		}
	}
}
