package fit

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// Splits fits once for each split; mercer.FitSplits says what it returns.
func Splits(ctx context.Context, set *data.Set, splits [][]int, r result.Recipe, o result.Options) (*result.Result, error) {
	set = named(result.Input{Set: set}).Set
	if err := checkSet(set); err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		return nil, fmt.Errorf("%s: no split to run", set.Source)
	}
	start := time.Now()
	o.TimeLimit /= time.Duration(len(splits)) // of all splits together
	var first *result.Result
	var done []SplitMetrics
	for i, keep := range splits {
		opt := o
		if o.Progress != nil {
			opt.Progress = func(p result.Progress) {
				p.Stage = fmt.Sprintf("split %d of %d", i+1, len(splits))
				o.Progress(p)
			}
		}
		res, err := Split(ctx, set, keep, r, opt)
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

// Split fits one split: keep are the rows whose labels are kept, and the metrics of the others are in Result.Metrics under hidden.
func Split(ctx context.Context, set *data.Set, keep []int, r result.Recipe, o result.Options) (*result.Result, error) {
	if err := checkSet(set); err != nil {
		return nil, err
	}
	for _, i := range keep {
		if i < 0 || i >= len(set.Answers) {
			return nil, fmt.Errorf("%s: row %d of a split, where %d rows have answers; number rows from 0", set.Source, i,
				len(set.Answers))
		}
	}
	in := result.Input{Set: new(data.Set)}
	*in.Set = *set
	in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	whole, err := Interpret(set, r)
	if part, unread := Interpret(in.Set, r); err == nil && unread == nil && part.Task != whole.Task {
		r.Task = whole.Task.String() // few labels might be taken for classes where all are numbers
	}
	_, res, err := Fit(ctx, in, r, o)
	return res, err
}

// SplitMetrics is what one split adds to the summary of several: the metrics of its hidden rows by the machine, and by its
// baseline where there is one beside it, else nil.
type SplitMetrics struct{ Hidden, Baseline result.Metric }

// SplitMetricsOf takes them from the result of a split.
func SplitMetricsOf(res *result.Result) SplitMetrics {
	m := SplitMetrics{Hidden: res.Metrics["hidden"]}
	if res.Baseline != nil {
		m.Baseline = res.Baseline.Metrics["hidden"]
	}
	return m
}

// Summarise puts the summary of the splits that are done, in their order, into the result of the first, and the time that was
// foreseen for all of them.
func Summarise(first *result.Result, done []SplitMetrics) {
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
