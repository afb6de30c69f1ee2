package answer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// grace is how long measuring goes on after an interrupt: an answer that was interrupted is measured where that is
// quickly done.
const grace = time.Second

// measure measures the model on labelled, hidden and test rows, and the baseline
// on hidden and test rows. Nothing before this point has seen hidden answers. A model whose
// measuring is interrupted lacks measures, which is a warning.
func (a *Answer) measure(ctx context.Context, res *result.Result, m *model.Model) error {
	late, cancel := await.Linger(ctx, grace)
	defer cancel()
	err := a.measureAll(late, res, m)
	if err != nil && late.Err() != nil {
		res.Warnings = append(res.Warnings, "interrupted while the model was measured; mercer evaluate takes the measures that are absent")
		return nil
	}
	return err
}

func (a *Answer) measureAll(ctx context.Context, res *result.Result, m *model.Model) error {
	var err error
	t := a.Task
	known := a.outputsOrNil(a.Choice)
	if a.Reduced != nil {
		known = nil
	}
	if known, err = a.asWritten(ctx, res, m, known); err != nil {
		return err
	}
	if err = a.measureBalance(ctx, res, m, known); err != nil {
		return err
	}
	if res.Metrics["labelled"], err = a.onRows(ctx, m, known, t.Labels); err != nil {
		return err
	}
	delete(res.Metrics["labelled"], covered) // intervals are for rows that were not learned from
	base, baseKnown := a.baseline(res)
	if err := a.hidden(ctx, res, m, base, known, baseKnown); err != nil {
		return err
	}
	if err := a.views(ctx, res, m); err != nil || t.Input.Test == nil {
		return err
	}
	return a.test(ctx, res, m, base)
}

// asWritten are outputs that were kept in training, or nil with a warning where the model that is written gives others on some of the rows:
// its sums over centres lose their digits where columns are far from zero beside their spread. In a graph equal rows may have several
// outputs, of which a model has one.
func (a *Answer) asWritten(ctx context.Context, res *result.Result, m *model.Model, known *mat.Dense) (*mat.Dense, error) {
	const rows, share = 64, 0.01 // looked at; of the span of the outputs, from which on measures differ
	if known == nil || slices.ContainsFunc(a.Choice.Members, func(m choose.Weighted) bool { return m.Spread != nil }) {
		return known, nil
	}
	n, outputs := known.Dims()
	var idx []int
	for q := range min(n, rows) {
		idx = append(idx, q*n/min(n, rows))
	}
	out, err := predict(ctx, m, a.Task.Input.Set.Rows, idx)
	if err != nil {
		return nil, err
	}
	some := pick(known, idx)
	for j := range outputs {
		was := mat.Col(nil, j, some)
		span := slices.Max(was) - slices.Min(was)
		for q, v := range was {
			if math.Abs(out.At(q, j)-v) > share*span+1e-6*math.Abs(v) {
				res.Warnings = append(res.Warnings, "the model gives other outputs than its training had, as where columns are so far from zero "+
					"that sums lose their digits; the measures are those of the model; use --scale standard")
				return nil, nil
			}
		}
	}
	return known, nil
}

// measureBalance counts the classes that a model decides for unlabelled rows; out are its outputs on all rows, or nil.
func (a *Answer) measureBalance(ctx context.Context, res *result.Result, m *model.Model, out *mat.Dense) error {
	p := a.Task.Problem
	n := p.Rows.Len()
	known := make([]bool, n)
	for _, i := range p.Labelled {
		known[i] = true
	}
	idx := slices.DeleteFunc(indices.To(n), func(i int) bool { return known[i] })
	if res.Balance == nil || len(idx) == 0 {
		return nil
	}
	if out != nil {
		out = pick(out, idx)
	} else {
		var err error
		if out, err = predict(ctx, m, a.Task.Input.Set.Rows, idx); err != nil {
			return err
		}
	}
	shares := make([]float64, len(p.Classes))
	for _, k := range m.Decide(out) {
		shares[k] += 1 / float64(len(idx))
	}
	res.Balance.Unlabelled = shares
	return nil
}

// views shows each view of a model of several.
func (a *Answer) views(ctx context.Context, res *result.Result, m *model.Model) error {
	sets := map[string]data.Labels{"labelled": a.Task.Labels}
	if hidden := a.Task.Input.Hidden; hidden != nil {
		labels, _, err := Known(m, hidden)
		if err != nil {
			return err
		}
		sets["hidden"] = labels
	}
	var err error
	res.Views, err = Views(ctx, m, a.Task.Input.Set.Rows, sets)
	return err
}

