package method

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// Machines of several views are the machines without a graph, on rows that each are one view of one
// thing, with the kernel that couples these (package multiview).

// These settings belong to machines of several views only.
var (
	coupling = setting.Setting{
		Name:    "coupling",
		Range:   setting.NotNegative(),
		Many:    true,
		Default: "tuned",
		About: "weight of the mean squared disagreement of the views, over all rows, against their norms: gamma_C = lambda " +
			"coupling; 0: each " +
			"view by itself",
	}
	centre = setting.Setting{
		Name:    "center",
		Words:   []string{"none", "orth", "double"},
		Default: "none",
		About: "orth: functions of mean zero over the rows; double: doubly centred kernels; for classes of about one size, of which all " +
			"unlabelled rows could else become one",
	}
	lossOn = setting.Setting{
		Name:    "loss_on",
		Words:   []string{"views", "sum"},
		Default: "views",
		About: "views: the loss is that of each view's function; sum: that of the sum of all, by the co-regularisation kernel of " +
			"whole rows " +
			"(Sindhwani 2007, section 4.4)",
	}
	viewGraphs = setting.Setting{
		Name:    "graphs",
		Words:   []string{"all", "views"},
		Default: "all",
		About:   "all: the graph of each view and that of all columns are joined; views: those of the views alone",
	}
)

// graphWeights fixes the weights of joint graphs.
var graphWeights = setting.Setting{
	Name:    weightsOf.Name,
	Many:    true,
	Says:    weightsOf.Says,
	Range:   weightsOf.Range,
	Form:    checkMu,
	Default: "equal",
	About: "weights of the graphs in their mean: that of all columns first, unless graphs=views, then in the order of --view; a_L of the " +
		"source is the second of two",
}

// viewSettings are those of a machine of several views.
func (k machine) viewSettings() []setting.Setting {
	list := k.lossOf()
	if k.family == Joint {
		list = append(list, task.GammaA, task.GammaI, task.Scaled, viewGraphs, graphWeights, combine)
		list = append(list, task.Whole(task.GraphSettings())...)
	} else {
		list = append(list, centre)
	}
	list = append(list, coupling, lossOn, task.LossWeights, balanced, task.Views, task.Points, k.tolerance())
	list = append(list, task.Outer, task.Offset, task.Kernel)
	if k.closed() {
		list = append(list, task.Rho, task.Eta)
	}
	if k.family != Joint {
		list = append(list, k.strength())
	}
	return append(list, task.Weight, task.Tune, task.Search, task.Budget)
}

// strength is the parameter that weighs the norm of the kernel in a machine.
func (k machine) strength() setting.Setting {
	switch {
	case k.family.warped():
		return task.GammaA
	case k.closed():
		return task.Lambda
	}
	return task.C
}

// apartViews refuses columns that are in two views.
func apartViews(r task.Request) string {
	for q, v := range r.Recipe.Views {
		for _, w := range r.Recipe.Views[:q] {
			if v.First <= w.Last && w.First <= v.Last {
				return fmt.Sprintf("--view %s and --view %s: column %d is in both; give each view columns of its own",
					w.Name, v.Name, max(v.First, w.First))
			}
		}
	}
	return ""
}

// viewLosses refuses weights of losses where there is one.
func viewLosses(r task.Request) string {
	return when(r.Values.Given(task.LossWeights) && r.Values.Is(lossOn, "sum"),
		"--set loss_weights with --set loss_on=sum: there is one loss; leave one of them out")
}

// viewStrengths refuses the weight of the graphs without that of the norm: their ratio is what a
// machine has.
func (k machine) viewStrengths(r task.Request) string {
	return when(
		r.Values.Given(task.GammaI) && !r.Values.Given(task.GammaA),
		"--set gamma_i=%s alone: give gamma_a too, since the machine has their ratio",
		r.Values.Text(task.GammaI),
	)
}

// weighedByDerivatives refuses weights of graphs that nothing would move.
func (k machine) weighedByDerivatives(r task.Request) string {
	if !r.Values.Is(combine, "yes") {
		return ""
	}
	if word := r.Search(); r.Scoring.None || word != "auto" && !task.Differentiates(word) {
		return "--set combine=yes: derivatives of a score find the weights of the graphs; " +
			"leave out --tune none and --search, or take --search gradient"
	}
	if !k.closed() && !k.smooth(r.Values) {
		return "--set combine=yes with the hinge, which has no derivative: add --set loss=squared-hinge, or choose --method co-lap-rls"
	}
	return ""
}

