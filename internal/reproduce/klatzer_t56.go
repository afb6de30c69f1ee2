package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// heartTrial is one split of Heart: 190 rows in five folds, 80 to test.
type heartTrial struct {
	set  *classified
	part [][]int
	seed uint64
	task *task
	rng  *rand.Rand
}

// columns is the task on some of the features.
func (t *heartTrial) columns(keep []int) (*task, error) {
	return crossValidated(t.set.x.SelectColumns(keep), t.set.against(1), t.part[0], t.part[1], t.seed, new(kernel.Work))
}

func (l *lab) eachHeart(ctx context.Context, f func(run int, t *heartTrial) error) error {
	heart, err := l.classified(ctx, heartSet)
	if err != nil {
		return err
	}
	if err := heart.span(-1, 1); err != nil {
		return err
	}
	for run := range l.runs {
		t := &heartTrial{set: heart, seed: l.seed, rng: l.stream(run)}
		t.part = heart.shares(t.rng, 190, 80)
		if t.task, err = t.columns(numbersTo(heartSet.d)); err != nil {
			return err
		}
		if err := f(run, t); err != nil {
			return err
		}
	}
	return nil
}

func numbersTo(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

const nested = "H above the one-parameter model's, any split"

// klatzerT56 compares one parameter with one a feature on Heart, before and after
// features are left out.
func klatzerT56(ctx context.Context, l *lab) error {
	err := l.eachHeart(ctx, func(run int, t *heartTrial) error {
		l.say("split %d of %d", run+1, l.runs)
		return l.heart56(ctx, t)
	})
	for name, p := range table56 {
		l.printedRow(name, p)
	}
	return err
}

// The rows of table 5.6.
const (
	beforeSelection = "multiple gamma, all features"
	afterSelection  = "multiple gamma, selected features"
)

// table56 is printed: H, training H and accuracy, test H and accuracy, evaluations.
var table56 = map[string][6]float64{
	beforeSelection: {0.2450, 0.2215, 84.74, 0.2276, 88.75, 281},
	afterSelection:  {0.2438, 0.2131, 84.74, 0.2444, 86.25, 306},
	"bikernel":      {0.2864, 0.2492, 82.11, 0.2325, 86.25, 201},
	"multiple c":    {0.2536, 0.2442, 84.74, 0.2335, 87.50, 176},
	"bilinear":      {0.2835, 0.2605, 82.63, 0.2253, 85.00, 56},
}

// heart56 is one split of the table: with the source's search, and again on logarithms,
// from his starts and from the optimum of one parameter.
func (l *lab) heart56(ctx context.Context, t *heartTrial) error {
	quartic := klatzerLosses[1].loss
	d := heartSet.d
	start := klatzerStart(t.rng.Float64, d)
	for _, s := range []outerSearch{rawSearch, logSearch} {
		suffix := ""
		if s.name == logName {
			suffix = ", on logarithms"
		}
		res, err := l.report(ctx, beforeSelection+suffix, gaussianModels(d).outer(t.task, quartic), s, start)
		if err != nil {
			return err
		}
		keep := counting(res.Theta)
		l.add(beforeSelection+suffix, "features at the bound", float64(d-len(keep)))
		if len(keep) > 0 {
			selected, err := t.columns(keep)
			if err != nil {
				return err
			}
			again := []float64{start[0]}
			for _, j := range keep {
				again = append(again, start[j+1])
			}
			if _, err := l.report(ctx, afterSelection+suffix, gaussianModels(len(keep)).outer(selected, quartic), s, again); err != nil {
				return err
			}
		}
		one, err := l.report(ctx, "bikernel"+suffix, gaussianModel().outer(t.task, quartic), s, start[:2])
		if err != nil {
			return err
		}
		if _, err := l.report(ctx, "multiple c"+suffix, linearModels(d).outer(t.task, quartic), s, slices.Repeat(start[:1], d)); err != nil {
			return err
		}
		line, err := l.report(ctx, "bilinear"+suffix, linearModel().outer(t.task, quartic), s, start[:1])
		if err != nil {
			return err
		}
		for _, from := range []struct {
			name  string
			m     model
			inner search.Result
			start []float64
		}{
			{"multiple gamma from the bikernel's optimum", gaussianModels(d), one,
				append([]float64{one.Theta[0]}, slices.Repeat(one.Theta[1:], d)...)},
			{"multiple c from the bilinear optimum", linearModels(d), line, slices.Repeat(line.Theta, d)},
		} {
			if err := l.nested(ctx, from.name+suffix, from.m, t.task, s, from.inner, from.start); err != nil {
				return err
			}
		}
	}
	return nil
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
func (l *lab) nested(ctx context.Context, name string, m model, t *task, s outerSearch, inner search.Result, start []float64) error {
	b := m.outer(t, klatzerLosses[1].loss)
	res, err := b.tune(ctx, s, start)
	if err != nil {
		return err
	}
	_, test, err := b.fit(ctx, res.Theta)
	if err != nil {
		return err
	}
	l.add(name, minH, res.F)
	l.add(name, testRight, test.right)
	l.add(name, evaluations, t.trainings(res.Evaluations))
	l.most(name, nested, res.F-inner.F)
	return nil
}

// klatzerF510 shows which features of Heart are left out.
func klatzerF510(ctx context.Context, l *lab) error {
	names, err := l.columnNames(ctx, heartSet)
	if err != nil {
		return err
	}
	err = l.eachHeart(ctx, func(run int, t *heartTrial) error {
		l.say("split %d of %d", run+1, l.runs)
		b := gaussianModels(heartSet.d).outer(t.task, klatzerLosses[1].loss)
		res, err := b.tune(ctx, rawSearch, klatzerStart(t.rng.Float64, heartSet.d))
		if err != nil {
			return err
		}
		l.addWidths("", names, res)
		keep := counting(res.Theta)
		for j, name := range names {
			out := 100.0
			if slices.Contains(keep, j) {
				out = 0
			}
			row := fmt.Sprintf("feature %d, %s", j+1, name)
			l.add(row, "left out in % of splits", out)
			if j == 0 || j == 4 || j == 5 || j == 10 { // of the one split of the source
				l.printed(row, "left out in % of splits", 100)
			} else {
				l.printed(row, "left out in % of splits", 0)
			}
		}
		return nil
	})
	l.drawFeatures("log10 gamma", names, "")
	return err
}

// klatzerF511 shows the penalties of the features of Heart.
func klatzerF511(ctx context.Context, l *lab) error {
	names, err := l.columnNames(ctx, heartSet)
	if err != nil {
		return err
	}
	err = l.eachHeart(ctx, func(_ int, t *heartTrial) error {
		b := linearModels(heartSet.d).outer(t.task, klatzerLosses[1].loss)
		start := slices.Repeat(uniform(t.rng, 5, 15, 1), heartSet.d)
		for _, s := range []outerSearch{rawSearch, logSearch} {
			res, err := b.tune(ctx, s, start)
			if err != nil {
				return err
			}
			for j, name := range names {
				l.add(fmt.Sprintf("%s: feature %d, %s", s.name, j+1, name), "log10 c", math.Log10(res.Theta[j]))
			}
		}
		return nil
	})
	l.drawFeatures("log10 c", names, rawSearch.name+": ", logSearch.name+": ")
	return err
}

// klatzerF512 takes the squared hinge as the outer loss.
func klatzerF512(ctx context.Context, l *lab) error {
	picture := Figure{Name: "course", Title: "H(c) on Heart by outer loss, over its least value, first split", X: Axis{"c", true},
		Y: Axis{Name: "H over its least value"}}
	err := l.eachHeart(ctx, func(run int, t *heartTrial) error {
		start := uniform(t.rng, 5, 15, 1)
		for _, outer := range []learn.Loss{learn.Square{}, learn.SquaredHinge{}} {
			b := linearModel().outer(t.task, klatzerLosses[1].loss)
			name := "mean squared error"
			if outer.Name() == (learn.SquaredHinge{}).Name() {
				// The source's sum over all rows left out, divided by their number.
				name, b.scale = "squared hinge", 1
				b.refit.Criterion = score.Risk{Loss: outer}
			}
			res, err := l.report(ctx, name, b, rawSearch, start)
			if err != nil {
				return err
			}
			l.add(name, "c", res.Theta[0])
			c, h, err := b.course(ctx, 0, 3)
			if err != nil {
				return err
			}
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
		return nil
	})
	l.draw(picture)
	l.printed("squared hinge", testRight, 85.71)
	return err
}

// course evaluates a one-parameter problem at 121 values 10^lo to 10^hi.
func (b *bilevel) course(ctx context.Context, lo, hi float64) (c, h []float64, err error) {
	const points = 121
	for i := range points {
		x := math.Pow(10, lo+(hi-lo)*float64(i)/(points-1))
		v, err := b.Eval(ctx, []float64{x}, false)
		if err != nil {
			return nil, nil, err
		}
		c, h = append(c, x), append(h, v.F)
	}
	return c, h, nil
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
