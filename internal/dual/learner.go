package dual

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Classifier is C-SVC as a learner, or nu-SVC. Its parameter is C, or nu.
type Classifier struct {
	Nu       float64 // 0: C-SVC
	NoOffset bool
	Options  Options
}

// Regressor is epsilon-SVR as a learner, or nu-SVR. Its parameters are C, and
// epsilon or nu.
type Regressor struct {
	Nu       float64 // 0: epsilon-SVR
	Absolute bool    // the absolute loss: epsilon is 0
	Epsilon  float64 // 0: free, from 0.1 of the targets' spread
	NoOffset bool
	Options  Options
}

// Detector is the one-class machine as a learner: it trains on rows of target +1
// alone. Its parameter is nu.
type Detector struct {
	Nu      float64 // 0: 0.1
	Options Options
}

var (
	_ learn.Learner = Classifier{}
	_ learn.Learner = Regressor{}
	_ learn.Learner = Detector{}
)

// fixed is the parameter nu with its value.
func fixed(nu float64) param.Dim {
	return param.Dim{Name: "nu", Kind: param.Real, Lo: 0, Hi: 1, Default: nu, Fixed: true}
}

// Space is C (learn.Strength), or nu fixed.
func (c Classifier) Space(diagonal, _ float64) param.Space {
	if c.Nu > 0 {
		return param.Space{fixed(c.Nu)}
	}
	return param.Space{learn.Strength(diagonal)}
}

// Space is C in units of the targets' spread, in which the loss is, and epsilon (learn.Tube) or nu fixed.
func (r Regressor) Space(diagonal, spread float64) param.Space {
	space := param.Space{learn.Strength(diagonal / spread)}
	switch {
	case r.Nu > 0:
		space = append(space, fixed(r.Nu))
	case !r.Absolute:
		space = append(space, learn.Tube(r.Epsilon, spread))
	}
	return space
}

// Space is nu fixed.
func (d Detector) Space(_, _ float64) param.Space {
	if d.Nu == 0 {
		d.Nu = 0.1
	}
	return param.Space{fixed(d.Nu)}
}

// errNuOffset: the margins of the nu forms are what their equality constraint gives, whose multiplier is the offset.
var errNuOffset = errors.New("svm: the forms with nu have an offset")

// Bind prepares kernel rows in single precision.
func (c Classifier) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	if c.Nu > 0 && c.NoOffset {
		return nil, errNuOffset
	}
	t := &trainer{options: c.Options, offset: !c.NoOffset, dual: func(part learn.Part, weight, theta []float64) (Problem, error) {
		if c.Nu > 0 {
			return NuSVC(part.Rows, part.Y, weight, theta[0])
		}
		d := SVC(part.Rows, part.Y, scaled(weight, theta[0]))
		d.Offset = !c.NoOffset
		return d, nil
	}}
	return t.bind(g, p)
}

// Bind prepares kernel rows in single precision.
func (r Regressor) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	if r.Nu > 0 && r.NoOffset {
		return nil, errNuOffset
	}
	o := r.Options
	if o.Tolerance <= 0 { // small targets would all be within the tolerance of their mean
		o.Tolerance = defaultTolerance * min(1, p.Spread())
	}
	t := &trainer{options: o, offset: !r.NoOffset, dual: func(part learn.Part, weight, theta []float64) (Problem, error) {
		c := scaled(weight, theta[0])
		if r.Nu > 0 {
			return NuSVR(part.Rows, part.Y, c, theta[1])
		}
		epsilon := 0.0
		if !r.Absolute {
			epsilon = theta[1]
		}
		d := SVR(part.Rows, part.Y, c, epsilon)
		d.Offset = !r.NoOffset
		return d, nil
	}}
	return t.bind(g, p)
}

