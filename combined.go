package mercer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// View is a named part of the columns, FIRST to LAST from 1, that describes the rows by itself:
// the words of a page, the words of the links to it. Machines with a graph take the mean of
// the Laplacians of all views and of all columns.
type View struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

// combined says whether the weights of several Laplacians are learned.
func (r Recipe) combined() bool {
	m, _ := methodOf(r.Method)
	return m.combined || r.Set["combine"] == "yes"
}

// Terms of a combination that nothing is set of. Becker's are 2, 10, 50 neighbours and
// degrees 1, 2, 5 (2013, table 4.1); the choice is by the design sets of docs/automatic-choice.md.
var (
	combinedNeighbours = []float64{4, 8, 16, 50}
	combinedDegrees    = []float64{1, 2}
)

// listed are the settings that may be lists, of graphs to combine.
var listed = []string{"neighbours", "degree", "width", "metric", "weights", "symmetry", "laplacian"}

// terms are the graphs to combine: all combinations of what is set, as far as the rows
// allow, by each view and by all columns.
func (j *job) terms() ([]manifold.Graph, error) {
	n := j.problem.Rows.Len()
	list := []graph.Recipe{j.graph()}
	cross := func(values int, set func(r *graph.Recipe, q int)) {
		var next []graph.Recipe
		for _, r := range list {
			for q := range values {
				set(&r, q)
				next = append(next, r)
			}
		}
		list = next
	}
	for _, name := range []string{"laplacian", "symmetry", "weights", "metric"} {
		if words := j.set.words[name]; len(words) > 1 {
			cross(len(words), func(r *graph.Recipe, q int) {
				s := settings{graph: *r}
				_ = s.word(name, words[q]) // checked when they were read
				*r = j.related(s.graph)
			})
		}
	}
	if w := j.set.params["width"]; len(w) > 0 {
		cross(len(w), func(r *graph.Recipe, q int) { r.Width = w[q] })
	}
	neighbours, degrees := j.set.params["neighbours"], j.set.params["degree"]
	if neighbours == nil {
		for _, k := range combinedNeighbours {
			if int(k) < n {
				neighbours = append(neighbours, k)
			}
		}
	}
	if degrees == nil {
		degrees = combinedDegrees
	}
	longest := 0
	for _, k := range neighbours {
		if int(k) >= n {
			return nil, fmt.Errorf("%s: --set neighbours=%g of %d rows; ask for at most %d", j.in.Set.Source, k, n, n-1)
		}
		longest = max(longest, int(k))
	}
	if longest == 0 {
		return nil, fmt.Errorf("%s: %d rows are too few for the graphs to combine; give --set neighbours=2, or --method rls", j.in.Set.Source, n)
	}
	cross(len(neighbours), func(r *graph.Recipe, q int) { r.Neighbours = int(neighbours[q]) })
	cross(len(degrees), func(r *graph.Recipe, q int) { r.Degree = int(degrees[q]) })
	var terms []manifold.Graph
	for _, v := range append([][2]int{{}}, j.views()...) {
		for _, r := range list {
			terms = append(terms, manifold.Graph{Recipe: r, Longest: longest, First: v[0], Last: v[1]})
		}
	}
	return terms, nil
}

// views are the recipe's as ranges of columns from 0, the end not included.
func (j *job) views() [][2]int {
	var list [][2]int
	for _, v := range j.recipe.Views {
		list = append(list, [2]int{v.First - 1, v.Last})
	}
	return list
}

// norm is the intrinsic norm of a search over the method's own space; nil: the graph of
// the settings, its neighbours and degree free.
func (j *job) norm() (manifold.Norm, error) {
	if j.recipe.within() {
		return j.classWise()
	}
	if !j.recipe.combined() {
		if f, ok := j.filtered(); ok {
			return f, nil
		}
		return nil, nil
	}
	terms, err := j.terms()
	if err != nil {
		return nil, err
	}
	// Powers of a Laplacian differ in size by orders: with equal traces equal weights count alike.
	return manifold.Combined{Terms: terms, Normalise: graph.Trace}, nil
}

// unrelated is the least cosine distance, but for rounding, of rows without a column in common.
const unrelated = 1 - 1e-9

