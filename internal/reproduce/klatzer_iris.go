package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search"
)

// klatzerT51 is the effect of the surrogate's width on a linear machine.
func klatzerT51(ctx context.Context, l *lab) {
	iris := l.classified(ctx, irisSet)
	for run := range l.runs {
		part := iris.shares(l.stream(run), 76, 37, 37)
		t := heldOut(iris.x, iris.against(0), part[0], part[1], part[2])
		for _, loss := range surrogates {
			b, name := linearModel().outer(t, loss), lossName(loss)
			l.add(name, "c", l.report(ctx, name, b, rawSearch, []float64{9}).Theta[0])
			l.add(name, evaluations+" on logarithms", float64(b.tune(ctx, logSearch, []float64{9}).Evaluations))
		}
	}
}

func lossName(loss learn.Loss) string {
	switch v := loss.(type) {
	case learn.ModLogistic:
		return fmt.Sprintf("modified logistic mu=%g", v.Mu)
	case learn.Quartic:
		return fmt.Sprintf("quartic eps=%g", v.Eps)
	}
	return loss.Name()
}

// surrogates are those of table 5.1, from wide to narrow.
var surrogates = []learn.Loss{
	learn.ModLogistic{Mu: 7.5}, learn.ModLogistic{Mu: 12}, learn.ModLogistic{Mu: 24}, learn.ModLogistic{Mu: 32},
	learn.ModLogistic{Mu: 64}, learn.Quartic{Eps: 0.4}, learn.Quartic{Eps: 0.25}, learn.Quartic{Eps: 0.125}, learn.Quartic{Eps: 0.1},
}

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
func (l *lab) irisTask(ctx context.Context, class int) *task {
	iris := l.classified(ctx, irisSet)
	train, validate, test := irisRows()
	return heldOut(iris.x, iris.against(class), train, validate, test)
}

// klatzerT52 counts the trainings that c takes to a given precision, by grid and by
// gradient, and shows the optima of all three tasks.
func klatzerT52(ctx context.Context, l *lab) {
	l.precision1(ctx, 2)
	for class, name := range irisClasses {
		t := l.irisTask(ctx, class)
		for _, loss := range []learn.Loss{learn.ModLogistic{Mu: 12}, learn.Quartic{Eps: 0.125}, learn.Quartic{Eps: 0.4}} {
			b := linearModel().outer(t, loss)
			name := fmt.Sprintf("%s against the rest, %s", name, lossName(loss))
			best := b.tune(ctx, logSearch, []float64{9})
			train, test := b.fit(ctx, best.Theta)
			l.add(name, "c", best.Theta[0])
			l.add(name, minH, best.F)
			l.add(name, trainRight, train.right)
			l.add(name, testRight, test.right)
			l.add(name, evaluations, float64(best.Evaluations))
			sure := b.optimum(ctx, best.Theta)
			l.add(name, "evaluations until c is within 0.1 %", float64(within(best.Trace, sure, 1e-3*sure[0])))
		}
	}
}

// precision1 is the table itself; grids run up to a precision of 10^-finest.
func (l *lab) precision1(ctx context.Context, finest int) {
	t := l.irisTask(ctx, 1)
	m := linearModel()
	m.settings[0].lo, m.settings[0].hi = 1, 100
	b := m.outer(t, learn.ModLogistic{Mu: 12})
	sure := b.optimum(ctx, []float64{9})
	found := map[string]search.Result{}
	for _, s := range klatzerSearches {
		found[s.name] = b.tune(ctx, s, []float64{9})
	}
	for e := range 4 {
		p := math.Pow(10, -float64(e))
		name := fmt.Sprintf("c within %g", p)
		for _, s := range klatzerSearches {
			n := within(found[s.name].Trace, sure, p)
			if n == 0 {
				l.note("%s ended after %d evaluations without a precision of %g", s.name, found[s.name].Evaluations, p)
				continue
			}
			l.add(name, evaluations+", "+s.name, float64(n))
		}
		grid := search.Grid{Values: map[string][]float64{"c": steps(1, 100, p)}}
		n := must(grid.Size(b.Space()))
		l.add(name, evaluations+", grid", n)
		if e > finest {
			continue
		}
		l.say("grid of %g values", n)
		res := b.grid(ctx, grid)
		l.add(name, "H of the grid above the optimum's", res.F-found[logName].F)
	}
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
func (b *bilevel) grid(ctx context.Context, g search.Grid) search.Result {
	res := must(search.Driver{Budget: atMost(ctx, "evaluations of a grid", 5, math.MaxInt), Parallel: 2}.Run(ctx, b, g))
	check(ctx.Err())
	return res
}

// optimum is the end of a search from start that stops where H no longer falls.
func (b *bilevel) optimum(ctx context.Context, start []float64) []float64 {
	last := outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s, Decrease: 1e-15} }, 200}
	return b.tune(ctx, last, start).Theta
}

// klatzerF52 is the course of H(c) and of the searches on it (with fig. 2.2, the same
// curve over a wider range).
func klatzerF52(ctx context.Context, l *lab) {
	t := l.irisTask(ctx, 0)
	picture := Figure{Name: "course", Title: "H(c) on Iris and the points that searches tried", X: Axis{"c", true},
		Y: Axis{Name: "H"}}
	for _, v := range klatzerLosses {
		b := linearModel().outer(t, v.loss)
		for _, c := range []float64{1, 10, 100, 1000} {
			at := must(b.Eval(ctx, []float64{c}, true))
			name := fmt.Sprintf("%s, c=%g", v.name, c)
			l.add(name, "H", at.F)
			l.add(name, "dH/dc", at.Grad[0])
		}
		c, h := b.course(ctx, 0, 4)
		picture.Curves = append(picture.Curves, Curve{Name: v.name, X: c, Y: h})
		_, minima := roughness(h)
		l.add(v.name, "local minima of H(c), c from 1 to 10^4", float64(minima))
		for _, s := range klatzerSearches {
			res := b.tune(ctx, s, []float64{9})
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
}

// tried are the points of a search over one parameter, with their scores.
func tried(name string, trace []search.Record) Curve {
	c := Curve{Name: name, Loose: true}
	for _, r := range trace {
		c.X, c.Y = append(c.X, r.Theta[0]), append(c.Y, r.F)
	}
	return c
}
