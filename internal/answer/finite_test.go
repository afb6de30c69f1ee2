package answer

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/result"
)

// What JSON has no number for is left out, a score without bound is the largest number, and the result itself stays as it is.
func TestFinite(t *testing.T) {
	whole := &result.Result{
		Metrics:  map[string]result.Metric{"labelled": {"error": 0, "auc": math.NaN(), "log_loss": math.Inf(1)}},
		Baseline: &result.Baseline{}, Tuning: &result.Tuning{Value: math.Inf(1)},
	}
	r := whole.Finite()
	if len(r.Metrics["labelled"]) != 1 || r.Baseline.Metrics == nil || r.Tuning.Value != math.MaxFloat64 {
		t.Errorf("%v, %v, %v", r.Metrics, r.Baseline.Metrics, r.Tuning.Value)
	}
	if len(whole.Metrics["labelled"]) != 3 || whole.Baseline.Metrics != nil || !math.IsInf(whole.Tuning.Value, 1) {
		t.Errorf("changed to %+v", whole)
	}
}
