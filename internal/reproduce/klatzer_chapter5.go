package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
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

// klatzerF52 is the course of H(c) and of the searches on it (with fig. 2.2, the same curve over a wider range).
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
	l.add(name, minH, must(b.Eval(ctx, sure, false)).F)
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

// klatzerT55 learns c and a gamma a feature for each class of Seeds.
func klatzerT55(ctx context.Context, l *lab) {
	l.eachSeeds(ctx, func(class, run int, t *task, start []float64) {
		for _, s := range klatzerSearches {
			name := fmt.Sprintf("class %d against the rest, %s", class+1, s.name)
			l.say("split %d of %d: %s", run+1, l.runs, name)
			l.report(ctx, name, gaussianModels(seedsSet.d).outer(t, quartic), s, start)
		}
	})
}

// eachSeeds calls f for every class and split of Seeds with a start.
func (l *lab) eachSeeds(ctx context.Context, f func(class, run int, t *task, start []float64)) {
	seeds := l.classified(ctx, seedsSet)
	for run := range l.runs {
		rng := l.stream(run)
		part := seeds.shares(rng, 150, 60)
		work := new(kernel.Work)
		for class := range 3 {
			t := crossValidated(seeds.x, seeds.against(class+1), part[0], part[1], l.seed, work)
			f(class, run, t, klatzerStart(rng.Float64, seedsSet.d))
		}
	}
}

// klatzerStart is c in [5, 15] and so many gammas in [0.5, 1.5], uniform.
func klatzerStart(uniform func() float64, gammas int) []float64 {
	start := make([]float64, gammas+1)
	start[0] = 5 + 10*uniform()
	for j := range gammas {
		start[j+1] = 0.5 + uniform()
	}
	return start
}

// klatzerF59 shows which features of Seeds count.
func klatzerF59(ctx context.Context, l *lab) {
	names := l.classified(ctx, seedsSet).columns
	l.eachSeeds(ctx, func(class, _ int, t *task, start []float64) {
		if class != 1 {
			return
		}
		b := gaussianModels(seedsSet.d).outer(t, quartic)
		for _, s := range []outerSearch{rawSearch, logSearch} {
			l.addFeatures(s.name+": ", "log10 gamma", names, b.tune(ctx, s, start).Theta[1:])
		}
	})
	l.drawFeatures("log10 gamma", names, rawSearch.name+": ", logSearch.name+": ")
}

// addFeatures adds log10 of a parameter of every feature.
func (l *lab) addFeatures(prefix, metric string, names []string, theta []float64) {
	for j, name := range names {
		l.add(fmt.Sprintf("%sfeature %d, %s", prefix, j+1, name), metric, math.Log10(theta[j]))
	}
}

// drawFeatures draws the means of a metric by the number of the feature, a curve a prefix of the rows.
func (l *lab) drawFeatures(metric string, names []string, prefixes ...string) {
	f := Figure{Name: "features", Title: metric + " of every feature, mean over the splits",
		X: Axis{Name: "number of the feature"}, Y: Axis{Name: metric}}
	x := reals(numbersTo(len(names) + 1))[1:]
	for _, prefix := range prefixes {
		c := l.means(cmp.Or(strings.TrimSuffix(prefix, ": "), metric), metric, x, func(j int) string {
			return fmt.Sprintf("%sfeature %d, %s", prefix, j+1, names[j])
		})
		c.Loose = true
		f.Curves = append(f.Curves, c)
	}
	l.draw(f)
}

// heartTrial is one split of Heart: 190 rows in five folds, 80 to test.
type heartTrial struct {
	set  *classified
	part [][]int
	seed uint64
	task *task
	rng  *rand.Rand
}

// columns is the task on some of the features.
func (t *heartTrial) columns(keep []int) *task {
	return crossValidated(t.set.x.SelectColumns(keep), t.set.against(1), t.part[0], t.part[1], t.seed, new(kernel.Work))
}

