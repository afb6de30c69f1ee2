package mercer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// choose finds the hyper-parameters and trains the machine or machines.
func (j *job) choose(ctx context.Context) (*auto.Choice, *Tuning, error) {
	searching := j.recipe.Search
	if searching == "" {
		searching = "auto"
	}
	method := j.recipe.Method
	if method == "" {
		method = "auto"
	}
	if j.recipe.byGradients() {
		return j.gradients(ctx)
	}
	if (j.recipe.combined() || j.recipe.continuous()) && searching == "auto" {
		if j.tune.none {
			return j.untuned(ctx)
		}
		if j.learner() != nil {
			return j.byLeastSquares(ctx)
		}
		return j.searched(ctx, method, "gradient")
	}
	if searching != "auto" && !j.tune.none {
		if method == "auto" {
			return nil, nil, &UsageError{[]string{fmt.Sprintf("--search %s needs a method; add --method lap-rls or --method rls", searching)}}
		}
		if j.recipe.Set["per_class"] == "yes" && j.problem.Outputs() > 1 && !j.problem.Coding.Pairs {
			return j.perClass(ctx, method, searching)
		}
		return j.searched(ctx, method, searching)
	}
	t := j.task(method)
	c, err := t.Choose(ctx)
	if errors.Is(err, auto.ErrNothing) {
		return nil, nil, fmt.Errorf("%s: %w: no left-out prediction is finite; free the parameters that --set fixes, label more rows, or use --tune gcv", j.in.Set.Source, err)
	}
	if err != nil {
		return nil, nil, err
	}
	return c, &Tuning{
		Score: j.tune.name, Value: c.Score, Evaluations: len(c.Trained) + c.Failed,
		Search: searching, Status: string(c.Status),
	}, nil
}

// lambda is the ridge in the matrix that is set, 0 if none is.
func (j *job) lambda() float64 {
	if j.method.total {
		return j.set.one("lambda")
	}
	return j.set.one("lambda") * float64(len(j.problem.Labelled))
}

// task is the design of a method for the automatic search.
func (j *job) task(method string) auto.Task {
	t := auto.Task{
		Score:      j.leaveOut(nil),
		Learner:    j.learner(),
		Unscored:   j.tune.none,
		Graph:      j.graph(),
		Views:      j.views(),
		Landmarks:  j.landmarks(),
		Lambda:     j.lambda(),
		Supervised: !j.method.semi,
		Semi:       method == "auto" || j.method.semi,
		Average:    method == "auto" && !j.tune.none && !j.tune.gcv && j.tune.penalty == "",
		Budget:     j.recipe.Budget,
	}
	l, s := float64(len(j.problem.Labelled)), j.intrinsicScale()
	gammaA, gammaI := j.set.one("gamma_a"), j.set.one("gamma_i")
	okA, okI := j.set.params["gamma_a"] != nil, j.set.params["gamma_i"] != nil
	if c := j.set.one("C"); c > 0 {
		t.Lambda = 1 / (2 * c)
	}
	switch {
	case okA && okI:
		t.Lambda, t.Ratio = l*gammaA, gammaI*s/gammaA
	case okA:
		t.Lambda = l * gammaA
	case okI:
		t.LambdaOf = func(ratio float64) float64 { return l * gammaI * s / ratio }
	}
	if okI && gammaI == 0 {
		t.Semi, t.Supervised, t.LambdaOf = false, true, nil
	}
	if j.problem.Rows.Len() == len(j.problem.Labelled) && method == "auto" {
		t.Semi = false // nothing is unlabelled
	}
	t.FixedWidth = j.tune.none || len(j.fixed) > 0
	t.Mutual = j.recipe.Set["symmetry"] == ""
	t.Linear = j.kernelSpec() == "gaussian" && j.recipe.Kernel == "" && !t.FixedWidth
	if j.tune.none {
		t = j.literature(t)
	}
	if j.options.Listen.Evaluation != nil {
		j.heard.stage++
		t.Trained = j.hearsCandidate
	}
	if j.options.Progress != nil {
		t.Progress = func(done, total int, best float64) {
			j.options.Progress(Progress{Stage: "choosing", Done: done, Total: total, Best: best})
		}
	}
	return t
}

