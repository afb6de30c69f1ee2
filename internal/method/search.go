package method

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// searched runs one of the general searches over the method's own space.
func (k machine) searched(ctx context.Context, t *task.Task, word string, landmarks *kernel.Landmarks) (*choose.Candidates, error) {
	f, err := k.tunable(t, landmarks)
	if err != nil {
		return nil, err
	}
	space, err := fix(t, f.Space())
	if err == nil {
		space, err = k.fixJoint(t, space)
	}
	if err != nil {
		return nil, err
	}
	s := searching{machine: k, t: t, word: word}
	if share := t.Values.Number(selected); share > 0 {
		return s.selecting(ctx, f, space, share)
	}
	found, space, err := s.run(ctx, f, space, t.Recipe.Budget)
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, f, space, found)
}

// searching is one search of a machine.
type searching struct {
	machine
	t       *task.Task
	word    string
	dropped bool // a selection has dropped features, so the widths start at different values
}

// run searches, and begins again with wider kernels where all it finds is a dead model.
func (s searching) run(ctx context.Context, f tunable, space param.Space, budget int) (search.Result, param.Space, error) {
	t := s.t
	derived := task.Differentiates(s.word)
	if derived && !t.Scoring.Closed() && t.Scoring.Criterion != nil && !score.Smooth(t.Scoring.Criterion) {
		return search.Result{}, nil, task.Usage(
			"--search %s with --tune %s: an error count has no derivative; use --tune loo:logloss, or --search random",
			s.word,
			t.Scoring.Name,
		)
	}
	refit, trains := f.(*trained)
	for attempt := 0; ; attempt++ {
		if trains {
			refit.Warm, refit.Inexact, refit.Free = derived, derived, space
		}
		if s.word == "grid" && budget == 0 { // all of it, as it was asked for
			if size, err := s.grid(space).Size(space); err == nil && size < mostPoints {
				budget = int(size)
			}
		}
		driver := search.Driver{Budget: budget, OnEval: s.reporter(space, budget)}
		found, err := driver.Run(ctx, placed{f, space}, s.search(space, budget))
		if err != nil {
			return found, space, fmt.Errorf("%s: %w", t.Input.Set.Source, err)
		}
		if !derived || !trains || ctx.Err() != nil {
			return found, space, nil
		}
		out, err := refit.Outputs(ctx, found.Theta)
		if err != nil && !design.Numerical(err) {
			return found, space, err
		}
		if err != nil || !dead(out) {
			return found, space, nil
		}
		wider, ok := widerStart(space)
		if !ok || attempt == restarts {
			t.Warn(
				"the model is dead: left-out rows all have the same output, for the kernel is too narrow for these rows; use --scale " +
					"standard, or --set a larger sigma or C",
			)
			return found, space, nil
		}
		space = wider
	}
}

// finish confirms what was found and trains the machine. It is short, and not to be cut off.
func (s searching) finish(ctx context.Context, f tunable, space param.Space, found search.Result) (*choose.Candidates, error) {
	t := s.t
	theta := found.Theta
	s.warn(found)
	tuning := result.Tuning{
		Score:       t.Scoring.Name,
		Value:       found.F,
		Evaluations: found.Evaluations,
		Search:      s.word,
		Status:      ended(ctx, found.Status),
	}
	whole := await.Outlast(ctx)
	if other, ok := f.(refolded); ok && task.Differentiates(s.word) && t.Scoring.Drawn() {
		var err error
		if theta, err = s.confirm(whole, other, space, found, &tuning); err != nil {
			return nil, err
		}
	}
	candidates, err := s.trainable(whole, f, theta, found.Trace, &tuning)
	if err != nil {
		return nil, err
	}
	candidates.Tuning = tuning
	if refit, ok := f.(*trained); ok {
		refit.Warm, refit.Inexact = false, false // the surface is that of exact machines
	}
	return candidates, t.Surface(ctx, placed{f, space})
}

// trainable trains at theta or, where no machine can be trained of all rows there, as of a kernel that is not positive semi-definite, at
// the best points of the trace where one can.
func (s searching) trainable(
	ctx context.Context, f tunable, theta []float64, trace []search.Record, tuning *result.Tuning,
) (*choose.Candidates, error) {
	const most = 20
	candidates, err := f.Train(ctx, theta)
	if err == nil || !design.Numerical(err) {
		return candidates, err
	}
	trace = slices.DeleteFunc(slices.Clone(trace), func(r search.Record) bool { return math.IsInf(r.F, 0) })
	slices.SortStableFunc(trace, func(a, b search.Record) int { return cmp.Compare(a.F, b.F) })
	for _, r := range trace[:min(most, len(trace))] {
		one, failed := f.Train(ctx, r.Theta)
		if failed == nil {
			tuning.Value = r.F
			return one, nil
		}
		if !design.Numerical(failed) {
			return nil, failed
		}
	}
	return nil, untrained(s.t, err)
}

