package reproduce

// Protocol of Klatzer 2014, chapters 5 and 6: two classes (of more, one against the rest), rows to tune on and test rows;
// the tuning rows are validated in T = 5 folds, or part of them is one validation set. Counts are of SVM trainings, as his:
// one an outer evaluation with one validation set, else T an evaluation and one at the end.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

const klatzerFolds = 5 // T

// The inner losses from section 5.2 on.
var klatzerLosses = [...]struct {
	name string
	loss learn.Loss
}{
	{"modified logistic", learn.ModLogistic(12)},
	{"quartic", quartic},
}

var quartic = learn.Quartic(0.125)

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

// newTask makes the task of the rows `train` of x, validated in the folds, and `test`. positive says which rows of x are of
// the class against the rest. Tasks of the same training rows may share a Work.
func newTask(x data.Rows, positive []bool, train, test []int, folds [][]int, w *kernel.Work) *task {
	y := signs(positive)
	t := &task{work: w, folds: folds, test: x.Select(test), finalY: indices.Of(y, train), testY: indices.Of(y, test)}
	// Row numbers are of the training rows, as the tables of the work are.
	t.problem = learn.NewProblem(data.Rows{Dense: x.Select(train).Dense}, labelsOf(t.finalY))
	return t
}

// heldOut is a task with one validation set, which does not train in the end either.
func heldOut(x data.Rows, positive []bool, train, validate, test []int) *task {
	t := newTask(x, positive, slices.Concat(train, validate), test, nil, new(kernel.Work))
	t.finalY, t.final = t.finalY[:len(train)], indices.To(len(train))
	t.folds = [][]int{indices.To(len(train) + len(validate))[len(train):]}
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

// The outer problem of Klatzer 2014 (chapters 2 and 3) in his own parameters:
//
//	minimise over theta  H = 1/(2L) sum_l (f(z_l) - eta_l)^2            (2.3, 2.10, 3.15)
//	where f minimises    c/2 |f|^2 + sum_i V(f(x_i), y_i)               (2.1, 3.1)
//
// over the rows left out by T folds, H the mean of the folds (he minimises their sum),
// or those of one validation set. score.Refit knows the same problem in C and sigma; here
//
//	C = 1/c,   sigma = 1/sqrt(2 gamma),   H = 1/2 Risk,
//	dH/dc = -C^2 dH/dC,   dH/dgamma = -sigma^3 dH/dsigma.
//
// So that counts of evaluations are those of his coordinates a search may take them as they are (Raw) or their logarithms.

// notion is what one of the source's parameters is to the library.
type notion int

const (
	same    notion = iota
	inverse        // C of c
	width          // sigma of gamma
)

// to returns the library's value and its derivative.
func (n notion) to(x float64) (v, slope float64) {
	switch n {
	case inverse:
		return 1 / x, -1 / (x * x)
	case width:
		v = 1 / math.Sqrt(2*x)
		return v, -v * v * v
	}
	return x, 1
}

// setting is a parameter of the source: its name and range, and the library's number it
// becomes (the kernel's parameters first, then C).
type setting struct {
	name   string
	lo, hi float64
	at     int
	as     notion
}

// Ranges: the source bounds all parameters below by 0.01 or 0.1 (chapter 7) and not above;
// a search here needs both ends. At c = 1e4 the machines of these sets are zero.
const lowest, highest = 0.01, 1e4

// model is a machine with the parameters that the source learns.
type model struct {
	name     string
	kernel   kernel.Kernel // parameters of any value
	offset   smooth.Offset
	settings []setting
}

// The models: linear ones have a free bias, those with a kernel none.

func linearModel() model {
	return model{"bilinear", kernel.Linear{}, smooth.Free, []setting{{"c", lowest, highest, 0, inverse}}}
}

// linearModels has one c a feature: the penalty of a weight, C = 1. The bias has none.
func linearModels(d int) model {
	m := model{name: "multiple c", kernel: kernel.ARDLinear{C: slices.Repeat([]float64{1}, d)}, offset: smooth.Free}
	for j := range d {
		m.settings = append(m.settings, setting{fmt.Sprintf("c[%d]", j+1), lowest, highest, j, same})
	}
	return m
}

func gaussianModel() model {
	return model{"bikernel", kernel.Gaussian{Sigma: 1}, smooth.None,
		[]setting{{"c", lowest, highest, 1, inverse}, {"gamma", lowest, highest, 0, width}}}
}

func chiSquareModel() model {
	m := gaussianModel()
	m.kernel = kernel.ExpChi2{Sigma: 1}
	return m
}

// gaussianModels has one gamma a feature.
func gaussianModels(d int) model {
	widths := kernel.ARDGaussian{Sigma: slices.Repeat([]float64{1}, d)}
	m := model{"multiple gamma", widths, smooth.None, []setting{{"c", lowest, highest, d, inverse}}}
	for j := range d {
		m.settings = append(m.settings, setting{fmt.Sprintf("gamma[%d]", j+1), lowest, highest, j, width})
	}
	return m
}

// groupModel is a weighted sum of Gaussians, one a group of columns.
func groupModel(groups [][]int) model {
	var terms []kernel.Kernel
	for _, g := range groups {
		terms = append(terms, kernel.Scaled{Weight: 1, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: g}})
	}
	m := model{"multiple kernel", kernel.Sum{Terms: terms}, smooth.None, []setting{{"c", lowest, highest, 2 * len(groups), inverse}}}
	for p := range groups {
		m.settings = append(m.settings, setting{fmt.Sprintf("gamma[%d]", p+1), lowest, highest, 2*p + 1, width})
	}
	for p := range groups {
		m.settings = append(m.settings, setting{fmt.Sprintf("beta[%d]", p+1), lowest, highest, 2 * p, same})
	}
	return m
}

