package task

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
)

// Scoring says what judges hyper-parameters. It is the flag --tune after reading.
type Scoring struct {
	Name      string          // as it is printed; "": the method chooses its score
	Criterion score.Criterion // that judges left-out outputs; nil: the usual one of the task
	Folds     int             // number of folds; 0: leave-one-out
	Share     float64         // share of labelled rows that a hold-out judges; 0: no hold-out
	GCV, None bool
	Penalty   string    // cp, aic or bic: the training error and a price of degrees of freedom
	Inductive bool      // the rows of a fold leave the graph too
	Bound     svm.Bound // bound of the leave-one-out error; 0: none

	charge float64 // price of one degree of freedom under Penalty
}

// Drawn says whether the score could be taken on another draw of the labelled rows: other folds, or
// folds in the place of leave-one-out. A hold-out has no other draw of its kind, because the rows
// that keep their labels are fixed; inductive scores are not drawn again.
func (s Scoring) Drawn() bool { return s.Criterion != nil && s.Share == 0 && !s.Inductive }

// Closed says whether the score is one of the square loss's closed forms alone.
func (s Scoring) Closed() bool { return s.GCV || s.Penalty != "" }

// ParseScoring reads --tune.
func ParseScoring(text string) (Scoring, error) {
	if rest, ok := strings.CutSuffix(text, ":inductive"); ok {
		s, err := ParseScoring(rest)
		if err != nil || s.Folds == 0 && s.Share == 0 {
			return Scoring{}, fmt.Errorf("--tune %s: inductive goes with kfold:K and holdout:SHARE, as in kfold:5:inductive", text)
		}
		s.Name, s.Inductive = text, true
		return s, nil
	}
	if text == "" {
		text = "auto"
	}
	for _, known := range scores {
		if known.ID == text && known.means != nil {
			s := *known.means
			if text != "auto" {
				s.Name = text
			}
			return s, nil
		}
	}
	s := Scoring{Name: text}
	switch head, arg, _ := strings.Cut(text, ":"); head {
	case "bound":
		for _, b := range svm.Bounds() {
			if arg == b.String() {
				s.Bound = b
				return s, nil
			}
		}
		return Scoring{}, fmt.Errorf(
			"--tune %s: not known; choose bound:sv, bound:jaakkola-haussler, bound:xi-alpha, bound:span or bound:radius-margin",
			text,
		)
	case "kfold":
		k, err := strconv.Atoi(arg)
		if err != nil || k < 2 {
			return Scoring{}, fmt.Errorf("--tune %s: give a number of folds from 2, as in kfold:5", text)
		}
		s.Folds = k
		return s, nil
	case "holdout":
		f, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(f > 0 && f < 1) {
			return Scoring{}, fmt.Errorf("--tune %s: give a share between 0 and 1, as in holdout:0.2", text)
		}
		s.Share = f
		return s, nil
	}
	return Scoring{}, fmt.Errorf(
		"--tune %s: not known%s; choose auto, loo:logloss, loo:press, loo:error, loo:smooth-error, loo:smooth-wer, loo:smooth-f, kfold:K, "+
			"holdout:SHARE, either with :inductive, gcv, cp, aic, bic, bound:NAME, none",
		text,
		brief.Suggest(text, []string{"auto", "loo:logloss", "loo:press", "loo:error", "loo:smooth-error", "loo:smooth-wer", "loo:smooth-f",
			"kfold:5", "holdout:0.25", "gcv", "cp", "aic", "bic", "bound:span", "none"}),
	)
}

// outerLosses are the words of --set outer=, losses of left-out outputs in place of the
// score's own.
var outerLosses = []string{"logloss", "mse", "squared-hinge", "logistic", "modlog", "quartic", "error"}

// outer is the criterion of an outer loss.
func outer(word string) score.Criterion {
	switch word {
	case "logloss":
		return score.LogLoss{}
	case "mse":
		return score.Risk{Loss: learn.Square()}
	case "error":
		return score.Error{}
	}
	l, err := learn.ParseLoss(word)
	if err != nil {
		panic(err) // of outerLosses
	}
	return score.Risk{Loss: l}
}
