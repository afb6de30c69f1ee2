package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

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
