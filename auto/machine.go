// Package auto is the method nobody had to choose: supervised and Laplacian
// regularised least squares over a small design of kernels and graphs, judged by
// one leave-out score, joined with weights that follow the score, with a safe
// fallback. docs/automatic-choice.md says what was tried and why this rule was
// taken.
package auto

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rls"
	"gonum.org/v1/gonum/mat"
)

// Machine is one trained machine.
type Machine struct {
	Kernel     kernel.Kernel // as bound: a manifold.Warp or a base kernel
	Lambda     float64
	Score      float64    // the criterion on LeftOut
	LeftOut    *mat.Dense // l x c, what each labelled row is given without its label
	Outputs    *mat.Dense // n x c, on all rows
	Expansions []kernel.Expansion
	B          []float64 // offsets, or nil
	Objective  float64
	Residual   float64
}

// errNoLambda: with every lambda some left-out row is its own prediction.
var errNoLambda = errors.New("auto: no lambda gives a score")

// lambdas lists the ridges tried, largest first (equal scores go to the larger),
// in half decades and in units of the mean diagonal of the labelled block: from 1
// to 1e-6 for classes; a decade beyond at either end for regression, where the
// size of the noise is in lambda.
func lambdas(task data.Task, scale float64) []float64 {
	lo, hi := -12, 0
	if task == data.Regression {
		lo, hi = -16, 4
	}
	var list []float64
	for h := hi; h >= lo; h-- {
		list = append(list, scale*math.Pow(10, float64(h)/2))
	}
	return list
}

// Train trains the machine of the bound kernel g (of recipe k) at the lambda
// `at`, or, if that is 0, at the best of a path, which costs one eigendecomposition
// of the labelled block.
func Train(s *hyper.LeaveOut, k kernel.Kernel, g kernel.Gram, at float64) (*Machine, error) {
	path, err := s.Path(g)
	if err != nil {
		return nil, err
	}
	list := []float64{at}
	if at == 0 {
		var scale float64
		diag := kernel.Diagonal(g, s.Problem.Labelled)
		for _, v := range diag {
			scale += v / float64(len(diag))
		}
		list = lambdas(s.Problem.Task, scale)
	}
	m := &Machine{Kernel: k, Score: math.Inf(1)}
	var best *rls.Fit
	for _, lambda := range list {
		f, err := path.At(lambda)
		if err != nil {
			return nil, err
		}
		v, err := s.Score(f)
		if errors.Is(err, rls.ErrLeverage) {
			break // smaller lambdas are no better
		}
		if err != nil {
			return nil, err
		}
		if best == nil || v < m.Score {
			m.Score, best = v, f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w in [%.2g, %.2g]", errNoLambda, list[len(list)-1], list[0])
	}
	m.Lambda = best.Lambda
	if m.LeftOut, err = best.LeaveOut(s.Folds); err != nil {
		return nil, err
	}
	if m.Expansions, err = g.Expand(best.Alpha, s.Problem.Labelled); err != nil {
		return nil, err
	}
	m.B, m.Objective, m.Residual = best.B, best.Objective(), best.Residual()
	m.Outputs = outputs(g, s.Problem, best)
	return m, nil
}

// outputs evaluates the machine on all rows: columns of the Gram matrix that a
// warped kernel has at hand.
func outputs(g kernel.Gram, p *learn.Problem, f *rls.Fit) *mat.Dense {
	n, c := p.Rows.Len(), p.Outputs()
	cols := mat.NewDense(n, len(p.Labelled), nil)
	g.Block(cols, nil, p.Labelled)
	out := mat.NewDense(n, c, nil)
	out.Mul(cols, f.Alpha)
	for i := range n {
		row := out.RawRowView(i)
		for j, b := range f.B {
			row[j] += b
		}
	}
	return out
}
