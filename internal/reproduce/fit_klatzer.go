package reproduce

import (
	"context"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/kernel"
)

// klatzerFit is the row of table 5.6 with one width: c and gamma learned on five folds by the mean
// squared error of left-out outputs.
func klatzerFit(ctx context.Context, l *lab) error {
	err := l.eachHeart(ctx, func(run int, t *heartTrial) error {
		l.say("split %d of %d", run+1, l.runs)
		own, err := crossValidated(t.set.x, t.set.against(1), t.part[0], t.part[1], l.seeded(), new(kernel.Work))
		if err != nil {
			return err
		}
		return l.widthTwice(ctx, "one gamma", own, uniform(t.rng, 5, 15, 1)[0])
	})
	l.printedBoth("one gamma", minH, 0.2864)
	l.printedBoth("one gamma", testRight, 86.25)
	return err
}

const sameH = "H at the library's parameters"

// widthTwice learns c and gamma both ways.
func (l *lab) widthTwice(ctx context.Context, name string, t *task, c float64) error {
	b := gaussianModel().outer(t, klatzerLosses[1].loss)
	found, err := b.tune(ctx, logSearch, []float64{c, 1})
	if err != nil {
		return err
	}
	exact, err := b.Eval(ctx, found.Theta, false)
	if err != nil {
		return err
	}
	_, test, err := b.fit(ctx, found.Theta)
	if err != nil {
		return err
	}
	class := make([]int, len(t.testY))
	for i, y := range t.testY {
		if y > 0 {
			class[i] = 1
		}
	}
	in := inputOf(t.problem, t.test, class)
	r := mercer.Recipe{Method: "svm", Kernel: "gaussian", Offset: "no", Tune: "kfold:5", Search: "gradient", Scale: "none",
		Seed: l.seeded(), Tolerance: 1e-8, Set: map[string]string{"loss": "quartic", "loss_width": "0.125", "outer": "mse"}}
	_, res, err := mercer.Fit(ctx, in, r, mercer.Options{})
	if err != nil {
		return err
	}
	l.both(name, minH, exact.F, res.Tuning.Value/2)
	l.both(name, testRight, test.right, 100*(1-res.Metrics["test"]["error"]))
	ours, _ := b.library(found.Theta)
	r.Set["sigma"], r.Set["C"] = text(ours[0]), text(ours[1])
	if _, res, err = mercer.Fit(ctx, in, r, mercer.Options{}); err != nil {
		return err
	}
	l.both(name, sameH, exact.F, res.Tuning.Value/2)
	l.both(name, testRight+" at the library's parameters", test.right, 100*(1-res.Metrics["test"]["error"]))
	return nil
}
