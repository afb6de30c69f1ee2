package reproduce

// Protocol of Sindhwani 2007, sections 2.7.3 and 2.7.4, on the course pages of WebKB: 1051 rows, 230 of them courses, known
// by the words of the page (3000), by those of the links to it (1840), or by both. Twelve labels, linear kernels,
// neighbours by the cosine distance, and machines as in the other tables,
//
//	(1/l) sum_labelled V(y_i, f(x_i)) + gamma_A |f|_K^2 + gamma_I f'Rf,   R = L~^p
//
// with V the square (no offset) or the hinge (with offset). The pair (gamma_A, gamma_I) is told as ridge = l gamma_A, C =
// 1/(2 ridge) for the hinge, and ratio = gamma_I/gamma_A, R without 1/(l+u)^2. Joint machines have the power of the mean of
// the three views' Laplacians in the place of their own view's,
//
//	R = ((L~_link + L~_page + L~_page+link)/3)^p.
//
// The text says "the mean graph Laplacian over the three representations", the caption of table 2.7 "sum" (a factor 3^p of gamma_I).
//
// The score is 100 - PRBEP in percent: of the n+ rows ranked first (n+ the positive rows
// among those scored) the share that is negative. The offset does not change it.
//
// Cost. With 200 neighbours the graph is half full, so Laplacians and their powers are dense here: 2 n^3 flops a power, 2 n^3 for its
// product with a view's kernel, and for a ratio (2/3) n^3 and 4 n^2 |J| for the columns J of all draws' labels. The rest is of size l.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

const (
	webkbPage   = "webkb_course_page.svm.gz"
	webkbLink   = "webkb_course_link.svm"
	webkbFiles  = webkbPage + ", " + webkbLink
	webkbSplits = "webkb_course.gensplits.csv"
	webkbRows   = 1051
	// Labels of an experiment: a quarter are courses where the source says so.
	webkbLabels, webkbCourses = 12, 3
)

// The views, in the order of the tables.
const (
	linkView = iota
	pageView
	bothViews
	webkbViews
)

var viewNames = [webkbViews]string{"link", "page", "page+link"}

// webkb is the set in its three views.
type webkb struct {
	view   [webkbViews]data.Rows
	labels data.Labels // class 1 is the course
	course []bool
	at     []int // where a row of the files is
}

// webkb reads the set.
func (l *lab) webkb(ctx context.Context) *webkb {
	w := new(webkb)
	for v, file := range [...]string{linkView: webkbLink, pageView: webkbPage} {
		set := l.open(ctx, dataset{name: "WebKB", file: file, n: webkbRows})
		labels := classesOf(set)
		if !slices.Equal(labels.Classes, twoClasses()) {
			fail("%s: classes %q in place of -1 and 1; %s", file, labels.Classes, anotherSet)
		}
		if v > 0 && !slices.Equal(labels.Class, w.labels.Class) {
			fail("%s: its classes are not those of %s; the rows of both must be the same pages", file, webkbLink)
		}
		w.view[v], w.labels = set.Rows, labels
	}
	w.view[bothViews] = w.view[pageView].Beside(w.view[linkView])
	for _, c := range w.labels.Class {
		w.course = append(w.course, c == 1)
	}
	order := rand.New(rand.NewPCG(l.seed, orderStream)).Perm(webkbRows)
	w = w.selected(order)
	w.at = make([]int, webkbRows)
	for q, i := range order {
		w.at[i] = q
	}
	return w
}

// orderStream draws the order of the rows. In the files courses come first, and ties, of which links of one to three words
// have many, go to the lower row: among neighbours and in the ranking they would tell the class.
const orderStream = 1 << 32

// selected is the set's rows idx, numbered anew.
func (w *webkb) selected(idx []int) *webkb {
	s := &webkb{labels: w.labels, course: pickOf(w.course, idx)}
	s.labels.Class = pickOf(w.labels.Class, idx)
	for v := range w.view {
		s.view[v] = unnumbered(w.view[v].Select(idx))
	}
	return s
}

// broken is 100 - PRBEP in percent of outputs at rows, which are those of the set.
func (w *webkb) broken(out []float64, rows []int) float64 {
	return 100 * (1 - metric.PRBEP(pickOf(out, rows), pickOf(w.course, rows)))
}

// drawCourses draws the given number of courses and of other rows.
func (w *webkb) drawCourses(courses, others int, rng *rand.Rand) []int {
	var drawn []int
	for _, i := range rng.Perm(len(w.course)) {
		left := &others
		if w.course[i] {
			left = &courses
		}
		if *left > 0 {
			*left--
			drawn = append(drawn, i)
		}
	}
	slices.Sort(drawn)
	return drawn
}

// textDraw is a draw of labels: the labelled rows by themselves, for the machines, and the others.
type textDraw struct {
	labelled, hidden []int
	alone            *learn.Problem
}

