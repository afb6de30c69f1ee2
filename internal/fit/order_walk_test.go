package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// fitInOrder fits rows in order by a recipe, half of whose labels are hidden where the method is for such rows.
func fitInOrder(t *testing.T, r result.Recipe) (*result.Result, error) {
	t.Helper()
	m, _ := method.Find(r.Method)
	set := drifting(60, m.For != data.Regression)
	if m.Supports(nil).Graph {
		for i := 0; i < 60; i += 3 {
			set.Answers[i] = ""
		}
	}
	_, res, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
	return res, err
}

// TestMethodsInOrder: every method looks forward, which its estimate says, or is refused in words that name --order or what it needs.
func TestMethodsInOrder(t *testing.T) {
	for _, m := range method.All() {
		if m.Supports(nil).Views { // --order and views exclude each other
			continue
		}
		res, err := fitInOrder(t, result.Recipe{Method: m.ID})
		switch {
		case err != nil && judgedHeldOut(m):
			t.Errorf("%s: %v", m.ID, err)
		case err != nil:
			if !strings.Contains(err.Error(), "--order: method "+m.ID) {
				t.Errorf("%s: %v", m.ID, err)
			}
		case m.Supports(nil).Front && m.Has(task.Decide.Key()) && res.Estimate == nil:
			if res.Tuning.Score != "cv" {
				t.Errorf("%s: its member is chosen by %s", m.ID, res.Tuning.Score)
			}
		case res.Estimate == nil || res.Estimate.From != "forward hold-out" || !strings.HasPrefix(res.Tuning.Score, "holdout:"):
			t.Errorf("%s: score %s, estimate %+v", m.ID, res.Tuning.Score, res.Estimate)
		}
	}
}

// TestScoresInOrder: every --tune and every --decision looks forward, judges nothing, or is refused in words that name --order.
func TestScoresInOrder(t *testing.T) {
	for _, s := range task.Scores() {
		word := strings.NewReplacer(":K", ":4", ":SHARE", ":0.25").Replace(s.ID)
		for _, id := range []string{"auto", "rls", "svm"} {
			res, err := fitInOrder(t, result.Recipe{Method: id, Tune: word})
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), "--order with --tune "+word) {
					t.Errorf("%s --tune %s: %v", id, word, err)
				}
			case word == "none" && res.Estimate == nil:
			case res.Estimate == nil || res.Estimate.From != "forward hold-out":
				t.Errorf("%s --tune %s: estimate %+v", id, word, res.Estimate)
			}
		}
	}
	for _, word := range method.Decisions() {
		word = strings.Replace(word, ":K", ":4", 1)
		_, err := fitInOrder(t, result.Recipe{Method: "mobj-rbf", Decision: word})
		head, _, _ := strings.Cut(word, ":")
		forward := slices.Contains([]string{"cv", "validation"}, head)
		if forward && err != nil || !forward && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("--order with --decision %s:", word))) {
			t.Errorf("--decision %s: %v", word, err)
		}
	}
}
