package method

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// mostStacked is the number of rows up to which a stack is trained beside a race: it goes over all rows with each landmark twice.
const mostStacked = 40000

// stackedBeside says whether a race has a stack beside it.
func stackedBeside(s task.Size, r task.Request) bool {
	return s.Task == data.Classification && s.Labelled > racedRows && s.Labelled <= mostStacked && stackable(s, r)
}

// withStack trains a stack beside the winner of a race and returns its candidates, with its task, where it does better on rows that both
// have left out; nil where it does not, or the context ends before it is known.
func withStack(ctx context.Context, t *task.Task, w *design.Winner) (*task.Task, *choose.Candidates, error) {
	own := *t
	s, err := stack(ctx, &own)
	if ctx.Err() != nil {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := s.Rule.Choose(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	out := choose.LeftOut(own.Problem, c.Members)
	both := intersection(own.Judged(), score.Judged(w.Folds))
	if len(both) == 0 {
		return nil, nil, nil
	}
	theirs := score.Error{}.Eval(w.Problem, both, w.Machine.LeftOut, nil)
	ours := errorOf(own.Problem, c, out, both)
	if design.Rare(w.Problem) { // the race compared log losses
		theirs = w.Score
		ours, err = lossOf(own.Problem, c, out, own.Judged())
	}
	if err != nil || ours >= theirs {
		return nil, nil, err
	}
	return &own, s, nil
}

// namesStack says whether the recipe names candidates of a stack, as that of a model which was one does.
func namesStack(t *task.Task) bool {
	if t.Recipe.Candidates == nil {
		return false
	}
	plan := stackPlan(t)
	nameAll(plan)
	return slices.ContainsFunc(plan, func(c *choose.Candidate) bool { return slices.Contains(t.Recipe.Candidates, c.Name) })
}

// intersection has the numbers of both ascending lists.
func intersection(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(i int) bool {
		_, in := slices.BinarySearch(b, i)
		return !in
	})
}

// errorOf is the share of some rows, weighted as they are, that a choice decides wrongly by its left-out outputs.
func errorOf(p *learn.Problem, c *choose.Choice, out *mat.Dense, rows []int) float64 {
	decided := c.Shares.Decide(out)
	return meanOver(p, rows, func(i int) float64 {
		if decided[i] != p.Class[i] {
			return 1
		}
		return 0
	})
}

// lossOf is the log loss of its probabilities of some rows, weighted as they are.
func lossOf(p *learn.Problem, c *choose.Choice, out *mat.Dense, rows []int) (float64, error) {
	probability := mat.NewDense(len(p.Class), len(p.Classes), nil)
	if err := c.Shares.Probabilities(probability, out, c.Shares.Decide(out)); err != nil {
		return 0, err
	}
	return meanOver(p, rows, func(i int) float64 {
		return -math.Log(max(probability.At(i, p.Class[i]), math.SmallestNonzeroFloat64))
	}), nil
}

// meanOver is the weighted mean of the losses of labelled rows.
func meanOver(p *learn.Problem, rows []int, loss func(i int) float64) float64 {
	losses := make([]float64, len(rows))
	for q, i := range rows {
		losses[q] = loss(i)
	}
	return stat.Mean(losses, p.WeightOf(rows))
}