func (l *lab) eachHeart(ctx context.Context, f func(run int, t *heartTrial)) {
	heart := l.classified(ctx, heartSet)
	heart.span(-1, 1)
	for run := range l.runs {
		t := &heartTrial{set: heart, seed: l.seed, rng: l.stream(run)}
		t.part = heart.shares(t.rng, 190, 80)
		t.task = t.columns(numbersTo(heartSet.d))
		f(run, t)
	}
}

const nested = "H above the one-parameter model's, any split"

// klatzerT56 compares one parameter with one a feature on Heart, before and after features are left out.
func klatzerT56(ctx context.Context, l *lab) {
	l.eachHeart(ctx, func(run int, t *heartTrial) {
		l.say("split %d of %d", run+1, l.runs)
		l.heart56(ctx, t)
	})
}

// The rows of table 5.6.
const (
	beforeSelection = "multiple gamma, all features"
	afterSelection  = "multiple gamma, selected features"
)

// heart56 is one split of the table: with the source's search, and again on logarithms,
// from his starts and from the optimum of one parameter.
func (l *lab) heart56(ctx context.Context, t *heartTrial) {
	d := heartSet.d
	start := klatzerStart(t.rng.Float64, d)
	for k, s := range []outerSearch{rawSearch, logSearch} {
		suffix := []string{"", ", on logarithms"}[k]
		res := l.report(ctx, beforeSelection+suffix, gaussianModels(d).outer(t.task, quartic), s, start)
		keep := counting(res.Theta)
		l.add(beforeSelection+suffix, "features at the bound", float64(d-len(keep)))
		if len(keep) > 0 {
			again := append([]float64{start[0]}, pickOf(start[1:], keep)...)
			l.report(ctx, afterSelection+suffix, gaussianModels(len(keep)).outer(t.columns(keep), quartic), s, again)
		}
		one := l.report(ctx, "bikernel"+suffix, gaussianModel().outer(t.task, quartic), s, start[:2])
		l.report(ctx, "multiple c"+suffix, linearModels(d).outer(t.task, quartic), s, slices.Repeat(start[:1], d))
		line := l.report(ctx, "bilinear"+suffix, linearModel().outer(t.task, quartic), s, start[:1])
		l.nested(ctx, "multiple gamma from the bikernel's optimum"+suffix, gaussianModels(d).outer(t.task, quartic), s, one,
			append([]float64{one.Theta[0]}, slices.Repeat(one.Theta[1:], d)...))
		l.nested(ctx, "multiple c from the bilinear optimum"+suffix, linearModels(d).outer(t.task, quartic), s, line,
			slices.Repeat(line.Theta, d))
	}
}

// counting lists the features whose gamma is off its lower bound.
func counting(theta []float64) []int {
	var keep []int
	for j, g := range theta[1:] {
		if g > 1.001*lowest {
			keep = append(keep, j)
		}
	}
	return keep
}

// nested reports a model begun at the optimum of one that it contains.
func (l *lab) nested(ctx context.Context, name string, b *bilevel, s outerSearch, inner search.Result, start []float64) {
	res := b.tune(ctx, s, start)
	_, test := b.fit(ctx, res.Theta)
	l.add(name, minH, res.F)
	l.add(name, testRight, test.right)
	l.add(name, evaluations, b.task.trainings(res.Evaluations))
	l.most(name, nested, res.F-inner.F)
}

// klatzerF510 shows which features of Heart are left out.
func klatzerF510(ctx context.Context, l *lab) {
	names := l.classified(ctx, heartSet).columns
	l.eachHeart(ctx, func(run int, t *heartTrial) {
		l.say("split %d of %d", run+1, l.runs)
		b := gaussianModels(heartSet.d).outer(t.task, quartic)
		res := b.tune(ctx, rawSearch, klatzerStart(t.rng.Float64, heartSet.d))
		l.addFeatures("", "log10 gamma", names, res.Theta[1:])
		keep := counting(res.Theta)
		for j, name := range names {
			row := fmt.Sprintf("feature %d, %s", j+1, name)
			l.add(row, "left out in % of splits", 100*indicator(!slices.Contains(keep, j)))
			// Of the one split of the source.
			l.printed(row, "left out in % of splits", 100*indicator(slices.Contains([]int{0, 4, 5, 10}, j)))
		}
	})
	l.drawFeatures("log10 gamma", names, "")
}