// literature fills what is not set with published values, for --tune none:
// gamma_A = 1e-6 and gamma_I = 0.01 without the factor 1/n^2 (Sindhwani 2007,
// section 2.7.4), 10 neighbours, degree 2 (the middle of Becker's table 4.1).
func (j *job) literature(t auto.Task) auto.Task {
	const gammaA, gammaI = 1e-6, 0.01
	if t.Lambda == 0 && t.LambdaOf == nil && j.method.losses != nil && !j.method.semi {
		t.Lambda = 0.5 // C = 1, LIBSVM's default
	}
	if t.Lambda == 0 && t.LambdaOf == nil {
		t.Lambda = gammaA * float64(len(j.problem.Labelled))
	}
	if t.Ratio == 0 {
		t.Ratio = gammaI / gammaA
	}
	if t.Graph.Neighbours == 0 {
		t.Graph.Neighbours = min(10, j.problem.Rows.Len()-1)
	}
	if t.Graph.Degree == 0 {
		t.Graph.Degree = 2
	}
	if t.Graph.Width == 0 && t.Graph.Weights == graph.SelfTuned {
		t.Graph.Width = 1
	}
	t.Mutual = false // one graph: nothing is chosen
	return t
}

// searched runs one of the general searches over the method's own space.
func (j *job) searched(ctx context.Context, method, searching string) (*auto.Choice, *Tuning, error) {
	work := new(kernel.Work)
	scored := j.leaveOut(work)
	var objective param.Objective = &scored
	learner := j.learner()
	refit := score.Refit{
		Kernel: j.base, Learner: learner, Problem: j.problem, Work: work, Criterion: scored.Criterion, Folds: j.folds,
		Spread: j.problem.Spread(),
	}
	if learner != nil {
		objective = &refit
	}
	if b, ok := learner.(score.Bounded); ok {
		objective = &score.Bound{Kernel: j.base, Learner: b, Problem: j.problem, Work: work}
	}
	var lap *score.Laplacian
	var err error
	if j.method.semi {
		lap = &score.Laplacian{
			Learner: learner, Base: j.base, Graph: j.graph(), Problem: j.problem, Work: work, Criterion: scored.Criterion,
			Folds: j.folds, GCV: j.tune.gcv, Penalty: j.charge, Offset: j.offset, Scale: j.intrinsicScale(), Views: j.views(),
		}
		if lap.Norm, err = j.norm(); err != nil {
			return nil, nil, err
		}
		objective = lap
	}
	var red *score.Reduced
	if m := j.landmarks(); lap != nil && m != nil && !j.tune.inductive {
		red = reducedSearch(lap, *m)
		objective = red
	}
	var apart inductive
	if lap != nil && j.tune.inductive {
		if apart, err = j.inductive(lap); err != nil {
			return nil, nil, err
		}
		objective = apart
	}
	space, err := j.placed(objective.Space(), method)
	if err != nil {
		return nil, nil, err
	}
	if j.kept != nil {
		var err error
		if space, err = j.kept.started(space); err != nil {
			return nil, nil, err
		}
	}
	derived := differentiates(searching)
	refit.Warm, refit.Inexact, refit.Free = derived, derived, space
	if derived && !scored.GCV && scored.Penalty == 0 && !scored.Criterion.Smooth() {
		return nil, nil, &UsageError{[]string{fmt.Sprintf("--search %s with --tune %s: an error count has no derivative; use --tune loo:logloss, or --search random", searching, j.tune.name)}}
	}
	driver := search.Driver{Budget: j.budget(), OnEval: j.reporter(searching, space)}
	var out search.Result
	for attempt := 0; ; attempt++ {
		s := j.searching(searching)
		if derived {
			s = j.byGradients(searching, space, lap != nil, learner != nil)
		}
		var err error
		if out, err = driver.Run(ctx, fixed{objective, space}, s); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", j.in.Set.Source, err)
		}
		if !derived || learner == nil || lap != nil || j.tune.bound != 0 || ctx.Err() != nil {
			break
		}
		o, err := refit.Outputs(ctx, out.Theta)
		if err != nil {
			return nil, nil, err
		}
		if !dead(o) {
			break
		}
		wider, ok := widerStart(space)
		if !ok || attempt == restarts {
			j.warnings = append(j.warnings, "the model is dead: left-out rows all have the same output, for the kernel is too narrow for these rows; use --scale standard, or --set a larger sigma or C")
			break
		}
		space = wider
	}
	if j.set.share > 0 && j.kept == nil {
		c, tuning, err := j.selected(ctx, method, searching, space, out)
		if c != nil || err != nil {
			return c, tuning, err
		}
	}
	theta := out.Theta
	tuning := &Tuning{Score: j.tune.name, Value: out.F, Evaluations: out.Evaluations, Search: searching, Status: status(ctx, out.Status)}
	if derived && lap == nil && j.tune.bound == 0 && j.tune.drawn() {
		onFolds := func(folds [][]int) param.Objective {
			if learner == nil {
				other := scored
				other.Folds = folds
				return &other
			}
			return &score.Refit{Kernel: refit.Kernel, Learner: learner, Problem: j.problem, Work: work, Criterion: refit.Criterion, Folds: folds, Spread: refit.Spread, Warm: true}
		}
		// Short, as what follows, and not to be cut off.
		if theta, err = j.confirm(context.WithoutCancel(ctx), onFolds, space, out, tuning); err != nil {
			return nil, nil, err
		}
	}
	machine := &scored
	switch {
	case red != nil:
		red.Release()
		machine, theta, err = red.Machine(context.WithoutCancel(ctx), theta)
	case lap != nil:
		machine, theta, err = lap.Machine(theta)
	}
	if err != nil {
		return nil, nil, err
	}
	// Finishing what was found is short and must not be cut off.
	var c *auto.Choice
	if learner != nil {
		if lap != nil {
			refit.Kernel = machine.Kernel
			theta = lap.Learned(theta)
		}
		c, err = auto.FixedLearner(context.WithoutCancel(ctx), &refit, theta)
	} else {
		c, err = auto.Fixed(context.WithoutCancel(ctx), machine, theta)
	}
	if err != nil {
		return nil, nil, err
	}
	if apart.Laplacian != nil {
		if err := apart.unseen(context.WithoutCancel(ctx), c, out.Theta); err != nil {
			return nil, nil, err
		}
	}
	if lap != nil {
		if c.Baseline, err = auto.Baseline(context.WithoutCancel(ctx), j.leaveOut(nil), learner); err != nil && !errors.Is(err, auto.ErrNothing) {
			return nil, nil, err
		}
	}
	refit.Warm, refit.Inexact = false, false // the surface is that of exact machines
	return c, tuning, j.surface(ctx, space, objective)
}

