package mercer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/task"
)

// A sample has all labelled rows and as many others as make up its size, with what is hidden of
// them; which form learns is decided by the number of rows, and of labelled ones.
func TestSampled(t *testing.T) {
	in := few(t, "two-moons:n=9000", 5)
	const size = 4000
	part := task.Sample(in, size, 1)
	if part.Set.Rows.Len() != size {
		t.Fatalf("%d rows", part.Set.Rows.Len())
	}
	labelled, hidden := 0, 0
	for i, a := range part.Set.Answers {
		if !data.IsUnlabelled(a) {
			labelled++
		}
		if part.Hidden[i] != "" {
			hidden++
		}
	}
	if labelled != 10 || hidden != size-10 {
		t.Errorf("%d labelled and %d hidden rows", labelled, hidden)
	}
	again, other := task.Sample(in, size, 1), task.Sample(in, size, 2)
	if !slices.Equal(again.Hidden, part.Hidden) || slices.Equal(other.Hidden, part.Hidden) {
		t.Error("the sample is not that of the seed")
	}
	for name, c := range map[string]struct {
		in   Input
		r    Recipe
		form string
	}{
		"few labels":         {in, Recipe{}, "sample"},
		"exact":              {in, Recipe{Set: map[string]string{"exact": "true"}}, "tables"},
		"supervised":         {in, Recipe{Method: "rls"}, "tables"},
		"8000 rows":          {few(t, "two-moons:n=8000", 5), Recipe{}, "tables"},
		"2600 labels":        {few(t, "two-moons:n=9000", 1300), Recipe{}, "landmarks"},
		"conjugate gradient": {in, Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"solver": "cg"}}, "matrix-free"},
	} {
		if got := ForecastFit(c.in, c.r, Options{}).Form; got != c.form {
			t.Errorf("%s: form %s, want %s", name, got, c.form)
		}
	}
}

// A fit on a sample counts and measures all rows, and says what it did.
func TestFitOnSample(t *testing.T) {
	in := few(t, "two-moons:n=9000", 20)
	m, res, err := Fit(context.Background(), in, Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{
		"sigma": "0.3", "gamma_a": "1e-6", "gamma_i": "100", "neighbours": "8", "degree": "2",
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Rows.Unlabelled != 8960 || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "exact=true") {
		t.Errorf("%d unlabelled rows, warnings %q", res.Rows.Unlabelled, res.Warnings)
	}
	want, n, err := Evaluate(t.Context(), m, in.Set.Rows, in.Hidden)
	if err != nil || n != 8960 || res.Metrics["hidden"]["error"] != want["error"] {
		t.Errorf("hidden error %v, of the model on all %d rows %v, %v", res.Metrics["hidden"], n, want, err)
	}
	in.Hidden = nil // as of a file of which nobody knows more labels
	if _, res, err = Fit(context.Background(), in, Recipe{Method: "lap-rls", Tune: "none",
		Set: map[string]string{"sigma": "0.3", "gamma_a": "1e-6", "gamma_i": "0"}}, Options{}); err != nil ||
		res.Metrics["hidden"] != nil {
		t.Errorf("without hidden answers: %v, %v", err, res)
	}
	if want["error"] > 0.2 {
		t.Errorf("hidden error %g", want["error"])
	}
}
