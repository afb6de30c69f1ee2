package reproduce

// Protocol of Klatzer 2014, chapter 6, on pictures that are at hand: some pictures of every class to tune on and
// some to test, bags of visual words, one machine a class against the rest, whose largest output decides.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

var coilSet = dataset{"coil20", "coil20.csv.gz", 1440, 1024}

// gallery is a protocol: how many pictures of how many classes.
type gallery struct {
	classes    int
	rest       bool // the last class is of pictures of all others
	tune, test int  // pictures of a class
	words      int
}

// pictures is one split: rows to tune on, then those to test, and what the machines of all classes share. The rows
// to test are in the tables of the kernels but have no labels: they do not train.
type pictures struct {
	rows    data.Rows
	class   []int
	tune    int
	classes int
	folds   [][]int
	work    *kernel.Work
}

// hang draws the split of a run and counts its words.
func (g gallery) hang(ctx context.Context, l *lab, set *classified, run int) *pictures {
	rng := l.stream(run)
	tune, test := atMost(ctx, "pictures of a class to tune", 6, g.tune), atMost(ctx, "pictures of a class to test", 3, g.test)
	words := atMost(ctx, "words", 20, g.words)
	p := &pictures{classes: g.classes, tune: g.classes * tune, work: new(kernel.Work)}
	var rows, last, lastClass []int
	for k := range g.classes {
		perm := g.of(set, k)
		if len(perm) < tune+test {
			fail("class %d has %d pictures, %d are needed", k, len(perm), tune+test)
		}
		rng.Shuffle(len(perm), func(a, b int) { perm[a], perm[b] = perm[b], perm[a] })
		rows, last = append(rows, perm[:tune]...), append(last, perm[tune:tune+test]...)
		p.class, lastClass = append(p.class, slices.Repeat([]int{k}, tune)...), append(lastClass, slices.Repeat([]int{k}, test)...)
	}
	labels := data.Labels{Task: data.Classification, Classes: make([]string, g.classes), Class: p.class}
	folds := must(data.Folds(labels, klatzerFolds, rng.Uint64()))
	p.folds, p.class = folds.Groups(), append(p.class, lastClass...)
	p.rows = visualWords(ctx, set.x.Select(append(rows, last...)).Dense, p.tune, words, rng)
	return p
}

// of lists the rows of a class.
func (g gallery) of(set *classified, k int) []int {
	least := slices.Min(set.class) // 0, or 1
	var rows []int
	for i, c := range set.class {
		if c -= least; c == k || g.rest && k == g.classes-1 && c > k {
			rows = append(rows, i)
		}
	}
	return rows
}

// task is one class against the rest.
func (p *pictures) task(k int) *task {
	own := labelsOf(signs((&classified{class: p.class}).against(k))).Class
	labels := known(twoClasses(), own, indices.To(p.tune))
	return &task{problem: learn.NewProblem(p.rows, labels), work: p.work, folds: p.folds}
}

// tested is the classes of the rows to test.
func (p *pictures) tested() []int { return p.class[p.tune:] }

// scores is for the outputs of all classes on the rows to test.
func (p *pictures) scores() *mat.Dense { return mat.NewDense(len(p.tested()), p.classes, nil) }

// outputs stores in a column what the machine of a class says of the rows to test.
func (p *pictures) outputs(ctx context.Context, scores *mat.Dense, k int, b *bilevel, theta []float64) {
	g, m := b.machine(ctx, theta)
	out := mat.NewDense(len(p.tested()), 1, nil)
	check(m.Evaluate(ctx, out, g, indices.To(len(p.class))[p.tune:]))
	scores.SetCol(k, mat.Col(nil, 0, out))
	check(ctx.Err())
}

// Metrics of tables on pictures.
const (
	meanClass    = "mean class accuracy %"
	meanH        = "H at the optimum, mean of the classes"
	allTrainings = "SVM evaluations, all classes"
)

