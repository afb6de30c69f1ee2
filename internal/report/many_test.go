package report

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestManyRowsOnAMap: up to two thousand rows without a label have a dot each, more are thinned, which the caption says.
func TestManyRowsOnAMap(t *testing.T) {
	m := linearModel(data.Classification, []string{"a", "b"}, mat.NewDense(2, 1, []float64{1, 1}))
	for rows, want := range map[int]string{2001: " Small dots are rows without a label.",
		2002: " Small dots are rows without a label, one of 2 of them.",
		4001: " Small dots are rows without a label, one of 2 of them.", 4002: " Small dots are rows without a label, one of 3 of them.", 1: ""} {
		set := &data.Set{Rows: data.Rows{Dense: mat.NewDense(rows, 2, nil)}, Answers: make(data.Answers, rows)}
		set.Answers[0] = "a"
		for i := range rows {
			set.Rows.Dense.Set(i, 0, float64(i%7))
			set.Rows.Dense.Set(i, 1, float64(i%5)-3)
		}
		f, err := decisionMap(t.Context(), m, set)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f.Caption, "the large marks are the labelled rows."+want) {
			t.Errorf("%d rows: %s", rows, f.Caption)
		}
	}
}

// TestMembersOfAStack: a stack says of each member the error on rows left out, the others their score and parameters.
func TestMembersOfAStack(t *testing.T) {
	some := func(v float64) *float64 { return &v }
	r := &Run{Data: "d", Result: &mercer.Result{Method: "auto", Kernel: "stack", Task: "regression", Members: []result.Member{
		{Method: "rls", Kernel: "linear", Weight: 1, Error: some(4), Score: 7}, {Method: "rls", Kernel: "gaussian", Weight: 3, Error: some(2)}}}}
	text := rendered(t, page(t, r))
	for _, want := range []string{"error left out", "rls, gaussian", "75.0\u00a0%", "25.0\u00a0%"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of a stack is without %q", want)
		}
	}
	if strings.Contains(text, "neighbours") {
		t.Error("members of a stack have no neighbours")
	}
	if first, second := strings.Index(text, "rls, gaussian"), strings.Index(text, "rls, linear"); first > second {
		t.Error("the member of most weight does not come first")
	}
}
