package auto

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/score"
)

// Task says what to choose among. The zero value of a fixed quantity leaves it
// free.
type Task struct {
	// Score holds the problem, the criterion, the folds and the offset; its Kernel
	// is the base kernel with its parameters filled in.
	Score score.LeaveOut
	// Learner, if not nil, takes the place of regularised least squares: its
	// machines are scored by training again for every fold of Score.
	Learner learn.Learner
	// Unscored leaves out the score where nothing is chosen.
	Unscored bool
	// FixedWidth keeps the widths of the base kernel; else multiples are tried.
	FixedWidth bool
	// Linear adds machines with the linear kernel to those of a base kernel that
	// has a width.
	Linear bool
	// Mutual adds graphs of mutual neighbours to those of Graph's symmetry.
	Mutual bool
	// Graph is the recipe; Neighbours, Degree and, of self-tuned weights, Width 0
	// are chosen.
	Graph graph.Recipe
	// Views, if there are any, are ranges of columns, as of manifold.Joint.
	Views [][2]int
	// Landmarks, if not nil, reduce machines with a graph to them (manifold.Reduced), for rows
	// of which n x n tables are too large.
	Landmarks *kernel.Landmarks
	// Ratio and Lambda fix the machine's own parameters.
	Ratio, Lambda float64
	// LambdaOf, if not nil, gives lambda for a ratio (gamma_i fixed alone).
	LambdaOf func(ratio float64) float64
	// Semi says whether machines with a graph are candidates, Supervised whether
	// the machine chosen may be one without; those are trained in any case, for
	// the best of them is the baseline.
	Supervised, Semi bool
	// Average joins the candidates into one machine, if Score is the log loss.
	Average bool
	// Budget bounds the machines trained; 0: the whole design.
	Budget int
	// Progress, if not nil, is told the number done, the number planned and the
	// best score.
	Progress func(done, total int, best float64)
	// Trained, if not nil, is told each candidate after its training; its Machine is nil
	// where that failed.
	Trained func(*Candidate)
}

// Candidate is one point of the design and, once trained, its machine.
type Candidate struct {
	Linear bool         // the linear kernel instead of the base kernel
	Width  float64      // multiple of the base kernel's widths
	Graph  graph.Recipe // Neighbours 0: supervised
	Ratio  float64      // for a kernel whose mean diagonal is one
	*Machine
}

// Supervised says whether the candidate has no graph.
func (c *Candidate) Supervised() bool { return c.Graph.Neighbours == 0 }

// Choice is the outcome.
type Choice struct {
	Members  []Member   // the chosen machine, or the machines averaged
	Offset   []float64  // c values added to the sum of the members' outputs, or nil
	Score    float64    // of the chosen machine or of the average
	Baseline *Candidate // the best supervised machine
	Trained  []*Candidate
	Failed   int // candidates whose factorisation or score failed
	Status   Status
}

// Member is a machine and its weight in the sum of outputs.
type Member struct {
	*Candidate
	Weight float64
}

// Status says how the search ended.
type Status string

// The ways to end.
const (
	Complete    Status = "complete"
	Budget      Status = "budget"
	TimeLimit   Status = "time limit"
	Interrupted Status = "interrupted"
)

// ErrNothing says that not one candidate could be trained.
var ErrNothing = errors.New("no candidate could be trained")

// Choose trains the design and chooses. A context that ends leaves the choice
// among what was trained, if that is anything.
//
// Memory: two n x n tables (the Gram matrix and the factored system). Cost: a Gram
// matrix for each width under a graph; a sparse product and (2/3) n^3 flops for
// each machine with a graph. With m landmarks: two n x m tables, 2 n m^2 flops a graph.
func (t Task) Choose(ctx context.Context) (*Choice, error) {
	plan := t.design()
	c := &Choice{Status: Complete}
	bench := &bench{task: t}
	top := math.Inf(1)
	for i, cand := range plan {
		if t.Budget > 0 && i >= t.Budget {
			c.Status = Budget
			break
		}
		m, err := bench.train(ctx, cand)
		if ctx.Err() != nil {
			c.Status = Interrupted
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				c.Status = TimeLimit
			}
			break
		}
		switch {
		case numerical(err):
			c.Failed++
		case err != nil:
			return nil, err
		default:
			cand.Machine = m
			c.Trained = append(c.Trained, cand)
			top = min(top, m.Score)
		}
		if t.Trained != nil {
			t.Trained(cand)
		}
		if t.Progress != nil {
			t.Progress(i+1, len(plan), top)
		}
	}
	if err := t.decide(c); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return c, nil
}

