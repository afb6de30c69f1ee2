package reproduce

// One experiment of each source is run twice: by the packages that the other experiments of the source are made of
// ("library"), and by mercer.Fit, the front door that `mercer fit` goes through. Both learn from the same rows with the
// same parameters, so their numbers must agree: what is published rests on the door that everybody uses.

import (
	"context"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	file "github.com/mercer-ml/mercer/model" // model is the machine of Klatzer here
)

const (
	byLibrary     = ", library"
	byFit         = ", mercer.Fit"
	fitDifference = "largest difference of outputs, any split"
)

// both adds a number of the library and that of the front door; the source's, if it prints one, stands beside each.
func (l *lab) both(name, metric string, library, front float64) {
	l.add(name, metric+byLibrary, library)
	l.add(name, metric+byFit, front)
}

func (l *lab) printedBoth(name, metric string, v float64) {
	l.printed(name, metric+byLibrary, v)
	l.printed(name, metric+byFit, v)
}

// seeded is the seed of the front door, for which 0 means 1.
func (l *lab) seeded() uint64 { return max(l.seed, 1) }

// inputOf is a problem of two classes as the front door takes it: labels where they are known.
func inputOf(p *learn.Problem, test data.Rows, class []int) mercer.Input {
	answers := make(data.Answers, p.Rows.Len())
	for q, i := range p.Labelled {
		answers[i] = p.Classes[p.Class[q]]
	}
	in := mercer.Input{
		Set: &data.Set{Source: "training rows", Name: "training rows", Rows: unnumbered(p.Rows), Answers: answers, LabelName: "class"},
	}
	if test.Len() > 0 {
		truth := make(data.Answers, len(class))
		for i, k := range class {
			truth[i] = p.Classes[k]
		}
		in.Test = &data.Set{Source: "test rows", Name: "test rows", Rows: unnumbered(test), Answers: truth, LabelName: "class"}
	}
	return in
}

// unnumbered are rows without their numbers in the set that they come from.
func unnumbered(r data.Rows) data.Rows {
	r.ID = nil
	return r
}

// text is a number as a recipe takes it, to the last digit.
func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// fixedFit trains at parameters that are all set.
func fixedFit(ctx context.Context, in mercer.Input, r mercer.Recipe) (*file.Model, *mercer.Result) {
	r.Tune, r.Scale = "none", data.ScaleNone
	return fit(ctx, in, r)
}

// fit is the front door.
func fit(ctx context.Context, in mercer.Input, r mercer.Recipe) (*file.Model, *mercer.Result) {
	m, res, err := mercer.Fit(ctx, in, r, mercer.Options{})
	if err != nil {
		fail("mercer.Fit, %s: %w", r.Method, err)
	}
	return m, res
}

// apart is the largest difference of two tables of one column.
func apart(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	var most float64
	for i := range n {
		most = max(most, math.Abs(a.At(i, 0)-b.At(i, 0)))
	}
	return most
}

// The lecture of Odone and Rosasco (MLCC 2014, lecture 3) has no data and no tables: its machines are run on eight points
// at lambda = 0.05 by the packages of the library and through the front door. Both minimise
//
//	P(w, b) = (1/n) sum_i V(y_i, w'x_i + b) + lambda |w|^2                        (3.1)
//
// with the square, the logistic loss or the hinge, without an offset or with a free one. P is computed here from w and b.

const lectureLambda = 0.05

// lecturePoints are two columns and the class of eight points.
var lecturePoints = [8][3]float64{
	{.2, .7, 1}, {.9, .4, -1}, {.5, .1, -1}, {.3, .9, 1},
	{.8, .8, 1}, {.1, .3, -1}, {.6, .5, -1}, {.7, .2, 1},
}

// lectureMachine is a machine with its loss of y f(x); the square is (1 - y f)^2 for y = -1 and 1.
type lectureMachine struct {
	name, method string
	offset       bool
	learner      learn.Learner
	loss         func(margin float64) float64
}

// lectureMachines are those of sections 3.4 to 3.7.
var lectureMachines = []lectureMachine{
	{"least squares", "rls", false, rls.Learner{}, squareLoss},
	{"least squares with offset", "rls", true, rls.Learner{Offset: true}, squareLoss},
	{"logistic", "logistic", false, smooth.Learner{Loss: learn.Logistic()}, logisticLoss},
	{"logistic with offset", "logistic", true, smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free}, logisticLoss},
	{"support vectors", "svm", false, svm.Classifier{NoOffset: true, Options: svm.Options{Tolerance: 1e-10}}, hingeLoss},
	{"support vectors with offset", "svm", true, svm.Classifier{Options: svm.Options{Tolerance: 1e-10}}, hingeLoss},
}

func squareLoss(margin float64) float64   { return (1 - margin) * (1 - margin) }
func logisticLoss(margin float64) float64 { return math.Log1p(math.Exp(-margin)) }
func hingeLoss(margin float64) float64    { return max(0, 1-margin) }

const lectureObjective = "objective P"

// lectureFit is the lecture's machines both ways.
func lectureFit(ctx context.Context, l *lab) {
	for _, m := range lectureMachines {
		l.lectureTwice(ctx, m)
	}
}

// lectureSet is the eight points.
func lectureSet() (rows data.Rows, y []float64) {
	rows.Dense = mat.NewDense(len(lecturePoints), 2, nil)
	for i, p := range lecturePoints {
		rows.Dense.SetRow(i, p[:2])
		y = append(y, p[2])
	}
	return rows, y
}

// lectureTwice trains a machine both ways.
func (l *lab) lectureTwice(ctx context.Context, m lectureMachine) {
	rows, y := lectureSet()
	p := learn.NewProblem(rows, labelsOf(y))
	n := float64(len(y))
	strength := n * lectureLambda // the ridge, or C
	r := mercer.Recipe{Method: m.method, Kernel: "linear", Offset: "no", Tolerance: 1e-10,
		Set: map[string]string{"lambda": text(lectureLambda)}}
	if m.method != "rls" {
		strength = 1 / (2 * n * lectureLambda)
		r.Set = map[string]string{"C": text(strength)}
	}
	if m.offset {
		r.Offset = "yes"
	}
	g := must(kernel.Linear{}.Bind(ctx, rows, nil))
	library := trained(ctx, g, m.learner, p, strength)
	front, _ := fixedFit(ctx, inputOf(p, data.Rows{}, nil), r)
	// w and b are the differences of outputs at the unit points and the origin.
	at := data.Rows{Dense: mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1})}
	a, b := linearOf(predicted(ctx, g, library, at, 1)), linearOf(must(front.Predict(ctx, at)))
	l.both(m.name, lectureObjective, lecturePrimal(m.loss, rows, y, a), lecturePrimal(m.loss, rows, y, b))
	l.both(m.name, "w1", a[0], b[0])
	l.both(m.name, "w2", a[1], b[1])
}

// linearOf is w1, w2 and b of outputs at the origin and the unit points.
func linearOf(out *mat.Dense) [3]float64 {
	b := out.At(0, 0)
	return [3]float64{out.At(1, 0) - b, out.At(2, 0) - b, b}
}

// lecturePrimal is P at w1, w2, b.
func lecturePrimal(lost func(float64) float64, rows data.Rows, y []float64, w [3]float64) float64 {
	p := lectureLambda * (w[0]*w[0] + w[1]*w[1])
	for i := range y {
		f := w[0]*rows.Dense.At(i, 0) + w[1]*rows.Dense.At(i, 1) + w[2]
		p += lost(y[i]*f) / float64(len(y))
	}
	return p
}
