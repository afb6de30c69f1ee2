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
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

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
	x := reals(indices.To(len(names) + 1))[1:]
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
		t.task = t.columns(indices.To(heartSet.d))
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
			again := append([]float64{start[0]}, indices.Of(start[1:], keep)...)
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
		for _, outer := range []learn.Loss{learn.Square(), learn.SquaredHinge()} {
			b := linearModel().outer(t.task, quartic)
			name := "mean squared error"
			if outer.Name() == learn.SquaredHinge().Name() {
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
		v := must(b.Eval(ctx, []float64{x}, param.ValueOnly))
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
	exact := must(b.Eval(ctx, found.Theta, param.ValueOnly))
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
	all := indices.To(parkinsonsSet.d)
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
