package method

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
)

// transductive describes a machine that decides the unlabelled rows while it learns: an algorithm of
// package s3vm on a kernel without a graph. The file of a method fills it in.
type transductive struct {
	machine // id and losses; its learner is made here
	// solver is the algorithm; nil: the supervised machine, to which the unlabelled rows give the kernel.
	solver func(*task.Task) s3vm.Solver
	// numbers is how many 8-byte numbers one output has beside the matrix of n rows, training what one
	// training of it does once the matrix is there.
	numbers  func(n float64, r task.Request) float64
	training func(n float64, r task.Request) Work
	// prepared, if not nil, is what all outputs and trainings on one matrix share: numbers beside it, and work.
	prepared func(n float64, r task.Request) (numbers float64, work Work)
	paths    *pathSpace // the kernel in the place of the task's; nil: that one
	// specific are the settings of this method alone. They say how unlabelled rows take part, and mean nothing where
	// none does.
	specific []setting.Setting
	// steps are those of conjugate gradients that a training of a machine in columns takes, each two products with the
	// rows: it has no matrix.
	steps float64
	// stops is --tol of the method.
	stops setting.Setting
}

// These settings belong to transductive machines only.
var (
	unlabelledWeight = setting.Setting{
		Name:    "unlabelled_weight",
		Range:   setting.NotNegative(),
		Default: "1",
		About:   "weight of the mean loss of the unlabelled rows against that of the labelled ones; 0: the supervised machine",
	}
	positive = setting.Setting{
		Name:    "positive",
		Says:    balanced.Says,
		Form:    balanced.Form,
		Default: balanceWord,
		About:   "the shares of classes in which unlabelled rows are decided while the machine learns",
	}
)

// supervisedTwins are the methods that a transductive machine is without unlabelled rows, by its loss.
var supervisedTwins = map[string]string{"hinge": svmID, "squared-hinge": l2ID, "square": "rls"}

// twin is the id of the supervised method with this loss.
func (k transductive) twin(loss string) string {
	if k.family == TransductiveLinear {
		return linearID
	}
	return supervisedTwins[loss]
}

// supervised is the machine with the losses that it is without unlabelled rows.
func (k transductive) supervised() machine {
	if k.family == TransductiveLinear {
		return machine{family: Linear, losses: k.losses}
	}
	return machine{losses: k.losses}
}

// transduces says whether unlabelled rows take part, of so many rows with so many labels.
func transduces(rows, labelled int, v setting.Values) bool {
	return labelled < rows && !(v.Given(unlabelledWeight) && v.Number(unlabelledWeight) == 0)
}

// learner is that of the task: the supervised one where no unlabelled row takes part.
func (k transductive) learner(t *task.Task) learn.Learner {
	if !transduces(t.Problem.Rows.Len(), t.Labelled(), t.Values) || k.solver == nil {
		return k.supervised().solver(t)
	}
	shares, _, _ := wanted(t) // checked before
	return s3vm.Learner{Solver: k.solver(t), Offset: t.Offset, Shares: shares, Unlabelled: t.Values.Number(unlabelledWeight)}
}

// wanted are the shares of classes in which a transductive method decides unlabelled rows, and, where they are
// those of the labels, their standard error sqrt(p (1 - p)/l), as of labels that were drawn.
func wanted(t *task.Task) (shares, deviation []float64, err error) {
	if t.Values.Given(positive) && t.Values.Text(positive) != balanceWord {
		shares, err = sharesOf(t, positive)
		return shares, nil, err
	}
	shares = s3vm.Shares(t.Problem)
	for _, p := range shares {
		deviation = append(deviation, math.Sqrt(p*(1-p)/float64(t.Labelled())))
	}
	return shares, deviation, nil
}

// Asked are the shares of classes in which the task's method was to decide unlabelled rows while it learned, nil
// where it was not, and their standard error where they are those of the labels.
func Asked(t *task.Task, m Method) (shares, deviation []float64) {
	if !m.Has(positive.Key()) || t.Labelled() == t.Problem.Rows.Len() || t.Problem.Class == nil {
		return nil, nil
	}
	shares, deviation, _ = wanted(t)
	return shares, deviation
}

