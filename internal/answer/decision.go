package answer

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// decision is how a model decides by its probabilities, as --decide asks: the weight of a class is 1 over its share of the
// labels (balanced: the largest mean recall, where the probabilities are right), or the cost of its mistaken rows, or, for
// a rate, such that this share of the rows left out is decided for the second class. Nil: as Usual, or without
// probabilities or rows left out.
func (a *Answer) decision(m *model.Model, c *choose.Choice) *result.Decision {
	t := a.Task
	asked, _ := task.ParseThreshold(t.Recipe.Decide) // read before, and
	asked, _ = asked.Of(m.Classes)                   // found to suit
	if !t.Decides() || !m.HasProbabilities() {
		return nil
	}
	d := &result.Decision{Rule: t.Recipe.Decide, Weight: slices.Clone(asked.Costs)}
	switch {
	case asked.Balanced:
		d.Weight = task.BalancedWeights(t.ClassTotals())
	case asked.Rate > 0:
		judged, out := a.leftOut(c)
		if out == nil || len(judged) == 0 {
			return nil
		}
		p, err := m.Probabilities(out)
		if err != nil {
			return nil
		}
		at := threshold(mat.Col(nil, 1, p), asked.Rate)
		d.Weight = []float64{at, 1 - at}
	}
	return d
}

// threshold is the probability above which the share of them lies, as nearly as whole rows allow.
func threshold(p []float64, share float64) float64 {
	slices.Sort(p)
	above := int(share*float64(len(p)) + 0.5)
	switch at := len(p) - above; at {
	case 0:
		return p[0] / 2
	case len(p):
		return (p[len(p)-1] + 1) / 2
	default:
		return (p[at-1] + p[at]) / 2
	}
}

// Undecided is the refusal of a decision by probabilities that the model does not have, or nil. A distilled model has learned what the
// whole one decides.
func (a *Answer) Undecided(m *model.Model) error {
	if !a.Task.Decides() || m.Decision != nil || a.Reduced != nil && a.modelOf(a.Choice).Decision != nil {
		return nil
	}
	what := fmt.Sprintf("%s: --decide %s: ", a.Task.Input.Set.Source, a.Task.Recipe.Decide)
	return errors.New(what + "the fit left no row out, so that there are no probabilities to decide by; add --tune kfold:5 or --method rls")
}