// graph is the recipe of the settings. Sparse rows, mostly texts, are joined by the cosine
// unless another metric is set, and only where they have something in common: of rows without,
// equally far apart all of them, which are the nearest is chance, or the order of the file.
func (j *job) graph() graph.Recipe {
	g := j.set.graph
	if !j.problem.Rows.IsSparse() {
		return g
	}
	if j.recipe.Set["metric"] == "" {
		g.Metric = graph.Cosine
	}
	return j.related(g)
}

// related limits the edges of sparse rows to those that have something in common.
func (j *job) related(g graph.Recipe) graph.Recipe {
	g.Radius = 0
	if g.Metric == graph.Cosine && j.problem.Rows.IsSparse() {
		g.Radius = unrelated
	}
	return g
}

// realValue is the word of --set degree= and semigroup= for a value to be learned.
const realValue = "real"

// continuous says whether the power of the Laplacian is real, or its semigroup is taken.
func (r Recipe) continuous() bool {
	d := r.Set["degree"]
	return r.Set["semigroup"] != "" || d == realValue || strings.Contains(d, ".") && !strings.Contains(d, ",")
}

// filtered is the norm of a real power or of the heat semigroup.
func (j *job) filtered() (manifold.Filtered, bool) {
	if !j.recipe.continuous() {
		return manifold.Filtered{}, false
	}
	f := manifold.Filtered{Graph: manifold.Graph{Recipe: j.graph()}, Heat: j.recipe.Set["semigroup"] != ""}
	if f.T = j.set.one("degree"); f.Heat {
		f.T = j.set.one("semigroup")
	}
	if f.Graph.Recipe.Neighbours == 0 {
		f.Graph.Recipe.Neighbours = min(10, j.problem.Rows.Len()-1)
	}
	return f, true
}

// byLeastSquares tunes a machine that has no derivatives on combined Laplacians: the weights,
// the kernel and the ratio are those that serve least squares best by the exact leave-one-out
// gradient, then the machine's own strength is chosen with the kernel warped so.
func (j *job) byLeastSquares(ctx context.Context) (*auto.Choice, *Tuning, error) {
	learner := j.learner()
	scored := j.leaveOut(new(kernel.Work))
	norm, err := j.norm()
	if err != nil {
		return nil, nil, err
	}
	lap := &score.Laplacian{Base: j.base, Norm: norm, Problem: j.problem, Work: scored.Work, Criterion: scored.Criterion,
		Folds: j.folds, Offset: j.offset, Scale: j.intrinsicScale()}
	space, err := j.placed(lap.Space(), j.recipe.Method)
	if err != nil {
		return nil, nil, err
	}
	driver := search.Driver{Budget: j.budget(), OnEval: j.reporter("gradient", space)}
	found, err := driver.Run(ctx, fixed{lap, space}, j.byGradients("gradient", space, true, false))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", j.in.Set.Source, err)
	}
	m, inner, err := lap.Machine(found.Theta)
	if err != nil {
		return nil, nil, err
	}
	if m.Kernel, err = m.Kernel.With(inner[:len(inner)-1]); err != nil {
		return nil, nil, err
	}
	scored.Kernel = m.Kernel
	task := auto.Task{Score: scored, Learner: learner, Supervised: true, FixedWidth: true, Unscored: j.tune.none}
	if l := j.set.one("gamma_a") * float64(len(j.problem.Labelled)); l > 0 {
		task.Lambda = l
	}
	// Finishing what was found is short and must not be cut off.
	c, err := task.Choose(context.WithoutCancel(ctx))
	if err != nil {
		return nil, nil, err
	}
	c = auto.Alone(c.Members[0].Machine)
	if c.Baseline, err = auto.Baseline(context.WithoutCancel(ctx), j.leaveOut(nil), learner); err != nil {
		return nil, nil, err
	}
	return c, &Tuning{Score: j.tune.name, Value: c.Score, Evaluations: found.Evaluations, Search: "gradient", Status: status(ctx, found.Status)}, nil
}

// untuned trains on equal weights and the published values of literature.
func (j *job) untuned(ctx context.Context) (*auto.Choice, *Tuning, error) {
	norm, err := j.norm()
	if err != nil {
		return nil, nil, err
	}
	t := j.literature(j.task(j.recipe.Method))
	scored := j.leaveOut(nil)
	if scored.Kernel, err = (manifold.Warp{Base: j.base, Norm: norm, Ratio: t.Ratio}).With(
		slices.Concat(j.base.Space().Defaults(), norm.Space().Defaults(), []float64{t.Ratio})); err != nil {
		return nil, nil, err
	}
	own := auto.Task{Score: scored, Learner: t.Learner, Lambda: t.Lambda, Supervised: true, FixedWidth: true, Unscored: true}
	c, err := own.Choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	c = auto.Alone(c.Members[0].Machine)
	if c.Baseline, err = auto.Baseline(ctx, j.leaveOut(nil), t.Learner); err != nil {
		return nil, nil, err
	}
	return c, &Tuning{Score: "none", Value: c.Score, Evaluations: 1, Search: "auto", Status: string(auto.Complete)}, nil
}

