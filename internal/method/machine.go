package method

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// machine describes what a method learns: its family and its losses. The file of a method fills it in, and the function
// method makes of a kernel machine the settings, forms and rules of a Method.
type machine struct {
	id       string
	family   Family
	losses   []string // what --set loss= takes, the default first; nil: the square, in closed form
	total    bool     // lambda is of the sum of squares, not of their mean
	baseline string   // the supervised twin of a method that learns from unlabelled rows
	// own, if not nil, is the learner of a method that has no losses to choose from.
	own func(*task.Task) learn.Learner
}

// lossSetting is the name of the setting that chooses the loss.
const lossSetting = "loss"

// These settings belong to some kernel machines only.
var (
	loss_   = setting.Setting{Name: lossSetting, Form: func(string) error { return nil }}
	nu      = setting.Setting{Name: "nu", Range: setting.ShareOrAll()}
	epsilon = setting.Setting{
		Name:    "epsilon",
		Range:   setting.NotNegative(),
		Default: "0.1 standard deviations of the target",
		About:   "half the width of the tube in which an error costs nothing, in the units of the target",
	}
	lossWidth = setting.Setting{
		Name:    "loss_width",
		Range:   setting.Positive(),
		Default: "0.125; 0.5 of huber-hinge; 0.25 of modlog",
		About:   "half the width of the zone in which a smooth hinge differs from the hinge",
	}
	augmented = setting.Setting{
		Name:  "offset",
		Words: []string{task.Augmented},
		About: "the offset is the weight of a constant feature and so penalised; LIBLINEAR's -B 1",
	}
	perClass = setting.Setting{
		Name:    "per_class",
		Words:   []string{"yes", "no"},
		Default: "no",
		About:   "yes: a search of every class for itself, each with a kernel of its own",
	}
	selected = setting.Setting{
		Name:    "select",
		Range:   setting.Share(),
		Default: "all are kept",
		About: "with " + setting.Or(kernel.ByColumn()) + " and a search by gradients: features whose relevance is below this share of " +
			"the largest are dropped, and the search goes on over the rest",
	}
	balanced = setting.Setting{
		Name:  "balance",
		Says:  "a share of the second class, shares of all, labels",
		Form:  func(text string) error { _, err := ParseBalance(text); return err },
		About: "the shares of classes in which unlabelled rows are decided",
	}
	combine = setting.Setting{
		Name:    "combine",
		Words:   []string{"yes", "no"},
		Default: "no",
		About:   "yes: the weights of several Laplacians are learned, of all combinations of the lists given",
	}
	within    = setting.Setting{Name: "within", Words: []string{"yes", "no"}, Default: "no", About: withinAbout}
	weightsOf = setting.Setting{
		Name:    "mu",
		Many:    true,
		Says:    "a weight a graph, summing to 1",
		Range:   &setting.Range{Hi: 1, Bounded: setting.Both},
		Form:    checkMu,
		Default: "tuned",
		About:   "fixes the weights of combined Laplacians, in the order in which the fit lists the graphs",
	}
	exact = setting.Setting{
		Name:    "exact",
		Words:   []string{"true", "false"},
		Default: "false",
		About:   "true: the whole kernel for any number of rows, in the place of a sample or landmarks",
	}
)

// lossOf is the setting of the machine's losses, if there is a choice.
func (k machine) lossOf() []setting.Setting {
	if len(k.losses) < 2 {
		return nil
	}
	of := "of the margin"
	if slices.Contains(k.losses, "epsilon") {
		of = "of the residual"
	}
	return []setting.Setting{{Name: lossSetting, Words: k.losses, Default: k.losses[0], About: of}}
}

// loss is the word of the loss that is set, or the machine's own.
func (k machine) loss(v setting.Values) string {
	if w := v.Word(loss_); w != "" || k.losses == nil {
		return w
	}
	return k.losses[0]
}

