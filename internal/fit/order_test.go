package fit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestForward: the rows of every outer fold are later than all that it learns from, folds have no row twice, and each learns from the
// labelled rows before it.
func TestForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(3, 60).Draw(t, "rows"), rapid.IntRange(2, 5).Draw(t, "folds")
		l := data.Labels{Task: data.Regression, Value: make([]float64, n), Order: make([]float64, n)}
		for i := range n {
			if l.Value[i] = 1; rapid.IntRange(0, 3).Draw(t, "labelled") == 0 {
				l.Value[i] = math.NaN()
			}
			l.Order[i] = float64(rapid.IntRange(0, 50).Draw(t, "place"))
		}
		places := map[float64]bool{}
		for _, i := range l.Labelled() {
			places[l.Order[i]] = true
		}
		seen := map[int]bool{}
		for q := range k {
			train, fold, err := forward(l, k, q)
			if err != nil {
				if len(l.Labelled()) == n && len(places) == n && n > k {
					t.Fatal(err)
				}
				return
			}
			last, first := math.Inf(-1), math.Inf(1)
			for _, i := range train {
				last = max(last, l.Order[i])
			}
			for _, i := range fold {
				first = min(first, l.Order[i])
				if seen[i] || slices.Contains(train, i) {
					t.Fatalf("row %d is judged twice, or learned from", i)
				}
				seen[i] = true
			}
			if len(train) == 0 || len(fold) == 0 || last >= first {
				t.Fatalf("fold %d of %d: learns up to %g, is judged from %g", q, k, last, first)
			}
		}
	})
}

// TestLookForward: the score of rows in order is that of the last ones; what looks back is wrong usage with a remedy.
func TestLookForward(t *testing.T) {
	in := result.Input{Set: &data.Set{Order: []float64{1, 2, 3}}}
	for _, tune := range []string{"", "auto", "holdout:0.3", "none"} {
		r, err := lookForward(in, result.Recipe{Method: "rls", Tune: tune})
		want := tune
		if tune == "" || tune == "auto" {
			want = "holdout:0.2"
		}
		if err != nil || r.Tune != want {
			t.Errorf("--tune %q: %q, %v", tune, r.Tune, err)
		}
	}
	var usage *result.UsageError
	for _, r := range []result.Recipe{{Tune: "kfold:5"}, {Tune: "loo:press"}, {Tune: "gcv"}, {Method: "one-class"}} {
		if _, err := lookForward(in, r); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if r, err := judgedBy(in, result.Recipe{Method: "mobj-rbf"}); err != nil || r.Tune != "" {
		t.Errorf("a front has no score: %q, %v", r.Tune, err)
	}
	in.Set.Group = []string{"a", "b", "c"}
	if _, err := lookForward(in, result.Recipe{}); !errors.As(err, &usage) {
		t.Errorf("in groups: %v", err)
	}
}
