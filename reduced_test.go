package mercer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// A sample has all labelled rows and as many others as make up its size, with what is hidden of them.
func TestSampled(t *testing.T) {
	in := few(t, "two-moons:n=9000", 5)
	part, ok := sampled(in, Recipe{})
	if !ok || part.Set.Rows.Len() != sampledRows || part.whole.Set != in.Set {
		t.Fatalf("sampled %v: %d rows", ok, part.Set.Rows.Len())
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
	if labelled != 10 || hidden != sampledRows-10 {
		t.Errorf("%d labelled and %d hidden rows", labelled, hidden)
	}
	again, _ := sampled(in, Recipe{Seed: 1})
	other, _ := sampled(in, Recipe{Seed: 2})
	if !slices.Equal(again.Hidden, part.Hidden) || slices.Equal(other.Hidden, part.Hidden) {
		t.Error("the sample is not that of the seed")
	}
	for name, r := range map[string]Recipe{"exact": {Set: map[string]string{"exact": "true"}}, "supervised": {Method: "rls"}} {
		if _, ok := sampled(in, r); ok {
			t.Errorf("%s: sampled", name)
		}
	}
	if _, ok := sampled(few(t, "two-moons:n=8000", 5), Recipe{}); ok {
		t.Error("8000 rows: sampled")
	}
	many := few(t, "two-moons:n=9000", 1300)
	if _, ok := sampled(many, Recipe{}); ok {
		t.Error("2600 labelled rows: sampled")
	}
	if _, ok := reducing(9000, 2600, Recipe{}); !ok {
		t.Error("2600 labelled rows: not reduced to landmarks")
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
	want, n, err := Evaluate(m, in.Set.Rows, in.Hidden)
	if err != nil || n != 8960 || res.Metrics["hidden"]["error"] != want["error"] {
		t.Errorf("hidden error %v, of the model on all %d rows %v, %v", res.Metrics["hidden"], n, want, err)
	}
	in.Hidden = nil // as of a file of which nobody knows more labels
	if _, res, err = Fit(context.Background(), in, Recipe{Method: "lap-rls", Tune: "none", Set: map[string]string{"sigma": "0.3", "gamma_a": "1e-6", "gamma_i": "0", "neighbours": "2", "degree": "1"}}, Options{}); err != nil || res.Metrics["hidden"] != nil {
		t.Errorf("without hidden answers: %v, %v", err, res)
	}
	if want["error"] > 0.2 {
		t.Errorf("hidden error %g", want["error"])
	}
}
