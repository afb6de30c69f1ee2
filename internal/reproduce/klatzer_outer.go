package reproduce

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
// So that counts of evaluations are those of his coordinates a search may take them as
// they are (Raw) or their logarithms.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

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
const (
	lowest  = 0.01
	highest = 1e4
)

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
	m := model{name: "multiple c", kernel: kernel.ARDLinear{C: ones(d)}, offset: smooth.Free}
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
	m := model{"multiple gamma", kernel.ARDGaussian{Sigma: ones(d)}, smooth.None, []setting{{"c", lowest, highest, d, inverse}}}
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

func ones(d int) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = 1
	}
	return v
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
		Problem: t.problem, Work: t.work, Criterion: score.Risk{Loss: learn.Square{}}, Folds: t.folds,
	}}
}

// warm returns the same problem with inner solutions that begin at those of the
// evaluation before. Evaluations must come one after another. After a long outer step the
// old solution can be a worse start than none, which is continued from wide surrogates.
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

// library returns the library's parameters and their slopes. What the source has no
// parameter for is 1.
func (b *bilevel) library(theta []float64) (ours, slope []float64) {
	ours, slope = ones(len(b.kernel.Space())+1), make([]float64, len(b.settings))
	for k, p := range b.settings {
		ours[p.at], slope[k] = p.as.to(theta[k])
	}
	return ours, slope
}

// Eval implements param.Objective.
func (b *bilevel) Eval(ctx context.Context, theta []float64, grad bool) (param.Value, error) {
	ours, slope := b.library(theta)
	v, err := b.refit.Eval(ctx, ours, grad)
	if err != nil && b.cold != nil && ctx.Err() == nil {
		v, err = b.cold.Eval(ctx, ours, grad)
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
