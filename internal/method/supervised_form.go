package method

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// supervisedForms are those of machines without a graph. Least squares are computed in the columns of a
// kernel with fewer features than labelled rows, else in the labelled block of the Gram matrix.
// Machines in the dual compute rows of the block as they are needed, and machines with a smooth loss
// need the features alone where these are fewer than the rows. With more labelled rows than tables are made for,
// both have the features that landmarks give (low_rank_form.go).
func (k machine) supervisedForms() []Form {
	if k.losses == nil && k.own == nil {
		return []Form{
			k.basisForm(),
			{Name: "columns", Produce: k.tables, Bytes: k.columnBytes, Work: k.columnWork, Suits: func(s task.Size, r task.Request) bool {
				columns := features(s, r)
				return columns > 0 && columns < s.Labelled && !searchedFor(r)
			}},
			k.lowRankForm(),
			{Name: "tables", Produce: k.tables, Bytes: squareBytes, Work: k.squareWork},
		}
	}
	if k.losses == nil { // erm
		return []Form{{Name: "tables", Produce: k.tables, Bytes: squareBytes, Work: k.squareWork}}
	}
	if k.family.Linear() {
		return []Form{{Name: "columns", Produce: k.tables, Bytes: k.learnerBytes, Work: k.learnerWork}}
	}
	tables := Form{Name: "tables", Produce: k.tables, Bytes: k.learnerBytes, Cache: k.kernelRows, Work: k.learnerWork}
	if k.reducible() {
		return []Form{k.basisForm(), k.lowRankForm(), tables}
	}
	if k.onBasis() {
		return []Form{k.basisForm(), tables}
	}
	return []Form{tables}
}

// columnBytes are those of the labelled features, of these less their means and of their eigenvectors.
func (k machine) columnBytes(s task.Size, r task.Request) float64 {
	l, columns := float64(s.Labelled), float64(features(s, r))
	return 8 * (4*l*columns + 6*columns*columns + supervisedNumbers(s, r, 4*2*float64(s.Rows)*float64(s.Outputs)))
}

// columnWork is the product of the features and its eigenvectors, and a path of ridges.
func (k machine) columnWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	d := float64(features(s, r))
	each := cost.Product(z.l, d, z.c).Times(4).Plus(z.judgeWork(), Work{Passes: 16 * z.l * d})
	if f := float64(r.Scoring.Folds); f > 0 {
		few := min(z.l/f, d) // a fold is solved in its rows, or in the columns
		each = each.Plus(Work{Products: z.l * few * d}, cost.Cholesky(few).Times(f))
	}
	return z.rowWork().Plus(
		Work{Products: 3 * z.l * d * d, Passes: 40 * z.l * d},
		cost.Eigen(d),
		each.Times(z.ridges(r)),
		cost.Product(z.n, d, z.c).Times(2),
	)
}

// squareBytes is what regularised least squares need, as tools/lab/forecast measures it: the labelled
// block, its eigenvectors and the workspace for them; for scores by folds the blocks of the folds; for
// a search the distances of all rows, which do not change where a kernel has one width.
func squareBytes(s task.Size, r task.Request) float64 {
	l, n := float64(s.Labelled), float64(s.Rows)
	t := 6*l*l + panelRows*l
	if folded(r) {
		t += 2 * l * l
	}
	if searchedFor(r) && !widthEach(r) {
		t += n*n - l*l
	}
	return 8 * (t + supervisedNumbers(s, r, searchedMachines*2*n*float64(s.Outputs)))
}

// panelRows is how many rows have their kernel values in memory at once in a prediction.
const panelRows = 512

// folded says whether machines are judged by folds.
func folded(r task.Request) bool { return r.Scoring.Folds > 0 || r.Scoring.Share > 0 }

// supervisedNumbers are those of the rows and columns themselves and of what is kept of machines, of
// fits without a graph.
func supervisedNumbers(s task.Size, r task.Request, kept float64) float64 {
	rows := 2 * s.Stored
	if k := r.Recipe.Scale; s.Sparse && (k == "" || k == "auto" || k == "none") && s.Labelled == s.Rows {
		rows = 0 // nothing is scaled or selected, and so nothing copied
	}
	return rows + kept + 20*float64(s.Rows) + columnNumbers(s, r)*float64(s.Features)
}

