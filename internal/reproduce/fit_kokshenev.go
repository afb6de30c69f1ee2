package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
	learned "github.com/mercer-ml/mercer/model"
)

// fitSpiral is the grid of table 4.1 as the front door has it: 250 steps of Q, as many widths as it
// takes by itself.
var fitSpiral = rbf.MOBJ{Widths: rbf.Widths{Lo: 0.2, Hi: 2, Seed: 1}, MaxQ: 1000}

// kokshenevFit is the choice by AIC and BIC on the twin spiral.
func kokshenevFit(ctx context.Context, l *lab) error {
	grid := brief(ctx, fitSpiral)
	trials, err := l.spirals(ctx, grid)
	if err != nil {
		return err
	}
	for k, t := range trials[:atMost(ctx, "experiments", 1, len(trials))] {
		for _, d := range []choose.Decisor{choose.AIC{}, choose.BIC{}} {
			if err := l.decidedTwice(ctx, t, d, grid); err != nil {
				return err
			}
		}
		for _, row := range table41 {
			if row.experiment != k || len(row.by) != 2 {
				continue
			}
			for _, d := range []string{"aic", "bic"} {
				name := t.name + ", chosen by " + d
				for m, metric := range map[int]string{0: unitCount, 1: qRBF, 4: trainRMSE} {
					l.printedBoth(name, metric, row.v[m])
				}
			}
		}
	}
	return nil
}

// decidedTwice chooses from the front of a spiral both ways.
func (l *lab) decidedTwice(ctx context.Context, t *spiralTrial, d choose.Decisor, grid rbf.MOBJ) error {
	i, _, err := decide(members(t.front, t.errors), d)
	if err != nil {
		return err
	}
	e := &t.front.Elements[i]
	answers := make(data.Answers, len(t.y))
	for k, v := range t.y {
		answers[k] = fmt.Sprint(v)
	}
	set := &data.Set{Source: t.name, Name: t.name, Rows: t.x, Answers: answers, LabelName: "class"}
	r := mercer.Recipe{Method: "mobj-rbf", Decision: d.Name(), Scale: "none", Seed: 1,
		Set: map[string]string{"joint": "no", "sigma": text(grid.Widths.Lo) + "," + text(grid.Widths.Hi), "max_q": text(grid.MaxQ)}}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, r, mercer.Options{})
	if err != nil {
		return fmt.Errorf("mercer.Fit, %s: %w", r.Method, err)
	}
	out, err := m.Predict(ctx, t.x)
	if err != nil {
		return err
	}
	var sse, q float64
	for k, y := range t.y {
		sse += (y - out.At(k, 0)) * (y - out.At(k, 0))
	}
	// Q is read off the model itself: |alpha|_1/sigma^2 of its expansion.
	for _, f := range m.Parts[0].Functions {
		x, ok := f.(learned.Expansion)
		if !ok {
			return fmt.Errorf("mercer.Fit, %s: a model of %T", r.Method, f)
		}
		sigma := x.Kernel.Space()[0].Default
		n, _ := x.Coef.Dims()
		for k := range n {
			q += math.Abs(x.Coef.At(k, 0)) / (sigma * sigma)
		}
	}
	name := t.name + ", chosen by " + d.Name()
	l.both(name, unitCount, float64(len(e.Units)), float64(res.Support))
	l.both(name, qRBF, e.Q, q)
	l.both(name, trainRMSE, math.Sqrt(e.SSE/float64(len(t.y))), math.Sqrt(sse/float64(len(t.y))))
	return nil
}
