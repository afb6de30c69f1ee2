package mercer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
)

// Input is what a fit learns from. Labels that are hidden for an experiment must
// be absent from Set.Answers; they may be given in Hidden (one a row, "" where
// not hidden) and are then used for the metrics called `hidden` and nothing else.
type Input struct {
	Set    *data.Set
	Hidden data.Answers
	Test   *data.Set // never seen in training; for the metrics called `test`

	whole *Input // of which this is a sample
}

// Fit learns from labelled and unlabelled rows, tuning included. Cancelling the
// context ends the tuning and fits the best machine so far, which
// Result.Tuning.Status says; an error means that there is no model. Errors of
// type *UsageError are the recipe's, others the data's.
func Fit(ctx context.Context, in Input, r Recipe, o Options) (*model.Model, *Result, error) {
	start := time.Now()
	j, err := newJob(in, r, o)
	if err != nil {
		return nil, nil, err
	}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	if j.method.front {
		return j.frontFit(ctx, start)
	}
	if j.method.id == smoother {
		m, res, err := j.smootherFit(ctx)
		if err == nil {
			res.Seconds = Seconds{Total: time.Since(start).Seconds(), Tune: time.Since(start).Seconds()}
		}
		return m, res, err
	}
	choice, tuning, err := j.choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := j.balance(choice); err != nil {
		return nil, nil, err
	}
	tuned := time.Now()
	m, err := j.model(choice)
	if err != nil {
		return nil, nil, err
	}
	res, err := j.result(m, choice, tuning)
	if err != nil {
		return nil, nil, err
	}
	j.tellLeftOut(choice)
	res.Seconds = Seconds{Total: time.Since(start).Seconds(), Tune: tuned.Sub(start).Seconds(), Fit: time.Since(tuned).Seconds()}
	stored := *res // what the model keeps depends on the data and the recipe alone
	stored.Seconds, stored.Metrics, stored.Baseline, stored.Warnings = Seconds{}, nil, nil, j.warnings
	if m.Recipe, err = json.Marshal(r); err != nil {
		return nil, nil, err
	}
	if m.Result, err = json.Marshal(stored); err != nil { // a number that is not finite
		return nil, nil, fmt.Errorf("%s: the fit has no finite result, its features or parameters are too small or too large; use --scale standard", in.Set.Source)
	}
	return m, res, nil
}

// job is a fit in progress.
type job struct {
	in       Input
	recipe   Recipe
	method   method // zero for auto
	options  Options
	set      settings
	tune     tune
	labels   data.Labels
	scaling  data.Scaling
	scaled   string // what the scaling did
	problem  *learn.Problem
	base     kernel.Kernel // with every parameter filled in
	fixed    []int         // its parameters that Set fixes
	folds    [][]int
	offset   bool
	charge   float64    // for a degree of freedom, of --tune cp, aic and bic
	kept     *selection // of --set select, once made
	heard    *heard     // by options.Listen
	warnings []string
}

// mostValue is the largest value of a regression: sums of squares of larger ones overflow.
const mostValue = 1e150

// moderate refuses values whose squares overflow.
func (j *job) moderate() error {
	for i, v := range j.labels.Value {
		if math.Abs(v) > mostValue { // NaN: unlabelled
			return &data.LabelError{Row: i, What: fmt.Sprintf("the value %g of %q is so large that its square overflows", v, j.in.Set.LabelName), Remedy: "measure it in a larger unit"}
		}
	}
	return nil
}