func (w *webkb) newDraw(labelled []int) *textDraw {
	own := w.labels
	own.Class = pickOf(w.labels.Class, labelled)
	return &textDraw{labelled, learn.Others(len(w.course), labelled),
		learn.NewProblem(data.Rows{Dense: mat.NewDense(len(labelled), 1, nil)}, own)}
}

// The machines of the experiments: of the square, without an offset as in the source and with one, and of the hinge.
const (
	squareText = iota
	offsetText
	hingeText
	textMachines
)

// train returns the coefficients (l x 1) of the machines for every ridge, on a labelled block of a kernel.
func (d *textDraw) train(ctx context.Context, block *mat.Dense, ridges []float64) (coef [textMachines][]*mat.Dense) {
	var paths [2]*rls.Path
	for q, offset := range []bool{squareText: false, offsetText: true} {
		paths[q] = must(rls.NewPath(ctx, block, d.alone.Y, nil, offset))
	}
	small := must(kernel.Precomputed{K: block}.Bind(ctx, d.alone.Rows, nil))
	trainer := must(svm.Classifier{}.Bind(ctx, small, d.alone))
	for _, ridge := range ridges {
		for q, path := range paths {
			coef[q] = append(coef[q], must(path.At(ridge)).Alpha)
		}
		during(fmt.Sprintf("ridge %g", ridge), func() {
			m := must(trainer.Train(ctx, nil, []float64{1 / (2 * ridge)}, nil))
			widen(m, d.labelled)
			coef[hingeText] = append(coef[hingeText], m.Coef)
		})
	}
	return coef
}

// textColumns are the columns of a kernel on training rows that a list of draws needs, and those of rows never seen.
type textColumns struct {
	place         []int // of a training row among the columns, -1 if it is in no draw
	train, unseen *mat.Dense
}

// columnsOf binds a list of draws to a kernel; unseen may be empty.
func columnsOf(g kernel.Gram, draws []*textDraw, unseen data.Rows) *textColumns {
	n := g.Len()
	c := &textColumns{place: slices.Repeat([]int{-1}, n)}
	var j []int
	for _, d := range draws {
		j = append(j, d.labelled...)
	}
	slices.Sort(j)
	j = slices.Compact(j)
	for q, i := range j {
		c.place[i] = q
	}
	c.train = mat.NewDense(n, len(j), nil)
	g.Block(c.train, nil, j)
	if m := unseen.Len(); m > 0 {
		c.unseen = mat.NewDense(m, len(j), nil)
		check(g.Cross(c.unseen, unseen, j))
	}
	return c
}

// of copies the columns of a draw, and its labelled block.
func (c *textColumns) of(d *textDraw) (block, train, unseen *mat.Dense) {
	pick := func(from *mat.Dense) *mat.Dense {
		if from == nil {
			return nil
		}
		n, _ := from.Dims()
		to := mat.NewDense(n, len(d.labelled), nil)
		for i := range n {
			row, full := to.RawRowView(i), from.RawRowView(i)
			for q, j := range d.labelled {
				row[q] = full[c.place[j]]
			}
		}
		return to
	}
	train, unseen = pick(c.train), pick(c.unseen)
	l := len(d.labelled)
	block = mat.NewDense(l, l, nil)
	for p, i := range d.labelled {
		for q, j := range d.labelled {
			block.Set(p, q, (train.At(i, q)+train.At(j, p))/2)
		}
	}
	return block, train, unseen
}

// evaluate trains the machines for every ridge and draw, and tells `each` of their outputs.
func (c *textColumns) evaluate(ctx context.Context, draws []*textDraw, ridges []float64,
	each func(machine, ridge, draw int, train, unseen []float64),
) {
	for q, d := range draws {
		check(ctx.Err())
		block, train, unseen := c.of(d)
		var coef [textMachines][]*mat.Dense
		during(fmt.Sprintf("draw %d", q+1), func() { coef = d.train(ctx, block, ridges) })
		at := func(k, alpha *mat.Dense) []float64 {
			if k == nil {
				return nil
			}
			return product(k, alpha).RawMatrix().Data
		}
		for machine, list := range coef {
			for r, alpha := range list {
				each(machine, r, q, at(train, alpha), at(unseen, alpha))
			}
		}
	}
}

// tried are the machines for every ridge on a bound kernel, with what they score on all draws.
func (w *webkb) tried(ctx context.Context, g kernel.Gram, draws []*textDraw, ridges []float64, like textTrial,
) (at [textMachines][]*textTrial) {
	for machine := range at {
		for _, ridge := range ridges {
			t := like
			t.machine, t.ridge, t.hidden = machine, ridge, make([]float64, len(draws))
			at[machine] = append(at[machine], &t)
		}
	}
	columnsOf(g, draws, data.Rows{}).evaluate(ctx, draws, ridges, func(machine, ridge, draw int, train, _ []float64) {
		at[machine][ridge].hidden[draw] = w.broken(train, draws[draw].hidden)
	})
	return at
}