// Bind prepares kernel rows in single precision.
func (d Detector) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	t := &trainer{options: d.Options, offset: true, border: true, dual: func(part learn.Part, weight, theta []float64) (Problem, error) {
		for i, y := range part.Y {
			if y != 1 {
				return Problem{}, fmt.Errorf(
					"svm: row %d of a one-class machine has target %g; it learns from rows of target +1 alone",
					part.Rows[i],
					y,
				)
			}
		}
		return OneClass(part.Rows, weight, theta[0])
	}}
	return t.bind(g, p)
}

// scaled returns c w.
func scaled(w []float64, c float64) []float64 {
	out := make([]float64, len(w))
	for i, v := range w {
		out[i] = c * v
	}
	return out
}

// dualRows is the number of variables up to which outputs are trained side by side.
const dualRows = directSize

type trainer struct {
	problem *learn.Problem
	matrix  Matrix   // of the labelled rows
	classes *classes // the same by pairs of classes, or nil
	options Options
	offset  bool
	border  bool // rows on the border of one class, which may be most where rows repeat, are inside but for what the solver left
	dual    func(part learn.Part, weight, theta []float64) (Problem, error)
	convex  convexity

	mu        sync.Mutex
	last      *learn.Machine // the one on all rows that the folds of lastTheta started from
	lastTheta []float64
}

// borderRounding of the offset is what sums of kernel values are rounded by.
const borderRounding = 1e-12

// bind gives the trainer its problem and the matrix of the labelled rows.
func (t *trainer) bind(g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	l := len(p.Labelled)
	if l == 0 {
		return nil, errors.New("svm: no labelled row")
	}
	t.options.spare = new(spare)
	t.problem, t.convex = p, convexity{gram: g, rows: p.Labelled, offset: t.offset}
	switch {
	case l <= tableRows:
		table, err := newTable(g, p.Labelled)
		if err != nil {
			return nil, err
		}
		t.matrix = table
	case l < g.Len():
		t.matrix = finer{subset{kernel.NewSingle(g), p.Labelled}, g, p.Labelled}
	default:
		t.matrix = finer{kernel.NewSingle(g), g, nil}
	}
	if c := p.Coding; l > tableRows && c.Pairs && c.Classes > 2 {
		t.classes = newClasses(t.matrix, p.Class, c.Classes, t.options.withDefaults(0).Cache)
	}
	return t, nil
}

// tableRows is the number of rows up to which the whole matrix is computed, in
// double precision, before the first training: 32 MB.
const tableRows = 2048

// table is the matrix of some rows, stored, its rows with zeros up to a multiple of 8.
type table struct {
	n, stride int
	k         []float64
}

func newTable(g kernel.Gram, rows []int) (*table, error) {
	n := len(rows)
	t := &table{n: n, stride: (n + 7) &^ 7}
	t.k = make([]float64, n*t.stride)
	g.Block(mat.NewDense(n, t.stride, t.k).Slice(0, n, 0, n).(*mat.Dense), rows, rows)
	for i := range n {
		for j, v := range t.Double(i) {
			if v-v != 0 {
				return nil, notFinite(i, j, v)
			}
		}
	}
	return t, nil
}

func (t *table) Len() int { return t.n }

func (t *table) Double(i int) []float64 { return t.k[i*t.stride : (i+1)*t.stride] }

func (t *table) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = t.Double(i)[i]
	}
}

func (t *table) Block(dst []float32, i, j []int) {
	n := t.Len()
	rows, columns := n, n
	if i != nil {
		rows = len(i)
	}
	if j != nil {
		columns = len(j)
	}
	for a := range rows {
		from, to := t.Double(at(i, a)), dst[a*columns:(a+1)*columns]
		for b := range to {
			to[b] = float32(from[at(j, b)])
		}
	}
}

func at(i []int, a int) int {
	if i == nil {
		return a
	}
	return i[a]
}

// subset is a matrix of some rows.
type subset struct {
	m    Matrix
	rows []int
}

func (s subset) Len() int { return len(s.rows) }