func newJob(in Input, r Recipe, o Options) (*job, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	j := &job{in: in, recipe: r, options: o, heard: new(heard)}
	j.method, _ = methodOf(r.Method)
	j.set, _ = r.settings() // checked above
	j.tune, _ = parseTune(r.Tune)
	var err error
	if j.labels, err = r.Interpret(in.Set); err != nil {
		return nil, err
	}
	if err := j.moderate(); err != nil {
		return nil, err
	}
	if t := j.method.task; t != data.TaskAuto && t != j.labels.Task {
		remedy := map[data.Task]string{data.Classification: "svr, lap-svr or --task classification", data.Regression: "svm, logistic or --task regression"}[t]
		if j.method.front {
			remedy = fmt.Sprintf("mobj-rbf or --task %v", t)
		}
		return nil, &UsageError{[]string{fmt.Sprintf("--method %s is for %v and %s is a %v; choose %s", j.method.id, t, in.Set.Source, j.labels.Task, remedy)}}
	}
	if err := j.refuse(ForecastFit(in, r, o)); err != nil {
		return nil, err
	}
	if part, ok := sampled(in, r); ok {
		j.warnings = append(j.warnings, saidSampled(in.Set.Rows.Len()))
		in, j.in = part, part
		if j.labels, err = r.Interpret(in.Set); err != nil {
			return nil, err
		}
	}
	kind := r.Scale
	if kind == "" && strings.Contains(r.Kernel, "chi2") {
		kind = "none" // histograms are not negative, nor must they become so
	}
	if j.scaling, j.scaled, err = data.FitScaling(kind, in.Set.Rows); err != nil {
		return nil, err
	}
	rows := j.scaling.Apply(in.Set.Rows)
	if rows.Check() != nil {
		return nil, fmt.Errorf("%s: the features are so large that their scaling overflows; measure them in larger units", in.Set.Source)
	}
	if ratio := data.SpreadRatio(rows); ratio > 0 && j.scaling.Kind == data.ScaleNone {
		j.warnings = append(j.warnings, fmt.Sprintf(
			"the features are on different scales, the largest standard deviation is %.3g times the median, and are left so; --scale standard makes them count alike", ratio))
	}
	j.problem = learn.NewProblem(rows, j.labels)
	if m, ok := reducing(rows.Len(), len(j.problem.Labelled), r); ok {
		j.warnings = append(j.warnings, saidReduced(rows.Len(), m))
	}
	if r.Multiclass == "one-vs-one" || j.method.pairs && r.Multiclass == "" {
		j.problem = j.problem.OneVersusOne()
	}
	if j.problem.Weight, err = classWeights(r.ClassWeight, j.problem); err != nil {
		return nil, err
	}
	if err := j.kernel(); err != nil {
		return nil, err
	}
	for _, v := range r.Views {
		if d := j.problem.Rows.Dim(); v.Last > d {
			return nil, fmt.Errorf("%s: --view %s=%d..%d of %d columns; give columns that are there", in.Set.Source, v.Name, v.First, v.Last, d)
		}
	}
	if k, n := j.set.graph.Neighbours, j.problem.Rows.Len(); k >= n {
		return nil, fmt.Errorf("%s: --set neighbours=%d of %d rows; ask for at most %d", in.Set.Source, k, n, n-1)
	}
	if (j.method.front || r.Method == smoother) && r.Method != "mobj-svm" && j.problem.Rows.IsSparse() {
		return nil, fmt.Errorf("%s: %w", in.Set.Source, errDense)
	}
	regression := j.labels.Task == data.Regression
	j.offset = r.Offset == "yes" || r.Offset != "no" && (regression || r.Method == "ls-svm" || j.method.total || j.method.losses != nil)
	if j.tune.name == "" {
		j.tune = j.defaultTune()
	}
	if j.tune.gcv && j.method.losses != nil {
		return nil, &UsageError{[]string{fmt.Sprintf("--tune gcv is for the square loss; with --method %s choose kfold:K, holdout:SHARE or loo:logloss", j.method.id)}}
	}
	if regression && (j.tune.name == "loo:logloss" || j.tune.name == "loo:error" || strings.HasPrefix(j.tune.name, "loo:smooth")) {
		return nil, &UsageError{[]string{fmt.Sprintf("--tune %s is for classes; for a regression choose loo:press, kfold:K, holdout:SHARE or gcv", j.tune.name)}}
	}
	if word := r.Set["outer"]; word != "" {
		if regression && word != "mse" {
			return nil, &UsageError{[]string{fmt.Sprintf("--set outer=%s is for classes; for a regression choose outer=mse", word)}}
		}
		if j.tune.criterion == nil && j.tune.folds == 0 && j.tune.share == 0 {
			return nil, &UsageError{[]string{fmt.Sprintf("--set outer=%s with --tune %s: it judges left-out rows; choose kfold:K, holdout:SHARE or loo:logloss", word, j.tune.name)}}
		}
		j.tune.criterion = outer(word)
	}
	if err := j.priced(); err != nil {
		return nil, err
	}
	return j, j.validation()
}