// mixed refuses weights of graphs that are learned, and too many or too few.
func mixed(r task.Request) string {
	mu := r.Values.Numbers(graphWeights)
	if mu == nil {
		return ""
	}
	if r.Values.Is(combine, "yes") {
		return "--set mu with combine=yes, which learns these weights: leave one of them out"
	}
	graphs := len(r.Recipe.Views)
	if !r.Values.Is(viewGraphs, "views") {
		graphs++
	}
	return when(
		len(mu) != graphs,
		"--set mu=%s has %d weights, there are %d graphs, that of all columns first unless graphs=views; give one each",
		r.Values.Text(graphWeights), len(mu), graphs,
	)
}

// joined refuses graphs that are not joined: of edges by length.
func joined(r task.Request) string {
	return when(byLength(r.Values) || r.Values.Given(task.Epsilon),
		"--set graph or epsilon_graph: the graphs of views are of neighbours; leave it out")
}

// What --tune none takes: of joint graphs the weights of machine.literature; else gamma = 0.01 and
// gamma_C = 10, with which co-regularised least squares solve two moons and two lines (the recipe of
// figure 4.2).
const (
	usualGammaA   = 1e-6
	usualRatio    = 0.01 / usualGammaA
	usualGamma    = 0.01
	usualCoupling = 10 / usualGamma
)

// viewed is a task of several views: on the rows of all views, or on whole rows where the loss is that of
// the sum.
type viewed struct {
	on   *task.Task
	base multiview.Coupled
	sum  bool
}

// kernel is that of the task's rows.
func (v viewed) kernel(c multiview.Coupled) kernel.Kernel {
	if v.sum {
		return multiview.Sum{Coupled: c, Views: v.on.ViewLists()}
	}
	return c
}

// stacked trains on the rows of all views and returns the machines as those of the things.
func (k machine) stacked(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	v := k.viewed(t)
	s, err := k.producedOnViews(ctx, v)
	t.Warnings = v.on.Warnings
	if err != nil {
		return nil, err
	}
	return toThings(t, s), nil
}

// viewed completes the kernel of the task by the settings.
func (k machine) viewed(t *task.Task) viewed {
	v := viewed{sum: t.Values.Is(lossOn, "sum"), base: t.Base.(multiview.Coupled)}
	if v.sum {
		whole := *t
		v.on = &whole
	} else {
		v.on = t.OnViews()
	}
	v.base.Coupling = usualCoupling
	if k.family != Coupled {
		v.base.Coupling = 0
	}
	if list := t.Values.Numbers(coupling); len(list) > 0 {
		v.base.Coupling = list[0]
	}
	if word := t.Values.Word(centre); word == "orth" || word == "double" {
		v.base.Kernels = slices.Clone(v.base.Kernels)
		for q, one := range v.base.Kernels {
			v.base.Kernels[q] = multiview.Centred{Base: one, Double: word == "double"}
		}
	}
	if s := k.strengths(v.on); k.family == Joint && !s.noGraph {
		v.base.Norm = jointNorm(t, publishedGraph(t.Graph(), k.graphRows(t)))
		v.base.Ratio = cmp.Or(s.ratio, usualRatio)
	}
	v.on.Base = v.kernel(v.base)
	return v
}

// producedOnViews makes the candidates of stacked rows: one machine, a design, or what a search finds.
func (k machine) producedOnViews(ctx context.Context, v viewed) (*choose.Candidates, error) {
	on := v.on
	word := on.Search()
	if word == "auto" && on.Values.Is(combine, "yes") {
		word = "gradient"
	}
	if word != "auto" && !on.Scoring.None {
		s, err := k.searched(ctx, on, word, nil)
		if err != nil || !k.unlabelledTeach(v) {
			return s, err
		}
		for _, m := range s.Members {
			m.Transductive = true // or the rule would take the baseline in its place
		}
		s.Baseline, err = k.viewBaseline(ctx, v)
		return s, err
	}
	d, b := k.bench(on, nil)
	if on.Scoring.None && k.strengths(on).lambda == 0 {
		b.Lambda = on.Terms().Ridge(usualGamma)
		if k.family == Joint {
			b.Lambda = on.Terms().Ridge(usualGammaA)
		}
	}
	plan := k.viewPlan(ctx, v, d)
	s, err := trainPlan(ctx, on, b, plan)
	if err != nil {
		return nil, err
	}
	s.Safe = len(on.Values.Numbers(coupling)) > 0 && k.family != Joint && on.Values.Number(coupling) == 0
	return s, nil
}

