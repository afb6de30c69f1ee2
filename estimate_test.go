package mercer_test

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestOuterFolds: the estimate of outer folds is that of fits by hand without the rows of each, and the model is the same
// as without them.
func TestOuterFolds(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	r := mercer.Recipe{Method: "rls", Kernel: "linear"}
	alone, _ := fitted(t, mercer.Input{Set: set}, r)
	nested := r
	nested.CV = 4
	m, res := fitted(t, mercer.Input{Set: set}, nested)
	labels, err := fit.Interpret(set, r)
	if err != nil {
		t.Fatal(err)
	}
	part, err := data.Folds(labels, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0.0
	for k := range 4 {
		var in, out []int
		for i, f := range part.Fold {
			if f == k {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		one, _ := fitted(t, mercer.Input{Set: set.Select(in)}, r)
		held := set.Select(out)
		met, n, err := mercer.Evaluate(t.Context(), one, held.Rows, held.Answers)
		if err != nil {
			t.Fatal(err)
		}
		wrong += math.Round(met["error"] * float64(n))
	}
	if e := res.Estimate; e == nil || math.Abs(e.Error-wrong/150) > 1e-12 || e.From != "4 outer folds" || !e.Corrected || e.Rows != 150 {
		t.Errorf("%+v, by hand %g of 150", e, wrong)
	}
	a, _ := alone.Predict(t.Context(), set.Rows)
	b, _ := m.Predict(t.Context(), set.Rows)
	for i := range 150 {
		if a.At(i, 0) != b.At(i, 0) {
			t.Fatalf("row %d: %g with outer folds, %g without", i, b.At(i, 0), a.At(i, 0))
		}
	}
}

// TestOuterFoldsInParts: folds that were judged one by one, in any order, make the estimate and the model of one fit, bit for bit.
func TestOuterFoldsInParts(t *testing.T) {
	in := few(t, "iris", 6)
	r := mercer.Recipe{Method: "rls", CV: 3}
	folds := make([][]float64, r.CV)
	for _, k := range []int{2, 0, 1} {
		var err error
		if folds[k], err = fit.OuterFold(t.Context(), in, r, mercer.Options{}, k); err != nil {
			t.Fatal(err)
		}
	}
	want, whole := fitted(t, in, r)
	got, res, err := mercer.Fit(t.Context(), in, r, mercer.Options{Folds: folds})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, got), encode(t, want)) || !reflect.DeepEqual(res.Estimate, whole.Estimate) ||
		res.Estimate.From != "3 outer folds" {
		t.Errorf("%+v, of one fit %+v", res.Estimate, whole.Estimate)
	}
	if _, _, err := mercer.Fit(t.Context(), in, r, mercer.Options{Folds: folds[:2]}); err == nil {
		t.Error("two folds of three")
	}
	r.CV = 19
	_, err = fit.OuterFold(t.Context(), in, r, mercer.Options{}, 0)
	if err == nil || !strings.Contains(err.Error(), "ask for 18 folds at most") {
		t.Error(err)
	}
}

// TestEstimateIsThere: every fit that leaves rows out says what to expect, and one that leaves none out does not.
func TestEstimateIsThere(t *testing.T) {
	in := few(t, "two-moons", 5)
	_, res := fitted(t, in, mercer.Recipe{})
	if e := res.Estimate; e == nil || e.From != "leave-one-out" || e.Measure != "error" || e.Rows != 10 ||
		!(e.Low <= e.Error && e.Error <= e.High) {
		t.Errorf("%+v", res.Estimate)
	}
	if _, res = fitted(t, in, mercer.Recipe{Method: "rls", Tune: "none"}); res.Estimate == nil || !res.Estimate.Corrected {
		t.Errorf("closed leave-one-out, and nothing chosen: %+v", res.Estimate)
	}
	if _, res = fitted(t, in, mercer.Recipe{Method: "svm", Tune: "none"}); res.Estimate != nil {
		t.Errorf("nothing is left out: %+v", res.Estimate)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, res, err := mercer.Fit(stopped, in, mercer.Recipe{Method: "svm", Tune: "none", CV: 2}, mercer.Options{})
	if err == nil && (res.Estimate != nil || !strings.Contains(strings.Join(res.Warnings, " "), "Recipe.CV 2 was interrupted after 0 folds")) {
		t.Errorf("interrupted: %+v, %q", res.Estimate, res.Warnings)
	}
}

// TestDecisions: thresholds move the decision and no probability, and the model keeps them.
func TestDecisions(t *testing.T) {
	set, err := data.Builtin("breast-cancer")
	if err != nil {
		t.Fatal(err)
	}
	taken := func(r mercer.Recipe) (second float64, m *model.Model) {
		r.Method, r.Kernel = "rls", "linear"
		m, _ = fitted(t, mercer.Input{Set: set}, r)
		m, err := model.Read(t.Context(), bytes.NewReader(encode(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Predict(t.Context(), set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Decide(out) {
			second += float64(k) / float64(set.Rows.Len())
		}
		return second, m
	}
	usual, plain := taken(mercer.Recipe{})
	half, _ := taken(mercer.Recipe{Decide: "rate=0.5"})
	dear, costly := taken(mercer.Recipe{Decide: "cost=20:1"})
	balanced, _ := taken(mercer.Recipe{Decide: "balanced"})
	if same, _ := taken(mercer.Recipe{Decide: "default"}); same != usual {
		t.Errorf("default decides %g for the second class, without it %g", same, usual)
	}
	if math.Abs(half-0.5) > 0.02 || dear >= usual || balanced >= usual {
		t.Errorf("usually %.3f, rate=0.5 %.3f, cost=20:1 %.3f, balanced %.3f", usual, half, dear, balanced)
	}
	out, _ := plain.Predict(t.Context(), set.Rows)
	p, err := plain.Probabilities(out)
	if err != nil {
		t.Fatal(err)
	}
	q, err := costly.Probabilities(out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Rows.Len() {
		if p.At(i, 1) != q.At(i, 1) {
			t.Fatalf("row %d: probability %g becomes %g", i, p.At(i, 1), q.At(i, 1))
		}
	}
	for _, c := range []struct {
		r    mercer.Recipe
		want string
	}{
		{mercer.Recipe{Decide: "cost=1:2:3"}, "there are 3 costs and 2 classes"},
		{mercer.Recipe{Decide: "often"}, "choose default, balanced"},
		{mercer.Recipe{Decide: "rate=2"}, "between 0 and 1"},
		{mercer.Recipe{Decide: "balanced", Tune: "none"}, "no row is left out"},
		{mercer.Recipe{Decide: "balanced", Method: "mobj-rbf"}, "no probabilities"},
	} {
		if _, _, err := mercer.Fit(t.Context(), mercer.Input{Set: set}, c.r, mercer.Options{}); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}

// TestEstimateUnderBounds: machines that a bound of the leave-one-out error has chosen are not chosen anew by another criterion: the
// estimate is that of the outputs that the bound leaves out, and the choice has flattered it.
func TestEstimateUnderBounds(t *testing.T) {
	for _, bound := range []string{"span", "xi-alpha"} {
		in := few(t, "two-moons:n=40,noise=0.5", 20)
		var left *mat.Dense
		var rows []int
		_, res, err := mercer.Fit(t.Context(), in, mercer.Recipe{Method: "svm", Tune: "bound:" + bound}, mercer.Options{
			Listen: mercer.Listener{LeftOut: func(r []int, out *mat.Dense) { rows, left = r, out }},
		})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0.0
		for q, i := range rows {
			if (left.At(q, 0) > 0) != (in.Set.Answers[i] == "1") {
				wrong++
			}
		}
		if e := res.Estimate; e == nil || e.Corrected || len(rows) != 40 || math.Abs(e.Error-wrong/40) > 1e-12 {
			t.Errorf("bound:%s: %+v, %g of %d rows are wrong", bound, e, wrong, len(rows))
		}
	}
}
