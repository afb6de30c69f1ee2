package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/score"
)

// ManyLabels is the number above which machines without a closed form are judged
// by folds, for leave-one-out trains as many machines as there are labels.
const ManyLabels = 60

// Scored is the request with the score that it leaves to the program, for so many labelled rows.
func (r Request) Scored(c Coding, kind data.Task, labelled int) Request {
	if r.Scoring.Name != "" {
		return r
	}
	word := "loo:logloss"
	switch {
	case c.OneClass:
		word = "none"
	case c.Classes && labelled > cmp.Or(c.FewLabels, ManyLabels):
		word = "kfold:5"
	case kind == data.Regression:
		word = "loo:press"
	}
	r.Scoring, _ = ParseScoring(word)
	return r
}

// scoring completes the score with what depends on the labels.
func (t *Task) scoring(ctx context.Context) error {
	free := t.Scoring.Name == ""
	t.Request = t.Scored(t.Coding, t.Labels.Task, t.Labelled())
	s := &t.Scoring
	kind := t.Labels.Task
	if k := s.Folds; free && k > 0 && t.Coding.FewLabels > 0 && kind != data.Regression {
		// No more than the rarest class has labels, but three.
		*s, _ = ParseScoring(fmt.Sprintf("kfold:%d", max(3, min(k, slices.Min(t.Labels.Counts())))))
	}
	var err error
	if t.Scoring, err = t.Judging(kind); err != nil {
		return err
	}
	if s.Penalty != "" {
		return t.price(ctx)
	}
	return t.weigh()
}

// Judging is the score of the request with the criterion by which it judges left-out outputs of labels of this kind: its own, that
// of --set outer=, or of folds and rows held out the log loss of classes and the squared error of numbers. A criterion that is not for
// such labels is wrong usage.
func (r Request) Judging(kind data.Task) (Scoring, error) {
	s, regression := r.Scoring, kind == data.Regression
	if regression && (s.Name == "loo:logloss" || s.Name == "loo:error" || strings.HasPrefix(s.Name, "loo:smooth")) {
		return s, Usage("--tune %s is for classes; for a regression choose loo:press, kfold:K, holdout:SHARE or gcv", s.Name)
	}
	parted := s.Folds > 0 || s.Share > 0
	if word := r.Values.Word(Outer); word != "" {
		if regression && word != "mse" {
			return s, Usage("--set outer=%s is for classes; for a regression choose outer=mse", word)
		}
		if s.Criterion == nil && !parted {
			return s, Usage(
				"--set outer=%s with --tune %s: it judges left-out rows; choose kfold:K, holdout:SHARE or loo:logloss",
				word,
				s.Name,
			)
		}
		s.Criterion = outer(word)
	}
	switch {
	case s.Criterion != nil || !parted:
	case regression:
		s.Criterion = score.Press{}
	default:
		s.Criterion = score.LogLoss{}
	}
	return s, nil
}

// weigh gives criteria that need it the weight of an error in each class.
func (t *Task) weigh() error {
	two := len(t.Problem.Classes) == 2
	rho, eta := t.Values.Number(Rho), t.Values.Number(Eta)
	switch c := t.Scoring.Criterion.(type) {
	case score.SmoothWeighted:
		if two && c.Eta == 0 { // balanced: n_+/n_- for a negative
			if eta == 0 {
				n := t.ClassTotals()
				eta = n[1] / n[0]
			}
			t.Scoring.Criterion = score.SmoothWeighted{Eta: eta, Rho: rho}
		}
	case score.SmoothF:
		t.Scoring.Criterion = score.SmoothF{Rho: rho}
	case score.SmoothError:
		t.Scoring.Criterion = score.SmoothError{Rho: rho}
	default:
		return nil
	}
	if !two {
		return fmt.Errorf(
			"%s: --tune %s is for two classes, there are %d; choose loo:logloss",
			t.Input.Set.Source,
			t.Scoring.Name,
			len(t.Problem.Classes),
		)
	}
	return nil
}

// price is what Cp, AIC or BIC charge for a degree of freedom: twice the variance of the noise, or
// ln l times.
func (t *Task) price(ctx context.Context) error {
	noise, err := score.NoiseVariance(ctx, score.LeaveOut{Kernel: t.Base, Problem: t.Problem, Offset: t.Offset})
	if errors.Is(err, score.ErrNoNoise) {
		return fmt.Errorf("%s: --tune %s: %w; choose loo:press", t.Input.Set.Source, t.Scoring.Name, err)
	}
	if err != nil {
		return err
	}
	t.Scoring.charge = 2 * noise
	if t.Scoring.Penalty == "bic" {
		t.Scoring.charge = math.Log(float64(t.Labelled())) * noise
	}
	return nil
}

// GroupFolds is the number of folds of rows in groups where no score says how many, unless there are fewer groups.
const GroupFolds = 5

// lastShare of the rows in order is held out where no score says how many.
const lastShare = 0.2

// validation draws the folds of k-fold and hold-out scores.
func (t *Task) validation() error {
	s := &t.Scoring
	var err error
	switch { // under none nothing is chosen, but the error is estimated
	case s.None && t.Labels.Order != nil:
		t.Folds, err = t.heldOut(lastShare)
		return err
	case s.None && t.Labels.Group != nil && t.Labels.Groups() > 1:
		t.Folds, err = t.parts(min(GroupFolds, t.Labels.Groups()))
		return err
	}
	if s.Folds == 0 && s.Share == 0 {
		return nil
	}
	if s.Share > 0 {
		t.Folds, err = t.heldOut(s.Share)
	} else {
		t.Folds, err = t.parts(s.Folds)
	}
	return err
}

// heldOut draws the share of the labelled rows that is judged, as one fold.
func (t *Task) heldOut(share float64) ([][]int, error) {
	part, err := data.HoldOut(t.Labels, share, t.Recipe.Drawn())
	if err != nil {
		return nil, err
	}
	t.Warnings = append(t.Warnings, part.Warnings()...)
	return t.Places(part), nil
}

// parts draws k folds.
func (t *Task) parts(k int) ([][]int, error) {
	if l := t.Labelled(); k > l {
		return nil, fmt.Errorf(
			"%s: --tune %s asks %d folds of %d labelled rows; ask for fewer or label more",
			t.Input.Set.Source,
			t.Scoring.Name,
			k,
			l,
		)
	}
	part, err := data.Folds(t.Labels, k, t.Recipe.Drawn())
	if err != nil {
		return nil, err
	}
	t.Warnings = append(t.Warnings, part.Warnings()...)
	return t.Places(part), nil
}

// Places turns the rows of folds into their numbers among the labelled. Of things in views all
// descriptions are in the fold of the thing.
func (t *Task) Places(part data.Partition) (folds [][]int) {
	p := t.Problem
	if t.Things != nil {
		p = t.Things
		defer func() { folds = multiview.Folds(folds, t.Stacked.Groups(p)) }()
	}
	place := make(map[int]int, len(p.Labelled))
	for i, row := range p.Labelled {
		place[row] = i
	}
	for _, rows := range part.Groups() {
		fold := make([]int, len(rows))
		for q, row := range rows {
			fold[q] = place[row]
		}
		folds = append(folds, fold)
	}
	return folds
}

// Judged lists the labelled rows that the score leaves out, by their number among the
// labelled.
func (t *Task) Judged() []int {
	if judged := score.Judged(t.Folds); judged != nil {
		return judged // rows that no fold leaves out are fitted, and too sure
	}
	return indices.To(t.Labelled())
}
