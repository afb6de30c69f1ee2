package design

// Problem  regularised least squares as an entrant of a race, on any number of rows.
// Method   exact up to ExactSquare rows, with closed leave-one-out for lambda and closed folds for the
//          score; on landmarks beyond (rls.LandmarkFolds), where folds are left out exactly for every lambda.
// Cost     exact 9 n^3 flops in the first heat, (1/3 + 1) n^3 a lambda later; on m landmarks 2 n m^2 once, m^3/3 a
//          fold and lambda.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/score"
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

// square judges regularised least squares. After the first heat only lambdas near the last one are tried.
func (h *heat) square(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, trainer, error) {
	var w *Winner
	var train trainer
	var err error
	x, linear := kernel.Features(g)
	columns := linear && x.Dim() <= ExactSquare && x.Dim()*x.Len() <= mostFeatures
	if columns || len(h.rows) <= cmp.Or(h.race.Exact, ExactSquare) {
		w, err = h.squareOnAll(ctx, e, g)
		train = func(context.Context) (*choose.Machine, error) { return w.Machine, nil }
	} else {
		w, train, err = h.squareOnLandmarks(ctx, e)
	}
	switch {
	case numerical(err):
		e.Left = err.Error()
		return nil, nil, nil
	case err != nil || ctx.Err() != nil:
		return nil, nil, err
	}
	e.Theta = []float64{w.Machine.Lambda}
	h.judged(e, h.problem, w.Machine.Score, w.Machine.LeftOut)
	return w, train, nil
}

// squareOnAll takes all rows as centres. Lambda is that of the best closed leave-one-out score, because
// a score by folds costs the cube of the rows for every lambda.
func (h *heat) squareOnAll(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, error) {
	c, p := criterion(h.problem), h.problem
	s := score.LeaveOut{Kernel: e.Kernel, Problem: p, Criterion: c, Offset: e.Offset}
	var m *choose.Machine
	var err error
	if e.Theta == nil {
		m, err = train(ctx, &s, e.Kernel, g, 0, ridges(p.Task, false), h.folds)
	} else {
		m, err = trainNear(ctx, &s, e.Kernel, g, e.near(len(h.rows), 1), h.folds)
	}
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	m.Score = c.Eval(p, score.Judged(h.folds), m.LeftOut, nil)
	return &Winner{Entrant: e, Problem: p, Machine: m}, nil
}

// squareOnLandmarks has the lambda of the best score by folds, one lambda at a time because each keeps outputs
// for all rows.
func (h *heat) squareOnLandmarks(ctx context.Context, e *Entrant) (*Winner, trainer, error) {
	p, c := h.problem, criterion(h.problem)
	z, err := h.centres(ctx, e.Kernel)
	if err != nil {
		return nil, nil, err
	}
	g, err := e.Kernel.Bind(ctx, z, nil)
	if err != nil {
		return nil, nil, err
	}
	products, err := kernel.NewProducts(g, p.Rows, kernel.Double)
	if err != nil {
		return nil, nil, err
	}
	f, err := rls.NewLandmarkFolds(ctx, products, p.Y, p.Weight, h.folds, rls.LandmarkOptions{Offset: e.Offset})
	if err != nil {
		return nil, nil, err
	}
	m := &choose.Machine{Kernel: e.Kernel, Score: math.Inf(1)}
	list := ridges(p.Task, false).from(1)
	if e.Theta != nil {
		list = e.near(p.Rows.Len(), 2)
	}
	for _, lambda := range list {
		out, err := f.LeaveOut(ctx, []float64{lambda})
		if numerical(err) {
			break // smaller lambdas are no better
		}
		if err != nil {
			return nil, nil, err
		}
		if v := c.Eval(p, score.Judged(h.folds), out[0], nil); v < m.Score {
			m.Score, m.Lambda, m.LeftOut = v, lambda, out[0]
		}
	}
	if m.LeftOut == nil {
		return nil, nil, errNoLambda
	}
	train := func(ctx context.Context) (*choose.Machine, error) { return m, onLandmarks(ctx, m, f, g) }
	return &Winner{Entrant: e, Problem: p, Machine: m}, train, nil
}

// onLandmarks completes a machine whose lambda is found, but for its outputs.
func onLandmarks(ctx context.Context, m *choose.Machine, f *rls.LandmarkFolds, g kernel.Gram) error {
	fit, err := f.At(ctx, m.Lambda)
	if err != nil {
		return err
	}
	m.Expansions, err = g.Expand(fit.Alpha, nil)
	m.B, m.Certificate = fit.B, learn.Certificate{Objective: fit.Objective, Residual: slices.Max(fit.Residual)}
	return err
}

// centres are the landmarks of the rows of the heat; means all entrants share.
func (h *heat) centres(ctx context.Context, k kernel.Kernel) (data.Rows, error) {
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

// near lists lambdas for n rows around that of the heat before, from large to small, a number of half decades each way: the
// best ridge of a matrix of n rows changes slowly with n. For less than twice the rows it stays.
func (e *Entrant) near(n, each int) []float64 {
	if n < 2*e.Rows {
		each--
	}
	return span{-each, each}.from(e.Theta[0])
}
