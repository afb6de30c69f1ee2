package sparsemanifold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// Repair is what is done against the weakness of the penalty on few basis functions.
type Repair int

// The repairs; see the package.
const (
	None Repair = iota
	BySlack
	BySigmoid
	ByDecoupling
)

// Learner is the machine as a learner, whose parameter is C = 1/(2 gammaA): its machines are sums over the centres.
type Learner struct {
	Loss  learn.Loss // smooth; nil: the square
	Norm  *graph.Power
	Ratio float64 // gammaI/gammaA, not negative
	// Nu is nu/gammaA, of slack and decoupled machines.
	Nu     float64
	Rho    float64 // of the sigmoid; 0: DefaultRho
	Repair Repair
	// Centres are rows; nil: Chooser chooses Size of them for every training, by its labels alone, so that a row left out
	// has no part in the choice. The choice takes the square loss whatever Loss is: its curvature does not move.
	Centres []int
	Chooser basis.Chooser
	Size    int
	// Slackened lets the chooser judge centres by the slack machine (greedy and slack at once), not by the plain one.
	Slackened bool
	Offset    bool // f + b, b not penalised
}

// DefaultRho makes outputs of a half tell 0.9 from 1: tanh(1.5 0.5) is 0.6 and tanh(1.5) 0.9. The source prints no value.
const DefaultRho = 3

var _ learn.Learner = Learner{}

// Space is C, as of learn.Strength.
func (Learner) Space(diagonal, _ float64) param.Space { return param.Space{learn.Strength(diagonal)} }

// squared says whether the loss is the square.
func (s Learner) squared() bool {
	return s.Loss == nil || s.Loss == learn.Square()
}

// nu is that of the warp.
func (s Learner) nu() float64 {
	if s.Repair == BySlack {
		return s.Nu
	}
	return math.Inf(1)
}

// Bind computes what trainings share on centres that are given: features and the warped kernel.
func (s Learner) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	switch {
	case len(p.Labelled) == 0:
		return nil, errors.New("sparsemanifold: no labelled row")
	case p.Weight != nil || p.Coding.Pairs:
		return nil, errors.New("sparsemanifold: rows with weights and pairs of classes are for other methods, such as lap-svm")
	case s.Repair == ByDecoupling && !s.squared():
		return nil, errors.New("sparsemanifold: decoupled machines have the square loss alone, in which labels spread over the graph")
	case s.Offset && (s.Repair == BySigmoid || s.Repair == ByDecoupling):
		return nil, errors.New("sparsemanifold: sigmoid and decoupled machines have no offset; fit without it")
	case s.Centres == nil && s.Chooser == nil:
		panic("sparsemanifold: a learner with neither centres nor a chooser")
	}
	t := &trainer{learner: s, gram: g, problem: p}
	if s.Centres == nil {
		return t, ctx.Err()
	}
	var err error
	t.fixed, err = s.prepare(ctx, g, p, s.Centres)
	return t, err
}

type trainer struct {
	learner Learner
	gram    kernel.Gram
	problem *learn.Problem
	fixed   *prepared // nil: centres are chosen anew for every training
}

// prepared is what trainings on the same centres share.
type prepared struct {
	centres  []int
	features *kernel.Nystrom
	warp     *Warp // of all labelled rows; nil of the other repairs
}

func (s Learner) prepare(ctx context.Context, g kernel.Gram, p *learn.Problem, centres []int) (*prepared, error) {
	z := slices.Clone(centres)
	slices.Sort(z)
	for a, i := range z[1:] {
		if i == z[a] {
			return nil, fmt.Errorf("sparsemanifold: row %d is listed twice among the centres; list every centre once", i)
		}
	}
	f, err := kernel.NewNystrom(ctx, g, g.Len(), centres, nil)
	if err != nil {
		return nil, err
	}
	t := &prepared{centres: centres, features: f}
	if s.Repair == None || s.Repair == BySlack {
		t.warp, err = NewWarp(ctx, f, s.Norm, p.Labelled, s.Ratio, s.nu())
	}
	return t, err
}

// Train implements learn.Trainer.
func (t *trainer) Train(ctx context.Context, rows []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
	if rows == nil {
		rows = learn.Others(len(t.problem.Labelled), nil)
	}
	if len(rows) == 0 {
		return nil, errors.New("sparsemanifold: no labelled row")
	}
	at, among := t.fixed, rows
	p := t.problem
	if at == nil {
		part := *p
		part.Labelled, part.Y = p.Subset(rows), chosen(p.Y, rows)
		if p.Class != nil {
			part.Class = make([]int, len(rows))
			for q, i := range rows {
				part.Class[q] = p.Class[i]
			}
		}
		p, among = &part, learn.Others(len(rows), nil)
		centres, err := t.learner.choose(ctx, t.gram, p, theta[0])
		if err != nil {
			return nil, err
		}
		if at, err = t.learner.prepare(ctx, t.gram, p, centres); err != nil {
			return nil, err
		}
	}
	m := &learn.Machine{Rows: at.centres}
	var err error
	switch t.learner.Repair {
	case ByDecoupling:
		err = t.learner.decoupled(ctx, at, p, among, theta[0], m)
	case BySigmoid:
		err = t.learner.sigmoid(ctx, at, p, among, theta[0], m)
	default:
		err = t.learner.warped(ctx, at, p, among, theta[0], m)
	}
	return m, err
}