// manyLabels is the number above which machines without a closed form are judged
// by folds, for leave-one-out trains as many machines as there are labels.
const manyLabels = 60

// defaultTune is the score of a job that names none.
func (j *job) defaultTune() tune {
	word := "loo:logloss"
	switch {
	case j.method.id == oneClass:
		word = "none"
	case j.method.losses != nil && len(j.problem.Labelled) > manyLabels:
		word = "kfold:5"
	case j.labels.Task == data.Regression:
		word = "loo:press"
	}
	t, _ := parseTune(word)
	return t
}

// kernelSpec is the kernel asked for, or the default: gaussian; linear for sparse
// rows if no other is to be tried beside it and no width is set.
func (j *job) kernelSpec() string {
	switch {
	case j.recipe.Kernel != "":
		return j.recipe.Kernel
	case j.in.Set.Rows.IsSparse() && j.set.params["sigma"] == nil && (j.tune.none || j.recipe.Method != "" && j.recipe.Method != "auto"):
		return "linear"
	}
	return "gaussian"
}

// kernel parses the kernel, gives it the parameters that are fixed and fills in
// the others from the data.
func (j *job) kernel() error {
	spec := j.kernelSpec()
	k, err := kernel.Parse(spec, j.in.Set.Features)
	if err != nil {
		return &UsageError{[]string{"--kernel " + spec + ": " + err.Error()}}
	}
	if j.recipe.Groups == "auto" {
		k = kernel.Grouped(k, kernel.DecadeGroups(j.in.Set.Rows), j.problem.Rows.Dim(), j.in.Set.Features)
	}
	k = j.given(k).Adapt(j.problem.Rows)
	space := k.Space()
	theta := space.Defaults()
	known := slices.Concat(machineParams, space.Names())
	for name, list := range j.set.params {
		if slices.Contains(machineParams, name) || j.method.front && name == "sigma" && len(list) > 1 {
			continue // the machine's, or the widths of a grid
		}
		at := places(space, name)
		if len(at) == 0 && name == "sigma" && j.set.gamma != nil {
			name, list, at = "gamma", j.set.gamma, places(space, "scale")
		}
		if len(at) == 0 || len(list) > 1 && len(list) != len(at) {
			return &UsageError{[]string{fmt.Sprintf("--set %s with %d values: kernel %s has no such parameter; it has %s",
				name, len(list), spec, strings.Join(known, ", "))}}
		}
		for q, i := range at {
			theta[i] = list[q%len(list)]
			j.fixed = append(j.fixed, i)
		}
	}
	for _, v := range theta {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: the features are so large that their squares overflow; use --scale standard, or measure them in larger units", j.in.Set.Source)
		}
	}
	if j.base, err = k.With(theta); err != nil {
		return &UsageError{[]string{"--kernel " + spec + ": " + err.Error()}}
	}
	return nil
}

// given returns the kernel with its parameters where all of them are set, so that Adapt
// need not look at the rows.
func (j *job) given(k kernel.Kernel) kernel.Kernel {
	space := k.Space()
	theta := make([]float64, len(space))
	for i, d := range space {
		if len(j.set.params[d.Name]) != 1 {
			return k
		}
		theta[i] = j.set.params[d.Name][0]
	}
	if with, err := k.With(theta); err == nil {
		return with
	}
	return k
}

// machineParams are the parameters that are not the kernel's.
var machineParams = []string{"lambda", "C", "nu", "epsilon", "gamma_a", "gamma_i", "neighbours", "degree", "width", "order", "max_q", "floor", "semigroup"}

// places lists the dimensions a name stands for: the one of that name, or all of
// a list (sigma for sigma[1], sigma[2], ...).
func places(space param.Space, name string) []int {
	if i := space.Index(name); i >= 0 {
		return []int{i}
	}
	var at []int
	for i, d := range space {
		if strings.HasPrefix(d.Name, name+"[") {
			at = append(at, i)
		}
	}
	return at
}

