package fit

import (
	"context"
	"time"

	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Fit learns from rows, tuning included; mercer.Fit says what it returns.
func Fit(ctx context.Context, in result.Input, r result.Recipe, o result.Options) (*model.Model, *result.Result, error) {
	o.TimeLimit /= time.Duration(max(r.CV, 0) + 1)
	in, copies := groupCopies(named(in), r)
	if err := checkOuter(in.Set, r); err != nil { // before anything is learned
		return nil, nil, err
	}
	a, err := learn(ctx, in, r, o, 0)
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
	if copies != "" {
		res.Warnings = append(res.Warnings, copies)
	}
	if r.CV > 0 {
		if err := crossValidate(ctx, in, r, o, res); err != nil {
			return nil, nil, err
		}
		res.Seconds.Total = time.Since(a.Start).Seconds()
		res.Forecast.Seconds *= float64(r.CV + 1)
	}
	a.TellLeftOut()
	return m, res, keep(ctx, a, m, res)
}

// Pareto makes a front and chooses a member of it; mercer.Pareto says what it returns.
func Pareto(ctx context.Context, in result.Input, r result.Recipe, o result.Options, pick int) (*model.Model, *result.FrontResult, error) {
	if r.Method == "" || r.Method == method.Auto {
		r.Method = "mobj-rbf"
	}
	in, copies := groupCopies(named(in), r)
	if err := checkFront(r, pick); err != nil {
		return nil, nil, err
	}
	a, err := learn(ctx, in, r, o, pick)
	if err != nil {
		return nil, nil, err
	}
	m := a.Model(true)
	res, err := a.FrontResult(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if copies != "" {
		res.Warnings = append(res.Warnings, copies)
	}
	return m, res, keep(ctx, a, m, res)
}

// checkFront refuses what is asked for that has no meaning for a front.
func checkFront(r result.Recipe, pick int) error {
	supportsFront := func(m method.Method) bool { return m.Supports(nil).Front }
	if m, ok := method.Find(r.Method); !ok || !supportsFront(m) {
		return task.Usage("--method %s: it makes one model and no front; choose %s", r.Method, setting.Or(method.IDs(supportsFront)))
	}
	if r.CV > 0 {
		return task.Usage("--cv %d: fronts are not repeated; leave it out, or use mercer fit --method %s, which judges the "+
			"chosen member",
			r.CV, r.Method)
	}
	if pick < 0 {
		return task.Usage("--pick %d: members are numbered from 1", pick)
	}
	return nil
}

// keep stores in the model what was printed and what is remembered of the rows.
func keep(ctx context.Context, a *answer.Answer, m *model.Model, printed any) error {
	if err := a.Remember(ctx, m); err != nil {
		return err
	}
	return a.Keep(m, printed)
}

// learn answers a recipe. Where the number of centres is to be chosen it compares the answers of several recipes, else there is one.
// If pick is above 0 it is the member of a front that is taken, whatever the rule says.
func learn(ctx context.Context, in result.Input, r result.Recipe, o result.Options, pick int) (*answer.Answer, error) {
	p, err := read(in, r, o)
	if err != nil {
		return nil, err
	}
	if p.recipe.Basis != task.AutoBasis {
		return p.answer(ctx, pick)
	}
	a, err := chooseSize(ctx, in, p.recipe, o)
	if err == nil {
		a.Asked = p.asked
	}
	return a, err
}

// answerOf is the answer to a recipe whose number of centres is one that --basis auto tries.
func answerOf(ctx context.Context, in result.Input, r result.Recipe, o result.Options) (*answer.Answer, error) {
	p, err := read(in, r, o)
	if err != nil {
		return nil, err
	}
	p.request.Trial = true
	return p.answer(ctx, 0)
}

// Check is mercer.Check with the flags of the program.
func Check(r result.Recipe) error {
	_, _, err := method.Read(r)
	return err
}

// plan is a recipe that has been read, with its rows.
type plan struct {
	in      result.Input
	asked   result.Recipe // as the model keeps it
	recipe  result.Recipe // as it was asked, in folds that keep groups whole or look forward; that of request has what its method fills in
	options result.Options
	method  method.Method
	request task.Request
	start   time.Time
}

// read reads a recipe by the declarations of its method. Nothing is computed.
func read(in result.Input, r result.Recipe, o result.Options) (*plan, error) {
	p := &plan{in: in, options: o, start: time.Now()}
	if err := checkSet(in.Set); err != nil {
		return nil, err
	}
	if err := checkBeside(in); err != nil {
		return nil, err
	}
	if r.KernelValue != nil && r.Kernel == "" {
		r.Kernel = kernel.Format(r.KernelValue, nil)
	}
	var err error
	if p.recipe, err = judgedBy(in, r); err != nil {
		return nil, err
	}
	p.method, p.request, err = method.Read(p.recipe)
	p.asked = p.request.Recipe // folds are found anew for the rows that there are then
	p.asked.Tune, p.asked.Decision = r.Tune, r.Decision
	return p, err
}

// answer checks the plan against its rows, chooses a scaling and trains.
func (p *plan) answer(ctx context.Context, pick int) (*answer.Answer, error) {
	if err := checkTask(p.method, p.in, p.recipe); err != nil {
		return nil, err
	}
	if err := checkWeights(p.method, p.in); err != nil {
		return nil, err
	}
	form, forecast := foresee(p.in, p.method, p.request, p.options)
	if err := checkMemory(p.in, forecast, p.options.Memory); err != nil {
		return nil, err
	}
	if p.options.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.options.TimeLimit)
		defer cancel()
	}
	request := p.request
	var err error
	if form.Scale != "" {
		request.Scale, request.ScaleReason = scaledBy(form.Scale, p.in, p.recipe)
	} else if request.Scale, request.ScaleReason, err = chooseScaling(ctx, p.in, p.recipe, p.options); err != nil {
		return nil, err
	}
	return p.train(ctx, form, forecast, request, pick)
}

// train makes the machines of a form and chooses from them.
func (p *plan) train(
	ctx context.Context, form method.Form, forecast foreseen, r task.Request, pick int,
) (*answer.Answer, error) {
	a := &answer.Answer{
		Method: p.method, Asked: p.asked, Start: p.start, Forecast: result.Foreseen{Seconds: forecast.Seconds, Bytes: forecast.Memory},
	}
	sample := 0
	if form.Sample != nil {
		sample = form.Sample(r)
	}
	var err error
	if a.Task, err = task.Prepare(ctx, p.in, r, p.options, p.method.Coding, sample); err != nil {
		return nil, err
	}
	if form.Says != nil {
		a.Task.Warnings = append([]string{form.Says(forecast.size, r)}, a.Task.Warnings...)
	}
	if a.Candidates, err = form.Produce(ctx, a.Task); err != nil {
		return nil, err
	}
	if err := checkCandidates(a.Candidates, p.recipe); err != nil {
		return nil, err
	}
	a.Made = time.Now()
	if a.Shares, err = method.Balance(a.Task); err != nil {
		return nil, err
	}
	if a.Choice, err = a.Rule().Choose(context.WithoutCancel(ctx), a.Candidates); err != nil {
		return nil, err
	}
	return a, a.Pick(pick)
}