// klatzerF511 shows the penalties of the features of Heart.
func klatzerF511(ctx context.Context, l *lab) {
	names := l.classified(ctx, heartSet).columns
	l.eachHeart(ctx, func(_ int, t *heartTrial) {
		b := linearModels(heartSet.d).outer(t.task, quartic)
		start := slices.Repeat(uniform(t.rng, 5, 15, 1), heartSet.d)
		for _, s := range []outerSearch{rawSearch, logSearch} {
			l.addFeatures(s.name+": ", "log10 c", names, b.tune(ctx, s, start).Theta)
		}
	})
	l.drawFeatures("log10 c", names, rawSearch.name+": ", logSearch.name+": ")
}

// klatzerF512 takes the squared hinge as the outer loss.
func klatzerF512(ctx context.Context, l *lab) {
	picture := Figure{Name: "course", Title: "H(c) on Heart by outer loss, over its least value, first split", X: Axis{"c", true},
		Y: Axis{Name: "H over its least value"}}
	l.eachHeart(ctx, func(run int, t *heartTrial) {
		start := uniform(t.rng, 5, 15, 1)
		for _, outer := range []learn.Loss{learn.Square{}, learn.SquaredHinge{}} {
			b := linearModel().outer(t.task, quartic)
			name := "mean squared error"
			if outer.Name() == (learn.SquaredHinge{}).Name() {
				// The source's sum over all rows left out, divided by their number.
				name, b.scale = "squared hinge", 1
				b.refit.Criterion = score.Risk{Loss: outer}
			}
			res := l.report(ctx, name, b, rawSearch, start)
			l.add(name, "c", res.Theta[0])
			c, h := b.course(ctx, 0, 3)
			bend, minima := roughness(h)
			if run == 0 {
				least := slices.Min(h)
				for i := range h {
					h[i] /= least
				}
				picture.Curves = append(picture.Curves, Curve{Name: name, X: c, Y: h})
			}
			l.add(name, "largest bend of H(c)", bend)
			l.add(name, "local minima of H(c)", float64(minima))
		}
	})
	l.draw(picture)
}

// course evaluates a one-parameter problem at 121 values 10^lo to 10^hi.
func (b *bilevel) course(ctx context.Context, lo, hi float64) (c, h []float64) {
	const points = 121
	for i := range points {
		x := math.Pow(10, lo+(hi-lo)*float64(i)/(points-1))
		v := must(b.Eval(ctx, []float64{x}, false))
		c, h = append(c, x), append(h, v.F)
	}
	return c, h
}

// roughness is the largest second difference of a course over its range, and its number of local minima.
func roughness(h []float64) (bend float64, minima int) {
	last := len(h) - 1
	for i := range h {
		if i > 0 && i < last {
			bend = max(bend, math.Abs(h[i-1]-2*h[i]+h[i+1]))
		}
		if (i == 0 || h[i] < h[i-1]) && (i == last || h[i] < h[i+1]) {
			minima++
		}
	}
	return bend / (slices.Max(h) - slices.Min(h)), minima
}

// klatzerFit is the row of table 5.6 with one width: c and gamma learned on five folds by the mean squared error of left-out outputs.
func klatzerFit(ctx context.Context, l *lab) {
	l.eachHeart(ctx, func(run int, t *heartTrial) {
		l.say("split %d of %d", run+1, l.runs)
		own := crossValidated(t.set.x, t.set.against(1), t.part[0], t.part[1], l.seeded(), new(kernel.Work))
		l.widthTwice(ctx, "one gamma", own, uniform(t.rng, 5, 15, 1)[0])
	})
}

