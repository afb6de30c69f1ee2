package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search"
)

// irisRows are the rows of the deterministic split: number mod 4 is 0 or 1 to train, 2 to
// validate, 3 to test.
func irisRows() (train, validate, test []int) {
	for i := range irisSet.n {
		switch i % 4 {
		case 2:
			validate = append(validate, i)
		case 3:
			test = append(test, i)
		default:
			train = append(train, i)
		}
	}
	return train, validate, test
}

var irisClasses = [...]string{"setosa", "versicolor", "virginica"}

// irisTask is one class against the rest on the deterministic split.
func (l *lab) irisTask(ctx context.Context, class int) (*task, error) {
	iris, err := l.classified(ctx, irisSet)
	if err != nil {
		return nil, err
	}
	train, validate, test := irisRows()
	return heldOut(iris.x, iris.against(class), train, validate, test), nil
}

// klatzerT52 counts the trainings that c takes to a given precision, by grid and by
// gradient, and shows the optima of all three tasks.
func klatzerT52(ctx context.Context, l *lab) error {
	if err := l.precision1(ctx, 2); err != nil {
		return err
	}
	for class, name := range irisClasses {
		t, err := l.irisTask(ctx, class)
		if err != nil {
			return err
		}
		for _, v := range []row51{{loss: learn.ModLogistic{Mu: 12}}, {loss: learn.Quartic{Eps: 0.125}}, {loss: learn.Quartic{Eps: 0.4}}} {
			b := linearModel().outer(t, v.loss)
			name := fmt.Sprintf("%s against the rest, %s", name, v.name())
			best, err := b.tune(ctx, logSearch, []float64{9})
			if err != nil {
				return err
			}
			train, test, err := b.fit(ctx, best.Theta)
			if err != nil {
				return err
			}
			l.add(name, "c", best.Theta[0])
			l.add(name, minH, best.F)
			l.add(name, trainRight, train.right)
			l.add(name, testRight, test.right)
			l.add(name, evaluations, float64(best.Evaluations))
			sure, err := b.optimum(ctx, best.Theta)
			if err != nil {
				return err
			}
			l.add(name, "evaluations until c is within 0.1 %", float64(within(best.Trace, sure, 1e-3*sure[0])))
		}
	}
	return nil
}

// precision1 is the table itself; grids run up to a precision of 10^-finest.
func (l *lab) precision1(ctx context.Context, finest int) error {
	t, err := l.irisTask(ctx, 1)
	if err != nil {
		return err
	}
	m := linearModel()
	m.settings[0].lo, m.settings[0].hi = 1, 100
	b := m.outer(t, learn.ModLogistic{Mu: 12})
	sure, err := b.optimum(ctx, []float64{9})
	if err != nil {
		return err
	}
	found := map[string]search.Result{}
	for _, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
		if found[s.name], err = b.tune(ctx, s, []float64{9}); err != nil {
			return err
		}
	}
	printed := map[string][]float64{lbfgsName: {8, 8, 9, 10}, rpropName: {51, 57, 60, 67}, "grid": {99, 990, 9900, 99000}}
	for e := range 4 {
		p := math.Pow(10, -float64(e))
		name := fmt.Sprintf("c within %g", p)
		for _, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
			n := within(found[s.name].Trace, sure, p)
			if n == 0 {
				l.note("%s ended after %d evaluations without a precision of %g", s.name, found[s.name].Evaluations, p)
				continue
			}
			l.add(name, evaluations+", "+s.name, float64(n))
			if v := printed[s.name]; v != nil {
				l.printed(name, evaluations+", "+s.name, v[e])
			}
		}
		grid := search.Grid{Values: map[string][]float64{"c": steps(1, 100, p)}}
		n, err := grid.Size(b.Space())
		if err != nil {
			return err
		}
		l.add(name, evaluations+", grid", n)
		l.printed(name, evaluations+", grid", printed["grid"][e])
		if e > finest {
			continue
		}
		l.say("grid of %g values", n)
		res, err := b.grid(ctx, grid)
		if err != nil {
			return err
		}
		l.add(name, "H of the grid above the optimum's", res.F-found[logName].F)
	}
	return nil
}

// steps lists lo, lo + step, ..., hi.
func steps(lo, hi, step float64) []float64 {
	v := make([]float64, int(math.Round((hi-lo)/step))+1)
	for i := range v {
		v[i] = min(lo+float64(i)*step, hi)
	}
	return v
}

// grid evaluates all of a grid.
func (b *bilevel) grid(ctx context.Context, g search.Grid) (search.Result, error) {
	res, err := search.Driver{Budget: atMost(ctx, "evaluations of a grid", 5, math.MaxInt), Parallel: 2}.Run(ctx, b, g)
	if err == nil {
		err = ctx.Err()
	}
	return res, err
}

// optimum is the end of a search from start that stops where H no longer falls.
func (b *bilevel) optimum(ctx context.Context, start []float64) ([]float64, error) {
	res, err := b.tune(
		ctx,
		outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s, Decrease: 1e-15} }, 200},
		start,
	)
	return res.Theta, err
}
