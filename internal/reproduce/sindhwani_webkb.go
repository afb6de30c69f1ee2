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
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
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
	s := &webkb{labels: w.labels, course: indices.Of(w.course, idx)}
	s.labels.Class = indices.Of(w.labels.Class, idx)
	for v := range w.view {
		s.view[v] = unnumbered(w.view[v].Select(idx))
	}
	return s
}

// informed is the set with the words of its pages that have most information about the class, of all rows:
//
//	H(course) - sum_b P(word = b) H(course | word = b)
//
// over whether a page has a word. Rows have length 1 again.
func (w *webkb) informed(words int) *webkb {
	pages := w.view[pageView].Sparse
	has := make([][2]int, pages.C) // pages with a word, by class
	var all [2]int
	for i, c := range w.labels.Class {
		all[c]++
		index, _ := pages.Row(i)
		for _, j := range index {
			has[j][c]++
		}
	}
	entropy := func(n [2]int) (sum float64) { // times the pages
		for _, k := range n {
			if k > 0 {
				sum -= float64(k) * math.Log(float64(k)/float64(n[0]+n[1]))
			}
		}
		return sum
	}
	left := make([]float64, pages.C)
	for j, n := range has {
		left[j] = entropy(n) + entropy([2]int{all[0] - n[0], all[1] - n[1]})
	}
	order := indices.To(pages.C)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(left[a], left[b]) })
	order = order[:words]
	slices.Sort(order)
	s := *w
	s.view[pageView] = data.Scaling{Kind: data.ScaleUnit}.Apply(w.view[pageView].SelectColumns(order))
	s.view[bothViews] = s.view[pageView].Beside(w.view[linkView])
	return &s
}

// broken is 100 - PRBEP in percent of outputs at rows, which are those of the set.
func (w *webkb) broken(out []float64, rows []int) float64 {
	return 100 * (1 - metric.PRBEP(indices.Of(out, rows), indices.Of(w.course, rows)))
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
	own.Class = indices.Of(w.labels.Class, labelled)
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
			return blas.Product(blas.N(k), blas.N(alpha)).RawMatrix().Data
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
	return denseNorm{o.r, table, blas.Product(blas.N(o.r), blas.N(table))}
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
			last = blas.Product(blas.N(l), blas.N(last))
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
		_, k := w.bound(ctx, v)
		list[v] = ofCommonWords(g, k).Laplacian().ToDense()
		mean.Add(mean, list[v])
	}
	mean.Scale(1./webkbViews, mean)
	list[webkbViews] = mean
	return list
}

// ofCommonWords is a graph of heat weights without the edges of pages that have no word in common, where k is the table of inner
// products. Such edges have length 1, and the order of the rows chooses among them. The width, of the mean length, is of the others alone.
func ofCommonWords(g *graph.Graph, k *mat.Dense) *graph.Graph {
	one := &graph.Graph{N: g.N, Recipe: g.Recipe, W: &data.CSR{R: g.N, C: g.N, Start: make([]int, g.N+1)}}
	sum := 0.0
	for i := range g.N {
		neighbours, _ := g.W.Row(i)
		for _, j := range neighbours {
			if common := k.At(i, int(j)); common != 0 {
				length := 1 - common/math.Sqrt(k.At(i, i)*k.At(int(j), int(j)))
				one.W.Index, one.W.Value = append(one.W.Index, j), append(one.W.Value, length)
				sum += length
			}
		}
		one.W.Start[i+1] = len(one.W.Index)
	}
	s := sum / float64(max(len(one.W.Value), 1))
	for p, length := range one.W.Value {
		one.W.Value[p] = math.Exp(-length * length / (2 * s * s))
	}
	return one
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
	switch {
	case t.warped:
		text = fmt.Sprintf("nn %d, p %d, gamma_I/gamma_A %g, %s", t.neighbours, t.p, t.ratio, text)
	case t.ratio > 0: // of views that agree
		text = fmt.Sprintf("gamma_C/gamma_1 %g, %s", t.ratio, text)
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
