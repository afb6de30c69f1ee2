package mercer

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/setting"
	"github.com/mercer-ml/mercer/task"
)

// FrontResult is what `pareto --json` prints: the members by increasing complexity, none of
// which is worse than another in both, and the one chosen.
type FrontResult struct {
	Method   string            `json:"method"`
	Task     string            `json:"task"`
	Classes  []string          `json:"classes,omitempty"`
	Rows     RowCounts         `json:"rows"`
	Front    []FrontMember     `json:"front"`
	Parts    []FrontPart       `json:"-"` // the fronts it was merged from, of one width each; for figures
	Decision string            `json:"decision"`
	Assumed  string            `json:"assumed,omitempty"` // what the decision rests on
	Metrics  map[string]Metric `json:"metrics"`
	Trained  int               `json:"trained,omitempty"` // machines trained, those of the decision included
	Partial  bool              `json:"partial,omitempty"` // interrupted: nondominated among what there was
	// Violation is the largest relative violation of the optimality conditions on the paths.
	Violation float64  `json:"violation,omitempty"`
	Scaling   string   `json:"scaling,omitempty"`
	Seconds   Seconds  `json:"seconds"`
	Warnings  []string `json:"warnings,omitempty"`
	Model     string   `json:"model,omitempty"`
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

// Pareto makes the whole front of risk against complexity and chooses one member of it.
// Cancelling the context keeps what is nondominated so far. The model returned is the chosen
// member's, with the front in it; its pick is `pick` (from 1) if that is not 0, else that of
// the decision. Errors are as of Fit.
func Pareto(ctx context.Context, in Input, r Recipe, o Options, pick int) (*model.Model, *FrontResult, error) {
	if r.Method == "" || r.Method == method.Auto {
		r.Method = "mobj-rbf"
	}
	offersFront := func(m method.Method) bool { return m.Offers(nil).Front }
	if m, ok := method.Find(r.Method); !ok || !offersFront(m) {
		return nil, nil, task.Usage("--method %s: it makes one machine and no front; choose %s", r.Method, setting.Or(method.IDs(offersFront)))
	}
	if pick < 0 {
		return nil, nil, task.Usage("--pick %d: members are numbered from 1", pick)
	}
	l, err := learnFrom(ctx, in, r, o, pick)
	if err != nil {
		return nil, nil, err
	}
	m := l.model()
	m.Front = l.frontModel()
	one := &Result{Metrics: map[string]Metric{}}
	if err := l.measure(one, m); err != nil {
		return nil, nil, err
	}
	res := l.frontResult(one)
	stored := *res
	stored.Seconds, stored.Metrics = Seconds{}, nil
	return m, res, l.keep(m, stored)
}

// frontResult describes the front and the member chosen.
func (l *learned) frontResult(one *Result) *FrontResult {
	t, f := l.task, l.slate.Front
	res := &FrontResult{Method: l.method.ID, Task: t.Labels.Task.String(), Classes: t.Problem.Classes, Parts: f.Parts, Trained: f.Trained, Partial: f.Partial,
		Violation: f.Violation, Scaling: t.Scaled, Rows: l.counts(), Decision: l.choice.Rule, Assumed: l.choice.Assumed, Metrics: one.Metrics}
	for k, p := range f.Points {
		m := FrontMember{Risk: p.Risk, Complexity: p.Complexity, Params: p.Params, Support: p.Support(), Chosen: k == l.choice.Point}
		if s := l.choice.Scores[k]; !math.IsNaN(s) {
			m.Score = &s
		}
		res.Front = append(res.Front, m)
	}
	res.Warnings = append(slices.Concat(t.Warnings, l.slate.Warnings), one.Warnings...)
	if f.Partial {
		res.Warnings = append(res.Warnings, "the front is partial: it was interrupted, and shows what is nondominated so far")
	}
	res.Seconds = l.seconds()
	return res
}

// frontModel is the front as a model keeps it.
func (l *learned) frontModel() *model.Front {
	f := l.slate.Front
	kept := &model.Front{Chosen: l.choice.Point, Centres: f.Centres}
	for _, p := range f.Points {
		one := model.Member{Risk: p.Risk, Complexity: p.Complexity, Offset: p.Offset}
		for _, t := range p.Terms {
			one.Parts = append(one.Parts, model.Part{Kernel: t.Kernel, Rows: t.Rows, Coef: t.Coef})
		}
		kept.Members = append(kept.Members, one)
	}
	return kept
}

// describePoint names the member of a front that a fit has chosen.
func (l *learned) describePoint(res *Result) {
	f, at := l.slate.Front, l.choice.Point
	res.Params, res.Support = f.Points[at].Params, f.Points[at].Support()
	res.Tuning.Score = l.choice.Rule
	if s := l.choice.Scores[at]; !math.IsNaN(s) {
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