// warn tells the user where the end of a search leaves its answer in doubt.
func (s searching) warn(found search.Result) {
	bounded := slices.DeleteFunc(slices.Clone(found.OnBound), func(name string) bool {
		// Whole numbers of a short range; widths of single features, which are wide where they do not matter.
		return name == task.Neighbours.Name || name == task.Degree.Name || strings.Contains(name, "[")
	})
	if len(bounded) > 0 && s.word != "grid" {
		s.t.Warn(
			"the search ended on the bound of %s: better values may lie beyond; fix it by --set, or scale the features",
			strings.Join(bounded, ", "),
		)
	}
	if found.Noise > 1e-7*math.Abs(found.F) {
		s.t.Warn(
			"the score %.4g is known to %.1g only: the search was ended before its best point was trained exactly",
			found.F,
			found.Noise,
		)
	}
}

// ended tells the fit's own time limit from an interrupt.
func ended(ctx context.Context, s search.Status) string {
	if s == search.Interrupted && ctx.Err() != nil {
		s = search.Ended(ctx)
	}
	return string(s)
}

// reporter tells the progress of a search and its points; nil if nobody listens.
func (s searching) reporter(space param.Space, budget int) func(search.Record) {
	t := s.t
	if t.Options.Progress == nil && t.Options.Listen.Evaluation == nil {
		return nil
	}
	if budget == 0 {
		budget = search.DefaultBudget
	}
	best := math.Inf(1)
	return func(r search.Record) {
		if r.N == 1 {
			t.Stage()
		}
		t.Heard(s.word, space, r.Theta, r.F)
		best = min(best, r.F)
		t.Progressed(s.word, r.N, budget, best)
	}
}

// mostPoints is the size of a grid beyond which it is cut at the default budget.
const mostPoints = 1e6

// fixable are the settings that fix a parameter of the same name.
var fixable = []setting.Setting{
	task.Lambda,
	task.C,
	nu,
	epsilon,
	task.GammaA,
	task.GammaI,
	task.Neighbours,
	task.Degree,
	task.Width,
	task.Semigroup,
	coupling,
}

// fix fixes what is set in the space of a machine. The kernel's parameters come first.
func fix(t *task.Task, space param.Space) (param.Space, error) {
	for _, i := range t.Fixed {
		space[i].Fixed = true
	}
	for _, s := range fixable {
		v := t.Values.Numbers(s)
		if len(v) != 1 || space.Index(s.Name) < 0 {
			continue // lists and the rest are of graphs, or the learner has them
		}
		if s.Key() == task.GammaI.Key() && v[0] == 0 {
			return nil, task.Usage("--set gamma_i=0: a search moves parameters of a graph, which then has no weight; " +
				"leave --search out, add --tune none, or choose the method without a graph")
		}
		var err error
		if space, err = space.Set(s.Name, v[0], true); err != nil {
			return nil, task.Usage("%v", err)
		}
	}
	if t.Values.Given(weightsOf) {
		for i, d := range space {
			space[i].Fixed = d.Fixed || d.Kind == param.Simplex
		}
	}
	return space, nil
}

// search returns the search asked for.
func (s searching) search(space param.Space, budget int) search.Search {
	switch s.word {
	case "grid":
		return s.grid(space)
	case "nelder-mead":
		return search.NelderMead{}
	case "random":
		if budget == 0 {
			budget = search.DefaultBudget
		}
		return search.Random{N: budget, Seed: s.t.Recipe.Drawn()}
	}
	if s.family.warped() || s.family == Joint {
		return s.throughGraphs(space)
	}
	decrease := 0.0
	if !s.closed() {
		decrease = enough
	}
	if !kernel.Definite(s.t.Base) { // whose defaults may be where no machine can be trained
		return search.Starts{At: s.apart(space), Inner: func(start []float64) search.Search {
			return s.byGradient(space, start, decrease)
		}}
	}
	return s.byGradient(space, space.Defaults(), decrease)
}

// apart are the defaults, and random points of the space for each free parameter.
func (s searching) apart(space param.Space) [][]float64 {
	return append([][]float64{space.Defaults()}, search.Points(space, 8*len(space.Free()), s.t.Recipe.Drawn())...)
}

// grid is the grid of the points asked for, or of the values given.
func (s searching) grid(space param.Space) search.Grid {
	g := search.Grid{Points: int(s.t.Values.Number(task.Points)), Values: map[string][]float64{}}
	for _, one := range fixable {
		if v := s.t.Values.Numbers(one); len(v) > 1 && space.Index(one.Name) >= 0 {
			g.Values[one.Name] = v
		}
	}
	for name, v := range s.jointValues(s.t) {
		if len(v) > 1 && space.Index(name) >= 0 {
			g.Values[name] = v
		}
	}
	for name, v := range s.t.Request.Kernel {
		if len(v) > 1 && space.Index(name) >= 0 {
			g.Values[name] = v
		}
	}
	return g
}

