package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
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

// lossName tells the width too, which follows from the curvature: mu/4, and 3/(4 eps).
func lossName(loss learn.Loss) string {
	switch loss.Name() {
	case "modlog":
		return fmt.Sprintf("modified logistic mu=%.9g", 4*loss.Curvature())
	case "quartic":
		return fmt.Sprintf("quartic eps=%.9g", 0.75/loss.Curvature())
	}
	return loss.Name()
}

// surrogates are those of table 5.1, from wide to narrow.
var surrogates = []learn.Loss{
	learn.ModLogistic(7.5), learn.ModLogistic(12), learn.ModLogistic(24), learn.ModLogistic(32),
	learn.ModLogistic(64), learn.Quartic(0.4), learn.Quartic(0.25), learn.Quartic(0.125), learn.Quartic(0.1),
}

var irisClasses = [...]string{"setosa", "versicolor", "virginica"}

// irisTask is one class against the rest on the deterministic split: rows whose number mod 4 is 0 or 1 train, 2 validate, 3 test.
func (l *lab) irisTask(ctx context.Context, class int) *task {
	iris := l.classified(ctx, irisSet)
	var train, validate, test []int
	for i := range irisSet.n {
		to := [...]*[]int{&train, &train, &validate, &test}[i%4]
		*to = append(*to, i)
	}
	return heldOut(iris.x, iris.against(class), train, validate, test)
}

