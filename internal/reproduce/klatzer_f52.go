package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/search"
)

// klatzerF52 is the course of H(c) and of the searches on it (with fig. 2.2, the same
// curve over a wider range).
func klatzerF52(ctx context.Context, l *lab) error {
	t, err := l.irisTask(ctx, 0)
	if err != nil {
		return err
	}
	picture := Figure{Name: "course", Title: "H(c) on Iris and the points that searches tried", X: Axis{"c", true},
		Y: Axis{Name: "H"}}
	for _, v := range klatzerLosses {
		b := linearModel().outer(t, v.loss)
		for _, c := range []float64{1, 10, 100, 1000} {
			at, err := b.Eval(ctx, []float64{c}, true)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("%s, c=%g", v.name, c)
			l.add(name, "H", at.F)
			l.add(name, "dH/dc", at.Grad[0])
		}
		c, h, err := b.course(ctx, 0, 4)
		if err != nil {
			return err
		}
		picture.Curves = append(picture.Curves, Curve{Name: v.name, X: c, Y: h})
		_, minima := roughness(h)
		l.add(v.name, "local minima of H(c), c from 1 to 10^4", float64(minima))
		l.printed(v.name, "local minima of H(c), c from 1 to 10^4", 1)
		for _, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
			res, err := b.tune(ctx, s, []float64{9})
			if err != nil {
				return err
			}
			name := v.name + ", " + s.name
			picture.Curves = append(picture.Curves, tried(name, res.Trace))
			l.add(name, minH, res.F)
			l.add(name, "c", res.Theta[0])
			l.add(name, evaluations, float64(res.Evaluations))
			most, past := 0.0, math.NaN()
			for _, r := range res.Trace {
				most = max(most, r.Theta[0])
				if math.IsNaN(past) && r.Theta[0] >= res.Theta[0] {
					past = float64(res.Evaluations - r.N)
				}
			}
			l.add(name, "largest c tried over the optimum's", most/res.Theta[0])
			l.add(name, "evaluations after the optimum was first passed", past)
		}
	}
	l.draw(picture)
	return nil
}

// tried are the points of a search over one parameter, with their scores.
func tried(name string, trace []search.Record) Curve {
	c := Curve{Name: name, Loose: true}
	for _, r := range trace {
		c.X, c.Y = append(c.X, r.Theta[0]), append(c.Y, r.F)
	}
	return c
}