// squareWork is what a design or a search does on the labelled block.
func (k machine) squareWork(s task.Size, r task.Request) Work {
	if !searchedFor(r) {
		return k.designWork(s, r)
	}
	z := sizeOf(s)
	each := cost.Gram(z.l, z.l, z.d).Plus(Work{Products: z.l * z.l * z.l, Passes: 64 * z.l * z.l})
	if task.Differentiates(r.Search()) { // the cotangent of the block, and the block again
		each = each.Plus(cost.Gram(z.l, z.l, z.d).Times(2), Work{Products: 3 * z.l * z.l * z.l, Passes: 64 * z.l * z.l})
	}
	return z.rowWork().Plus(each.Times(evaluations(r)), z.squareMachine(r))
}

// widths is how many kernels a design of machines without a graph tries.
func (k machine) widths(s task.Size, r task.Request) float64 {
	base, err := r.ParseKernel(r.Spec(s.Sparse), s.Names)
	if err != nil {
		return 1 // the fit is refused
	}
	widths := len(designOf(r, s, base).Supervised(k.id))
	if b := r.Recipe.Budget; b > 0 {
		widths = min(widths, b)
	}
	return float64(widths)
}

// trainings is how many machines are trained: one a fold and point. Left-out outputs without folds
// come from one training.
func trainings(r task.Request, widths float64) float64 {
	points := 7.0 // decades of C
	switch {
	case r.Scoring.None:
		return 1
	case searchedFor(r):
		points = evaluations(r)
	default:
		points *= widths
	}
	if searchedFor(r) && task.Differentiates(r.Search()) {
		points *= 3 // with derivatives, from machines that are trained exactly
	}
	return points * max(float64(r.Scoring.Folds), 1)
}

// learnerWork is what machines without a closed form do: trainings in columns, in the dual by rows of
// the kernel, or by Newton's method on the labelled block.
func (k machine) learnerWork(s task.Size, r task.Request) Work {
	z, t := sizeOf(s), trainings(r, k.widths(s, r))
	t *= min(float64(k.outputs(s, r)), max(z.machines(), float64(k.outputs(s, r)-1)))
	w := z.rowWork().Plus(cost.Gram(z.n, z.l/2, z.d), cost.Product(z.n, z.l/2, z.c))
	switch columns, linear := k.linearForm(s, r); {
	case linear:
		return z.rowWork().Plus(newtonWork(s, columns).Times(newtonSteps*t), z.judgeWork().Times(2))
	case k.smooth(r.Values):
		if f := float64(r.Scoring.Folds); f > 0 {
			z.l *= 1 - 1/f
		}
		return w.Plus(cost.Gram(z.l, z.l, z.d), cost.Cholesky(z.l).Plus(Work{Passes: 16 * z.l * z.l}).Times(newtonSteps*t))
	}
	rows := z.l
	if k.pairs(r) && z.c > 2 {
		rows *= 2 / z.c
	}
	each := cost.Gram(rows, rows/8, z.d).Plus(Work{Passes: 12 * rows * rows})
	if k.family == OneClass {
		share := cmp.Or(r.Values.Number(nu), 0.1)
		each = cost.Gram(z.l, z.l*share, z.d).Plus(Work{Passes: 60 * share * z.l * z.l})
	}
	if s.Task == data.Regression {
		each = each.Times(4) // both sides of the tube
	}
	if c := r.Values.Number(task.C); c > 1 {
		each = each.Times(math.Sqrt(c)) // steps until the coefficients have grown to their bound
	}
	return w.Plus(each.Times(t))
}

// newtonWork is a step of Newton's method in columns: a factorisation, or conjugate gradients in passes.
func newtonWork(s task.Size, columns int) Work {
	l, d := float64(s.Labelled), float64(columns)
	if smooth.Factored(columns, s.Sparse) {
		return Work{Products: l * d * d, Passes: 40 * l * d}
	}
	pass := 2 * 8 * s.Stored * l / float64(s.Rows)
	return Work{Passes: gradientSteps * (pass + 40*d)}
}

// gradientSteps is how many steps of conjugate gradients a step of Newton's method usually takes.
const gradientSteps = 12

// newtonSteps is how many a training usually takes that begins at the one before.
const newtonSteps = 3.5

// outputs is the number of two-class machines.
func (k machine) outputs(s task.Size, r task.Request) int {
	if k.pairs(r) {
		return max(s.Outputs*(s.Outputs-1)/2, 1)
	}
	return s.Outputs
}

// learnerBytes are those of machines without a closed form: the coefficients and outputs of one
// candidate at a time, and of the best, and what it is solved in.
func (k machine) learnerBytes(s task.Size, r task.Request) float64 {
	l := k.machineRows(s, r)
	kept := 4 * 2 * float64(s.Rows) * float64(k.outputs(s, r))
	switch columns, linear := k.linearForm(s, r); {
	case linear:
		kept += linearNumbers(s, r, columns)
	case k.kernelRows(s, r) > 0:
		together := float64(max(min(s.Processors, k.outputs(s, r)), 1))
		kept += together * dualNumbers(l, s.Stored*l/float64(s.Labelled), k.kernelRows(s, r))
	default:
		kept += k.blockTables(s, r)*l*l + panelRows*float64(s.Labelled)
	}
	return 8 * supervisedNumbers(s, r, kept)
}

