package reproduce

// Protocol of Sindhwani 2007, chapter 3: machines that decide the unlabelled rows while they learn. The source has
// two scales, sums (eq. 3.1, tables 3.1 and 3.2) and means (eq. 3.7, the other tables), l labelled and u unlabelled rows:
//
//	gamma/2 |f|^2 + 1/2 sum_L V + gamma'/2 sum_U V               C = 1/(2 gamma),  weight of the unlabelled rows gamma' u/l
//	lambda/2 |f|^2 + 1/l sum_L V + lambda'/u sum_U V             C = 1/(lambda l), weight lambda'
//
// The second halves losses that are squares, for which C = 1/(2 lambda l). C and the weight are those of package s3vm,
// whose objective is the one above over gamma, or lambda. Functions have no offset, as in eqs 3.4 and 3.9.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
)

// strengthOfMeans is C of the scale of means, with a loss that the source halves or not.
func strengthOfMeans(lambda float64, labels int, halved bool) float64 {
	c := 1 / (lambda * float64(labels))
	if halved {
		c /= 2
	}
	return c
}

// rival is an algorithm that the chapter compares.
type rival struct {
	name   string
	solver s3vm.Solver
	halved bool // the source halves its loss in the scale of means
}

// labelToy is a set whose labels are known of some rows.
func labelToy(set *data.Set, labelled []int) *toy {
	all := classesOf(set)
	return &toy{learn.NewProblem(set.Rows, known(all.Classes, all.Class, labelled)), all.Class, new(kernel.Work)}
}

// outputs are those of a machine on all rows.
func (t *toy) outputs(ctx context.Context, g kernel.Gram, m *learn.Machine) *mat.Dense {
	return evaluated(ctx, g, m, t.problem.Outputs())
}

// hidden are the rows without a label.
func (t *toy) hidden() []int { return learn.Others(len(t.class), t.problem.Labelled) }

// shares are those of the classes among the rows without a label, which the source's machines are told.
func (t *toy) shares() []float64 {
	rows, list := t.hidden(), make([]float64, len(t.problem.Classes))
	for _, i := range rows {
		list[t.class[i]]++
	}
	for k := range list {
		list[k] /= float64(len(rows))
	}
	return list
}

// positiveOf is the class that an output is for.
func (t *toy) positiveOf(output int) int {
	if t.problem.Outputs() == 1 {
		return 1
	}
	return output
}

// balanced moves each output by a constant, so that as many rows without a label are above zero as are of its class.
func (t *toy) balanced(out *mat.Dense) *mat.Dense {
	moved := mat.DenseCopyOf(out)
	_, outputs := out.Dims()
	rows := t.hidden()
	for j := range outputs {
		count := 0
		var values []float64
		for _, i := range rows {
			values = append(values, out.At(i, j))
			if t.class[i] == t.positiveOf(j) {
				count++
			}
		}
		slices.Sort(values)
		cut := len(values) - count // this one and those above it are positive
		level := values[min(cut, len(values)-1)]
		if cut > 0 {
			level = (level + values[cut-1]) / 2
		}
		for i := range t.class {
			moved.Set(i, j, out.At(i, j)-level)
		}
	}
	return moved
}

// wrong is the share of rows without a label that are decided wrong, in percent.
func (t *toy) wrong(out *mat.Dense) float64 {
	rows := t.hidden()
	return wrongOf(indices.Of(t.problem.Coding.Decide(out), rows), indices.Of(t.class, rows))
}

// sumsObjective is that of eq. 3.1 over gamma with the squared hinge for the labels that outputs in balance give: the
// least of all functions, the mean of all outputs. Machines of any loss are so compared by what they decide.
func (t *toy) sumsObjective(ctx context.Context, k kernel.Kernel, out *mat.Dense, gamma, unlabelled float64) float64 {
	sum := 0.0
	_, outputs := out.Dims()
	for j := range outputs {
		y, weight := mat.Col(nil, j, out), slices.Repeat([]float64{unlabelled}, len(t.class))
		for q, i := range t.problem.Labelled {
			weight[i], y[i] = 1, sign(t.problem.Class[q] == t.positiveOf(j))
		}
		labels := labelsOf(y)
		decided := toy{learn.NewProblem(t.problem.Rows, labels), labels.Class, t.work}
		decided.problem.Weight = weight
		_, m := decided.train(ctx, k, smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.None}, 1/(2*gamma))
		sum += m.Certificate.Objective / float64(outputs)
	}
	return sum
}

