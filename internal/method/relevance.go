package method

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

const (
	// relevantColumns is the number of columns up to which a race tries a width for each: an evaluation costs
	// rows^2 x columns flops, and the rows must be many more than the widths.
	relevantColumns = 200
	// relevanceSteps is the number of evaluations of the search.
	relevanceSteps = 40
)

// relevance returns what finds a width for each column on rows that the first round did not see: the
// gradient search of the closed leave-one-out score of least squares. Machines of other losses on this
// kernel then enter the race.
func relevance(t *task.Task) (func(context.Context, *learn.Problem) ([]*design.Entrant, error), bool) {
	d := t.Problem.Rows.Dim()
	if t.Problem.Rows.IsSparse() || d < 2 || d > relevantColumns || t.Recipe.Kernel != "" || len(t.Request.Kernel) > 0 {
		return nil, false
	}
	return func(ctx context.Context, rows *learn.Problem) ([]*design.Entrant, error) {
		base := kernel.ARDGaussian{}.Adapt(t.Problem.Rows)
		f := &leastSquares{LeaveOut: score.LeaveOut{
			Kernel: base, Problem: rows, Work: new(kernel.Work), Criterion: relevanceScore(t), Offset: t.Labels.Task == data.Regression,
		}, terms: score.Averaged{Labelled: float64(len(rows.Labelled)), Scale: 1}}
		space := f.Space()
		driver := search.Driver{Budget: relevanceSteps, OnEval: func(r search.Record) { t.Progressed("widths", r.N, relevanceSteps, r.F) }}
		theta, err := share.One(ctx, t.Options.Share, "widths", func(ctx context.Context) ([]float64, error) {
			found, err := driver.Run(ctx, f, byGradient("gradient", space, space.Defaults(), enough))
			return found.Theta, err
		})
		if err != nil {
			return nil, err
		}
		k, err := base.With(theta[:len(base.Space())])
		if err != nil {
			return nil, err
		}
		var list []kernel.Kernel
		for _, by := range []float64{0.5, 1, 2} {
			wide, err := design.Widened(k, by)
			if err != nil {
				return nil, err
			}
			list = append(list, wide)
		}
		return entrants(t, list), nil
	}, true
}

// relevanceScore is smooth.
func relevanceScore(t *task.Task) score.Criterion {
	if t.Labels.Task == data.Regression {
		return score.Press{}
	}
	return score.LogLoss{}
}
