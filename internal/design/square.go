package design

// Problem  regularised least squares as an entrant of a race, on any number of rows.
// Method   exact up to ExactSquare rows: in the first round closed leave-one-out finds lambda on one path; later a few
//          lambdas near that are judged by folds (rls.Folds). On landmarks beyond (landmark.Folds), where folds are
//          left out exactly for every lambda.
// Cost     exact 9 n^3 flops in the first round, later (1/3) sum of (n - |fold|)^3 a lambda, 0.3 n^3 for three folds, and n^3/3 for
//          the winner alone; on m landmarks 2 n m^2 once, m^3/3 a fold and lambda.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

const (
	// ExactSquare is the number of rows up to which least squares take all as centres: 6000 rows are two
	// tables of 300 MB and some 10 s.
	ExactSquare = 6000
	// mostFeatures is the number of values, 1.6 GB, up to which the rows of a linear kernel are made dense.
	mostFeatures = 2e8
)

// Landmarks are those of least squares for n rows: at most so many, and so that n m^2 is at most flops.
type Landmarks struct {
	Most  int
	Flops float64
}

// Of is their number.
func (l Landmarks) Of(n int) int { return min(n, l.Most, int(math.Sqrt(l.Flops/float64(n)))) }

// square judges regularised least squares. After the first round only lambdas near the last one are tried.
func (h *round) square(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, trainer, error) {
	w, train, err := h.bestSquare(ctx, e, g)
	switch {
	case Numerical(err):
		e.Left = err.Error()
		return nil, nil, nil
	case err != nil || ctx.Err() != nil:
		return nil, nil, err
	}
	e.Theta = []float64{w.Machine.Lambda}
	h.judged(e, h.problem, w.Machine.Score, w.Machine.LeftOut)
	return w, train, nil
}

// bestSquare is the machine of the best lambda.
func (h *round) bestSquare(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, trainer, error) {
	x, linear := kernel.Features(g)
	columns := linear && x.Dim() <= ExactSquare && x.Dim()*x.Len() <= mostFeatures
	switch {
	case e.Theta == nil || columns:
		return h.squareOnPath(ctx, e, g)
	case len(h.rows) <= cmp.Or(h.race.Exact, ExactSquare):
		return h.squareByFolds(ctx, e, g)
	}
	return h.squareOnLandmarks(ctx, e)
}

