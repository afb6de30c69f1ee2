package answer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Evaluate predicts the rows that have an answer and measures the predictions:
// error and balanced_accuracy, the mean recall of the classes; for two classes prbep and auc; log_loss and
// calibration_error where the model has probabilities; for regression rmse, mae, r2 and coverage_90, the share of answers within
// intervals of level 0.9, where the model has these. Measures that the rows do not
// determine are absent. Answers of a class never seen in training count as
// errors. It returns the number of rows measured; nil and 0 without any.
func Evaluate(ctx context.Context, m *model.Model, rows data.Rows, answers data.Answers) (result.Metric, int, error) {
	if n := rows.Len(); answers != nil && len(answers) != n {
		return nil, 0, fmt.Errorf("%d answers of %d rows; give one for each row, empty where none is known", len(answers), n)
	}
	labels, _, err := Known(m, answers)
	if err != nil {
		return nil, 0, err
	}
	idx := answered(labels)
	if len(idx) == 0 {
		return nil, 0, nil
	}
	out, err := predict(ctx, m, rows, idx)
	if err != nil {
		return nil, 0, err
	}
	met, err := measure(m, out, labels, idx)
	return met, len(idx), err
}

// predict are the outputs on the rows idx; a row without a finite one is numbered among all.
func predict(ctx context.Context, m *model.Model, rows data.Rows, idx []int) (*mat.Dense, error) {
	out, err := m.Predict(ctx, rows.Select(idx))
	var far *model.RowError
	if errors.As(err, &far) {
		err = &model.RowError{Row: idx[far.Row], What: far.What}
	}
	return out, err
}

// Known understands answers by the classes of a model and counts those it has never seen.
// For a model of one class every answer but -1 is that class, as it was in its fit.
func Known(m *model.Model, answers data.Answers) (labels data.Labels, unseen map[string]int, err error) {
	known := data.Labels{Task: m.Task, Classes: m.Classes}
	if one, _ := method.Find(m.Method); !one.Coding.OneClass {
		return known.Of(answers)
	}
	own := slices.Clone(answers)
	for i, a := range own {
		if !data.IsUnlabelled(a) && data.ClassName(a) != "-1" {
			own[i] = "1"
		}
	}
	return known.Of(own)
}

// answered lists the rows with an answer, classes never seen included.
func answered(l data.Labels) []int {
	var idx []int
	for i := range l.Len() {
		if l.Task == data.Regression && !math.IsNaN(l.Value[i]) || l.Task == data.Classification && l.Class[i] != data.Unlabelled {
			idx = append(idx, i)
		}
	}
	return idx
}

// measure compares outputs, one row each of idx, with the labels of those rows.
func measure(m *model.Model, out *mat.Dense, labels data.Labels, idx []int) (result.Metric, error) {
	n, _ := out.Dims()
	if n != len(idx) {
		panic(fmt.Sprintf("mercer: %d outputs for %d rows", n, len(idx)))
	}
	met := result.Metric{}
	set := func(name string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			met[name] = v
		}
	}
	if m.Task == data.Regression {
		got, want := mat.Col(nil, 0, out), make([]float64, n)
		for q, i := range idx {
			want[q] = labels.Value[i]
		}
		set("rmse", metric.RMSE(got, want))
		set("mae", metric.MAE(got, want))
		set("r2", metric.R2(got, want))
		set(covered, coverage(m, got, want))
		return met, nil
	}
	class := make([]int, n)
	unseen := false
	for q, i := range idx {
		class[q] = labels.Class[i]
		unseen = unseen || class[q] < 0
	}
	decided := m.Decide(out)
	set("error", metric.Error(decided, class))
	if unseen {
		return met, nil
	}
	set("balanced_accuracy", metric.BalancedAccuracy(metric.Confusion(decided, class, len(m.Classes))))
	if len(m.Classes) == 2 {
		scored, positive := mat.Col(nil, 0, out), make([]bool, n)
		for q, k := range class {
			positive[q] = k == 1
		}
		if slices.Contains(positive, true) && slices.Contains(positive, false) {
			set("prbep", metric.PRBEP(scored, positive))
		}
		set("auc", metric.AUC(scored, positive))
	}
	if m.HasProbabilities() {
		p, err := m.Probabilities(out)
		if err != nil {
			return nil, err
		}
		rows := make([][]float64, n)
		for q := range rows {
			rows[q] = p.RawRowView(q)
		}
		set("log_loss", metric.LogLoss(rows, class))
		set("calibration_error", metric.CalibrationError(rows, class))
	}
	return met, nil
}
