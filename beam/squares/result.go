package squares

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// result describes the fit as mercer fit does.
func (f *fitting) result(m *model.Model) *result.Result {
	fit, rows := f.Plan.Fits[f.best], f.Part.Sums.N
	res := f.Result(m)
	res.Params[task.Lambda.Name] = fit.Lambda / float64(rows)
	res.Tuning = &result.Tuning{Score: f.by.Name, Value: f.value(), Evaluations: 1, Search: "auto", Status: "complete"}
	res.Certificate = &result.Certificate{Objective: fit.Objective / float64(rows), Residual: fit.Residual}
	if m.Residuals != nil {
		answer.TellInterval(res, m.Residuals, f.leaving())
	}
	f.measure(res)
	return res
}

// value is the score of what was chosen.
func (f *fitting) value() float64 {
	switch {
	case f.by.GCV:
		return f.path.GCV(f.Plan.Fits[f.best])
	case f.by.None:
		return 0
	}
	return f.left.Scores[f.best].by(f.by.Criterion)
}

// leaving says how rows were left out.
func (f *fitting) leaving() string {
	if f.Plan.Folds == nil {
		return answer.Leaving(0)
	}
	return answer.Leaving(f.Plan.Folds.K)
}

// measure adds the error on the rows of the fit, and the one to expect on others.
func (f *fitting) measure(res *result.Result) {
	d, n := f.detail(), float64(f.Rows())
	rows := f.left.Scores[f.best].Rows
	out := float64(rows)
	if f.Labels.Task == data.Classification {
		wrong := float64(f.left.Scores[f.best].Wrong) / out
		res.Estimate = answer.Moments{Task: f.Labels.Task, Rows: rows, Mean: wrong}.Estimate(answer.Usual, f.leaving(), f.by.None)
		caught, classes := 0.0, 0.0
		for k, rows := range d.ClassRows {
			if rows > 0 {
				caught += float64(d.Caught[k]) / float64(rows)
				classes++
			}
		}
		res.Metrics["labelled"] = result.Metric{"error": float64(d.SeenWrong) / n, "balanced_accuracy": caught / classes}
		return
	}
	mean := d.Squares / out
	variance := max(0, d.Fourth/out-mean*mean) * out / max(out-1, 1)
	losses := answer.Moments{Task: f.Labels.Task, Rows: rows, Mean: mean, Variance: variance}
	res.Estimate = losses.Estimate(answer.Usual, f.leaving(), f.by.None)
	metric := result.Metric{"rmse": math.Sqrt(d.Seen / n), "mae": d.SeenAbs / n}
	if d.Deviations > 0 {
		metric["r2"] = 1 - d.Seen/d.Deviations
	}
	res.Metrics["labelled"] = metric
}

// numbers lists the first few numbers of many.
func numbers(list []int) string {
	const most = 5
	var b []string
	for _, v := range list[:min(len(list), most)] {
		b = append(b, strconv.Itoa(v))
	}
	return more(b, len(list))
}

// some lists the first few names of many.
func some(list []string) string { return more(list[:min(len(list), 3)], len(list)) }

// more joins the first few of so many.
func more(first []string, all int) string {
	text := strings.Join(first, ", ")
	if all > len(first) {
		text += fmt.Sprintf(" and %d more", all-len(first))
	}
	return text
}

// plural is a number of things.
func plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// are says how many there are, as a subject with its verb.
func are(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}
