// Package answer turns a choice into what the user gets: the model, and its description in
// words and numbers, measured on the rows whose answers are known.
//
// Change here what a fit prints and stores, and in which shape; what is computed is decided in
// the packages below.
package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Answer holds a fit after its choice has been made.
type Answer struct {
	Method     method.Method
	Asked      result.Recipe // as the model keeps it: folds and centres that rows ask for are found anew
	Task       *task.Task
	Candidates *choose.Candidates
	Choice     *choose.Choice
	Forecast   result.Foreseen // what the fit was expected to cost
	// Shares of the classes, if not nil, are those in which unlabelled rows are to be decided.
	Shares []float64
	// Sizes are the numbers of centres that were tried where one was to be chosen.
	Sizes []result.BasisPoint
	// Reduced, if not nil, takes the place of the model that the choice makes: the same with fewer centres.
	Reduced *model.Model
	// Start is when the fit began, Made when its candidates were complete.
	Start, Made time.Time

	speed float64 // rows a second that the model predicts; 0: not measured
}

// Pick completes the choice of a member of a front with the machine of that member. If member is
// above 0, it is the number, counted from 1, of the member to take in the place of the rule's. A
// choice that is not from a front is left as it is.
func (a *Answer) Pick(member int) error {
	f := a.Candidates.Front
	if f == nil {
		return nil
	}
	if member > len(f.Points) {
		return task.Usage("--pick %d: the front has %d members", member, len(f.Points))
	}
	if member > 0 {
		a.Choice.Point, a.Choice.Rule, a.Choice.Assumed = member-1, "pick", "the member asked for"
	}
	machine := &choose.Machine{B: f.Points[a.Choice.Point].Offset}
	a.Choice.Members = []choose.Weighted{{Candidate: &choose.Candidate{Method: a.Method.ID, Machine: machine}, Weight: 1}}
	return nil
}

// Rule is what chooses from the candidates: theirs, or the method's, with unlabelled rows in shares where these are asked for.
func (a *Answer) Rule() choose.Rule {
	rule := a.Candidates.Rule
	if rule == nil {
		rule = a.Method.Rule(a.Task)
	}
	if a.Shares != nil {
		return choose.Balanced{Rule: rule, Problem: a.Task.Problem, Shares: a.Shares}
	}
	return rule
}

// Keep stores the recipe in the model, and what the fit printed. Times, metrics and memory are left
// out, so that equal data and recipes give equal files.
func (a *Answer) Keep(m *model.Model, printed any) error {
	switch r := printed.(type) {
	case *result.Result:
		one := *r
		one.Seconds, one.Forecast, one.Memory, one.Metrics, one.Baseline, one.Views = result.Seconds{}, nil, 0, nil, nil, nil
		one.Warnings = a.Task.Warnings
		printed = one
	case *result.FrontResult:
		one := *r
		one.Seconds, one.Forecast, one.Metrics = result.Seconds{}, nil, nil
		printed = one
	}
	var err error
	if m.Recipe, err = json.Marshal(a.Asked); err != nil {
		return err
	}
	if m.Result, err = json.Marshal(printed); err != nil { // a number that is not finite
		return fmt.Errorf(
			"%s: the fit has no finite result, its features or parameters are too small or too large; use --scale standard",
			a.Task.Input.Set.Source,
		)
	}
	return nil
}

// seconds are the times of the fit so far.
func (a *Answer) seconds() result.Seconds {
	return result.Seconds{
		Total: time.Since(a.Start).Seconds(), Tune: a.Made.Sub(a.Start).Seconds(), Fit: time.Since(a.Made).Seconds(), RowsPerSecond: a.speed,
	}
}

// TellLeftOut tells the listener the left-out outputs of the choice.
func (a *Answer) TellLeftOut() {
	if a.Task.Options.Listen.LeftOut == nil {
		return
	}
	if judged, out := a.leftOut(a.Choice); out != nil {
		rows := make([]int, len(judged))
		for q, i := range judged {
			rows[q] = a.Task.Problem.Labelled[i]
		}
		a.Task.Options.Listen.LeftOut(rows, out)
	}
}

// LeftOutLosses are those of outputs on labelled rows that were left out: -log of the probability of the row's class, or the
// square of the error of a regression; nil where nothing was left out, or no probabilities could be made.
func (a *Answer) LeftOutLosses() (list, weight []float64) {
	judged, out := a.leftOut(a.Choice)
	if out == nil {
		return nil, nil
	}
	p := a.Task.Problem
	list, weight = make([]float64, len(judged)), p.WeightOf(judged)
	if p.Task == data.Regression {
		for q, i := range judged {
			d := out.At(q, 0) - p.Y.At(i, 0)
			list[q] = d * d
		}
		return list, weight
	}
	probabilities, err := a.modelOf(a.Choice).Probabilities(out)
	if err != nil {
		return nil, nil
	}
	for q, i := range judged {
		list[q] = -math.Log(probabilities.At(q, p.Class[i])) // 1e-12 at least (package calibrate)
	}
	return list, weight
}

// leftOut are the outputs of a choice on labelled rows that were left out, and the numbers of these rows among the
// labelled. The outputs are nil where nothing was left out, as of fronts.
func (a *Answer) leftOut(c *choose.Choice) (judged []int, out *mat.Dense) {
	if a.Candidates.Front != nil {
		return nil, nil
	}
	left := choose.LeftOut(a.Task.Problem, c.Members)
	if left == nil {
		return nil, nil
	}
	judged = a.Task.Judged()
	out = pick(left, judged)
	for q := range judged {
		addScaled(out.RawRowView(q), 1, c.Offset)
	}
	return judged, out
}
