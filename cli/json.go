package cli

import (
	"maps"
	"math"

	"github.com/mercer-ml/mercer"
)

// finite returns r without the metrics that are not numbers: JSON has none, and
// a key that does not apply is absent.
func finite(r *mercer.Result) *mercer.Result {
	out := *r
	out.Metrics = finiteMetrics(r.Metrics)
	if r.Baseline != nil {
		b := *r.Baseline
		b.Metrics = finiteMetrics(b.Metrics)
		out.Baseline = &b
	}
	if r.Tuning != nil && unbounded(r.Tuning.Value) {
		t := *r.Tuning
		t.Value = math.MaxFloat64
		out.Tuning = &t
	}
	return &out
}

func finiteMetrics(sets map[string]mercer.Metric) map[string]mercer.Metric {
	out := make(map[string]mercer.Metric, len(sets))
	for name, m := range sets {
		out[name] = finiteMetric(m)
	}
	return out
}

func finiteMetric(m mercer.Metric) mercer.Metric {
	m = maps.Clone(m)
	if m == nil {
		m = mercer.Metric{}
	}
	maps.DeleteFunc(m, func(_ string, v float64) bool { return unbounded(v) })
	return m
}

func unbounded(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
