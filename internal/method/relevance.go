package method

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

const (
	// widthColumns is the number of features up to which each column has a width: an evaluation costs rows^2 x features.
	widthColumns = 500
	// widthSteps are the evaluations of a search for widths. On the design sets of docs/automatic-choice.md the errors of new rows are
	// least after some ten of them: what later steps gain is the left-out error alone.
	widthSteps = 12
)

// columnKernels are the kernels with a width for each column of the table, before their widths are learned.
func columnKernels(t *task.Task) []kernel.Kernel {
	var list []kernel.Kernel
	for _, power := range []int{1, 2} {
		k := task.ByColumnOfTable(kernel.ARDRational{Power: power}, t.Input.Set.Table).Adapt(t.Problem.Rows).(kernel.ARDRational)
		if t.Input.Set.Table != nil {
			halveWords(&k, t.Input.Set.Table)
		}
		list = append(list, k)
	}
	return list
}

// rankKernel has a weight for each column of the table, before its weights are learned. Of rows in order ranks are among those that are not
// held out: later rows are beyond the ranks of those before them, as new ones are.
func rankKernel(t *task.Task) kernel.Kernel {
	rows := t.Problem.Rows
	if later := held(t); later != nil {
		rows = rows.Select(t.Problem.Subset(learn.Others(t.Labelled(), later)))
	}
	return task.ByColumnOfTable(kernel.ANOVA{}, t.Input.Set.Table).Adapt(rows)
}

// halveWords makes two different words, which differ in two features, as far apart as numbers whose difference is 1.
func halveWords(k *kernel.ARDRational, table *data.Table) {
	for g, c := range task.Featured(table) {
		if c.Kind == data.KindCategory {
			k.Sigma[g] *= math.Pow(2, 1/float64(k.Power))
		}
	}
}

// lateEntrants returns what learns a width for each column on rows that the first round of a race did not see. Machines of all losses on
// these kernels then enter the race.
func lateEntrants(t *task.Task) (func(context.Context, *learn.Problem) ([]*design.Entrant, error), bool) {
	d := t.Problem.Rows.Dim()
	if t.Problem.Rows.IsSparse() || d < 2 || d > widthColumns || t.Recipe.Kernel != "" || len(t.Request.Kernel) > 0 {
		return nil, false
	}
	return func(ctx context.Context, rows *learn.Problem) ([]*design.Entrant, error) {
		var list []kernel.Kernel
		for _, start := range columnKernels(t) {
			theta, err := share.One(ctx, t.Options.Share, "widths", func(ctx context.Context) ([]float64, error) {
				learned, err := relevance.Learn(ctx, start, rows, relevance.Options{Steps: widthSteps})
				if err != nil {
					return nil, err
				}
				return learned.Kernel.Space().Defaults(), nil
			})
			if err != nil {
				return nil, err
			}
			k, err := start.With(theta)
			if err != nil {
				return nil, err
			}
			list = append(list, k)
		}
		return entrants(t, list), nil
	}, true
}