// validation draws the folds of k-fold and hold-out scores.
func (j *job) validation() error {
	t := j.tune
	if t.folds == 0 && t.share == 0 {
		return nil
	}
	k := t.folds
	if t.share > 0 {
		k = max(2, int(math.Round(1/t.share)))
	}
	l := len(j.problem.Labelled)
	if k > l {
		return fmt.Errorf("%s: --tune %s asks %d folds of %d labelled rows; ask for fewer or label more", j.in.Set.Source, t.name, k, l)
	}
	part, err := data.Folds(j.labels, k, j.seed())
	if err != nil {
		return err
	}
	for _, s := range part.Short {
		j.warnings = append(j.warnings, fmt.Sprintf("class %s has %d labelled rows and misses from %d of %d folds", s.Class, s.Rows, s.Missing, k))
	}
	j.folds = j.places(part)
	if t.share > 0 {
		j.folds = j.folds[:1]
	}
	if j.tune.criterion == nil {
		j.tune.criterion = score.LogLoss{}
		if j.labels.Task == data.Regression {
			j.tune.criterion = score.Press{}
		}
	}
	return nil
}

// places turns the rows of folds into their numbers among the labelled.
func (j *job) places(part data.Partition) (folds [][]int) {
	place := make(map[int]int, len(j.problem.Labelled))
	for i, row := range j.problem.Labelled {
		place[row] = i
	}
	for _, rows := range part.Groups() {
		fold := make([]int, len(rows))
		for q, row := range rows {
			fold[q] = place[row]
		}
		folds = append(folds, fold)
	}
	return folds
}

func (j *job) seed() uint64 { return j.recipe.seed() }

func (r Recipe) seed() uint64 {
	if r.Seed == 0 {
		return 1
	}
	return r.Seed
}

// leaveOut is the score of the job for a kernel.
func (j *job) leaveOut(work *kernel.Work) score.LeaveOut {
	c := j.tune.criterion
	if c == nil {
		c = score.Press{} // with gcv or none: for the record only
	}
	return score.LeaveOut{
		Kernel: j.base, Problem: j.problem, Work: work, Criterion: c,
		Folds: j.folds, GCV: j.tune.gcv, Penalty: j.charge, Offset: j.offset,
	}
}

// intrinsicScale is the s of score.Laplacian: 1/n^2 or 1.
func (j *job) intrinsicScale() float64 {
	if j.set.unscaled {
		return 1
	}
	n := float64(j.problem.Rows.Len())
	return 1 / (n * n)
}

// model joins the chosen machines into one function: the sum of their outputs,
// each with its weight. Machines on the same base kernel share one expansion.
func (j *job) model(c *auto.Choice) (*model.Model, error) {
	p := j.problem
	m := &model.Model{
		Method: j.methodOf(c), Task: p.Task, Classes: p.Classes, Label: j.in.Set.LabelName, Columns: p.Rows.Dim(),
		Features: j.in.Set.Features, Sparse: p.Rows.IsSparse(), Scaling: j.scaling, Pairs: p.Coding.Pairs,
	}
	var expansions []kernel.Expansion
	var offset []float64
	for _, member := range c.Members {
		for _, e := range member.Expansions {
			expansions = addExpansion(expansions, e, member.Weight)
		}
		offset = addScaled(offset, member.Weight, member.B)
	}
	m.Parts = model.Single(expansions, addScaled(offset, 1, c.Offset))
	if p.Task == data.Classification {
		if left := j.leftOut(c); left != nil {
			m.Calibration = j.calibration(left)
		} else if j.logistic() && p.Outputs() == 1 {
			m.Calibration = calibrate.Sigmoid{Slope: 1} // what the loss fits
		} // else nothing was scored: no probabilities
	}
	return m, nil
}

// logistic says whether the loss is that of a model of probabilities.
func (j *job) logistic() bool {
	if l := j.recipe.Set["loss"]; l != "" {
		return l == "logistic"
	}
	return len(j.method.losses) > 0 && j.method.losses[0] == "logistic"
}