// unlabelledTeach says whether rows without a label take part.
func (k machine) unlabelledTeach(v viewed) bool {
	return v.base.Coupling > 0 || v.base.Norm != nil || k.family == CoTrained && roundsOf(v.on.Values) > 0
}

// viewBaseline trains each view by itself, at the best of some strengths and widths.
func (k machine) viewBaseline(ctx context.Context, v viewed) (*choose.Candidate, error) {
	b := *v.on
	if k.family == CoTrained {
		k.own = k.apart
	}
	d, bench := k.bench(&b, nil)
	bench.Lambda, bench.Trained, bench.Progress = 0, nil, nil
	return beside(ctx, func(ctx context.Context) (*choose.Candidates, error) {
		return trainPlan(ctx, &b, bench, v.alone(k.id, widthsFor(d)))
	})
}

// alone are the candidates of views that are not coupled.
func (v viewed) alone(id string, widths []float64) []*choose.Candidate {
	apart := v.base
	apart.Coupling, apart.Norm, apart.Ratio = 0, nil, 0
	return v.variants(id, apart, widths)
}

// viewWidths are the factors of the widths of a design's kernels.
var viewWidths = []float64{0.125, 0.25, 0.5, 1, 2}

// widthsFor are those that are tried: none but the kernel's own where the recipe fixes them.
func widthsFor(d design.Design) []float64 {
	if d.FixedWidth {
		return []float64{1}
	}
	return viewWidths
}

// variants are candidates on a kernel with its widths multiplied by each of the factors. The unlabelled rows have a part in them
// where views are coupled or have a graph.
func (v viewed) variants(id string, base multiview.Coupled, factors []float64) []*choose.Candidate {
	if !design.HasWidth(base) {
		factors = []float64{1}
	}
	var plan []*choose.Candidate
	for _, by := range factors {
		own, err := design.Widened(base, by)
		if err != nil {
			continue // a width beyond what numbers hold
		}
		plan = append(plan, &choose.Candidate{
			Method: id, Width: by, Linear: !design.HasWidth(base), Own: v.kernel(own.(multiview.Coupled)),
			Transductive: base.Coupling > 0 || base.Norm != nil,
		})
	}
	return plan
}

// couplings are the values that a design tries: between them the views go from hardly knowing of each
// other to agreeing wherever they can.
var couplings = []float64{1, 10, 100, 1000, 1e4}

// viewDesign proposes to the automatic choice, where there are several views, machines on the kernel of
// their coupled sum, and machines of each view alone.
func viewDesign(t *task.Task, d design.Design) []*choose.Candidate {
	if len(t.Recipe.Views) < 2 {
		return nil
	}
	on, err := t.WithViews(context.Background())
	if err != nil {
		return nil // a view that says nothing; whole rows may
	}
	v := viewed{on: on, base: on.Base.(multiview.Coupled), sum: true}
	plan := v.coupled("co-rls", autoCouplings, widthsFor(d))
	for _, c := range plan {
		c.Prior = viewPrior
	}
	lists := t.ViewLists()
	for q, k := range v.base.Kernels {
		for _, by := range viewWidths {
			own, err := design.Widened(kernel.Columns{Base: k, Columns: lists[q]}, by)
			if err != nil || by != 1 && (d.FixedWidth || !design.HasWidth(k)) {
				continue
			}
			plan = append(plan, &choose.Candidate{Method: "rls", Width: by, Linear: !design.HasWidth(k), Own: own, Prior: viewPrior})
		}
	}
	return plan
}

// autoCouplings are what auto tries of coupled views.
var autoCouplings = []float64{100, 1e4}

// viewPrior is the logarithm of how likely auto holds coupled views, and views alone, against whole rows with the joint graph:
// they are many, and few labels tell the lucky from the good. On two moons and two lines with two labels a class (of
// tools/lab views --design) 0 and -3 have 1.4 and 1.3 % errors, -8 has 0.2; beside a view of noise -3 and -8 have the same errors.
const viewPrior = -8

