package method

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/learner/sparsemanifold"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

const sparseLapRLSID = "sparse-lap-rls"

// The words of repair and choose.
const (
	repairSlack, repairNone, repairSigmoid = "slack", "none", "sigmoid"
	repairGreedySlack, repairDecoupled     = "greedy-slack", "decoupled"
	choosePlusPlus, chooseGreedy           = "plus-plus", "greedy"
)

var (
	repair = setting.Setting{
		Name:    "repair",
		Words:   []string{repairSlack, repairNone, repairSigmoid, repairGreedySlack, repairDecoupled},
		Default: repairSlack,
		About: "what is done for few functions, which cannot be smooth along the graph and meet the labels: a free function near " +
			"them follows " +
			"the graph (slack), and judges the centres too (greedy-slack); outputs are squashed before they are compared along edges " +
			"(sigmoid); labels spread first, a regression follows (decoupled)",
	}
	slackNu = setting.Setting{Name: "nu", Range: setting.Positive(), Default: "tuned",
		About: "how near the function stays to the free one, in units of gamma_a, of slack, greedy-slack and decoupled"}
	sharpness = setting.Setting{Name: "sharpness", Range: setting.Positive(), Default: fmt.Sprint(sparsemanifold.DefaultRho),
		About: "rho of repair=sigmoid: outputs are compared as tanh(rho o/2)"}
)

// sparseLapRLS is the Laplacian machine of few basis functions.
func sparseLapRLS() Method {
	k := machine{id: sparseLapRLSID, family: Centred, losses: []string{"square", "squared-hinge", "logistic"}, baseline: "rls"}
	s := sparseMachine{k}
	m := k.declare(Method{
		Kernel: "gaussian",
		Title:  "sparse Laplacian regularised least squares: few basis functions from all rows",
		Formula: lines("minimise 1/l sum_i V(y_i, f(x_i)) + gamma_a (||o||^2 + nu/(l+u) sum_i (f_i - o_i)^2) + gamma_i/(l+u)^2 f'Rf,",
			"o(x) = sum of beta_j k(x, x_j) over few centres j; repair=none: f = o; sigmoid: 1/2 tanh(rho o/2) in the place of f in f'Rf"),
		About: "lap-rls that a small model can hold: as many kernel values a prediction as there are centres, trained on the " +
			"graph of all " +
			"rows; " +
			"new rows are decided by o",
		Cost: "graph n^2 d; a system of the graph for each centre and label, n m^2 for m centres, each graph and width; 3 n m " +
			"numbers, and n^2 " +
			"up to 2000 rows",
		Source:  cite.Sindhwani + ", 5.1 and 5.3, eqs. 5.1-5.9; the forms without labels and their leave-out are ours",
		SciKit:  "none",
		Example: "mercer fit two-moons:labelled=1 --method sparse-lap-rls --basis 15",
		Settings: slices.Concat(centreSettings(),
			[]setting.Setting{repair, slackNu, sharpness}, k.lossOf(), []setting.Setting{task.GammaA, task.GammaI, task.Scaled},
			task.Whole(task.NeighbourSettings()), []setting.Setting{balanced, task.Outer, task.Offset, task.Kernel, task.Tune,
				task.Budget}),
		Params: s.params,
		Rules:  []rule{k.gridded, k.outerJudged, k.oneGraph, k.lengths, s.repaired, s.centred, widths},
	})
	m.Certificate = Certificate{Objective: valueOfFormula, Unit: k.unit, Residual: "the largest of what the systems of the graph lack, " +
		"relative to their right-hand side, and of " + leftOfSystem + ", of the square loss, or " + largestSlope + ", of others"}
	m.Forms = []Form{{Name: "centres", Bytes: s.bytes, Work: s.work, Produce: s.produce}}
	return m
}

// centreSettings are those of --basis, for a method that always has few centres.
func centreSettings() []setting.Setting {
	size, how, candidates := task.Basis, task.Choose, task.Candidates
	size.Says, size.Default, size.About = "a number from 1", "a tenth of the rows, at most 500", "centres"
	how.Words = append([]string{choosePlusPlus}, how.Words...)
	how.Default = "plus-plus; greedy with repair=greedy-slack"
	how.About = "how rows become centres: far apart (plus-plus), drawn, drawn by leverage; the others look at labels, and choose anew " +
		"for every fold"
	candidates.About = "rows that each step of a greedy choice looks at, drawn anew; 0: all"
	return []setting.Setting{size, how, candidates}
}