func (s subset) Block(dst []float32, i, j []int) { s.m.Block(dst, s.of(i), s.of(j)) }

func (s subset) of(i []int) []int {
	if i == nil {
		return s.rows
	}
	out := make([]int, len(i))
	for q, v := range i {
		out[q] = s.rows[v]
	}
	return out
}

func (s subset) Diagonal(dst []float64) {
	all := make([]float64, s.m.Len())
	s.m.Diagonal(all)
	for q, r := range s.rows {
		dst[q] = all[r]
	}
}

// Train solves the dual of every output. A training on some of the rows, for a fold,
// takes at most foldSteps steps: a strength of the data that needs more does not
// predict better for it, and is seldom worth its time.
func (t *trainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	o := t.options
	if rows != nil {
		o = t.foldOptions(len(rows))
	} else if m := t.remembered(theta); m != nil && warm == nil {
		return m, nil
	}
	m, _, err := t.train(ctx, rows, theta, warm, o)
	return m, err
}

// train also returns the outputs on all labelled rows, if they cost nothing more.
func (t *trainer) train(
	ctx context.Context,
	rows []int,
	theta []float64,
	warm *learn.Machine,
	o Options,
) (*learn.Machine, *mat.Dense, error) {
	if t.classes != nil {
		return t.pairs(ctx, rows, theta, warm, o)
	}
	// Pairs of classes are many and small: side by side, each with its share of the cache.
	aside := t.problem.Coding.Pairs || len(t.problem.Labelled) <= dualRows
	if aside && o.Cache == 0 {
		o.Cache = Options{}.withDefaults(0).Cache / int64(runtime.GOMAXPROCS(0))
	}
	m, err := learn.Reduce(ctx, t.problem, rows, t.offset, aside, warm,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			return t.output(ctx, t.matrix, part, theta, o)
		})
	return m, nil, err
}

// pairs trains on the blocks of the classes.
func (t *trainer) pairs(
	ctx context.Context,
	rows []int,
	theta []float64,
	warm *learn.Machine,
	o Options,
) (*learn.Machine, *mat.Dense, error) {
	p, c := t.problem, t.classes
	if err := c.fill(ctx); err != nil {
		return nil, nil, err
	}
	var first, second []int // class of each output
	p.Coding.EachPair(func(_, a, b int) { first, second = append(first, a), append(second, b) })
	m, err := learn.Reduce(ctx, p, rows, t.offset, true, warm, func(ctx context.Context, part learn.Part) (learn.Piece, error) {
		order := c.sort(part.Rows, first[part.Output])
		k := c.newPair(first[part.Output], second[part.Output], taken(part.Rows, order))
		defer k.release()
		sorted := learn.Part{
			Output: part.Output,
			Y:      taken(part.Y, order),
			Weight: taken(part.Weight, order),
			Start:  taken(part.Start, order),
			Offset: part.Offset,
			Rows:   make([]int, len(order)),
		}
		for i := range order {
			sorted.Rows[i] = i
		}
		piece, err := t.output(ctx, k, sorted, theta, o)
		if err != nil {
			return piece, err
		}
		coef := make([]float64, len(order))
		for q, i := range order {
			coef[i] = piece.Coef[q]
		}
		piece.Coef, piece.Fitted = coef, nil
		return piece, nil
	})
	if err != nil {
		return nil, nil, err
	}
	place := make([]int, len(p.Labelled)) // 1 + place in rows
	for i := range p.Labelled {
		place[i] = i + 1
	}
	if rows != nil {
		clear(place)
		for q, i := range rows {
			place[i] = q + 1
		}
	}
	all, err := c.outputs(ctx, p.Coding, func(row, output int) float64 {
		if place[row] == 0 {
			return 0
		}
		return m.Coef.At(place[row]-1, output)
	}, m.Offset)
	if err != nil {
		return nil, nil, err
	}
	if m.Fitted = all; rows != nil {
		m.Fitted = chosen(all, rows)
	}
	return m, all, nil
}