// denseNorm is an intrinsic norm as a matrix: what a graph of many neighbours needs. Its
// product with one table is kept, the dearest part of a warped kernel, for all ratios.
type denseNorm struct{ r, table, product *mat.Dense }

var _ graph.Operator = denseNorm{}

// on keeps the product with a table, which must not change then.
func (o denseNorm) on(table *mat.Dense) denseNorm {
	return denseNorm{o.r, table, product(o.r, table)}
}

func (o denseNorm) Len() int {
	n, _ := o.r.Dims()
	return n
}

func (o denseNorm) MulTo(dst, x *mat.Dense) {
	if x == o.table && x != nil {
		dst.Copy(o.product)
		return
	}
	blas.Gemm(1, blas.N(o.r), blas.N(x), 0, dst)
}

func (o denseNorm) Space() param.Space { return nil }

func (o denseNorm) Pull([]float64, *mat.Dense, *mat.Dense) {}

// powersOf returns the powers of a Laplacian, one for each of the ascending degrees.
func powersOf(l *mat.Dense, degrees []int) []denseNorm {
	list := make([]denseNorm, len(degrees))
	last, at := l, 1
	for q, p := range degrees {
		for ; at < p; at++ {
			last = product(l, last)
		}
		list[q] = denseNorm{r: last}
	}
	return list
}

// textGraph is the recipe of the experiments' graphs.
func textGraph(neighbours int, weights graph.Weights) graph.Recipe {
	return graph.Recipe{Neighbours: neighbours, Metric: graph.Cosine, Weights: weights}
}

// laplacians returns those of the three views, and their mean last.
func (w *webkb) laplacians(ctx context.Context, recipe graph.Recipe, work *[webkbViews]kernel.Work, longest int) []*mat.Dense {
	n := len(w.course)
	list := make([]*mat.Dense, webkbViews+1)
	mean := mat.NewDense(n, n, nil)
	for v, rows := range w.view {
		g := must(manifold.Graph{Recipe: recipe, Longest: longest}.Build(ctx, rows, &work[v]))
		list[v] = g.Laplacian().ToDense()
		mean.Add(mean, list[v])
	}
	mean.Scale(1./webkbViews, mean)
	list[webkbViews] = mean
	return list
}

// bound is a linear kernel on the rows of a view, with its table.
func (w *webkb) bound(ctx context.Context, view int) (kernel.Gram, *mat.Dense) {
	g := must(kernel.Linear{}.Bind(ctx, w.view[view], nil))
	return g, tableOf(g)
}

// textTrial is a candidate of a grid with what it scores, a value a draw.
type textTrial struct {
	machine, view int
	warped, joint bool
	neighbours, p int
	ratio, ridge  float64
	hidden        []float64
}

// theta says what an oracle took.
func (t *textTrial) theta() string {
	text := fmt.Sprintf("l gamma_A %g", t.ridge)
	if t.warped {
		text = fmt.Sprintf("nn %d, p %d, gamma_I/gamma_A %g, %s", t.neighbours, t.p, t.ratio, text)
	}
	return text
}

// bestText is the trial of least mean score among those that pass, the first of equal
// ones; nil if none does. It has seen the hidden labels: an oracle.
func bestText(trials []*textTrial, pass func(*textTrial) bool) *textTrial {
	best := leastOf(len(trials), func(i int) float64 {
		if !pass(trials[i]) {
			return math.Inf(1)
		}
		return mean(trials[i].hidden)
	})
	if best < 0 {
		return nil
	}
	return trials[best]
}

// textGrid is what the oracles of WebKB choose from.
type textGrid struct {
	neighbours, degrees []int
	ratios, ridges      []float64
}

// thinned is the grid: in a rehearsal its first values.
func (g textGrid) thinned(ctx context.Context) textGrid {
	return textGrid{neighbours: thin(ctx, "neighbours", 1, g.neighbours), degrees: thin(ctx, "degrees", 1, g.degrees),
		ratios: thin(ctx, "ratios", 1, g.ratios), ridges: thin(ctx, "ridges", 2, g.ridges)}
}

// sourceTextNeighbours and sourceTextDegree are fixed in the source ("as in Joachims 2003"; "unoptimized").
const sourceTextNeighbours, sourceTextDegree = 200, 5

// decades are 10^lo to 10^hi.
func decades(lo, hi int) []float64 {
	var list []float64
	for e := lo; e <= hi; e++ {
		list = append(list, math.Pow10(e))
	}
	return list
}

