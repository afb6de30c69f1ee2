package method

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
)

// These settings belong to co-training only.
var (
	rounds = setting.Setting{
		Name:    "rounds",
		Range:   setting.From(0),
		Default: fmt.Sprint(usualRounds),
		About:   "how often the views label rows for each other; 0: each view by itself",
	}
	added = setting.Setting{
		Name:    "added",
		Range:   setting.From(0),
		Many:    true,
		Default: "1 of the class with the fewest labels, of the others in proportion to their labels",
		About:   "how many rows each view labels in a round: one number for every class, or one a class, as n_neg,n_pos",
	}
	pool = setting.Setting{
		Name:    "pool",
		Range:   setting.From(1),
		Default: "all",
		About:   "how many unlabelled rows are looked at in a round, drawn at random and filled up before each; Blum & Mitchell have 75",
	}
)

// usualRounds is that of Blum & Mitchell.
const usualRounds = 30

// coTraining is co-training with the machines of a kernel.
func coTraining() Method {
	k := machine{id: "co-train", family: CoTrained, losses: []string{"square", "hinge", "squared-hinge", "logistic"}, baseline: "rls"}
	k.own = k.coTrainer
	return k.method(Method{
		Title: "co-training",
		Formula: lines("rounds times: train every view on the labelled rows, minimise 1/2 ||f_s||^2 + C sum_i V(y_i, f_s(x_i));",
			"each view then labels, for all, the rows that it decides most clearly, so many of each class"),
		About: "one function for each --view, without a constant; a label that a view gave is never revised, so mistakes stay; a " +
			"baseline for " +
			"co-rls and co-svm; the certificate is of the machines trained on all labels, given and added",
		Cost:    "a kernel table of each view; for every strength and fold a training and a pass over the tables each round",
		Source:  "Blum & Mitchell 1998, table 1; " + cite.Sindhwani + ", 4.1 and 4.5",
		SciKit:  "none",
		Example: "mercer fit iris --labels-per-class 3 --method co-train --view sepal=1..2 --view petal=3..4",
		For:     classes,
		Settings: slices.Concat([]setting.Setting{rounds, added, pool}, k.lossOf(), []setting.Setting{
			task.C, balanced, task.Views, task.Points, k.tolerance(), task.Outer, task.Kernel, task.Tune, task.Search, task.Budget,
		}),
		Rules: []rule{roundless},
	})
}

// coTrainedForm has a table of each view.
func (k machine) coTrainedForm() Form {
	return Form{Name: "stacked", Produce: k.coTrained, Bytes: k.coTrainBytes, Work: k.coTrainWork}
}

// roundless refuses what has no meaning where no row is labelled.
func roundless(r task.Request) string {
	v := r.Values
	if !v.Given(rounds) || v.Number(rounds) != 0 {
		return ""
	}
	for _, s := range []setting.Setting{added, pool} {
		if v.Given(s) {
			return fmt.Sprintf("--set %s with --set rounds=0: no view labels a row; leave one of them out", s.Name)
		}
	}
	return ""
}

// roundsOf is the number of rounds that is set.
func roundsOf(v setting.Values) int {
	if v.Given(rounds) {
		return int(v.Number(rounds))
	}
	return usualRounds
}

// coTrainer is the learner of the views of a task.
func (k machine) coTrainer(t *task.Task) learn.Learner {
	counts, _ := counted(t) // checked before
	return multiview.CoTraining{
		Learner: k.apart(t), Stacked: t.Stacked, Rounds: roundsOf(t.Values), Add: counts,
		Pool: int(t.Values.Number(pool)), Seed: t.Recipe.Drawn(),
	}
}

// apart is the learner of views by themselves: a constant would be that of all views.
func (k machine) apart(t *task.Task) learn.Learner {
	one := *t
	one.Offset = false
	return k.solver(&one)
}