// reporter tells the progress of a search and its points; nil if nobody listens.
func (j *job) reporter(searching string, space param.Space) func(search.Record) {
	if j.options.Progress == nil && j.options.Listen.Evaluation == nil {
		return nil
	}
	total := j.budget()
	if total == 0 {
		total = search.DefaultBudget
	}
	best := math.Inf(1)
	shown := j.averaged(space)
	return func(r search.Record) {
		if r.N == 1 {
			j.heard.stage++
		}
		j.hears(searching, shown.space, shown.theta(r.Theta), r.F)
		best = min(best, r.F)
		if j.options.Progress != nil {
			j.options.Progress(Progress{Stage: searching, Done: r.N, Total: total, Best: best})
		}
	}
}

// placed fixes what is set in the space of a method.
func (j *job) placed(space param.Space, method string) (param.Space, error) {
	for _, i := range j.fixed { // the kernel's parameters come first
		space[i].Fixed = true
	}
	for _, name := range machineParams {
		v := j.set.one(name)
		if j.set.params[name] == nil || j.recipe.combined() && slices.Contains(listed, name) || j.recipe.continuous() && (name == "neighbours" || name == "width") || j.recipe.within() && slices.Contains(listed, name) && space.Index(name) < 0 {
			continue // of the graphs
		}
		if space.Index(name) < 0 {
			return nil, &UsageError{[]string{fmt.Sprintf("--set %s: method %s has no such parameter; it has %s", name, method, strings.Join(space.Names(), ", "))}}
		}
		if name == "lambda" && !j.method.total { // averaged loss; the machine's is the ridge in the matrix
			v *= float64(len(j.problem.Labelled))
		}
		var err error
		if space, err = space.Set(name, v, true); err != nil {
			return nil, &UsageError{[]string{err.Error()}}
		}
	}
	return space, nil
}

// status tells the fit's own time limit from an interrupt.
func status(ctx context.Context, s search.Status) string {
	if s == search.Interrupted && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s = search.TimeLimit
	}
	return string(s)
}

