package reproduce

// Protocol of Sindhwani 2007, chapter 5: sets of table 5.1, a quarter of the rows for validation; of the others, l drawn labels,
// each class at least once, the rest in the graph. Errors are those on rows without a label, at the parameters with the least
// error on the validation rows, over all draws anew. Scales are those of the chapter: sums of losses, halves,
//
//	(gamma_A/2) |o|^2 + (gamma_I/2) f'Mf + 1/2 sum_L (y - f)^2 + (nu/2) |f - o|^2
//
// The source prints neither grid, nor rho, nor the graphs. Ours (sparseGrid) has the pairs of neighbours and degree that chapter 2
// has for these sets. Greedy machines draw 50 candidates a step, as the source.
//
// Cost. Kernel values of all rows are kept, one n x n table a width; a factorisation of n rows for each graph and width, or
// strength and coupling of the slack machines.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/sparsemanifold"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
)

// sparseSet is a set of table 5.1 with what is printed of it.
type sparseSet struct {
	name, file string // no file: generated
	builtin    string
	first      int        // classes 1 to first are the positive ones; 0: the last of two classes
	printed    [6]float64 // dimension, labels, rows of the graph, of validation, basis, rows of all
	size       int        // of the basis
}

func (s sparseSet) title() string { return s.name }

func sparseSets() []sparseSet {
	return []sparseSet{
		{name: "2MOONS", builtin: "two-moons:n=600,noise=0.05", printed: [6]float64{2, 2, 450, 150, 15, 600}, size: 15},
		{name: "G50C", file: "g50c.csv.gz", printed: [6]float64{50, 21, 412, 138, 42, 550}, size: 42},
		{name: "COIL20BIN", file: "coil20.csv.gz", first: 10, printed: [6]float64{1024, 54, 1080, 360, 108, 1440}, size: 108},
		{name: "USPS25", file: "ssl_usps1500.csv.gz", printed: [6]float64{241, 57, 1125, 375, 113, 1500}, size: 113},
		{name: "PCMAC", file: "macwin_text1.svm.gz", printed: [6]float64{7511, 73, 1459, 487, 146, 1946}, size: 146},
	}
}

// sparseRows are the rows of a set with their classes, 0 and 1.
func (l *lab) sparseRows(ctx context.Context, s sparseSet) *classified {
	name := s.builtin
	if name != "" {
		name += fmt.Sprintf(",seed=%d", l.seed+1)
	}
	set := l.open(ctx, dataset{name: name, file: s.file})
	c := &classified{x: set.Rows, class: classesOf(set).Class}
	for i := range c.class {
		if s.first > 0 {
			object, err := strconv.Atoi(set.Answers[i])
			if err != nil {
				fail("%s: class %q of row %d; the objects are numbered", s.name, set.Answers[i], i+1)
			}
			c.class[i] = int(indicator(object <= s.first))
		}
	}
	return c.selected(thinned(ctx, s.name+": rows", 8, indices.To(set.Rows.Len())))
}

// sparseGrid is what the validation rows choose from.
type sparseGrid struct {
	graphs [][2]int  // neighbours, degree
	widths []float64 // of the kernel, in medians of distances
	a      []float64 // gamma_A
	ratios []float64 // gamma_I/gamma_A
	// Of machines with slack, whose few functions bear less of the graph: ratios, and strengths of the coupling.
	slackRatios, nus []float64
}

func grid5() sparseGrid {
	return sparseGrid{
		graphs: [][2]int{{2, 1}, {6, 1}, {10, 2}, {50, 5}}, widths: []float64{0.125, 0.25, 0.5, 1},
		a: []float64{1e-4, 1e-2}, ratios: []float64{1e2, 1e4, 1e6},
		slackRatios: []float64{1, 1e2, 1e4, 1e6}, nus: []float64{1e-5, 1e-3, 1e-1, 10},
	}
}

// thinned is the grid: in a rehearsal its first values.
func (g sparseGrid) thinned(ctx context.Context) sparseGrid {
	if declare(ctx, "grid", g) {
		return sparseGrid{graphs: [][2]int{{4, 1}}, widths: g.widths[2:3], a: g.a[:1], ratios: g.ratios[1:2], slackRatios: g.ratios[1:2],
			nus: g.nus[:1]}
	}
	return g
}