// The machines of section 2.7.3: 15 neighbours weighted by the cosine, L~^3, l gamma_A
// 0.01 for the square and 1 for the hinge, l gamma_I/(l+u)^2 a hundred times that.
const (
	textNeighbours = 15
	textDegree     = 3
	textRatio      = 100
)

// textMethods are the machines with those parameters, on the base kernel and warped.
var textMethods = []struct {
	name    string
	machine int
	ridge   int // of textRidges
	warped  bool
}{
	{"RLS", squareText, 0, false},
	{"SVM", hingeText, 1, false},
	{"LapRLS", squareText, 0, true},
	{"LapRLS with offset", offsetText, 0, true},
	{"LapSVM", hingeText, 1, true},
}

var textRidges = []float64{0.01, 1} // of the square, of the hinge

const breakEven, breakEvenError = "PRBEP %", "error % at PRBEP"

// fixedDraws have as many courses among the labels as the source.
func (l *lab) fixedDraws(w *webkb) (draws []*textDraw) {
	for run := range l.runs {
		draws = append(draws, w.newDraw(w.drawCourses(webkbCourses, webkbLabels-webkbCourses, l.stream(run))))
	}
	return draws
}

// drawnCourses have at least one label of each class, and the others at random.
func (l *lab) drawnCourses(w *webkb) (draws []*textDraw) {
	for run := range l.runs {
		draws = append(draws, w.newDraw(drawAtLeast(w.labels.Class, 2, webkbLabels, 1, l.stream(run))))
	}
	return draws
}

// sindhwaniT24 is the transductive comparison on the words of the pages, with the source's parameters.
func sindhwaniT24(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	draws := l.fixedDraws(w)
	declare(ctx, "machines", textMethods)
	for q, m := range textMethods {
		if p := printed24[q]; p[0] > 0 {
			l.printedOf(m.name, []string{breakEven, breakEvenError}, p[:])
		}
	}
	w.fixed(ctx, draws, data.Rows{}, func(method, draw int, out, _ []float64) {
		d := draws[draw]
		lost := w.broken(out, d.hidden)
		l.add(textMethods[method].name, breakEven, 100-lost)
		l.add(textMethods[method].name, breakEvenError, 2*lost*w.share(d.hidden))
	})
}

// printed24 are PRBEP and error of table 2.4, in the order of textMethods; 0: nothing.
var printed24 = [...][2]float64{{73.49, 11.68}, {76.39, 10.41}, {86.37, 5.99}, {}, {87.73, 5.41}}

// share is the share of courses among rows.
func (w *webkb) share(rows []int) float64 {
	n := 0
	for _, i := range rows {
		if w.course[i] {
			n++
		}
	}
	return float64(n) / float64(len(rows))
}

// fixed trains the machines of section 2.7.3 on the words of the pages and tells `each` of
// their outputs on all rows and on rows never seen.
func (w *webkb) fixed(ctx context.Context, draws []*textDraw, unseen data.Rows, each func(method, draw int, out, unseen []float64)) {
	base, k := w.bound(ctx, pageView)
	recipe := textGraph(textNeighbours, graph.CosineWeights)
	recipe.Degree = textDegree
	norm := must(manifold.Graph{Recipe: recipe}.Bind(ctx, w.view[pageView], nil))
	n := len(w.course)
	warped := must(manifold.Parts{Base: base, K: k, Norm: norm}.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: textRatio},
		mat.NewDense(n, n, nil)))
	for q, g := range []kernel.Gram{base, warped} {
		columnsOf(g, draws, unseen).evaluate(ctx, draws, textRidges, func(machine, ridge, draw int, train, unseen []float64) {
			for i, m := range textMethods {
				if m.machine == machine && m.ridge == ridge && m.warped == (q == 1) {
					each(i, draw, train, unseen)
				}
			}
		})
	}
}

// Sizes of the figure; its numbers of labels are lost with the image.
const curveTest, curveTrain = 263, 779

var curveLabels = []int{12, 25, 50, 100, 200}

// sindhwaniF28 draws learning curves: PRBEP by the number of labels, on unlabelled and on
// unseen rows, and of LapSVM also with fewer unlabelled rows.
func sindhwaniF28(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	for run := range l.runs {
		l.say("split %d of %d", run+1, l.runs)
		perm := l.stream(run).Perm(webkbRows)
		for _, size := range []int{curveTrain, curveTrain * 2 / 3, curveTrain / 3} {
			l.curve(ctx, w, perm[:curveTest], perm[curveTest:curveTest+size])
		}
	}
	picture := Figure{Name: "labels", Title: "PRBEP of unlabelled rows by the number of labels", X: Axis{"labelled rows", true},
		Y: Axis{Name: breakEven}}
	for _, m := range textMethods {
		row := func(k int) string { return fmt.Sprintf("%s l=%d n=%d", m.name, curveLabels[k], curveTrain) }
		picture.Curves = append(picture.Curves, l.means(m.name, breakEven+" of unlabelled", reals(curveLabels), row))
	}
	l.draw(picture)
}

