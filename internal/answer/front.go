package answer

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

// FrontResult describes the front and the member chosen, and measures the model of that.
func (a *Answer) FrontResult(ctx context.Context, chosen *model.Model) (*result.FrontResult, error) {
	t, f := a.Task, a.Candidates.Front
	one := &result.Result{Metrics: map[string]result.Metric{}}
	if err := a.measure(ctx, one, chosen); err != nil {
		return nil, err
	}
	res := &result.FrontResult{
		Method:    a.Method.ID,
		Task:      t.Labels.Task.String(),
		Classes:   t.Problem.Classes,
		Parts:     f.Parts,
		Trained:   f.Trained,
		Partial:   f.Partial,
		Violation: f.Violation,
		Scaling:   t.Scaled,
		Forecast:  &a.Forecast,
		Rows:      a.counts(),
		Decision:  a.Choice.Rule,
		Assumed:   a.Choice.Assumed,
		Metrics:   one.Metrics,
	}
	for k, p := range f.Points {
		m := result.FrontMember{Risk: p.Risk, Complexity: p.Complexity, Params: p.Params, Support: p.Support(), Chosen: k == a.Choice.Point}
		if s := a.Choice.Scores[k]; !math.IsNaN(s) {
			m.Score = &s
		}
		res.Front = append(res.Front, m)
	}
	res.Warnings = append(slices.Concat(t.Warnings, a.Candidates.Warnings), one.Warnings...)
	if f.Partial {
		res.Warnings = append(res.Warnings, "the front is partial: it was interrupted, and shows what is nondominated so far")
	}
	res.Seconds = a.seconds()
	return res, nil
}

// frontModel is the front as a model keeps it.
func (a *Answer) frontModel() *model.Front {
	f := a.Candidates.Front
	kept := &model.Front{Chosen: a.Choice.Point}
	for _, p := range f.Points {
		part := model.Part{Offset: p.Offset}
		for _, t := range p.Terms {
			if len(t.Rows) > 0 {
				part.Functions = append(part.Functions, model.Expansion{Kernel: t.Kernel, Centres: f.Centres, Rows: t.Rows, Coef: t.Coef})
			}
		}
		kept.Members = append(kept.Members, model.Member{Risk: p.Risk, Complexity: p.Complexity, Parts: []model.Part{part}})
	}
	return kept
}

// describePoint names the parameters of the member of a front that a fit has chosen.
func (a *Answer) describePoint(res *result.Result) {
	f, at := a.Candidates.Front, a.Choice.Point
	res.Params, res.Support = f.Points[at].Params, f.Points[at].Support()
	res.Tuning.Score = a.Choice.Rule
	if s := a.Choice.Scores[at]; !math.IsNaN(s) {
		res.Tuning.Value = s
	}
	if f.Partial {
		res.Tuning.Status = string(search.Interrupted)
		res.Warnings = append(res.Warnings, "the front is partial: it was interrupted, and shows what is nondominated so far")
	}
	if f.Violation > 0 {
		res.Certificate = &result.Certificate{Residual: f.Violation}
	}
}