// fixed is an objective in a space with some dimensions fixed.
type fixed struct {
	param.Objective
	space param.Space
}

func (f fixed) Space() param.Space { return f.space }

// search returns the search of that name, one without derivatives.
func (j *job) searching(name string) search.Search {
	switch name {
	case "grid":
		return search.Grid{}
	case "nelder-mead":
		return search.NelderMead{}
	}
	budget := j.recipe.Budget
	if budget == 0 {
		budget = search.DefaultBudget
	}
	return search.Random{N: budget, Seed: j.seed()}
}

// differentiates says whether a search follows the derivatives of the score.
func differentiates(searching string) bool {
	return searching == "gradient" || searching == "rprop" || searching == "sqp"
}

// descent is the search by derivatives of that name, from a point.
func descent(searching string, start []float64, decrease float64) search.Search {
	switch searching {
	case "rprop":
		return search.RPROP{Start: start}
	case "sqp":
		return search.Gradient{Start: start, Decrease: decrease, Simplex: search.SQP}
	}
	return search.Gradient{Start: start, Decrease: decrease}
}

// byGradients returns a search by derivatives. That of a Laplacian machine begins at the best
// of several strengths and widths, runs for each free number of neighbours and degree of a
// short list, the most promising first, and then for those beside the best.
func (j *job) byGradients(name string, space param.Space, lap, refits bool) search.Search {
	if !lap {
		var decrease float64
		if refits {
			decrease = enough
		}
		return byGradient(name, space, space.Defaults(), decrease)
	}
	// Ten runs share the budget: the ends and the middle of Becker's table 4.1, and
	// the degrees that were ever the best on the design sets.
	lists := map[string][]float64{"neighbours": {2, 4, 8, 16, 50}, "degree": {1, 2}}
	values := map[string][]float64{}
	for _, i := range space.FreeDiscrete() {
		for _, v := range lists[space[i].Name] {
			if v >= space[i].Lo && v <= space[i].Hi {
				values[space[i].Name] = append(values[space[i].Name], v)
			}
		}
	}
	from := func(start []float64) search.Search { return byGradient(name, space, start, enough) }
	return search.Starts{At: j.starts(space), Inner: func(start []float64) search.Search {
		if len(values) == 0 {
			return from(start)
		}
		return search.Enumerate{Inner: from(start), Near: from, Values: values, BestFirst: true}
	}}
}

// starts are points of a Laplacian machine's space to begin a search from: the strengths
// that are ever the best of a design (package auto), for two widths of the kernel. From one
// point alone a search may begin, and end, where the score of a few labels is flat.
func (j *job) starts(space param.Space) [][]float64 {
	l, s := float64(len(j.problem.Labelled)), j.intrinsicScale()
	var list [][]float64
	for _, width := range []float64{0.5, 2} {
		for _, ratio := range []float64{1e2, 1e4, 1e6} {
			for _, lambda := range []float64{1e-5, 1e-3, 1e-1} {
				theta := space.Defaults()
				for i, d := range space {
					v := d.Default
					switch {
					case d.Fixed:
					case d.Name == "gamma_a":
						v = lambda / l
					case d.Name == "gamma_i":
						v = ratio * lambda / l / s
					case strings.HasPrefix(d.Name, "sigma"):
						v *= width
					case d.Name == "neighbours": // a middle graph, to compare the strengths on
						v = 8
					case d.Name == "degree" && d.Kind == param.Integer:
						v = 2
					}
					if !d.Fixed && (d.Kind == param.Log || d.Kind == param.Integer) {
						v = min(max(v, d.Lo), d.Hi)
					}
					theta[i] = v
				}
				list = append(list, theta)
			}
		}
	}
	return list
}

// graphsOf returns the graph of the best machine that has one, and that with the
// most neighbours, the one most likely to reach every row.
func graphsOf(c *auto.Choice) (best, widest manifold.Graph, ok bool) {
	scored := math.Inf(1)
	for _, m := range c.Members {
		w, semi := manifold.Warped(m.Kernel)
		if !semi {
			continue
		}
		for i, g := range manifold.Graphs(w.Norm) {
			if i == 0 && (!ok || m.Score < scored) {
				best, scored = g, m.Score
			}
			if !ok || g.Recipe.Neighbours > widest.Recipe.Neighbours {
				widest = g
			}
			ok = true
		}
	}
	return best, widest, ok
}
