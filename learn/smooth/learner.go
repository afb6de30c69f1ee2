package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Learner is a machine with a smooth loss as a learner: its parameter is C, and
// epsilon if the loss has a tube. A kernel that has features is trained in the linear form where InColumns says so, else
// in the kernel form.
type Learner struct {
	Loss    learn.Loss
	Offset  Offset
	Epsilon float64 // of learn.Tubed; 0: free, from 0.1 of the targets' spread
	// Tolerance is where every solver stops: at a gradient that is this share of the terms
	// which cancel in it, as LIBLINEAR's -e for its primal solvers is a share of the first
	// gradient; accelerated gradient steps at this prox-gradient mapping in units of the
	// outputs, as LIBSVM's -e is a violation. 0 means 1e-8: the last steps of Newton's method are few.
	// Machines are differentiated at 1e-3 or below.
	Tolerance float64
	// Passes takes conjugate gradients in passes over sparse rows where a table of the rows, too, would be small enough:
	// for few entries they are faster. Leave-one-out is then by training again.
	Passes bool
	// Descent is gradient descent on the linear form, for teaching; linear kernel only.
	Descent bool
	Solver  Solver // of both forms
}

// Solver is a method for the training problem.
type Solver int

// The solvers; the accelerated ones are the literature's, to compare with.
const (
	ByNewton       Solver = iota // Newton's method
	ByFISTA                      // accelerated proximal gradient steps
	ByFISTARestart               // that drop their momentum where it points uphill
)

func (s Solver) String() string {
	switch s {
	case ByNewton:
		return "newton"
	case ByFISTA:
		return "fista"
	case ByFISTARestart:
		return "fista-restart"
	}
	return fmt.Sprintf("Solver(%d)", int(s))
}

// named is the method in words.
func (s Solver) named() string {
	if s == ByNewton {
		return "Newton's method"
	}
	return "FISTA"
}

func (s Learner) tolerance() float64 { return options{Tolerance: s.Tolerance}.tolerance() }

// differentiable is the learner at a tolerance at which its machines can be differentiated.
func (s Learner) differentiable() Learner {
	s.Tolerance = min(s.tolerance(), inexact)
	return s
}

func (s Learner) accelerated() fistaOptions {
	return fistaOptions{Tolerance: s.Tolerance, Restart: s.Solver == ByFISTARestart}
}

// Loose implements learn.Inexact.
func (s Learner) Loose(tol float64) learn.Learner {
	s.Tolerance = max(s.tolerance(), tol)
	return s
}

var _ learn.Inexact = Learner{}

// Space is C in [1e-2, 1e4] over the mean diagonal of the Gram matrix, default 1 over it,
// and epsilon in [1e-3, 1] of the targets' spread.
func (s Learner) Space(diagonal, spread float64) param.Space {
	space := param.Space{learn.Strength(diagonal)}
	if _, tube := s.Loss.(learn.Tubed); tube {
		space = append(space, learn.Tube(s.Epsilon, spread))
	}
	return space
}

// lossAt is the loss with the learner's parameters.
func (s Learner) lossAt(theta []float64) learn.Loss {
	if tube, ok := s.Loss.(learn.Tubed); ok {
		return tube.WithTube(theta[1])
	}
	return s.Loss
}

// InColumns says whether l labelled rows with so many features are trained in the linear form: there are fewer features,
// or more rows than a table of l^2 numbers is made for (denseLimit).
func InColumns(l, features int) bool { return features < l || l > denseLimit }

// Sparse rows of more columns than frequentColumns, whose vectors of weights take more than half a megabyte, are
// renumbered by the frequency of columns where a copy of the column numbers takes at most 64 MB.
const frequentColumns, frequentEntries = 1 << 16, 1 << 24

// Bind computes the labelled block of the Gram matrix, l^2 numbers, unless the linear
// form will do, which takes a copy of the labelled rows.
func (s Learner) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	l := len(p.Labelled)
	if l == 0 {
		return nil, errors.New("smooth: no labelled row")
	}
	x, linear := kernel.Features(g)
	switch {
	case linear && (s.Descent || InColumns(l, x.Dim()) || s.Passes && x.IsSparse()):
		if l < x.Len() {
			x = x.Select(p.Labelled)
		}
		if c := x.Sparse; c != nil && c.C > frequentColumns && c.NNZ() <= frequentEntries {
			x = data.Rows{Sparse: c.Frequent()}
		}
		return &linearTrainer{learner: s, problem: p, x: x}, nil
	case s.Descent:
		return nil, errors.New("smooth: gradient descent works on features; choose the linear kernel")
	}
	t := &trainer{learner: s, problem: p, block: mat.NewDense(l, l, nil)}
	if err := kernel.Fill(ctx, t.block, g, p.Labelled, p.Labelled); err != nil {
		return nil, err
	}
	return t, checkGram(t.block, l)
}

