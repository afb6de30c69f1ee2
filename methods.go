package mercer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/loss"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/smooth"
	"github.com/mercer-ml/mercer/svm"
)

// method is what a method id stands for.
type method struct {
	id       string
	baseline string    // the supervised method beside a semi-supervised one
	semi     bool      // takes the graph of all rows into the kernel
	task     data.Task // what it is for; 0: both
	pairs    bool      // more than two classes one-versus-one unless asked otherwise
	losses   []string  // what --set loss= takes, the default first; nil: the square
	total    bool      // lambda is of the sum of squares, not of their mean
	front    bool      // makes a front and chooses from it
	combined bool      // learns the weights of several Laplacians
	own      []string  // hyper-parameters of its own beside C
}

// methods are those that train one machine; auto chooses among them.
func methods() []method {
	hinge := []string{"hinge", "huber-hinge", "squared-hinge", "quartic", "modlog"}
	tube := []string{"epsilon", "absolute", "squared-epsilon"}
	return []method{
		{id: "rls"},
		{id: "ls-svm"},
		{id: "lap-rls", baseline: "rls", semi: true},
		{id: "c-lap-rls", baseline: "rls", semi: true, combined: true},
		{id: "svm", task: data.Classification, pairs: true, losses: hinge, own: []string{"nu", "loss_width"}},
		{id: "l2-svm", task: data.Classification, losses: []string{"squared-hinge"}},
		{id: "logistic", task: data.Classification, losses: []string{"logistic"}},
		{id: "svr", task: data.Regression, losses: tube, own: []string{"epsilon", "nu"}},
		{id: oneClass, task: data.Classification, losses: []string{oneClass}, own: []string{"nu"}},
		{id: "lap-svm", baseline: "svm", semi: true, task: data.Classification, losses: hinge, own: []string{"loss_width"}},
		{id: "lap-logistic", baseline: "logistic", semi: true, task: data.Classification, losses: []string{"logistic"}},
		{id: "mobj-rbf", front: true},
		{id: "mobj-grn", front: true},
		{id: "mobj-svm", front: true, task: data.Classification, pairs: true},
		{id: "rn", total: true},
		{id: "grn", front: true},
		{id: smoother},
		{id: "rofs", front: true},
		{id: "lap-svr", baseline: "svr", semi: true, task: data.Regression, losses: tube, own: []string{"epsilon"}},
	}
}

// smoother is the method that only weighs.
const smoother = "nadaraya-watson"

// methodOf returns the method called id; ok is false for auto.
func methodOf(id string) (m method, ok bool) {
	for _, m := range methods() {
		if m.id == id {
			return m, true
		}
	}
	return method{}, false
}

// words lists auto and the ids of all methods.
func words(list []method) []string {
	ids := []string{"auto"}
	for _, m := range list {
		ids = append(ids, m.id)
	}
	return ids
}

// learner returns the learner of the job's method, nil for regularised least
// squares and auto.
func (j *job) learner() learn.Learner {
	m, _ := methodOf(j.recipe.Method)
	if m.losses == nil {
		return nil
	}
	name := j.recipe.Set["loss"]
	if name == "" {
		name = m.losses[0]
	}
	l := j.machine(name)
	if j.tune.bound != 0 {
		return score.Bounded{Learner: l, Bound: j.tune.bound}
	}
	return l
}

