package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// strengths holds the weights of the two norms as far as the recipe sets them, as ridge and ratio.
type strengths struct {
	lambda, ratio float64 // 0: free
	lambdaOf      func(ratio float64) float64
	noGraph       bool // gamma_i is set to zero
}

// strengths reads what is set of lambda, C, gamma_a and gamma_i.
func (k machine) strengths(t *task.Task) strengths {
	terms, v := t.Terms(), t.Values
	s := strengths{lambda: terms.Ridge(v.Number(task.Lambda))}
	if k.total {
		s.lambda = v.Number(task.Lambda)
	}
	if c := v.Number(task.C); c > 0 {
		s.lambda = 1 / (2 * c)
	}
	gammaA, gammaI := v.Number(task.GammaA), v.Number(task.GammaI)
	if gammaA > 0 {
		s.lambda = terms.Ridge(gammaA)
	}
	switch {
	case !v.Given(task.GammaI):
	case gammaI == 0:
		s.noGraph = true
	case gammaA > 0:
		s.ratio = terms.Ratio(gammaI, gammaA)
	default:
		s.lambdaOf = func(ratio float64) float64 { return terms.Ridge(terms.Ratio(gammaI, 1)) / ratio }
	}
	return s
}

// literature gives published values to the parameters that the recipe leaves open under --tune none:
// gamma_A = 1e-6 and gamma_I = 0.01 without the factor 1/n^2 (Sindhwani 2007,
// section 2.7.4), 10 neighbours, degree 2 (the middle of Becker's table 4.1).
func (k machine) literature(t *task.Task, s strengths, g graph.Recipe) (strengths, graph.Recipe) {
	const gammaA, gammaI = 1e-6, 0.01
	if s.lambda == 0 && s.lambdaOf == nil {
		s.lambda = t.Terms().Ridge(gammaA)
		if k.strength().Name == task.C.Name {
			s.lambda = 0.5 // C = 1, LIBSVM's default
		}
	}
	if s.ratio == 0 && !s.noGraph {
		s.ratio = gammaI / gammaA
	}
	return s, publishedGraph(g, t.Described().Rows.Len())
}

// publishedGraph is literature's graph of n rows.
func publishedGraph(g graph.Recipe, n int) graph.Recipe {
	if g.Neighbours == 0 {
		g.Neighbours = min(10, n-1)
	}
	if g.Degree == 0 {
		g.Degree = 2
	}
	if g.Width == 0 && g.Weights == graph.SelfTuned {
		g.Width = 1
	}
	return g
}

// designed trains the machines of a design over widths, graphs and strengths.
func (k machine) designed(ctx context.Context, t *task.Task, landmarks *kernel.Landmarks) (*choose.Candidates, error) {
	d, b := k.bench(t, landmarks)
	plan := d.Supervised(k.id)
	noGraph := k.strengths(t).noGraph
	if k.family.warped() && !noGraph {
		plan = append(joinedViews(t, d.Graphs(k.id)), d.Supervised(k.baseline)...) // last: where only a graph will do
	}
	s, err := trainPlan(ctx, t, b, plan)
	if err == nil {
		s.Safe = !k.family.warped() || noGraph
	}
	return s, err
}

// joinedViews gives candidates with a graph those of all views besides.
func joinedViews(t *task.Task, plan []*choose.Candidate) []*choose.Candidate {
	for _, c := range plan {
		c.Joint = len(t.Recipe.Views) > 0
	}
	return plan
}

// bench is a design for the task and what trains its candidates.
func (k machine) bench(t *task.Task, landmarks *kernel.Landmarks) (design.Design, *design.Bench) {
	d := designOf(t.Request, task.Size{Rows: k.graphRows(t), Sparse: t.Problem.Rows.IsSparse()}, t.Base)
	d.Landmarks = landmarks != nil
	s := k.strengths(t)
	if t.Scoring.None {
		s, d.Graph = k.literature(t, s, d.Graph)
	}
	d.Ratio = s.ratio
	b := benchOf(t)
	b.Learner, b.Views, b.Longest, b.Landmarks, b.Crew = k.learner(t), t.ViewColumns(), d.Longest(), landmarks, t.Options.Share
	b.Ratio, b.Lambda, b.LambdaOf = s.ratio, s.lambda, s.lambdaOf
	b.FreeOffset = !t.Offset && t.Recipe.Offset != "no" && !t.Scoring.None && unequal(t.Labels.Counts())
	if t.Options.Listen.Evaluation != nil {
		t.Stage()
		b.Trained = func(c *choose.Candidate) { k.heard(t, c) }
	}
	return d, b
}

// graphRows is the number of rows, of joint graphs that of the one with the fewest: a row that lacks a view has no part in its graph, nor
// in that of all columns, and each view is warped by the graphs on the rows that have it.
func (k machine) graphRows(t *task.Task) int {
	rows := t.Described().Rows
	n := rows.Len()
	if k.family != Joint || t.Stacked == nil {
		return n
	}
	views := len(t.Recipe.Views)
	both, whole := make([]int, views*views), 0
	for _, copies := range t.Stacked.Copies {
		if len(copies) == views {
			whole++
		}
		for _, a := range copies {
			for _, b := range copies {
				both[t.Stacked.View[a]*views+t.Stacked.View[b]]++
			}
		}
	}
	if !t.Values.Is(viewGraphs, "views") {
		n = min(n, whole)
	}
	return min(n, slices.Min(both))
}

