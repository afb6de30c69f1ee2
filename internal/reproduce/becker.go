package reproduce

// Protocol of Becker 2013, chapter 4: two classes made of the groups of COIL20 or USPST, random splits into labelled,
// unlabelled and test rows, and the box of table 4.1 in the ridges of the system matrix,
//
//	a = l gamma_A,   g = l gamma_I/(l+u)^2,   C = J K + a I + g L^p K
//
//	hyper-parameter   lower  middle  upper
//	log2 a (lambda)   -20    -10     0
//	log2 sigma        -2     2       5
//	nu                2      10      50
//	p                 1      2       5
//	log2 g            -20    0       10

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// grouped is a set of the chapter with what the source leaves out: the grouping
// of its classes, the scaling, and the values of the column "Literature".
type grouped struct {
	dataset
	scale string
	first int // classes up to this one are the first group
	test  int // test rows of the semi-supervised experiments

	sigma              float64
	neighbours, degree int
}

// The "literature" values are those of Melacci & Belkin 2011, which the source cites and does not print; gamma_A and
// gamma_I below are Sindhwani's (2007, table 2.6), without the factor 1/(l+u)^2.
const literatureGammaA, literatureGammaI = 1e-6, 1e-2

var (
	coil20 = grouped{dataset{"COIL20", "coil20.csv.gz", 1440, 0}, data.ScaleUnit, 10, 400, 0.6, 2, 1}
	uspst  = grouped{dataset{"USPST", "uspst.csv.gz", 2007, 0}, data.ScaleNone, 4, 907, 9.4, 10, 2}
	digits = grouped{dataset: dataset{"digits", "", 1797, 0}, scale: "1/16", first: 4, test: 1197}
)

// load reads the set and forms the two classes.
func (l *lab) load(ctx context.Context, d grouped) *classified {
	g := l.classified(ctx, d.dataset)
	for i, k := range g.class {
		g.class[i] = 0
		if k > d.first {
			g.class[i] = 1
		}
	}
	if d.scale == "1/16" {
		var scaled mat.Dense
		scaled.Scale(1./16, g.x.Dense)
		g.x = data.Rows{Dense: &scaled}
		return g
	}
	s, _ := must2(data.FitScaling(d.scale, g.x))
	g.x = s.Apply(g.x)
	return g
}

// trial is one split: the rows that train, the labelled ones first, and the rest that tests.
type trial struct {
	problem *learn.Problem
	work    *kernel.Work
	test    data.Rows
	class   []int // of the test rows
}

// split draws the permutation of a run: its first rows are labelled, the next
// unlabelled, its last are the test rows, which so do not depend on the others.
func (c *classified) split(seed uint64, run, labelled, unlabelled, test int) *trial {
	n := c.x.Len()
	perm := rand.New(rand.NewPCG(seed, uint64(run))).Perm(n)
	train, rest := perm[:labelled+unlabelled], perm[n-test:]
	labels := known(twoClasses(), pickOf(c.class, train), numbersTo(labelled))
	// Row numbers are of the training rows, as the tables of the work are.
	return &trial{learn.NewProblem(data.Rows{Dense: c.x.Select(train).Dense}, labels), new(kernel.Work), c.x.Select(rest),
		pickOf(c.class, rest)}
}

// machine is a score over the box of table 4.1.
type machine interface {
	param.Objective
	// Machine returns the closed form and its parameters at theta.
	Machine(theta []float64) (*score.LeaveOut, []float64, error)
}

// lapRLS has theta = (sigma, neighbours, degree, gamma_i, gamma_a).
type lapRLS struct {
	*score.Laplacian
	space param.Space
}

func (m lapRLS) Space() param.Space { return m.space }

// supervised is RLS on the labelled rows, theta = (sigma, lambda).
type supervised struct {
	*score.LeaveOut
	space param.Space
}

func (m supervised) Space() param.Space { return m.space }

func (m supervised) Machine(theta []float64) (*score.LeaveOut, []float64, error) {
	return m.LeaveOut, theta, nil
}

// machine is Laplacian RLS, or RLS where no row is unlabelled.
func (t *trial) machine() machine {
	l, n := float64(len(t.problem.Labelled)), float64(t.problem.Rows.Len())
	if l == n {
		return supervised{
			LeaveOut: &score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: t.problem, Work: t.work, Criterion: score.Press{}},
			space:    param.Space{logDim("sigma", -2, 5, 1), logDim("lambda", -20, 0, 1)},
		}
	}
	return lapRLS{
		Laplacian: &score.Laplacian{Base: kernel.Gaussian{Sigma: 1}, Problem: t.problem, Work: t.work, Criterion: score.Press{}},
		space: param.Space{
			logDim("sigma", -2, 5, 1),
			{Name: "neighbours", Kind: param.Integer, Lo: 2, Hi: 50, Default: 10},
			{Name: "degree", Kind: param.Integer, Lo: 1, Hi: 5, Default: 2},
			logDim("gamma_i", -20, 10, n*n/l), // of g
			logDim("gamma_a", -20, 0, 1/l),    // of a
		},
	}
}

