package task

import (
	"context"

	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search/param"
)

// heard counts what a listener has heard, over all searches of a fit.
type heard struct{ points, stage int }

// Stage begins another search.
func (t *Task) Stage() { t.heard.stage++ }

// Heard tells the listener a point of the search that is running.
func (t *Task) Heard(search string, space param.Space, theta []float64, score float64) {
	if t.Options.Listen.Evaluation == nil {
		return
	}
	t.heard.points++
	t.Options.Listen.Evaluation(result.Evaluation{
		N: t.heard.points, Stage: t.heard.stage, Search: search, Space: space, Theta: theta, Score: score,
	})
}

// Surface tells the listener the score of a search that has ended.
func (t *Task) Surface(ctx context.Context, o param.Objective) error {
	if t.Options.Listen.Surface == nil || ctx.Err() != nil {
		return nil
	}
	return t.Options.Listen.Surface(ctx, o.Space(), func(ctx context.Context, theta []float64) (float64, error) {
		v, err := o.Eval(ctx, theta, param.ValueOnly)
		return v.F, err
	})
}

// Progressed tells how far the fit is.
func (t *Task) Progressed(stage string, done, total int, best float64) {
	if t.Options.Progress != nil {
		t.Options.Progress(result.Progress{Stage: stage, Done: done, Total: total, Best: best})
	}
}
