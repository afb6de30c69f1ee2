package reproduce

// Protocol of Klatzer 2014, chapters 5 and 6: two classes (of more, one against the
// rest), rows to tune on and test rows; the tuning rows are validated in T = 5 folds,
// or part of them is one validation set. Counts are of SVM trainings, as his: one an
// outer evaluation with one validation set, else T an evaluation and one at the end.

import (
	"cmp"
	"context"
	"slices"

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
	{"quartic", quartic},
}

var quartic = learn.Quartic{Eps: 0.125}

var (
	irisSet       = dataset{"iris", "", 150, 4}
	fourclassSet  = dataset{"fourclass", "fourclass.csv", 862, 2}
	seedsSet      = dataset{"seeds", "seeds.csv", 210, 7}
	heartSet      = dataset{"heart", "heart_statlog.csv", 270, 13}
	parkinsonsSet = dataset{"parkinsons", "parkinsons.csv", 195, 22}
	fashionSet    = dataset{"fashion-mnist", "fashion_mnist_5000.csv.gz", 5000, 784}
	uspsSet       = dataset{"usps", "usps_train.csv.gz", 7291, 256}
)

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
	y := signs(positive)
	t := &task{work: w, folds: folds, test: x.Select(test), finalY: pickOf(y, train), testY: pickOf(y, test)}
	// Row numbers are of the training rows, as the tables of the work are.
	t.problem = learn.NewProblem(data.Rows{Dense: x.Select(train).Dense}, labelsOf(t.finalY))
	return t
}

// heldOut is a task with one validation set, which does not train in the end either.
func heldOut(x data.Rows, positive []bool, train, validate, test []int) *task {
	t := newTask(x, positive, slices.Concat(train, validate), test, nil, new(kernel.Work))
	t.finalY, t.final = t.finalY[:len(train)], numbersTo(len(train))
	t.folds = [][]int{numbersTo(len(train) + len(validate))[len(train):]}
	return t
}

// crossValidated is a task in T folds with equal parts of the two classes.
func crossValidated(x data.Rows, positive []bool, train, test []int, seed uint64, w *kernel.Work) *task {
	t := newTask(x, positive, train, test, nil, w)
	t.folds = must(data.Folds(labelsOf(t.finalY), klatzerFolds, seed)).Groups()
	return t
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
	rpropSearch = outerSearch{rpropName, func(s []float64) search.Search { return search.RPROP{Start: s, Raw: true} }, 100} // his cap
	logSearch   = outerSearch{logName, func(s []float64) search.Search { return search.Gradient{Start: s} }, 200}
)

// klatzerSearches are all of them.
var klatzerSearches = []outerSearch{rawSearch, rpropSearch, logSearch}

// tune runs a search from a start. Inner problems begin at the solutions of the outer
// step before, as in section 5.2.2 of the source; about half of the time.
func (b *bilevel) tune(ctx context.Context, s outerSearch, start []float64) search.Result {
	res, err := search.Driver{Budget: atMost(ctx, "evaluations, "+s.name, 3, s.budget)}.Run(ctx, b.warm(), s.from(start))
	if err = cmp.Or(err, ctx.Err()); err != nil { // an interrupted search is no result here
		fail("%s, %s: %w", b.name, s.name, err)
	}
	return res
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
func (l *lab) report(ctx context.Context, name string, b *bilevel, s outerSearch, start []float64) search.Result {
	res := b.tune(ctx, s, start)
	train, test := b.fit(ctx, res.Theta)
	l.add(name, minH, res.F)
	l.add(name, trainH, train.h)
	l.add(name, trainRight, train.right)
	if len(b.task.testY) > 0 {
		l.add(name, testH, test.h)
		l.add(name, testRight, test.right)
	}
	l.add(name, evaluations, b.task.trainings(res.Evaluations))
	return res
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