// outputsOrNil are a choice's outputs on all rows where its machines have kept them.
func (a *Answer) outputsOrNil(c *choose.Choice) *mat.Dense {
	for _, m := range c.Members {
		if m.Machine.Outputs == nil {
			return nil
		}
	}
	return a.outputs(c)
}

// onRows measures a model on the rows of the fit that have an answer; out are its outputs on
// all of them, or nil.
func (a *Answer) onRows(ctx context.Context, m *model.Model, out *mat.Dense, labels data.Labels) (result.Metric, error) {
	idx := answered(labels)
	if len(idx) == 0 {
		return nil, nil
	}
	if out == nil {
		var err error
		if out, err = predict(ctx, m, a.Task.Input.Set.Rows, idx); err != nil {
			return nil, err
		}
		return measure(m, out, labels, idx)
	}
	return measure(m, pick(out, idx), labels, idx)
}

// baseline returns the model of the supervised machine beside the choice, and its outputs. Both are
// nil if that machine is the choice.
func (a *Answer) baseline(res *result.Result) (*model.Model, *mat.Dense) {
	c := a.Choice
	if c.Baseline == nil || len(c.Members) == 1 && c.Members[0].Candidate == c.Baseline {
		return nil, nil
	}
	alone := &choose.Choice{Members: []choose.Weighted{{Candidate: c.Baseline, Weight: 1}}}
	name := a.Method.Baseline
	switch {
	case c.Baseline.Method != "":
		name = c.Baseline.Method
	case name == "":
		name = "rls"
	}
	twin, _ := method.Find(name)
	res.Baseline = &result.Baseline{
		Method:  name,
		Kernel:  a.kernelOf(c.Baseline),
		Params:  twin.Params(a.Task, c.Baseline),
		Metrics: map[string]result.Metric{},
	}
	if score := c.Baseline.Score; !math.IsInf(score, 0) {
		res.Baseline.Score = &score
	}
	return a.modelOf(alone), a.outputsOrNil(alone)
}

// hidden measures on the rows whose answers were hidden. If the fit learned from a sample, these are
// the hidden rows of the whole input.
func (a *Answer) hidden(ctx context.Context, res *result.Result, m, base *model.Model, out, baseOut *mat.Dense) error {
	t := a.Task
	if t.Whole.Hidden == nil {
		return nil
	}
	hidden, unseen, err := Known(m, t.Whole.Hidden)
	if err != nil {
		return err
	}
	warnUnseen(res, "hidden", unseen)
	on := func(m *model.Model, out *mat.Dense) (result.Metric, error) {
		if t.Sampled() {
			met, _, err := Evaluate(ctx, m, t.Whole.Set.Rows, t.Whole.Hidden)
			return met, err
		}
		return a.onRows(ctx, m, out, hidden)
	}
	met, err := on(m, out)
	if err != nil || met == nil {
		return err
	}
	res.Metrics["hidden"] = met
	if base != nil {
		res.Baseline.Metrics["hidden"], err = on(base, baseOut)
	}
	return err
}

// test measures on the rows of Input.Test.
func (a *Answer) test(ctx context.Context, res *result.Result, m, base *model.Model) error {
	set := a.Task.Input.Test
	_, unseen, err := Known(m, set.Answers)
	if err != nil {
		return &result.SetError{Set: set, Err: err}
	}
	warnUnseen(res, "test", unseen)
	met, n, err := Evaluate(ctx, m, set.Rows, set.Answers)
	if err != nil {
		return &result.SetError{Set: set, Err: err}
	}
	if n == 0 {
		return nil
	}
	res.Metrics["test"] = met
	if base == nil {
		return nil
	}
	if res.Baseline.Metrics["test"], _, err = Evaluate(ctx, base, set.Rows, set.Answers); err != nil {
		return &result.SetError{Set: set, Err: err}
	}
	return nil
}

func warnUnseen(res *result.Result, rows string, unseen map[string]int) {
	total := 0
	for _, n := range unseen {
		total += n
	}
	if total > 0 {
		res.Warnings = append(
			res.Warnings,
			fmt.Sprintf("%d %s rows have a class that no labelled row has; they count as errors", total, rows),
		)
	}
}
