package mercer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/mobj"
	"github.com/mercer-ml/mercer/model"
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

// FrontPart is some points of the front of one width. It ends where others are better whatever comes.
type FrontPart struct {
	Name             string
	Risk, Complexity []float64
}

// Chosen is the number of the member chosen, from 0.
func (r *FrontResult) Chosen() int {
	return slices.IndexFunc(r.Front, func(m FrontMember) bool { return m.Chosen })
}

// front is what a method of choice by front makes, before anything is chosen.
type front struct {
	members   []frontMember
	parts     []FrontPart
	rows      int
	trained   int
	partial   bool
	violation float64
	warnings  []string
	quick     bool // folds take as long as the front, and there are other decisions
	gaussian  bool // squared errors of fits with degrees of freedom: what information criteria need
	// leftOut is the loss of every member on rows held out in folds, and what it is; nil if
	// the method has none.
	leftOut func(ctx context.Context, folds [][]int) ([]float64, string, error)
}

type frontMember struct {
	mobj.Member
	risk   float64
	params map[string]any
	part   model.Part
}

// Pareto makes the whole front of risk against complexity and chooses one member of it.
// Cancelling the context keeps what is nondominated so far. The model returned is the chosen
// member's, with the front in it; its pick is `pick` (from 1) if that is not 0, else that of
// the decision. Errors are as of Fit.
func Pareto(ctx context.Context, in Input, r Recipe, o Options, pick int) (*model.Model, *FrontResult, error) {
	start := time.Now()
	if r.Method == "" || r.Method == "auto" {
		r.Method = "mobj-rbf"
	}
	m, ok := methodOf(r.Method)
	if !ok || !m.front {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--method %s: it makes one machine and no front; choose %s", r.Method, strings.Join(fronts(), ", "))}}
	}
	if pick < 0 {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--pick %d: members are numbered from 1", pick)}}
	}
	j, err := newJob(in, r, o)
	if err != nil {
		return nil, nil, err
	}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	return j.pareto(ctx, start, pick)
}

// pareto is Pareto for a job.
func (j *job) pareto(ctx context.Context, start time.Time, pick int) (*model.Model, *FrontResult, error) {
	f, err := j.front(ctx)
	if err != nil {
		return nil, nil, err
	}
	res := &FrontResult{Method: j.method.id, Task: j.labels.Task.String(), Classes: j.problem.Classes, Parts: f.parts, Trained: f.trained, Partial: f.partial,
		Violation: f.violation, Scaling: j.scaled, Rows: j.counts()}
	made := time.Now()
	// The decision is short beside the front, and is made even of a partial one.
	chosen, err := j.decide(context.WithoutCancel(ctx), f, res)
	if err != nil {
		return nil, nil, err
	}
	if pick > len(f.members) {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--pick %d: the front has %d members", pick, len(f.members))}}
	}
	if pick > 0 {
		chosen = pick - 1
		res.Decision = "pick"
		res.Assumed = "the member asked for"
	}
	for k := range res.Front {
		res.Front[k].Chosen = k == chosen
	}
	mod := j.frontModel(f, chosen)
	if err := j.frontMetrics(res, mod); err != nil {
		return nil, nil, err
	}
	res.Warnings = append(append(res.Warnings, j.warnings...), f.warnings...)
	if f.partial {
		res.Warnings = append(res.Warnings, "the front is partial: it was interrupted, and shows what is nondominated so far")
	}
	res.Seconds = Seconds{Total: time.Since(start).Seconds(), Tune: made.Sub(start).Seconds(), Fit: time.Since(made).Seconds()}
	stored := *res
	stored.Seconds, stored.Metrics = Seconds{}, nil
	if mod.Recipe, err = json.Marshal(j.recipe); err != nil {
		return nil, nil, err
	}
	if mod.Result, err = json.Marshal(stored); err != nil {
		return nil, nil, fmt.Errorf("%s: the front has no finite members, its features are too small or too large; use --scale standard", j.in.Set.Source)
	}
	return mod, res, nil
}

