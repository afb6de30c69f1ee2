package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestOneError: the first sentence of a report and the estimate below it tell one error with one interval, that of the fit.
func TestOneError(t *testing.T) {
	run := fitted(t, "iris", 150, mercer.Recipe{Method: "rls", Budget: 8})
	run.Judged = &Judged{Kind: "left out", Class: make([]int, 150), Given: make([]int, 150)}
	e := run.Result.Estimate
	if e == nil {
		t.Fatal("no estimate")
	}
	interval := fmt.Sprintf("%g %% confidence", 100*e.Level)
	for _, text := range []string{run.errorSentence(), estimateSentence(e)} {
		for _, part := range []string{measured("error", e.Error), interval} {
			if !strings.Contains(text, part) {
				t.Errorf("%q lacks %q", text, part)
			}
		}
	}
}

// TestRareClassIsTold: of unequal classes the one with fewest rows, with what is known of it.
func TestRareClassIsTold(t *testing.T) {
	recall, precision, other := 0.25, 0.5, 0.875
	rare := result.ClassEstimate{Class: "b", Rows: 8, Recall: &recall}
	all := func(c result.ClassEstimate) *result.Estimate {
		more := result.ClassEstimate{Class: "a", Rows: 90, Recall: &other}
		few := result.ClassEstimate{Class: "c", Rows: 9, Recall: &other}
		return &result.Estimate{Classes: []result.ClassEstimate{more, c, few}}
	}
	precise, unknown := rare, rare
	precise.Precision, unknown.Recall = &precision, nil
	const found = " Of 8 rows of the rare class b among them 25.0\u00a0% are found"
	for _, c := range []struct {
		e    *result.Estimate
		want string
	}{
		{&result.Estimate{}, ""}, {all(unknown), ""}, {all(rare), found + "."},
		{all(precise), found + ", and 50.0\u00a0% of the rows taken for it are right."},
	} {
		if got := leftOutSentence(c.e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestScoresAreExplained: every kind of score has its own words, and what is no score has none.
func TestScoresAreExplained(t *testing.T) {
	for id, want := range map[string]string{
		"loo:logloss": "the log loss", "loo:press": "half the sum", "loo:error": "the share of labelled rows", "kfold:error": "of their fold",
		"holdout:error": "set aside", "gcv": "generalised cross-validation", "bound:radius": "a bound", "loo:": "", "none": "", "x:gcv": "",
	} {
		if got := scoreMeaning(id); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// TestSmallThings: names that are missing are numbers, and dots are fainter where they are many.
func TestSmallThings(t *testing.T) {
	set := &data.Set{Features: []string{"width"}}
	for got, want := range map[any]any{
		feature(set, 0): "width", feature(set, 1): "feature 2", rowOpacity(500): 0.75, rowOpacity(501): 0.35, sentence(""): "",
	} {
		if got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
