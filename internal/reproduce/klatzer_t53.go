package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// fourclassTask scales the features to [-5, 5]: with svm-scale's [-1, 1] the optimal
// gamma is near 44, outside the source's figures. Even rows train, odd ones validate.
func (l *lab) fourclassTask(ctx context.Context) (*task, error) {
	set, err := l.classified(ctx, fourclassSet)
	if err != nil {
		return nil, err
	}
	if err := set.span(-5, 5); err != nil {
		return nil, err
	}
	var rows [2][]int
	for i := range fourclassSet.n {
		rows[i%2] = append(rows[i%2], i)
	}
	return heldOut(set.x, set.against(1), rows[0], rows[1], nil), nil
}

// fourclassGrid is the source's, 21 x 21.
func fourclassGrid() search.Grid {
	return search.Grid{Values: map[string][]float64{"c": steps(0.1, 4.1, 0.2), "gamma": steps(0.2, 4.2, 0.2)}}
}

// fourclassStarts are the source's (c, gamma).
var fourclassStarts = [...][]float64{{3, 3}, {1, 2.8}, {0.5, 0.5}, {2.5, 0.5}}

// klatzerT53 learns c and gamma from four starts and on a grid.
func klatzerT53(ctx context.Context, l *lab) error {
	t, err := l.fourclassTask(ctx)
	if err != nil {
		return err
	}
	for i, v := range klatzerLosses {
		b := gaussianModel().outer(t, v.loss)
		for k, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
			if err := l.fromStarts(ctx, v.name+", "+s.name, b, s); err != nil {
				return err
			}
			if k == len(table53[i].mean) {
				continue // the source has no search on logarithms
			}
			for q := range fourclassStarts {
				l.printed(startName(v.name+", "+s.name, q), evaluations, table53[i].evaluations[k][q])
				l.printed(startName(v.name+", "+s.name, q), minH, table53[i].h)
			}
			l.printed(v.name+", "+s.name+", all starts", evaluations, table53[i].mean[k])
			l.printed(v.name+", "+s.name+", all starts", minH, table53[i].h)
		}
		if err := l.fourclassOptimum(ctx, v.name+", optimum", b); err != nil {
			return err
		}
		l.say("%s, grid", v.name)
		res, err := b.grid(ctx, fourclassGrid())
		if err != nil {
			return err
		}
		name := v.name + ", grid"
		l.add(name, evaluations, float64(res.Evaluations))
		l.add(name, minH, res.F)
		l.add(name, "c", res.Theta[0])
		l.add(name, "gamma", res.Theta[1])
		l.printed(name, evaluations, 441)
		l.printed(name, minH, table53[i].grid)
	}
	return nil
}

// fromStarts adds a search from every start and the means.
func (l *lab) fromStarts(ctx context.Context, name string, b *bilevel, s outerSearch) error {
	var found [len(fourclassStarts)]search.Result
	for q, start := range fourclassStarts {
		l.say("%s", startName(name, q))
		var err error
		if found[q], err = b.tune(ctx, s, start); err != nil {
			return err
		}
		l.add(startName(name, q), evaluations, float64(found[q].Evaluations))
		l.add(startName(name, q), minH, found[q].F)
	}
	for _, r := range found {
		l.add(name+", all starts", evaluations, float64(r.Evaluations))
		l.add(name+", all starts", minH, r.F)
	}
	return nil
}

func startName(name string, q int) string {
	return fmt.Sprintf("%s from (%g, %g)", name, fourclassStarts[q][0], fourclassStarts[q][1])
}

// fourclassOptimum adds the optimum and what it validates.
func (l *lab) fourclassOptimum(ctx context.Context, name string, b *bilevel) error {
	sure, err := b.optimum(ctx, fourclassStarts[0])
	if err != nil {
		return err
	}
	v, err := b.Eval(ctx, sure, false)
	if err != nil {
		return err
	}
	right, err := b.validated(ctx, sure)
	if err != nil {
		return err
	}
	l.add(name, minH, v.F)
	l.add(name, "c", sure[0])
	l.add(name, "gamma", sure[1])
	l.add(name, "validation accuracy %", right)
	return nil
}

// validated is the accuracy on the rows that the folds leave out.
func (b *bilevel) validated(ctx context.Context, theta []float64) (right float64, err error) {
	ours, _ := b.library(theta)
	out, err := b.refit.Outputs(ctx, ours)
	if err != nil {
		return 0, err
	}
	count := 0.0
	for _, i := range score.Judged(b.task.folds) {
		count++
		if (out.At(i, 0) >= 0) == (b.task.problem.Class[i] == 1) {
			right += 100
		}
	}
	return right / count, nil
}

// table53 is printed: evaluations of L-BFGS-B and RPROP by start, H, H of the grid.
var table53 = [...]struct {
	evaluations [2][4]float64
	mean        [2]float64
	h, grid     float64
}{
	{[2][4]float64{{16, 13, 13, 14}, {60, 61, 56, 50}}, [2]float64{14, 57}, 0.01521, 0.01528},
	{[2][4]float64{{21, 20, 19, 18}, {60, 65, 41, 53}}, [2]float64{20, 55}, 0.01098, 0.01113},
}

// klatzerT54 counts the trainings of finer grids in two parameters.
func klatzerT54(ctx context.Context, l *lab) error {
	t, err := l.fourclassTask(ctx)
	if err != nil {
		return err
	}
	b := gaussianModel().outer(t, klatzerLosses[1].loss)
	sure, err := b.optimum(ctx, fourclassStarts[0])
	if err != nil {
		return err
	}
	var found [len(fourclassStarts)]search.Result
	for q, start := range fourclassStarts {
		if found[q], err = b.tune(ctx, tightSearch, start); err != nil {
			return err
		}
	}
	for e, printed := range []float64{1681, 160801, 16008001} {
		p := math.Pow(10, -float64(e+1))
		name := fmt.Sprintf("c and gamma within %g", p)
		n, err := search.Grid{Values: map[string][]float64{"c": steps(0.1, 4.1, p), "gamma": steps(0.2, 4.2, p)}}.Size(b.Space())
		if err != nil {
			return err
		}
		l.add(name, evaluations+", grid", n)
		l.printed(name, evaluations+", grid", printed)
		for _, r := range found {
			if k := within(r.Trace, sure, p); k > 0 {
				l.add(name, evaluations+", L-BFGS-B on logarithms", float64(k))
			}
		}
	}
	return nil
}

// tightSearch goes on where the usual stopping rule ends.
var tightSearch = outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s, Decrease: 1e-12} }, 200}