// meansLambdas are those of section 3.6, where lambda' is 1.
var meansLambdas = []float64{1e-4, 1e-3, 1e-2, 1e-1}

// effectiveLosses are those of the chapter's figures, squares halved as in eq. 3.7.
var effectiveLosses = []struct {
	name string
	loss learn.Loss
	part float64 // of the loss of package learn
}{{"hinge (l1)", learn.Hinge(), 1}, {"squared hinge (l2)", learn.SquaredHinge(), 0.5}, {"square (sqr)", learn.Square(), 0.5}}

// outputsDrawn are the outputs at which losses are drawn.
func outputsDrawn() []float64 {
	const steps = 120
	f := make([]float64, steps+1)
	for k := range f {
		f[k] = -3 + 6*float64(k)/steps
	}
	return f
}

// annealedLoss is what a row without a label costs at a temperature, the least over the probability of the label; at 0 it is the
// effective loss, the lesser of the losses of both labels:
//
//	-T log(exp(-V(f)/T) + exp(-V(-f)/T))
func annealedLoss(t, plus, minus float64) float64 {
	least := min(plus, minus)
	if t == 0 {
		return least
	}
	return least - t*math.Log1p(math.Exp(-math.Abs(plus-minus)/t))
}

// drawLoss adds a curve of a loss to a picture, and its rows to the table: how much it tells rows beyond the margin
// to move, and rows within it.
func (l *lab) drawLoss(picture *Figure, name string, of func(f float64) float64) {
	c := Curve{Name: name, X: outputsDrawn()}
	for _, f := range c.X {
		c.Y = append(c.Y, of(f))
	}
	picture.Curves = append(picture.Curves, c)
	const step = 1e-4
	name = picture.Name + ", " + name
	l.add(name, "slope at f = 1.5", (of(1.5+step)-of(1.5-step))/(2*step))
	l.add(name, "value at f = 0 less that at f = 1", of(0)-of(1))
}

// lossFigure is an empty picture of losses.
func lossFigure(name, title string) Figure {
	return Figure{Name: name, Title: title, X: Axis{Name: "output f"}, Y: Axis{Name: "loss"}}
}

// sindhwaniF31 draws effective losses.
func sindhwaniF31(_ context.Context, l *lab) {
	picture := lossFigure("losses", "Effective losses min(V(f), V(-f))")
	for _, v := range effectiveLosses {
		l.drawLoss(&picture, v.name, func(f float64) float64 { return v.part * min(v.loss.Value(1, f), v.loss.Value(-1, f)) })
	}
	l.draw(picture)
}

// sindhwaniF34 draws annealed losses.
func sindhwaniF34(_ context.Context, l *lab) {
	for q, v := range effectiveLosses {
		picture := lossFigure([]string{"l1", "l2", "sqr"}[q], "Annealed effective loss of the "+v.name)
		for _, t := range []float64{10, 1, 0.3, 0.1, 0} {
			l.drawLoss(&picture, fmt.Sprintf("T = %g", t), func(f float64) float64 {
				// Less its value at 0 without a loss, which a high temperature takes far below the others.
				return annealedLoss(t, v.part*v.loss.Value(1, f), v.part*v.loss.Value(-1, f)) + t*math.Ln2
			})
		}
		l.draw(picture)
	}
}

// sindhwaniF35 draws the losses of algorithms that raise the weight of the unlabelled rows.
func sindhwaniF35(_ context.Context, l *lab) {
	v := effectiveLosses[1]
	for _, r := range []struct {
		name, title string
		of          func(f float64) float64
	}{
		{"JTSVM", "Effective loss of label switching, " + v.name,
			func(f float64) float64 { return v.part * min(v.loss.Value(1, f), v.loss.Value(-1, f)) }},
		{"grad-TSVM", "Effective loss of gradient descent", func(f float64) float64 { return v.part * math.Exp(-3*f*f) }},
	} {
		picture := lossFigure(r.name, r.title)
		for _, weight := range []float64{0.01, 0.1, 0.3, 0.6, 1} {
			l.drawLoss(&picture, fmt.Sprintf("lambda' = %g", weight), func(f float64) float64 { return weight * r.of(f) })
		}
		l.draw(picture)
	}
}

// minima compares the global minimum of eq. 3.1 with what other algorithms find, on draws of labels.
type minima struct {
	sigma, gamma float64
	printed      map[string][2]float64 // error and objective, in the source's scale
	laplacian    float64               // printed error of LapSVM
}