// viewPlan lists the candidates: views coupled, or with joint graphs, and each by itself.
func (k machine) viewPlan(ctx context.Context, v viewed, d design.Design) []*choose.Candidate {
	widths := widthsFor(d)
	switch {
	case v.on.Scoring.None:
		return v.variants(k.id, v.base, []float64{1})
	case k.family == CoTrained: // in no rounds
		return v.alone(k.id, widths)
	case k.family == Joint && v.base.Norm == nil && v.base.Coupling == 0:
		return v.alone(k.id, widths)
	case k.family == Joint && v.base.Norm != nil:
		return append(v.joint(k.id, d, v.linearKernels(ctx)), v.alone(k.id, widths)...)
	}
	values := couplings
	if given := v.on.Values.Numbers(coupling); len(given) > 0 {
		values = given
	}
	return append(v.coupled(k.id, values, widths), v.alone(k.id, widths)...)
}

// coupled lists machines with couplings of these values.
func (v viewed) coupled(id string, values, widths []float64) []*choose.Candidate {
	var plan []*choose.Candidate
	for _, c := range values {
		own := v.base
		if own.Coupling = c; c > 0 {
			plan = append(plan, v.variants(id, own, widths)...)
		}
	}
	return plan
}

// joint lists machines with a joint graph: the graphs, ratios and widths of the design of one view.
func (v viewed) joint(id string, d design.Design, linear []kernel.Kernel) []*choose.Candidate {
	var plan []*choose.Candidate
	d.Linear = linear != nil // its graphs of many neighbours
	for _, c := range d.Graphs(id) {
		own := v.base
		own.Norm, own.Ratio = jointNorm(v.on, c.Graph), c.Ratio
		if c.Linear && design.HasWidth(v.base) {
			own.Kernels = linear
		}
		width := c.Width
		if d.FixedWidth || c.Linear {
			width = 1
		}
		plan = append(plan, v.variants(id, own, []float64{width})...)
	}
	return plan
}

// linearKernels are those of a linear function of each view; nil where they cannot be made.
func (v viewed) linearKernels(ctx context.Context) []kernel.Kernel {
	c := v.base
	c.Kernels = slices.Repeat([]kernel.Kernel{kernel.Linear{}}, len(c.Kernels))
	things := *v.on
	if things.Things != nil {
		things.Problem = things.Things
	}
	counted, err := things.Counted(ctx, c)
	if err != nil {
		return nil
	}
	return counted.Kernels
}

// jointNorm is over the graphs of all views by the recipe.
func jointNorm(on *task.Task, r graph.Recipe) manifold.Norm {
	wide := on.Stacked.Rows.Dim() - len(on.Recipe.Views)
	j := manifold.Joint{Graph: manifold.Graph{Recipe: r}, Apart: on.Values.Is(viewGraphs, "views")}
	for v := range on.Recipe.Views {
		j.Views = append(j.Views, [2]int{v * wide, (v + 1) * wide})
	}
	switch mu := on.Values.Numbers(graphWeights); {
	case on.Values.Is(combine, "yes"):
		return j.Weighted()
	case mu != nil:
		return multiview.Mixed{Graphs: j.Weighted().Terms, Weights: mu}
	}
	return j
}

// toThings turns machines on the rows of views into machines of the things that they describe, whose
// output is the mean over the views.
func toThings(t *task.Task, s *choose.Candidates) *choose.Candidates {
	out := *s
	out.Problem, out.Criterion = t.Problem, t.LeaveOut(nil).Criterion
	out.Judged = score.Judged(t.Folds)
	turned := map[*choose.Candidate]*choose.Candidate{}
	turn := func(c *choose.Candidate) *choose.Candidate {
		if c == nil || turned[c] != nil {
			return turned[c]
		}
		one := *c
		if c.Machine != nil {
			one.Machine = ofThings(t, c.Machine)
		}
		turned[c] = &one
		return &one
	}
	out.Members = nil
	for _, c := range s.Members {
		out.Members = append(out.Members, turn(c))
	}
	out.Baseline = turn(s.Baseline)
	return &out
}

// ofThings is the machine with outputs of things, and its expansions over the columns of the views,
// whose sum is the output of a row that has all views.
func ofThings(t *task.Task, m *choose.Machine) *choose.Machine {
	one := *m
	lists := t.ViewLists()
	if _, sum := m.Kernel.(multiview.Sum); sum {
		one.Views = nil
		for _, e := range m.Expansions {
			columns := e.Kernel.(kernel.Columns).Columns
			one.Views = append(one.Views, slices.IndexFunc(lists, func(list []int) bool { return list[0] == columns[0] }))
		}
		return &one
	}
	one.LeftOut = viewMean(m.LeftOut, t.Stacked.Groups(t.Problem))
	one.Outputs = viewMean(m.Outputs, t.Stacked.Copies)
	one.Expansions, one.Views = nil, nil
	for _, e := range m.Expansions {
		v, own := multiview.Split(e, func(v int) int { return len(lists[v]) })
		own.Coef = mat.DenseCopyOf(own.Coef)
		own.Coef.Scale(1/float64(len(lists)), own.Coef)
		one.Views = append(one.Views, v)
		one.Expansions = append(one.Expansions, multiview.Spread(own, lists[v], t.Problem.Rows.Dim()))
	}
	return &one
}

