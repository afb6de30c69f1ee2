package mercer

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// FitSplits fits once for each split of a fully labelled set: the labels of the
// split's rows are kept, the others hidden. It returns the first split's result
// with Splits, the means and standard deviations (divisor count - 1) of the
// hidden metrics over the splits. When the context ends the result is of the splits that are complete, and an error if
// none is.
func FitSplits(ctx context.Context, set *data.Set, splits [][]int, r Recipe, o Options) (*Result, error) {
	if err := given(set); err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		return nil, fmt.Errorf("%s: no split to run", set.Source)
	}
	start := time.Now()
	var first *Result
	var done []SplitMetrics
	for i, keep := range splits {
		opt := o
		if o.Progress != nil {
			opt.Progress = func(p Progress) {
				p.Stage = fmt.Sprintf("split %d of %d", i+1, len(splits))
				o.Progress(p)
			}
		}
		res, err := FitSplit(ctx, set, keep, r, opt)
		if first != nil && ctx.Err() != nil {
			break // what was fitted of this split is not what was asked for
		}
		if err != nil {
			return nil, fmt.Errorf("split %d: %w", i+1, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done = append(done, SplitMetricsOf(res))
		if first == nil {
			first = res
		}
	}
	if len(done) < len(splits) {
		first.Warnings = append(first.Warnings, fmt.Sprintf("interrupted after %d of %d splits", len(done), len(splits)))
	}
	Summarise(first, done)
	first.Seconds = result.Seconds{Total: time.Since(start).Seconds()}
	return first, nil
}

// FitSplit fits one split: keep are the rows whose labels are kept, and the metrics of the others are in Result.Metrics under hidden.
func FitSplit(ctx context.Context, set *data.Set, keep []int, r Recipe, o Options) (*Result, error) {
	if err := given(set); err != nil {
		return nil, err
	}
	for _, i := range keep {
		if i < 0 || i >= len(set.Answers) {
			return nil, fmt.Errorf("%s: row %d of a split, where %d rows have answers; number rows from 0", named(set), i, len(set.Answers))
		}
	}
	in := Input{Set: new(data.Set)}
	*in.Set = *set
	in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	_, res, err := Fit(ctx, in, r, o)
	return res, err
}

// SplitMetrics is what one split adds to the summary of several: the metrics of its hidden rows by the machine, and by its
// baseline where there is one beside it, else nil.
type SplitMetrics struct{ Hidden, Baseline Metric }

// SplitMetricsOf takes them from the result of a split.
func SplitMetricsOf(res *Result) SplitMetrics {
	m := SplitMetrics{Hidden: res.Metrics["hidden"]}
	if res.Baseline != nil {
		m.Baseline = res.Baseline.Metrics["hidden"]
	}
	return m
}

// Summarise puts the summary of the splits that are done, in their order, into the result of the first, and the time that was
// foreseen for all of them.
func Summarise(first *Result, done []SplitMetrics) {
	hidden, base := map[string][]float64{}, map[string][]float64{}
	compared := false // some split has a baseline beside it
	for _, m := range done {
		for name, v := range m.Hidden {
			hidden[name] = append(hidden[name], v)
		}
		supervised := m.Hidden // where the fit fell back to its baseline
		if m.Baseline != nil {
			supervised, compared = m.Baseline, true
		}
		for name, v := range supervised {
			base[name] = append(base[name], v)
		}
	}
	first.Splits = &result.Splits{Count: len(done), Hidden: meanStd(hidden), Each: errorOf(hidden)}
	if compared {
		first.Splits.Baseline = &result.SplitBaseline{Hidden: meanStd(base), Each: errorOf(base)}
	}
	first.Forecast.Seconds *= float64(len(done))
}

// errorOf are the errors, of a regression the root mean square ones.
func errorOf(values map[string][]float64) []float64 {
	if e := values["error"]; e != nil {
		return e
	}
	return values["rmse"]
}

// meanStd turns lists of values into NAME_mean and NAME_std.
func meanStd(values map[string][]float64) map[string]float64 {
	out := map[string]float64{}
	for name, v := range values {
		var mean, ss float64
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			ss += (x - mean) * (x - mean)
		}
		out[name+"_mean"] = mean
		if len(v) > 1 {
			out[name+"_std"] = math.Sqrt(ss / float64(len(v)-1))
		}
	}
	return out
}