// combined is C-LapRLS with the Laplacian of a graph and those of table 4.1, all nine if it is not one of them.
func (m lapRLS) combined(neighbours, degree int) lapRLS {
	lap := *m.Laplacian
	first := manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours, Degree: degree}, Longest: 50}
	norm := manifold.Combined{Terms: []manifold.Graph{first}}
	for _, g := range manifold.Cartesian(graph.Recipe{}, []int{2, 10, 50}, []int{1, 2, 5}) {
		if g != first {
			norm.Terms = append(norm.Terms, g)
		}
	}
	lap.Norm = norm
	s := m.space
	return lapRLS{&lap, slices.Concat(s[:1], norm.Space(), s[3:])}
}

// logDim is unit times 2^lo to 2^hi.
func logDim(name string, lo, hi, unit float64) param.Dim {
	return param.Dim{Name: name, Kind: param.Log, Lo: unit * math.Exp2(lo), Hi: unit * math.Exp2(hi), Default: unit * math.Exp2((lo+hi)/2)}
}

// middle lists the values of table 4.1, for the grid.
func middle(m machine) map[string][]float64 {
	values := map[string][]float64{}
	for _, d := range m.Space() {
		v, ok := map[string]float64{"sigma": 4, "neighbours": 10, "degree": 2}[d.Name]
		if !ok { // gamma_i, gamma_a, lambda: ten octaves below the upper end
			v = d.Hi * 0x1p-10
		}
		values[d.Name] = []float64{d.Lo, v, d.Hi}
	}
	return values
}

// literature is the fixed theta of the set.
func (t *trial) literature(d grouped) []float64 {
	l, n := float64(len(t.problem.Labelled)), float64(t.problem.Rows.Len())
	if l == n {
		return []float64{d.sigma, l * literatureGammaA}
	}
	return []float64{d.sigma, float64(d.neighbours), float64(d.degree), literatureGammaI * n * n, literatureGammaA}
}

// fit trains at theta and returns the outputs of the test rows.
func (t *trial) fit(ctx context.Context, m machine, theta []float64) *mat.Dense {
	s, inner := must2(m.Machine(theta))
	k := len(inner) - 1
	gram, path := must2(s.Bind(ctx, inner[:k]))
	f := must(path.At(inner[k]))
	cross := mat.NewDense(t.test.Len(), len(t.problem.Labelled), nil)
	check(gram.Cross(cross, t.test, t.problem.Labelled))
	return outputs(cross, f)
}

func outputs(cross *mat.Dense, f *rls.Fit) *mat.Dense { return product(cross, f.Alpha) }

// product is a b.
func product(a, b *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	_, c := b.Dims()
	out := mat.NewDense(n, c, nil)
	blas.Gemm(1, blas.N(a), blas.N(b), 0, out)
	return out
}

// errorAt is the test error of theta in percent.
func (t *trial) errorAt(ctx context.Context, m machine, theta []float64) float64 {
	return percentWrong(t.fit(ctx, m, theta), t.class)
}

// percentWrong compares the classes of outputs with the true ones.
func percentWrong(out *mat.Dense, class []int) float64 {
	return wrongOf(learn.Coding{Classes: 2}.Decide(out), class)
}

// searching runs a search with the budget of the source, 243 evaluations.
func searching(ctx context.Context, o param.Objective, s search.Search) search.Result {
	return searchWithin(ctx, search.DefaultBudget, o, s)
}

func searchWithin(ctx context.Context, budget int, o param.Objective, s search.Search) search.Result {
	// Two evaluations at a time keep the cores busy in what BLAS does not do.
	res := must(search.Driver{Budget: atMost(ctx, "evaluations", 3, budget), Parallel: 2}.Run(ctx, o, s))
	check(ctx.Err()) // an interrupted search is no result here
	return res
}

// warpOf is the warped kernel at theta and its parameters with lambda.
func warpOf(m machine, theta []float64) (manifold.Warp, []float64, error) {
	s, inner, err := m.Machine(theta)
	if err != nil {
		return manifold.Warp{}, nil, err
	}
	return s.Kernel.(manifold.Warp), inner, nil
}