// curve adds a split's numbers for one size of the training set.
func (l *lab) curve(ctx context.Context, w *webkb, test, train []int) {
	t := w.selected(train)
	unseen := w.selected(test)
	draws := t.nested(curveLabels)
	t.fixed(ctx, draws, unseen.view[pageView], func(method, draw int, out, outUnseen []float64) {
		m := textMethods[method]
		if len(train) < curveTrain && m.name != "LapSVM" {
			return
		}
		name := fmt.Sprintf("%s l=%d n=%d", m.name, curveLabels[draw], len(train))
		l.add(name, breakEven+" of unlabelled", 100-t.broken(out, draws[draw].hidden))
		l.add(name, breakEven+" of test", 100*metric.PRBEP(outUnseen, unseen.course))
	})
}

// nested labels the first rows of a set in random order, after one row of each class.
func (w *webkb) nested(sizes []int) []*textDraw {
	first, other := slices.Index(w.course, true), slices.Index(w.course, false)
	if first < 0 || other < 0 {
		fail("%d training rows of one class", len(w.course))
	}
	order := []int{first, other}
	for i := range w.course {
		if i != first && i != other {
			order = append(order, i)
		}
	}
	var draws []*textDraw
	for _, n := range sizes {
		labelled := slices.Clone(order[:n])
		slices.Sort(labelled)
		draws = append(draws, w.newDraw(labelled))
	}
	return draws
}

const brokenUnlabelled = "100 - PRBEP % of unlabelled"

// grid27 is ours: the source prints none.
var grid27 = textGrid{
	neighbours: []int{5, 10, 20, 50, 100, 200},
	degrees:    []int{1, 2, 3, 5},
	ratios:     []float64{1e-2, 1, 10, 100, 1e3, 1e4, 1e6},
	ridges:     []float64{1e-6, 1e-4, 1e-2, 0.1, 1, 10},
}

// sindhwaniT27 is the transductive comparison on WebKB, with the joint Laplacians.
func sindhwaniT27(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	given := l.givenDraws(ctx, w)
	if declare(ctx, "given splits", len(given)) { // their rows are of the whole set
		given, w = nil, w.selected(numbersTo(300))
	}
	draws := l.drawnCourses(w)
	for v := range webkbViews {
		l.supervised27(ctx, w, v, draws)
	}
	declare(ctx, "printed of all labels", printed27n)
	trials := l.tune27(ctx, w, slices.Concat(draws, given), grid27.thinned(ctx))
	l.report27(trials, "", 0, len(draws))
	if given != nil {
		l.report27(trials, ", given splits", len(draws), len(draws)+len(given))
		l.note("given splits: those of %s, three of the 12 labels are courses, for comparison with the automatic choice on the same",
			webkbSplits)
	}
}

// givenDraws are the splits of the file, none if there is no file.
func (l *lab) givenDraws(ctx context.Context, w *webkb) []*textDraw {
	name := filepath.Join(l.dataDir, webkbSplits)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	splits := must(read.Splits(ctx, name, webkbRows))
	var draws []*textDraw
	for _, s := range splits {
		labelled := pickOf(w.at, s.Labelled)
		slices.Sort(labelled)
		draws = append(draws, w.newDraw(labelled))
	}
	return draws
}

// tune27 scores the grid.
func (l *lab) tune27(ctx context.Context, w *webkb, draws []*textDraw, grid textGrid) []*textTrial {
	var trials []*textTrial
	scored := func(g kernel.Gram, like textTrial) {
		at := w.tried(ctx, g, draws, grid.ridges, like)
		trials = append(trials, slices.Concat(at[:]...)...)
	}
	var base [webkbViews]kernel.Gram
	var table [webkbViews]*mat.Dense
	for v := range webkbViews {
		base[v], table[v] = w.bound(ctx, v)
		scored(base[v], textTrial{view: v})
	}
	n := len(w.course)
	system := mat.NewDense(n, n, nil)
	var work [webkbViews]kernel.Work
	for _, k := range grid.neighbours {
		l.say("%d neighbours", k)
		laplacians := w.laplacians(ctx, textGraph(k, graph.Heat), &work, slices.Max(grid.neighbours))
		for of, laplacian := range laplacians {
			for q, norm := range powersOf(laplacian, grid.degrees) {
				for v := range webkbViews {
					if of != webkbViews && of != v {
						continue
					}
					parts := manifold.Parts{Base: base[v], K: table[v], Norm: norm.on(table[v])}
					for _, ratio := range grid.ratios {
						g := must(parts.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: ratio}, system))
						like := textTrial{view: v, warped: true, joint: of == webkbViews, neighbours: k, p: grid.degrees[q], ratio: ratio}
						during(like.theta(), func() { scored(g, like) })
					}
				}
			}
		}
	}
	return trials
}