// machineRows is the number of rows of a machine, of pairs of classes the largest.
func (k machine) machineRows(s task.Size, r task.Request) float64 {
	if k.pairs(r) && s.Outputs > 2 && s.Pair > 0 {
		return float64(s.Pair)
	}
	return float64(s.Labelled)
}

// pairs says whether several classes are told apart two by two.
func (k machine) pairs(r task.Request) bool {
	scheme := r.Values.Word(task.Scheme)
	return k.id == svmID && scheme != "one-vs-rest" || scheme == "one-vs-one"
}

// blockTables is how many l x l tables a machine has that is trained on the whole labelled block:
// the block, and for each machine that is trained at the same time, of an output or a fold, its
// own and a factor; in the dual its two forms in single precision.
func (k machine) blockTables(s task.Size, r task.Request) float64 {
	each := 1.0
	together := min(s.Processors, k.outputs(s, r))
	if folded(r) || !r.Scoring.None {
		each, together = 2, s.Processors
	}
	t := 1 + each*float64(max(together, 1))
	if searchedFor(r) {
		t++ // the distances
	}
	return t
}

// kernelRows is how many bytes of kernel rows the machine keeps at most:
// none in the primal, nor in the dual for 2048 rows or fewer, whose whole block is
// computed, in double and twice in single precision.
func (k machine) kernelRows(s task.Size, r task.Request) int64 {
	if _, linear := k.linearForm(s, r); linear || k.machineRows(s, r) <= 2048 || k.smooth(r.Values) {
		return 0
	}
	cache := s.Cache
	if cache == 0 {
		cache = defaultCache
	}
	l := int64(k.machineRows(s, r))
	return min(cache, 4*l*l)
}

// defaultCache is what a dual solver keeps of kernel rows unless told otherwise.
const defaultCache = 200 << 20

// dualNumbers is how many 8-byte numbers a machine trained in the dual keeps beside its
// rows: all rows in single precision, kernel rows, a working set's block of at most 4096
// squared, and panels of 32 MB.
func dualNumbers(l, stored float64, cache int64) float64 {
	const working, panels = 4096 * 4096 / 2, 4 << 20
	return stored/2 + float64(cache)/8 + math.Min(working, l*l/2) + panels
}

// linearNumbers is the same for the linear form of a smooth loss: the labelled rows, those of a fold less their means
// if they are dense; the Hessian and its factor where the columns allow, panels of 512 rows; weights, directions and
// sums of products of as many machines as are trained at the same time.
func linearNumbers(s task.Size, r task.Request, d int) float64 {
	columns, copies, together := float64(d), 2.0, 1.0
	if folded(r) {
		copies = 4
	}
	if folded(r) || s.Outputs > 1 {
		together = float64(max(s.Processors, 1))
	}
	if s.Sparse {
		copies = 1.0 / 3 // of the column numbers
		if s.Labelled < s.Rows {
			copies++
		}
	}
	square := 0.0
	if d <= 4096 {
		square = 2*columns*columns + 1024*columns
	}
	return copies*s.Stored + square + together*40*columns
}

// linearForm says whether the machine trains in columns: a smooth loss, and a kernel with
// features that smooth.Learner trains there. columns is their number.
func (k machine) linearForm(s task.Size, r task.Request) (columns int, ok bool) {
	columns = features(s, r)
	descent := r.Values.Is(solverOf(nil), "gradient")
	return columns, k.smooth(r.Values) && columns > 0 && (descent || smooth.InColumns(s.Labelled, columns) || k.family.Linear() && s.Sparse)
}

// features is the number of features of the kernel, 0 if it has none.
func features(s task.Size, r task.Request) (columns int) {
	if s.One.Dense == nil && s.One.Sparse == nil || r.Recipe.Groups != "" {
		return 0
	}
	g, err := r.ParseKernel(r.Spec(s.Sparse), s.Names)
	if err != nil {
		return 0
	}
	// Whether there are features does not depend on the rows: one stands for all.
	bound, err := g.Adapt(s.One).Bind(context.Background(), s.One, nil)
	if err != nil {
		return 0
	}
	x, ok := kernel.Features(bound)
	if !ok {
		return 0
	}
	return x.Dim()
}
