// Package relevance learns a width for each column of a table from its labels: a column that tells nothing gets a width that makes it
// vanish from the kernel.
//
// Change here what such widths are chosen by, and from where the search starts.
package relevance

// Problem  minimise over theta = (log sigma_g of each group of columns, log alpha, log lambda)
//              log PRESS(theta) + (1/n) sum_g (u_g - mean u)^2,  u_g = log(sigma_g / first sigma_g),
//          PRESS the sum of squares of the left-out errors of regularised least squares with an offset; of classes, of their codes.
// Method   L-BFGS-B, evaluations bounded: the derivative of PRESS by the kernel matrix (rls.PullLeaveOut), pulled back to all
//          widths in one pass (kernel.Pull). The prior keeps the widths in the proportions that they began with, as strong as half a row's
//          logarithm; with it, and with few steps, widths of columns that matter little stay where they were.
// Cost     n^3 (Cholesky, inverse) + n^3 (derivative) + n^2 d flops an evaluation, steps + 4 evaluations.
// Source   PRESS by its derivative: Allen 1974; Cawley & Talbot, JMLR 8, 2007 (section 3, with a prior on the widths).

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// Learned are widths with the ridge that they were learned with.
type Learned struct {
	Kernel kernel.Kernel
	Lambda float64
	Press  float64 // mean of the squared left-out errors of the rows that they were learned from
}

// Options bound a search.
type Options struct {
	Steps int // evaluations at most
}

// The box of the search, in logarithms: widths in units of standardised columns, and the ridge beside a kernel whose diagonal is one.
// Bounds that are met cost little on the design sets of docs/automatic-choice.md; below this ridge systems are not
// positive definite to working precision.
const (
	leastWidth, mostWidth = -3, 9
	leastAlpha, mostAlpha = -4, 5
	leastRidge, mostRidge = -9, 2
	firstRidge            = 0.1
)

// Learn moves all parameters of a kernel from their present values. Parameters called alpha, and others that are no widths, move in the
// box of alpha. The context ends it with the best so far.
func Learn(ctx context.Context, k kernel.Kernel, p *learn.Problem, o Options) (Learned, error) {
	space := k.Space()
	n := len(space)
	x, lo, hi := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for i, d := range space {
		x[i] = math.Log(d.Default)
	}
	f := &objective{
		press:  score.LeaveOut{Kernel: k, Problem: p, Work: new(kernel.Work), Criterion: score.Press{}, Offset: true},
		widths: widthsOf(k), start: slices.Clone(x), best: math.Inf(1),
	}
	for i, d := range space {
		lo[i], hi[i] = box(d.Name)
		lo[i], hi[i] = min(lo[i], x[i]), max(hi[i], x[i])
	}
	x[n], lo[n], hi[n] = math.Log(firstRidge), leastRidge, mostRidge
	_, err := solve.LBFGSB(ctx, f.eval, x, lo, hi, solve.LBFGSBOptions{MaxEvaluations: o.Steps})
	if f.theta == nil && err == nil {
		err = ctx.Err()
	}
	if err != nil && (ctx.Err() == nil || f.theta == nil) {
		return Learned{}, err
	}
	if f.theta == nil { // no point of the search has a score: the widths stay as they are
		return Learned{Kernel: k, Lambda: firstRidge, Press: math.Inf(1)}, nil
	}
	moved, err := k.With(f.theta[:n])
	return Learned{Kernel: moved, Lambda: f.theta[n], Press: f.mean}, err
}

// widthsOf counts the parameters of a kernel that are those of columns, widths or weights; they come first.
func widthsOf(k kernel.Kernel) int {
	n := 0
	for _, d := range k.Space() {
		if strings.HasSuffix(d.Name, "]") {
			n++
		}
	}
	return n
}

// box is the range of a parameter, in logarithms.
func box(name string) (lo, hi float64) {
	switch {
	case strings.HasPrefix(name, "sigma["):
		return leastWidth, mostWidth
	case strings.HasPrefix(name, "weight["):
		return -mostWidth, -leastWidth
	}
	return leastAlpha, mostAlpha
}

// objective is log PRESS with the prior, in logarithms of all parameters.
type objective struct {
	press  score.LeaveOut
	widths int
	start  []float64 // logarithms of the widths that the search began with

	best, mean float64
	theta      []float64
}

func (f *objective) eval(ctx context.Context, x, grad []float64) (float64, error) {
	theta := make([]float64, len(x))
	for i, v := range x {
		theta[i] = math.Exp(v)
	}
	want := param.ValueOnly
	if grad != nil {
		want = param.WithGradient
	}
	v, err := f.press.Eval(ctx, theta, want)
	if err != nil {
		return 0, err
	}
	if !(v.F > 0) || math.IsInf(v.F, 1) {
		return math.Inf(1), nil
	}
	n := float64(len(f.press.Problem.Labelled))
	var mean, spread float64
	for i, w := range x[:f.widths] {
		mean += (w - f.start[i]) / float64(f.widths)
	}
	for i, w := range x[:f.widths] {
		spread += (w - f.start[i] - mean) * (w - f.start[i] - mean)
	}
	value := math.Log(v.F) + spread/n
	for i := range grad {
		grad[i] = v.Grad[i] * theta[i] / v.F
		if i < f.widths {
			grad[i] += 2 * (x[i] - f.start[i] - mean) / n
		}
	}
	if value < f.best {
		f.best, f.theta, f.mean = value, slices.Clone(theta), 2*v.F/n
	}
	return value, nil
}
