package mercer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/task"
)

// Fit learns from labelled and unlabelled rows, tuning included. Cancelling the
// context ends the tuning and fits the best machine so far, which
// Result.Tuning.Status says; an error means that there is no model. Errors of
// type *UsageError are the recipe's, others the data's.
func Fit(ctx context.Context, in Input, r Recipe, o Options) (*model.Model, *Result, error) {
	l, err := learnFrom(ctx, in, r, o, 0)
	if err != nil {
		return nil, nil, err
	}
	m := l.model()
	res, err := l.result(m)
	if err != nil {
		return nil, nil, err
	}
	l.tellLeftOut()
	stored := *res // what the model keeps depends on the data and the recipe alone
	stored.Seconds, stored.Memory, stored.Metrics, stored.Baseline, stored.Warnings = Seconds{}, 0, nil, nil, l.task.Warnings
	return m, res, l.keep(m, stored)
}

// learned is a fit that has chosen.
type learned struct {
	recipe     Recipe
	method     method.Method
	task       *task.Task
	slate      *choose.Slate
	choice     *choose.Choice
	forecast   Forecast
	start      time.Time
	made, done time.Time // of the slate; of the choice
}

// learnFrom is the one way from rows to a choice: the recipe is understood by its method's
// declarations, the first form that suits the size makes a slate, the method's rule chooses
// from it. Pick, if above 0, is the member of a front to take whatever the rule says.
func learnFrom(ctx context.Context, in Input, r Recipe, o Options, pick int) (*learned, error) {
	l := &learned{recipe: r, start: time.Now()}
	var request task.Request
	var err error
	if l.method, request, err = method.Read(r); err != nil {
		return nil, err
	}
	if err := l.suits(in, r); err != nil {
		return nil, err
	}
	form, forecast := foresee(in, l.method, request, o)
	l.forecast = forecast
	if err := refuse(in, forecast, o.Memory); err != nil {
		return nil, err
	}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	if l.task, err = task.Prepare(ctx, in, request, o, l.method.Coding, form.Sample); err != nil {
		return nil, err
	}
	if form.Says != nil {
		l.task.Warnings = append([]string{form.Says(forecast.size)}, l.task.Warnings...)
	}
	if l.slate, err = form.Produce(ctx, l.task); err != nil {
		return nil, err
	}
	l.made = time.Now()
	if l.choice, err = l.method.Rule(l.task).Choose(ctx, l.slate); err != nil {
		return nil, err
	}
	if err := l.picked(pick); err != nil {
		return nil, err
	}
	if err := method.Balance(l.task, l.choice); err != nil {
		return nil, err
	}
	l.done = time.Now()
	return l, nil
}

// suits refuses labels that the method is not for.
func (l *learned) suits(in Input, r Recipe) error {
	m := l.method
	labels, err := Interpret(in.Set, r)
	if err != nil || m.For == data.TaskAuto || m.For == labels.Task {
		return err
	}
	others := method.IDs(func(o method.Method) bool {
		return o.For == labels.Task && o.Offers(nil).Front == m.Offers(nil).Front && o.Offers(nil).Graph == m.Offers(nil).Graph
	})
	if len(others) == 0 {
		others = method.IDs(func(o method.Method) bool {
			return o.For == data.TaskAuto && o.Offers(nil).Front == m.Offers(nil).Front
		})
	}
	return task.Usage("--method %s is for %v and %s is a %v; choose --method %s, or --task %v", m.ID, m.For, in.Set.Source, labels.Task, others[0], m.For)
}

// picked replaces the rule's choice by the member asked for.
func (l *learned) picked(pick int) error {
	if l.slate.Front == nil {
		return nil
	}
	n := len(l.slate.Front.Points)
	if pick > n {
		return task.Usage("--pick %d: the front has %d members", pick, n)
	}
	if pick > 0 {
		l.choice.Point, l.choice.Rule, l.choice.Assumed = pick-1, "pick", "the member asked for"
	}
	at := l.slate.Front.Points[l.choice.Point]
	machine := &choose.Machine{B: at.Offset, Expansions: expansions(at, l.slate.Front.Centres)}
	l.choice.Members = []choose.Weighted{{Candidate: &choose.Candidate{Method: l.method.ID, Machine: machine}, Weight: 1}}
	return nil
}

// keep stores recipe and result in the model.
func (l *learned) keep(m *model.Model, stored any) error {
	var err error
	if m.Recipe, err = json.Marshal(l.recipe); err != nil {
		return err
	}
	if m.Result, err = json.Marshal(stored); err != nil { // a number that is not finite
		return fmt.Errorf("%s: the fit has no finite result, its features or parameters are too small or too large; use --scale standard", l.task.Input.Set.Source)
	}
	return nil
}

// seconds are the times of the fit so far.
func (l *learned) seconds() Seconds {
	return Seconds{Total: time.Since(l.start).Seconds(), Tune: l.made.Sub(l.start).Seconds(), Fit: time.Since(l.made).Seconds()}
}

// tellLeftOut tells the listener the left-out outputs of the choice.
func (l *learned) tellLeftOut() {
	t := l.task
	if t.Options.Listen.LeftOut == nil || l.slate.Front != nil {
		return
	}
	left := choose.LeftOut(t.Problem, l.choice.Members)
	if left == nil {
		return
	}
	judged := t.Judged()
	out := pick(left, judged)
	rows := make([]int, len(judged))
	for q, i := range judged {
		rows[q] = t.Problem.Labelled[i]
		addScaled(out.RawRowView(q), 1, l.choice.Offset)
	}
	t.Options.Listen.LeftOut(rows, out)
}
