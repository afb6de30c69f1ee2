package answer

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Usual is the level of the interval that a fit prints and measures; a model has intervals of any level.
const Usual = 0.9

// covered is the name of the share of rows within intervals of the usual level.
const covered = "coverage_90"

// residuals are the errors of a regression on the rows left out; nil of a classification, or where fewer than two rows
// were left out.
func (a *Answer) residuals(c *choose.Choice) *model.Residuals {
	if a.Task.Problem.Task != data.Regression {
		return nil
	}
	judged, out := a.leftOut(c)
	errs := make([]float64, len(judged))
	for q, i := range judged {
		errs[q] = a.Task.Problem.Y.At(i, 0) - out.At(q, 0)
	}
	r, err := model.NewResiduals(errs)
	if err != nil {
		return nil
	}
	return &r
}

// describeInterval says which interval new answers lie in, or that there were too few rows for it.
func (a *Answer) describeInterval(res *result.Result, m *model.Model) {
	if m.Residuals != nil {
		TellInterval(res, m.Residuals, a.leaving())
	}
}

// TellInterval says which interval new answers lie in by the errors of rows that were left out so, or that these were too few for it.
func TellInterval(r *result.Result, of *model.Residuals, from string) {
	lower, upper, err := of.Interval(Usual)
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("there are no intervals of level %g: they need %d rows left out, and there were %d; "+
			"ask mercer predict for --interval %g at most, or label more rows", Usual, model.RowsFor(Usual), of.Rows, of.Most()))
		return
	}
	r.Interval = &result.Interval{Level: Usual, Lower: lower, Upper: upper, Rows: of.Rows, From: from}
}

// leaving says how rows were left out. Of rows in order the last are held out.
func (a *Answer) leaving() string {
	how := Leaving(len(a.Task.Folds))
	if a.Task.Labels.Order != nil && len(a.Task.Folds) == 1 {
		return "forward " + how
	}
	return how
}

// Leaving says how rows were left out, in so many folds: 0, one by one; 1, held out.
func Leaving(folds int) string {
	switch k := folds; k {
	case 0:
		return "leave-one-out"
	case 1:
		return "hold-out"
	default:
		return fmt.Sprintf("%d folds", k)
	}
}

// coverage is the share of rows whose answer lies within the interval of the usual level around the model's output;
// NaN without such intervals.
func coverage(m *model.Model, got, want []float64) float64 {
	lower, upper, err := m.Interval(Usual)
	if err != nil {
		return math.NaN()
	}
	within := 0
	for i, y := range want {
		if got[i]+lower <= y && y <= got[i]+upper {
			within++
		}
	}
	return float64(within) / float64(len(want))
}
