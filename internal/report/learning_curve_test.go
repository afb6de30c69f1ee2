package report

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/result"
)

// The caption says whether the error still falls by more than its intervals tell, which are drawn to scale; a fit without parts or an
// estimate has no curve.
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
	f := run(0.11).learningCurve()
	var log recorder.Canvas
	w, h := f.dims()
	f.draw(draw.NewCanvas(&log, w, h))
	var whiskers []float64
	upright := false
	for _, a := range log.Actions {
		switch a := a.(type) {
		case *recorder.SetLineWidth:
			upright = a.Width == 1.2
		case *recorder.Stroke:
			if upright {
				whiskers = append(whiskers, float64(a.Path[1].Pos.Y-a.Path[0].Pos.Y))
			}
		}
	}
	if len(whiskers) != 3 || math.Abs(whiskers[0]-whiskers[1]) > 1e-6 || math.Abs(whiskers[0]-5*whiskers[2]) > 1e-6 || whiskers[2] < 1 {
		t.Errorf("intervals of 20, 20 and 4 %% have lines of %v", whiskers)
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