// beckerF31 bends the straight boundary of two labelled points along the moons as gamma_I grows: errors on the unlabelled points.
func beckerF31(ctx context.Context, l *lab) {
	t := newToy("moons-even", 50)
	picture := t.picture("boundaries", "Boundary between two moons as gamma_I grows")
	for _, c := range []struct {
		g         float64
		laplacian graph.Laplacian
	}{{0, graph.Combinatorial}, {0.1, graph.Combinatorial}, {1, graph.Combinatorial}, {10, graph.Combinatorial}, {1, graph.Normalised}} {
		const a = 0.0625
		g, m := t.train(ctx, toyKernel(c.laplacian, c.g/a), rls.Learner{}, a)
		name := fmt.Sprintf("two moons g=%g", c.g)
		if c.laplacian == graph.Normalised {
			name += " normalised Laplacian"
		}
		l.add(name, unlabelledError, t.wrongOf(ctx, g, m))
		picture.Levels = append(picture.Levels, t.boundary(ctx, strings.TrimPrefix(name, "two moons "), g, m))
	}
	l.draw(*picture)
}

const unlabelledError = "error % of unlabelled"

// toy is a set in the plane with one labelled point a class.
type toy struct {
	problem *learn.Problem
	class   []int
	work    *kernel.Work
}

// newToy labels point at of each of the two halves of a built-in set.
func newToy(name string, at int) *toy {
	set := must(data.Builtin(name))
	return labelToy(set, []int{at, set.Rows.Len()/2 + at})
}

// toyKernel is the point-cloud kernel of the figures of chapter 3.
func toyKernel(laplacian graph.Laplacian, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: 0.35},
		Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6, Laplacian: laplacian}}, Ratio: ratio}
}

// beckerF32 shows how the point-cloud kernel deforms the plane: after warping, all points of the outer circle are more like
// its point 0 than any of the inner circle, although some of these lie nearer.
func beckerF32(ctx context.Context, l *lab) {
	t := newToy("circles-even", 0)
	n := t.problem.Rows.Len()
	place := around(t.problem.Rows)
	for _, ratio := range []float64{0, 10} {
		gram := must(toyKernel(graph.Combinatorial, ratio).Bind(ctx, t.problem.Rows, t.work))
		k := mat.NewDense(n, 1, nil)
		gram.Block(k, nil, []int{0})
		at := mat.NewDense(place.rows.Len(), 1, nil)
		check(gram.Cross(at, place.rows, []int{0}))
		inner, outer := math.Inf(-1), math.Inf(1)
		for i := range n {
			if i < n/2 {
				outer = min(outer, k.At(i, 0))
			} else {
				inner = max(inner, k.At(i, 0))
			}
		}
		name := fmt.Sprintf("two circles M=%g L", ratio)
		l.add(name, "largest similarity of an inner point", inner)
		l.add(name, "smallest similarity of an outer point", outer)
		l.draw(Figure{Name: fmt.Sprintf("similarity-%g", ratio), X: Axis{Name: "x1"}, Y: Axis{Name: "x2"},
			Title: "Similarity to a point of the outer circle, " + strings.TrimPrefix(name, "two circles "),
			Curves: append(dots(t.problem.Rows, t.class, "circle of class -1", "circle of class 1"),
				selectedDots("the point", t.problem.Rows, []int{0})),
			Levels: []Level{place.level("similarity", at)}})
	}
	for _, g := range []float64{0, 0.5} {
		const a = 0.02
		bound, m := t.train(ctx, toyKernel(graph.Combinatorial, g/a), rls.Learner{}, a)
		l.add(fmt.Sprintf("two circles Laplacian RLS g=%g", g), unlabelledError, t.wrongOf(ctx, bound, m))
	}
}

// beckerPress chooses the hyper-parameters of Laplacian RLS by three readings of the source's score, at the same 243 random points:
//
//	press-label    r_i = (y_i - f_i)/(1 - (K C^-1)_ii)     exact: the label left out
//	press-system   r_i = alpha_i/(C^-1)_ii                  what its code most likely did
//	literal        r_i = (y_i - f_i)/(1 - (C^-1)_ii)        eq. 4.1 as printed
//
// The last has the training residual above and nothing that vanishes with it below, so it is smallest where the machine interpolates.
func beckerPress(ctx context.Context, l *lab) {
	const labelled, unlabelled = 100, 500
	g := l.load(ctx, digits)
	name := fmt.Sprintf("digits l=%d u=%d ", labelled, unlabelled)
	for run := range l.runs {
		t := g.split(l.seed, run, labelled, atMost(ctx, "unlabelled rows", 60, unlabelled), digits.test)
		m := t.machine()
		for _, scored := range []string{"press-label", "press-system", "eq. 4.1 as printed"} {
			l.say("split %d of %d: %s", run+1, l.runs, scored)
			var o param.Objective = m
			switch scored {
			case "press-system":
				o = system{m, t, systemPress}
			case "eq. 4.1 as printed":
				o = system{m, t, literal}
			}
			res := searching(ctx, o, search.Random{N: search.DefaultBudget, Seed: l.seed})
			l.add(name+scored, testError, t.errorAt(ctx, m, res.Theta))
			l.add(name+scored, "score found", res.F)
		}
	}
}