// diagonal is the part of each class, in per cent, whose largest output is its own, and the mean of the classes:
// the diagonal of the confusion matrix.
func diagonal(scores *mat.Dense, class []int) (each []float64, mean float64) {
	_, classes := scores.Dims()
	each = make([]float64, classes)
	count := make([]float64, classes)
	for i, k := range class {
		best := 0
		row := scores.RawRowView(i)
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		count[k]++
		if best == k {
			each[k]++
		}
	}
	for k := range each {
		each[k] *= 100 / count[k]
		mean += each[k] / float64(classes)
	}
	return each, mean
}

// rightOf adds the accuracies of a method, class by class, and returns their mean.
func (l *lab) rightOf(name string, scores *mat.Dense, class []int) float64 {
	each, mean := diagonal(scores, class)
	for k, v := range each {
		l.add(className(name, k), testRight, v)
	}
	l.add(name, meanClass, mean)
	return mean
}

func className(name string, k int) string { return fmt.Sprintf("%s, class %d", name, k) }

// learned tunes a machine for each class from a start and returns the mean class accuracy.
func (l *lab) learned(ctx context.Context, name string, p *pictures, m model, start []float64) float64 {
	scores := p.scores()
	h, count := 0.0, 0.0
	for k := range p.classes {
		b := m.outer(p.task(k), quartic)
		res := b.tune(ctx, logSearch, start)
		p.outputs(ctx, scores, k, b, res.Theta)
		h, count = h+res.F/float64(p.classes), count+b.task.trainings(res.Evaluations)
	}
	l.add(name, meanH, h)
	l.add(name, allTrainings, count)
	return l.rightOf(name, scores, p.tested())
}

// gridded tries every point of a grid: for each class the point of the least H, and for all classes together the one
// that is best on the rows to test, which nobody knows beforehand. It returns the mean class accuracy of the first.
func (l *lab) gridded(ctx context.Context, name string, p *pictures, m model, grid [][]float64) float64 {
	all := make([]*mat.Dense, len(grid))
	for q := range grid {
		all[q] = p.scores()
	}
	chosen := p.scores()
	h, count := 0.0, 0.0
	for k := range p.classes {
		b := m.outer(p.task(k), quartic)
		best, least := 0, 0.0
		for q, theta := range grid {
			v := must(b.Eval(ctx, theta, param.ValueOnly))
			if q == 0 || v.F < least {
				best, least = q, v.F
			}
			p.outputs(ctx, all[q], k, b, theta)
		}
		chosen.SetCol(k, mat.Col(nil, k, all[best]))
		h, count = h+least/float64(p.classes), count+b.task.trainings(len(grid))
	}
	l.add(name+" by H", meanH, h)
	l.add(name+" by H", allTrainings, count)
	right := l.rightOf(name+" by H", chosen, p.tested())
	top := 0.0
	for q := range grid {
		_, mean := diagonal(all[q], p.tested())
		top = max(top, mean)
	}
	l.add(name+" in hindsight", meanClass, top)
	return right
}

// points lists those of a grid of one or two parameters.
func points(a []float64, second ...[]float64) [][]float64 {
	var all [][]float64
	for _, x := range a {
		if len(second) == 0 {
			all = append(all, []float64{x})
			continue
		}
		for _, y := range second[0] {
			all = append(all, []float64{x, y})
		}
	}
	return all
}

// perClass draws the accuracy of every class by several methods.
func (l *lab) perClass(classes int, names ...string) {
	picture := Figure{Name: "classes", Title: "Test accuracy of every class", X: Axis{Name: "class"}, Y: Axis{Name: testRight}}
	at := reals(indices.To(classes))
	for _, name := range names {
		c := l.means(name, testRight, at, func(k int) string { return className(name, k) })
		c.Loose = true
		picture.Curves = append(picture.Curves, c)
	}
	l.draw(picture)
}

// overSplits calls f for every split of several sets of pictures.
func (l *lab) overSplits(ctx context.Context, g gallery, sets []dataset, f func(name string, p *pictures)) {
	for _, d := range sets {
		set := l.classified(ctx, d)
		for run := range l.runs {
			l.say("%s, split %d of %d", d.name, run+1, l.runs)
			var p *pictures
			during(d.name, func() { p = g.hang(ctx, l, set, run) })
			f(d.name, p)
		}
	}
}

// caltech are the galleries of section 6.1: 30 pictures of a class to tune, 15 to test, 400 words.
func caltech(classes int) gallery { return gallery{classes: classes, tune: 30, test: 15, words: 400} }

