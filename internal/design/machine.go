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

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
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

// Ridges lists those that machines of a task are tried at, from large to small, for rows whose features have squared lengths of
// this mean: machines that are linear in the columns, or in the features of a kernel that can fit anything.
func Ridges(task data.Task, linear bool, meanSquare float64) []float64 {
	return ridges(task, linear).from(meanSquare)
}

// meanDiagonal is score.MeanDiagonal within a context: a value of a kernel that a graph warps takes a solution of as many equations as the
// graph has rows.
func meanDiagonal(ctx context.Context, g kernel.Gram, rows []int) (float64, error) {
	scale := score.MeanDiagonal(kernel.Within(ctx, g), rows)
	return scale, ctx.Err()
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
		scale, err := meanDiagonal(ctx, g, s.Problem.Labelled)
		if err != nil {
			return nil, err
		}
		if least := path.Least(); least < 0 && !kernel.Semidefinite(g) {
			// Only with ridges larger than the negative eigenvalues does the label of every row pull its
			// own output towards itself.
			r.hi = max(r.hi, 2+int(math.Ceil(2*math.Log10(-least/scale))))
		}
		list = r.from(scale)
	}
	m := &choose.Machine{Kernel: k}
	keep := func(f *rls.Fit) error {
		return m.Keep(s.Problem, func() (*mat.Dense, error) { return f.LeaveOut(ctx, folds) })
	}
	best, err := bestRidge(ctx, s, g, path, list, keep)
	if err != nil {
		return nil, err
	}
	m.Score = best.score
	if m.LeftOut, err = best.LeaveOut(ctx, folds); err != nil {
		return nil, err
	}
	if !kernel.Semidefinite(g) {
		m.Certificate.Least = path.Least()
	}
	return m, fitted(ctx, m, s.Problem, g, best.Fit)
}

// ridgeFit is a fit with its score.
type ridgeFit struct {
	*rls.Fit
	score float64
}

// bestRidge is the fit of the best closed score on a path, the one of the larger lambda where scores are equal. Every fit that has a
// score is shown to each, if that is not nil.
func bestRidge(
	ctx context.Context,
	s *score.LeaveOut,
	g kernel.Gram,
	path *rls.Path,
	list []float64,
	each func(*rls.Fit) error,
) (best ridgeFit, err error) {
	for _, lambda := range list {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		f, err := path.At(lambda)
		if err != nil {
			return best, err
		}
		v, err := s.Score(ctx, f)
		if errors.Is(err, rls.ErrLeverage) && kernel.Semidefinite(g) {
			break // smaller lambdas are no better
		}
		if errors.Is(err, rls.ErrLeverage) {
			continue
		}
		if err != nil {
			return best, err
		}
		if best.Fit == nil || rounding.Below(v, best.score) {
			best = ridgeFit{f, v}
		}
		if each == nil {
			continue
		}
		if err := each(f); err != nil {
			return best, err
		}
	}
	if best.Fit == nil {
		return best, fmt.Errorf("%w in [%.2g, %.2g]", errNoLambda, list[len(list)-1], list[0])
	}
	return best, nil
}

// fitted completes a machine of least squares on all labelled rows, whose left-out outputs and score are there.
func fitted(ctx context.Context, m *choose.Machine, p *learn.Problem, g kernel.Gram, f *rls.Fit) error {
	var err error
	m.Lambda = f.Lambda
	m.B = f.B
	w, b := f.Linear()
	over, centred := g.(kernel.OverCentres)
	switch {
	case w != nil && IsLinear(m.Kernel): // unit vectors for centres
		m.B, m.Expansions = b, []kernel.Expansion{{Kernel: kernel.Linear{}, Centres: units(p.Rows), Coef: w}}
	case w != nil && centred:
		m.B = b
		m.Expansions, err = over.ExpandWeights(w)
	default:
		w = nil
		m.Expansions, err = kernel.Within(ctx, g).Expand(f.Alpha, p.Labelled)
	}
	if err != nil {
		return err
	}
	m.Certificate.Objective, m.Certificate.Residual = f.Objective(), f.Residual()
	m.Outputs = mat.NewDense(p.Rows.Len(), p.Outputs(), nil)
	if x, _ := kernel.Features(g); w != nil && x.Dense != nil {
		return weigh(ctx, m.Outputs, x.Dense, w, m.B)
	}
	all := learn.Machine{Rows: p.Labelled, Coef: f.Alpha, Offset: m.B}
	return all.Evaluate(ctx, m.Outputs, g, nil)
}

// weigh stores X w + b in out.
func weigh(ctx context.Context, out, x, w *mat.Dense, b []float64) error {
	on := blas.Within(ctx)
	on.Gemm(1, blas.N(x), blas.N(w), 0, out)
	for i := range out.RawMatrix().Rows {
		for j, v := range b {
			out.RawRowView(i)[j] += v
		}
	}
	return on.Stopped()
}

// units are the unit vectors of the columns of rows, in the rows' form: a linear function is the sum over them with its weights for
// coefficients.
func units(rows data.Rows) data.Rows {
	d := rows.Dim()
	one := mat.NewDense(d, d, nil)
	for j := range d {
		one.Set(j, j, 1)
	}
	if rows.IsSparse() {
		return data.Rows{Sparse: data.CSRFromDense(one)}
	}
	return data.Rows{Dense: one}
}
