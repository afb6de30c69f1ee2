// Package design holds the candidates of the automatic choice. It lists supervised and
// Laplacian machines over a small set of kernels and graphs, and trains them on tables that
// they share. Package choose decides between them.
//
// Change here which candidates there are and what prior they have. A change of either is a
// change of what the default method answers, so it is decided on the design sets of
// docs/automatic-choice.md.
package design

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/score"
)

// errNoLambda says that no lambda has a score, because with every one of them some row cannot be left
// out: its own label alone decides its output.
var errNoLambda = errors.New("no lambda gives a score")

// span is a range of ridges in half decades: powers lo/2 to hi/2 of ten.
type span struct{ lo, hi int }

// from lists the ridges from large to small, in units of a scale.
func (r span) from(scale float64) []float64 {
	var list []float64
	for h := r.hi; h >= r.lo; h-- {
		list = append(list, scale*math.Pow(10, float64(h)/2))
	}
	return list
}

// ridges are the spans tried, in units of the mean diagonal of the labelled
// block: 1e-6 to 1 for kernels that can fit anything, 1e-4 to 100 for linear ones,
// whose eigenvalues are few and large, and 1e-8 to 100 for regression, where the
// size of the noise is in lambda.
func ridges(task data.Task, linear bool) span {
	switch {
	case task == data.Regression:
		return span{-16, 4}
	case linear:
		return span{-8, 4}
	}
	return span{-12, 0}
}

// train trains the machine of the bound kernel g (of recipe k) at the lambda
// `at`, or, if that is 0, at the best of the span, which costs one
// eigendecomposition of the labelled block. Equal scores go to the larger lambda. Left-out outputs are those of
// the folds given, which may be others than those of the score.
func train(
	ctx context.Context,
	s *score.LeaveOut,
	k kernel.Kernel,
	g kernel.Gram,
	at float64,
	r span,
	folds [][]int,
) (*choose.Machine, error) {
	path, err := s.Path(ctx, g)
	if err != nil {
		return nil, err
	}
	list := []float64{at}
	if at == 0 {
		scale := score.MeanDiagonal(g, s.Problem.Labelled)
		if least := path.Least(); least < 0 && !kernel.Semidefinite(g) {
			// Only with ridges larger than the negative eigenvalues does the label of every row pull its
			// own output towards itself.
			r.hi = max(r.hi, 2+int(math.Ceil(2*math.Log10(-least/scale))))
		}
		list = r.from(scale)
	}
	m, err := leastSquares(ctx, s, k, g, path.At, list, folds)
	if err == nil && !kernel.Semidefinite(g) {
		m.Certificate.Least = path.Least()
	}
	return m, err
}

// trainNear trains the machine at the best of a few lambdas, each of which costs a Cholesky factorisation and an
// inverse, a ninth of the eigendecomposition that serves any number of them.
func trainNear(
	ctx context.Context,
	s *score.LeaveOut,
	k kernel.Kernel,
	g kernel.Gram,
	lambdas []float64,
	folds [][]int,
) (*choose.Machine, error) {
	if x, ok := kernel.Features(g); ok && x.Dim() < x.Len() { // its decomposition is that of the columns
		path, err := s.Path(ctx, g)
		if err != nil {
			return nil, err
		}
		return leastSquares(ctx, s, k, g, path.At, lambdas, folds)
	}
	l := len(s.Problem.Labelled)
	block := mat.NewDense(l, l, nil)
	kernel.Within(ctx, g).Block(block, s.Problem.Labelled, s.Problem.Labelled)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at := func(lambda float64) (*rls.Fit, error) {
		return rls.Solve(ctx, block, s.Problem.Y, s.Problem.Weight, s.Offset, lambda)
	}
	return leastSquares(ctx, s, k, g, at, lambdas, folds)
}

// leastSquares is the machine at the lambda of the best score, the larger of equal ones.
func leastSquares(
	ctx context.Context,
	s *score.LeaveOut,
	k kernel.Kernel,
	g kernel.Gram,
	at func(lambda float64) (*rls.Fit, error),
	list []float64,
	folds [][]int,
) (*choose.Machine, error) {
	m := &choose.Machine{Kernel: k, Score: math.Inf(1)}
	var best *rls.Fit
	for _, lambda := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := at(lambda)
		if err != nil {
			return nil, err
		}
		v, err := s.Score(ctx, f)
		if errors.Is(err, rls.ErrLeverage) && kernel.Semidefinite(g) {
			break // smaller lambdas are no better
		}
		if errors.Is(err, rls.ErrLeverage) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || v < m.Score {
			m.Score, best = v, f
		}
		if err := m.Keep(s.Problem, func() (*mat.Dense, error) { return f.LeaveOut(ctx, folds) }); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w in [%.2g, %.2g]", errNoLambda, list[len(list)-1], list[0])
	}
	m.Lambda = best.Lambda
	var err error
	if m.LeftOut, err = best.LeaveOut(ctx, folds); err != nil {
		return nil, err
	}
	if m.Expansions, err = kernel.Within(ctx, g).Expand(best.Alpha, s.Problem.Labelled); err != nil {
		return nil, err
	}
	m.B, m.Certificate = best.B, learn.Certificate{Objective: best.Objective(), Residual: best.Residual()}
	m.Outputs = mat.NewDense(s.Problem.Rows.Len(), s.Problem.Outputs(), nil)
	all := learn.Machine{Rows: s.Problem.Labelled, Coef: best.Alpha, Offset: best.B}
	return m, all.Evaluate(ctx, m.Outputs, g, nil)
}
