package fit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// crossValidate replaces the estimate of a result by one of r.CV outer folds: for each the whole fit is repeated without
// the labels of the fold, scaling, search and choice included, and judged on the fold (Cawley & Talbot, JMLR 11, 2010).
// Where the set has unlabelled rows the rows of the fold stay among these, as other rows without a label are; else they
// leave. Of rows in order the rows of a fold are later than all that it learns from. When the context ends the folds that are complete
// make the estimate.
func crossValidate(ctx context.Context, in result.Input, r result.Recipe, o result.Options, res *result.Result) error {
	labels, err := outerLabels(in.Set, r)
	if err != nil {
		return err
	}
	k := r.CV
	if o.Folds != nil && len(o.Folds) != k {
		return fmt.Errorf("--cv %d: the losses of %d outer folds were given", k, len(o.Folds))
	}
	losses := answer.Losses{Task: labels.Task}
	var parts []answer.Part
	done := 0
	for ; done < k && ctx.Err() == nil; done++ {
		train, fold, err := outerRows(in.Set, labels, r, done)
		if err != nil {
			return err
		}
		var each []float64
		if o.Folds != nil {
			each = o.Folds[done]
		} else if each, err = OuterFold(ctx, in, r, o, done); ctx.Err() != nil {
			break // what was fitted is not the fit that was asked for
		} else if err != nil {
			return err
		}
		losses.Each, parts = append(losses.Each, each...), append(parts, answer.Part{Learned: train, Judged: fold})
		if labels.Group != nil {
			losses.Group = append(losses.Group, indices.Of(labels.Group, fold)...)
		}
	}
	from := fmt.Sprintf("%d outer folds", k)
	if labels.Order != nil {
		from = fmt.Sprintf("%d forward outer folds", k)
	}
	if done < k {
		from = fmt.Sprintf("%d of %s", done, from)
		res.Warnings = append(res.Warnings, fmt.Sprintf("--cv %d was interrupted after %d folds", k, done))
	}
	// Candidates of an earlier fit were chosen by the rows of all folds.
	if e := losses.Estimate(answer.Usual, from, r.Candidates == nil); e != nil {
		if res.Estimate != nil {
			e.Classes, e.Trivial = res.Estimate.Classes, trivial(labels, parts)
		}
		res.Estimate = e
	}
	return nil
}

// trivial is the error of the answer that needs no model, on the rows of the folds: of rows in order that of those before, else one of
// all labelled rows.
func trivial(labels data.Labels, parts []answer.Part) *float64 {
	known := labels.Labelled()
	if labels.Order == nil {
		var judged []int
		for _, part := range parts {
			judged = append(judged, part.Judged...)
		}
		slices.Sort(judged) // in the order in which the fit itself adds them up
		return answer.Trivial(labels, []answer.Part{{Learned: known, Judged: judged}})
	}
	for q, part := range parts {
		parts[q].Learned = slices.DeleteFunc(part.Learned, func(i int) bool { _, ok := slices.BinarySearch(known, i); return !ok })
	}
	return answer.Trivial(labels, parts)
}

// checkOuter refuses outer folds that the labels do not allow.
func checkOuter(set *data.Set, r result.Recipe) error {
	if err := checkSet(set); err != nil {
		return err
	}
	if _, err := Interpret(set, r); err != nil || r.CV == 0 {
		return err
	}
	labels, err := outerLabels(set, r)
	if err != nil {
		return err
	}
	if n := len(labels.Labelled()); r.CV > n {
		return task.Usage("--cv %d: there are %d labelled rows; ask for %d folds at most", r.CV, n, n)
	}
	if labels.Order != nil {
		if _, _, err = forward(labels, r.CV, 0); err != nil {
			return fmt.Errorf("%s: %w", set.Source, err)
		}
		return nil
	}
	if set.Group != nil && labels.Group != nil {
		return keepsGroups(set.Source, labels, r)
	}
	_, err = data.Folds(labels, r.CV, r.Drawn())
	return err
}

// keepsGroups refuses outer folds of which one leaves less than two groups to learn from, whose folds keep groups whole too. As many
// folds as there are groups leave all but one.
func keepsGroups(source string, labels data.Labels, r result.Recipe) error {
	n := labels.Groups()
	if n < 3 {
		return fmt.Errorf("%s: --cv %d: folds keep groups whole, those that each outer fold learns from too, so that it needs three "+
			"groups that have labels, and there are %d; label rows of another, or leave out --cv", source, r.CV, n)
	}
	part, err := data.Folds(labels, r.CV, r.Drawn())
	if err != nil {
		return err
	}
	for number, fold := range part.Groups() {
		of := data.Labels{Class: make([]int, len(fold)), Group: indices.Of(labels.Group, fold)}
		if n-of.Groups() < 2 {
			return fmt.Errorf("%s: --cv %d: fold %d has all groups but one, and folds of what it learns from keep groups whole too; "+
				"ask for --cv %d", source, r.CV, number+1, n)
		}
	}
	return nil
}