// bench keeps what successive candidates share: the Gram matrix of a base
// kernel, the graph, the storage of the factored system.
type bench struct {
	task  Task
	work  kernel.Work // neighbour lists
	parts manifold.Parts
	warp  manifold.Warp // that parts belong to
	base  Candidate     // whose base kernel is in parts
	scale float64       // mean diagonal of the Gram matrix
	free  *mat.Dense

	reduced reduction
}

// kernel returns the base kernel of a candidate.
func (b *bench) kernel(c *Candidate) (kernel.Kernel, error) {
	if c.Linear && b.task.Linear {
		return kernel.Linear{}, nil
	}
	return widened(b.task.Score.Kernel, c.Width)
}

// train trains one candidate.
func (b *bench) train(ctx context.Context, c *Candidate) (*Machine, error) {
	t := b.task
	s := t.Score
	r := ridges(s.Problem.Task, c.Linear)
	if c.Supervised() {
		base, err := b.kernel(c)
		if err != nil {
			return nil, err
		}
		g, err := base.Bind(ctx, s.Problem.Rows, nil)
		if err != nil {
			return nil, err
		}
		return t.train(ctx, base, g, t.Lambda, r)
	}
	if t.Landmarks != nil {
		return b.trainReduced(ctx, c)
	}
	if err := b.prepare(ctx, c); err != nil {
		return nil, err
	}
	w := b.warp
	w.Ratio = c.Ratio / b.scale
	if t.Ratio > 0 {
		w.Ratio = t.Ratio
		c.Ratio = t.Ratio * b.scale
	}
	g, err := b.parts.Warp(ctx, w, b.free)
	if err != nil {
		return nil, err
	}
	lambda := t.Lambda
	if t.LambdaOf != nil {
		lambda = t.LambdaOf(w.Ratio)
	}
	return t.train(ctx, w, g, lambda, r)
}

// train trains a machine on a bound kernel.
func (t Task) train(ctx context.Context, k kernel.Kernel, g kernel.Gram, lambda float64, r span) (*Machine, error) {
	if t.Learner != nil {
		return t.trainLearner(ctx, k, g, lambda)
	}
	return train(&t.Score, k, g, lambda, r)
}

// prepare makes the parts of a candidate, keeping those of the last one that are
// the same.
func (b *bench) prepare(ctx context.Context, c *Candidate) error {
	s := b.task.Score
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
		b.parts.Base.Block(b.parts.K, nil, nil)
		b.warp.Base, b.base = base, *c
		b.scale = meanDiagonal(b.parts.Base, nil)
	}
	norm := b.task.norm(c.Graph)
	if b.parts.Norm == nil || !reflect.DeepEqual(b.warp.Norm, norm) {
		o, err := b.operator(ctx, norm)
		if err != nil {
			return err
		}
		b.parts.Norm, b.warp.Norm = o, norm
	}
	return ctx.Err()
}

// norm is that of one recipe: its graph, or its graphs by every view jointly.
func (t Task) norm(r graph.Recipe) manifold.Norm {
	g := manifold.Graph{Recipe: r, Longest: t.longest()}
	if t.Views == nil {
		return g
	}
	return manifold.Joint{Graph: g, Views: t.Views}
}

// operator builds a norm. Only the last is kept, the lists of neighbours all along.
func (b *bench) operator(ctx context.Context, norm manifold.Norm) (graph.Operator, error) {
	rows := b.task.Score.Problem.Rows
	if g, ok := norm.(manifold.Graph); ok {
		built, err := g.Build(ctx, rows, &b.work)
		if err != nil {
			return nil, err
		}
		return built.Operator(), nil
	}
	return norm.Bind(ctx, rows, &b.work)
}

// widened multiplies the widths of a kernel, its parameters called sigma.
func widened(k kernel.Kernel, by float64) (kernel.Kernel, error) {
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

// hasWidth says whether a kernel has a length to scale.
func hasWidth(k kernel.Kernel) bool {
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

// numerical says whether an error is the fault of one candidate's parameters.
func numerical(err error) bool {
	var np *blas.NotPositiveDefinite
	var sing *blas.Singular
	return errors.Is(err, rls.ErrLeverage) || errors.Is(err, rls.ErrNotFinite) || errors.Is(err, errNoLambda) ||
		errors.As(err, &np) || errors.As(err, &sing)
}