// viewMean is multiview.Mean; nil of nil.
func viewMean(o *mat.Dense, groups [][]int) *mat.Dense {
	if o == nil {
		return nil
	}
	_, c := o.Dims()
	out := mat.NewDense(len(groups), c, nil)
	multiview.Mean(out, o, groups)
	return out
}

// viewParams names the parameters of a chosen machine.
func (k machine) viewParams(t *task.Task, c *choose.Candidate) map[string]any {
	out := map[string]any{}
	base, ok := c.Kernel.(multiview.Coupled)
	if !ok {
		base = c.Kernel.(multiview.Sum).Coupled
		out[lossOn.Name] = "sum"
	}
	k.describeLearner(out, t, c)
	terms := t.Terms()
	weight := terms.Weight(c.Lambda)
	switch {
	case k.family == Joint:
		delete(out, task.C.Name)
		out[task.GammaA.Name], out[task.GammaI.Name] = weight, 0.0
		if base.Norm != nil {
			out[task.GammaI.Name] = terms.Intrinsic(base.Ratio, weight)
			describeNorm(out, base.Norm, nil)
			delete(out, "views")
		}
	case k.closed():
		out[task.Lambda.Name] = weight
	}
	switch {
	case k.family == CoTrained:
		out[rounds.Name] = roundsOf(t.Values)
		out[added.Name], _ = counted(t)
	case k.family != Joint || base.Coupling > 0:
		out[coupling.Name] = base.Coupling
	}
	for v, one := range base.Kernels {
		for _, d := range one.Space() {
			out[base.Names[v]+"."+d.Name] = d.Default
		}
	}
	return out
}

// stackedForm is the form of machines of several views: a table of each view, and one of what couples them.
func (k machine) stackedForm() Form {
	return Form{Name: "stacked", Produce: k.stacked, Bytes: k.stackedBytes, Work: k.stackedWork}
}

// stackedBytes are those of the kernel tables of all views, of S (package multiview) and of the labelled
// block and its eigenvectors.
func (k machine) stackedBytes(s task.Size, r task.Request) float64 {
	n, l, v := float64(s.Rows), float64(s.Labelled), float64(max(len(r.Recipe.Views), 2))
	tables := v*n*n + (v-1)*(v-1)*n*n
	if k.family == Joint {
		tables = 5.3 * v * n * n // five tables; some of the last candidate's is garbage, as measured
	}
	return 8 * (tables + 3*v*l*v*n + 6*v*v*l*l + common(s, r, searchedMachines))
}

// stackedWork is what the machines of a design, or of a search, do.
func (k machine) stackedWork(s task.Size, r task.Request) Work {
	z, v := sizeOf(s), float64(max(len(r.Recipe.Views), 2))
	views := cost.Gram(z.n, z.n, z.d/v).Times(v)
	if k.family == Joint { // the whole table of each view is warped by its graph
		views = views.Plus(z.warpWork(10, 2).Times(v), cost.Product(z.n, z.n, z.n).Times(2*v))
	}
	// The columns of labelled rows, and a triangle for the diagonal, by which the ridge is scaled.
	coupled := (v - 1) * z.n
	each := views.Plus(cost.Cholesky(coupled), cost.Product(coupled, coupled, v*z.l).Times(2), cost.Product(coupled, coupled, coupled/2))
	on := z
	on.l, on.n = v*z.l, v*z.n
	machines := float64(len(couplings)) * 5
	switch {
	case r.Scoring.None:
		machines = 1
	case searchedFor(r):
		machines = evaluations(r)
	}
	path := on.pathWork(r)
	if !k.closed() {
		path = Work{Products: on.l * on.l * on.l, Passes: 16 * on.l * on.l}.Times(7 * max(1, float64(r.Scoring.Folds)))
	}
	return z.rowWork().Plus(each.Plus(path).Times(machines))
}
