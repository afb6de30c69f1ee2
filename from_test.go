package mercer

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// With nothing new to learn the machines of a model are made again: those of a design decide all rows alike, a searched one has the same
// parameters and outputs.
func TestFromTheSameRows(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		r     Recipe
		exact bool
	}{
		{Recipe{}, false}, {Recipe{Method: "lap-rls"}, false}, {Recipe{Method: "svm"}, false},
		{Recipe{Method: "lap-rls", Search: "gradient", Budget: 30}, true},
		{Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"neighbours": "7"}}, true},
		{Recipe{Method: "harmonic"}, true},
	} {
		in := few(t, "two-moons:n=120", 15)
		m, res, err := Fit(ctx, in, c.r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := From(m)
		if err != nil {
			t.Fatal(err)
		}
		again, now, err := Fit(ctx, in, r, Options{})
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if now.Tuning != nil && res.Tuning != nil && now.Tuning.Evaluations > res.Tuning.Evaluations {
			t.Errorf("%+v: %d evaluations after %d", c.r, now.Tuning.Evaluations, res.Tuning.Evaluations)
		}
		a, err := m.Predict(ctx, in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.Predict(ctx, in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Decide(a), again.Decide(b)) {
			t.Errorf("%+v: rows are decided otherwise", c.r)
		}
		for i := range in.Set.Rows.Len() {
			if d := math.Abs(a.At(i, 0) - b.At(i, 0)); c.exact && d > 1e-6*(1+math.Abs(a.At(i, 0))) {
				t.Fatalf("%+v: row %d: %v, then %v", c.r, i, a.At(i, 0), b.At(i, 0))
			}
		}
	}
}

// More labels for the same rows: fewer machines are compared, all of them of the model's, and the answer is as good.
func TestFromMoreLabels(t *testing.T) {
	ctx := context.Background()
	m, before, err := Fit(ctx, few(t, "two-moons:n=200", 20), Recipe{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := From(m)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var same Recipe
	if err := json.Unmarshal(text, &same); err != nil || !slices.Equal(same.Candidates, before.Candidates) {
		t.Fatalf("%s: %v", text, err)
	}
	_, res, err := Fit(ctx, few(t, "two-moons:n=200", 30), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := res.Tuning.Evaluations; n > len(before.Candidates) || n >= before.Tuning.Evaluations {
		t.Errorf("%d machines, the model had %d of %d", n, len(before.Candidates), before.Tuning.Evaluations)
	}
	_, plain, err := Fit(ctx, few(t, "two-moons:n=200", 30), Recipe{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e, want := res.Metrics["hidden"]["error"], plain.Metrics["hidden"]["error"]; e > want+0.02 {
		t.Errorf("hidden error %v, of a fit from nothing %v", e, want)
	}
	for _, name := range res.Candidates {
		if !slices.Contains(before.Candidates, name) {
			t.Errorf("%s is none of the model's", name)
		}
	}
	// Candidates that the design for these rows does not have are said, and all are compared.
	r.Candidates = []string{"nothing"}
	_, res, err = Fit(ctx, few(t, "two-moons:n=100", 5), r, Options{})
	if err != nil || len(res.Warnings) == 0 || res.Tuning.Evaluations < 20 {
		t.Errorf("unknown candidates: %v, %+v", err, res)
	}
	r = Recipe{Method: "lap-rls", Search: "gradient", Candidates: before.Candidates}
	if _, _, err = Fit(ctx, few(t, "two-moons:n=100", 5), r, Options{}); err == nil {
		t.Error("candidates of a method that compares none are ignored")
	}
}

// A race enters the machine that won the last one, and its neighbours.
func TestFromARace(t *testing.T) {
	slowtest.Only(t, "it is two races over thousands of rows")
	ctx := context.Background()
	set, err := data.Builtin("two-moons:n=2600,noise=0.3")
	if err != nil {
		t.Fatal(err)
	}
	m, before, err := Fit(ctx, Input{Set: set.Select(numbered(2300))}, Recipe{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := From(m)
	if err != nil || len(r.Candidates) != 1 {
		t.Fatalf("%v, %v", r.Candidates, err)
	}
	_, res, err := Fit(ctx, Input{Set: set}, r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Tuning.Evaluations >= before.Tuning.Evaluations/2 || res.Tuning.Value > before.Tuning.Value+0.02 {
		t.Errorf("%+v after %+v", res.Tuning, before.Tuning)
	}
}

// numbered are the numbers below n.
func numbered(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Classes with parameters of their own are searched anew, rather than all given those of one; where the number of centres was left to the
// fit it is again.
func TestFromOwnParameters(t *testing.T) {
	m, res, err := Fit(t.Context(), few(t, "iris", 4), Recipe{Method: "rls", Search: "random", Budget: 3,
		Set: map[string]string{"per_class": "yes"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := From(m); err != nil || len(res.Params) == 0 || len(r.Set) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	in := few(t, "two-moons:n=60", 10)
	if m, _, err = Fit(t.Context(), in, Recipe{Method: "lap-rls", Basis: "auto"}, Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := From(m)
	if err != nil || r.Basis != "auto" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, again, err := Fit(t.Context(), in, r, Options{}); err != nil || again.Basis == nil || again.Basis.Sizes == nil {
		t.Errorf("%+v: %v", r, err)
	}
}

// The weights of several graphs are kept, as every other parameter.
func TestFromWeightsOfGraphs(t *testing.T) {
	in := few(t, "two-moons:n=60", 10)
	m, res, err := Fit(t.Context(), in, Recipe{Method: "c-lap-rls", Budget: 2, Set: map[string]string{"neighbours": "4,8", "degree": "1"}},
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := From(m)
	if err != nil {
		t.Fatal(err)
	}
	_, again, err := Fit(t.Context(), in, r, Options{})
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	was, now := res.Params["mu"].([]float64), again.Params["mu"].([]float64)
	if r.Set["mu"] == "" || len(now) != 2 || math.Abs(now[0]-was[0]) > 1e-12 || math.Abs(now[1]-was[1]) > 1e-12 {
		t.Errorf("%v, then %v by %+v", was, now, r)
	}
}