const (
	// sumsWeight is gamma' of tables 3.1 and 3.2.
	sumsWeight = 1

	// minimaNodes are visited at most, a tree.
	minimaNodes = 100_000

	branchBound = "Branch-Bound"

	sumsMetric = "objective of eq. 3.1 over gamma"
)

// minimaRivals are the algorithms of tables 3.1 and 3.2. Those that know the mean output alone search the one with
// which the decisions are in balance.
func minimaRivals() []rival {
	square := learn.SquaredHinge()
	return []rival{
		{name: "grad-S3VM", solver: s3vm.Gradient{Decisions: true}},
		{name: "cS3VM", solver: s3vm.Continuation{Decisions: true}},
		{name: "CCCP", solver: s3vm.Concave{Decisions: true}},
		{name: "SVMlight", solver: s3vm.Switching{}},
		{name: "DA", solver: s3vm.Annealing{Loss: square}},
		{name: branchBound, solver: s3vm.Branch{Loss: square, Nodes: minimaNodes, Seeds: []s3vm.Solver{
			s3vm.Switching{Loss: square}, s3vm.Annealing{Loss: square},
		}}},
		// The last, because rounding decides which minimum it ends in, and a rehearsal leaves it out.
		{name: "DA (l1)", solver: s3vm.Annealing{Loss: learn.Hinge()}},
	}
}

// attempt is what an algorithm found on a draw.
type attempt struct {
	wrong, objective float64
	nodes            int
	certified        bool
}

// attempts are those of all algorithms on a draw.
func (q minima) attempts(ctx context.Context, t *toy, rivals []rival) []attempt {
	k := kernel.Gaussian{Sigma: q.sigma}
	u := float64(len(t.class) - len(t.problem.Labelled))
	weight := sumsWeight * u / float64(len(t.problem.Labelled))
	list := make([]attempt, len(rivals))
	for i, r := range rivals {
		learner := s3vm.Learner{Solver: r.solver, Shares: t.shares(), Unlabelled: weight}
		var g kernel.Gram
		var m *learn.Machine
		during(r.name, func() { g, m = t.train(ctx, k, learner, 1/(2*q.gamma)) })
		own := t.balanced(t.outputs(ctx, g, m))
		list[i].objective = t.sumsObjective(ctx, k, own, q.gamma, sumsWeight)
		list[i].wrong, list[i].nodes = t.wrong(own), m.Certificate.Steps
		list[i].certified = m.Certificate.Limited == "" && m.Certificate.Gap <= provenGap
	}
	return list
}

// truth are outputs that decide every row right.
func (t *toy) truth() *mat.Dense {
	return t.problem.Coding.Code(t.class)
}

// provenGap is the relative gap of branch and bound that counts as none.
const provenGap = 1e-8

// minimaGraphs is the grid of LapSVM, whose parameters the source chooses by the errors themselves.
var minimaGraphs = struct {
	widths            []float64 // of sigma
	neighbours        []int
	ratios, strengths []float64
}{[]float64{1, 0.5, 0.25}, []int{2, 5, 10}, []float64{1, 100, 1e4}, []float64{1, 100, 1e4}}

// laplacians are the errors of LapSVM on a draw, for all points of the grid.
func (q minima) laplacians(ctx context.Context, t *toy) []float64 {
	var list []float64
	for _, width := range thin(ctx, "widths of LapSVM", 1, minimaGraphs.widths) {
		for _, neighbours := range thin(ctx, "neighbours of LapSVM", 2, minimaGraphs.neighbours) {
			for _, ratio := range thin(ctx, "gamma_I/gamma_A of LapSVM", 2, minimaGraphs.ratios) {
				k := manifold.Warp{Base: kernel.Gaussian{Sigma: width * q.sigma}, Ratio: ratio,
					Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours, Weights: graph.Heat}}}
				for _, c := range thin(ctx, "C of LapSVM", 1, minimaGraphs.strengths) {
					g, m := t.train(ctx, k, svm.Classifier{}, c)
					list = append(list, t.wrong(t.balanced(t.outputs(ctx, g, m))))
				}
			}
		}
	}
	return list
}

