package answer

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/search"
)

// FrontResult is what `pareto --json` prints: the members by increasing complexity, none of
// which is worse than another in both, and the one chosen.
type FrontResult struct {
	Method   string            `json:"method"`
	Task     string            `json:"task"`
	Classes  []string          `json:"classes,omitempty"`
	Rows     RowCounts         `json:"rows"`
	Front    []FrontMember     `json:"front"`
	Parts    []choose.Part     `json:"-"` // the fronts it was merged from, of one width each; for figures
	Decision string            `json:"decision"`
	Assumed  string            `json:"assumed,omitempty"` // what the decision rests on
	Metrics  map[string]Metric `json:"metrics"`
	Trained  int               `json:"trained,omitempty"` // machines trained, those of the decision included
	Partial  bool              `json:"partial,omitempty"` // interrupted: nondominated among what there was
	// Violation is the largest relative violation of the optimality conditions on the paths.
	Violation float64   `json:"violation,omitempty"`
	Scaling   string    `json:"scaling,omitempty"`
	Seconds   Seconds   `json:"seconds"`
	Forecast  *Foreseen `json:"forecast,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Model     string    `json:"model,omitempty"`
}

// FrontMember is one function of the front. Risk is the mean squared error on the labelled
// rows, or the mean hinge loss of machines with the hinge.
type FrontMember struct {
	Risk       float64        `json:"risk"`
	Complexity float64        `json:"complexity"`
	Params     map[string]any `json:"params"`
	Support    int            `json:"support"`
	Score      *float64       `json:"score,omitempty"`
	Chosen     bool           `json:"chosen"`
}

// Chosen is the number of the member chosen, from 0.
func (r *FrontResult) Chosen() int {
	return slices.IndexFunc(r.Front, func(m FrontMember) bool { return m.Chosen })
}

// FrontResult describes the front and the member chosen, and measures the model of that.
func (a *Answer) FrontResult(ctx context.Context, chosen *model.Model) (*FrontResult, error) {
	t, f := a.Task, a.Slate.Front
	one := &Result{Metrics: map[string]Metric{}}
	if err := a.measure(ctx, one, chosen); err != nil {
		return nil, err
	}
	res := &FrontResult{
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
		m := FrontMember{Risk: p.Risk, Complexity: p.Complexity, Params: p.Params, Support: p.Support(), Chosen: k == a.Choice.Point}
		if s := a.Choice.Scores[k]; !math.IsNaN(s) {
			m.Score = &s
		}
		res.Front = append(res.Front, m)
	}
	res.Warnings = append(slices.Concat(t.Warnings, a.Slate.Warnings), one.Warnings...)
	if f.Partial {
		res.Warnings = append(res.Warnings, "the front is partial: it was interrupted, and shows what is nondominated so far")
	}
	res.Seconds = a.seconds()
	return res, nil
}

// frontModel is the front as a model keeps it.
func (a *Answer) frontModel() *model.Front {
	f := a.Slate.Front
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
func (a *Answer) describePoint(res *Result) {
	f, at := a.Slate.Front, a.Choice.Point
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
		res.Certificate = &Certificate{Residual: f.Violation}
	}
}
