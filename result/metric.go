package result

import (
	"maps"
	"math"
)

// Metric holds the measures of one set of rows, by name: error, balanced_accuracy,
// prbep, auc, log_loss, calibration_error; rmse, mae, r2, coverage_90.
type Metric map[string]float64

// Finite is the result without the metrics that are not numbers, as JSON takes it, where a key that does not apply is absent. A
// score without bound is the largest number.
func (r *Result) Finite() *Result {
	out := *r
	out.Metrics = finiteSets(r.Metrics)
	if r.Baseline != nil {
		b := *r.Baseline
		b.Metrics = finiteSets(b.Metrics)
		out.Baseline = &b
	}
	if r.Tuning != nil && unbounded(r.Tuning.Value) {
		t := *r.Tuning
		t.Value = math.MaxFloat64
		out.Tuning = &t
	}
	return &out
}

// Finite are the measures that are finite numbers, never nil.
func (m Metric) Finite() Metric {
	out := maps.Clone(m)
	if out == nil {
		out = Metric{}
	}
	maps.DeleteFunc(out, func(_ string, v float64) bool { return unbounded(v) })
	return out
}

func finiteSets(sets map[string]Metric) map[string]Metric {
	out := make(map[string]Metric, len(sets))
	for name, m := range sets {
		out[name] = m.Finite()
	}
	return out
}

func unbounded(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