// sparseTheta is a point of the grid.
type sparseTheta struct {
	graph, width int
	a, ratio, nu float64
}

func (g sparseGrid) text(t sparseTheta) string {
	s := fmt.Sprintf("nn %d, p %d, sigma %g sigma0, gamma_A %g, gamma_I %g", g.graphs[t.graph][0], g.graphs[t.graph][1], g.widths[t.width],
		t.a, t.a*t.ratio)
	if t.nu > 0 {
		s += fmt.Sprintf(", nu %g", t.nu)
	}
	return s
}

// each lists the points of some graphs and widths.
func (g sparseGrid) each(graphs, widths []int) []sparseTheta {
	return g.points(graphs, widths, g.ratios, []float64{0})
}

// all lists all points.
func (g sparseGrid) all() []sparseTheta {
	return g.each(indices.To(len(g.graphs)), indices.To(len(g.widths)))
}

func (g sparseGrid) points(graphs, widths []int, ratios, nus []float64) (list []sparseTheta) {
	for _, k := range graphs {
		for _, w := range widths {
			for _, ratio := range ratios {
				for _, a := range g.a {
					for _, nu := range nus {
						list = append(list, sparseTheta{k, w, a, ratio, nu})
					}
				}
			}
		}
	}
	return list
}

// sparseDraw is a draw of validation rows and labels.
type sparseDraw struct {
	grid     sparseGrid
	size     int
	seed     uint64
	train    data.Rows // of the graph, numbered in tables
	valid    data.Rows
	y        []float64 // of train, -1 or 1
	validY   []float64
	labelled []int
	hidden   []int
	target   *mat.Dense // of the labelled rows
	gram     []kernel.Gram
	table    []*mat.Dense // kernel values of train
	norm     []*graph.Power
	x        data.Rows             // features of train
	sigma0   float64               // that widths are multiples of
	paths    map[sparseTheta][]int // centres of the plain machine, which nu has no part in
}

// sparseTables are kernel values of all rows of a set, a table a width.
func sparseTables(ctx context.Context, c *classified, g sparseGrid) []kernel.Precomputed {
	sigma0 := medianWidth(c.x)
	var list []kernel.Precomputed
	for _, w := range g.widths {
		b := must(kernel.Gaussian{Sigma: w * sigma0}.Bind(ctx, c.x, nil))
		k := mat.NewDense(c.x.Len(), c.x.Len(), nil)
		check(kernel.Fill(ctx, k, b, nil, nil))
		list = append(list, kernel.Precomputed{K: k})
	}
	return list
}

// tableRows are rows of a table.
func tableRows(rows []int) data.Rows {
	if len(rows) == 0 {
		return data.Rows{}
	}
	return numbered(rows)
}

// sparseDraw draws a quarter of the rows for validation and the labels.
func (s sparseSet) draw(ctx context.Context, c *classified, tables []kernel.Precomputed, g sparseGrid, seed uint64, run int) *sparseDraw {
	n := c.x.Len()
	rng := rand.New(rand.NewPCG(seed, uint64(run)))
	perm := rng.Perm(n)
	valid, train := slices.Clone(perm[:n/4]), slices.Clone(perm[n/4:])
	slices.Sort(train)
	d := &sparseDraw{grid: g, size: max(2, int(math.Round(float64(s.size)*float64(len(train))/s.printed[2]))), seed: seed + uint64(run),
		train: tableRows(train), valid: tableRows(valid), x: unnumbered(c.x.Select(train)), sigma0: medianWidth(c.x)}
	y := signs(c.against(1))
	d.y, d.validY = indices.Of(y, train), indices.Of(y, valid)
	labels := max(2, int(math.Ceil(s.printed[1]/s.printed[2]*float64(len(train))-1e-9)))
	d.label(drawAtLeast(indices.Of(c.class, train), 2, labels, 1, rng))
	for _, k := range tables {
		b := must(k.Bind(ctx, d.train, nil))
		d.gram, d.table = append(d.gram, b), append(d.table, tableOf(b))
	}
	work := new(kernel.Work)
	for _, kp := range g.graphs {
		recipe := graph.Recipe{Neighbours: kp[0], Weights: graph.Heat, Degree: kp[1]}
		if c.x.IsSparse() {
			recipe.Metric = graph.Cosine
		}
		built := must(manifold.Graph{Recipe: recipe, Longest: g.longest()}.Build(ctx, d.x, work))
		d.norm = append(d.norm, &graph.Power{L: built.Laplacian(), P: kp[1]})
	}
	return d
}

