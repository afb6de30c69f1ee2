package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/task"
)

// What a fit is asked for, and what it tells on its way; see package task.
type (
	// Recipe is everything a fit is asked for. The zero Recipe is `mercer fit DATA`.
	Recipe = task.Recipe
	// View is a named part of the columns, whose graph is joined with the others.
	View = task.View
	// Input is what a fit learns from.
	Input = task.Input
	// Options are what a fit does not depend on: limits and listeners.
	Options = task.Options
	// Progress is one step of a fit.
	Progress = task.Progress
	// Listener hears what a fit does on its way to the result.
	Listener = task.Listener
	// Evaluation is one point that was scored.
	Evaluation = task.Evaluation
	// UsageError is a request that cannot be met whatever the data.
	UsageError = task.UsageError
	// SetError is a fault of another set than the one learned from.
	SetError = task.SetError
	// Tuning says how the hyper-parameters were chosen.
	Tuning = choose.Tuning
	// Fresh is a score over several draws of the folds.
	Fresh = choose.Fresh
	// FrontPart is some points of the front of one width.
	FrontPart = choose.Part
)

// What a fit has found; see package answer.
type (
	// Result is what a fit found, in the shape of `fit --json`.
	Result = answer.Result
	// FrontResult is what `pareto --json` prints.
	FrontResult = answer.FrontResult
	// FrontMember is one function of the front.
	FrontMember = answer.FrontMember
	// Foreseen is what a fit was expected to cost.
	Foreseen = answer.Foreseen
	// BasisState is what became of a number of centres that was asked for, or chosen.
	BasisState = answer.BasisState
	// BasisPoint is one number of centres that was tried.
	BasisPoint = answer.BasisPoint
	// RowCounts counts the rows by their part in the fit.
	RowCounts = answer.RowCounts
	// Member is one machine of an averaged model.
	Member = answer.Member
	// Baseline is the supervised machine beside a semi-supervised one.
	Baseline = answer.Baseline
	// Interval is what new answers of a regression lie in.
	Interval = answer.Interval
	// Estimate is the error to expect on rows that a fit has not learned from.
	Estimate = answer.Estimate
	// ClassEstimate is one class of an Estimate.
	ClassEstimate = answer.ClassEstimate
	// Metric holds the measures of one set of rows, by name.
	Metric = answer.Metric
	// Certificate says how exactly the fitted machine solves its problem.
	Certificate = answer.Certificate
	// GraphState describes the graph of a semi-supervised fit.
	GraphState = answer.GraphState
	// ClusterState says what all rows showed of clusters.
	ClusterState = answer.ClusterState
	// ViewState shows each view of a model of several.
	ViewState = answer.ViewState
	// Balance is the share of each class among labels and predictions.
	Balance = answer.Balance
	// Splits summarises a run over several splits of one file.
	Splits = answer.Splits
	// DriftState says whether rows look like those that a model was learned from.
	DriftState = answer.DriftState
	// Moved is a distribution that is another one now.
	Moved = answer.Moved
	// SplitBaseline is the baseline's part of Splits.
	SplitBaseline = answer.SplitBaseline
	// Seconds are wall-clock times.
	Seconds = answer.Seconds
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
func Drift(ctx context.Context, m *model.Model, rows data.Rows) (*DriftState, error) {
	return answer.Drift(ctx, m, rows)
}

// Views shows each view of a model of several views on rows, and on those that have an answer its measures; nil of
// other models.
func Views(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (*ViewState, error) {
	labels, _, err := answer.Known(m, answers)
	if err != nil {
		return nil, err
	}
	return answer.Views(ctx, m, rows, map[string]data.Labels{"labelled": labels})
}