// fronts lists the methods that make fronts.
func fronts() []string {
	var ids []string
	for _, m := range methods() {
		if m.front {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// counts are the rows by their part.
func (j *job) counts() RowCounts {
	c := RowCounts{Labelled: len(j.problem.Labelled), Unlabelled: j.problem.Rows.Len() - len(j.problem.Labelled), Features: j.problem.Rows.Dim()}
	if j.in.Test != nil {
		c.Test = j.in.Test.Rows.Len()
	}
	return c
}

// front makes the front of the method.
func (j *job) front(ctx context.Context) (*front, error) {
	if j.method.id == "mobj-svm" {
		return j.machineFront(ctx)
	}
	return j.networkFront(ctx)
}

// Decisions are the words of --decision; cv:K has K folds, of which validation:K judges by one.
func Decisions() []string {
	return []string{"cv", "cv:K", "validation", "validation:K", "aic", "bic", "gcv", "aic-log", "bic-log", "aic-cls", "bic-cls", "cls-4.34", "vc-bound", "knee", "knee-log", "lcurve"}
}

// parseDecision reads a decision; folds is 0 for those that need none.
func parseDecision(text string) (d mobj.Decisor, folds int, err error) {
	switch head, arg, several := strings.Cut(text, ":"); {
	case head == "cv" || head == "validation":
		if folds = 5; head == "validation" {
			folds = 3
		}
		if several {
			if folds, err = strconv.Atoi(arg); err != nil || folds < 2 {
				return nil, 0, fmt.Errorf("--decision %s: give a number of folds from 2, as in %s:5", text, head)
			}
		}
		return nil, folds, nil
	case !several:
		list := []mobj.Decisor{mobj.AIC{}, mobj.BIC{}, mobj.GCV{}, mobj.AIC{Form: mobj.Logs}, mobj.BIC{Form: mobj.Logs},
			mobj.AIC{Form: mobj.Classes}, mobj.BIC{Form: mobj.Classes}, mobj.AIC{Form: mobj.Printed}, mobj.VCBound{}, mobj.Knee{}, mobj.Knee{Log: true}, mobj.LCurve{}}
		for _, d := range list {
			if d.Name() == text || text == "cls-4.34" && d == (mobj.AIC{Form: mobj.Printed}) {
				return d, 0, nil
			}
		}
	}
	return nil, 0, fmt.Errorf("--decision %s: not known; choose %s", text, strings.Join(Decisions(), ", "))
}

// shapeOnly says whether a decision looks at the front's shape alone.
func shapeOnly(d mobj.Decisor) bool {
	switch d.(type) {
	case mobj.Knee, mobj.LCurve:
		return true
	}
	return false
}

// decide scores the members and fills in the result's front.
func (j *job) decide(ctx context.Context, f *front, res *FrontResult) (int, error) {
	word := j.recipe.Decision
	if word == "" {
		word = "cv"
		switch {
		case f.leftOut == nil:
			word = "gcv"
		case f.partial && f.quick:
			// Who interrupts does not want folds that take as long as the front.
			word = "bic"
			f.warnings = append(f.warnings, "the member of the partial front was chosen by bic, not by folds; ask for them with --decision cv")
		}
	}
	d, folds, err := parseDecision(word)
	if err != nil {
		return 0, &UsageError{[]string{err.Error()}}
	}
	// Sums over outputs are of as many residuals.
	table := mobj.Front{N: f.rows * j.problem.Outputs()}
	for _, m := range f.members {
		table.Members = append(table.Members, m.Member)
	}
	if folds > 0 {
		if f.leftOut == nil {
			return 0, &UsageError{[]string{fmt.Sprintf("--decision %s: method %s is judged by its degrees of freedom; choose gcv, aic or bic", word, j.method.id)}}
		}
		if l := len(j.problem.Labelled); folds > l {
			return 0, fmt.Errorf("%s: --decision %s asks %d folds of %d labelled rows; ask for fewer", j.in.Set.Source, word, folds, l)
		}
		part, err := data.Folds(j.labels, folds, j.seed())
		if err != nil {
			return 0, err
		}
		groups, of := j.places(part), fmt.Sprintf("of %d folds", folds)
		if strings.HasPrefix(word, "validation") {
			groups, of = groups[:1], fmt.Sprintf("of one part in %d, held out once; the front is of all rows", folds)
		}
		loss, says, err := f.leftOut(ctx, groups)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", j.in.Set.Source, err)
		}
		d = mobj.Held{Word: word, Loss: loss, Says: says + " " + of}
	} else if !f.gaussian && !shapeOnly(d) {
		return 0, &UsageError{[]string{fmt.Sprintf("--decision %s: machines with the hinge have no degrees of freedom; choose cv, knee or lcurve", word)}}
	}
	if j.labels.Task == data.Regression && (strings.HasSuffix(word, "-cls") || word == "cls-4.34" || word == "vc-bound") {
		return 0, &UsageError{[]string{fmt.Sprintf("--decision %s: it is for classes; choose cv, aic, bic or gcv", word)}}
	}
	out, err := d.Decide(table)
	if err != nil {
		return 0, fmt.Errorf("%s: --decision %s: %w", j.in.Set.Source, word, err)
	}
	if out.Chosen < 0 {
		remedy := "choose --decision cv, or label more rows"
		if folds > 0 {
			remedy = "scale the labels and the features, or label more rows"
		}
		return 0, fmt.Errorf("%s: --decision %s: no member has a finite score; %s", j.in.Set.Source, word, remedy)
	}
	res.Decision, res.Assumed = word, out.Assumed
	for k, m := range f.members {
		one := FrontMember{Risk: m.risk, Complexity: m.Complexity, Params: m.params, Support: supportOf(m.part)}
		if s := out.Score[k]; !math.IsInf(s, 0) && !math.IsNaN(s) && !shapeOnly(d) {
			one.Score = &s
		}
		res.Front = append(res.Front, one)
	}
	return out.Chosen, nil
}

func supportOf(p model.Part) int { m := model.Member{Parts: []model.Part{p}}; return m.Support() }

// frontModel is the chosen member with the front in it.
func (j *job) frontModel(f *front, chosen int) *model.Model {
	p := j.problem
	m := &model.Model{
		Method: j.method.id, Task: p.Task, Classes: p.Classes, Label: j.in.Set.LabelName, Columns: p.Rows.Dim(),
		Features: j.in.Set.Features, Sparse: p.Rows.IsSparse(), Scaling: j.scaling, Pairs: p.Coding.Pairs,
		Front: &model.Front{Chosen: chosen},
	}
	for _, one := range f.members {
		m.Front.Members = append(m.Front.Members, model.Member{Risk: one.risk, Complexity: one.Complexity, Parts: []model.Part{one.part}})
	}
	m.Parts = m.Front.Members[chosen].Parts
	return m
}

// frontMetrics measures the chosen member on labelled, hidden and test rows.
func (j *job) frontMetrics(res *FrontResult, m *model.Model) error {
	res.Metrics = map[string]Metric{}
	for name, set := range map[string]struct {
		rows    data.Rows
		answers data.Answers
	}{"labelled": {j.in.Set.Rows, j.in.Set.Answers}, "hidden": {j.in.Set.Rows, j.in.Hidden}} {
		if set.answers == nil {
			continue
		}
		met, n, err := Evaluate(m, set.rows, set.answers)
		if err != nil {
			return err
		}
		if n > 0 {
			res.Metrics[name] = met
		}
	}
	if j.in.Test == nil {
		return nil
	}
	met, n, err := Evaluate(m, j.in.Test.Rows, j.in.Test.Answers)
	if err != nil {
		return &SetError{j.in.Test, err}
	}
	if n > 0 {
		res.Metrics["test"] = met
	}
	return nil
}

// frontFit is Fit for methods that choose from a front.
func (j *job) frontFit(ctx context.Context, start time.Time) (*model.Model, *Result, error) {
	m, f, err := j.pareto(ctx, start, 0)
	if err != nil {
		return nil, nil, err
	}
	m.Front = nil
	at := f.Chosen()
	one := f.Front[at]
	res := &Result{Method: f.Method, Kernel: j.kernelSpec(), Task: f.Task, Classes: f.Classes, Rows: f.Rows, Params: one.Params, Support: one.Support,
		Metrics: f.Metrics, Scaling: f.Scaling, Seconds: f.Seconds, Warnings: f.Warnings,
		Tuning: &Tuning{Score: f.Decision, Evaluations: len(f.Front), Search: "front", Status: "complete"}}
	if one.Score != nil {
		res.Tuning.Value = *one.Score
	}
	if f.Partial {
		res.Tuning.Status = string(auto.Interrupted)
	}
	if f.Violation > 0 {
		res.Certificate = &Certificate{Residual: f.Violation}
	}
	stored := *res
	stored.Seconds, stored.Metrics = Seconds{}, nil
	m.Result, err = json.Marshal(stored)
	return m, res, err
}