// benchOf trains candidates that bring their own learners.
func benchOf(t *task.Task) *design.Bench {
	return &design.Bench{Score: t.LeaveOut(nil), Unscored: t.Scoring.None, Budget: budget(t.Request),
		Progress: func(done, total int, best float64) { t.Progressed("choosing", done, total, best) }}
}

// unequal says whether some class has less than half of an even share of the rows: then the constant of a function matters.
func unequal(counts []int) bool {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total > 0 && 2*slices.Min(counts)*len(counts) < total
}

// designOf is what a request leaves free, but for the ratio of the two norms.
func designOf(r task.Request, s task.Size, base kernel.Kernel) design.Design {
	d := design.Design{
		Rows: s.Rows, Sparse: s.Sparse, Base: base, FixedWidth: r.Scoring.None || len(r.Kernel) > 0, Graph: r.Graph(s.Sparse),
		Mutual: !r.Values.Given(task.Symmetry) && !r.Scoring.None, // one graph where nothing is chosen
	}
	d.Linear = r.Spec(s.Sparse) == "gaussian" && r.Recipe.Kernel == "" && !d.FixedWidth
	return d
}

// untrained is the error of a fit whose systems are not positive definite.
func untrained(t *task.Task, err error) error {
	if !kernel.Definite(t.Base) {
		return fmt.Errorf("%s: %w: the matrix of kernel %s has negative eigenvalues, and with this loss and strength a machine needs one "+
			"without; choose --method svm or rls, set a smaller C (a larger gamma_a), or choose another kernel",
			t.Input.Set.Source, choose.ErrNothing, kernel.Format(t.Base, nil))
	}
	return fmt.Errorf("%s: %w: %w; set a smaller C, or a larger lambda or gamma_a", t.Input.Set.Source, choose.ErrNothing, err)
}

// trainPlan trains the candidates, or those of them that the recipe names, and says how.
func trainPlan(ctx context.Context, t *task.Task, b *design.Bench, plan []*choose.Candidate) (*choose.Candidates, error) {
	s, err := b.Run(ctx, chosen(t, plan))
	if err != nil {
		return nil, err
	}
	if len(s.Members) == 0 {
		if errors.As(s.Failure, new(*blas.NotPositiveDefinite)) {
			return nil, untrained(t, s.Failure)
		}
		return nil, fmt.Errorf(
			"%s: %w: no left-out prediction is finite; free the parameters that --set fixes, label more rows, or use --tune gcv",
			t.Input.Set.Source,
			choose.ErrNothing,
		)
	}
	s.Tuning.Score = t.Scoring.Name
	return s, nil
}

// heard tells a candidate of the design as a point: one width of the
// kernel, where it has one, the graph, and the weights of the two norms.
func (k machine) heard(t *task.Task, c *choose.Candidate) {
	space := param.Space{
		{Name: "sigma", Kind: param.Log}, {Name: task.Neighbours.Name, Kind: param.Log}, {Name: task.Degree.Name, Kind: param.Integer},
		{Name: task.GammaI.Name, Kind: param.Log}, {Name: k.strength().Name, Kind: param.Log},
	}
	nan := math.NaN()
	theta := []float64{nan, nan, nan, nan, nan}
	base := t.Base.Space()
	if i := base.Index("sigma"); i >= 0 && !c.Linear {
		theta[0] = base[i].Default * c.Width
	}
	if c.HasGraph() {
		theta[1], theta[2] = float64(c.Graph.Neighbours), float64(c.Graph.Degree)
	}
	value := math.Inf(1)
	if c.Machine != nil {
		value = c.Score
		terms := t.Terms()
		switch theta[4] = terms.Weight(c.Lambda); {
		case k.total:
			theta[4] = c.Lambda
		case k.strength().Name == task.C.Name:
			theta[4] = score.Strength(c.Lambda)
		}
		if w, ok := manifold.Warped(c.Kernel); ok {
			theta[3] = terms.Intrinsic(w.Ratio, theta[4])
		}
	}
	t.Heard("auto", space, theta, value)
}