// klatzerF61 compares two kernels on histograms of words.
func klatzerF61(ctx context.Context, l *lab) {
	g := caltech(5)
	var names []string
	l.overSplits(ctx, g, []dataset{fashionSet, coilSet}, func(name string, p *pictures) {
		chi := l.learned(ctx, name+", exp-chi2", p, chiSquareModel(), p.start(kernel.ExpChi2{}))
		gauss := l.learned(ctx, name+", Gaussian", p, gaussianModel(), p.start(kernel.Gaussian{}))
		l.add(name+", exp-chi2 less Gaussian", meanClass, chi-gauss)
	})
	for _, d := range []dataset{fashionSet, coilSet} {
		names = append(names, d.name+", exp-chi2", d.name+", Gaussian")
	}
	l.perClass(g.classes, names...)
}

// start is c = 10 and the gamma of the library's default width, the median distance, of the rows to tune.
func (p *pictures) start(k kernel.Kernel) []float64 {
	sigma := k.Adapt(p.rows.Select(indices.To(p.tune))).Space()[0].Default
	return []float64{10, 1 / (2 * sigma * sigma)}
}

// againstGrid is an experiment that learns the parameters of a model for each class, and takes them of a grid.
type againstGrid struct {
	gallery gallery
	sets    []dataset
	model   model
	start   []float64
	grid    [][]float64
}

// run compares learned parameters with a grid.
func (s againstGrid) run(ctx context.Context, l *lab) {
	const learned, grid = ", learned", ", grid"
	points := thin(ctx, "points of the grid", 3, s.grid)
	l.overSplits(ctx, s.gallery, s.sets, func(name string, p *pictures) {
		own := l.learned(ctx, name+learned, p, s.model, s.start)
		theirs := l.gridded(ctx, name+grid, p, s.model, points)
		l.add(name+learned+" less grid by H", meanClass, own-theirs)
	})
	var names []string
	for _, d := range s.sets {
		names = append(names, d.name+learned, d.name+grid+" by H")
	}
	l.perClass(s.gallery.classes, names...)
}

// graz is the gallery of section 6.2: three classes and one of all others, 60 pictures to tune, 30 to test, 300 words.
var graz = gallery{classes: 4, rest: true, tune: 60, test: 30, words: 300}

// chiSquareMapModel is a linear machine with a bias on the map of the additive chi-square kernel.
func chiSquareMapModel() model {
	m := linearModel()
	m.kernel = kernel.Chi2Map{}
	return m
}

// klatzerF65 is one against the rest with the exponential chi-square kernel on raw images, c and gamma learned for each class.
func klatzerF65(ctx context.Context, l *lab) {
	for _, d := range []dataset{uspsSet, fashionSet} {
		set := l.classified(ctx, d)
		l.images(ctx, d.name, set, atMost(ctx, "rows of a class to tune", 5, 300))
	}
	l.perClass(10, uspsSet.name, fashionSet.name)
}

// images tunes one machine a class and judges them together.
func (l *lab) images(ctx context.Context, name string, set *classified, each int) {
	during(name, func() { unitSums(set.x.Dense) })
	rng := l.stream(0)
	classes := slices.Max(set.class) + 1
	var tune, test []int
	for k := range classes {
		rows := gallery{classes: classes}.of(set, k)
		perm := rng.Perm(len(rows))
		for q, p := range perm[:min(2*each, len(rows))] {
			if q < each {
				tune = append(tune, rows[p])
			} else {
				test = append(test, rows[p])
			}
		}
	}
	work := new(kernel.Work)
	scores := mat.NewDense(len(test), classes, nil)
	for k := range classes {
		l.say("%s: class %d", name, k)
		t := crossValidated(set.x, set.against(k), tune, test, l.seed, work)
		b := chiSquareModel().outer(t, quartic)
		res := b.tune(ctx, logSearch, []float64{10, 1})
		g, m := b.machine(ctx, res.Theta)
		scores.SetCol(k, mat.Col(nil, 0, predicted(ctx, g, m, t.test, 1)))
		row := className(name, k)
		l.add(row, minH, res.F)
		l.add(row, "c", res.Theta[0])
		l.add(row, "gamma", res.Theta[1])
		l.add(row, evaluations, t.trainings(res.Evaluations))
	}
	l.rightOf(name, scores, indices.Of(set.class, test))
}

