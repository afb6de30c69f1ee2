package mercer

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/task"
)

// crossValidate replaces the estimate of a result by one of r.CV outer folds: for each the whole fit is repeated without
// the labels of the fold, scaling, search and choice included, and judged on the fold (Cawley & Talbot, JMLR 11, 2010).
// Where the set has unlabelled rows the rows of the fold stay among these, as other rows without a label are; else they
// leave. When the context ends the folds that are complete make the estimate.
func crossValidate(ctx context.Context, in Input, r Recipe, o Options, res *Result) error {
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return err
	}
	k := r.CV
	if n := len(labels.Labelled()); k > n {
		return task.Usage("--cv %d: there are %d labelled rows; ask for %d folds at most", k, n, n)
	}
	part, err := data.Folds(labels, k, r.Drawn())
	if err != nil {
		return err
	}
	losses := answer.Losses{Task: labels.Task}
	done := 0
	for _, fold := range part.Groups() {
		if ctx.Err() != nil {
			break
		}
		each, err := outerFold(ctx, in, r, o, fold, fmt.Sprintf("outer fold %d of %d", done+1, k))
		if ctx.Err() != nil {
			break // what was fitted is not the fit that was asked for
		}
		if err != nil {
			return fmt.Errorf("--cv %d, fold %d: %w", k, done+1, err)
		}
		losses.Each = append(losses.Each, each...)
		done++
	}
	from := fmt.Sprintf("%d outer folds", k)
	if done < k {
		from = fmt.Sprintf("%d of %s", done, from)
		res.Warnings = append(res.Warnings, fmt.Sprintf("--cv %d was interrupted after %d folds", k, done))
	}
	if e := losses.Estimate(answer.Usual, from, true); e != nil {
		res.Estimate = e
	}
	return nil
}

// outerFold fits without the labels of the fold and returns the losses on it.
func outerFold(ctx context.Context, in Input, r Recipe, o Options, fold []int, stage string) ([]float64, error) {
	without := *in.Set
	without.Answers = in.Set.Answers.Without(fold)
	train := &without
	if rest := without.Answers.Answered(); len(rest)+len(fold) == in.Set.Rows.Len() {
		train = without.Select(rest)
	}
	r.CV, o.Listen = 0, Listener{}
	if told := o.Progress; told != nil {
		o.Progress = func(p Progress) { p.Stage = stage; told(p) }
	}
	m, _, err := Fit(ctx, Input{Set: train}, r, o)
	if err != nil {
		return nil, err
	}
	return answer.LossesOn(ctx, m, in.Set.Select(fold))
}