// byLeastSquares tunes a machine that has no derivatives on combined Laplacians: the weights,
// the kernel and the ratio are those that serve least squares best by the exact leave-one-out
// gradient, then the machine's own strength is chosen with the kernel warped so.
func (k machine) byLeastSquares(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	norm, err := k.norm(t)
	if err != nil {
		return nil, err
	}
	closed := t.LeaveOut(new(kernel.Work))
	lap := laplacian{score.Laplacian{Base: t.Base, Norm: norm, Problem: t.Problem, Work: closed.Work, Criterion: closed.Criterion,
		Folds: t.Folds, Offset: t.Offset, Terms: t.Terms()}, t}
	space, err := fix(t, lap.Space())
	if err != nil {
		return nil, err
	}
	squares := searching{machine: machine{family: Warped}, t: t, word: "gradient"}
	found, _, err := squares.run(ctx, &lap, space, t.Recipe.Budget)
	if err != nil {
		return nil, err
	}
	m, inner, err := lap.Machine(found.Theta)
	if err != nil {
		return nil, err
	}
	// Finishing what was found is short and must not be cut off.
	s, err := k.onKernel(await.Outlast(ctx), t, m.Kernel, inner[:len(inner)-1], k.strengths(t).lambda)
	if err != nil {
		return nil, err
	}
	s.Tuning.Evaluations, s.Tuning.Search, s.Tuning.Status = found.Evaluations, "gradient", ended(ctx, found.Status)
	return s, nil
}

// onKernel trains the machine on one kernel, at the strength that is given or else at the best of
// several, and the baseline beside it.
func (k machine) onKernel(
	ctx context.Context, t *task.Task, warp kernel.Kernel, theta []float64, lambda float64,
) (*choose.Candidates, error) {
	on, err := warp.With(theta)
	if err != nil {
		return nil, err
	}
	closed, learner := t.LeaveOut(new(kernel.Work)), k.learner(t)
	closed.Kernel = on
	own := &design.Bench{Score: closed, Learner: learner, Lambda: lambda, Unscored: t.Scoring.None}
	s, err := trainPlan(ctx, t, own, design.Design{Rows: t.Problem.Rows.Len(), Base: on, FixedWidth: true}.Supervised(k.id))
	if err != nil {
		return nil, err
	}
	one := choose.Alone(s.Members[0].Machine)
	one.Tuning.Score = t.Scoring.Name
	if one.Baseline, err = baseline(ctx, t, learner); err != nil {
		return nil, err
	}
	return one, nil
}

// untuned trains on equal weights and the published values of literature.
func (k machine) untuned(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	norm, err := k.norm(t)
	if err != nil {
		return nil, err
	}
	s, _ := k.literature(t, k.strengths(t), t.Graph())
	lambda := s.lambda
	if s.lambdaOf != nil {
		lambda = s.lambdaOf(s.ratio)
	}
	if s.noGraph {
		candidates, err := k.onKernel(ctx, t, t.Base, t.Base.Space().Defaults(), lambda)
		if err == nil {
			candidates.Baseline = nil // or the rule would take it, with another strength, in the place of the machine
		}
		return candidates, err
	}
	warp := manifold.Warp{Base: t.Base, Norm: norm, Ratio: s.ratio}
	return k.onKernel(ctx, t, warp, slices.Concat(t.Base.Space().Defaults(), norm.Space().Defaults(), []float64{s.ratio}), lambda)
}

// eachClass searches the hyper-parameters of every class for themselves: one problem a class
// against the rest, each with a kernel of its own (Klatzer 2014, section 5.2.4). Their machines
// are added, one output each.
func (k machine) eachClass(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	p := t.Problem
	c := p.Outputs()
	if c == 1 || p.Coding.Pairs {
		return nil, task.Usage(
			"--set per_class=yes: it is for more than two classes, each against the rest; leave it out, or add --multiclass one-vs-rest",
		)
	}
	all := &choose.Candidates{Problem: p, Tuning: result.Tuning{Score: t.Scoring.Name, Search: t.Search()}}
	ended := ""
	for class := range c {
		one := *t
		one.Warnings = nil
		one.Problem = againstRest(p, class)
		s, err := k.searched(ctx, &one, t.Search(), nil)
		if err != nil && ctx.Err() != nil && class > 0 { // the classes that are left are judged once, so that those found are kept
			ended, one.Recipe.Budget = string(search.Ended(ctx)), 1
			s, err = k.searched(search.WithJournal(await.Outlast(ctx), nil), &one, t.Search(), nil)
		}
		if err != nil {
			return nil, err
		}
		for _, w := range one.Warnings {
			t.Warn("class %s: %s", p.Classes[class], w)
		}
		all.Members = append(all.Members, choose.Column(s.Members[0], class, c))
		all.Tuning.Evaluations += s.Tuning.Evaluations
		all.Tuning.Value += s.Tuning.Value / float64(c)
		if all.Tuning.Status == "" || s.Tuning.Status != string(search.Converged) {
			all.Tuning.Status = s.Tuning.Status
		}
	}
	all.Tuning.Status = cmp.Or(ended, all.Tuning.Status)
	return all, nil
}

// againstRest is the problem of one class against the others.
func againstRest(p *learn.Problem, class int) *learn.Problem {
	q := &learn.Problem{
		Rows:     p.Rows,
		Task:     p.Task,
		Classes:  []string{"rest", p.Classes[class]},
		Coding:   learn.Coding{Classes: 2},
		Labelled: p.Labelled,
		Class:    make([]int, len(p.Labelled)),
		Weight:   p.Weight,
	}
	for i, c := range p.Class {
		if c == class {
			q.Class[i] = 1
		}
	}
	q.Y = q.Coding.Code(q.Class)
	return q
}