// unitSums divides every row by its sum.
func unitSums(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		s := 0.0
		for _, v := range row {
			s += v
		}
		if !(s > 0) {
			fail("row %d sums to %g; images have positive sums", i+1, s)
		}
		for j := range row {
			row[j] /= s
		}
	}
}

// Bags of visual words of square grey pictures, the features of Klatzer 2014, chapter 6:
//
//	descriptor  of a patch of 4 x 4 cells: in every cell the lengths of the gradients by eight directions,
//	            each shared by the two nearest; length one, no entry above 0.2, length one again (Lowe,
//	            Distinctive image features from scale-invariant keypoints, 2004)
//	where       everywhere: patches of three sizes on a grid (dense descriptors at several scales)
//	words       k-means centres of descriptors of the pictures to tune on (kernel.Centres)
//	histogram   of the nearest words in each of 2 x 2 and of 4 x 4 parts of the picture (Lazebnik, Schmid and
//	            Ponce, Beyond bags of features, 2006), both of sum 1/2
//
// Cost: for p patches a picture 2 p w d flops of w words of d = 128 numbers.

const (
	patchCells      = 4 // along a side of a patch
	patchDirections = 8
	patchNumbers    = patchCells * patchCells * patchDirections
	patchClip       = 0.2 // of a descriptor of length one: Lowe's
	// patchSteps is the number of steps of the grid of patches along a side of a picture: two pixels of 28 and 32, one of 16.
	patchSteps = 14
	// patchContrast is the mean length of a patch's gradients, as a part of the largest grey value of the picture,
	// below which the patch is flat: its descriptor is zero, as that of a patch of one grey.
	patchContrast = 0.005
	// wordSample is the number of descriptors of which words are made, fifty a word of four hundred.
	wordSample = 20000
)

// cellSizes are the pixels of a side of a cell; patches are of 8, 12 and 16 pixels.
var cellSizes = [...]int{2, 3, 4}

// wordParts are the parts of a picture along a side, each level a histogram.
var wordParts = [...]int{2, 4}

// patch is a square of cells by its upper left corner; cell is the pixels of a side of a cell.
type patch struct{ x, y, cell int }

// patchesOf lists the patches of a square picture.
func patchesOf(side int) []patch {
	var list []patch
	step := max(1, side/patchSteps)
	for _, cell := range cellSizes {
		for y := 0; y+patchCells*cell <= side; y += step {
			for x := 0; x+patchCells*cell <= side; x += step {
				list = append(list, patch{x, y, cell})
			}
		}
	}
	return list
}

// gradients are the sums of the lengths of gradients, by direction, over all pixels above and to the left.
type gradients struct {
	side  int
	sum   []float64 // (side + 1) x (side + 1) x patchDirections
	white float64   // the largest grey value
}

// look takes the gradients of a picture, whose rows follow one another, by central differences.
func (g *gradients) look(grey []float64) {
	n := g.side
	at := func(x, y int) float64 { return grey[min(max(y, 0), n-1)*n+min(max(x, 0), n-1)] }
	if g.sum == nil {
		g.sum = make([]float64, (n+1)*(n+1)*patchDirections)
	}
	g.white = 0
	for y := range n {
		var row [patchDirections]float64 // of this row so far
		for x := range n {
			g.white = max(g.white, at(x, y))
			dx, dy := (at(x+1, y)-at(x-1, y))/2, (at(x, y+1)-at(x, y-1))/2
			turn := patchDirections * (math.Atan2(dy, dx)/(2*math.Pi) + 1)
			first, share := math.Modf(turn)
			length := math.Hypot(dx, dy)
			row[int(first)%patchDirections] += (1 - share) * length
			row[int(first+1)%patchDirections] += share * length
			to, above := g.corner(x+1, y+1), g.corner(x+1, y)
			for d, v := range row {
				to[d] = above[d] + v
			}
		}
	}
}