// system is a score by the n x n system over the box of the machine.
type system struct {
	machine
	trial  *trial
	scored func(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error)
}

func (s system) Space() param.Space { return s.machine.Space() }

func (s system) Eval(ctx context.Context, theta []float64, _ bool) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	return s.scored(ctx, s.trial, w, inner)
}

func systemPress(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error) {
	o := score.SystemPress{Warp: w, Problem: t.problem, Work: t.work}
	return o.Eval(ctx, inner, false)
}

// literal is eq. 4.1 as printed: 1/2 sum of ((y_i - f_i)/(1 - (C^-1)_ii))^2.
func literal(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error) {
	p := t.problem
	d, err := score.NewDirect(ctx, w, p, t.work, inner)
	var singular *blas.Singular
	if errors.As(err, &singular) {
		return param.Value{F: math.Inf(1)}, nil
	}
	if err != nil {
		return param.Value{}, err
	}
	f := d.Fitted()
	var v param.Value
	for q, i := range p.Labelled {
		r := (p.Y.At(q, 0) - f.At(i, 0)) / (1 - d.Inverse.At(i, i))
		v.F += r * r / 2
	}
	if math.IsNaN(v.F) {
		v.F = math.Inf(1)
	}
	return v, nil
}

// beckerF41 minimises PRESS of RLS by its gradient and compares with a fine grid: the claims of figs 4.1 and 4.2 are that
// it takes less than 40 evaluations and that low PRESS and low test error lie together.
func beckerF41(d grouped) protocol {
	const labelled = 100
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, d)
		name := fmt.Sprintf("%s l=%d", d.name, labelled)
		for run := range l.runs {
			l.say("split %d of %d", run+1, l.runs)
			t := g.split(l.seed, run, labelled, 0, g.x.Len()-labelled)
			m := t.machine()
			res := searching(ctx, m, search.Gradient{})
			e := t.errorAt(ctx, m, res.Theta)
			press, chosen, best, level := pressMap(ctx, t, m)
			if run == 0 {
				l.draw(Figure{Name: "press", Title: "PRESS and the way of the gradient search, first split",
					X: Axis{"lambda", true}, Y: Axis{"sigma", true},
					Curves: []Curve{visited("gradient search", res.Trace, 1, 0)}, Levels: []Level{level}})
			}
			l.add(name, "evaluations of the gradient search", float64(res.Evaluations))
			l.most(name, "evaluations, most of any split", float64(res.Evaluations))
			l.add(name, "PRESS found by gradient", res.F)
			l.add(name, "PRESS, best of the grid", press)
			l.add(name, "test error % at the gradient's PRESS minimum", e)
			l.add(name, "test error % at the grid's PRESS minimum", chosen)
			l.add(name, "test error %, best of the grid in hindsight", best)
		}
	}
}

// mapPoints a dimension draw the level sets; a 6 x 6 grid is the source's comparison of cost.
const mapPoints = 15

// pressMap evaluates PRESS and test error over the box, all lambda of a sigma from one decomposition. It returns the
// smallest PRESS, the test error there, the smallest test error, and PRESS by lambda and sigma.
func pressMap(ctx context.Context, t *trial, m machine) (press, chosen, best float64, level Level) {
	s, _ := must2(m.Machine(m.Space().Defaults()))
	press, best = math.Inf(1), math.Inf(1)
	lambda := m.Space()[1]
	level.Name = "PRESS"
	for j := range mapPoints {
		level.X = append(level.X, between(lambda.Lo, lambda.Hi, j))
	}
	cross := mat.NewDense(t.test.Len(), len(t.problem.Labelled), nil)
	for i := range mapPoints {
		sigma := between(m.Space()[0].Lo, m.Space()[0].Hi, i)
		level.Y = append(level.Y, sigma)
		row := make([]float64, mapPoints)
		gram, path := must2(s.Bind(ctx, []float64{sigma}))
		check(gram.Cross(cross, t.test, t.problem.Labelled))
		for j := range mapPoints {
			f := must(path.At(level.X[j]))
			e := percentWrong(outputs(cross, f), t.class)
			best = min(best, e)
			// A leverage of one has no PRESS.
			row[j] = math.Inf(1)
			if p, err := s.Score(ctx, f); err == nil {
				row[j] = p
				if p < press {
					press, chosen = p, e
				}
			}
		}
		level.Z = append(level.Z, row)
	}
	return press, chosen, best, level
}