// choose lets the chooser choose for the labels of p.
func (s Learner) choose(ctx context.Context, g kernel.Gram, p *learn.Problem, c float64) ([]int, error) {
	a := score.Strength(c) // gammaA = 1/(2C)
	problem := basis.Laplacian(g, p.Labelled, p.Y, nil, s.Norm, a, a*s.Ratio)
	var slack *Slack
	switch {
	case s.Slackened:
		var err error
		if slack, err = NewSlack(ctx, s.Norm, p.Labelled, p.Y, a*s.Ratio, a*s.Nu); err != nil {
			return nil, err
		}
		problem = slack.Basis(g, a)
	case s.Repair == ByDecoupling:
		f, _, _, err := Spread(ctx, s.Norm, p.Labelled, p.Y, a*s.Ratio)
		if err != nil {
			return nil, err
		}
		problem = basis.Targets(g, f, nil, 1/s.Nu)
	}
	path, err := s.Chooser.Choose(ctx, problem, min(s.Size, g.Len()))
	if err == nil && slack != nil {
		err = slack.Err()
	}
	return path.Centres, err
}

// warped trains the plain machine or that with slack, in closed form or by Newton's method on the warped kernel.
func (s Learner) warped(ctx context.Context, at *prepared, p *learn.Problem, rows []int, c float64, m *learn.Machine) error {
	w := at.warp
	if s.squared() {
		k := square(w.Kernel, rows)
		r, err := newRidge(ctx, k, chosen(p.Y, rows), s.Offset, score.Strength(c))
		if err != nil {
			return err
		}
		m.Coef, m.Offset = w.Coefficients(r.alpha, rows), r.b
		m.Certificate = r.certificate(k, chosen(p.Y, rows), score.Strength(c))
	} else {
		offset := smooth.None
		if s.Offset {
			offset = smooth.Free
		}
		inner := p.Only(rows)
		inner.Rows = data.Rows{Dense: mat.NewDense(len(rows), 1, nil)}
		g, err := kernel.Precomputed{K: square(w.Kernel, rows)}.Bind(ctx, inner.Rows, nil)
		if err != nil {
			return err
		}
		trainer, err := smooth.Learner{Loss: s.Loss, Offset: offset}.Bind(ctx, g, inner)
		if err != nil {
			return err
		}
		f, err := trainer.Train(ctx, nil, []float64{c}, nil)
		if err != nil {
			return err
		}
		m.Coef, m.Offset, m.Certificate = w.Coefficients(f.Coef, rows), f.Offset, f.Certificate
	}
	m.Certificate.Join(learn.Certificate{Residual: w.Certificate.Residual, Limited: w.Certificate.Limited})
	return nil
}

// decoupled spreads the labels and regresses.
func (s Learner) decoupled(ctx context.Context, at *prepared, p *learn.Problem, rows []int, c float64, m *learn.Machine) error {
	f, reached, cert, err := Spread(ctx, s.Norm, p.Subset(rows), chosen(p.Y, rows), score.Strength(c)*s.Ratio)
	if err != nil {
		return err
	}
	m.Certificate = cert
	if m.Coef, err = Regress(at.features, reached, f, 1/s.Nu); err != nil {
		return err
	}
	m.Certificate.Objective = s.apart(at, p, rows, c, f, reached, m.Coef)
	return nil
}

// sigmoid trains output by output.
func (s Learner) sigmoid(ctx context.Context, at *prepared, p *learn.Problem, rows []int, c float64, m *learn.Machine) error {
	rho := s.Rho
	if rho == 0 {
		rho = DefaultRho
	}
	a := score.Strength(c)
	y := chosen(p.Y, rows)
	m.Coef = mat.NewDense(len(at.centres), p.Outputs(), nil)
	for q := range p.Outputs() {
		one := &Sigmoid{Phi: at.features.Phi, Norm: s.Norm, Labelled: p.Subset(rows), Y: mat.Col(nil, q, y), Loss: s.Loss,
			GammaA: a, GammaI: a * s.Ratio, Rho: rho}
		w, cert, err := one.Solve(ctx, nil)
		if err != nil {
			return err
		}
		m.Coef.SetCol(q, w)
		cert.Objective /= a // from R to 1/2 |o|^2 + C sum V and their like
		m.Certificate.Join(cert)
	}
	at.features.Coefficients(m.Coef)
	return nil
}

// LeaveOneOut is the closed form of Folds for rows left out one by one; package design asks for it.
func (t *trainer) LeaveOneOut(ctx context.Context, theta []float64, _ *learn.Machine) (*mat.Dense, *learn.Machine, bool, error) {
	single := make([][]int, len(t.problem.Labelled))
	for i := range single {
		single[i] = []int{i}
	}
	out, _, ok, err := t.Folds(ctx, single, theta, nil)
	return out, new(learn.Machine), ok, err
}

// Folds implements learn.Folder: least squares on given centres in closed form.
func (t *trainer) Folds(
	ctx context.Context, folds [][]int, theta []float64, _ []*learn.Machine,
) (*mat.Dense, []*learn.Machine, bool, error) {
	s := t.learner
	if t.fixed == nil || t.fixed.warp == nil || !s.squared() || s.Offset && len(t.problem.Labelled) == 1 {
		return nil, nil, false, nil
	}
	lambda := score.Strength(theta[0])
	r, err := newRidge(ctx, t.fixed.warp.Kernel, t.problem.Y, s.Offset, lambda)
	if err != nil {
		return nil, nil, false, err
	}
	out, err := r.leftOut(t.fixed.warp.Given, folds, lambda)
	if err != nil {
		return nil, nil, false, err
	}
	return out, slices.Repeat([]*learn.Machine{new(learn.Machine)}, len(folds)), true, nil
}

// square is the block of k on some rows.
func square(k *mat.Dense, rows []int) *mat.Dense {
	if len(rows) == k.RawMatrix().Rows {
		return k
	}
	out := mat.NewDense(len(rows), len(rows), nil)
	for a, i := range rows {
		for b, j := range rows {
			out.Set(a, b, k.At(i, j))
		}
	}
	return out
}
