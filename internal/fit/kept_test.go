package fit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/result"
)

const moons = "two-moons:n=40,noise=0.3"

// TestFitsAreAsTheyWere: what fits say and predict of rows in groups, in order, with weights and copies, of folds around the whole fit, of
// a smaller basis, and of what is refused.
func TestFitsAreAsTheyWere(t *testing.T) {
	cases := fittest.Cases(t,
		fittest.On{Spec: moons, Recipes: []string{"rls --cv 3", "svm --cv 2 --tune none", "auto --cv 2 --budget 3", "rls --basis auto"}},
		fittest.On{Spec: moons, Each: 6, Recipes: []string{"lap-rls --cv 2", "lap-rls --scale standard --tune none", "svm --scale minmax"}},
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"rls --cv 2", "svm", "da-s3vm", "mobj-rbf --task classification"}},
	)
	rows := func(text string) []fittest.Case {
		return fittest.Cases(t, fittest.On{Spec: moons, Recipes: []string{text}})
	}
	for _, text := range []string{"rls", "svm --budget 3", "auto --budget 3", "rls --tune loo:press", "rls --tune kfold:3", "rls --cv 2"} {
		cases = append(cases, fittest.Changed(rows(text), "in groups", func(s *data.Set) {
			for i := range s.Answers {
				s.Group = append(s.Group, string(rune('a'+i%7)))
			}
		})...)
		cases = append(cases, fittest.Changed(rows(text), "in order", func(s *data.Set) {
			for i := range s.Answers {
				s.Order = append(s.Order, float64(i*7%40/2))
			}
		})...)
		cases = append(cases, fittest.Changed(rows(text), "with copies", func(s *data.Set) {
			x := s.Rows.Dense.RawMatrix()
			half := mat.NewDense(x.Rows, x.Cols, nil)
			for i := range x.Rows {
				half.SetRow(i, s.Rows.Dense.RawRowView(i/2))
			}
			s.Rows, s.Answers = data.Rows{Dense: half}, slices.Clone(s.Answers)
			for i := range s.Answers {
				s.Answers[i] = s.Answers[i/2*2]
			}
		})...)
	}
	for _, text := range []string{"rls", "lap-rls", "linear-svm --tune none", "harmonic"} {
		cases = append(cases, fittest.Changed(rows(text), "with weights", func(s *data.Set) {
			for i := range s.Answers {
				s.Weight = append(s.Weight, float64(1+i%3))
			}
		})...)
		cases = append(cases, fittest.Changed(rows(text), "with weights of rows without a label", func(s *data.Set) {
			s.Answers = slices.Clone(s.Answers)
			for i := range s.Answers {
				if s.Weight = append(s.Weight, float64(1+i%3)); i%4 == 1 {
					s.Answers[i] = ""
				}
			}
		})...)
	}
	cases = append(cases, fittest.Changed(rows("rls"), "with too few answers", func(s *data.Set) { s.Answers = s.Answers[:7] })...)
	cases = append(cases, fittest.Changed(rows("rls"), "without rows", func(s *data.Set) { s.Rows, s.Source = data.Rows{}, "" })...)
	fittest.Keep(t, "fits", cases)
}

// TestSplitsAreAsTheyWere: the metrics of several splits, their means and standard deviations, what is told on the way and refused.
func TestSplitsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	set, err := data.Builtin(moons)
	if err != nil {
		t.Fatal(err)
	}
	splits := [][]int{{0, 1, 2, 3, 30, 31}, {4, 5, 6, 7, 8, 39}, {10, 11, 20, 21, 35, 36}}
	for _, text := range []string{"lap-rls --tune none", "rls", "svm --tune none", "rls --task regression"} {
		told := map[string]bool{}
		o := result.Options{Progress: func(p result.Progress) { told[p.Stage] = true }}
		res, err := fit.Splits(t.Context(), set, splits, fittest.Asked(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(text, len(told), res.Seconds.Tune+res.Seconds.Fit)
		p.Object("  splits", res.Splits, 9)
		one, err := fit.Split(t.Context(), set, splits[1], fittest.Asked(t, text), result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Object("  the second", one.Metrics, 9)
		first := &result.Result{Forecast: &result.Foreseen{Seconds: 2}}
		fit.Summarise(first, []fit.SplitMetrics{fit.SplitMetricsOf(one), {Hidden: result.Metric{"error": 0.5, "rmse": 2}}})
		p.Add("  foreseen", first.Forecast.Seconds)
		p.Object("  both", first.Splits, 9)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := result.Options{Progress: func(p result.Progress) {
		if strings.HasPrefix(p.Stage, "split 2") {
			cancel()
		}
	}}
	res, err := fit.Splits(ctx, set, splits, fittest.Asked(t, "rls"), o)
	if err != nil || res.Splits.Count != 1 || !slices.Contains(res.Warnings, "interrupted after 1 of 3 splits") {
		t.Errorf("interrupted in the second: %+v, %v", res, err)
	}
	if _, err := fit.Splits(t.Context(), nil, splits, fittest.Asked(t, "rls"), result.Options{}); err == nil {
		t.Error("splits of no set")
	}
	for _, splits := range [][][]int{nil, {{0, 40}}, {{0, 1, 30}, {-1}}, {{0, 1, 30}, {0, 1}}} {
		_, err := fit.Splits(t.Context(), set, splits, fittest.Asked(t, "rls"), result.Options{})
		p.Add("refused", fmt.Sprint(err))
	}
	p.Compare(t, "splits")
}

// TestBoundsOfFits: more memory than is allowed is refused before anything is computed, a limit of time is shared by the folds of a fit,
// and its end is said.
func TestBoundsOfFits(t *testing.T) {
	in := fittest.Rows(t, moons, 0)
	if _, _, err := fit.Fit(t.Context(), in, fittest.Asked(t, "rls"), result.Options{Memory: 1000}); err == nil {
		t.Error("a thousand bytes are enough")
	}
	if _, _, err := fit.Pareto(t.Context(), in, fittest.Asked(t, "mobj-rbf"), result.Options{Memory: 1000}, 0); err == nil {
		t.Error("a thousand bytes are enough for a front")
	}
	for _, text := range []string{"svm --budget 100000 --search random", "svm --budget 100000 --search random --cv 2"} {
		var res *result.Result
		err := context.DeadlineExceeded
		for limit := 90 * time.Millisecond; errors.Is(err, context.DeadlineExceeded); limit *= 2 { // a busy machine trains none in time
			_, res, err = fit.Fit(t.Context(), in, fittest.Asked(t, text), result.Options{TimeLimit: limit})
		}
		if err != nil || res.Tuning.Status != "time limit" {
			t.Errorf("%s: %+v, %v", text, res, err)
		}
	}
}

// TestSizesAndFoldsStopWhereTheyAsk: a choice of the number of centres, and a fit that folds repeat, say so where they are stopped, or
// keep the best so far.
func TestSizesAndFoldsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 8, Recipes: []string{
			"rls sigma=1 lambda=0.1 --basis auto", "rls sigma=1 lambda=0.1 choose=greedy --basis auto", "rls sigma=1 lambda=0.1 --cv 2",
		}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 5, Recipes: []string{"mobj-svm C=1,4 sigma=0.5,1"}},
	), "model.Expansion.add", "shrink.(*Distillation).hinge")
}