// between is point i of mapPoints from lo to hi, evenly in log2.
func between(lo, hi float64, i int) float64 {
	u := float64(i) / (mapPoints - 1)
	return math.Exp2((1-u)*math.Log2(lo) + u*math.Log2(hi))
}

// visited is the way of a search over two of its parameters.
func visited(name string, trace []search.Record, x, y int) Curve {
	c := Curve{Name: name}
	for _, r := range trace {
		c.X, c.Y = append(c.X, r.Theta[x]), append(c.Y, r.Theta[y])
	}
	return c
}

// beckerF43 adds unlabelled rows to few labels at fixed hyper-parameters: the test error falls as u grows.
func beckerF43(d grouped, few, many int) protocol {
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, d)
		picture := Figure{Name: "unlabelled", Title: "Test error as unlabelled rows are added, " + d.name,
			X: Axis{Name: "unlabelled rows"}, Y: Axis{Name: testError}}
		for _, labelled := range []int{few, many} {
			all := g.x.Len() - d.test - labelled
			curve := Curve{Name: fmt.Sprintf("%d labels", labelled)}
			for _, u := range []int{0, all / 2, all} {
				name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
				if u == 0 {
					name += " (RLS)"
				}
				l.say("%s", name)
				for run := range l.runs {
					t := g.split(l.seed, run, labelled, u, d.test)
					l.add(name, testError, t.errorAt(ctx, t.machine(), t.literature(d)))
				}
				curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, mean(l.cell(name, testError).values))
			}
			picture.Curves = append(picture.Curves, curve)
			l.helped(curve)
		}
		l.draw(picture)
	}
}

// helped notes whether the source's claim, that the test error falls as unlabelled rows are added,
// is borne out by the means of a curve that begins without any.
func (l *lab) helped(c Curve) {
	last := len(c.Y) - 1
	for k, e := range c.Y {
		if k > 0 && e > c.Y[k-1] {
			l.note("with %s the claim that unlabelled rows help does not hold throughout: %.2f %% at u = %g, %.2f at %g; with all of "+
				"them %.2f, without any %.2f", c.Name, c.Y[k-1], c.X[k-1], e, c.X[k], c.Y[last], c.Y[0])
			return
		}
	}
	l.note("with %s the test error falls as unlabelled rows are added, as the source claims: from %.2f to %.2f %%", c.Name, c.Y[0],
		c.Y[last])
}

const testError = "test error %"

// agree is the difference of outputs that the two forms of one machine should not exceed.
const agree = 1e-8

// beckerF45 solves Laplacian RLS by the n x n system of eq. 4.3 and as RLS with the point-cloud kernel on the labelled
// rows: the same machine, so the same outputs for rows never seen.
func beckerF45(ctx context.Context, l *lab) {
	const labelled = 100
	above := 0 // the trials whose outputs do not agree
	picture := Figure{Name: "difference", Title: "Largest difference of test outputs of the two forms",
		X: Axis{Name: "unlabelled rows"}, Y: Axis{formDifference, true}}
	for _, d := range []grouped{coil20, uspst} {
		g := l.load(ctx, d)
		curve := Curve{Name: d.name}
		for _, u := range thin(ctx, "unlabelled rows", 2, []int{50, 100, 200, 400, 600, 800, g.x.Len() - d.test - labelled}) {
			name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
			l.say("%s", name)
			for run := range l.runs {
				if compareForms(ctx, l, name, g.split(l.seed, run, labelled, u, d.test), d) > agree {
					above++
				}
			}
			curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, slices.Max(l.cell(name, formDifference).values))
		}
		picture.Curves = append(picture.Curves, curve)
	}
	l.draw(picture)
	if above > 0 {
		l.note("outputs of %d trials differ by more than %g; the n x n system determines its solution to about its condition number "+
			"times 2^-53", above, agree)
	}
}

const formDifference = "largest difference of test outputs, any split"