// widthTwice learns c and gamma both ways.
func (l *lab) widthTwice(ctx context.Context, name string, t *task, c float64) {
	b := gaussianModel().outer(t, quartic)
	found := b.tune(ctx, logSearch, []float64{c, 1})
	exact := must(b.Eval(ctx, found.Theta, false))
	_, test := b.fit(ctx, found.Theta)
	in := inputOf(t.problem, t.test, labelsOf(t.testY).Class)
	r := mercer.Recipe{Method: "svm", Kernel: "gaussian", Offset: "no", Tune: "kfold:5", Search: "gradient", Scale: "none",
		Seed: l.seeded(), Tolerance: 1e-8, Set: map[string]string{"loss": "quartic", "loss_width": "0.125", "outer": "mse"}}
	_, res := must2(mercer.Fit(ctx, in, r, mercer.Options{}))
	l.both(name, minH, exact.F, res.Tuning.Value/2)
	l.both(name, testRight, test.right, 100*(1-res.Metrics["test"]["error"]))
	ours, _ := b.library(found.Theta)
	r.Set["sigma"], r.Set["C"] = text(ours[0]), text(ours[1])
	_, res = must2(mercer.Fit(ctx, in, r, mercer.Options{}))
	l.both(name, "H at the library's parameters", exact.F, res.Tuning.Value/2)
	l.both(name, testRight+" at the library's parameters", test.right, 100*(1-res.Metrics["test"]["error"]))
}

// klatzerT57 learns the widths and weights of kernels of feature groups on features in very different units.
func klatzerT57(ctx context.Context, l *lab) {
	set := l.classified(ctx, parkinsonsSet)
	for run := range l.runs {
		l.say("split %d of %d", run+1, l.runs)
		l.parkinsons57(ctx, set, run)
	}
}

// parkinsons57 is one split of the table.
func (l *lab) parkinsons57(ctx context.Context, set *classified, run int) {
	rng := l.stream(run)
	part := set.shares(rng, 140, 55)
	start := klatzerStart(rng.Float64, parkinsonsSet.d)
	all := numbersTo(parkinsonsSet.d)
	reduced := uncorrelated(set, part[0], all, 7)
	for k, s := range []outerSearch{rawSearch, logSearch} {
		suffix := []string{"", ", on logarithms"}[k]
		for _, features := range []struct {
			name string
			keep []int
		}{{"all features", all}, {"reduced features", reduced}} {
			x := set.x.SelectColumns(features.keep)
			t := crossValidated(x, set.against(1), part[0], part[1], l.seed, new(kernel.Work))
			groups := kernel.DecadeGroups(x.Select(part[0]))
			from := append(uniform(rng, 5, 15, 1), uniform(rng, lowest, 1, 2*len(groups))...)
			l.report(ctx, "multiple kernel, "+features.name+suffix, groupModel(groups).outer(t, quartic), s, from)
			if len(features.keep) < len(all) {
				continue
			}
			l.add("multiple kernel, "+features.name+suffix, "groups", float64(len(groups)))
			l.report(ctx, "multiple gamma, "+features.name+suffix, gaussianModels(len(all)).outer(t, quartic), s, start)
			l.report(ctx, "bikernel, "+features.name+suffix, gaussianModel().outer(t, quartic), s, start[:2])
		}
	}
}

// uncorrelated drops so many of the features, one of the most correlated pair at a time.
func uncorrelated(set *classified, rows, features []int, drop int) []int {
	x := set.x.Select(rows).SelectColumns(features).Dense
	_, d := x.Dims()
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = mat.Col(nil, j, x)
	}
	gone := make([]bool, d)
	for range drop {
		var a, b int
		worst := -1.0
		sum := make([]float64, d)
		for j := range d {
			for k := range j {
				if gone[j] || gone[k] {
					continue
				}
				r := math.Abs(stat.Correlation(columns[j], columns[k], nil))
				sum[j] += r
				sum[k] += r
				if r > worst {
					worst, a, b = r, j, k
				}
			}
		}
		if sum[b] > sum[a] {
			a = b
		}
		gone[a] = true
	}
	var keep []int
	for j, f := range features {
		if !gone[j] {
			keep = append(keep, f)
		}
	}
	return keep
}

