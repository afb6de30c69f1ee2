package design

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// Bench trains candidates one after another and keeps what successive ones share: the Gram
// matrix of a base kernel, the graph, the storage of the factored system.
type Bench struct {
	// Score holds the problem, the criterion, the folds and the offset; its Kernel
	// is the base kernel with its parameters filled in.
	Score score.LeaveOut
	// Learner, if not nil, takes the place of regularised least squares: its
	// machines are scored by training again for every fold of Score.
	Learner learn.Learner
	// Unscored leaves out the score where nothing is chosen.
	Unscored bool
	// Views, if there are any, are ranges of columns, as of manifold.Joint.
	Views [][2]int
	// Longest is the length of the neighbour lists that all candidates share.
	Longest int
	// Landmarks, if not nil, reduce machines with a graph to them (manifold.Reduced), for rows
	// of which n x n tables are too large.
	Landmarks *kernel.Landmarks
	// Ratio and Lambda fix the machine's own parameters where they are not 0.
	Ratio, Lambda float64
	// LambdaOf, if not nil, gives lambda for a ratio (gamma_i fixed alone).
	LambdaOf func(ratio float64) float64
	// FreeOffset lets the score decide whether linear machines of least squares have an offset.
	FreeOffset bool
	// Budget bounds the machines trained; 0: the whole design.
	Budget int
	// Crew, if not nil, trains the candidates.
	Crew result.Crew
	// Progress, if not nil, is told the number done, the number planned and the
	// best score.
	Progress func(done, total int, best float64)
	// Trained, if not nil, is told each candidate after its training; its Machine is nil
	// where that failed.
	Trained func(*choose.Candidate)

	work  kernel.Work // neighbour lists
	parts manifold.Parts
	warp  manifold.Warp    // the kernel that parts belongs to
	base  choose.Candidate // the candidate whose base kernel is in parts
	scale float64          // mean diagonal of the Gram matrix
	free  *mat.Dense

	strengths []float64 // of a candidate with a trial of its own

	reduced reduction
}

// Run trains the candidates, those that cost next to nothing first, so that there soon is an answer
// to keep; they come in the order of the plan. A context that ends leaves those that were
// trained, if there are any; of a learner that is learn.Anytime a machine that the end cut short is an answer
// where there is no other.
//
// Memory: two n x n tables (the Gram matrix and the factored system). Cost: a Gram
// matrix for each width under a graph; a sparse product and (2/3) n^3 flops for
// each machine with a graph. With m landmarks: two n x m tables, 2 n m^2 flops a graph.
func (b *Bench) Run(ctx context.Context, plan []*choose.Candidate) (*choose.Candidates, error) {
	_, bounded := b.Learner.(score.Bounded)
	s := &choose.Candidates{Problem: b.Score.Problem, Criterion: b.Score.Criterion, Judged: b.Score.Judged(), Blurred: b.Landmarks != nil,
		Squared: b.Score.GCV || b.Score.Penalty > 0 || bounded}
	if b.Learner == nil && b.Landmarks == nil {
		s.Outside = b.outside
	}
	status := search.Complete
	top, planned := math.Inf(1), len(plan)
	if b.Budget > 0 && planned > b.Budget {
		plan, status = plan[:b.Budget], search.Budget
	}
	trained, kept, order, train := make([]*choose.Candidate, len(plan)), 0, b.order(plan), b.train
	b.lead(plan, order)
	if b.Crew != nil {
		var err error
		if train, err = b.shared(ctx, plan, order); err != nil {
			return nil, err
		}
	}
	centres := copies{b.Score.Problem.Rows}
	for done, i := range order {
		c := plan[i]
		m, err := train(ctx, c)
		ended := ctx.Err() != nil
		if ended {
			status = search.Ended(ctx)
			if _, ok := b.Learner.(learn.Anytime); !ok || err != nil || kept > 0 && m.Certificate.Limited != "" {
				break
			}
		}
		switch {
		case Numerical(err):
			s.Failed++
			s.Failure = err
		case err != nil:
			return nil, err
		default:
			c.Machine = m
			for q, e := range m.Expansions {
				m.Expansions[q].Centres = centres.of(e.Centres)
			}
			trained[i] = c
			kept++
			top = min(top, m.Score)
		}
		if b.Trained != nil {
			b.Trained(c)
		}
		if b.Progress != nil {
			b.Progress(done+1, planned, top)
		}
		if ended {
			break
		}
	}
	for _, c := range trained {
		if c != nil {
			s.Members = append(s.Members, c)
		}
	}
	if len(s.Members) == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.Tuning = result.Tuning{Evaluations: len(s.Members) + s.Failed, Search: "auto", Status: string(status)}
	return s, nil
}

