package report

import (
	"fmt"
	"math"
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

// TestTrivialOfEarlierRows: of rows held out the answer that needs no model is that of the others, by the error of the fit.
func TestTrivialOfEarlierRows(t *testing.T) {
	wrong := 0.9
	run := &Run{Result: &mercer.Result{Estimate: &result.Estimate{Measure: "error", Trivial: &wrong, From: "forward hold-out"}}}
	run.Judged = &Judged{Kind: "left out", Class: make([]int, 20), Given: make([]int, 20)}
	const want = "always saying the most frequent class of earlier rows would get about 90 wrong"
	if got := run.errorSentence(); !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
	run.Judged = &Judged{Kind: "left out", Value: []float64{7, 8}, Output: []float64{7, 7}}
	run.Result.Estimate.Measure = "rmse"
	if got := run.errorSentence(); !strings.Contains(got, "always saying the mean of earlier rows would be off by 0.9") {
		t.Errorf("%q", got)
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
	for _, c := range []struct{ got, want any }{
		{feature(set, 0), "width"}, {feature(set, 1), "feature 2"}, {rowOpacity(500), 0.75}, {rowOpacity(501), 0.35},
	} {
		if c.got != c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// TestWorthOfUnlabelledRows: the verdict is that of the two errors, and chance is named only where it is larger than their difference.
func TestWorthOfUnlabelledRows(t *testing.T) {
	const start, chance = "The 3 rows without a label ", ", a difference that chance alone explains."
	for _, c := range []struct {
		measure            string
		own, other, chance float64
		want               string
	}{
		{"error", 0.25, 0.5, math.NaN(), "helped: 25.0\u00a0% with them, 50.0\u00a0% without."},
		{"error", 0.25, 0.5, 0.25, "helped: 25.0\u00a0% with them, 50.0\u00a0% without."},
		{"error", 0.25, 0.5, 0.26, "helped: 25.0\u00a0% with them, 50.0\u00a0% without" + chance},
		{"error", 0.5, 0.25, 0.26, "did not help: 50.0\u00a0% with them, 25.0\u00a0% without" + chance},
		{"error", 0.5, 0.5, 0.1, "made no difference: 50.0\u00a0% with them, 50.0\u00a0% without."},
		{"rmse", 2, 1.5, math.NaN(), "did not help: 2 with them, 1.5 without."},
	} {
		if got := compared("3 rows", c.measure, c.own, c.other, c.chance); got != start+c.want {
			t.Errorf("%q, want %q", got, start+c.want)
		}
	}
}

// TestRowsThatWereNotUsed: only the automatic choice that is no race has tried machines that learn from rows without a label.
func TestRowsThatWereNotUsed(t *testing.T) {
	const tried, unused = "were tried and are no better", "were not used"
	for _, c := range []struct {
		method string
		race   []result.Raced
		want   string
	}{{"", nil, tried}, {"auto", nil, tried}, {"rls", nil, unused}, {"", []result.Raced{{Method: "rls"}}, unused}} {
		r := &Run{Recipe: mercer.Recipe{Method: c.method},
			Result: &mercer.Result{Method: "rls", Rows: result.RowCounts{Unlabelled: 3}, Race: c.race}}
		if got := r.unlabelledSentence(); !strings.Contains(got, c.want) {
			t.Errorf("method %q, race of %d: %s", c.method, len(c.race), got)
		}
	}
}

// TestJudgedInNumbers: means and spreads of judged rows, by hand.
func TestJudgedInNumbers(t *testing.T) {
	if v := deviation([]float64{1, 3, 8}); math.Abs(v-math.Sqrt(26./3)) > 1e-12 {
		t.Errorf("deviation %g", v)
	}
	if v := rootMeanSquare(&Judged{Value: []float64{1, 2}, Output: []float64{4, -2}}); v != math.Sqrt(12.5) {
		t.Errorf("root mean square %g", v)
	}
	if v := commonest(&Judged{Class: []int{2, 0, 2, 1}, Given: []int{0, 0, 0, 0}}); v != 0.5 {
		t.Errorf("commonest %g", v)
	}
}

// TestClustersAreTold: what the rows show without labels, and which machines then are part of the answer.
func TestClustersAreTold(t *testing.T) {
	for _, c := range []struct {
		state *result.ClusterState
		want  []string
	}{
		{nil, nil},
		{&result.ClusterState{Text: "they are two", Clusters: 2}, []string{"they are two."}},
		{&result.ClusterState{Text: "they are two", Clusters: 2, Used: true}, []string{"they are two.", "decide by clusters"}},
		{&result.ClusterState{Text: "they are flat", Used: true}, []string{"they are flat.", "on these directions alone"}},
	} {
		s := (&Run{Result: &mercer.Result{Clusters: c.state}}).clusters()
		if len(s.Blocks) != len(c.want) {
			t.Fatalf("%+v: %d blocks", c.state, len(s.Blocks))
		}
		for k, b := range s.Blocks {
			if !strings.Contains(b.Text, c.want[k]) {
				t.Errorf("%q, want %q", b.Text, c.want[k])
			}
		}
	}
}