// sparseMachine is the machine of few basis functions.
type sparseMachine struct{ machine }

// word is that of a setting, or its default.
func word(v setting.Values, s setting.Setting, other string) string {
	if w := v.Word(s); w != "" {
		return w
	}
	return other
}

// repaired refuses settings that the repair has no use for.
func (k sparseMachine) repaired(r task.Request) string {
	v := r.Values
	how := word(v, repair, repairSlack)
	switch {
	case v.Given(slackNu) && (how == repairNone || how == repairSigmoid):
		return fmt.Sprintf("--set nu with --set repair=%s: it ties a free function; choose repair=slack, or leave it out", how)
	case v.Given(sharpness) && how != repairSigmoid:
		return fmt.Sprintf("--set sharpness with repair=%s: it is of repair=sigmoid; choose that, or leave it out", how)
	case how == repairDecoupled && k.loss(v) != "square":
		return fmt.Sprintf("--set repair=decoupled with --set loss=%s: labels spread by least squares; leave the loss out", k.loss(v))
	case (how == repairDecoupled || how == repairSigmoid) && v.Word(task.Offset) == "yes":
		return fmt.Sprintf("--offset yes with --set repair=%s: it has none; leave one of them out", how)
	case how == repairDecoupled && v.Given(task.GammaI) && v.Number(task.GammaI) == 0:
		return "--set repair=decoupled with --set gamma_i=0: no label spreads; give it a positive weight, or choose --method rls"
	}
	chosen := v.Word(task.Choose)
	switch {
	case r.Recipe.Basis == task.AutoBasis:
		return "--basis auto: this method has the size that it is given; give a number, or choose --method lap-rls"
	case how == repairGreedySlack && chosen != "" && chosen != chooseGreedy && chosen != "greedy-ridge":
		return fmt.Sprintf("--set repair=greedy-slack with --set choose=%s: it is a greedy choice; choose repair=slack, or leave one "+
			"of them out",
			chosen)
	case v.Given(task.Candidates) && !strings.HasPrefix(chosen, chooseGreedy) && (chosen != "" || how != repairGreedySlack):
		return fmt.Sprintf("--set candidates with choose=%s: candidates are of a greedy choice; leave it out",
			word(v, task.Choose, choosePlusPlus))
	}
	return ""
}

// centred refuses kernels without centres.
func (k sparseMachine) centred(r task.Request) string {
	return when(r.Recipe.Kernel == "linear", "--kernel linear: its functions are weights of the features and need no centres; "+
		"choose --method linear-lap-rls, or another kernel")
}

// size is the number of centres of n rows.
func (k sparseMachine) size(r task.Request, n int) int {
	if r.Centres() > 0 {
		return r.Centres()
	}
	return min(max(n/10, 2), 500)
}

// choice is the word of how centres are chosen.
func (k sparseMachine) choice(r task.Request) string {
	if r.Values.Is(repair, repairGreedySlack) {
		return word(r.Values, task.Choose, chooseGreedy)
	}
	return word(r.Values, task.Choose, choosePlusPlus)
}

// labelled says whether labels choose the centres.
func (k sparseMachine) labelled(r task.Request) bool {
	return !slices.Contains([]string{choosePlusPlus, "random", "leverage"}, k.choice(r))
}

// centres are those that no label chooses.
func (k sparseMachine) centres(ctx context.Context, t *task.Task, g kernel.Gram, size int) ([]int, error) {
	if word(t.Values, task.Choose, choosePlusPlus) == choosePlusPlus {
		return kernel.Landmarks{Count: size, Choice: kernel.PlusPlus, Seed: t.Recipe.Drawn()}.Choose(ctx, g, nil)
	}
	path, err := chooser(t.Request).Choose(ctx, basis.Laplacian(g, t.Problem.Labelled, t.Problem.Y, nil, nil, 1, 0), size)
	return path.Centres, err
}

// sparseGrid are the graphs, widths, ratios of the norms and couplings (of the sums, in units of a kernel whose mean diagonal is
// one) that are tried: a coarse net around the values of the source's reproduction on two moons, 10^4 and 0.1.
func sparseGrid() (graphs []graph.Recipe, widths, ratios, nus []float64) {
	graphs = []graph.Recipe{{Neighbours: 8, Degree: 1}, {Neighbours: 8, Degree: 2}}
	return graphs, []float64{0.5, 1}, []float64{1e2, 1e4, 1e6}, []float64{0.1, 10}
}