// order is that in which the candidates are trained. Linear machines that are solved in fewer columns
// than there are labelled rows go before others without a graph, which take the cube of the rows. A plan
// that begins with a graph stays as it is: machines without one are no answer to it, and those with one
// share their parts.
func (b *Bench) order(plan []*choose.Candidate) []int {
	first, rest := make([]int, 0, len(plan)), make([]int, 0, len(plan))
	_, primal := b.Learner.(smooth.Learner)
	columns := (b.Learner == nil || primal) && b.Score.Problem.Rows.Dim() < len(b.Score.Problem.Labelled)
	for i, c := range plan {
		if columns && plan[0].Supervised() && c.Supervised() && c.Linear {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(first, rest...)
}

// kernel returns the base kernel of a candidate.
func (b *Bench) kernel(c *choose.Candidate) (kernel.Kernel, error) {
	if c.Own != nil {
		return c.Own, nil
	}
	if c.Linear && HasWidth(b.Score.Kernel) {
		return kernel.Linear{}, nil
	}
	return Widened(b.Score.Kernel, c.Width)
}

// train trains one candidate.
func (b *Bench) train(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
	s := b.Score
	r := ridges(s.Problem.Task, c.Linear)
	if c.Maker != nil {
		return c.Maker.Make(ctx, &s)
	}
	if t := c.Trial; t != nil {
		own := &Bench{Score: s, Learner: t.Learner, Unscored: b.Unscored, Lambda: b.Lambda, strengths: t.Strengths}
		own.Score.Folds = t.Folds
		return own.train(ctx, &choose.Candidate{Own: c.Own, Width: c.Width, Linear: c.Linear}) // the learner knows its graph
	}
	if !c.HasGraph() {
		base, err := b.kernel(c)
		if err != nil {
			return nil, err
		}
		g, err := base.Bind(ctx, s.Problem.Rows, nil)
		if err != nil {
			return nil, err
		}
		m, err := b.fit(ctx, base, g, b.Lambda, r)
		if c.Linear && b.FreeOffset && b.Learner == nil {
			return b.withOffset(ctx, m, err, base, g, r)
		}
		return m, err
	}
	if b.Landmarks != nil {
		return b.trainReduced(ctx, c)
	}
	if err := b.prepare(ctx, c); err != nil {
		return nil, err
	}
	w := b.warp
	w.Ratio = c.Ratio / b.scale
	if b.Ratio > 0 {
		w.Ratio = b.Ratio
		c.Ratio = b.Ratio * b.scale
	}
	g, err := b.parts.Warp(ctx, w, b.free)
	if err != nil {
		return nil, err
	}
	lambda := b.Lambda
	if b.LambdaOf != nil {
		lambda = b.LambdaOf(w.Ratio)
	}
	return b.fit(ctx, w, g, lambda, r)
}

// withOffset is the better of a linear machine without an offset, whose training may have failed, and one with it. Without
// one a linear function is zero at the mean of the rows, wherever the classes are; with few labels it is one number less
// to be learned.
func (b *Bench) withOffset(
	ctx context.Context, m *choose.Machine, err error, k kernel.Kernel, g kernel.Gram, r span,
) (*choose.Machine, error) {
	if err != nil && !Numerical(err) {
		return nil, err
	}
	score := b.Score
	score.Offset = true
	other, failed := train(ctx, &score, k, g, b.Lambda, r, score.Folds)
	switch {
	case failed != nil && !Numerical(failed):
		return nil, failed
	case failed != nil:
		return m, err
	case err != nil:
		return other, nil
	}
	both := slices.Concat(m.Tried, other.Tried)
	if rounding.Below(other.Score, m.Score) {
		m = other
	}
	m.Tried = both
	return m, nil
}

// fit trains a machine on a bound kernel.
func (b *Bench) fit(ctx context.Context, k kernel.Kernel, g kernel.Gram, lambda float64, r span) (*choose.Machine, error) {
	if b.Learner != nil {
		return b.trainLearner(ctx, k, g, lambda)
	}
	return train(ctx, &b.Score, k, g, lambda, r, b.Score.Folds)
}

// prepare makes the parts of a candidate, keeping those of the last one that are
// the same.
func (b *Bench) prepare(ctx context.Context, c *choose.Candidate) error {
	s := b.Score
	n := s.Problem.Rows.Len()
	if b.free == nil {
		b.free = mat.NewDense(n, n, nil)
		b.parts.K = mat.NewDense(n, n, nil)
	}
	fresh := b.parts.Base == nil || b.base.Linear != c.Linear || b.base.Width != c.Width
	if fresh {
		base, err := b.kernel(c)
		if err != nil {
			return err
		}
		// Without Work: a table of distances would be a third n x n one.
		if b.parts.Base, err = base.Bind(ctx, s.Problem.Rows, nil); err != nil {
			return err
		}
		if err := kernel.Fill(ctx, b.parts.K, b.parts.Base, nil, nil); err != nil {
			return err
		}
		b.warp.Base, b.base = base, *c
		b.scale = score.MeanDiagonal(b.parts.Base, nil)
	}
	norm := b.norm(c)
	if b.parts.Norm == nil || !reflect.DeepEqual(b.warp.Norm, norm) {
		o, err := b.operator(ctx, norm)
		if err != nil {
			return err
		}
		b.parts.Norm, b.warp.Norm = o, norm
	}
	return ctx.Err()
}

// norm is that of a candidate: its graph, or its graphs by every view jointly.
func (b *Bench) norm(c *choose.Candidate) manifold.Norm {
	g := manifold.Graph{Recipe: c.Graph, Longest: b.Longest}
	if !c.Joint {
		return g
	}
	return manifold.Joint{Graph: g, Views: b.Views}
}

// operator builds a norm. Only the last is kept, the lists of neighbours all along.
func (b *Bench) operator(ctx context.Context, norm manifold.Norm) (graph.Operator, error) {
	rows := b.Score.Problem.Rows
	if g, ok := norm.(manifold.Graph); ok {
		built, err := g.Build(ctx, rows, &b.work)
		if err != nil {
			return nil, err
		}
		return built.Operator(), nil
	}
	return norm.Bind(ctx, rows, &b.work)
}

// Widened multiplies the widths of a kernel, its parameters called sigma.
func Widened(k kernel.Kernel, by float64) (kernel.Kernel, error) {
	if by == 1 {
		return k, nil
	}
	space := k.Space()
	theta := space.Defaults()
	for i, d := range space {
		if IsWidth(d.Name) {
			theta[i] *= by
		}
	}
	return k.With(theta)
}

// HasWidth says whether a kernel has a length to scale.
func HasWidth(k kernel.Kernel) bool {
	for _, d := range k.Space() {
		if IsWidth(d.Name) {
			return true
		}
	}
	return false
}

// IsWidth recognises lengths in the units of the features: sigma, 2.sigma of a
// term, sigma[3] of a column, sigma[a..c] of a group.
func IsWidth(name string) bool {
	name, _, _ = strings.Cut(name, "[")
	return strings.HasPrefix(name[strings.LastIndexByte(name, '.')+1:], "sigma")
}

// Numerical says whether an error comes from the parameters of one candidate, so that others may
// still be trained.
func Numerical(err error) bool {
	var np *blas.NotPositiveDefinite
	var sing *blas.Singular
	return errors.Is(err, rls.ErrLeverage) || errors.Is(err, rls.ErrNotFinite) || errors.Is(err, errNoLambda) ||
		errors.Is(err, errElsewhere) || errors.As(err, &np) || errors.As(err, &sing)
}