// soloRows is the number of rows up to which columns run side by side, one a core;
// above, the products and factorisations of one column keep all cores busy, and one
// factor at a time is in memory.
const soloRows = 2048 // no result depends on it

type trainer struct {
	learner Learner
	problem *learn.Problem
	block   *mat.Dense
}

// Train solves every output.
func (t *trainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	k := t.among(rows)
	return learn.Reduce(ctx, t.problem, rows, t.learner.Offset != None, len(t.problem.Labelled) <= soloRows, warm,
		func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			return t.output(ctx, part, theta, k)
		})
}

// among returns the block of some of the labelled rows (nil: all).
func (t *trainer) among(rows []int) *mat.Dense {
	n := len(rows)
	if rows == nil || n == len(t.problem.Labelled) || n == 0 {
		return t.block
	}
	k := mat.NewDense(n, n, nil)
	pieces(n, rowChunk, n*n, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			to, from := k.RawRowView(a), t.block.RawRowView(rows[a])
			for b, j := range rows {
				to[b] = from[j]
			}
		}
	})
	return k
}

// solve solves one output from part.Start; k is the block of the rows trained on, which
// outputs share but where only some rows take part.
func (t *trainer) solve(ctx context.Context, part learn.Part, theta []float64, k *mat.Dense) (*solution, error) {
	n := len(part.Rows)
	if n == 0 {
		return nil, errors.New("smooth: no labelled row")
	}
	if r, _ := k.Dims(); n < r {
		k = t.among(part.Rows)
	}
	p := problem{K: k, Y: part.Y, Weight: part.Weight, C: theta[0], Loss: t.learner.lossAt(theta), Offset: t.learner.Offset}
	terms, err := newTerms(p.Loss, p.Y, p.C, p.Weight, p.Offset)
	if err != nil {
		return nil, err
	}
	var start *solution
	if part.Start != nil {
		start = &solution{Beta: part.Start, B: part.Offset}
	}
	if t.learner.Solver != ByNewton {
		return fista(ctx, p, terms, t.learner.accelerated(), start)
	}
	o := options{Tolerance: t.learner.tolerance()}
	s, err := newton(ctx, p, terms, o, start, &inner{}, true) // the block is checked
	if start == nil || err != nil || s.Gradient <= max(inexact, o.Tolerance) {
		return s, err
	}
	// From far off the curved zones of a narrow loss are not found; a cold start widens them.
	terms, _ = newTerms(p.Loss, p.Y, p.C, p.Weight, p.Offset)
	if cold, err := newton(ctx, p, terms, o, nil, &inner{}, true); err == nil && cold.Gradient < s.Gradient {
		return cold, nil
	}
	return s, nil
}

// stuckGradient and stuckGap tell a machine that is far from the minimum from one of which rounding leaves no better: the first is the
// tolerance that dual solvers stop at, and with a semi-definite kernel the objective is then within a share stuckGap of the least.
const stuckGradient, stuckGap = 1e-3, 1e-6

func (t *trainer) output(ctx context.Context, part learn.Part, theta []float64, k *mat.Dense) (learn.Piece, error) {
	s, err := t.solve(ctx, part, theta, k)
	if err != nil {
		return learn.Piece{}, err
	}
	s.Release()
	c := learn.Certificate{Objective: s.Objective, Residual: s.Gradient, Gap: s.Gap / max(math.Abs(s.Objective), 0x1p-1022), Steps: s.Steps}
	if s.Status == budgetSpent {
		c.Limited = fmt.Sprintf("%s stopped at its limit of %d steps; the machine is not exact", t.learner.Solver.named(), s.Steps)
	}
	if s.Status == noProgress && s.Gradient > stuckGradient && c.Gap > stuckGap {
		c.Limited = fmt.Sprintf("%s finds no way down where the gradient is %.2g of its parts, as happens with a kernel that is not "+
			"positive semi-definite; the machine is not the minimum; choose such a kernel, as gaussian, or a smaller C",
			t.learner.Solver.named(), s.Gradient)
	}
	return learn.Piece{Coef: s.Beta, Offset: s.B, Fitted: s.F, Certificate: c}, nil
}
