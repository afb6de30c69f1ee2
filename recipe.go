package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// What a fit is asked for, and what it tells. Package result declares these and all parts of them: `go doc
// github.com/mercer-ml/mercer/result.Result` shows the fields.
type (
	// Recipe is everything a fit is asked for. The zero Recipe is `mercer fit DATA`.
	Recipe = result.Recipe
	// View is a named part of the columns, whose graph is joined with the others.
	View = result.View
	// Input is what a fit learns from.
	Input = result.Input
	// Options are what a fit does not depend on: limits and listeners.
	Options = result.Options
	// Progress is one step of a fit.
	Progress = result.Progress
	// Listener hears what a fit does on its way to the result.
	Listener = result.Listener
	// Evaluation is one point that was scored.
	Evaluation = result.Evaluation
	// UsageError is a request that cannot be met whatever the data.
	UsageError = result.UsageError
	// SetError is a fault of another set than the one learned from.
	SetError = result.SetError
	// Result is what a fit found, in the shape of `fit --json`.
	Result = result.Result
	// FrontResult is what `pareto --json` prints.
	FrontResult = result.FrontResult
	// Forecast is what a fit will cost, said before it starts.
	Forecast = result.Forecast
	// Metric holds the measures of one set of rows, by name.
	Metric = result.Metric
)

// Evaluate predicts the rows that have an answer and measures the predictions. It returns the
// number of rows measured; nil and 0 without any.
func Evaluate(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (Metric, int, error) {
	return answer.Evaluate(ctx, m, rows, answers)
}

// Check reports everything in a recipe that is no valid choice, that its method does not have, or
// that has no meaning together, with the remedy, as one *UsageError.
func Check(r Recipe) error {
	return fitting().fault(fit.Check(r))
}