// report runs the comparison on l.runs draws.
func (q minima) report(ctx context.Context, l *lab, draw func(run int) *toy) {
	declare(ctx, "printed", q.printed)
	rivals := minimaRivals()
	rivals = rivals[:atMost(ctx, "algorithms", len(rivals)-1, len(rivals))]
	found, warped, truth := make([][]attempt, l.runs), make([][]float64, l.runs), make([]float64, l.runs)
	each(l.runs, func(run int) {
		t := draw(run)
		found[run] = q.attempts(ctx, t, rivals)
		truth[run] = t.sumsObjective(ctx, kernel.Gaussian{Sigma: q.sigma}, t.truth(), q.gamma, sumsWeight)
		warped[run] = q.laplacians(ctx, t)
	})
	for i, r := range rivals {
		if p, ok := q.printed[r.name]; ok {
			l.printedOf(r.name, []string{unlabelledError, sumsMetric}, p[:])
		}
		for run := range l.runs {
			a := found[run][i]
			l.add(r.name, unlabelledError, a.wrong)
			l.add(r.name, sumsMetric, a.objective)
			if r.name == branchBound {
				l.add(r.name, "certified %", 100*indicator(a.certified))
				l.add(r.name, "below the objective of the true labels, %", 100*indicator(a.objective < truth[run]*(1-provenGap)))
				l.add(r.name, "nodes", float64(a.nodes))
			}
		}
		l.interim(r.name, unlabelledError, sumsMetric)
	}
	for _, v := range truth {
		l.add("true labels", sumsMetric, v)
	}
	best := leastMean(warped)
	l.printed("LapSVM oracle", unlabelledError, q.laplacian)
	for run := range l.runs {
		l.add("LapSVM oracle", unlabelledError, warped[run][best])
	}
}

// leastMean is the column with the least mean over the rows.
func leastMean(rows [][]float64) int {
	return leastOf(len(rows[0]), func(j int) (sum float64) {
		for _, r := range rows {
			sum += r[j]
		}
		return sum
	})
}

// sindhwaniT31 is the comparison on two moons.
func sindhwaniT31(ctx context.Context, l *lab) {
	q := minima{sigma: 0.5, gamma: 0.1, laplacian: 3.7, printed: map[string][2]float64{
		"grad-S3VM": {59.3, 13.64}, "cS3VM": {45.7, 13.25}, "CCCP": {64, 39.55}, "SVMlight": {66.2, 20.94}, "DA": {34.1, 46.85},
		branchBound: {0, 7.81},
	}}
	n := atMost(ctx, "rows", 60, 200)
	q.report(ctx, l, func(run int) *toy {
		set := must(data.Builtin(fmt.Sprintf("two-moons:n=%d,noise=0.05,seed=%d", n, l.seed+uint64(run))))
		return labelToy(set, drawAtLeast(classesOf(set).Class, 2, 2, 1, l.stream(run)))
	})
}

// The three cars of COIL20, by the labels of our file, and what the source says of them.
var threeCars = []string{"3", "6", "19"}

const (
	carsWidth  = 3000 // of grey values 0 to 255
	carsGrey   = 255  // of our files, whose grey values are shares of it
	carsGamma  = 0.01
	carsLabels = 2 // a class
)

// sindhwaniT32 is the comparison on three classes of images.
func sindhwaniT32(ctx context.Context, l *lab) {
	set := l.cars(ctx)
	class := classesOf(set).Class
	q := minima{sigma: carsWidth / float64(carsGrey), gamma: carsGamma, laplacian: 7.5, printed: map[string][2]float64{
		"grad-S3VM": {60.6, 267.4}, "cS3VM": {60.6, 235}, "CCCP": {47.5, 588.3}, "SVMlight": {55.3, 341.6}, "DA": {48.2, 611},
		branchBound: {0, 110.7},
	}}
	q.report(ctx, l, func(run int) *toy {
		return labelToy(set, drawAtLeast(class, len(threeCars), carsLabels*len(threeCars), carsLabels, l.stream(run)))
	})
}

// cars are the images of the cars.
func (l *lab) cars(ctx context.Context) *data.Set {
	set := l.open(ctx, dataset{name: collections[1].name, file: collections[1].file})
	var rows []int
	for i, a := range set.Answers {
		if slices.Contains(threeCars, a) {
			rows = append(rows, i)
		}
	}
	cars := set.Select(thinned(ctx, "images of cars", 6, rows))
	cars.Rows = data.Rows{Dense: mat.DenseCopyOf(cars.Rows.Dense)} // numbers are those of the cars
	return cars
}
