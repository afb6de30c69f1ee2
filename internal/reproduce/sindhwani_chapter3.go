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
	return wrongOf(pickOf(t.problem.Coding.Decide(out), rows), pickOf(t.class, rows))
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
		_, m := decided.train(ctx, k, smooth.Learner{Loss: learn.SquaredHinge{}, Offset: smooth.None}, 1/(2*gamma))
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
}{{"hinge (l1)", learn.Hinge{}, 1}, {"squared hinge (l2)", learn.SquaredHinge{}, 0.5}, {"square (sqr)", learn.Square{}, 0.5}}

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
	square := learn.SquaredHinge{}
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
		{name: "DA (l1)", solver: s3vm.Annealing{Loss: learn.Hinge{}}},
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

// toyGrid is the grid of table 3.4, which the source does not print: widths in the units of the plane, lambdas
// those of tables 3.6 and 3.7.
var toyGrid = struct{ sigmas, lambdas []float64 }{
	[]float64{0.1, 0.15, 0.2, 0.3, 0.5, 1},
	meansLambdas,
}

// toyRivals are the algorithms of table 3.4.
func toyRivals() []rival {
	return []rival{
		{"JTSVM (l2)", s3vm.Switching{Loss: learn.SquaredHinge{}}, true},
		{"JTSVM (l1)", s3vm.Switching{}, false},
		{"grad-TSVM", s3vm.Gradient{}, true},
		{"DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge{}}, true},
		{"DA (l1)", s3vm.Annealing{Loss: learn.Hinge{}}, false},
	}
}

// toySets are those of fig. 3.6, by formula, with the successes in ten draws of table 3.4 in the order of the algorithms.
var toySets = []struct {
	name, spec string
	printed    []float64
}{
	{"2moons", "moons-det:n=200", []float64{0, 0, 3, 6, 10}},
	{"2circles", "circles-det:n=200", []float64{1, 1, 2, 3, 10}},
}

const solvedMetric = "draws solved %"

// sindhwaniT34 counts the draws of labels in which algorithms decide every row right.
func sindhwaniT34(ctx context.Context, l *lab) {
	for _, s := range thin(ctx, "sets", 1, toySets) {
		set := must(data.Builtin(s.spec))
		class := classesOf(set).Class
		wrong := make([][][]float64, l.runs) // by draw, algorithm and point of the grid
		each(l.runs, func(run int) {
			wrong[run] = labelToy(set, drawAtLeast(class, 2, 2, 1, l.stream(run))).gridded(ctx, toyRivals())
		})
		for q, r := range toyRivals() {
			name := s.name + " " + r.name
			l.printed(name, solvedMetric, 10*s.printed[q])
			for _, e := range solvedMost(wrong, q) {
				l.add(name, solvedMetric, 100*indicator(e == 0))
				l.add(name, unlabelledError, e)
			}
			l.interim(name, solvedMetric, unlabelledError)
		}
	}
}

// gridded are the errors of algorithms at all points of the grid.
func (t *toy) gridded(ctx context.Context, rivals []rival) [][]float64 {
	wrong := make([][]float64, len(rivals))
	for _, sigma := range thin(ctx, "sigma", 1, toyGrid.sigmas) {
		g := must(kernel.Gaussian{Sigma: sigma}.Bind(ctx, t.problem.Rows, t.work))
		for q, r := range rivals {
			trainer := must(s3vm.Learner{Solver: r.solver, Shares: t.shares()}.Bind(ctx, g, t.problem))
			for _, lambda := range thin(ctx, "lambda", 1, toyGrid.lambdas) {
				own := []float64{strengthOfMeans(lambda, len(t.problem.Labelled), r.halved)}
				during(r.name, func() {
					wrong[q] = append(wrong[q], t.wrongOf(ctx, g, must(trainer.Train(ctx, nil, own, nil))))
				})
			}
		}
	}
	return wrong
}

// solvedMost are the errors of the draws at the point of the grid where most of them are zero, and of several such
// points where their sum is least.
func solvedMost(wrong [][][]float64, algorithm int) []float64 {
	var best []float64
	most, least := 0, 0.0
	for j := range wrong[0][algorithm] {
		var at []float64
		solved, sum := 0, 0.0
		for _, draw := range wrong {
			e := draw[algorithm][j]
			at, sum = append(at, e), sum+e
			if e == 0 {
				solved++
			}
		}
		if best == nil || solved > most || solved == most && sum < least {
			best, most, least = at, solved, sum
		}
	}
	return best
}

// sindhwaniF36 draws the toy sets with the boundaries of the algorithms of table 3.4.
func sindhwaniF36(ctx context.Context, l *lab) {
	for q, pair := range [][2]int{{10, 110}, {0, 150}} {
		s := toySets[q]
		t := pairToy(s.spec, pair)
		wrong := t.gridded(ctx, toyRivals())
		picture := t.picture(s.name, s.name+": the boundary of each algorithm with its best parameters of the grid")
		lambdas := len(thin(ctx, "lambda", 1, toyGrid.lambdas))
		for k, r := range toyRivals() {
			best := slices.Index(wrong[k], slices.Min(wrong[k]))
			sigma, lambda := toyGrid.sigmas[best/lambdas], toyGrid.lambdas[best%lambdas]
			learner := s3vm.Learner{Solver: r.solver, Shares: t.shares()}
			g, m := t.train(ctx, kernel.Gaussian{Sigma: sigma}, learner, strengthOfMeans(lambda, len(t.problem.Labelled), r.halved))
			name := s.name + " " + r.name
			l.add(name, unlabelledError, wrong[k][best])
			l.add(name, "sigma", sigma)
			l.add(name, "lambda", lambda)
			picture.Levels = append(picture.Levels, t.boundary(ctx, r.name, g, m))
		}
		l.draw(*picture)
	}
}

// Protocol of Sindhwani 2007, section 3.6 (tables 3.6 and 3.7): sets parted at random into labelled, unlabelled,
// validation and test rows, in which the classes have the same parts; the machines are told these parts. lambda' is 1;
// lambda and the width are those of least validation error, or, as "(best)", those of the least mean error itself.
//
// Cost. All splits and machines share the kernel values of a width.

// parted is a set of table 3.5.
type parted struct {
	name, file                             string
	labelled, unlabelled, validation, test int
	keep                                   map[string]string // classes of labels; nil: every label is one
}

func (s parted) title() string { return s.name }

var partedSets = []parted{
	{"USPS2", "ssl_usps1500.csv.gz", 93, 1000, 32, 375, nil},
	{"COIL6", "ssl_coil6.csv.gz", 90, 1008, 30, 372, nil},
	{"PC-MAC", collections[3].file, 37, 1410, 13, 486, nil},
	{"ESET2", "letter.csv.gz", 33, 1305, 12, 1350, spokenLetters()},
}

// spokenLetters are those that sound alike: B, C, D, E against G, P, T, V, Z, whose labels in the file are places in the alphabet.
func spokenLetters() map[string]string {
	classes := map[string]string{}
	for k, letters := range []string{"BCDE", "GPTVZ"} {
		for _, c := range letters {
			classes[fmt.Sprint(c-'A')] = fmt.Sprint(k)
		}
	}
	return classes
}

// meansWidths are the widths over the usual one.
var meansWidths = []float64{1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8}

// contender is a machine of tables 3.6 and 3.7, with the printed errors of unlabelled and test rows in the order of the
// sets: with model selection, and best.
type contender struct {
	name    string
	learner func(shares []float64) learn.Learner
	printed [4][4]float64
}

// transducer is a contender of package s3vm.
func transducer(name string, solver s3vm.Solver, printed [4][4]float64) contender {
	return contender{name, func(shares []float64) learn.Learner { return s3vm.Learner{Solver: solver, Shares: shares} }, printed}
}

// annealed36 is the row that both tables have.
func annealed36() contender {
	return transducer("DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge{}},
		[4][4]float64{{6.5, 6.6, 6.4, 6.3}, {15.6, 16.4, 13.6, 15.0}, {11.8, 9.4, 5.3, 4.8}, {10.8, 10.7, 8.1, 8.5}})
}

func contenders36() []contender {
	return []contender{
		{"SVM", func([]float64) learn.Learner { return smooth.Learner{Loss: learn.SquaredHinge{}, Offset: smooth.None} },
			[4][4]float64{{8.0, 8.2, 7.5, 7.8}, {22.9, 23.5, 21.5, 21.9}, {21.1, 20.0, 18.9, 17.9}, {20.9, 21.8, 19.4, 19.7}}},
		transducer("JTSVM", s3vm.Switching{Loss: learn.SquaredHinge{}},
			[4][4]float64{{8.8, 8.0, 7.6, 7.2}, {21.4, 22.8, 19.9, 21.2}, {14.1, 11.9, 10.4, 7.0}, {10.4, 10.5, 9.2, 8.9}}),
		transducer("grad-TSVM", s3vm.Gradient{},
			[4][4]float64{{7.5, 7.7, 6.9, 7.1}, {25.0, 24.9, 21.4, 21.6}, {7.6, 6.9, 5.4, 4.5}, {12.2, 12.7, 8.7, 9.1}}),
		annealed36(),
		transducer("DA (sqr)", s3vm.Annealing{Loss: learn.Square{}},
			[4][4]float64{{7.3, 7.1, 5.7, 6.3}, {16.5, 16.7, 13.8, 15.2}, {11.8, 9.4, 5.4, 4.7}, {11.6, 11.3, 9.0, 9.4}}),
	}
}

// outcome is what a machine of one point of the grid does on a split.
type outcome struct {
	validation, unlabelled, test float64 // errors in percent
	objective                    float64 // of eq. 3.7
}

// partedSplit is a split of a set.
type partedSplit struct {
	t                          *toy // the labelled and unlabelled rows, numbered as in the set
	validation, test           data.Rows
	validationClass, testClass []int
}

// numbered are rows of a table of kernel values.
func numbered(rows []int) data.Rows {
	return data.Rows{Dense: mat.NewDense(len(rows), 1, nil), ID: rows}
}

// part draws a split.
func (s parted) part(ctx context.Context, c *classified, classes []string, l *lab, run int) *partedSplit {
	lists := c.shares(l.stream(run),
		atMost(ctx, "labelled", 30, s.labelled), atMost(ctx, "unlabelled", 60, s.unlabelled),
		atMost(ctx, "validation", 12, s.validation), atMost(ctx, "test", 30, s.test))
	train := slices.Concat(lists[0], lists[1])
	truth := pickOf(c.class, train)
	labels := known(classes, truth, numbersTo(len(lists[0])))
	return &partedSplit{&toy{learn.NewProblem(numbered(train), labels), truth, new(kernel.Work)}, numbered(lists[2]),
		numbered(lists[3]), pickOf(c.class, lists[2]), pickOf(c.class, lists[3])}
}

// pool are the rows that splits of a set are drawn from.
func (s parted) pool(ctx context.Context, l *lab) (*classified, []string) {
	set := l.open(ctx, dataset{name: s.name, file: s.file})
	var rows []int
	answers := slices.Clone(set.Answers)
	total := s.labelled + s.unlabelled + s.validation + s.test
	for i, a := range set.Answers {
		if s.keep != nil {
			answers[i] = s.keep[a]
		}
		if answers[i] != "" && len(rows) < total {
			rows = append(rows, i)
		}
	}
	if len(rows) < total {
		fail("%s: %d rows of the classes, %d are needed", s.file, len(rows), total)
	}
	rows = thinned(ctx, "rows", 8, rows)
	labels := classesOf(&data.Set{Name: s.file, Answers: answers.Select(rows), LabelName: set.LabelName})
	return &classified{x: unnumbered(set.Rows.Select(rows)), class: labels.Class}, labels.Classes
}

// outcomes are those of all splits, machines and points of the grid, in this order.
func (s parted) outcomes(ctx context.Context, l *lab, list []contender) [][][]outcome {
	c, classes := s.pool(ctx, l)
	n := c.x.Len()
	gram := mat.NewDense(n, n, nil)
	splits, all := make([]*partedSplit, l.runs), make([][][]outcome, l.runs)
	for run := range splits {
		splits[run], all[run] = s.part(ctx, c, classes, l, run), make([][]outcome, len(list))
	}
	sigma0 := medianWidth(c.x)
	for _, width := range thin(ctx, "widths", 1, meansWidths) {
		l.say("%s: sigma %g of %.3g", s.name, width, sigma0)
		g := must(kernel.Gaussian{Sigma: width * sigma0}.Bind(ctx, c.x, nil))
		check(kernel.Fill(ctx, gram, g, nil, nil))
		during(fmt.Sprintf("%s, sigma %g", s.name, width), func() {
			each(l.runs, func(run int) { splits[run].run(ctx, gram, list, all[run]) })
		})
	}
	return all
}

// run trains the machines for all lambdas on a kernel.
func (p *partedSplit) run(ctx context.Context, gram *mat.Dense, list []contender, found [][]outcome) {
	t := p.t
	g := must(kernel.Precomputed{K: gram}.Bind(ctx, t.problem.Rows, nil))
	for q, c := range list {
		during(c.name, func() {
			trainer := must(c.learner(t.shares()).Bind(ctx, g, t.problem))
			for _, lambda := range thin(ctx, "lambda", 2, meansLambdas) {
				m := must(trainer.Train(ctx, nil, []float64{strengthOfMeans(lambda, len(t.problem.Labelled), true)}, nil))
				found[q] = append(found[q], p.outcome(ctx, g, m, lambda))
			}
		})
	}
}

// outcome judges a machine.
func (p *partedSplit) outcome(ctx context.Context, g kernel.Gram, m *learn.Machine, lambda float64) outcome {
	out := p.t.outputs(ctx, g, m)
	unseen := func(rows data.Rows, class []int) float64 {
		return wrongOf(p.t.problem.Coding.Decide(predicted(ctx, g, m, rows, p.t.problem.Outputs())), class)
	}
	return outcome{unseen(p.validation, p.validationClass), p.t.wrong(out), unseen(p.test, p.testClass),
		p.t.meansObjective(m, out, lambda)}
}

// meansObjective is that of eq. 3.7 at T = 0 with the squared hinge and labels in balance, of a function without
// an offset and its outputs; the mean of all outputs.
func (t *toy) meansObjective(m *learn.Machine, out *mat.Dense, lambda float64) float64 {
	decided, sum := t.balanced(out), 0.0
	_, outputs := out.Dims()
	l := len(t.problem.Labelled)
	v, u := learn.SquaredHinge{}, float64(len(t.class)-l)
	for j := range outputs {
		for q, i := range m.Rows {
			sum += lambda / 2 * m.Coef.At(q, j) * out.At(i, j)
		}
		for q, i := range t.problem.Labelled {
			sum += v.Value(t.problem.Y.At(q, j), out.At(i, j)) / 2 / float64(l)
		}
		for _, i := range t.hidden() {
			sum += v.Value(math.Copysign(1, decided.At(i, j)), out.At(i, j)) / 2 / u
		}
	}
	return sum / float64(outputs)
}

const (
	meansMetric    = "objective of eq. 3.7, mean of the grid"
	selectedMetric = "objective of eq. 3.7"
)

// report adds the rows of a set: of its errors with model selection and of the least mean ones, and of its objective.
func (s parted) report(l *lab, list []contender, all [][][]outcome) {
	at := slices.IndexFunc(partedSets, func(o parted) bool { return o.name == s.name })
	for q, c := range list {
		name := s.name + " " + c.name
		for k, metric := range []string{unlabelledError, testError} {
			l.printed(name, metric, c.printed[at][k])
			l.printed(name+" (best)", metric, c.printed[at][2+k])
		}
		errors := [2][][]float64{}
		for _, split := range all {
			o := selected(split[q])
			l.add(name, unlabelledError, o.unlabelled)
			l.add(name, testError, o.test)
			l.add(name, selectedMetric, o.objective)
			var own [2][]float64
			mean := 0.0
			for _, o := range split[q] {
				own[0], own[1] = append(own[0], o.unlabelled), append(own[1], o.test)
				mean += o.objective / float64(len(split[q]))
			}
			l.add(name, meansMetric, mean)
			errors[0], errors[1] = append(errors[0], own[0]), append(errors[1], own[1])
		}
		for k, metric := range []string{unlabelledError, testError} {
			best := leastMean(errors[k])
			for _, split := range errors[k] {
				l.add(name+" (best)", metric, split[best])
			}
		}
		l.interim(name, unlabelledError, testError, meansMetric)
		l.interim(name+" (best)", unlabelledError, testError)
	}
}

// selected is the mean of the points of least validation error.
func selected(grid []outcome) outcome {
	var mean outcome
	least, n := math.Inf(1), 0.0
	for _, o := range grid {
		if o.validation < least {
			least, n, mean = o.validation, 0, outcome{}
		}
		if o.validation == least {
			n++
			mean.unlabelled += (o.unlabelled - mean.unlabelled) / n
			mean.test += (o.test - mean.test) / n
			mean.objective += (o.objective - mean.objective) / n
		}
	}
	mean.validation = least
	return mean
}

// eachParted runs machines on the sets that are wanted; further is what else is told of a set, and may be nil.
func (l *lab) eachParted(ctx context.Context, list []contender, further func(s parted, all [][][]outcome)) {
	for _, c := range list {
		declare(ctx, "printed of "+c.name, c.printed)
	}
	for _, s := range wanted(l, thin(ctx, "sets", 1, partedSets)) {
		all := s.outcomes(ctx, l, list)
		s.report(l, list, all)
		if further != nil {
			further(s, all)
		}
	}
}

// sindhwaniT36 compares algorithms on real sets.
func sindhwaniT36(ctx context.Context, l *lab) {
	l.eachParted(ctx, contenders36(), nil)
}

// contenders37 are annealing and its fixed temperatures.
func contenders37() []contender {
	list := []contender{annealed36()}
	for _, f := range []struct {
		temperature float64
		printed     [4][4]float64
	}{
		{0.1, [4][4]float64{{8.5, 8.4, 6.6, 6.8}, {23.9, 23.3, 20.0, 21.0}, {12.6, 9.9, 5.7, 4.7}, {8.1, 8.2, 7.8, 8.0}}},
		{0.01, [4][4]float64{{8.9, 8.2, 7.6, 7.0}, {22.2, 23.3, 20.1, 21.3}, {17.1, 12.7, 7.1, 5.7}, {12.9, 12.0, 8.1, 8.5}}},
		{0.001, [4][4]float64{{9.0, 8.1, 7.9, 7.2}, {23.6, 24.4, 20.3, 21.5}, {18.6, 13.0, 9.1, 7.3}, {13.5, 12.5, 8.8, 8.8}}},
	} {
		list = append(list, transducer(fmt.Sprintf("T=%g", f.temperature),
			s3vm.Annealing{Loss: learn.SquaredHinge{}, Temperature: f.temperature}, f.printed))
	}
	return list
}

const annealingLower = "annealing has the lower objective, %"

// sindhwaniT37 compares annealing with fixed temperatures.
func sindhwaniT37(ctx context.Context, l *lab) {
	list := contenders37()
	l.eachParted(ctx, list, func(s parted, all [][][]outcome) {
		for q, c := range list[1:] {
			name := s.name + " " + c.name
			for _, split := range all {
				lower := 0.0 // or equal, but for rounding
				for j, o := range split[1+q] {
					if split[0][j].objective <= o.objective*(1+1e-6) {
						lower += 100 / float64(len(split[0]))
					}
				}
				l.add(name, annealingLower, lower)
			}
			l.interim(name, annealingLower)
		}
	})
}