// enough ends a search of a score by training again: a relative decrease far below what
// other folds would change.
const enough = 1e-4

// byGradient is the search by gradients from a point of the space, in two stages where
// parameters can be tied.
func (s searching) byGradient(space param.Space, start []float64, decrease float64) search.Search {
	inner := func(decrease float64) func([]float64) search.Search {
		return func(start []float64) search.Search { return descent(s.word, start, decrease) }
	}
	groups := tied(space)
	if len(groups) == 0 {
		return inner(decrease)(start)
	}
	c := search.Coarse{Groups: groups, Start: start, First: inner(10 * decrease), Inner: inner(decrease)}
	if s.t.Scoring.Drawn() && s.t.Values.Number(selected) == 0 { // else nothing is confirmed, or widths are wanted to choose columns by
		c.First = inner(max(10*decrease, nearly))
		c.Stop = staged(s.t.Scoring.Criterion, s.t.Labelled(), untied(groups))
	}
	return c
}

// nearly ends the first stage of a search: a relative decrease far below what the scores of two draws of the folds differ by.
const nearly = 1e-5

// descent is the search by derivatives of that name, from a point.
func descent(word string, start []float64, decrease float64) search.Search {
	switch word {
	case "rprop":
		return search.RPROP{Start: start}
	case "sqp":
		return search.Gradient{Start: start, Decrease: decrease, SQP: true}
	}
	return search.Gradient{Start: start, Decrease: decrease}
}

// tied lists the groups of free parameters, one a feature or a group of features, that
// a search by gradients moves together first: widths, penalties.
func tied(space param.Space) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i, d := range space {
		name, _, several := strings.Cut(d.Name, "[")
		if !several || name == "weight" || d.Fixed || d.Kind != param.Log {
			continue
		}
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
}

// throughGraphs is the search by derivatives of a machine with a graph, or with one of several views. It begins at the best
// of several strengths and widths, runs for each free number of neighbours and degree of a
// short list, the most promising first, and then for those beside the best.
func (s searching) throughGraphs(space param.Space) search.Search {
	// Ten runs share the budget: the ends and the middle of Becker's table 4.1, and
	// the degrees that were ever the best on the design sets.
	lists := map[string][]float64{task.Neighbours.Name: {2, 4, 8, 16, 50}, task.Degree.Name: {1, 2}}
	values := map[string][]float64{}
	for _, i := range space.FreeDiscrete() {
		for _, v := range lists[space[i].Name] {
			if v >= space[i].Lo && v <= space[i].Hi {
				values[space[i].Name] = append(values[space[i].Name], v)
			}
		}
	}
	from := func(start []float64) search.Search { return s.byGradient(space, start, enough) }
	return search.Starts{At: s.starts(space), Inner: func(start []float64) search.Search {
		if len(values) == 0 {
			return from(start)
		}
		return search.Enumerate{Inner: from(start), Near: from, Values: values, BestFirst: true}
	}}
}

// starts are points of a Laplacian machine's space to begin a search from: the strengths
// that are ever the best of a design (package design), for two widths of the kernel. From one
// point alone a search may begin, and end, where the score of a few labels is flat.
func (s searching) starts(space param.Space) [][]float64 {
	terms := s.t.Terms()
	var list [][]float64
	for _, width := range []float64{0.5, 2} {
		for _, ratio := range []float64{1e2, 1e4, 1e6} {
			for _, lambda := range []float64{1e-5, 1e-3, 1e-1} {
				gammaA := terms.Weight(lambda)
				theta := space.Defaults()
				for i, d := range space {
					if !d.Fixed {
						theta[i] = start(d, width, gammaA, terms.Intrinsic(ratio, gammaA))
					}
				}
				list = append(list, theta)
			}
		}
	}
	return list
}

// start is where a free parameter begins.
func start(d param.Dim, width, gammaA, gammaI float64) float64 {
	v := d.Default
	switch {
	case d.Name == task.GammaA.Name:
		v = gammaA
	case d.Name == task.GammaI.Name:
		v = gammaI
	case strings.HasPrefix(d.Name, "sigma"), strings.Contains(d.Name, ".sigma"): // of a view
		v *= width
	case d.Name == task.Neighbours.Name: // a middle graph, to compare the strengths on
		v = 8
	case d.Name == task.Degree.Name && d.Kind == param.Integer:
		v = 2
	}
	if d.Kind == param.Log || d.Kind == param.Integer {
		v = min(max(v, d.Lo), d.Hi)
	}
	return v
}