// lossSet is the loss of that word, of a machine in closed form the square.
func (k machine) lossSet(v setting.Values) learn.Loss {
	if k.closed() {
		return learn.Square()
	}
	l, err := learn.ParseLoss(k.loss(v))
	if err != nil {
		panic(err) // the method's own list
	}
	return l
}

// smooth says whether the machine with these settings is solved in the primal.
func (k machine) smooth(v setting.Values) bool { return smoothLoss(k.loss(v)) }

// smoothLoss says whether a loss has a derivative.
func smoothLoss(name string) bool {
	l, err := learn.ParseLoss(name)
	return err == nil && learn.Smooth(l)
}

// closed says whether the machine has the square loss and a ridge, and so is solved in closed form.
func (k machine) closed() bool { return k.losses == nil && k.own == nil }

// learner is the machine's learner for a task, nil for the square loss.
func (k machine) learner(t *task.Task) learn.Learner {
	if k.closed() {
		return nil
	}
	if k.own != nil {
		return k.own(t)
	}
	l := k.solver(t)
	if t.Scoring.Bound != 0 {
		return score.Bounded{Learner: l, Bound: t.Scoring.Bound}
	}
	return l
}

// solver is the learner of the loss that is set.
func (k machine) solver(t *task.Task) learn.Learner {
	n, eps := t.Values.Number(nu), t.Values.Number(epsilon)
	dual := svm.Options{Tolerance: t.Recipe.Tolerance, Cache: t.Options.Cache}
	switch k.loss(t.Values) {
	case "hinge":
		return svm.Classifier{Nu: n, NoOffset: !t.Offset, Options: dual}
	case "epsilon":
		return svm.Regressor{Nu: n, Epsilon: eps, NoOffset: !t.Offset, Options: dual}
	case oneClassID:
		return svm.Detector{Nu: n, Options: dual}
	case "absolute":
		return svm.Regressor{Absolute: true, NoOffset: !t.Offset, Options: dual}
	}
	offset := smooth.Free
	switch {
	case k.family.Linear() && t.Offset && t.Labels.Task == data.Classification || t.Values.Is(augmented, task.Augmented):
		offset = smooth.Augmented
	case !t.Offset:
		offset = smooth.None
	}
	word := t.Values.Word(solverOf(nil))
	tolerance := t.Recipe.Tolerance
	if k.family.Linear() && tolerance == 0 {
		tolerance = columnTolerance
	}
	return smooth.Learner{
		Loss:      widened(k.lossSet(t.Values), t.Values.Number(lossWidth)),
		Epsilon:   eps,
		Offset:    offset,
		Tolerance: tolerance,
		Passes:    k.family.Linear() && (t.Scoring.None || t.Folds != nil),
		Descent:   word == "gradient",
		Solver:    accelerated[word],
	}
}

// offset is what --offset means to the method.
func (k machine) offset() setting.Setting {
	if k.family.Linear() {
		return task.ColumnOffset
	}
	return task.Offset
}

// accelerated are the words of --set solver= that are solvers of smooth.Learner.
var accelerated = map[string]smooth.Solver{"fista": smooth.ByFISTA, "fista-restart": smooth.ByFISTARestart}

// widened gives the surrogates of the hinge the width of --set loss_width: the half
// width of the zone in which they differ from it, or for modlog, which has none, that
// of the quartic with the same peak of curvature, 3/mu (Klatzer 2014, section 2.2).
func widened(l learn.Loss, width float64) learn.Loss {
	if width == 0 {
		return l
	}
	switch l.Name() {
	case "huber-hinge":
		return learn.HuberHinge(width)
	case "quartic":
		return learn.Quartic(width)
	case "modlog":
		return learn.ModLogistic(3 / width)
	}
	return l
}

