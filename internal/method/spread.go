package method

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// spread describes a method that spreads the labels over a graph of all rows (package propagate). The
// file of a method fills it in, and the function method makes of it the settings, forms and rules
// of a Method.
type spread struct {
	id string
	// algorithms are those to be tried on each graph; a single one if --tune none chooses nothing.
	algorithms func(*task.Task) ([]propagate.Algorithm, error)
	// params are the parameters of an algorithm: names and, as defaults, values.
	params func(propagate.Algorithm) param.Space
	// laplacian is that of the graph, and fall the width of its self-tuned weights, where the recipe sets
	// none.
	laplacian graph.Laplacian
	fall      float64
	// solved is what the algorithms do on each graph.
	solved func(task.Size, task.Request) solutions
}

// inductionWidth is the width of the weights that decide new rows.
var inductionWidth = setting.Setting{
	Name:    "sigma",
	Range:   setting.Positive(),
	Default: "that by which the rows of the fit are predicted best from the others",
	About:   "new rows get the mean of the outputs of all rows of the fit, with Gaussian weights of this width",
}

// settings are those of all these methods, after their own.
func (k spread) settings(own ...setting.Setting) []setting.Setting {
	width := task.Width
	width.Default = fmt.Sprintf("%g (self-tuned), 2 (mean edge length)^2 (heat)", k.fall)
	own = append(own, task.Neighbours, task.Metric, task.Weights, width, task.Symmetry, task.Kind, task.Epsilon)
	for i := range own {
		own[i].Many = false // there is one graph
	}
	return append(own, inductionWidth, balanced, task.Tune, task.Outer)
}

// method fills in what follows from the description.
func (k spread) method(m Method) Method {
	m = machine{id: k.id, family: Spread, baseline: "rls"}.declare(m)
	m.Rules = append(m.Rules, widths, machine{}.lengths, machine{}.outerJudged)
	m.Params = func(_ *task.Task, c *choose.Candidate) map[string]any { return k.describe(m, c) }
	m.Certificate.Residual = "what the system of the graph lacks, relative to its right-hand side"
	m.Forms = []Form{
		{Name: "compared", Suits: compared, Bytes: k.bytes, Work: k.work, Produce: k.produce},
		{Name: "alone", Says: uncompared, Bytes: k.bytes, Work: k.work, Produce: k.produce},
	}
	return m
}

// describe gives a machine's parameters their names.
func (k spread) describe(m Method, c *choose.Candidate) map[string]any {
	out := map[string]any{}
	describeRecipe(out, c.Graph)
	for name := range out {
		if !m.Has(name) {
			delete(out, name) // a property that the method's graph always has
		}
	}
	out[inductionWidth.Name] = c.Kernel.(kernel.Gaussian).Sigma
	for i, d := range k.params(nil) {
		switch d.Kind {
		case param.Choice:
			out[d.Name] = masses.Words[int(c.Theta[i])]
		case param.Integer:
			out[d.Name] = int(c.Theta[i])
		default:
			out[d.Name] = c.Theta[i]
		}
	}
	return out
}

// spreadNeighbours are the graphs of the design, the one of --tune none first. They, and the widths of weights,
// were chosen on the design sets of docs/automatic-choice.md; "Spreading labels" there has the figures.
var spreadNeighbours = []int{10, 5, 20}

// graphs are the recipes to be tried, with what is set.
func (k spread) graphs(r task.Request, s task.Size) []graph.Recipe {
	g := r.Graph(s.Sparse)
	if !r.Values.Given(task.Laplacian) {
		g.Laplacian = k.laplacian
	}
	if g.Width == 0 && g.Weights == graph.SelfTuned {
		g.Width = k.fall
	}
	if g.Kind != graph.NearestNeighbours || g.Neighbours > 0 {
		return []graph.Recipe{g}
	}
	var list []graph.Recipe
	for _, g.Neighbours = range spreadNeighbours {
		if g.Neighbours < s.Rows {
			list = append(list, g)
		}
	}
	if len(list) == 0 {
		g.Neighbours = max(s.Rows-1, 1)
		list = append(list, g)
	}
	if r.Scoring.None {
		list = list[:1]
	}
	return list
}

// produce tries the algorithms on the graphs.
func (k spread) produce(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if t.Labelled() == t.Problem.Rows.Len() {
		t.Warn("every row has a label, so that there is no row for the graph to decide: new rows get the weighted mean of the "+
			"outputs of these; leave labels out, or choose --method %s", k.twin())
	}
	s := spreading{spread: k, t: t, criterion: t.Scoring.Criterion, best: math.Inf(1)}
	if s.criterion == nil {
		s.criterion = score.Press{}
	}
	status := search.Complete
	if err := s.run(ctx); err != nil {
		if ctx.Err() == nil || s.found == nil {
			return nil, err
		}
		status = search.Ended(ctx)
	}
	candidates, err := s.finish(await.Outlast(ctx)) // short, and not to be cut off
	if err != nil {
		return nil, err
	}
	candidates.Tuning = result.Tuning{Score: t.Scoring.Name, Value: s.best, Evaluations: s.tried, Search: "auto", Status: string(status)}
	return candidates, nil
}