// machine is the learner of a loss.
func (j *job) machine(name string) learn.Learner {
	nu := j.set.one("nu")
	dual := svm.Options{Tolerance: j.recipe.Tolerance, Cache: j.options.Cache}
	switch name {
	case "hinge":
		return svm.Classifier{Nu: nu, NoOffset: !j.offset, Options: dual}
	case "epsilon":
		return svm.Regressor{Nu: nu, Epsilon: j.set.one("epsilon"), NoOffset: !j.offset, Options: dual}
	case oneClass:
		return svm.Detector{Nu: nu, Options: dual}
	case "absolute":
		return svm.Regressor{Absolute: true, NoOffset: !j.offset, Options: dual}
	}
	l, err := loss.Parse(name)
	if err != nil {
		panic(err) // the method's own list
	}
	offset := smooth.Free
	switch {
	case j.recipe.Set["offset"] == augmented:
		offset = smooth.Augmented
	case !j.offset:
		offset = smooth.None
	}
	solver := j.recipe.Set["solver"]
	return smooth.Learner{Loss: widened(l, j.set.lossWidth), Epsilon: j.set.one("epsilon"), Offset: offset, Descent: solver == "gradient", Solver: accelerated[solver]}
}

// smoothLoss says whether the method with --set loss=name is solved in the primal.
func smoothLoss(m method, name string) bool {
	if name == "" && len(m.losses) > 0 {
		name = m.losses[0]
	}
	l, err := loss.Parse(name)
	return err == nil && l.Smooth()
}

// smoothOnes lists the smooth losses of a method.
func smoothOnes(m method) string {
	var list []string
	for _, v := range m.losses {
		if smoothLoss(m, v) {
			list = append(list, v)
		}
	}
	return strings.Join(list, " or loss=")
}

// checkMethod reports settings that the method does not have.
func (r Recipe) checkMethod(complain func(format string, args ...any)) {
	r.checkSolver(complain)
	m, ok := methodOf(r.Method)
	name := r.Method
	if !ok {
		name = "auto"
	}
	if v := r.Set["loss"]; v != "" && !slices.Contains(m.losses, v) {
		if m.losses == nil {
			complain("--set loss=%s: method %s has the square loss; choose --method svm, l2-svm, logistic or svr", v, name)
		} else {
			complain("--set loss=%s: method %s takes %s", v, name, strings.Join(m.losses, ", "))
		}
	}
	if v := r.Set["loss"]; r.Set["loss_width"] != "" && v != "huber-hinge" && v != "quartic" && v != "modlog" {
		complain("--set loss_width: it is for smooth hinges; add --set loss=quartic, modlog or huber-hinge")
	}
	if s := r.Search; differentiates(s) && m.losses != nil && !smoothLoss(m, r.Set["loss"]) && !strings.HasPrefix(r.Tune, "bound:radius-margin") && m.id != oneClass {
		complain("--search %s with --method %s: a machine with this loss is no smooth function of its parameters; add --set loss=%s, or choose --search nelder-mead or random", s, name, smoothOnes(m))
	}
	r.checkBound(m, name, complain)
	for _, p := range []string{"nu", "epsilon", "loss_width"} {
		if r.Set[p] != "" && !slices.Contains(m.own, p) {
			complain("--set %s: method %s has no such parameter", p, name)
		}
	}
	if r.Set["C"] != "" && m.id != "mobj-svm" && (m.losses == nil || m.semi) {
		complain("--set C: method %s has no such parameter; it has %s", name, map[bool]string{true: "gamma_a = 1/(2 C l)", false: "lambda = 1/(2 C l)"}[m.semi])
	}
	if r.Set["C"] != "" && r.Set["nu"] != "" && m.id == "svm" {
		complain("--set C with --set nu: nu-SVC has nu in the place of C; give one of them")
	}
	if r.Set["lambda"] != "" && m.losses != nil {
		complain("--set lambda: method %s has C = 1/(2 lambda l), l the number of labelled rows", name)
	}
	if r.Multiclass == "one-vs-one" && m.losses == nil {
		complain("--multiclass one-vs-one: method %s trains one-versus-rest; choose --method svm, l2-svm or logistic", name)
	}
	if r.ClassWeight != "" && (m.losses == nil || m.task != data.Classification) {
		complain("--class-weight: method %s has none; choose --method svm, l2-svm, logistic, lap-svm or lap-logistic", name)
	}
}