// compareForms adds the numbers of a split, and returns the largest difference of outputs.
func compareForms(ctx context.Context, l *lab, name string, t *trial, d grouped) float64 {
	m := t.machine()
	theta := t.literature(d)
	out := t.fit(ctx, m, theta)
	w, inner := must2(warpOf(m, theta))
	direct := must(score.NewDirect(ctx, w, t.problem, t.work, inner))
	cross := mat.NewDense(t.test.Len(), t.problem.Rows.Len(), nil)
	check(direct.Gram.Cross(cross, t.test, nil))
	slow := product(cross, direct.Alpha)
	l.add(name, testError+" n x n system", percentWrong(slow, t.class))
	l.add(name, testError+" point-cloud kernel", percentWrong(out, t.class))
	worst := apart(out, slow)
	l.most(name, formDifference, worst)
	l.add(name, "condition number of the n x n system (1-norm)", conditionOf(direct, w, inner, t))
	return worst
}

// conditionOf is |C|_1 |C^-1|_1 of C = J K + a I + g R K.
func conditionOf(d *score.Direct, w manifold.Warp, inner []float64, t *trial) float64 {
	a := inner[len(inner)-1]
	n := d.Gram.Len()
	k, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	d.Gram.Block(k, nil, nil)
	d.Norm.MulTo(c, k)
	c.Scale(w.Ratio*a, c)
	for i := range n {
		c.Set(i, i, c.At(i, i)+a)
	}
	for _, i := range t.problem.Labelled {
		row := c.RawRowView(i)
		for j, v := range k.RawRowView(i) {
			row[j] += v
		}
	}
	return mat.Norm(c, 1) * mat.Norm(d.Inverse, 1)
}

// beckerFit is the literature column of table 4.2: Laplacian RLS, or RLS without unlabelled rows, at published parameters.
func beckerFit(ctx context.Context, l *lab) {
	for _, r := range wanted(l, thin(ctx, "rows", 1, table42)) {
		g := l.load(ctx, r.data)
		for run := range l.runs {
			l.say("%s, split %d of %d", r.name(), run+1, l.runs)
			l.literatureTwice(ctx, r.name(), g.split(l.seed, run, 100, r.unlabelled, r.data.test), r.data)
		}
		l.printedBoth(r.name(), testError, r.printed[4])
	}
}

// literatureTwice trains a split at the literature's parameters both ways.
func (l *lab) literatureTwice(ctx context.Context, name string, t *trial, d grouped) {
	theta := t.literature(d)
	out := t.fit(ctx, t.machine(), theta)
	r := mercer.Recipe{Method: "rls", Kernel: "gaussian", Offset: "no", Set: map[string]string{"sigma": text(theta[0])}}
	labelled := float64(len(t.problem.Labelled))
	if len(theta) == 2 {
		r.Set["lambda"] = text(theta[1] / labelled) // of the averaged loss
	} else {
		r.Method = "lap-rls"
		for k, v := range map[string]string{
			"neighbours": text(theta[1]), "degree": text(theta[2]), "gamma_i": text(theta[3]), "gamma_a": text(theta[4]),
			"weights": "binary", "laplacian": "normalised", "symmetry": "union",
		} {
			r.Set[k] = v
		}
	}
	m, res := fixedFit(ctx, inputOf(t.problem, t.test, t.class), r)
	front := must(m.Predict(ctx, t.test))
	if res.Rows.Test != t.test.Len() {
		fail("mercer.Fit judged %d of %d test rows", res.Rows.Test, t.test.Len())
	}
	l.both(name, testError, percentWrong(out, t.class), 100*res.Metrics["test"]["error"])
	l.most(name, fitDifference, apart(out, front))
}

// beckerT42 is the comparison of searches under one budget of 243 evaluations of PRESS (the main table).
func beckerT42(ctx context.Context, l *lab) {
	for q, r := range wanted(l, thin(ctx, "rows", 1, table42)) {
		g := l.load(ctx, r.data)
		err := caught(func() { r.fill(ctx, l, g) })
		if err != nil && ctx.Err() != nil && q > 0 {
			l.note("interrupted in row %d of %d", q+1, len(table42))
			break // what is done is no less true
		}
		check(err)
	}
}

// fill adds the numbers of a row of the table.
func (r row42) fill(ctx context.Context, l *lab, g *classified) {
	methods := r.methods()
	for i, v := range r.printed {
		l.printed(r.name()+" "+methods[i], testError, v)
	}
	for run := range l.runs {
		t := g.split(l.seed, run, 100, atMost(ctx, "unlabelled rows", 60, r.unlabelled), r.data.test)
		results := map[string]search.Result{}
		for _, method := range methods {
			l.say("%s, split %d of %d: %s", r.name(), run+1, l.runs, method)
			results[method] = r.try(ctx, l, t, method)
		}
		for _, method := range []string{algorithm1, combined42, "gradient"} {
			if res, ok := results[method]; ok {
				r.race(l, method, res, results)
			}
		}
	}
}