// bilevel is the outer problem of a model on the rows of a task.
type bilevel struct {
	model
	task  *task
	refit *score.Refit
	cold  *score.Refit // for what a warm start does not solve; nil if refit starts cold
	scale float64      // H over Refit's score
}

var _ param.Objective = (*bilevel)(nil)

// outer joins a model, its inner loss and a task; H is of the mean squared error.
func (m model) outer(t *task, inner learn.Loss) *bilevel {
	return &bilevel{model: m, task: t, scale: 0.5, refit: &score.Refit{
		Kernel: m.kernel, Learner: smooth.Learner{Loss: inner, Offset: m.offset},
		Problem: t.problem, Work: t.work, Criterion: score.Risk{Loss: learn.Square()}, Folds: t.folds,
	}}
}

// warm returns the same problem with inner solutions that begin at those of the evaluation before. Evaluations must come one after
// another. After a long outer step the old solution can be a worse start than none, which is continued from wide surrogates.
func (b *bilevel) warm() *bilevel {
	w := *b
	w.cold = b.refit
	w.refit = &score.Refit{Kernel: b.refit.Kernel, Learner: b.refit.Learner, Problem: b.refit.Problem, Work: b.refit.Work,
		Criterion: b.refit.Criterion, Folds: b.refit.Folds, Warm: true}
	return &w
}

// Space lists the source's parameters, on a log scale unless the search is Raw.
func (b *bilevel) Space() param.Space {
	s := make(param.Space, len(b.settings))
	for k, p := range b.settings {
		s[k] = param.Dim{Name: p.name, Kind: param.Log, Lo: p.lo, Hi: p.hi, Default: 1}
	}
	return s
}

// library returns the library's parameters and their slopes. What the source has no parameter for is 1.
func (b *bilevel) library(theta []float64) (ours, slope []float64) {
	ours, slope = slices.Repeat([]float64{1}, len(b.kernel.Space())+1), make([]float64, len(b.settings))
	for k, p := range b.settings {
		ours[p.at], slope[k] = p.as.to(theta[k])
	}
	return ours, slope
}

// Eval implements param.Objective.
func (b *bilevel) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	ours, slope := b.library(theta)
	v, err := b.refit.Eval(ctx, ours, want)
	if err != nil && b.cold != nil && ctx.Err() == nil {
		v, err = b.cold.Eval(ctx, ours, want)
	}
	if err != nil {
		return v, err
	}
	v.F *= b.scale
	v.Noise *= b.scale
	if v.Grad != nil {
		for k, p := range b.settings {
			slope[k] *= b.scale * v.Grad[p.at]
		}
		v.Grad = slope
	}
	return v, nil
}

// machine trains at theta on the rows that train in the end.
func (b *bilevel) machine(ctx context.Context, theta []float64) (kernel.Gram, *learn.Machine) {
	ours, _ := b.library(theta)
	n := len(ours) - 1
	k := must(b.kernel.With(ours[:n]))
	g := must(k.Bind(ctx, b.task.problem.Rows, b.task.work))
	t := must(b.refit.Learner.Bind(ctx, g, b.task.problem))
	return g, must(t.Train(ctx, b.task.final, ours[n:], nil))
}

// judged is how well a machine does on rows.
type judged struct{ h, right float64 } // mean squared error over two; per cent right

// fit trains at theta and judges the machine on its training rows and on the test rows.
func (b *bilevel) fit(ctx context.Context, theta []float64) (train, test judged) {
	g, m := b.machine(ctx, theta)
	t := b.task
	own := mat.NewDense(max(len(t.finalY), 1), 1, nil)
	check(m.Evaluate(ctx, own, g, t.problem.Subset(t.final)))
	train = judge(own, t.finalY)
	if len(t.testY) > 0 {
		test = judge(predicted(ctx, g, m, t.test, 1), t.testY)
	}
	return train, test
}

func judge(out *mat.Dense, y []float64) judged {
	var j judged
	for i, v := range y {
		f := out.At(i, 0)
		j.h += (f - v) * (f - v) / 2
		if (f >= 0) == (v > 0) {
			j.right += 100
		}
	}
	n := float64(len(y))
	return judged{j.h / n, j.right / n}
}