// calibration fits probabilities to the left-out outputs; nil where they say
// nothing. With many rows every pair has a slope and an offset; with few there is
// one slope for all outputs, the temperature of the log loss.
func (j *job) calibration(left *mat.Dense) calibrate.Calibration {
	p := j.problem
	judged := score.Judged(j.folds) // rows that no fold leaves out are fitted, and too sure
	t := score.Temperature(p, judged, left)
	if judged == nil {
		judged = make([]int, len(p.Labelled))
		for i := range judged {
			judged[i] = i
		}
	}
	few := len(judged) <= manyLabels
	switch {
	case p.Coding.Pairs:
		class := make([]int, len(judged))
		for q, i := range judged {
			class[q] = p.Class[i]
		}
		if !few {
			if c, err := calibrate.FitPairs(pick(left, judged), class, p.Coding.Classes); err == nil {
				return c
			}
		}
		if t > 0 {
			c := calibrate.Pairs{Classes: p.Coding.Classes, Pair: slices.Repeat([]calibrate.Sigmoid{{Slope: t}}, p.Outputs())}
			if c.FitPower(pick(left, judged), class) == nil {
				return c
			}
		}
	case t > 0 && p.Outputs() > 1:
		return calibrate.Softmax{Temperature: t}
	case t > 0 && (few || j.method.losses == nil):
		return calibrate.Sigmoid{Slope: t}
	case p.Outputs() == 1:
		scores, second := make([]float64, len(judged)), make([]bool, len(judged))
		for q, i := range judged {
			scores[q], second[q] = left.At(i, 0), p.Class[i] == 1
		}
		if c, err := calibrate.FitSigmoid(scores, second); err == nil {
			return c
		}
	}
	return nil
}

// addScaled returns sum + w v; nil vectors are zero.
func addScaled(sum []float64, w float64, v []float64) []float64 {
	if v != nil && sum == nil {
		sum = make([]float64, len(v))
	}
	for k, x := range v {
		sum[k] += w * x
	}
	return sum
}

// addExpansion adds w e to the sum, joining it with an expansion of the same
// kernel on the same rows.
func addExpansion(sum []kernel.Expansion, e kernel.Expansion, w float64) []kernel.Expansion {
	var coef mat.Dense
	coef.Scale(w, e.Coef)
	for i, s := range sum {
		if s.Centres.Dense == e.Centres.Dense && s.Centres.Sparse == e.Centres.Sparse && sameKernel(s.Kernel, e.Kernel) {
			sum[i].Coef.Add(s.Coef, &coef)
			return sum
		}
	}
	return append(sum, kernel.Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: &coef})
}

func sameKernel(a, b kernel.Kernel) bool {
	x, errX := kernel.Marshal(a)
	y, errY := kernel.Marshal(b)
	return errors.Join(errX, errY) == nil && string(x) == string(y)
}

// method is what was fitted: for auto the family chosen.
func (j *job) methodOf(c *auto.Choice) string {
	if j.recipe.Method != "" && j.recipe.Method != "auto" {
		return j.recipe.Method
	}
	if _, _, semi := graphsOf(c); semi {
		return "lap-rls"
	}
	return "rls"
}

// kernelOf is the specification of a machine's base kernel: the one asked for, or
// the linear one that auto tries beside the default.
func (j *job) kernelOf(c *auto.Candidate) string {
	base := c.Kernel
	if w, ok := manifold.Warped(base); ok {
		base = w.Base
	}
	if _, ok := base.(kernel.Linear); ok {
		return "linear"
	}
	return j.kernelSpec()
}

// names gives a machine's parameters their canonical names.
func (j *job) names(c *auto.Candidate, id string) map[string]any {
	out := map[string]any{}
	l := float64(len(j.problem.Labelled))
	m, _ := methodOf(id)
	base := c.Kernel
	w, warped := manifold.Warped(base)
	if warped {
		base = w.Base
		describeNorm(out, w.Norm, j.recipe.Views)
	}
	strength := "lambda" // of the averaged loss
	if m.losses != nil {
		for i, d := range j.learner().Space(1, 1) {
			out[d.Name] = c.Theta[i]
		}
		strength = ""
		if name := j.recipe.Set["loss"]; name != "" {
			out["loss"] = name
		}
	}
	if m.semi || warped {
		strength = "gamma_a"
		delete(out, "C")
		out["gamma_i"] = w.Ratio * c.Lambda / l / j.intrinsicScale()
	}
	if strength != "" {
		out[strength] = c.Lambda / l
	}
	if m.total {
		out[strength] = c.Lambda
	}
	for i, d := range base.Space() {
		name := d.Name
		if j.kept != nil {
			name = parameter(base, i, name)
		}
		out[name] = d.Default
	}
	return out
}