// counted is how many rows of each class a view labels in a round.
func counted(t *task.Task) ([]int, error) {
	labels := t.Labels.Counts()
	counts := make([]int, len(labels))
	list := t.Values.Numbers(added)
	if len(list) > 1 && len(list) != len(labels) {
		return nil, task.Usage("--set added=%s has %d numbers, and there are %d classes; give one for all, or one for each",
			t.Values.Text(added), len(list), len(labels))
	}
	least := slices.Min(labels)
	for c := range counts {
		if len(list) > 0 {
			counts[c] = int(list[c%len(list)])
		} else {
			counts[c] = (2*labels[c] + least) / (2 * least) // the ratio, rounded
		}
	}
	return counts, nil
}

// coTrained makes the candidates, with the views by themselves beside it. What is not set is, but for a search by name,
// what serves these best: to judge every strength by co-training again for each label left out takes minutes.
func (k machine) coTrained(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if _, err := counted(t); err != nil {
		return nil, err
	}
	v := k.viewed(t)
	s, err := k.taughtOnViews(ctx, v)
	t.Warnings = v.on.Warnings
	if err != nil {
		return nil, err
	}
	return toThings(t, s), nil
}

// taughtOnViews makes the candidates of stacked rows.
func (k machine) taughtOnViews(ctx context.Context, v viewed) (*choose.Candidates, error) {
	on := v.on
	if roundsOf(on.Values) == 0 || on.Search() != "auto" && !on.Scoring.None {
		return k.producedOnViews(ctx, v)
	}
	one := &choose.Candidate{Method: k.id, Width: 1, Linear: !design.HasWidth(v.base), Own: v.kernel(v.base), Transductive: true}
	_, b := k.bench(on, nil)
	if on.Scoring.None { // the views by themselves are the baseline alone, which may come after an answer
		s, err := trainPlan(ctx, on, b, []*choose.Candidate{one})
		if err != nil {
			return nil, err
		}
		s.Baseline, err = k.viewBaseline(ctx, v)
		return s, err
	}
	alone, err := k.viewBaseline(ctx, v)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil && alone == nil:
		return nil, ctx.Err()
	case alone == nil:
		return nil, choose.ErrNothing
	}
	one.Width, one.Own = alone.Width, alone.Own
	if b.Lambda == 0 {
		b.Lambda = alone.Lambda
	}
	s, err := trainPlan(ctx, on, b, []*choose.Candidate{one})
	if err != nil {
		return nil, err
	}
	s.Baseline = alone
	return s, nil
}

// coTrainBytes are those of the kernel tables of the views, and of the rows that are labelled in the end.
func (k machine) coTrainBytes(s task.Size, r task.Request) float64 {
	n, v := float64(s.Rows), float64(max(len(r.Recipe.Views), 2))
	l := k.taughtRows(s, r)
	return 8 * (v*n*n + 3*v*l*n + 6*v*l*v*l + common(s, r, searchedMachines))
}

// taughtRows is how many rows have a label in the end, with one of each class a round.
func (k machine) taughtRows(s task.Size, r task.Request) float64 {
	each := float64(s.Outputs)
	if list := r.Values.Numbers(added); len(list) > 0 {
		each *= slices.Max(list)
	}
	return min(float64(s.Rows), float64(s.Labelled)+each*float64(roundsOf(r.Values)*max(len(r.Recipe.Views), 2)))
}

// coTrainWork is that of the views by themselves, and a training and a pass over the tables for every round, fold and
// evaluation.
func (k machine) coTrainWork(s task.Size, r task.Request) Work {
	z, v := sizeOf(s), float64(max(len(r.Recipe.Views), 2))
	kernels, points, folds := tried(s, r, float64(len(viewWidths)))
	training := func(l float64) Work {
		return Work{Products: l * l * l / 3, Passes: 16 * l * l}.Times(z.machines() * v)
	}
	w := z.rowWork().Plus(cost.Gram(z.n, z.n, z.d/v).Times(v*kernels), training(z.l).Times(points*folds+kernels))
	trainings := 1.0
	if !r.Scoring.None {
		trainings += evaluations(r) * folds
		if !searchedFor(r) {
			trainings = 1 + folds
		}
	}
	each := training(k.taughtRows(s, r)).Plus(cost.Product(z.n, z.n, z.c).Times(v))
	return w.Plus(each.Times(trainings * float64(roundsOf(r.Values))))
}