// label makes rows of the graph the labelled ones.
func (d *sparseDraw) label(rows []int) {
	d.labelled, d.hidden, d.target = rows, learn.Others(len(d.y), rows), target(indices.Of(d.y, rows))
}

func (g sparseGrid) longest() (most int) {
	for _, kp := range g.graphs {
		most = max(most, kp[0])
	}
	return most
}

// sparseResult is the best point of a machine on a draw: errors in percent.
type sparseResult struct {
	valid, hidden float64
	theta         sparseTheta
	centres       []int
	beta          *mat.Dense
}

// judge gives the errors of a machine of centres.
func (d *sparseDraw) judge(width int, centres []int, beta *mat.Dense) (r sparseResult) {
	out := mat.NewDense(len(d.y), 1, nil)
	k := mat.NewDense(len(d.y), len(centres), nil)
	d.gram[width].Block(k, nil, centres)
	out.Mul(k, beta)
	r.centres, r.beta = centres, beta
	r.hidden = d.hiddenError(out.RawMatrix().Data)
	if len(d.validY) == 0 {
		return r
	}
	v, to := mat.NewDense(len(d.validY), len(centres), nil), mat.NewDense(len(d.validY), 1, nil)
	check(d.gram[width].Cross(v, d.valid, centres))
	to.Mul(v, beta)
	for i, y := range d.validY {
		if to.At(i, 0)*y <= 0 {
			r.valid += 100 / float64(len(d.validY))
		}
	}
	return r
}

// hiddenError is that of outputs on the rows without a label, in percent.
func (d *sparseDraw) hiddenError(out []float64) (percent float64) {
	for _, i := range d.hidden {
		if out[i]*d.y[i] <= 0 {
			percent += 100 / float64(len(d.hidden))
		}
	}
	return percent
}

// sparseMachine trains at a point and returns the centres and their coefficients.
type sparseMachine func(ctx context.Context, t sparseTheta) (centres []int, beta *mat.Dense)

// tuned is the best of a machine over points; ties go to the first.
func (d *sparseDraw) tuned(ctx context.Context, list []sparseTheta, train sparseMachine) sparseResult {
	best := sparseResult{valid: math.Inf(1)}
	for _, t := range list {
		during(d.grid.text(t), func() {
			centres, beta := train(ctx, t)
			r := d.judge(t.width, centres, beta)
			if r.theta = t; r.valid < best.valid {
				best = r
			}
		})
	}
	return best
}

// full is LapRLS on all rows.
func (d *sparseDraw) full(ctx context.Context, t sparseTheta) ([]int, *mat.Dense) {
	n := len(d.y)
	g := must(manifold.Parts{Base: d.gram[t.width], K: d.table[t.width], Norm: d.norm[t.graph]}.Warp(
		ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: t.ratio}, mat.NewDense(n, n, nil)))
	l := len(d.labelled)
	k := mat.NewDense(l, l, nil)
	g.Block(k, d.labelled, d.labelled)
	f := must(rls.Solve(ctx, k, d.target, nil, false, t.a))
	e := must(g.Expand(f.Alpha, d.labelled))
	place, all := map[int]int{}, mat.NewDense(n, 1, nil)
	for q, id := range d.train.ID {
		place[id] = q
	}
	for _, part := range e {
		for q, id := range part.Centres.ID {
			all.Set(place[id], 0, all.At(place[id], 0)+part.Coef.At(q, 0))
		}
	}
	return learn.Others(n, nil), all
}

// supervised is RLS on some rows of the graph, with their labels.
func (d *sparseDraw) supervised(ctx context.Context, t sparseTheta, rows []int) ([]int, *mat.Dense) {
	k := mat.NewDense(len(rows), len(rows), nil)
	d.gram[t.width].Block(k, rows, rows)
	return rows, must(rls.Solve(ctx, k, target(indices.Of(d.y, rows)), nil, false, t.a)).Alpha
}

