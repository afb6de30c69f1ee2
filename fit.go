package mercer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Fit learns from labelled and unlabelled rows, tuning included. Cancelling the
// context ends the tuning and fits the best machine so far, which
// Result.Tuning.Status says; an error means that there is no model. Errors of
// type *UsageError are the recipe's, others the data's. With Recipe.CV the fit is repeated for outer
// folds, and Options.TimeLimit is shared out to all of these fits.
func Fit(ctx context.Context, in Input, r Recipe, o Options) (*model.Model, *Result, error) {
	o.TimeLimit /= time.Duration(max(r.CV, 0) + 1)
	a, err := learnFrom(ctx, in, r, o, 0)
	if err != nil {
		return nil, nil, err
	}
	m := a.Model(false)
	if err := a.Undecided(m); err != nil {
		return nil, nil, err
	}
	res, err := a.Result(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if r.CV > 0 {
		if err := crossValidate(ctx, in, r, o, res); err != nil {
			return nil, nil, err
		}
	}
	a.TellLeftOut()
	return m, res, keep(ctx, a, m, res)
}

// keep stores in the model what was printed and what is remembered of the rows.
func keep(ctx context.Context, a *answer.Answer, m *model.Model, printed any) (err error) {
	if err := a.Remember(ctx, m); err != nil {
		return err
	}
	return a.Keep(m, printed)
}

// Pareto makes the whole front of risk against complexity and chooses one member of it: the
// member number pick, counted from 1, or the one that the recipe's decision chooses if pick is 0.
// The model returned is that member, and keeps the front. Cancelling the context keeps the
// members that no other one beats so far. Errors are as of Fit.
func Pareto(ctx context.Context, in Input, r Recipe, o Options, pick int) (*model.Model, *FrontResult, error) {
	if r.Method == "" || r.Method == method.Auto {
		r.Method = "mobj-rbf"
	}
	offersFront := func(m method.Method) bool { return m.Offers(nil).Front }
	if m, ok := method.Find(r.Method); !ok || !offersFront(m) {
		return nil, nil, task.Usage(
			"--method %s: it makes one machine and no front; choose %s",
			r.Method,
			setting.Or(method.IDs(offersFront)),
		)
	}
	if r.CV > 0 {
		return nil, nil, task.Usage("--cv %d: fronts are not repeated; leave it out, or use mercer fit --method %s, which judges the "+
			"chosen member",
			r.CV, r.Method)
	}
	if pick < 0 {
		return nil, nil, task.Usage("--pick %d: members are numbered from 1", pick)
	}
	a, err := learnFrom(ctx, in, r, o, pick)
	if err != nil {
		return nil, nil, err
	}
	m := a.Model(true)
	res, err := a.FrontResult(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	return m, res, keep(ctx, a, m, res)
}

// learnFrom is the one way from rows to a choice. The recipe is read by the declarations of its
// method, the first form that suits the number of rows makes a slate, and the rule of the method
// chooses from the slate. If pick is above 0 it is the member of a front that is taken, whatever
// the rule says.
func learnFrom(ctx context.Context, in Input, r Recipe, o Options, pick int) (*answer.Answer, error) {
	if err := given(in.Set); err != nil {
		return nil, err
	}
	a := &answer.Answer{Start: time.Now()}
	r, err := grouped(in, r)
	if err != nil {
		return nil, err
	}
	var request task.Request
	if a.Method, request, err = method.Read(r); err != nil {
		return nil, err
	}
	if r.Basis == task.AutoBasis {
		return sized(ctx, in, r, o)
	}
	if err := suits(a.Method, in, r); err != nil {
		return nil, err
	}
	if err := cmp.Or(weighs(a.Method, in), weighsUnlabelled(a.Method, in)); err != nil {
		return nil, err
	}
	form, forecast := foresee(in, a.Method, request, o)
	if err := refuse(in, forecast, o.Memory); err != nil {
		return nil, err
	}
	a.Forecast = result.Foreseen{Seconds: forecast.Seconds, Bytes: forecast.Memory}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	asked := r.Scale
	kind, why, err := scaling(ctx, in, r, o)
	if err != nil {
		return nil, err
	}
	if why != "" {
		request.Recipe.Scale = kind
	}
	sample := 0
	if form.Sample != nil {
		sample = form.Sample(request)
	}
	if a.Task, err = task.Prepare(ctx, in, request, o, a.Method.Coding, sample); err != nil {
		return nil, err
	}
	scaled(a.Task, asked, why)
	if form.Says != nil {
		a.Task.Warnings = append([]string{form.Says(forecast.size, request)}, a.Task.Warnings...)
	}
	if a.Slate, err = form.Produce(ctx, a.Task); err != nil {
		return nil, err
	}
	if err := compared(a.Slate, r); err != nil {
		return nil, err
	}
	a.Made = time.Now()
	if a.Choice, err = a.Method.Rule(a.Task).Choose(ctx, a.Slate); err != nil {
		return nil, err
	}
	if err := a.Pick(pick); err != nil {
		return nil, err
	}
	return a, method.Balance(a.Task, a.Choice)
}

// compared refuses candidates by name where nothing has one.
func compared(s *choose.Slate, r Recipe) error {
	if r.Candidates == nil || slices.ContainsFunc(s.Members, func(c *choose.Candidate) bool { return c.Name != "" }) {
		return nil
	}
	return task.Usage("candidates in the recipe, of which --method %s, searched as it is here, compares none; leave them out", r.Method)
}

// suits refuses labels that the method is not for.
func suits(m method.Method, in Input, r Recipe) error {
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
	return task.Usage(
		"--method %s is for %v and %s is a %v; choose --method %s, or --task %v",
		m.ID,
		m.For,
		in.Set.Source,
		labels.Task,
		others[0],
		m.For,
	)
}
