package score

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
)

// LeaveOut is the score criterion(left-out outputs) of regularised least
// squares with any kernel, in closed form: one Gram matrix, one factorisation of
// its labelled block, and for the gradient one pull-back for all parameters.
// With a warped kernel it is the exact score of Laplacian RLS in which the label
// of a row is left out and the row stays, unlabelled (press-label). Unlabelled
// rows always train and are never judged.
//
// Parameters: those of the kernel, then `lambda`, the ridge in the matrix.
type LeaveOut struct {
	Kernel    kernel.Kernel
	Problem   *learn.Problem
	Work      *kernel.Work
	Criterion Criterion
	Folds     [][]int // of labelled rows, by their number among the labelled; nil: leave-one-out
	GCV       bool    // generalised cross-validation instead of Criterion and Folds
	Penalty   float64 // if positive, the training error with this price on degrees of freedom (rls.InSample) instead
	Offset    bool
	Lambda    param.Dim // Lo, Hi and Default of lambda; zero value: see defaultLambda
}

var _ param.Objective = (*LeaveOut)(nil)

// defaultLambda is the range of lambda for kernels of order one: [2^-30, 2^10],
// wider at both ends than Becker's table 4.1 (log2 lambda in [-20, 0]).
func defaultLambda() param.Dim {
	return param.Dim{Name: "lambda", Kind: param.Log, Lo: 0x1p-30, Hi: 0x1p10, Default: 0x1p-10}
}

// Space lists the kernel's parameters and lambda.
func (s *LeaveOut) Space() param.Space {
	d := s.Lambda
	if d == (param.Dim{}) {
		d = defaultLambda()
	}
	return append(slices.Clone(s.Kernel.Space()), d)
}

// Bind binds the kernel with parameters theta and decomposes its labelled
// block, for many lambdas.
func (s *LeaveOut) Bind(ctx context.Context, theta []float64) (kernel.Gram, *rls.Path, error) {
	g, err := s.gram(ctx, theta)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.Path(ctx, g)
	return g, p, err
}

// gram binds the kernel with parameters theta.
func (s *LeaveOut) gram(ctx context.Context, theta []float64) (kernel.Gram, error) {
	k, err := s.Kernel.With(theta)
	if err != nil {
		return nil, err
	}
	return k.Bind(ctx, s.Problem.Rows, s.Work)
}

// Path decomposes the labelled block of a bound kernel, or, where the kernel has fewer features than
// there are labelled rows, the product of these: columns by columns.
func (s *LeaveOut) Path(ctx context.Context, g kernel.Gram) (*rls.Path, error) {
	if x, ok := kernel.Features(g); ok && x.Dim() < len(s.Problem.Labelled) {
		x = x.Select(s.Problem.Labelled)
		if x.Sparse != nil {
			x.Dense = x.Sparse.ToDense()
		}
		return rls.NewColumns(ctx, x.Dense, s.Problem.Y, s.Problem.Weight, s.Offset)
	}
	b, err := s.block(ctx, g)
	if err != nil {
		return nil, err
	}
	return rls.NewPath(ctx, b, s.Problem.Y, s.Problem.Weight, s.Offset)
}

// block is the labelled block of a bound kernel.
func (s *LeaveOut) block(ctx context.Context, g kernel.Gram) (*mat.Dense, error) {
	l := len(s.Problem.Labelled)
	b := mat.NewDense(l, l, nil)
	return b, kernel.Fill(ctx, b, g, s.Problem.Labelled, s.Problem.Labelled)
}

// Score evaluates the criterion on the left-out outputs of a fit.
func (s *LeaveOut) Score(ctx context.Context, f *rls.Fit) (float64, error) {
	v, _, _, err := s.score(ctx, f, param.ValueOnly)
	return v, err
}

// score returns the value and, if wanted, the cotangent of the labelled block and
// the derivative by lambda.
func (s *LeaveOut) score(ctx context.Context, f *rls.Fit, want param.Want) (value float64, g *mat.Dense, dLambda float64, err error) {
	switch {
	case s.GCV:
		value, g, dLambda, err = f.GCV(ctx, want)
	case s.Penalty > 0:
		value, g, dLambda, err = f.InSample(ctx, s.Penalty, want)
	}
	if s.GCV || s.Penalty > 0 {
		if err == nil && math.IsInf(value, 1) {
			err = rls.ErrLeverage
		}
		return value, g, dLambda, err
	}
	o, err := f.LeaveOut(ctx, s.Folds)
	if err != nil {
		return math.Inf(1), nil, 0, err
	}
	var bar *mat.Dense
	if want == param.WithGradient {
		l, c := o.Dims()
		bar = mat.NewDense(l, c, nil)
	}
	value = s.Criterion.Eval(s.Problem, s.Judged(), o, bar)
	if want == param.WithGradient {
		g, dLambda, err = f.PullLeaveOut(ctx, s.Folds, bar)
	}
	return value, g, dLambda, err
}

// Judged lists the labelled rows that some fold leaves out, by their number
// among the labelled; nil: all.
func (s *LeaveOut) Judged() []int { return Judged(s.Folds) }

// Eval implements Objective. Infeasible points (a factorisation that fails, a
// leverage of one) have F = +Inf.
func (s *LeaveOut) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	n := len(theta) - 1
	g, err := s.gram(ctx, theta[:n])
	if err != nil {
		return infeasible(ctx, err)
	}
	if r, ok := g.(interface{ Release() }); ok {
		defer r.Release() // the n x n tables serve the next evaluation
	}
	b, err := s.block(ctx, g)
	if err != nil {
		return param.Value{}, err
	}
	f, err := rls.Solve(ctx, b, s.Problem.Y, s.Problem.Weight, s.Offset, theta[n])
	if err != nil {
		return infeasible(ctx, err)
	}
	if !s.GCV && s.Penalty <= 0 && !Smooth(s.Criterion) {
		want = param.ValueOnly
	}
	value, bar, dLambda, err := s.score(ctx, f, want)
	if err != nil {
		return infeasible(ctx, err)
	}
	v := param.Value{F: value}
	if math.IsNaN(value) {
		v.F = math.Inf(1)
	}
	if want == param.WithGradient {
		v.Grad = make([]float64, n+1)
		v.Grad[n] = dLambda
		if n > 0 {
			lab := s.Problem.Labelled
			if err := kernel.PullWithin(ctx, g, v.Grad[:n], kernel.Cotangent{I: lab, J: lab, D: bar}); err != nil {
				return param.Value{}, err
			}
		}
	}
	return v, nil
}

// infeasible turns a numerical failure into F = +Inf and passes other errors on.
func infeasible(ctx context.Context, err error) (param.Value, error) {
	var np *blas.NotPositiveDefinite
	var sing *blas.Singular
	if ctx.Err() == nil && (errors.Is(err, rls.ErrLeverage) || errors.Is(err, rls.ErrNotFinite) || errors.Is(err, learn.ErrUnsolved) ||
		errors.As(err, &np) || errors.As(err, &sing)) {
		return param.Value{F: math.Inf(1)}, nil
	}
	return param.Value{}, err
}