// report27 adds the rows of 12 labels, those of some of the draws.
func (l *lab) report27(all []*textTrial, suffix string, from, to int) {
	var trials []*textTrial
	for _, t := range all {
		part := *t
		part.hidden = t.hidden[from:to]
		trials = append(trials, &part)
	}
	show := func(name string, printed float64, pass func(*textTrial) bool) {
		t := bestText(trials, pass)
		if t == nil {
			return
		}
		name += suffix
		if printed > 0 {
			l.printed(name, brokenUnlabelled, printed)
		}
		l.showBest(name, t)
	}
	for v, view := range viewNames {
		for _, m := range methods27 {
			like := func(t *textTrial) bool {
				return t.view == v && t.machine == m.machine && t.warped == m.warped && t.joint == m.joint
			}
			name := view + " " + m.name
			if !m.warped {
				show(name, m.printed[v], like)
				continue
			}
			show(fmt.Sprintf("%s, nn %d, p %d", name, sourceTextNeighbours, sourceTextDegree), m.printed[v], func(t *textTrial) bool {
				return like(t) && t.neighbours == sourceTextNeighbours && t.p == sourceTextDegree
			})
			show(name+", nn, p", m.printed[v], like)
		}
	}
}

// showBest adds what the trial that an oracle took scores.
func (l *lab) showBest(name string, t *textTrial) {
	for _, v := range t.hidden {
		l.add(name, brokenUnlabelled, v)
	}
	l.interim(name, brokenUnlabelled)
	l.note("%s: %s", name, t.theta())
}

// methods27 are the rows of 12 labels, with what is printed by view.
var methods27 = []struct {
	name          string
	machine       int
	warped, joint bool
	printed       [webkbViews]float64 // 0: nothing
}{
	{"RLS (l)", squareText, false, false, [webkbViews]float64{30.3, 30.2, 23.9}},
	{"SVM (l)", hingeText, false, false, [webkbViews]float64{28.1, 24.3, 18.2}},
	{"LapRLS with offset", offsetText, true, false, [webkbViews]float64{}},
	{"LapRLS", squareText, true, false, [webkbViews]float64{19.2, 11.2, 7.5}},
	{"LapSVM", hingeText, true, false, [webkbViews]float64{17.2, 10.9, 6.4}},
	{"LapRLS with offset, joint", offsetText, true, true, [webkbViews]float64{}},
	{"LapRLS joint", squareText, true, true, [webkbViews]float64{6.7, 8.9, 5.9}},
	{"LapSVM joint", hingeText, true, true, [webkbViews]float64{5.7, 6.6, 5.1}},
}

// printed27n are the rows of all labels, RLS and SVM.
var printed27n = [webkbViews][2]float64{{5.6, 5.1}, {6.4, 5.3}, {2.2, 0.7}}

// silent is the share of a draw's hidden rows whose kernel values with the labelled ones are all
// zero: a supervised machine gives them the same output.
func silent(k *mat.Dense, d *textDraw) float64 {
	n := 0
	for _, i := range d.hidden {
		row := k.RawRowView(i)
		if !slices.ContainsFunc(d.labelled, func(j int) bool { return row[j] != 0 }) {
			n++
		}
	}
	return float64(n) / float64(len(d.hidden))
}

// supervised27 trains on all labels but those of a fold, ten times.
func (l *lab) supervised27(ctx context.Context, w *webkb, view int, draws []*textDraw) {
	l.say("%s, all labels", viewNames[view])
	folds := must(data.Folds(w.labels, 10, l.seed)).Groups()
	g, k := w.bound(ctx, view)
	for _, d := range draws {
		l.add(viewNames[view]+" (l)", "share % of unlabelled that have no word of the labelled rows", 100*silent(k, d))
	}
	p := learn.NewProblem(w.view[view], w.labels)
	path := must(rls.NewPath(ctx, k, p.Y, nil, false))
	trainer := must(svm.Classifier{}.Bind(ctx, g, p))
	var trials []*textTrial
	try := func(machine int, ridge float64, out *mat.Dense) {
		t := &textTrial{machine: machine, view: view, ridge: ridge}
		for _, fold := range folds {
			t.hidden = append(t.hidden, w.broken(mat.Col(nil, 0, out), fold))
		}
		trials = append(trials, t)
	}
	for _, ridge := range thin(ctx, "ridges of all labels", 2, decades(-4, 2)) {
		f := must(path.At(ridge))
		try(squareText, ridge, must(f.LeaveOut(ctx, folds)))
		out, _ := must2(score.LeftOut(ctx, g, trainer, p, folds, []float64{1 / (2 * ridge)}, nil))
		try(hingeText, ridge, out)
	}
	for q, m := range []struct {
		name    string
		machine int
	}{{"RLS (n)", squareText}, {"SVM (n)", hingeText}} {
		name := viewNames[view] + " " + m.name
		l.printed(name, brokenUnlabelled, printed27n[view][q])
		l.showBest(name, bestText(trials, func(t *textTrial) bool { return t.machine == m.machine }))
	}
}

