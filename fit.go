package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/model"
)

// Fit learns from labelled and unlabelled rows, tuning included. Cancelling the context ends the tuning and fits the best machine so far,
// which Result.Tuning.Status says; an error means that there is no model. Errors of type *UsageError are the recipe's, others the data's.
// Errors, warnings and guesses name fields where the program names flags. With Recipe.CV the fit is repeated for outer folds, and
// Options.TimeLimit is shared out to all of these fits.
func Fit(ctx context.Context, in Input, r Recipe, o Options) (*model.Model, *Result, error) {
	m, res, err := fit.Fit(ctx, in, r, o)
	return m, fitting().result(res), fitting().fault(err)
}

// Pareto makes the whole front of risk against complexity and chooses one member of it: the
// member number pick, counted from 1, or the one that the recipe's decision chooses if pick is 0.
// The model returned is that member, and keeps the front. Cancelling the context keeps the
// members that no other one beats so far. Errors are as of Fit.
func Pareto(ctx context.Context, in Input, r Recipe, o Options, pick int) (*model.Model, *FrontResult, error) {
	m, front, err := fit.Pareto(ctx, in, r, o, pick)
	if front != nil {
		front.Warnings = fitting().texts(front.Warnings)
	}
	return m, front, fitting().fault(err)
}

// FitSplits fits once for each split of a fully labelled set: the labels of the
// split's rows are kept, the others hidden. It returns the first split's result
// with Splits, the means and standard deviations (divisor count - 1) of the
// hidden metrics over the splits. When the context ends the result is of the splits that are complete, and an error if
// none is. Options.TimeLimit is shared out to the splits.
func FitSplits(ctx context.Context, set *data.Set, splits [][]int, r Recipe, o Options) (*Result, error) {
	res, err := fit.Splits(ctx, set, splits, r, o)
	return fitting().result(res), fitting().fault(err)
}

// ForecastFit says what a fit will cost, by the form of its method that suits the number of rows.
// It returns the zero Forecast for a recipe that Check refuses.
func ForecastFit(in Input, r Recipe, o Options) Forecast { return fit.Forecast(in, r, o) }
