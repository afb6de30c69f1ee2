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
func (l *lab) sparseRows(ctx context.Context, s sparseSet) (*classified, error) {
	name := s.builtin
	if name != "" {
		name += fmt.Sprintf(",seed=%d", l.seed+1)
	}
	set, err := l.open(ctx, dataset{name: name, file: s.file})
	if err != nil {
		return nil, err
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	rows := thinned(ctx, s.name+": rows", 8, learn.Others(set.Rows.Len(), nil))
	c := &classified{x: set.Rows.Select(rows)}
	c.x.ID = nil
	for _, i := range rows {
		k := labels.Class[i]
		if s.first > 0 {
			object, err := strconv.Atoi(set.Answers[i])
			if err != nil {
				return nil, fmt.Errorf("%s: class %q of row %d; the objects are numbered", s.name, set.Answers[i], i+1)
			}
			k = 0
			if object <= s.first {
				k = 1
			}
		}
		c.class = append(c.class, k)
	}
	return c, nil
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

// each lists the points of a graph and width.
func (g sparseGrid) each(graphs, widths []int, slack bool) (list []sparseTheta) {
	ratios, nus := g.ratios, []float64{0}
	if slack {
		ratios, nus = g.slackRatios, g.nus
	}
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
func sparseTables(ctx context.Context, c *classified, g sparseGrid) ([]kernel.Precomputed, error) {
	sigma0 := medianWidth(c)
	var list []kernel.Precomputed
	for _, w := range g.widths {
		b, err := kernel.Gaussian{Sigma: w * sigma0}.Bind(ctx, c.x, nil)
		if err != nil {
			return nil, err
		}
		k := mat.NewDense(c.x.Len(), c.x.Len(), nil)
		if err := kernel.Fill(ctx, k, b, nil, nil); err != nil {
			return nil, err
		}
		list = append(list, kernel.Precomputed{K: k})
	}
	return list, nil
}

// medianWidth is the median distance of the rows.
func medianWidth(c *classified) float64 { return kernel.Gaussian{}.Adapt(c.x).(kernel.Gaussian).Sigma }

// tableRows are rows of a table.
func tableRows(rows []int) data.Rows {
	if len(rows) == 0 {
		return data.Rows{}
	}
	return data.Rows{Dense: mat.NewDense(len(rows), 1, nil), ID: rows}
}

// sparseDraw draws a quarter of the rows for validation and the labels.
func (s sparseSet) draw(
	ctx context.Context, c *classified, tables []kernel.Precomputed, g sparseGrid, seed uint64, run int,
) (*sparseDraw, error) {
	n := c.x.Len()
	rng := rand.New(rand.NewPCG(seed, uint64(run)))
	perm := rng.Perm(n)
	valid, train := slices.Clone(perm[:n/4]), slices.Clone(perm[n/4:])
	slices.Sort(train)
	d := &sparseDraw{grid: g, size: max(2, int(math.Round(float64(s.size)*float64(len(train))/s.printed[2]))), seed: seed + uint64(run),
		train: tableRows(train), valid: tableRows(valid)}
	sign := func(rows []int) (y []float64) {
		for _, i := range rows {
			y = append(y, float64(2*c.class[i]-1))
		}
		return y
	}
	d.y, d.validY = sign(train), sign(valid)
	class := make([]int, len(train))
	for q, i := range train {
		class[q] = c.class[i]
	}
	labels := max(2, int(math.Ceil(s.printed[1]/s.printed[2]*float64(len(train))-1e-9)))
	var err error
	if d.labelled, err = drawAtLeast(class, 2, labels, 1, rng); err != nil {
		return nil, err
	}
	slices.Sort(d.labelled)
	d.hidden = learn.Others(len(train), d.labelled)
	d.target = mat.NewDense(len(d.labelled), 1, nil)
	for q, i := range d.labelled {
		d.target.Set(q, 0, d.y[i])
	}
	for _, k := range tables {
		b, err := k.Bind(ctx, d.train, nil)
		if err != nil {
			return nil, err
		}
		t := mat.NewDense(len(train), len(train), nil)
		b.Block(t, nil, nil)
		d.gram, d.table = append(d.gram, b), append(d.table, t)
	}
	work, rows := new(kernel.Work), c.x.Select(train)
	rows.ID = nil
	d.x, d.sigma0 = rows, medianWidth(c)
	for _, kp := range g.graphs {
		recipe := graph.Recipe{Neighbours: kp[0], Weights: graph.Heat, Degree: kp[1]}
		if c.x.IsSparse() {
			recipe.Metric = graph.Cosine
		}
		built, err := manifold.Graph{Recipe: recipe, Longest: g.longest()}.Build(ctx, rows, work)
		if err != nil {
			return nil, err
		}
		d.norm = append(d.norm, &graph.Power{L: built.Laplacian(), P: kp[1]})
	}
	return d, nil
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
func (d *sparseDraw) judge(width int, centres []int, beta *mat.Dense) (r sparseResult, err error) {
	out := mat.NewDense(len(d.y), 1, nil)
	k := mat.NewDense(len(d.y), len(centres), nil)
	d.gram[width].Block(k, nil, centres)
	out.Mul(k, beta)
	r.centres, r.beta = centres, beta
	r.hidden = d.hiddenError(out.RawMatrix().Data)
	if len(d.validY) == 0 {
		return r, nil
	}
	v, to := mat.NewDense(len(d.validY), len(centres), nil), mat.NewDense(len(d.validY), 1, nil)
	if err := d.gram[width].Cross(v, d.valid, centres); err != nil {
		return r, err
	}
	to.Mul(v, beta)
	for i, y := range d.validY {
		if to.At(i, 0)*y <= 0 {
			r.valid += 100 / float64(len(d.validY))
		}
	}
	return r, nil
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

// tuned is the best of a machine over points; ties go to the first.
func (d *sparseDraw) tuned(
	ctx context.Context, list []sparseTheta, train func(context.Context, sparseTheta) ([]int, *mat.Dense, error),
) (sparseResult, error) {
	best := sparseResult{valid: math.Inf(1)}
	for _, t := range list {
		centres, beta, err := train(ctx, t)
		if err != nil {
			return best, fmt.Errorf("%s: %w", d.grid.text(t), err)
		}
		r, err := d.judge(t.width, centres, beta)
		if err != nil {
			return best, err
		}
		if r.theta = t; r.valid < best.valid {
			best = r
		}
	}
	return best, nil
}

// full is LapRLS on all rows.
func (d *sparseDraw) full(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	n := len(d.y)
	g, err := manifold.Parts{Base: d.gram[t.width], K: d.table[t.width], Norm: d.norm[t.graph]}.Warp(
		ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: t.ratio}, mat.NewDense(n, n, nil))
	if err != nil {
		return nil, nil, err
	}
	l := len(d.labelled)
	k := mat.NewDense(l, l, nil)
	g.Block(k, d.labelled, d.labelled)
	f, err := rls.Solve(ctx, k, d.target, nil, false, t.a)
	if err != nil {
		return nil, nil, err
	}
	e, err := g.Expand(f.Alpha, d.labelled)
	if err != nil {
		return nil, nil, err
	}
	place, all := map[int]int{}, mat.NewDense(n, 1, nil)
	for q, id := range d.train.ID {
		place[id] = q
	}
	for _, part := range e {
		for q, id := range part.Centres.ID {
			all.Set(place[id], 0, all.At(place[id], 0)+part.Coef.At(q, 0))
		}
	}
	return learn.Others(n, nil), all, nil
}

// supervised is RLS on some rows of the graph, with their labels.
func (d *sparseDraw) supervised(ctx context.Context, t sparseTheta, rows []int) ([]int, *mat.Dense, error) {
	k, y := mat.NewDense(len(rows), len(rows), nil), mat.NewDense(len(rows), 1, nil)
	d.gram[t.width].Block(k, rows, rows)
	for q, i := range rows {
		y.Set(q, 0, d.y[i])
	}
	f, err := rls.Solve(ctx, k, y, nil, false, t.a)
	if err != nil {
		return nil, nil, err
	}
	return rows, f.Alpha, nil
}

// plain is the problem of the plain machine.
func (d *sparseDraw) plain(t sparseTheta) basis.Problem {
	return basis.Laplacian(d.gram[t.width], d.labelled, d.target, d.norm[t.graph], t.a, t.a*t.ratio)
}

// kappa candidates are drawn a step.
const kappa5 = 50

func (d *sparseDraw) pursuit() basis.Greedy { return basis.Greedy{Candidates: kappa5, Seed: d.seed} }

// chosen is the plain machine on centres of a chooser.
func (d *sparseDraw) chosen(ctx context.Context, t sparseTheta, c basis.Chooser) ([]int, *mat.Dense, error) {
	path, err := c.Choose(ctx, d.plain(t), d.size)
	if err != nil {
		return nil, nil, err
	}
	f, err := basis.Fit(ctx, d.plain(t), path.Centres)
	if err != nil {
		return nil, nil, err
	}
	return path.Centres, f.Beta, nil
}

// greedy is the plain machine on its greedy centres.
func (d *sparseDraw) greedy(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	return d.chosen(ctx, t, d.pursuit())
}

// slackOn is the slack machine on the centres, or, without any, on those that it chooses itself.
func (d *sparseDraw) slackOn(ctx context.Context, t sparseTheta, centres []int) ([]int, *mat.Dense, error) {
	s, err := sparsemanifold.NewSlack(ctx, d.norm[t.graph], d.labelled, d.target, t.a*t.ratio, t.nu)
	if err != nil {
		return nil, nil, err
	}
	p := s.Basis(d.gram[t.width], t.a)
	if centres == nil {
		path, err := d.pursuit().Choose(ctx, p, d.size)
		if err != nil {
			return nil, nil, err
		}
		centres = path.Centres
	}
	f, err := basis.Fit(ctx, p, centres)
	if err == nil {
		err = s.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	return centres, f.Beta, nil
}

// slack takes the centres of the plain machine.
func (d *sparseDraw) slack(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	plain := t
	plain.nu = 0
	if d.paths[plain] == nil {
		path, err := d.pursuit().Choose(ctx, d.plain(t), d.size)
		if err != nil {
			return nil, nil, err
		}
		if d.paths == nil {
			d.paths = map[sparseTheta][]int{}
		}
		d.paths[plain] = path.Centres
	}
	return d.slackOn(ctx, t, d.paths[plain])
}

// greedySlack chooses by the slack machine.
func (d *sparseDraw) greedySlack(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	return d.slackOn(ctx, t, nil)
}

// decoupled spreads labels and regresses on centres chosen for that; nu is 1: gamma_A is gamma_A/nu.
func (d *sparseDraw) decoupled(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	f, _, _, err := sparsemanifold.Spread(ctx, d.norm[t.graph], d.labelled, d.target, t.a*t.ratio)
	if err != nil {
		return nil, nil, err
	}
	p := basis.Targets(d.gram[t.width], f, nil, t.a)
	path, err := d.pursuit().Choose(ctx, p, d.size)
	if err != nil {
		return nil, nil, err
	}
	fit, err := basis.Fit(ctx, p, path.Centres)
	if err != nil {
		return nil, nil, err
	}
	return path.Centres, fit.Beta, nil
}

// truth are the targets of all rows of the graph.
func (d *sparseDraw) truth() *mat.Dense { return mat.NewDense(len(d.y), 1, slices.Clone(d.y)) }

// eachDraw runs the wanted sets and draws.
func (l *lab) eachDraw(ctx context.Context, do func(context.Context, sparseSet, *sparseDraw) error) error {
	g := grid5().thinned(ctx)
	for _, s := range sparseSets() {
		if !l.wants(s.name) {
			continue
		}
		declare(ctx, "set", s)
		c, err := l.sparseRows(ctx, s)
		if err != nil {
			return err
		}
		tables, err := sparseTables(ctx, c, g)
		if err != nil {
			return err
		}
		for run := range l.runs {
			d, err := s.draw(ctx, c, tables, g, l.seed, run)
			if err != nil {
				return err
			}
			if err := do(ctx, s, d); err != nil {
				return fmt.Errorf("%s, draw %d: %w", s.name, run, err)
			}
			l.say("%s: draw %d of %d is done", s.name, run+1, l.runs)
		}
	}
	return nil
}

// sparseError is the metric of the chapter.
const sparseError = "error % of unlabelled"

// shown adds a result with the printed number.
func (l *lab) shown(set, machine string, printed, ours float64) {
	name := set + ", " + machine
	l.printed(name, sparseError, printed)
	l.add(name, sparseError, ours)
}