const brokenTest = "100 - PRBEP % of test"

// trial28 is a candidate of one view: its score on a chunk, as part of the unlabelled rows
// of the three training sets it is in and as test set, over all draws.
type trial28 struct {
	ratio, ridge float64
	unlabelled   [chunks][]float64
	test         [chunks][]float64
}

// means are those of both kinds over chunks and draws, added.
func (t *trial28) means() float64 {
	return mean(slices.Concat(t.unlabelled[:]...)) + mean(slices.Concat(t.test[:]...))
}

// trials28 are the candidates of all views, of the own graph and of the joint one.
type trials28 struct {
	*webkb
	grid   textGrid
	perm   []int
	from   int // 1: of the joint graph alone
	trials [webkbViews][2][]*trial28
}

// outOfSample trains on three chunks and tests on the fourth: on own and joint graphs, or from 1 on joint ones alone.
func outOfSample(from int) protocol {
	return func(ctx context.Context, l *lab) {
		t := &trials28{webkb: l.webkb(ctx), grid: grid27.thinned(ctx), perm: l.stream(0).Perm(webkbRows), from: from}
		for v := range t.trials {
			for of := range t.trials[v] {
				for _, ratio := range t.grid.ratios {
					for _, ridge := range t.grid.ridges {
						t.trials[v][of] = append(t.trials[v][of], &trial28{ratio: ratio, ridge: ridge})
					}
				}
			}
		}
		for k := range atMost(ctx, "chunks", 1, chunks) {
			l.say("chunk %d of %d tests", k+1, chunks)
			t.fold(ctx, l, k)
		}
		for v, view := range viewNames {
			for of, mark := range [...]string{"", " joint"} {
				if of >= from {
					l.report28(fmt.Sprintf("%s LapSVM%s", view, mark), printed28[v][of], t.trials[v][of])
				}
			}
		}
	}
}

// printed28 are means over the universities, unlabelled and test: table 2.8, and of the joint Laplacian 100 less those of table 4.2.
var printed28 = [webkbViews][2][2]float64{
	{{(26.1 + 18.8 + 12.8 + 18.6) / 4, (27.3 + 17.3 + 13.8 + 19.3) / 4}, {100 - (88.7+93.5+92.4+84.5)/4, 100 - (88.2+90.9+93.7+86.1)/4}},
	{{(14.4 + 19.0 + 8.7 + 14.5) / 4, (14.3 + 17.8 + 8.4 + 15.7) / 4}, {100 - (88.8+92.4+93.9+86.6)/4, 100 - (88.9+91.6+94.0+87.6)/4}},
	{{(8.0 + 4.7 + 4.8 + 7.1) / 4, (8.0 + 5.1 + 4.5 + 7.0) / 4}, {100 - (90.9+95.5+94.9+91.4)/4, 100 - (91.6+94.8+94.7+92.0)/4}},
}

// fold trains on all rows but those of a chunk.
func (w *trials28) fold(ctx context.Context, l *lab, k int) {
	grid, perm := w.grid, w.perm
	at := func(c int) int { return webkbRows * c / chunks }
	var train, chunk []int // chunk of each training row
	for c := range chunks {
		if c != k {
			train = append(train, perm[at(c):at(c+1)]...)
			chunk = append(chunk, slices.Repeat([]int{c}, at(c+1)-at(c))...)
		}
	}
	t, unseen := w.selected(train), w.selected(perm[at(k):at(k+1)])
	var draws []*textDraw
	parts := make([][chunks][]int, l.runs) // hidden rows by chunk
	for run := range l.runs {
		labelled := drawAtLeast(t.labels.Class, 2, webkbLabels, 1, rand.New(rand.NewPCG(l.seed+1, uint64(k*l.runs+run))))
		d := t.newDraw(labelled)
		for _, i := range d.hidden {
			parts[run][chunk[i]] = append(parts[run][chunk[i]], i)
		}
		draws = append(draws, d)
	}
	var work [webkbViews]kernel.Work
	laplacians := t.laplacians(ctx, textGraph(sourceTextNeighbours, graph.Heat), &work, sourceTextNeighbours)
	system := mat.NewDense(len(train), len(train), nil)
	for of, laplacian := range laplacians {
		norm := powersOf(laplacian, []int{sourceTextDegree})[0]
		for v := range webkbViews {
			joint := 0
			if of == webkbViews {
				joint = 1
			} else if of != v || w.from > 0 {
				continue
			}
			base, table := t.bound(ctx, v)
			shared := manifold.Parts{Base: base, K: table, Norm: norm.on(table)}
			for q, ratio := range grid.ratios {
				g := must(shared.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: ratio}, system))
				list := w.trials[v][joint][q*len(grid.ridges):]
				columns := columnsOf(g, draws, unseen.view[v])
				columns.evaluate(ctx, draws, grid.ridges, func(machine, ridge, draw int, out, outUnseen []float64) {
					if machine != hingeText {
						return
					}
					for c, rows := range parts[draw] {
						if c != k {
							list[ridge].unlabelled[c] = append(list[ridge].unlabelled[c], t.broken(out, rows))
						}
					}
					list[ridge].test[k] = append(list[ridge].test[k], 100*(1-metric.PRBEP(outUnseen, unseen.course)))
				})
			}
		}
	}
}