// outerLabels are the labels of the outer folds. These keep copies together for fronts too whose decision knows no folds.
func outerLabels(set *data.Set, r result.Recipe) (data.Labels, error) {
	labels, err := Interpret(set, r)
	if m, ok := method.Find(r.Method); err == nil && ok && m.Supports(nil).Front && (decidesByAll(r) || !judgedHeldOut(m)) &&
		labels.Group == nil && labels.Order == nil {
		labels.Group, _ = set.Copies()
	}
	return labels, err
}

// outerRows are the rows that the fold of a number learns from, less those of it, and its own rows.
func outerRows(set *data.Set, labels data.Labels, r result.Recipe, number int) (train, fold []int, err error) {
	if labels.Order != nil {
		if train, fold, err = forward(labels, r.CV, number); err != nil {
			err = fmt.Errorf("%s: %w", set.Source, err)
		}
		return train, fold, err
	}
	part, err := data.Folds(labels, r.CV, r.Drawn())
	if err != nil {
		return nil, nil, err
	}
	for i, f := range part.Fold {
		if f != number {
			train = append(train, i)
		}
	}
	return train, part.Groups()[number], nil
}

// outerFold is the set that an outer fold is learned from, and that of the rows of the fold. One class is learned from rows whatever
// their answers, so those of the fold leave, and are judged as rows of the class.
func outerFold(set *data.Set, labels data.Labels, r result.Recipe, number int) (train, judged *data.Set, err error) {
	rows, fold, err := outerRows(set, labels, r, number)
	if err != nil {
		return nil, nil, err
	}
	judged = set.Select(fold)
	m, _ := method.Find(r.Method)
	if m.Coding.OneClass {
		judged.Answers = slices.Repeat(data.Answers{"1"}, len(fold))
	}
	if labels.Order != nil || m.Coding.OneClass || len(set.Answers.Answered()) == set.Rows.Len() {
		return set.Select(rows), judged, nil
	}
	without := *set
	without.Answers = set.Answers.Without(fold)
	return &without, judged, nil
}

// OuterFold is the part that one of the outer folds of Recipe.CV, numbered from 0, has in a fit: it fits without the labels of the
// fold and returns the losses on its rows, 1 for a wrong class or the square of an error. Options.Folds takes those of all folds,
// where they are not to be computed one after the other. All rows together say whether classes or numbers are learned, as fewer
// might be taken for the other.
func OuterFold(ctx context.Context, in result.Input, r result.Recipe, o result.Options, number int) ([]float64, error) {
	in, _ = groupCopies(in, r)
	if err := checkOuter(in.Set, r); err != nil {
		return nil, err
	}
	labels, err := outerLabels(in.Set, r)
	if err != nil {
		return nil, err
	}
	k := r.CV
	train, judged, err := outerFold(in.Set, labels, r, number)
	if err != nil {
		return nil, err
	}
	r.CV, r.Task, o.Listen = 0, labels.Task.String(), result.Listener{}
	o.Share = share.Within(o.Share, fmt.Sprintf("outer fold %d of %d", number+1, k))
	if told := o.Progress; told != nil {
		o.Progress = func(p result.Progress) { p.Stage = fmt.Sprintf("outer fold %d of %d", number+1, k); told(p) }
	}
	m, _, err := Fit(ctx, result.Input{Set: train}, r, o)
	var losses []float64
	if err == nil {
		losses, err = answer.LossesOn(ctx, m, judged)
	}
	if err != nil && train.Order != nil && onePlace(train) {
		return nil, task.Usage("--cv %d, fold %d: the labelled rows before it have one place in the order, so none of them can be held out; "+
			"ask for fewer folds", k, number+1)
	}
	if err != nil {
		return nil, fmt.Errorf("--cv %d, fold %d: %w", k, number+1, err)
	}
	return losses, nil
}

// onePlace says whether all labelled rows of a set have the same place in its order.
func onePlace(set *data.Set) bool {
	known := indices.Of(set.Order, set.Answers.Answered())
	return len(slices.CompactFunc(known, func(a, b float64) bool { return cmp.Compare(a, b) == 0 })) == 1
}