// klatzerF58 is what gamma does to the surface f on two moons, and the optimum.
func klatzerF58(ctx context.Context, l *lab) {
	for run := range l.runs {
		for _, noise := range []float64{0.1, 0.2} {
			l.say("set %d of %d, noise %g", run+1, l.runs, noise)
			l.moons58(ctx, noise, l.seed*uint64(2*l.runs)+uint64(2*run), run == 0)
		}
	}
}

// moons58 is one draw of the moons, which is shown in figures or not.
func (l *lab) moons58(ctx context.Context, noise float64, seed uint64, shown bool) {
	own := moons(200, noise, seed)
	fresh := moons(1000, noise, seed+1)
	t := crossValidated(own.x, own.against(1), numbersTo(200), nil, l.seed, new(kernel.Work))
	t.test, t.testY = fresh.x, signs(fresh.against(1))
	b := gaussianModel().outer(t, quartic)
	name := fmt.Sprintf("noise %g", noise)
	for _, gamma := range []float64{0.49, 1, 1.9998} {
		l.surface(ctx, fmt.Sprintf("%s, gamma=%g", name, gamma), b, []float64{18.4873, gamma})
	}
	res := l.report(ctx, name+", optimum", b, rawSearch, []float64{1, 1})
	l.add(name+", optimum", "c", res.Theta[0])
	l.add(name+", optimum", "gamma", res.Theta[1])
	f := l.surface(ctx, name+", optimum", b, res.Theta)
	if shown {
		boundary := f
		f.Name, boundary.Name, boundary.At = "f", "boundary", []float64{0}
		l.draw(Figure{Name: strings.ReplaceAll(name, " ", "-"), Title: "The surface f at the optimum, " + name, X: Axis{Name: "x1"},
			Y: Axis{Name: "x2"}, Curves: dots(own.x, own.class, "class 0", "class 1"), Levels: []Level{f, boundary}})
	}
	l.report(ctx, name+", bilinear", linearModel().outer(t, quartic), rawSearch, []float64{1})
}

func moons(n int, noise float64, seed uint64) *classified {
	set := must(data.Builtin(fmt.Sprintf("two-moons:n=%d,noise=%g,seed=%d", n, noise, seed)))
	return &classified{x: set.Rows, class: classesOf(set).Class}
}

// surface adds height and gap of f and returns it.
func (l *lab) surface(ctx context.Context, name string, b *bilevel, theta []float64) (v Level) {
	g, m := b.machine(ctx, theta)
	const across, up = 81, 51
	at := mat.NewDense(across*up, 2, nil)
	for i := range across {
		for j := range up {
			at.SetRow(i*up+j, []float64{-1.5 + 4*float64(i)/(across-1), -1 + 2.5*float64(j)/(up-1)})
		}
	}
	f := predicted(ctx, g, m, data.Rows{Dense: at}, 1)
	for i := range across {
		v.X = append(v.X, at.At(i*up, 0))
	}
	for j := range up {
		v.Y, v.Z = append(v.Y, at.At(j, 1)), append(v.Z, make([]float64, across))
	}
	height, gap := 0.0, 0.0
	for i := range across * up {
		v.Z[i%up][i/up] = f.At(i, 0)
		steep := math.Abs(f.At(i, 0))
		height = max(height, steep)
		if steep < 0.1 {
			gap += 100. / (across * up)
		}
	}
	l.add(name, "height of f", height)
	l.add(name, "gap of f, % of the plane", gap)
	return v
}