// plain is the problem of the plain machine.
func (d *sparseDraw) plain(t sparseTheta) basis.Problem {
	return basis.Laplacian(d.gram[t.width], d.labelled, d.target, nil, d.norm[t.graph], t.a, t.a*t.ratio)
}

// kappa candidates are drawn a step.
const kappa5 = 50

func (d *sparseDraw) pursuit() basis.Greedy { return basis.Greedy{Candidates: kappa5, Seed: d.seed} }

// chosen is the plain machine on centres of a chooser.
func (d *sparseDraw) chosen(ctx context.Context, t sparseTheta, c basis.Chooser) ([]int, *mat.Dense) {
	return d.pursued(ctx, d.plain(t), c)
}

// pursued is the machine of a problem on the centres that a chooser takes for it.
func (d *sparseDraw) pursued(ctx context.Context, p basis.Problem, c basis.Chooser) ([]int, *mat.Dense) {
	centres := must(c.Choose(ctx, p, d.size)).Centres
	return centres, must(basis.Fit(ctx, p, centres)).Beta
}

// greedy is the plain machine on its greedy centres.
func (d *sparseDraw) greedy(ctx context.Context, t sparseTheta) ([]int, *mat.Dense) {
	return d.chosen(ctx, t, d.pursuit())
}

// slackOn is the slack machine on the centres, or, without any, on those that it chooses itself.
func (d *sparseDraw) slackOn(ctx context.Context, t sparseTheta, centres []int) ([]int, *mat.Dense) {
	s := must(sparsemanifold.NewSlack(ctx, d.norm[t.graph], d.labelled, d.target, t.a*t.ratio, t.nu))
	p := s.Basis(d.gram[t.width], t.a)
	if centres == nil {
		centres = must(d.pursuit().Choose(ctx, p, d.size)).Centres
	}
	f := must(basis.Fit(ctx, p, centres))
	check(s.Err())
	return centres, f.Beta
}

// slack takes the centres of the plain machine.
func (d *sparseDraw) slack(ctx context.Context, t sparseTheta) ([]int, *mat.Dense) {
	plain := t
	plain.nu = 0
	if d.paths[plain] == nil {
		if d.paths == nil {
			d.paths = map[sparseTheta][]int{}
		}
		d.paths[plain] = must(d.pursuit().Choose(ctx, d.plain(t), d.size)).Centres
	}
	return d.slackOn(ctx, t, d.paths[plain])
}

// greedySlack chooses by the slack machine.
func (d *sparseDraw) greedySlack(ctx context.Context, t sparseTheta) ([]int, *mat.Dense) {
	return d.slackOn(ctx, t, nil)
}

// decoupled spreads labels and regresses on centres chosen for that; nu is 1: gamma_A is gamma_A/nu.
func (d *sparseDraw) decoupled(ctx context.Context, t sparseTheta) ([]int, *mat.Dense) {
	f, _, _, err := sparsemanifold.Spread(ctx, d.norm[t.graph], d.labelled, d.target, t.a*t.ratio)
	check(err)
	return d.pursued(ctx, basis.Targets(d.gram[t.width], f, nil, t.a), d.pursuit())
}

// truth are the targets of all rows of the graph.
func (d *sparseDraw) truth() *mat.Dense { return target(d.y) }

// eachDraw runs the wanted sets and draws.
func (l *lab) eachDraw(ctx context.Context, do func(sparseSet, *sparseDraw)) {
	g := grid5().thinned(ctx)
	for _, s := range wanted(l, sparseSets()) {
		declare(ctx, "set", s)
		c := l.sparseRows(ctx, s)
		tables := sparseTables(ctx, c, g)
		for run := range l.runs {
			d := s.draw(ctx, c, tables, g, l.seed, run)
			during(fmt.Sprintf("%s, draw %d", s.name, run), func() { do(s, d) })
			l.say("%s: draw %d of %d is done", s.name, run+1, l.runs)
		}
	}
}

// sparseError is the metric of the chapter.
const sparseError = "error % of unlabelled"

// shown adds a result with the printed number.
func (l *lab) shown(set, machine string, printed, ours float64) {
	name := set + ", " + machine
	l.printed(name, sparseError, printed)
	l.add(name, sparseError, ours)
}
