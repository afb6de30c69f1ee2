package report

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/result"
)

// The caption says whether the error still falls by more than its intervals tell; a fit without parts or an estimate has no curve.
func TestLearningCurve(t *testing.T) {
	run := func(half float64) *Run {
		return &Run{
			Result: &mercer.Result{
				Rows:     result.RowCounts{Labelled: 200},
				Estimate: &result.Estimate{Measure: "error", Error: 0.10, Low: 0.08, High: 0.12},
			},
			Curve: []Share{{50, 0.30, 0.2, 0.4}, {100, half, 0.1, 0.3}},
		}
	}
	for half, want := range map[float64]string{0.15: "still falls", 0.11: "may help little", 0.09: "falls no more"} {
		f := run(half).learningCurve()
		if f == nil || !strings.Contains(f.Caption, want) {
			t.Fatalf("half of the labels %g: %+v", half, f)
		}
		if len(f.Data.Rows) != 3 || f.Data.Rows[2][0] != "200" || !strings.Contains(f.Alt, "30") || !strings.Contains(f.Alt, "200") {
			t.Errorf("rows %v, text %q", f.Data.Rows, f.Alt)
		}
	}
	without := run(0.1)
	without.Curve = nil
	if without.learningCurve() != nil {
		t.Error("a curve of one point")
	}
	without = run(0.1)
	without.Result.Estimate = nil
	if without.learningCurve() != nil {
		t.Error("a curve without an estimate")
	}
}
