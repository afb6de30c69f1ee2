package mercer

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// FitSplits fits once for each split of a fully labelled set: the labels of the
// split's rows are kept, the others hidden. It returns the first split's result
// with Splits, the means and standard deviations (divisor count - 1) of the
// hidden metrics over the splits. When the context ends the result is of the splits that are complete, and an error if
// none is.
func FitSplits(ctx context.Context, set *data.Set, splits [][]int, r Recipe, o Options) (*Result, error) {
	if len(splits) == 0 {
		return nil, fmt.Errorf("%s: no split to run", set.Source)
	}
	start := time.Now()
	var first *Result
	hidden, base := map[string][]float64{}, map[string][]float64{}
	done := 0
	compared := false // some split has a baseline beside it
	for i, keep := range splits {
		in := Input{Set: new(data.Set)}
		*in.Set = *set
		in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
		opt := o
		if o.Progress != nil {
			opt.Progress = func(p Progress) {
				p.Stage = fmt.Sprintf("split %d of %d", i+1, len(splits))
				o.Progress(p)
			}
		}
		_, res, err := Fit(ctx, in, r, opt)
		if first != nil && ctx.Err() != nil {
			break // what was fitted of this split is not what was asked for
		}
		if err != nil {
			return nil, fmt.Errorf("split %d: %w", i+1, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done++
		for name, v := range res.Metrics["hidden"] {
			hidden[name] = append(hidden[name], v)
		}
		supervised := res.Metrics["hidden"] // where the fit fell back to its baseline
		if res.Baseline != nil {
			supervised, compared = res.Baseline.Metrics["hidden"], true
		}
		for name, v := range supervised {
			base[name] = append(base[name], v)
		}
		if first == nil {
			first = res
		}
	}
	if done < len(splits) {
		first.Warnings = append(first.Warnings, fmt.Sprintf("interrupted after %d of %d splits", done, len(splits)))
	}
	first.Splits = &Splits{Count: done, Hidden: meanStd(hidden), Each: errorOf(hidden)}
	if compared {
		first.Splits.Baseline = &SplitBaseline{Hidden: meanStd(base), Each: errorOf(base)}
	}
	first.Seconds = Seconds{Total: time.Since(start).Seconds()}
	first.Forecast.Seconds *= float64(done)
	return first, nil
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