// race adds how soon a search by gradients is at or below the best score that those
// without found, in shares of the time that the one which found it took.
func (r row42) race(l *lab, method string, res search.Result, results map[string]search.Result) {
	var rival search.Result
	for i, name := range []string{"grid", "random", "nelder-mead"} {
		if other := results[name]; i == 0 || other.F < rival.F {
			rival = other
		}
	}
	var all, until float64
	at := -1 // of the evaluation that is at or below the rival's best
	for i, e := range res.Trace {
		all += e.Seconds
		if at < 0 && e.F <= rival.F*(1+enough) {
			at, until = i, all
		}
	}
	name := r.name() + " " + method
	if at < 0 {
		l.add(name, reaches, 0)
		l.add(name, aFifth, 0)
		return
	}
	l.add(name, reaches, 1)
	l.add(name, "evaluations until then", float64(at+1))
	share := res.Seconds * until / all / rival.Seconds
	l.add(name, "share of that search's time", share)
	l.add(name, aFifth, indicator(share <= 0.2))
}

// Shares of the splits.
const (
	reaches = "reaches the best of the searches without"
	aFifth  = "reaches it in a fifth of that search's time"
)

// The source's quasi-Newton column is Algorithm 1 on C-LapRLS; the combined search is ours on the
// same machine, the others are of LapRLS.
const (
	algorithm1 = "algorithm 1"
	combined42 = "gradient, combined"
)

// methods are the columns, those printed first.
func (r row42) methods() []string {
	list := []string{"gradient", "grid", "random", "nelder-mead", "literature"}
	if r.unlabelled > 0 {
		list[0] = algorithm1
		list = append(list, combined42, "gradient")
	}
	return list
}

type row42 struct {
	data       grouped
	unlabelled int
	printed    [5]float64
}

var table42 = []row42{
	{coil20, 940, [5]float64{7.00, 8.39, 6.86, 8.58, 5.83}},
	{coil20, 500, [5]float64{7.19, 9.03, 7.58, 10.00, 7.58}},
	{coil20, 0, [5]float64{8.28, 8.97, 8.33, 8.33, 10.81}},
	{uspst, 1000, [5]float64{4.60, 6.55, 4.74, 6.35, 5.68}},
	{uspst, 500, [5]float64{6.20, 10.06, 7.09, 7.65, 7.05}},
	{uspst, 0, [5]float64{8.17, 7.63, 8.18, 8.13, 9.64}},
}

func (r row42) title() string { return r.data.name }

func (r row42) name() string { return fmt.Sprintf("%s l=100 u=%d", r.data.name, r.unlabelled) }

// enough is the relative decrease that ends a run by gradients, and the accuracy to which
// scores are compared: less is not seen in the third digit of a table.
const enough = 1e-3

// overGraphs searches Laplacian RLS by gradients for each of the nine graphs of table 4.1, the most promising first, and
// then for the graphs beside the best: from the middle of the box, then from four points about it.
func overGraphs(m machine) search.Search {
	s, graphs := m.Space(), middle(m)
	t := must(param.NewTransform(s))
	centre := t.FromSearch(t.Midpoint())
	starts := [][]float64{centre}
	for _, sigma := range []float64{0.25, 0.75} { // of the box, in logarithms
		for _, gammaI := range []float64{0.25, 0.75} {
			at := slices.Clone(centre)
			at[0] = s[0].Lo * math.Pow(s[0].Hi/s[0].Lo, sigma)
			at[3] = s[3].Lo * math.Pow(s[3].Hi/s[3].Lo, gammaI)
			starts = append(starts, at)
		}
	}
	from := func(at []float64) search.Search { return search.Gradient{Start: at, Decrease: enough} }
	var list inTurn
	for _, at := range starts {
		list = append(list, search.Enumerate{Inner: from(at),
			Values: map[string][]float64{"neighbours": graphs["neighbours"], "degree": graphs["degree"]}, BestFirst: true, Near: from})
	}
	return list
}

// inTurn runs searches one after another within one budget.
type inTurn []search.Search

func (list inTurn) Run(ctx context.Context, s param.Space, eval search.Evaluate) error {
	for _, one := range list {
		if err := one.Run(ctx, s, eval); err != nil {
			return err
		}
	}
	return nil
}