// klatzerT52 counts the trainings that c takes to a given precision, by grid and by gradient, and shows the optima of all three tasks.
func klatzerT52(ctx context.Context, l *lab) {
	l.precision1(ctx, 2)
	for class, name := range irisClasses {
		t := l.irisTask(ctx, class)
		for _, loss := range []learn.Loss{learn.ModLogistic(12), learn.Quartic(0.125), learn.Quartic(0.4)} {
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
	b := m.outer(t, learn.ModLogistic(12))
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

// klatzerF52 is the course of H(c) and of the searches on it (with fig. 2.2, the same curve over a wider range).
func klatzerF52(ctx context.Context, l *lab) {
	t := l.irisTask(ctx, 0)
	picture := Figure{Name: "course", Title: "H(c) on Iris and the points that searches tried", X: Axis{"c", true},
		Y: Axis{Name: "H"}}
	for _, v := range klatzerLosses {
		b := linearModel().outer(t, v.loss)
		for _, c := range []float64{1, 10, 100, 1000} {
			at := must(b.Eval(ctx, []float64{c}, param.WithGradient))
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

// fourclassTask scales the features to [-5, 5]: with svm-scale's [-1, 1] the optimal
// gamma is near 44, outside the source's figures. Even rows train, odd ones validate.
func (l *lab) fourclassTask(ctx context.Context) *task {
	set := l.classified(ctx, fourclassSet)
	set.span(-5, 5)
	var rows [2][]int
	for i := range fourclassSet.n {
		rows[i%2] = append(rows[i%2], i)
	}
	return heldOut(set.x, set.against(1), rows[0], rows[1], nil)
}

// fourclassGrid is the source's, 21 x 21.
func fourclassGrid() search.Grid {
	return search.Grid{Values: map[string][]float64{"c": steps(0.1, 4.1, 0.2), "gamma": steps(0.2, 4.2, 0.2)}}
}

// fourclassStarts are the source's (c, gamma).
var fourclassStarts = [...][]float64{{3, 3}, {1, 2.8}, {0.5, 0.5}, {2.5, 0.5}}

// klatzerT53 learns c and gamma from four starts and on a grid.
func klatzerT53(ctx context.Context, l *lab) {
	t := l.fourclassTask(ctx)
	for _, v := range klatzerLosses {
		b := gaussianModel().outer(t, v.loss)
		for _, s := range klatzerSearches {
			l.fromStarts(ctx, v.name+", "+s.name, b, s)
		}
		l.fourclassOptimum(ctx, v.name+", optimum", b)
		l.say("%s, grid", v.name)
		res := b.grid(ctx, fourclassGrid())
		name := v.name + ", grid"
		l.add(name, evaluations, float64(res.Evaluations))
		l.add(name, minH, res.F)
		l.add(name, "c", res.Theta[0])
		l.add(name, "gamma", res.Theta[1])
	}
}

// fromStarts adds a search from every start and the means.
func (l *lab) fromStarts(ctx context.Context, name string, b *bilevel, s outerSearch) {
	var found [len(fourclassStarts)]search.Result
	for q, start := range fourclassStarts {
		l.say("%s", startName(name, q))
		found[q] = b.tune(ctx, s, start)
		l.add(startName(name, q), evaluations, float64(found[q].Evaluations))
		l.add(startName(name, q), minH, found[q].F)
	}
	for _, r := range found {
		l.add(name+", all starts", evaluations, float64(r.Evaluations))
		l.add(name+", all starts", minH, r.F)
	}
}

func startName(name string, q int) string {
	return fmt.Sprintf("%s from (%g, %g)", name, fourclassStarts[q][0], fourclassStarts[q][1])
}

// fourclassOptimum adds the optimum and what it validates.
func (l *lab) fourclassOptimum(ctx context.Context, name string, b *bilevel) {
	sure := b.optimum(ctx, fourclassStarts[0])
	l.add(name, minH, must(b.Eval(ctx, sure, param.ValueOnly)).F)
	l.add(name, "c", sure[0])
	l.add(name, "gamma", sure[1])
	l.add(name, "validation accuracy %", b.validated(ctx, sure))
}

// validated is the accuracy on the rows that the folds leave out.
func (b *bilevel) validated(ctx context.Context, theta []float64) (right float64) {
	ours, _ := b.library(theta)
	out := must(b.refit.Outputs(ctx, ours))
	count := 0.0
	for _, i := range score.Judged(b.task.folds) {
		count++
		if (out.At(i, 0) >= 0) == (b.task.problem.Class[i] == 1) {
			right += 100
		}
	}
	return right / count
}

// klatzerT54 counts the trainings of finer grids in two parameters.
func klatzerT54(ctx context.Context, l *lab) {
	t := l.fourclassTask(ctx)
	b := gaussianModel().outer(t, quartic)
	sure := b.optimum(ctx, fourclassStarts[0])
	var found [len(fourclassStarts)]search.Result
	for q, start := range fourclassStarts {
		found[q] = b.tune(ctx, tightSearch, start)
	}
	for e := range 3 {
		p := math.Pow(10, -float64(e+1))
		name := fmt.Sprintf("c and gamma within %g", p)
		n := must(search.Grid{Values: map[string][]float64{"c": steps(0.1, 4.1, p), "gamma": steps(0.2, 4.2, p)}}.Size(b.Space()))
		l.add(name, evaluations+", grid", n)
		for _, r := range found {
			if k := within(r.Trace, sure, p); k > 0 {
				l.add(name, evaluations+", L-BFGS-B on logarithms", float64(k))
			}
		}
	}
}

// tightSearch goes on where the usual stopping rule ends.
var tightSearch = outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s, Decrease: 1e-12} }, 200}

// klatzerF54 is the valley of H(c, gamma) on fourclass and the ways into it.
func klatzerF54(ctx context.Context, l *lab) {
	t := l.fourclassTask(ctx)
	for _, v := range klatzerLosses {
		b := gaussianModel().outer(t, v.loss)
		grid := b.grid(ctx, fourclassGrid())
		picture := Figure{Name: strings.ReplaceAll(v.name, " ", "-"), Title: "H(c, gamma) on fourclass and the ways down, " + v.name,
			X: Axis{Name: "c"}, Y: Axis{Name: "gamma"}, Levels: []Level{levelOf(grid.Trace)}}
		low := 0.0
		for _, r := range grid.Trace {
			if r.F <= 2*grid.F {
				low += 100 / float64(len(grid.Trace))
			}
		}
		name := v.name + ", grid of c 0.1 to 4.1, gamma 0.2 to 4.2"
		l.add(name, "least H", grid.F)
		l.add(name, "cells with H up to twice the least, %", low)
		for _, s := range klatzerSearches {
			for _, start := range fourclassStarts {
				res := b.tune(ctx, s, start)
				name := v.name + ", " + s.name
				if s.name != logName {
					picture.Curves = append(picture.Curves, visited(fmt.Sprintf("%s from %v", s.name, start), res.Trace, 0, 1))
				}
				l.add(name, "evaluations until H is within 10 % of its end", float64(reached(res.Trace, 1.1*res.F)))
				l.add(name, "turns of c and gamma on the way", float64(turns(res.Trace)))
			}
		}
		l.draw(picture)
	}
}

// levelOf is the function that a grid search over two parameters has visited.
func levelOf(trace []search.Record) Level {
	v := Level{Name: "H"}
	for _, r := range trace {
		v.X, v.Y = append(v.X, r.Theta[0]), append(v.Y, r.Theta[1])
	}
	for _, axis := range []*[]float64{&v.X, &v.Y} {
		slices.Sort(*axis)
		*axis = slices.Compact(*axis)
	}
	v.Z = make([][]float64, len(v.Y))
	for i := range v.Z {
		v.Z[i] = make([]float64, len(v.X))
	}
	for _, r := range trace {
		i, _ := slices.BinarySearch(v.Y, r.Theta[1])
		j, _ := slices.BinarySearch(v.X, r.Theta[0])
		v.Z[i][j] = r.F
	}
	return v
}

// reached is the number of the first evaluation with F up to h.
func reached(trace []search.Record, h float64) int {
	for _, r := range trace {
		if r.F <= h {
			return r.N
		}
	}
	return len(trace)
}

// turns counts the changes of direction in all coordinates.
func turns(trace []search.Record) int {
	n := 0
	for k := 2; k < len(trace); k++ {
		for i, x := range trace[k].Theta {
			if (x-trace[k-1].Theta[i])*(trace[k-1].Theta[i]-trace[k-2].Theta[i]) < 0 {
				n++
			}
		}
	}
	return n
}