// produce makes the candidates, and trains the supervised machine beside it.
func (k transductive) produce(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if _, _, err := wanted(t); err != nil {
		return nil, err
	}
	if t.Labelled() == t.Problem.Rows.Len() {
		t.Warn("no row is unlabelled: the machine is that of --method %s%s", k.twin(k.loss(t.Values)), k.idle(t.Values))
	}
	s, err := k.trained(ctx, t)
	if err != nil || !transduces(t.Problem.Rows.Len(), t.Labelled(), t.Values) {
		return s, err
	}
	s.Safe = false
	for _, m := range s.Members {
		m.Transductive = true
	}
	twin := k.supervised().solver(t)
	if k.loss(t.Values) == "square" {
		twin = nil // in closed form
	}
	if s.Baseline, err = baseline(ctx, t, twin); s.Baseline != nil {
		s.Baseline.Method = k.twin(k.loss(t.Values))
	}
	return s, err
}

// idle names what is set and means nothing where no row is unlabelled, as the end of a sentence.
func (k transductive) idle(v setting.Values) string {
	var names []string
	for _, s := range append([]setting.Setting{unlabelledWeight, positive}, k.specific...) {
		if v.Given(s) {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ", for which --set " + strings.Join(names, ", --set ") + " means nothing"
}

// trained are the candidates of the machine in its space.
func (k transductive) trained(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	if k.paths == nil || !transduces(t.Problem.Rows.Len(), t.Labelled(), t.Values) {
		return k.machine.produce(ctx, t, nil)
	}
	moved, err := k.paths.task(ctx, t)
	if err != nil {
		return nil, err
	}
	s, err := k.machine.produce(ctx, moved, nil)
	t.Warnings = moved.Warnings
	if err == nil {
		k.paths.warn(t, s)
	}
	return s, err
}

// settings are those of every transductive machine, after its own.
func (k transductive) settings() []setting.Setting {
	list := append(slices.Clone(k.specific), task.C)
	if k.solver != nil {
		list = append(list, unlabelledWeight, positive)
	}
	list = append(append(list, k.lossOf()...), task.Scheme, perClass, balanced, task.Rho, task.Eta, task.Points, k.stops, task.Outer,
		k.offset())
	if k.paths == nil {
		list = append(list, task.Kernel, task.Groups)
	}
	return append(list, task.Tune, task.Search, task.Budget, task.Weight)
}

// params are those of the machine, and the shares that it was given.
func (k transductive) params(t *task.Task, c *choose.Candidate) map[string]any {
	out := k.machine.params(t, c)
	if v := t.Values; v.Given(unlabelledWeight) && t.Labelled() < t.Problem.Rows.Len() {
		out[unlabelledWeight.Name] = v.Number(unlabelledWeight)
	}
	if k.paths != nil {
		k.paths.params(out, c.Kernel)
	}
	return out
}

// form has the n x n matrix.
func (k transductive) form() Form {
	return Form{
		Name: "tables",
		Bytes: func(s task.Size, r task.Request) float64 {
			if !transduces(s.Rows, s.Labelled, r.Values) {
				return k.supervised().learnerBytes(s, r)
			}
			n := float64(s.Rows)
			together := sizeOf(s).machines()
			if !r.Scoring.None {
				together = float64(s.Processors) // folds, too, are trained side by side
			}
			together = max(1, min(together, float64(s.Processors)))
			tables := n*n + together*k.numbers(n, r) + panelRows*n
			if k.prepared != nil {
				numbers, _ := k.prepared(n, r)
				tables += numbers
			}
			if k.paths != nil {
				tables += k.paths.numbers(n)
			}
			if searchedFor(r) {
				tables += n * n // the distances
			}
			return 8 * (tables + supervisedNumbers(s, r, designMachines*2*n*float64(s.Outputs)))
		},
		Work:    k.work,
		Produce: k.produce,
	}
}

// tableDualNumbers is how many 8-byte numbers package dual keeps to solve duals of m variables on a table of n rows one
// after the other. Up to 1024 variables they are the table in the order of the rows, and of the variables; beyond, in single
// precision, the matrix of a working set of at most 4096 variables, as many kernel rows as it stores, and two panels of
// 2^21 values: of rows that it does not store, and of those that get places here and there in the store. Of what the dual
// before had, seven tenths are not collected yet at the peak, as tools/lab/forecast measures them.
func tableDualNumbers(n, m float64) float64 {
	const direct, working, stored, panel = 1024, 4096, defaultCache / 4, 2 << 20
	if m <= direct {
		return n*n + 2*m*m
	}
	return 1.7 * (min(working*working, m*m) + min(stored, n*n) + 2*min(panel, n*n)) / 2
}

// work is a matrix for every kernel, and trainings of every output for every fold and strength.
func (k transductive) work(s task.Size, r task.Request) Work {
	if !transduces(s.Rows, s.Labelled, r.Values) {
		return k.supervised().learnerWork(s, r)
	}
	z := sizeOf(s)
	widths, once := k.widths(s, r), z.rowWork()
	if k.paths != nil {
		widths, once = k.paths.widths(r), once.Plus(k.paths.work(z))
	}
	kernels, points, folds := tried(s, r, widths)
	each, matrix := k.training(z.n, r).Times(z.machines()), cost.Gram(z.n, z.n, z.d)
	if k.prepared != nil {
		_, work := k.prepared(z.n, r)
		matrix = matrix.Plus(work)
	}
	return once.Plus(matrix.Times(kernels), each.Times(points*folds+kernels), cost.Gram(z.n, z.n, z.d))
}

// tried is how many kernels are made, and with how many strengths machines are judged, by how many trainings each.
func tried(s task.Size, r task.Request, widths float64) (kernels, points, folds float64) {
	kernels, folds = widths, float64(r.Scoring.Folds)
	if folds == 0 {
		folds = float64(s.Labelled)
	}
	points = widths * 6 // decades of C
	switch {
	case r.Scoring.None:
		kernels, points, folds = 1, 0, 1
	case searchedFor(r):
		kernels = evaluations(r)
		points = kernels
	case r.Values.Given(task.C):
		points = widths
	}
	return kernels, points, folds
}

// columnForm has the rows as they are and vectors: of solvers in columns.
func (k transductive) columnForm() Form {
	return Form{
		Name: "columns",
		Bytes: func(s task.Size, r task.Request) float64 {
			n, d := float64(s.Rows), float64(s.Features)
			together := max(1, min(float64(s.Processors), sizeOf(s).machines()))
			if !r.Scoring.None {
				together = float64(max(s.Processors, 1))
			}
			// Of a machine: prices, outputs, systems and lists of rows; weights, directions and sums of products.
			return 8 * supervisedNumbers(s, r, together*(20*n+16*d)+2*searchedMachines*n*sizeOf(s).machines())
		},
		Work: func(s task.Size, r task.Request) Work {
			z := sizeOf(s)
			kernels, points, folds := tried(s, r, 1)
			each := Work{Passes: k.steps * (4*s.Stored + 20*z.n)}.Times(z.machines())
			return z.rowWork().Plus(each.Times(points*folds + kernels))
		},
		Produce: k.produce,
	}
}

// fewLabels is the number up to which each label is left out alone: with more, as many trainings over all
// rows would take long, and five folds are enough to compare strengths by.
const fewLabels = 10

// method fills in what follows.
func (k transductive) method(m Method) Method {
	k.own, k.baseline = k.learner, k.twin(k.losses[0])
	m = k.declare(m)
	m.For, m.Params, m.Forms = classes, k.params, []Form{k.form()}
	if k.family == TransductiveLinear {
		m.Forms = []Form{k.columnForm()}
	}
	m.Rules, m.Certificate = append(m.Rules, k.rules()...), k.certificate()
	return m
}

// rules are those of the machine.
func (k transductive) rules() []rule {
	return []rule{k.gridded, smoothScore, k.eachClassSearched, k.outerJudged, func(r task.Request) string {
		v := r.Values
		return when(
			v.Given(positive) && v.Text(positive) != balanceWord && v.Is(perClass, "yes"),
			"--set positive with --set per_class=yes: each class has the share of its labels; leave one of them out",
		)
	}, k.weightless}
}

// weightless refuses what has no meaning where unlabelled rows weigh nothing.
func (k transductive) weightless(r task.Request) string {
	v := r.Values
	if !v.Given(unlabelledWeight) || v.Number(unlabelledWeight) != 0 {
		return ""
	}
	for _, s := range append([]setting.Setting{positive}, k.specific...) {
		if v.Given(s) {
			return fmt.Sprintf("--set %s with --set unlabelled_weight=0: no unlabelled row is decided; leave one of them out", s.Name)
		}
	}
	return ""
}