// combine searches C-LapRLS of the nine Laplacians and the one that overGraphs finds with three quarters of the budget,
// which has most of the weight at first. It returns the machine of the better of both.
func combine(ctx context.Context, one lapRLS) (machine, search.Result) {
	graphs := overGraphs(one)
	first := searchWithin(ctx, search.DefaultBudget*3/4, one, graphs)
	m := one.combined(int(first.Theta[1]), int(first.Theta[2]))
	start := slices.Clone(first.Theta[:1])
	terms := simplexTerms(m.Space())
	const top = 0.9 // of the weight
	start = append(start, top)
	for range terms - 1 {
		start = append(start, (1-top)/float64(terms-1))
	}
	start = append(start, first.Theta[3], first.Theta[4])
	res := searchWithin(ctx, search.DefaultBudget-first.Evaluations, m, search.Gradient{Start: start, Decrease: enough})
	res.Trace = slices.Concat(first.Trace, res.Trace) // of two spaces
	res.Evaluations += first.Evaluations
	res.Seconds += first.Seconds
	if first.F < res.F {
		res.F, res.Theta = first.F, first.Theta
		return one, res
	}
	return m, res
}

// simplexTerms is the number of weights of a space.
func simplexTerms(s param.Space) (terms int) {
	for _, d := range s {
		if d.Kind == param.Simplex {
			terms++
		}
	}
	return terms
}

// equalWeights is Algorithm 1 of the source: sequential quadratic programs on C-LapRLS of the nine
// Laplacians of table 4.1, from the middle of the box with equal weights.
func equalWeights(ctx context.Context, one lapRLS) (machine, search.Result) {
	m := one.combined(2, 1) // a graph of the table, so that there are nine
	s := m.Space()
	t := must(param.NewTransform(s))
	start := t.FromSearch(t.Midpoint())
	for i, d := range s {
		if d.Kind == param.Simplex {
			start[i] = 1 / float64(simplexTerms(s))
		}
	}
	return m, searching(ctx, m, search.Gradient{Start: start, Simplex: search.SQP})
}

// find searches by a method and returns the machine that its answer is of.
func (r row42) find(ctx context.Context, l *lab, t *trial, method string) (machine, search.Result) {
	m := t.machine()
	lap, semi := m.(lapRLS)
	var o param.Objective = m
	var s search.Search
	switch method {
	case "gradient":
		s = search.Gradient{Starts: search.DefaultBudget, Seed: l.seed}
		if semi {
			s = overGraphs(lap)
		}
	case combined42:
		return combine(ctx, lap)
	case algorithm1:
		return equalWeights(ctx, lap)
	case "grid":
		s = search.Grid{Values: middle(m)}
	case "random":
		s = search.Random{N: search.DefaultBudget, Seed: l.seed}
	case "nelder-mead":
		s = search.NelderMead{}
	case "literature":
		s = search.Literature{Theta: t.literature(r.data)}
		o = unbounded{m}
	}
	return m, searching(ctx, o, s)
}

// try tunes one split by one method and adds its numbers.
func (r row42) try(ctx context.Context, l *lab, t *trial, method string) search.Result {
	name := r.name() + " " + method
	var m machine
	var res search.Result
	during(name, func() { m, res = r.find(ctx, l, t, method) })
	l.add(name, testError, t.errorAt(ctx, m, res.Theta))
	l.add(name, "PRESS", res.F)
	l.add(name, "evaluations", float64(res.Evaluations))
	return res
}

// unbounded fixes every dimension: published values may lie outside the box.
type unbounded struct{ param.Objective }

func (u unbounded) Space() param.Space {
	s := append(param.Space(nil), u.Objective.Space()...)
	for i := range s {
		s[i].Fixed = true
	}
	return s
}

// beckerF46 draws the box plots of a row of table 4.2: the spread of the test error over the splits, method by method.
func beckerF46(r row42) protocol {
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, r.data)
		r.fill(ctx, l, g)
		picture := Figure{Name: "spread", Title: "Test error of every split by method",
			X: Axis{Name: "method, in the order of the legend"}, Y: Axis{Name: testError}}
		for q, method := range r.methods() {
			name := r.name() + " " + method
			values := l.cell(name, testError).values
			picture.Curves = append(picture.Curves,
				Curve{Name: method, X: slices.Repeat([]float64{float64(q + 1)}, len(values)), Y: values, Loose: true})
			for q, what := range [...]string{"least", "lower quartile", "median", "upper quartile", "largest"} {
				l.add(name, testError+", "+what, quantile(values, float64(q)/4))
			}
		}
		l.draw(picture)
	}
}