// report28 adds the numbers of the oracle: a value a chunk.
func (l *lab) report28(name string, printed [2]float64, trials []*trial28) {
	best := trials[leastOf(len(trials), func(i int) float64 { return trials[i].means() })]
	l.printedOf(name, []string{brokenUnlabelled, brokenTest}, printed[:])
	for c := range chunks {
		l.add(name, brokenUnlabelled, mean(best.unlabelled[c]))
		l.add(name, brokenTest, mean(best.test[c]))
	}
	l.interim(name, brokenUnlabelled, brokenTest)
	l.note("%s: gamma_I/gamma_A %g, l gamma_A %g", name, best.ratio, best.ridge)
}

// sindhwaniFit is table 2.4: machines on the words of WebKB's pages at the source's parameters.
func sindhwaniFit(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	draws := l.fixedDraws(w)
	l.textTwice(ctx, w, draws)
	for q, m := range textMethods {
		if p := printed24[q]; p[0] > 0 {
			l.printedBoth(m.name, breakEven, p[0])
		}
	}
}

// textTwice trains all machines of the table on all draws both ways.
func (l *lab) textTwice(ctx context.Context, w *webkb, draws []*textDraw) {
	w.fixed(ctx, draws, data.Rows{}, func(method, draw int, out, _ []float64) {
		m, d := textMethods[method], draws[draw]
		l.say("%s, draw %d of %d", m.name, draw+1, len(draws))
		in := mercer.Input{Set: &data.Set{Source: "pages", Name: "pages", Rows: w.view[pageView], LabelName: "course"}}
		in.Set.Answers, in.Hidden = make(data.Answers, len(w.course)), make(data.Answers, len(w.course))
		for i, k := range w.labels.Class {
			in.Hidden[i] = w.labels.Classes[k]
		}
		for _, i := range d.labelled {
			in.Set.Answers[i], in.Hidden[i] = in.Hidden[i], ""
		}
		during(fmt.Sprintf("%s, draw %d", m.name, draw+1), func() {
			front, res := fixedFit(ctx, in, textRecipe(method, len(d.labelled)))
			all := must(front.Predict(ctx, w.view[pageView]))
			l.both(m.name, breakEven, 100-w.broken(out, d.hidden), 100*res.Metrics["hidden"]["prbep"])
			l.most(m.name, fitDifference, apart(withoutMean(target(out), m.machine), withoutMean(all, m.machine)))
		})
	})
}

// withoutMean are outputs less their mean where the machine has an offset, which the library's
// outputs of pages leave out: the ranking does not depend on it.
func withoutMean(out *mat.Dense, machine int) *mat.Dense {
	n, _ := out.Dims()
	centred := mat.DenseCopyOf(out)
	if machine != squareText {
		mean := mat.Sum(out) / float64(n)
		for i := range n {
			centred.Set(i, 0, out.At(i, 0)-mean)
		}
	}
	return centred
}

// textRecipe is a machine of the table for so many labelled rows.
func textRecipe(method, labelled int) mercer.Recipe {
	m := textMethods[method]
	ridge := textRidges[m.ridge]
	gamma := ridge / float64(labelled) // of the averaged loss
	r := mercer.Recipe{Kernel: "linear", Offset: "no", Set: map[string]string{}}
	if m.machine != squareText {
		r.Offset = "yes"
	}
	if m.warped {
		r.Set = map[string]string{
			"gamma_a":         text(gamma),
			"gamma_i":         text(textRatio * gamma),
			"intrinsic_scale": "none",
			"neighbours":      text(textNeighbours),
			"degree":          text(textDegree),
			"metric":          "cosine",
			"weights":         "cosine",
		}
	}
	switch {
	case m.machine == hingeText && m.warped:
		r.Method = "lap-svm"
	case m.machine == hingeText:
		r.Method, r.Set["C"] = "svm", text(1/(2*ridge))
	case m.warped:
		r.Method = "lap-rls"
	default:
		r.Method, r.Set["lambda"] = "rls", text(gamma)
	}
	return r
}
