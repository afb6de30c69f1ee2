package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
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
	// Metric holds the measures of one set of rows, by name.
	Metric = result.Metric
)

// Evaluate predicts the rows that have an answer and measures the predictions. It returns the
// number of rows measured; nil and 0 without any.
func Evaluate(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (Metric, int, error) {
	return answer.Evaluate(ctx, m, rows, answers)
}

// Known understands answers by the classes of a model and counts those it has never seen.
func Known(m *model.Model, answers data.Answers) (data.Labels, map[string]int, error) {
	return answer.Known(m, answers)
}

// Check reports everything in a recipe that is no valid choice, that its method does not have, or
// that has no meaning together, with the remedy, as one *UsageError.
func Check(r Recipe) error {
	_, _, err := method.Read(r)
	return err
}

// Decisions are the words of Recipe.Decision.
func Decisions() []string { return method.Decisions() }

// DataTask is the task that a recipe asks for, in its field Task or by naming a method that has
// no other task.
func DataTask(r Recipe) data.Task {
	var kind data.Task
	if r.Task != "" {
		_ = kind.UnmarshalText([]byte(r.Task)) // Check reports a wrong word
	}
	if m, _ := method.Find(r.Method); kind == data.TaskAuto && m.For == data.Regression {
		kind = m.For
	}
	return kind
}

// Interpret understands the visible answers of a set as a fit with this recipe does.
func Interpret(set *data.Set, r Recipe) (data.Labels, error) {
	if set == nil {
		return data.Labels{}, given(nil)
	}
	m, _ := method.Find(r.Method)
	return task.Interpret(set, withTask(r, m), m.Coding.OneClass)
}

// withTask sets the task of the recipe to regression if its method learns nothing else. A method
// for classes alone does not turn numbers into classes: suits refuses them.
func withTask(r Recipe, m method.Method) Recipe {
	if (r.Task == "" || r.Task == "auto") && m.For == data.Regression {
		r.Task = m.For.String()
	}
	return r
}

// Bytes prints a number of bytes in the unit that suits it.
func Bytes(b int64) string { return method.Bytes(b) }

// Drift says whether rows look like those that a model was learned from; nil of a model that remembers nothing of them.
func Drift(ctx context.Context, m *model.Model, rows data.Rows) (*result.DriftState, error) {
	return m.Drift(ctx, rows)
}

// Views shows each view of a model of several views on rows, and on those that have an answer its measures; nil of
// other models.
func Views(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (*result.ViewState, error) {
	labels, _, err := answer.Known(m, answers)
	if err != nil {
		return nil, err
	}
	return answer.Views(ctx, m, rows, map[string]data.Labels{"labelled": labels})
}