func (g *gradients) corner(x, y int) []float64 {
	i := (y*(g.side+1) + x) * patchDirections
	return g.sum[i : i+patchDirections]
}

// describe stores the descriptor of a patch.
func (g *gradients) describe(to []float64, p patch) {
	sum := 0.0
	for cy := range patchCells {
		for cx := range patchCells {
			x, y := p.x+cx*p.cell, p.y+cy*p.cell
			a, b := g.corner(x, y), g.corner(x+p.cell, y)
			c, d := g.corner(x, y+p.cell), g.corner(x+p.cell, y+p.cell)
			own := to[(cy*patchCells+cx)*patchDirections:]
			for k := range patchDirections {
				own[k] = max(0, d[k]-b[k]-c[k]+a[k])
				sum += own[k]
			}
		}
	}
	pixels := float64(patchCells * patchCells * p.cell * p.cell)
	if !(sum > patchContrast*g.white*pixels) {
		clear(to)
		return
	}
	unitLength(to)
	for k, v := range to {
		to[k] = min(v, patchClip)
	}
	unitLength(to)
}

// unitLength divides numbers, not all zero, by their length.
func unitLength(v []float64) {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	s = math.Sqrt(s)
	for k := range v {
		v[k] /= s
	}
}

// visualWords returns the histograms of the pictures in the rows of x, whose words are of the first `tune` of them.
func visualWords(ctx context.Context, x *mat.Dense, tune, words int, rng *rand.Rand) data.Rows {
	n, d := x.Dims()
	side := int(math.Round(math.Sqrt(float64(d))))
	if side*side != d {
		fail("pictures of %d pixels are not square", d)
	}
	patches, g := patchesOf(side), &gradients{side: side}
	some := min(len(patches), (wordSample+tune-1)/tune) // of a picture
	sample := mat.NewDense(tune*some, patchNumbers, nil)
	for i := range tune {
		g.look(x.RawRowView(i))
		for q, p := range rng.Perm(len(patches))[:some] {
			g.describe(sample.RawRowView(i*some+q), patches[p])
		}
	}
	centres := must(kernel.Centres(ctx, data.Rows{Dense: sample}, words, rng.Uint64()))
	b := newBags(side, patches, centres)
	rows := mat.NewDense(n, b.columns(), nil)
	for i := range n {
		check(ctx.Err())
		g.look(x.RawRowView(i))
		for q, p := range patches {
			g.describe(b.found.RawRowView(q), p)
		}
		b.count(rows.RawRowView(i))
	}
	return data.Rows{Sparse: data.CSRFromDense(rows)}
}

// bags counts words.
type bags struct {
	side    int
	patches []patch
	words   *mat.Dense
	half    []float64  // of the squared lengths of the words
	found   *mat.Dense // descriptors of a picture
	inner   *mat.Dense // their products with the words
}

func newBags(side int, patches []patch, words *mat.Dense) *bags {
	w, _ := words.Dims()
	b := &bags{side: side, patches: patches, words: words, half: make([]float64, w),
		found: mat.NewDense(len(patches), patchNumbers, nil), inner: mat.NewDense(len(patches), w, nil)}
	for k := range w {
		for _, v := range words.RawRowView(k) {
			b.half[k] += v * v / 2
		}
	}
	return b
}

func (b *bags) columns() int {
	parts := 0
	for _, p := range wordParts {
		parts += p * p
	}
	return parts * len(b.half)
}

// count adds the histogram of the descriptors found to zeros. A patch is in the part that has its centre.
func (b *bags) count(to []float64) {
	blas.Gemm(1, blas.N(b.found), blas.T(b.words), 0, b.inner)
	each := 1 / float64(len(wordParts)*len(b.patches))
	for q, p := range b.patches {
		word, most := 0, math.Inf(-1)
		for k, v := range b.inner.RawRowView(q) {
			if v -= b.half[k]; v > most {
				word, most = k, v
			}
		}
		x, y := p.x+patchCells*p.cell/2, p.y+patchCells*p.cell/2
		before := 0
		for _, parts := range wordParts {
			part := (y*parts/b.side)*parts + x*parts/b.side
			to[(before+part)*len(b.half)+word] += each
			before += parts * parts
		}
	}
}