// describeNorm names what a norm is made of.
func describeNorm(out map[string]any, norm manifold.Norm, views []View) {
	if f, ok := norm.(manifold.Filtered); ok {
		describeRecipe(out, f.Graph.Recipe)
		delete(out, "degree")
		d := f.Space()[0]
		out[d.Name] = d.Default
		return
	}
	if n, ok := norm.(manifold.Within); ok {
		describeRecipe(out, n.Graph.Recipe)
		out["within"] = "yes"
		return
	}
	if n, ok := norm.(manifold.Joint); ok {
		describeRecipe(out, n.Graph.Recipe)
		var names []string
		for _, v := range views {
			names = append(names, v.Name)
		}
		out["views"] = names
		return
	}
	c, several := norm.(manifold.Combined)
	if !several {
		describeRecipe(out, norm.(manifold.Graph).Recipe)
		return
	}
	var names []string
	for _, g := range c.Terms {
		one := map[string]any{}
		describeRecipe(one, g.Recipe)
		text := fmt.Sprintf("neighbours=%v degree=%v", one["neighbours"], one["degree"])
		for _, k := range []string{"laplacian", "weights", "symmetry", "metric", "width"} {
			if v, ok := one[k]; ok {
				text += fmt.Sprintf(" %s=%v", k, v)
			}
		}
		for _, v := range views {
			if g.Last == v.Last && g.First == v.First-1 {
				text += " view=" + v.Name
			}
		}
		names = append(names, text)
	}
	out["mu"], out["laplacians"] = c.Weights(), names
}

// describeRecipe names what a graph does not have by default.
func describeRecipe(out map[string]any, g graph.Recipe) {
	out["neighbours"], out["degree"] = max(g.Neighbours, 1), max(g.Degree, 1)
	if g.Laplacian != 0 {
		out["laplacian"] = g.Laplacian.String()
	}
	if g.Weights != 0 {
		out["weights"] = g.Weights.String()
	}
	if g.Symmetry != 0 {
		out["symmetry"] = g.Symmetry.String()
	}
	if g.Width != 0 {
		out["width"] = g.Width
	}
	if g.Metric != 0 {
		out["metric"] = g.Metric.String()
	}
}

// checkViews reports views that are no ranges of columns, and settings that only graphs to
// combine may have.
func (r Recipe) checkCombined(complain func(format string, args ...any)) {
	m, known := methodOf(r.Method)
	if v := r.Set["combine"]; v == "yes" && !m.semi {
		complain("--set combine=yes: it is for machines with a graph; choose --method c-lap-rls, lap-svm, lap-logistic or lap-svr")
	}
	if r.continuous() && (!m.semi || r.combined() || len(r.Views) > 0) {
		complain("--set degree or semigroup with a real value: it is for one graph; choose --method lap-rls, lap-svm, lap-logistic or lap-svr without combined Laplacians and views")
	}
	if r.combined() && r.Set["per_class"] == "yes" {
		complain("--set per_class=yes with combined Laplacians: leave one of them out")
	}
	if !r.combined() {
		for _, name := range listed {
			if strings.Contains(r.Set[name], ",") {
				complain("--set %s=%s: takes one value; --method c-lap-rls combines several", name, r.Set[name])
			}
		}
	}
	if len(r.Views) > 0 && known && !m.semi {
		complain("--view with --method %s: views are for machines with a graph; choose --method lap-rls, lap-svm or c-lap-rls", r.Method)
	}
	seen := map[string]bool{}
	for _, v := range r.Views {
		if v.Name == "" || seen[v.Name] {
			complain("--view %s: every view needs a name of its own, as in --view words=1..300", v.Name)
		}
		seen[v.Name] = true
		if v.First < 1 || v.Last < v.First {
			complain("--view %s=%d..%d: give the first column and the last, from 1", v.Name, v.First, v.Last)
		}
	}
}
