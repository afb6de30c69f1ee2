package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/param"
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

// Space is C, and epsilon (learn.Tube) or nu fixed.
func (r Regressor) Space(diagonal, spread float64) param.Space {
	space := param.Space{learn.Strength(diagonal)}
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

// Bind prepares kernel rows in single precision.
func (c Classifier) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return bind(g, p, c.Options, !c.NoOffset, func(part learn.Part, weight, theta []float64) (Problem, error) {
		if c.Nu > 0 {
			return NuSVC(part.Rows, part.Y, weight, theta[0])
		}
		return SVC(part.Rows, part.Y, scaled(weight, theta[0]), !c.NoOffset), nil
	})
}

// Bind prepares kernel rows in single precision.
func (r Regressor) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return bind(g, p, r.Options, !r.NoOffset, func(part learn.Part, weight, theta []float64) (Problem, error) {
		switch c := scaled(weight, theta[0]); {
		case r.Nu > 0:
			return NuSVR(part.Rows, part.Y, c, theta[1])
		case r.Absolute:
			return SVR(part.Rows, part.Y, c, 0, !r.NoOffset), nil
		default:
			return SVR(part.Rows, part.Y, c, theta[1], !r.NoOffset), nil
		}
	})
}

// Bind prepares kernel rows in single precision.
func (d Detector) Bind(_ context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return bind(g, p, d.Options, true, func(part learn.Part, weight, theta []float64) (Problem, error) {
		for i, y := range part.Y {
			if y != 1 {
				return Problem{}, fmt.Errorf("svm: row %d of a one-class machine has target %g; it learns from rows of target +1 alone", part.Rows[i], y)
			}
		}
		return OneClass(part.Rows, weight, theta[0])
	})
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
	matrix  Matrix // of the labelled rows
	options Options
	offset  bool
	dual    func(part learn.Part, weight, theta []float64) (Problem, error)
}

func bind(g kernel.Gram, p *learn.Problem, o Options, offset bool, dual func(learn.Part, []float64, []float64) (Problem, error)) (learn.Trainer, error) {
	l := len(p.Labelled)
	if l == 0 {
		return nil, errors.New("svm: no labelled row")
	}
	t := &trainer{problem: p, options: o, offset: offset, dual: dual}
	switch {
	case l <= tableRows:
		t.matrix = newTable(g, p.Labelled)
	case l < g.Len():
		t.matrix = subset{kernel.NewSingle(g), p.Labelled}
	default:
		t.matrix = kernel.NewSingle(g)
	}
	return t, nil
}

// tableRows is the number of rows up to which the whole matrix is computed, in
// double precision, before the first training: 32 MB.
const tableRows = 2048

// table is the matrix of some rows, stored.
type table struct{ k *mat.Dense }

func newTable(g kernel.Gram, rows []int) table {
	k := mat.NewDense(len(rows), len(rows), nil)
	g.Block(k, rows, rows)
	return table{k}
}

func (t table) Len() int { n, _ := t.k.Dims(); return n }

func (t table) Double() *mat.Dense { return t.k }

func (t table) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = t.k.At(i, i)
	}
}

func (t table) Block(dst []float32, i, j []int) {
	n := t.Len()
	rows, columns := n, n
	if i != nil {
		rows = len(i)
	}
	if j != nil {
		columns = len(j)
	}
	for a := range rows {
		from, to := t.k.RawRowView(at(i, a)), dst[a*columns:(a+1)*columns]
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
	if rows != nil && o.MaxIterations == 0 {
		o.MaxIterations = foldSteps(len(rows))
	}
	// Pairs of classes are many and small: side by side, each with its share of the cache.
	aside := t.problem.Coding.Pairs || len(t.problem.Labelled) <= dualRows
	if aside && o.Cache == 0 {
		o.Cache = Options{}.withDefaults(0).Cache / int64(runtime.GOMAXPROCS(0))
	}
	return learn.Reduce(ctx, t.problem, rows, t.offset, aside, warm,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) { return t.output(ctx, part, theta, o) })
}

func foldSteps(rows int) int { return max(10000, 100*rows) }

func (t *trainer) output(ctx context.Context, part learn.Part, theta []float64, o Options) (learn.Piece, error) {
	if len(part.Rows) == 0 {
		return learn.Piece{}, errors.New("svm: no labelled row")
	}
	weight := part.Weight
	if weight == nil {
		weight = make([]float64, len(part.Rows))
		for i := range weight {
			weight[i] = 1
		}
	}
	p, err := t.dual(part, weight, theta)
	if err != nil {
		return learn.Piece{}, err
	}
	if part.Start != nil && p.Start == nil {
		if p, err = p.Warm(dualOf(p, part)); err != nil {
			return learn.Piece{}, err
		}
	}
	s, err := Solve(ctx, t.matrix, p, o)
	if err != nil {
		return learn.Piece{}, err
	}
	m, err := p.Machine(s, t.matrix.Len())
	if err != nil {
		return learn.Piece{}, err
	}
	piece := learn.Piece{
		Coef: make([]float64, len(part.Rows)), Offset: m.B, Fitted: make([]float64, len(part.Rows)),
		Certificate: learn.Certificate{
			Objective: m.Objective, Residual: s.Violation, Steps: s.Iterations,
			Gap: s.Gap / max(math.Abs(s.Objective), 0x1p-1022),
		},
	}
	for i, r := range part.Rows { // variable i is row i of the part, in every form
		piece.Coef[i] = m.Coef[r]
		piece.Fitted[i] = p.Sign[i]*(s.Gradient[i]-p.Linear[i])/s.Scale + m.B
		if p.Form == NuTube {
			piece.Fitted[i] = p.Sign[i]*(s.Gradient[i]-p.Linear[i]) + m.B
		}
	}
	if !s.Status.Converged() {
		piece.Certificate.Limited = fmt.Sprintf("dual solver, output %d: %v (violation %.2g)", part.Output, s.Status, s.Violation)
	}
	return piece, nil
}

// dualOf returns the variables that stand for the coefficients of part.Start.
func dualOf(p Problem, part learn.Part) []float64 {
	a := make([]float64, len(p.Row))
	for u, s := range p.Sign {
		a[u] = max(0, s*part.Start[u%len(part.Rows)])
	}
	return a
}