// free are the values of a grid that the request leaves to be tried.
func (k sparseMachine) free(t *task.Task, s *strengths) (graphs []graph.Recipe, widths, ratios, nus []float64) {
	graphs, widths, ratios, nus = sparseGrid()
	if t.Scoring.None {
		var g graph.Recipe
		*s, g = k.literature(t, *s, t.Graph())
		graphs, widths, ratios, nus = []graph.Recipe{g}, []float64{1}, []float64{s.ratio}, nus[1:]
	}
	if len(t.Request.Kernel) > 0 || !design.HasWidth(t.Base) {
		widths = []float64{1}
	}
	switch {
	case s.noGraph:
		ratios = []float64{0}
	case s.ratio > 0:
		ratios = []float64{s.ratio}
	}
	switch how := word(t.Values, repair, repairSlack); {
	case how == repairNone || how == repairSigmoid:
		nus = []float64{0}
	case t.Values.Given(slackNu):
		nus = []float64{t.Values.Number(slackNu) / float64(t.Problem.Rows.Len())}
	}
	return completed(t.Graph(), graphs, t.Problem.Rows.Len()-1), widths, ratios, nus
}

// allowed refuses what the rows or their labels have no use for.
func (k sparseMachine) allowed(t *task.Task) error {
	n, how := t.Problem.Rows.Len(), word(t.Values, repair, repairSlack)
	if size := k.size(t.Request, n); size > n {
		return task.Usage("%s: --basis %d of %d rows; ask for at most as many as there are rows", t.Input.Set.Source, size, n)
	}
	if t.Labels.Task == data.Regression && (how == repairSigmoid || k.loss(t.Values) != "square") {
		return task.Usage("%s: the labels are numbers; repair=sigmoid and losses other than the square are for classes", t.Input.Set.Source)
	}
	return nil
}

// produce trains the machines of the grid.
func (k sparseMachine) produce(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if err := k.allowed(t); err != nil {
		return nil, err
	}
	s := k.strengths(t)
	graphs, widths, ratios, nus := k.free(t, &s)
	b := benchOf(t)
	b.Lambda = s.lambda
	work := new(kernel.Work)
	var plan []*choose.Candidate
	for _, width := range widths {
		base, err := design.Widened(t.Base, width)
		if err != nil {
			return nil, err
		}
		own, err := k.placed(ctx, t, base)
		if err != nil {
			return nil, err
		}
		for _, recipe := range graphs {
			norm := manifold.Graph{Recipe: recipe, Longest: longestOf(graphs)}
			g, err := norm.Build(ctx, t.Problem.Rows, work)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Input.Set.Source, err)
			}
			own.Norm = &graph.Power{L: g.Laplacian(), P: max(recipe.Degree, 1)}
			for _, ratio := range ratios {
				for _, nu := range nus {
					one := own
					one.Ratio, one.Nu = ratio, nu
					trial := &choose.Trial{Learner: one, Folds: t.Folds}
					if s.lambdaOf != nil {
						trial.Strengths = []float64{score.Strength(s.lambdaOf(ratio))}
					}
					plan = append(plan, &choose.Candidate{Method: k.id, Own: base, Width: width, Graph: recipe, Ratio: ratio, Trial: trial})
				}
			}
		}
	}
	candidates, err := trainPlan(ctx, t, b, plan)
	if err != nil {
		return nil, err
	}
	k.unreached(t, candidates)
	candidates.Baseline, err = baseline(ctx, t, nil)
	return candidates, err
}

// placed is the learner on a kernel, without its graph.
func (k sparseMachine) placed(ctx context.Context, t *task.Task, base kernel.Kernel) (sparsemanifold.Learner, error) {
	how := word(t.Values, repair, repairSlack)
	l := sparsemanifold.Learner{
		Size: k.size(t.Request, t.Problem.Rows.Len()), Slackened: how == repairGreedySlack,
		Rho: t.Values.Number(sharpness), Offset: t.Offset, Loss: k.lossSet(t.Values),
	}
	switch how {
	case repairSlack, repairGreedySlack:
		l.Repair = sparsemanifold.BySlack
	case repairSigmoid:
		l.Repair, l.Offset = sparsemanifold.BySigmoid, false
	case repairDecoupled:
		l.Repair, l.Offset = sparsemanifold.ByDecoupling, false
	}
	if k.labelled(t.Request) {
		l.Chooser = chooser(t.Request)
		return l, nil
	}
	g, err := base.Bind(ctx, t.Problem.Rows, nil)
	if err != nil {
		return l, err
	}
	l.Centres, err = k.centres(ctx, t, g, l.Size)
	return l, err
}

