package reproduce

// Protocol of Klatzer 2014, chapter 6, on pictures that are at hand: some pictures of every class to tune on and
// some to test, bags of visual words, one machine a class against the rest, whose largest output decides.

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

var coilSet = klatzerSet{"coil20", "coil20.csv.gz", 1440, 1024}

// gallery is a protocol: how many pictures of how many classes.
type gallery struct {
	classes    int
	rest       bool // the last class is of pictures of all others
	tune, test int  // pictures of a class
	words      int
}

// pictures is one split: rows to tune on, then those to test, and what the machines of all classes share. The rows
// to test are in the tables of the kernels but have no labels: they do not train.
type pictures struct {
	rows    data.Rows
	class   []int
	tune    int
	classes int
	folds   [][]int
	work    *kernel.Work
}

// hang draws the split of a run and counts its words.
func (g gallery) hang(ctx context.Context, l *lab, set *classified, run int) (*pictures, error) {
	rng := l.stream(run)
	tune, test := atMost(ctx, "pictures of a class to tune", 6, g.tune), atMost(ctx, "pictures of a class to test", 3, g.test)
	words := atMost(ctx, "words", 20, g.words)
	p := &pictures{classes: g.classes, tune: g.classes * tune, work: new(kernel.Work)}
	var rows, last, lastClass []int
	for k := range g.classes {
		perm := g.of(set, k)
		if len(perm) < tune+test {
			return nil, fmt.Errorf("class %d has %d pictures, %d are needed", k, len(perm), tune+test)
		}
		rng.Shuffle(len(perm), func(a, b int) { perm[a], perm[b] = perm[b], perm[a] })
		rows, last = append(rows, perm[:tune]...), append(last, perm[tune:tune+test]...)
		p.class, lastClass = append(p.class, slices.Repeat([]int{k}, tune)...), append(lastClass, slices.Repeat([]int{k}, test)...)
	}
	labels := data.Labels{Task: data.Classification, Classes: make([]string, g.classes), Class: p.class}
	folds, err := data.Folds(labels, klatzerFolds, rng.Uint64())
	if err != nil {
		return nil, err
	}
	p.folds, p.class = folds.Groups(), append(p.class, lastClass...)
	p.rows, err = visualWords(ctx, set.x.Select(append(rows, last...)).Dense, p.tune, words, rng)
	return p, err
}

// of lists the rows of a class.
func (g gallery) of(set *classified, k int) []int {
	least := slices.Min(set.class) // 0, or 1
	var rows []int
	for i, c := range set.class {
		if c -= least; c == k || g.rest && k == g.classes-1 && c > k {
			rows = append(rows, i)
		}
	}
	return rows
}

// task is one class against the rest.
func (p *pictures) task(k int) *task {
	labels := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, len(p.class))}
	for i, c := range p.class {
		switch {
		case i >= p.tune:
			labels.Class[i] = -1 // none
		case c == k:
			labels.Class[i] = 1
		}
	}
	return &task{problem: learn.NewProblem(p.rows, labels), work: p.work, folds: p.folds}
}

// tested is the classes of the rows to test.
func (p *pictures) tested() []int { return p.class[p.tune:] }

// scores is for the outputs of all classes on the rows to test.
func (p *pictures) scores() *mat.Dense { return mat.NewDense(len(p.tested()), p.classes, nil) }

// outputs stores in a column what the machine of a class says of the rows to test.
func (p *pictures) outputs(ctx context.Context, scores *mat.Dense, k int, b *bilevel, theta []float64) error {
	g, m, err := b.machine(ctx, theta)
	if err != nil {
		return err
	}
	out := mat.NewDense(len(p.tested()), 1, nil)
	if err := m.Evaluate(ctx, out, g, numbersTo(len(p.class))[p.tune:]); err != nil {
		return err
	}
	scores.SetCol(k, mat.Col(nil, 0, out))
	return ctx.Err()
}

// Metrics of tables on pictures.
const (
	meanClass    = "mean class accuracy %"
	meanH        = "H at the optimum, mean of the classes"
	allTrainings = "SVM evaluations, all classes"
)

