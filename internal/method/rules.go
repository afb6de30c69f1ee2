package method

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// rule is a combination without meaning: the complaint with its remedy, or "".
type rule = func(task.Request) string

// when is the complaint, if there is cause for it.
func when(cause bool, format string, args ...any) string {
	if !cause {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// rules are those of the machine.
func (k machine) rules() []rule {
	list := []rule{k.gridded, smoothScore, k.selects, k.eachClassSearched, k.judged, k.outerJudged}
	if k.family.views() {
		list = append(list, views, apartViews, viewLosses, k.viewStrengths, viewGrid)
	}
	if k.family == Joint {
		list = append(list, widths, joined, mixed, k.weighedByDerivatives, k.fixedWeights)
	}
	if k.onBasis() {
		list = append(list, basisRules()...)
	}
	if k.family == Warped {
		list = append(list, k.wholeBasis)
	}
	if k.losses != nil {
		list = append(list, k.ownLoss, k.solvers, k.bounds)
	}
	if k.family.warped() {
		list = append(list, k.oneGraph, k.realOnce, k.withinAlone, k.conjugateAlone, k.lengths, k.weighted, widths, views, k.fixedWeights)
	}
	return list
}

// gridded refuses several values, and the points of a grid, without a search over a grid.
func (k machine) gridded(r task.Request) string {
	if r.Search() == "grid" {
		return when(
			r.Scoring.Inductive && r.Values.Given(task.Degree) && task.RealDegree(r.Values),
			"--set degree=%s with --search grid: leave one of them out",
			r.Values.Text(task.Degree),
		)
	}
	if r.Values.Given(task.Points) {
		return fmt.Sprintf("--set points: it is of a grid; add --search grid (it is %s)", r.Search())
	}
	for _, s := range []setting.Setting{task.Lambda, task.C, task.GammaA, task.GammaI} {
		if len(r.Values.Numbers(s)) > 1 {
			return fmt.Sprintf("--set %s=%s: takes one number; several are the values of --search grid", s.Name, r.Values.Text(s))
		}
	}
	return ""
}

// smoothScore refuses the constants of smooth scores where they have no meaning.
func smoothScore(r task.Request) string {
	smooth := strings.HasPrefix(r.Scoring.Name, "loo:smooth")
	switch {
	case r.Values.Given(task.Rho) && !smooth:
		return "--set rho: it is of a smooth score; add --tune loo:smooth-error, loo:smooth-wer or loo:smooth-f"
	case r.Values.Given(task.Eta) && r.Scoring.Name != "loo:smooth-wer":
		return "--set eta: it is of --tune loo:smooth-wer; add that, or leave it out"
	}
	return ""
}

// lengths refuses graphs by the lengths of edges where they have no meaning.
func (k machine) lengths(r task.Request) string {
	v := r.Values
	switch {
	case v.Is(task.Kind, "epsilon") && !v.Given(task.Epsilon):
		return "--set graph=epsilon: it needs the length of the longest edge; add --set epsilon_graph=0.5, say"
	case v.Given(task.Epsilon) && !v.Is(task.Kind, "epsilon"):
		return "--set epsilon_graph: it is of graph=epsilon; add that, or leave it out"
	case !byLength(v):
		return ""
	case v.Given(task.Neighbours) || v.Given(task.Symmetry):
		return fmt.Sprintf("--set graph=%s with neighbours or symmetry: these are of graph=knn; leave them out", v.Word(task.Kind))
	case k.combining(v) || realPower(v) || len(r.Recipe.Views) > 0 || v.Is(within, "yes") || v.Is(solverOf(nil), conjugate):
		return fmt.Sprintf(
			"--set graph=%s with combined Laplacians, real powers, views, within=yes or solver=cg: leave one of them out",
			v.Word(task.Kind),
		)
	}
	return ""
}

// weighted refuses fixed weights of graphs where they have no meaning.
func (k machine) weighted(r task.Request) string {
	return when(
		r.Values.Given(weightsOf) && !k.combining(r.Values),
		"--set mu: it is of combined Laplacians; add --set combine=yes, or choose --method c-lap-rls",
	)
}

// checkMu accepts weights that sum to one.
func checkMu(text string) error {
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		v, err := setting.Number(part)
		if err != nil || v < 0 {
			return errors.New("give weights from 0, as in 0.25,0.75")
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("the weights sum to %g, and must to 1", sum)
	}
	return nil
}

// selects refuses a selection of features where it has no meaning.
func (k machine) selects(r task.Request) string {
	if !r.Values.Given(selected) {
		return ""
	}
	share := r.Values.Text(selected)
	switch id, _, _ := strings.Cut(r.Recipe.Kernel, "("); {
	case !slices.Contains(kernel.ByColumn(), id):
		return fmt.Sprintf("--set select=%s: it drops features by the parameters of their own; add --kernel %s", share,
			setting.Or(kernel.ByColumn()))
	case !task.Differentiates(r.Search()):
		return fmt.Sprintf(
			"--set select=%s: features are judged by what a search by gradients found; add --search gradient, sqp or rprop",
			share,
		)
	case r.Values.Is(perClass, "yes"):
		return fmt.Sprintf("--set select=%s: it is for one machine; leave out --set per_class", share)
	}
	for _, name := range []string{"sigma", "gamma", "c"} {
		if r.Recipe.Set[name] != "" {
			return fmt.Sprintf("--set select=%s with --set %s: features are judged by it; leave it out", share, name)
		}
	}
	return ""
}

// eachClassSearched refuses a search of every class for itself where it has no meaning.
func (k machine) eachClassSearched(r task.Request) string {
	if !r.Values.Is(perClass, "yes") {
		return ""
	}
	switch {
	case r.Search() == "auto":
		return "--set per_class=yes: it is for a search of every class for itself; add --search gradient, rprop, nelder-mead, " +
			"random or grid"
	case k.combining(r.Values):
		return "--set per_class=yes with combined Laplacians: leave one of them out"
	case r.Recipe.Multiclass == "one-vs-one":
		return "--set per_class=yes with --multiclass one-vs-one: every class has a machine of its own against the rest; leave one " +
			"of them out"
	}
	return ""
}

// judged refuses scores on rows that were not in the graph where they have no meaning.
func (k machine) judged(r task.Request) string {
	if !r.Scoring.Inductive || !k.family.warped() {
		return ""
	}
	switch {
	case r.Search() == "auto":
		return fmt.Sprintf(
			"--tune %s: it trains again for each fold without its rows, which the design of --search auto does not; add --search "+
				"nelder-mead, "+
				"random or grid",
			r.Scoring.Name,
		)
	case task.Differentiates(r.Search()):
		return fmt.Sprintf(
			"--search %s with --tune %s: a score by training again has no derivative; use --search nelder-mead, random or grid",
			r.Search(),
			r.Scoring.Name,
		)
	}
	return ""
}

// outerJudged refuses a loss of left-out outputs where it has no meaning.
func (k machine) outerJudged(r task.Request) string {
	s := r.Scoring
	return when(
		r.Values.Given(task.Outer) && (s.None || s.Closed() || s.Bound != 0),
		"--set outer=%s with --tune %s: it judges left-out rows; choose kfold:K, holdout:SHARE or loo:logloss",
		r.Values.Text(task.Outer),
		s.Name,
	)
}

// ownLoss refuses the parameters of losses where they have no meaning.
func (k machine) ownLoss(r task.Request) string {
	v := r.Values
	name := k.loss(v)
	switch {
	case v.Given(lossWidth) && !slices.Contains([]string{"huber-hinge", "quartic", "modlog"}, name):
		return "--set loss_width: it is for smooth hinges; add --set loss=quartic, modlog or huber-hinge"
	case v.Given(nu) && v.Given(task.C) && k.losses[0] == "hinge":
		return "--set C with --set nu: nu-SVC has nu in the place of C; give one of them"
	case v.Given(nu) && v.Given(epsilon):
		return "--set epsilon with --set nu: nu-SVR finds epsilon; give one of them"
	case v.Given(nu) && r.Recipe.Offset == "no":
		return "--offset no with --set nu: nu-SVC and nu-SVR have an offset; leave one of them out"
	case v.Given(nu) && name != k.losses[0]:
		return fmt.Sprintf("--set nu with --set loss=%s: it is for loss=%s; leave one of them out", name, k.losses[0])
	case v.Given(epsilon) && name == "absolute":
		return "--set epsilon with --set loss=absolute: that loss has none; leave one of them out"
	case v.Given(augmented) && !k.smooth(v):
		return fmt.Sprintf(
			"--set offset=augmented: it is for machines solved in the primal, and loss=%s is not; add --set loss=%s",
			name,
			setting.Or(k.smoothOnes()),
		)
	case v.Given(augmented) && r.Recipe.Offset == "no":
		return "--set offset=augmented with --offset no: leave one of them out"
	}
	return ""
}

// smoothOnes are the smooth losses of the machine.
func (k machine) smoothOnes() []string {
	var list []string
	for _, name := range k.losses {
		if smoothLoss(name) {
			list = append(list, name)
		}
	}
	return list
}

// solvers refuses the solvers of the primal where they have no meaning.
func (k machine) solvers(r task.Request) string {
	word := r.Values.Word(solverOf(nil))
	switch {
	case word == "" || word == conjugate:
		return ""
	case !k.smooth(r.Values):
		return fmt.Sprintf("--set solver=%s: it is for smooth losses; add --set loss=%s", word, setting.Or(k.smoothOnes()))
	case word == "gradient" && r.Recipe.Kernel != "linear":
		return "--set solver=gradient: it is for machines in the features themselves; add --kernel linear"
	}
	return ""
}

// bounds refuses bounds of the leave-one-out error where they have no meaning.
func (k machine) bounds(r task.Request) string {
	s := r.Scoring
	switch {
	case s.Bound == 0:
		return ""
	case r.Values.Given(nu):
		return fmt.Sprintf("--tune %s: bounds are in terms of C; leave --set nu out", s.Name)
	case s.Bound == svm.JaakkolaHaussler && r.Recipe.Offset != "no" && !r.Values.Given(augmented):
		return fmt.Sprintf("--tune %s: it is for machines without an offset; add --offset no, or choose bound:xi-alpha", s.Name)
	case s.Bound != svm.RadiusMargin && task.Differentiates(r.Search()):
		return fmt.Sprintf(
			"--search %s with --tune %s: it has no derivative; choose --tune bound:radius-margin, or --search nelder-mead or random",
			r.Search(),
			s.Name,
		)
	case k.family.warped() && r.Search() != "auto":
		return fmt.Sprintf(
			"--tune %s with --search %s: method %s is searched by other scores; leave --search out",
			s.Name,
			r.Search(),
			k.id,
		)
	}
	return ""
}

// oneGraph refuses lists where one graph is learned from.
func (k machine) oneGraph(r task.Request) string {
	if k.combining(r.Values) {
		return ""
	}
	for _, s := range task.GraphSettings() {
		if text := r.Values.Text(s); strings.Contains(text, ",") && (r.Search() != "grid" || len(r.Values.Numbers(s)) == 0) {
			return fmt.Sprintf("--set %s=%s: takes one value; --method c-lap-rls, or --set combine=yes, combines several", s.Name, text)
		}
	}
	return ""
}

// realOnce refuses real powers and the heat semigroup where they have no meaning.
func (k machine) realOnce(r task.Request) string {
	if !realPower(r.Values) {
		return ""
	}
	switch {
	case k.combining(r.Values) || len(r.Recipe.Views) > 0:
		return "--set degree or semigroup with a real value: it is for one graph; leave out combined Laplacians and views"
	case r.Values.Given(task.Semigroup) && r.Values.Given(task.Degree):
		return "--set semigroup with --set degree: the semigroup is in the place of a power; give one of them"
	}
	return ""
}

// withinAlone refuses class-wise graphs where they have no meaning. A score that keeps the rows
// left out in the graph would be flattered by edges that know their labels.
func (k machine) withinAlone(r task.Request) string {
	if !r.Values.Is(within, "yes") {
		return ""
	}
	v := r.Values
	switch {
	case k.combining(v) || realPower(v) || len(r.Recipe.Views) > 0 || v.Is(solverOf(nil), conjugate) || v.Is(perClass, "yes"):
		return "--set within=yes with combined Laplacians, real powers, views, per_class or solver=cg: leave one of them out"
	case !r.Scoring.Inductive && !r.Scoring.None:
		name := r.Recipe.Tune
		if name == "" {
			name = "auto"
		}
		return fmt.Sprintf(
			"--set within=yes with --tune %s: the graph knows the class of every row in it, also of one whose label is left out, "+
				"and the score "+
				"would be too good; add --tune kfold:5:inductive and --search nelder-mead, random or grid",
			name,
		)
	}
	return ""
}

// conjugateAlone refuses training over all rows by conjugate gradients where it has no meaning.
func (k machine) conjugateAlone(r task.Request) string {
	v := r.Values
	if !v.Is(solverOf(nil), conjugate) {
		return ""
	}
	switch {
	case k.losses != nil && !smoothLoss(k.primalLoss(v)):
		return fmt.Sprintf("--set solver=cg: it is for smooth losses; choose --set loss=%s", setting.Or(k.smoothOnes()))
	case !r.Scoring.None:
		return "--set solver=cg: it trains one machine; add --tune none and --set sigma, neighbours, gamma_a and gamma_i as known from a " +
			"smaller sample"
	case k.combining(v) || realPower(v) || len(r.Recipe.Views) > 0:
		return "--set solver=cg with combined Laplacians, real powers or views: it is for one graph; leave one of them out"
	case v.Given(augmented):
		return "--set solver=cg with --set offset=augmented: leave one of them out"
	case v.Given(task.Weight):
		return "--set solver=cg with --class-weight: it weighs all rows alike; leave one of them out"
	case v.Is(exact, "true"):
		return "--set solver=cg with --set exact=true: it keeps no tables of any size; leave one of them out"
	case v.Given(task.GammaI) && v.Number(task.GammaI) == 0:
		return "--set solver=cg with --set gamma_i=0: without the graph the supervised machine is quicker; choose --method " + k.baseline
	}
	return ""
}

// widths refuses the width of a graph's weights where it has no meaning.
func widths(r task.Request) string {
	words := r.Values.Words(task.Weights)
	if !r.Values.Given(task.Width) || len(words) == 0 || slices.Contains(words, "heat") || slices.Contains(words, "self-tuned") {
		return ""
	}
	return fmt.Sprintf(
		"--set width with --set weights=%s: these weights have none; choose weights=heat or self-tuned",
		r.Values.Text(task.Weights),
	)
}

// fixedWeights refuses settings of the graph beside gamma_i = 0, with which the graph plays no part.
func (k machine) fixedWeights(r task.Request) string {
	if !r.Values.Given(task.GammaI) || r.Values.Number(task.GammaI) != 0 || r.Search() != "auto" && k.family != Joint {
		return ""
	}
	for _, s := range append(task.GraphSettings(), task.Semigroup, task.Scaled, viewGraphs, weightsOf) {
		if r.Values.Given(s) {
			return fmt.Sprintf("--set gamma_i=0 with --set %s: without its weight the graph plays no part; leave one of them out", s.Name)
		}
	}
	return ""
}

// views refuses views without a name of their own, and views whose columns make no range.
func views(r task.Request) string {
	seen := map[string]bool{}
	for _, v := range r.Recipe.Views {
		if v.Name == "" || seen[v.Name] {
			return fmt.Sprintf("--view %s: every view needs a name of its own, as in --view words=1..300", v.Name)
		}
		seen[v.Name] = true
		if v.First < 1 || v.Last < v.First {
			return fmt.Sprintf("--view %s=%d..%d: give the first column and the last, from 1", v.Name, v.First, v.Last)
		}
	}
	return ""
}
