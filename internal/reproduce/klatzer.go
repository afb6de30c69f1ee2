package reproduce

// Protocol of Klatzer 2014, chapters 5 and 6: two classes (of more, one against the
// rest), rows to tune on and test rows; the tuning rows are validated in T = 5 folds,
// or part of them is one validation set. Counts are of SVM trainings, as his: one an
// outer evaluation with one validation set, else T an evaluation and one at the end.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search"
)

const (
	klatzerFolds = 5 // T
	// klatzerRuns splits take the place of the one that the source does not give.
	klatzerRuns = 20
)

// The inner losses from section 5.2 on.
var klatzerLosses = [...]struct {
	name string
	loss learn.Loss
}{
	{"modified logistic", learn.ModLogistic{Mu: 12}},
	{"quartic", learn.Quartic{Eps: 0.125}},
}

// klatzerSet is a data set of the source with its expected size.
type klatzerSet struct {
	name, file string // no file: built in
	n, d       int
}

var (
	irisSet       = klatzerSet{"iris", "", 150, 4}
	fourclassSet  = klatzerSet{"fourclass", "fourclass.csv", 862, 2}
	seedsSet      = klatzerSet{"seeds", "seeds.csv", 210, 7}
	heartSet      = klatzerSet{"heart", "heart_statlog.csv", 270, 13}
	parkinsonsSet = klatzerSet{"parkinsons", "parkinsons.csv", 195, 22}
	fashionSet    = klatzerSet{"fashion-mnist", "fashion_mnist_5000.csv.gz", 5000, 784}
	uspsSet       = klatzerSet{"usps", "usps_train.csv.gz", 7291, 256}
)

// classified is a set with a class a row.
type classified struct {
	x       data.Rows
	columns []string // names
	class   []int
}

func (l *lab) classified(ctx context.Context, d klatzerSet) (*classified, error) {
	set, err := l.open(ctx, dataset{name: d.name, file: d.file})
	if err != nil {
		return nil, err
	}
	if n, cols := set.Rows.Len(), set.Rows.Dim(); n != d.n || cols != d.d || len(set.Answers) != n {
		return nil, fmt.Errorf(
			"%s: %d rows of %d features in place of %d of %d; this is not the set that docs/datasets.md describes",
			d.file,
			n,
			cols,
			d.n,
			d.d,
		)
	}
	c := &classified{x: set.Rows, columns: set.Features, class: make([]int, d.n)}
	for i, a := range set.Answers {
		if c.class[i], err = strconv.Atoi(data.ClassName(a)); err != nil {
			return nil, fmt.Errorf(
				"%s: row %d has class %q, not a whole number; this is not the set that docs/datasets.md describes",
				d.file,
				i+1,
				a,
			)
		}
	}
	return c, nil
}

// span scales every column to lo..hi over all rows, as svm-scale does.
func (c *classified) span(lo, hi float64) error {
	s, _, err := data.FitScaling(data.ScaleMinMax, c.x)
	if err != nil {
		return err
	}
	c.x = s.Apply(c.x)
	c.x.Dense.Apply(func(_, _ int, v float64) float64 { return lo + (hi-lo)*v }, c.x.Dense)
	return nil
}

// against says which rows are of the class.
func (c *classified) against(class int) []bool {
	is := make([]bool, len(c.class))
	for i, k := range c.class {
		is[i] = k == class
	}
	return is
}

// shares draws disjoint lists of rows of the given sizes at random, in which the classes
// have, to rounding, the parts that they have of all rows.
func (c *classified) shares(rng *rand.Rand, sizes ...int) [][]int {
	byClass := map[int][]int{}
	for i, k := range c.class {
		byClass[k] = append(byClass[k], i)
	}
	var names []int
	for k := range byClass {
		names = append(names, k)
	}
	slices.Sort(names)
	// Every row has a place in (0, 1) within its class; rows in the order of their
	// places are a mixture of the classes in equal proportions wherever it is cut.
	type placed struct {
		at  float64
		row int
	}
	var all []placed
	for _, k := range names {
		rows := byClass[k]
		for q, p := range rng.Perm(len(rows)) {
			all = append(all, placed{(float64(q) + rng.Float64()) / float64(len(rows)), rows[p]})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	lists := make([][]int, len(sizes))
	next := 0
	for s, n := range sizes {
		for range n {
			lists[s] = append(lists[s], all[next].row)
			next++
		}
	}
	return lists
}

// stream is the random numbers of a run.
func (l *lab) stream(run int) *rand.Rand { return rand.New(rand.NewPCG(l.seed, uint64(run))) }

// uniform draws n numbers from lo to hi.
func uniform(rng *rand.Rand, lo, hi float64, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}

// task is two classes in rows to train, validate and test.
type task struct {
	problem *learn.Problem // the rows to train and validate
	work    *kernel.Work
	folds   [][]int
	final   []int     // rows that train in the end; nil: all
	finalY  []float64 // their classes, -1 and 1
	test    data.Rows
	testY   []float64
}

// newTask makes the task of the rows `train` of x, validated in the folds, and `test`.
// positive says which rows of x are of the class against the rest. Tasks of the same
// training rows may share a Work.
func newTask(x data.Rows, positive []bool, train, test []int, folds [][]int, w *kernel.Work) *task {
	labels := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, len(train))}
	t := &task{work: w, folds: folds, test: x.Select(test)}
	for k, i := range train {
		if positive[i] {
			labels.Class[k] = 1
		}
		t.finalY = append(t.finalY, sign(positive[i]))
	}
	for _, i := range test {
		t.testY = append(t.testY, sign(positive[i]))
	}
	// Row numbers are of the training rows, as the tables of the work are.
	t.problem = learn.NewProblem(data.Rows{Dense: x.Select(train).Dense}, labels)
	return t
}