// taken lists the values at the places; nil of nil.
func taken[T any](x []T, places []int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(places))
	for q, i := range places {
		out[q] = x[i]
	}
	return out
}

// chosen copies rows of a.
func chosen(a *mat.Dense, rows []int) *mat.Dense {
	_, c := a.Dims()
	out := mat.NewDense(max(len(rows), 1), c, nil)
	for q, i := range rows {
		out.SetRow(q, a.RawRowView(i))
	}
	return out
}

func foldSteps(rows int) int { return max(10000, 100*rows) }

// foldOptions are those of a training on so many rows for a fold.
func (t *trainer) foldOptions(rows int) Options {
	o := t.options
	if o.MaxIterations == 0 {
		o.MaxIterations = foldSteps(rows)
	}
	return o
}

func (t *trainer) output(ctx context.Context, k Matrix, part learn.Part, theta []float64, o Options) (learn.Piece, error) {
	p, err := t.dualProblem(part, theta)
	if err != nil {
		return learn.Piece{}, err
	}
	if part.Start != nil && p.Start == nil {
		if p, err = p.Warm(dualOf(p, part.Start)); err != nil {
			return learn.Piece{}, err
		}
	}
	s, err := Solve(ctx, k, p, o)
	if err != nil {
		return learn.Piece{}, err
	}
	return t.piece(ctx, p, s, part, k.Len())
}

// dualProblem is the problem of an output.
func (t *trainer) dualProblem(part learn.Part, theta []float64) (Problem, error) {
	if len(part.Rows) == 0 {
		return Problem{}, errors.New("svm: no labelled row")
	}
	weight := part.Weight
	if weight == nil {
		weight = make([]float64, len(part.Rows))
		for i := range weight {
			weight[i] = 1
		}
	}
	return t.dual(part, weight, theta)
}

// piece reads the solution of an output on a matrix of n rows.
func (t *trainer) piece(ctx context.Context, p Problem, s *Solution, part learn.Part, n int) (learn.Piece, error) {
	m, err := p.Machine(s, n)
	if err != nil {
		return learn.Piece{}, err
	}
	if t.border {
		m.B += max(s.Violation, borderRounding*math.Abs(s.Rho))
	}
	out := learn.Piece{
		Coef: make([]float64, len(part.Rows)), Offset: m.B, Fitted: make([]float64, len(part.Rows)),
		Certificate: learn.Certificate{
			Objective: m.primal(s), Dual: m.Objective, Residual: s.Violation, Steps: s.Iterations,
			Gap: s.Gap / max(math.Abs(s.Objective), 0x1p-1022),
		},
	}
	for i, r := range part.Rows { // variable i is row i of the part, in every form
		out.Coef[i] = m.Coef[r]
		out.Fitted[i] = fitted(p, s, i) + m.B
	}
	least, certain, err := t.convex.find(ctx)
	if err != nil {
		return learn.Piece{}, err
	}
	if out.Certificate.Least = least; !certain {
		out.Certificate.Gap = 0
	}
	if !s.Status.Converged() {
		out.Certificate.Limited = fmt.Sprintf("dual solver, output %d: %v (violation %.2g)", part.Output, s.Status, s.Violation)
	}
	return out, nil
}

// fitted is the machine's output on the row of variable u, without its offset.
func fitted(p Problem, s *Solution, u int) float64 {
	f := p.Sign[u] * (s.Gradient[u] - p.Linear[u])
	if p.Form == NuClasses {
		f /= s.Scale
	}
	return f
}

// dualOf returns the variables that stand for the coefficients of the rows of a part.
func dualOf(p Problem, coef []float64) []float64 {
	a := make([]float64, len(p.Row))
	for u, s := range p.Sign {
		a[u] = max(0, s*coef[u%len(coef)])
	}
	return a
}