// twin is the method without a graph that is named beside this one.
func (k spread) twin() string { return nadarayaWatson().ID }

// spreading is the trial of a design.
type spreading struct {
	spread
	t         *task.Task
	criterion score.Criterion
	tried     int

	// What scored best.
	best   float64
	found  *propagate.Outputs
	left   *mat.Dense // outputs of labelled rows left out; nil where nothing was scored
	recipe graph.Recipe
	state  diagnose.Graph
	theta  []float64
}

// run tries all.
func (s *spreading) run(ctx context.Context) error {
	t := s.t
	algorithms, err := s.algorithms(t)
	if err != nil {
		return err
	}
	graphs := s.graphs(t.Request, task.Size{Rows: t.Problem.Rows.Len(), Sparse: t.Problem.Rows.IsSparse()})
	longest := 0
	for _, g := range graphs {
		longest = max(longest, g.Neighbours)
	}
	t.Stage()
	var work kernel.Work // lists of neighbours
	for _, recipe := range graphs {
		g, err := manifold.Graph{Recipe: recipe, Longest: longest}.Build(ctx, t.Problem.Rows, &work)
		if err != nil {
			return s.named(err)
		}
		a := propagate.Label(g, t.Problem)
		for _, algorithm := range algorithms {
			if err := s.try(ctx, a, algorithm); err != nil {
				return s.named(err)
			}
			t.Progressed("choosing", s.tried, len(graphs)*len(algorithms), s.best)
		}
	}
	return nil
}

// named says which data an error is of.
func (s *spreading) named(err error) error { return fmt.Errorf("%s: %w", s.t.Input.Set.Source, err) }

// try trains an algorithm, and keeps what it gives if it scores better than the best so far.
func (s *spreading) try(ctx context.Context, a *propagate.Labelled, algorithm propagate.Algorithm) error {
	t := s.t
	m, err := algorithm.Bind(ctx, a)
	if err != nil {
		return err
	}
	out, err := m.Train(ctx, nil, nil)
	if err != nil {
		return err
	}
	value, left := 0.0, (*mat.Dense)(nil)
	if !t.Scoring.None {
		if left, err = propagate.LeftOut(ctx, m, out, t.Folds); err != nil {
			return err
		}
		value = s.criterion.Eval(t.Problem, score.Judged(t.Folds), left, nil)
	}
	s.tried++
	space := s.params(algorithm)
	theta := space.Defaults()
	heard := append(param.Space{{Name: task.Neighbours.Name, Kind: param.Log}}, space...)
	t.Heard("auto", heard, append([]float64{float64(a.Graph.Recipe.Neighbours)}, theta...), value)
	if s.found == nil || rounding.Below(value, s.best) {
		s.best, s.found, s.left, s.theta = value, out, left, theta
		s.recipe, s.state = a.Graph.Recipe, diagnose.Of(a.Graph, t.Problem.Labelled)
	}
	return nil
}

// finish makes a machine of what was found, and trains the baseline.
func (s *spreading) finish(ctx context.Context) (*choose.Candidates, error) {
	t := s.t
	sigma := t.Values.Number(inductionWidth)
	if sigma == 0 {
		var err error
		if sigma, err = propagate.Width(ctx, t.Problem.Rows, s.found.F); err != nil {
			return nil, err
		}
	}
	weights := kernel.Gaussian{Sigma: sigma}
	candidates := choose.Alone(&choose.Machine{
		Kernel: weights, Theta: s.theta, Score: s.best, LeftOut: s.left, Outputs: s.found.F, Mean: true, Spread: &s.state,
		Expansions:  []kernel.Expansion{{Kernel: weights, Centres: t.Problem.Rows, Coef: s.found.F}},
		Certificate: s.found.Certificate,
	})
	candidates.Problem, candidates.Criterion = t.Problem, s.criterion
	candidates.Members[0].Method, candidates.Members[0].Graph = s.id, s.recipe
	if n := s.found.Unreached; n > 0 {
		what := "the mean of the labels"
		if t.Labels.Task == data.Classification {
			what = "the shares of the classes among the labels"
		}
		candidates.Warnings = append(candidates.Warnings, fmt.Sprintf(
			"no label reaches %d of the rows along the graph, which falls into %d pieces: they are given %s; label a row in each "+
				"piece, or ask "+
				"for more neighbours", n, s.state.Components, what))
	}
	if t.Labelled() > mostCompared {
		return candidates, nil
	}
	var err error
	candidates.Baseline, err = baseline(ctx, t, nil)
	return candidates, err
}

// mostCompared is the number of labelled rows up to which the baseline is trained: beyond, its tables of
// labelled rows by labelled rows and their decompositions would cost more than the method itself.
const mostCompared = sampledRows

// compared says whether the baseline is trained.
func compared(s task.Size, _ task.Request) bool { return s.Labelled <= mostCompared }

// uncompared says that it is not.
func uncompared(s task.Size, _ task.Request) string {
	return fmt.Sprintf("%d labelled rows: no supervised machine is trained for comparison, which would cost more than the method; "+
		"--method auto compares supervised machines", s.Labelled)
}