// heldOut is a task with one validation set, which does not train in the end either.
func heldOut(x data.Rows, positive []bool, train, validate, test []int) *task {
	t := newTask(x, positive, slices.Concat(train, validate), test, nil, new(kernel.Work))
	t.finalY = t.finalY[:len(train)]
	t.final = make([]int, len(train))
	for k := range t.final {
		t.final[k] = k
	}
	fold := make([]int, len(validate))
	for k := range fold {
		fold[k] = len(train) + k
	}
	t.folds = [][]int{fold}
	return t
}

// crossValidated is a task in T folds with equal parts of the two classes.
func crossValidated(x data.Rows, positive []bool, train, test []int, seed uint64, w *kernel.Work) (*task, error) {
	t := newTask(x, positive, train, test, nil, w)
	labels := data.Labels{Task: data.Classification, Classes: t.problem.Classes, Class: t.problem.Class}
	p, err := data.Folds(labels, klatzerFolds, seed)
	if err != nil {
		return nil, err
	}
	t.folds = p.Groups()
	return t, nil
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

// trainings is the source's count for so many outer evaluations.
func (t *task) trainings(outer int) float64 {
	if t.final != nil {
		return float64(outer)
	}
	return float64(len(t.folds)*outer + 1)
}

// outerSearch is a search of the source, in his coordinates, or ours on logarithms.
type outerSearch struct {
	name   string
	from   func(start []float64) search.Search
	budget int // outer evaluations
}

const (
	lbfgsName = "L-BFGS-B"
	rpropName = "RPROP"
	logName   = "L-BFGS-B on logarithms"
)

var (
	rawSearch   = outerSearch{lbfgsName, func(s []float64) search.Search { return search.Gradient{Start: s, Raw: true} }, 200}
	rpropSearch = outerSearch{
		rpropName,
		func(s []float64) search.Search { return search.RPROP{Start: s, Raw: true} },
		100,
	} // the source's cap
	logSearch = outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s} }, 200}
)

// tune runs a search from a start. Inner problems begin at the solutions of the outer
// step before, as in section 5.2.2 of the source; about half of the time.
func (b *bilevel) tune(ctx context.Context, s outerSearch, start []float64) (search.Result, error) {
	res, err := search.Driver{Budget: atMost(ctx, "evaluations, "+s.name, 3, s.budget)}.Run(ctx, b.warm(), s.from(start))
	if err == nil {
		err = ctx.Err() // an interrupted search is no result here
	}
	if err != nil {
		err = fmt.Errorf("%s, %s: %w", b.name, s.name, err)
	}
	return res, err
}

// Metrics that several tables have.
const (
	minH        = "H at the optimum"
	evaluations = "SVM evaluations"
	trainH      = "training H"
	testH       = "test H"
	trainRight  = "training accuracy %"
	testRight   = "test accuracy %"
)

// report tunes, trains at the end and adds a row a metric.
func (l *lab) report(ctx context.Context, name string, b *bilevel, s outerSearch, start []float64) (search.Result, error) {
	res, err := b.tune(ctx, s, start)
	if err != nil {
		return res, err
	}
	train, test, err := b.fit(ctx, res.Theta)
	if err != nil {
		return res, err
	}
	l.add(name, minH, res.F)
	l.add(name, trainH, train.h)
	l.add(name, trainRight, train.right)
	if len(b.task.testY) > 0 {
		l.add(name, testH, test.h)
		l.add(name, testRight, test.right)
	}
	l.add(name, evaluations, b.task.trainings(res.Evaluations))
	return res, nil
}

// printedRow sets what the source prints of a row of tables 5.5 to 5.7: H, training H and
// accuracy, test H and accuracy, evaluations.
func (l *lab) printedRow(name string, row [6]float64) {
	for k, metric := range [...]string{minH, trainH, trainRight, testH, testRight, evaluations} {
		l.printed(name, metric, row[k])
	}
}

// within returns the number of the first evaluation from which on the best theta so far
// is nearer to the goal than by, in every coordinate; 0 if none is.
func within(trace []search.Record, goal []float64, by float64) int {
	best, first := 0, 0
	for i, r := range trace {
		if i > 0 && r.F >= trace[best].F {
			continue
		}
		best = i
		near := true
		for k, v := range r.Theta {
			if d := v - goal[k]; d > by || d < -by {
				near = false
			}
		}
		switch {
		case near && first == 0:
			first = r.N
		case !near:
			first = 0
		}
	}
	return first
}