// checkBound reports what a bound of the leave-one-out error, or an augmented offset,
// cannot be combined with.
func (r Recipe) checkBound(m method, name string, complain func(format string, args ...any)) {
	loss := r.Set["loss"]
	if loss == "" && len(m.losses) > 0 {
		loss = m.losses[0]
	}
	inFeatures := r.Set["offset"] == augmented
	if inFeatures && (!smoothLoss(m, loss) || r.byGradients()) {
		complain("--set offset=augmented: it is for machines with smooth losses solved in the primal: l2-svm, logistic, svm by the squared or the Huber hinge, svr with loss=squared-epsilon")
	}
	if inFeatures && r.Offset == "no" {
		complain("--set offset=augmented with --offset no: leave one of them out")
	}
	t, err := parseTune(r.Tune)
	if err != nil || t.bound == 0 {
		return
	}
	if m.task != data.Classification || loss != "hinge" && loss != "squared-hinge" {
		complain("--tune %s: method %s has no such bound; it is for svm, l2-svm and lap-svm with the hinge or the squared hinge", t.name, name)
	}
	if r.Set["nu"] != "" {
		complain("--tune %s: bounds are in terms of C; leave --set nu out", t.name)
	}
	if t.bound == svm.JaakkolaHaussler && r.Offset != "no" && !inFeatures {
		complain("--tune %s: it is for machines without an offset; add --offset no, or choose bound:xi-alpha", t.name)
	}
	if m.semi && r.Search != "" && r.Search != "auto" {
		complain("--tune %s with --search %s: method %s is searched by other scores; leave --search out", t.name, r.Search, name)
	}
}

// linearForm says whether the method trains in columns: a smooth loss, a kernel with
// features, and fewer of them than labelled rows. columns is their number.
func linearForm(in Input, r Recipe, m method, labelled int) (columns int, ok bool) {
	if m.semi || !smoothLoss(m, r.Set["loss"]) || in.Set.Rows.Len() == 0 {
		return 0, false
	}
	spec := r.Kernel
	if spec == "" && in.Set.Rows.IsSparse() && r.Set["sigma"] == "" && r.Set["gamma"] == "" {
		spec = "linear"
	}
	k, err := kernel.Parse(spec, in.Set.Features)
	if err != nil || r.Groups != "" {
		return 0, false
	}
	one := in.Set.Rows.Select([]int{0}) // whether there are features does not depend on the rows
	g, err := k.Adapt(one).Bind(context.Background(), one, nil)
	if err != nil {
		return 0, false
	}
	x, ok := kernel.Features(g)
	return x.Dim(), ok && (x.Dim() < labelled || r.Set["solver"] == "gradient")
}

// classWeights reads --class-weight: `balanced`, l/(C n_k) for class k, or
// LABEL=WEIGHT,... with 1 for classes not named. It returns a weight a labelled
// row, or nil.
func classWeights(text string, p *learn.Problem) ([]float64, error) {
	if text == "" || p.Class == nil {
		return nil, nil
	}
	weight := make([]float64, len(p.Classes))
	if text == "balanced" {
		for _, k := range p.Class {
			weight[k]++
		}
		for k, n := range weight {
			weight[k] = float64(len(p.Class)) / (float64(len(p.Classes)) * n)
		}
	} else {
		for k := range weight {
			weight[k] = 1
		}
		for _, part := range strings.Split(text, ",") {
			class, value, _ := strings.Cut(part, "=")
			k := slices.Index(p.Classes, data.ClassName(class))
			if k < 0 {
				return nil, fmt.Errorf("--class-weight %s: no labelled row has class %s; the classes are %s", text, class, strings.Join(p.Classes, ", "))
			}
			w, err := strconv.ParseFloat(value, 64)
			if err != nil || !(w > 0) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("--class-weight %s: weight %q of class %s must be a positive number", text, value, class)
			}
			weight[k] = w
		}
	}
	rows := make([]float64, len(p.Class))
	for i, k := range p.Class {
		rows[i] = weight[k]
	}
	return rows, nil
}
