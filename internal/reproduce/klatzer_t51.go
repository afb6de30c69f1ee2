package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/learn"
)

// klatzerT51 is the effect of the surrogate's width on a linear machine.
func klatzerT51(ctx context.Context, l *lab) error {
	iris, err := l.classified(ctx, irisSet)
	if err != nil {
		return err
	}
	for run := range l.runs {
		part := iris.shares(l.stream(run), 76, 37, 37)
		t := heldOut(iris.x, iris.against(0), part[0], part[1], part[2])
		for _, c := range table51 {
			b := linearModel().outer(t, c.loss)
			res, err := l.report(ctx, c.name(), b, rawSearch, []float64{9})
			if err != nil {
				return err
			}
			l.printed(c.name(), evaluations, c.evaluations)
			l.printed(c.name(), minH, c.h)
			l.add(c.name(), "c", res.Theta[0])
			if res, err = b.tune(ctx, logSearch, []float64{9}); err != nil {
				return err
			}
			l.add(c.name(), evaluations+" on logarithms", float64(res.Evaluations))
		}
	}
	return nil
}

type row51 struct {
	loss           learn.Loss
	evaluations, h float64 // printed
}

func (r row51) name() string {
	switch v := r.loss.(type) {
	case learn.ModLogistic:
		return fmt.Sprintf("modified logistic mu=%g", v.Mu)
	case learn.Quartic:
		return fmt.Sprintf("quartic eps=%g", v.Eps)
	}
	return r.loss.Name()
}

var table51 = []row51{
	{learn.ModLogistic{Mu: 7.5}, 9, 0.0588}, {learn.ModLogistic{Mu: 12}, 10, 0.0541}, {learn.ModLogistic{Mu: 24}, 33, 0.0515},
	{learn.ModLogistic{Mu: 32}, 35, 0.0510}, {learn.ModLogistic{Mu: 64}, 45, 0.0506},
	{
		learn.Quartic{Eps: 0.4},
		47,
		0.0552,
	}, {learn.Quartic{Eps: 0.25}, 11, 0.0527}, {learn.Quartic{Eps: 0.125}, 10, 0.0512}, {learn.Quartic{Eps: 0.1}, 19, 0.0509},
}