// diagonal is the part of each class, in per cent, whose largest output is its own, and the mean of the classes:
// the diagonal of the confusion matrix.
func diagonal(scores *mat.Dense, class []int) (each []float64, mean float64) {
	_, classes := scores.Dims()
	each = make([]float64, classes)
	count := make([]float64, classes)
	for i, k := range class {
		best := 0
		row := scores.RawRowView(i)
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		count[k]++
		if best == k {
			each[k]++
		}
	}
	for k := range each {
		each[k] *= 100 / count[k]
		mean += each[k] / float64(classes)
	}
	return each, mean
}

// rightOf adds the accuracies of a method, class by class, and returns their mean.
func (l *lab) rightOf(name string, scores *mat.Dense, class []int) float64 {
	each, mean := diagonal(scores, class)
	for k, v := range each {
		l.add(className(name, k), testRight, v)
	}
	l.add(name, meanClass, mean)
	return mean
}

func className(name string, k int) string { return fmt.Sprintf("%s, class %d", name, k) }

// learned tunes a machine for each class from a start and returns the mean class accuracy.
func (l *lab) learned(ctx context.Context, name string, p *pictures, m model, start []float64) (float64, error) {
	scores := p.scores()
	h, count := 0.0, 0.0
	for k := range p.classes {
		b := m.outer(p.task(k), klatzerLosses[1].loss)
		res, err := b.tune(ctx, logSearch, start)
		if err != nil {
			return 0, err
		}
		if err := p.outputs(ctx, scores, k, b, res.Theta); err != nil {
			return 0, err
		}
		h, count = h+res.F/float64(p.classes), count+b.task.trainings(res.Evaluations)
	}
	l.add(name, meanH, h)
	l.add(name, allTrainings, count)
	return l.rightOf(name, scores, p.tested()), nil
}

// gridded tries every point of a grid: for each class the point of the least H, and for all classes together the one
// that is best on the rows to test, which nobody knows beforehand. It returns the mean class accuracy of the first.
func (l *lab) gridded(ctx context.Context, name string, p *pictures, m model, grid [][]float64) (float64, error) {
	all := make([]*mat.Dense, len(grid))
	for q := range grid {
		all[q] = p.scores()
	}
	chosen := p.scores()
	h, count := 0.0, 0.0
	for k := range p.classes {
		b := m.outer(p.task(k), klatzerLosses[1].loss)
		best, least := 0, 0.0
		for q, theta := range grid {
			v, err := b.Eval(ctx, theta, false)
			if err != nil {
				return 0, err
			}
			if q == 0 || v.F < least {
				best, least = q, v.F
			}
			if err := p.outputs(ctx, all[q], k, b, theta); err != nil {
				return 0, err
			}
		}
		chosen.SetCol(k, mat.Col(nil, k, all[best]))
		h, count = h+least/float64(p.classes), count+b.task.trainings(len(grid))
	}
	l.add(name+" by H", meanH, h)
	l.add(name+" by H", allTrainings, count)
	right := l.rightOf(name+" by H", chosen, p.tested())
	top := 0.0
	for q := range grid {
		_, mean := diagonal(all[q], p.tested())
		top = max(top, mean)
	}
	l.add(name+" in hindsight", meanClass, top)
	return right, nil
}

// pairs lists all (a, b).
func pairs(a, b []float64) [][]float64 {
	var all [][]float64
	for _, x := range a {
		for _, y := range b {
			all = append(all, []float64{x, y})
		}
	}
	return all
}

// perClass draws the accuracy of every class by several methods.
func (l *lab) perClass(classes int, names ...string) {
	picture := Figure{Name: "classes", Title: "Test accuracy of every class", X: Axis{Name: "class"}, Y: Axis{Name: testRight}}
	var at []float64
	for k := range classes {
		at = append(at, float64(k))
	}
	for _, name := range names {
		c := l.means(name, testRight, at, func(k float64) string { return className(name, int(k)) })
		c.Loose = true
		picture.Curves = append(picture.Curves, c)
	}
	l.draw(picture)
}

// overSplits calls f for every split of several sets of pictures.
func (l *lab) overSplits(ctx context.Context, g gallery, sets []klatzerSet, f func(name string, p *pictures) error) error {
	for _, d := range sets {
		set, err := l.classified(ctx, d)
		if err != nil {
			return err
		}
		for run := range l.runs {
			l.say("%s, split %d of %d", d.name, run+1, l.runs)
			p, err := g.hang(ctx, l, set, run)
			if err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
			if err := f(d.name, p); err != nil {
				return err
			}
		}
	}
	return nil
}