// produce makes the candidates in the way that the request asks for: at fixed parameters, by a design or
// by a search. If landmarks is not nil, machines with a graph are reduced to landmarks.
func (k machine) produce(ctx context.Context, t *task.Task, landmarks *kernel.Landmarks) (*choose.Candidates, error) {
	if err := k.hasColumns(ctx, t); err != nil {
		return nil, err
	}
	several := k.several(t.Values)
	switch {
	case t.Values.Is(perClass, "yes"):
		return k.eachClass(ctx, t)
	case several && t.Scoring.None:
		return k.untuned(ctx, t)
	case several && t.Search() == "auto" && !k.closed():
		return k.byLeastSquares(ctx, t)
	case several && t.Search() == "auto":
		return k.searched(ctx, t, "gradient", landmarks)
	case t.Search() != "auto":
		return k.searched(ctx, t, t.Search(), landmarks)
	}
	return k.designed(ctx, t, landmarks)
}

// several says whether the graph has parameters that only a search finds.
func (k machine) several(v setting.Values) bool { return k.combining(v) || realPower(v) || byLength(v) }

// rule chooses from what produce made.
func (k machine) rule(t *task.Task) choose.Rule {
	if t.Values.Is(perClass, "yes") {
		return choose.PerClass{}
	}
	return choose.Least{}
}

// describeLearner names the parameters of a machine's learner, and its loss.
func (k machine) describeLearner(out map[string]any, t *task.Task, c *choose.Candidate) {
	if k.closed() {
		return
	}
	for i, d := range k.learner(t).Space(1, 1) {
		out[d.Name] = c.Theta[i]
	}
	if name := t.Values.Word(loss_); name != "" {
		out[lossSetting] = name
	}
}

// params gives a machine's parameters their canonical names.
func (k machine) params(t *task.Task, c *choose.Candidate) map[string]any {
	out := map[string]any{}
	base := c.Kernel
	w, warped := manifold.Warped(base)
	if warped {
		base = w.Base
		describeNorm(out, w.Norm, t.Recipe.Views)
	}
	k.describeLearner(out, t, c)
	terms := t.Terms()
	switch {
	case k.family.warped() || warped:
		delete(out, task.C.Name)
		gammaA := terms.Weight(c.Lambda)
		out[task.GammaA.Name], out[task.GammaI.Name] = gammaA, terms.Intrinsic(w.Ratio, gammaA)
	case k.total:
		out[task.Lambda.Name] = c.Lambda
	case k.closed():
		out[task.Lambda.Name] = terms.Weight(c.Lambda)
	}
	for i, d := range base.Space() {
		name := d.Name
		if t.Selected {
			name = parameterName(base, i, name)
		}
		out[name] = d.Default
	}
	return out
}

// general are the settings of every kernel machine that is searched.
func (k machine) settings(own ...setting.Setting) []setting.Setting {
	list := slices.Concat(own, k.lossOf())
	switch k.family {
	case Warped:
		list = append(append(list, task.GammaA, task.GammaI, task.Scaled), task.GraphSettings()...)
		list = append(list, task.Semigroup, combine, weightsOf, exact, task.Views)
	case Combined:
		list = append(append(list, task.GammaA, task.GammaI, task.Scaled), task.Whole(task.GraphSettings())...)
		list = append(list, weightsOf, exact, task.Views)
	default:
		list = append(list, selected)
		if k.reducible() {
			list = append(list, exact)
		}
	}
	if !slices.Contains(k.losses, "epsilon") { // not for numbers alone
		if k.losses != nil {
			list = append(list, task.Scheme)
		}
		if k.family != Combined {
			list = append(list, perClass)
		}
		list = append(list, balanced, task.Weight)
	}
	if k.closed() || !k.family.warped() {
		list = append(list, task.Rho, task.Eta)
	}
	if k.onBasis() {
		list = append(list, basisSettings()...)
	}
	return append(list, task.Points, k.tolerance(own...), task.Outer, k.offset(), task.Kernel, task.Groups, task.Tune, task.Search,
		task.Budget)
}

// method fills in what follows from the machine.
func (k machine) method(m Method) Method {
	m = k.declare(m)
	m.Params, m.Forms = k.params, k.forms()
	if k.family.views() {
		m.Params = k.viewParams
	}
	m.Rules, m.Certificate = append(m.Rules, k.rules()...), k.certificate()
	return m
}
