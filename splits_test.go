package mercer_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// TestSplitsBaseline: means and deviations over splits are those of single fits, also of the
// baseline, whose number is the fit's own where that fell back to it.
func TestSplitsBaseline(t *testing.T) {
	set := whole(t, "iris").Set
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var splits [][]int
	var own, base []float64
	fell := 0
	for seed := range uint64(3) {
		keep, err := data.DrawPerClass(labels, 4, seed+1)
		if err != nil {
			t.Fatal(err)
		}
		splits = append(splits, keep)
		in := mercer.Input{Set: new(data.Set)}
		*in.Set = *set
		in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
		_, res := fitted(t, in, mercer.Recipe{})
		e := res.Metrics["hidden"]["error"]
		own = append(own, e)
		if res.Baseline == nil {
			fell++
		} else {
			e = res.Baseline.Metrics["hidden"]["error"]
		}
		base = append(base, e)
	}
	if fell == 0 || fell == 3 || slices.Equal(own, base) {
		t.Fatalf("errors %v, baseline %v: the splits show nothing", own, base)
	}
	var stages []string
	res, err := mercer.FitSplits(context.Background(), set, splits, mercer.Recipe{}, mercer.Options{Progress: func(p mercer.Progress) {
		if !slices.Contains(stages, p.Stage) {
			stages = append(stages, p.Stage)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"split 1 of 3", "split 2 of 3", "split 3 of 3"}; !slices.Equal(stages, want) {
		t.Errorf("progress %q", stages)
	}
	s := res.Splits
	for name, c := range map[string]struct {
		each, want []float64
		of         map[string]float64
	}{"own": {s.Each, own, s.Hidden}, "baseline": {s.Baseline.Each, base, s.Baseline.Hidden}} {
		mean := (c.want[0] + c.want[1] + c.want[2]) / 3
		var square float64
		for _, v := range c.want {
			square += (v - mean) * (v - mean)
		}
		if !slices.Equal(c.each, c.want) || math.Abs(c.of["error_mean"]-mean) > 1e-15 ||
			math.Abs(c.of["error_std"]-math.Sqrt(square/2)) > 1e-15 {
			t.Errorf("%s: %v, %v, want %v with mean %g", name, c.each, c.of, c.want, mean)
		}
	}
	if s.Count != 3 || res.Metrics["hidden"]["error"] != own[0] {
		t.Errorf("%d splits, the first with error %g", s.Count, res.Metrics["hidden"]["error"])
	}
}

// TestSplitsAlone: of one split there is no deviation, of a method without a graph no baseline, of
// a regression the root mean square errors; none, or one without both classes, is an error.
func TestSplitsAlone(t *testing.T) {
	set := whole(t, "iris").Set
	run := func(set *data.Set, r mercer.Recipe, splits ...[]int) (*mercer.Result, error) {
		return mercer.FitSplits(context.Background(), set, splits, r, mercer.Options{})
	}
	res, err := run(set, mercer.Recipe{Method: "rls"}, []int{0, 1, 50, 51, 100, 101})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := res.Splits.Hidden["error_std"]; ok || res.Splits.Baseline != nil || len(res.Splits.Each) != 1 {
		t.Errorf("%+v", res.Splits)
	}
	if _, err := run(set, mercer.Recipe{}); err == nil {
		t.Error("no split is run")
	}
	if _, err := run(set, mercer.Recipe{Method: "rls"}, []int{0, 50}, []int{0, 1}); err == nil ||
		!strings.HasPrefix(err.Error(), "split 2: ") {
		t.Errorf("%v", err)
	}
	sinc := whole(t, "sinc:n=60,noise=0.1,seed=2").Set
	keep := make([]int, 20)
	for i := range keep {
		keep[i] = 3 * i
	}
	res, err = run(sinc, mercer.Recipe{Method: "rls"}, keep)
	if err != nil || !slices.Equal(res.Splits.Each, []float64{res.Splits.Hidden["rmse_mean"]}) {
		t.Errorf("%+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = mercer.FitSplits(
		ctx,
		set,
		[][]int{{0, 50, 100}, {1, 51, 101}},
		mercer.Recipe{Method: "rls"},
		mercer.Options{Progress: func(mercer.Progress) { cancel() }},
	)
	if err == nil {
		t.Error("a run that was interrupted ends as if it were whole")
	}
}

// TestSplitsInterrupted: splits that are complete survive an interrupt, and without one there is an error.
func TestSplitsInterrupted(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	splits := [][]int{{0, 50, 100, 1, 51, 101}, {2, 52, 102, 3, 53, 103}, {4, 54, 104, 5, 55, 105}}
	r := mercer.Recipe{Method: "rls"}
	whole, err := mercer.FitSplits(t.Context(), set, splits[:1], r, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := mercer.Options{Progress: func(p mercer.Progress) {
		if strings.HasPrefix(p.Stage, "split 2") {
			cancel()
		}
	}}
	res, err := mercer.FitSplits(ctx, set, splits, r, o)
	if err != nil || res.Splits.Count != 1 || res.Splits.Each[0] != whole.Splits.Each[0] {
		t.Fatalf("%+v, %v", res, err)
	}
	if !slices.Contains(res.Warnings, "interrupted after 1 of 3 splits") {
		t.Errorf("%q", res.Warnings)
	}
	if _, err := mercer.FitSplits(ctx, set, splits, r, o); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before the first: %v", err)
	}
}