// unreached warns of rows that no label reaches, where labels spread first: the best machine knows nothing of them.
func (k sparseMachine) unreached(t *task.Task, s *choose.Candidates) {
	if t.Values.Word(repair) != repairDecoupled {
		return
	}
	best := slices.MinFunc(s.Members, func(a, b *choose.Candidate) int {
		switch {
		case a.Score < b.Score:
			return -1
		case a.Score > b.Score:
			return 1
		}
		return 0
	})
	l := best.Trial.Learner.(sparsemanifold.Learner)
	if away := t.Problem.Rows.Len() - len(sparsemanifold.Reached(l.Norm, t.Problem.Labelled)); away > 0 {
		t.Warn("no label reaches %d of the rows along the graph, and they have no part in the regression; label a row in each "+
			"piece, ask for "+
			"more neighbours, or choose repair=slack", away)
	}
}

// params are those of the machine with its repair.
func (k sparseMachine) params(t *task.Task, c *choose.Candidate) map[string]any {
	l := c.Trial.Learner.(sparsemanifold.Learner)
	warped := *c.Machine
	warped.Kernel = manifold.Warp{Base: c.Own, Norm: manifold.Graph{Recipe: c.Graph}, Ratio: l.Ratio}
	one := *c
	one.Machine = &warped
	out := machine{id: k.id, family: Warped}.params(t, &one)
	if w := k.loss(t.Values); w != "square" {
		out[lossSetting] = w
	}
	out[repair.Name] = word(t.Values, repair, repairSlack)
	out[task.Choose.Name] = k.choice(t.Request)
	out[task.Basis.Name] = 0
	if len(c.Expansions) > 0 {
		out[task.Basis.Name] = c.Expansions[0].Centres.Len()
	}
	if l.Nu > 0 {
		out[slackNu.Name] = l.Nu * float64(t.Problem.Rows.Len())
	}
	if l.Repair == sparsemanifold.BySigmoid {
		out[sharpness.Name] = l.Rho
		if l.Rho == 0 {
			out[sharpness.Name] = float64(sparsemanifold.DefaultRho)
		}
	}
	return out
}

// bytes are those of features and what follows them, of the systems of the graph, and of the machines.
func (k sparseMachine) bytes(s task.Size, r task.Request) float64 {
	n, l, m := float64(s.Rows), float64(s.Labelled), float64(k.size(r, s.Rows))
	factor := 0.0
	if s.Rows <= propagate.DirectPowers {
		factor = 2 * n * n
	}
	return 8 * (4*n*m + 4*l*l + 4*m*m + factor + 7*64*n + common(s, r, designMachines))
}

// work is a grid of graphs, widths, ratios and couplings, with the labels left out in closed form, or by training again where
// labels choose the centres.
func (k sparseMachine) work(s task.Size, r task.Request) Work {
	z, m := sizeOf(s), float64(k.size(r, s.Rows))
	trainings := 1.0
	if !r.Scoring.None {
		graphs, widths, ratios, nus := sparseGrid()
		trainings = float64(len(graphs) * len(widths) * len(ratios) * len(nus))
		if how := r.Values.Word(repair); k.labelled(r) || how == repairSigmoid || how == repairDecoupled {
			trainings *= 7 * max(float64(r.Scoring.Folds), 1) // decades of C
		}
	}
	const steps, edges = 100, 12
	each := cost.Product(z.n, m, m).Times(2).Plus(Work{Passes: 8 * 5 * steps * edges / 10 * z.n * (m + z.l)})
	if s.Rows <= propagate.DirectPowers {
		each = cost.Product(z.n, m, m).Times(2).Plus(cost.Product(z.n, z.n, z.n/6), cost.Product(z.n, z.n, m+z.l))
	}
	return z.rowWork().Plus(z.graphWork(), cost.Gram(z.n, m, z.d), each.Times(trainings))
}
