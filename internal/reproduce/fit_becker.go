package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer"
)

// beckerFit is the literature column of table 4.2: Laplacian RLS, or RLS without unlabelled rows, at
// published parameters.
func beckerFit(ctx context.Context, l *lab) error {
	for _, r := range thin(ctx, "rows", 1, table42) {
		if !l.wants(r.data.name) {
			continue
		}
		g, err := l.load(ctx, r.data)
		if err != nil {
			return err
		}
		for run := range l.runs {
			l.say("%s, split %d of %d", r.name(), run+1, l.runs)
			if err := l.literatureTwice(ctx, r.name(), g.split(l.seed, run, 100, r.unlabelled, r.data.test), r.data); err != nil {
				return err
			}
		}
		l.printedBoth(r.name(), testError, r.printed[4])
	}
	return nil
}

// literatureTwice trains a split at the literature's parameters both ways.
func (l *lab) literatureTwice(ctx context.Context, name string, t *trial, d dataset) error {
	theta := t.literature(d)
	out, err := t.fit(ctx, t.machine(), theta)
	if err != nil {
		return err
	}
	r := mercer.Recipe{Method: "rls", Kernel: "gaussian", Offset: "no", Set: map[string]string{"sigma": text(theta[0])}}
	labelled := float64(len(t.problem.Labelled))
	if len(theta) == 2 {
		r.Set["lambda"] = text(theta[1] / labelled) // of the averaged loss
	} else {
		r.Method = "lap-rls"
		for k, v := range map[string]string{
			"neighbours": text(theta[1]), "degree": text(theta[2]), "gamma_i": text(theta[3]), "gamma_a": text(theta[4]),
			"weights": "binary", "laplacian": "normalised", "symmetry": "union",
		} {
			r.Set[k] = v
		}
	}
	m, res, err := fixedFit(ctx, inputOf(t.problem, t.test, t.class), r)
	if err != nil {
		return err
	}
	front, err := m.Predict(ctx, t.test)
	if err != nil {
		return err
	}
	if res.Rows.Test != t.test.Len() {
		return fmt.Errorf("mercer.Fit judged %d of %d test rows", res.Rows.Test, t.test.Len())
	}
	l.both(name, testError, percentWrong(out, t.class), 100*res.Metrics["test"]["error"])
	l.most(name, fitDifference, apart(out, front))
	return nil
}