// squareOnPath takes all rows as centres. Lambda is that of the best closed leave-one-out score, or that of the rows held out, which one
// decomposition gives for all of them.
func (h *round) squareOnPath(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, trainer, error) {
	c, p := criterion(h.problem), h.problem
	s := score.LeaveOut{Kernel: e.Kernel, Problem: p, Criterion: c, Offset: e.Offset}
	if h.race.Held != nil {
		s.Folds = h.folds // single rows left out would look back
	}
	path, err := s.Path(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	scale, err := meanDiagonal(ctx, g, p.Labelled)
	if err != nil {
		return nil, nil, err
	}
	list := ridges(p.Task, false).from(scale)
	if e.Theta != nil {
		list = e.near(len(h.rows), 1)
	}
	best, err := bestRidge(ctx, &s, g, path, e.only(list), nil)
	if err != nil {
		return nil, nil, err
	}
	left, err := best.LeaveOut(ctx, h.folds)
	if err != nil {
		return nil, nil, err
	}
	m := &choose.Machine{Kernel: e.Kernel, Lambda: best.Lambda, LeftOut: left, Score: c.Eval(p, score.Judged(h.folds), left, nil)}
	train := func(ctx context.Context) (*choose.Machine, error) { return m, fitted(ctx, m, p, g, best.Fit) }
	return &Winner{Entrant: e, Problem: p, Machine: m}, train, nil
}

// squareByFolds takes all rows as centres. Lambda is that of the best score by folds, which cost less than the inverse of
// the whole matrix that leave-one-out needs for every lambda.
func (h *round) squareByFolds(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, trainer, error) {
	p := h.problem
	k := mat.NewDense(len(p.Labelled), len(p.Labelled), nil)
	kernel.Within(ctx, g).Block(k, p.Labelled, p.Labelled)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	folds := rls.Folds{K: k, Y: p.Y, Weight: p.Weight, Offset: e.Offset, Out: h.folds}
	m := &choose.Machine{Kernel: e.Kernel}
	if err := h.ridge(m, e.only(e.near(len(h.rows), 1)), func(lambda float64) (*mat.Dense, error) {
		return folds.LeaveOut(ctx, lambda)
	}); err != nil {
		return nil, nil, err
	}
	train := func(ctx context.Context) (*choose.Machine, error) {
		f, err := rls.Solve(ctx, k, p.Y, p.Weight, e.Offset, m.Lambda)
		if err != nil {
			return nil, err
		}
		return m, fitted(ctx, m, p, g, f)
	}
	return &Winner{Entrant: e, Problem: p, Machine: m}, train, nil
}

// squareOnLandmarks has the lambda of the best score by folds, one lambda at a time because each keeps outputs
// for all rows.
func (h *round) squareOnLandmarks(ctx context.Context, e *Entrant) (*Winner, trainer, error) {
	p := h.problem
	z, err := h.centres(ctx, e.Kernel)
	if err != nil {
		return nil, nil, err
	}
	g, err := e.Kernel.Bind(ctx, z, nil)
	if err != nil {
		return nil, nil, err
	}
	products, err := kernel.NewProducts(g, p.Rows)
	if err != nil {
		return nil, nil, err
	}
	list := ridges(p.Task, false).from(1)
	if e.Theta != nil {
		list = e.near(p.Rows.Len(), 2)
	}
	list = e.only(list)
	o := landmark.Options{Offset: e.Offset, Least: slices.Min(list)}
	f, err := landmark.NewFolds(ctx, products, p.Y, p.Weight, h.folds, o)
	if err != nil {
		return nil, nil, err
	}
	m := &choose.Machine{Kernel: e.Kernel}
	if err := h.ridge(m, list, func(lambda float64) (*mat.Dense, error) {
		out, err := f.LeaveOut(ctx, []float64{lambda})
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}); err != nil {
		return nil, nil, err
	}
	train := func(ctx context.Context) (*choose.Machine, error) { return m, onLandmarks(ctx, m, f, g) }
	return &Winner{Entrant: e, Problem: p, Machine: m}, train, nil
}

// ridge gives a machine the lambda of the best score by folds, from large to small, and its left-out outputs.
func (h *round) ridge(m *choose.Machine, list []float64, leftOut func(lambda float64) (*mat.Dense, error)) error {
	c := criterion(h.problem)
	m.Score = math.Inf(1)
	for _, lambda := range list {
		out, err := leftOut(lambda)
		if Numerical(err) {
			break // smaller lambdas are no better
		}
		if err != nil {
			return err
		}
		if v := c.Eval(h.problem, score.Judged(h.folds), out, nil); rounding.Below(v, m.Score) {
			m.Score, m.Lambda, m.LeftOut = v, lambda, out
		}
	}
	if m.LeftOut == nil {
		return errNoLambda
	}
	return nil
}

// onLandmarks completes a machine whose lambda is found, but for its outputs.
func onLandmarks(ctx context.Context, m *choose.Machine, f *landmark.Folds, g kernel.Gram) error {
	fit, err := f.At(ctx, m.Lambda)
	if err != nil {
		return err
	}
	m.Expansions, err = g.Expand(fit.Alpha, nil)
	m.B, m.Certificate = fit.B, learn.Certificate{Objective: fit.Objective, Residual: slices.Max(fit.Residual)}
	return err
}

// centres are the landmarks of the rows of the round; means all entrants share.
func (h *round) centres(ctx context.Context, k kernel.Kernel) (data.Rows, error) {
	of := kernel.Landmarks{Count: h.most, Seed: h.race.Seed}.Suited(h.problem.Rows)
	if of.Choice != kernel.Means {
		return of.Take(ctx, k, h.problem.Rows)
	}
	var err error
	if h.means.Len() == 0 {
		h.means, err = of.Take(ctx, k, h.problem.Rows)
	}
	return h.means, err
}

// only is the lambda that is known, or else the list.
func (e *Entrant) only(list []float64) []float64 {
	if e.ridge > 0 {
		return []float64{e.ridge}
	}
	return list
}

// near lists lambdas for n rows around that of the round before, from large to small, a number of half decades each way: the
// best ridge of a matrix of n rows changes slowly with n. For less than twice the rows it stays.
func (e *Entrant) near(n, each int) []float64 {
	if n < 2*e.Rows {
		each--
	}
	return span{-each, each}.from(e.Theta[0])
}
