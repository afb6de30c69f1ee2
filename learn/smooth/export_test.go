package smooth

// What the tests of this folder call: the solvers themselves, which a program reaches by way of Learner.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/solve"
	"gonum.org/v1/gonum/mat"
)

// Newton solves p from start (zeros when nil), whose coefficients may come from another
// C, weights or targets. An error is the data's fault or the context's; the latter
// comes with the solution so far, if there is one.
func Newton(ctx context.Context, p problem, o options, start *solution) (*solution, error) {
	t, err := newTerms(p.Loss, p.Y, p.C, p.Weight, p.Offset)
	if err != nil {
		return nil, err
	}
	if err := checkGram(p.K, len(p.Y)); err != nil {
		return nil, err
	}
	return newton(ctx, p, t, o, start, &inner{}, true)
}

// FISTA solves p from start (zeros when nil) by accelerated gradient steps in the
// coefficients: the literature's method, to compare with; Newton is the one to use. Errors are
// those of Newton.
func FISTA(ctx context.Context, p problem, o fistaOptions, start *solution) (*solution, error) {
	t, err := newTerms(p.Loss, p.Y, p.C, p.Weight, p.Offset)
	if err != nil {
		return nil, err
	}
	if err := checkGram(p.K, len(p.Y)); err != nil {
		return nil, err
	}
	return fista(ctx, p, t, o, start)
}

// Perturb returns the derivative of Beta, B and F in the direction that adds
// sum_i rho_i f_i to the objective. rho has one value a row.
func (s *solution) Perturb(ctx context.Context, rho []float64) (beta []float64, b float64, f []float64, err error) {
	n, err := s.hessian(ctx)
	if err != nil {
		return nil, 0, nil, err
	}
	beta, f = make([]float64, len(rho)), make([]float64, len(rho))
	b = n.direction(beta, rho, 0)
	mulRows(f, n.k, nil, beta, n.augmented())
	if n.augmented() {
		return beta, sum(beta), f, nil
	}
	for i := range f {
		f[i] += b
	}
	return beta, b, f, nil
}

// Active counts the rows with curvature at the solution: the order of the matrix that a
// Newton step factors.
func (s *solution) Active() int {
	n := 0
	for _, d := range s.terms.d {
		if d > 0 {
			n++
		}
	}
	return n
}

// Converged tells whether a tolerance was met.
func (s status) Converged() bool { return solve.Status(s).Converged() }

// Lipschitz returns the constant L of p's gradient, to which Descent's step is 1/L.
func Lipschitz(p linearProblem) (float64, error) {
	t, err := p.check()
	if err != nil {
		return 0, err
	}
	top, err := newLinear(p, t, nil).largest()
	return 1 + t.loss.Curvature()*top, err
}

// Columns solves p once for each column of y (l x c), which replaces p.Y: the outputs of
// one-versus-rest coding. start, nil or of length c, holds a start for each column or nil.
// The columns share the Gram matrix and nothing else, so the results are those of
// separate calls whatever the number of cores. The error is that of the first column
// that has one.
func Columns(ctx context.Context, p problem, y *mat.Dense, o options, start []*solution) ([]*solution, error) {
	l, c := y.Dims()
	out := make([]*solution, c)
	if err := checkGram(p.K, l); err != nil {
		return nil, err
	}
	workers := 0
	if l > soloRows {
		workers = 1
	}
	err := parallel.Each(workers, c, func(j int) error {
		q := p
		q.Y = mat.Col(nil, j, y)
		t, err := newTerms(q.Loss, q.Y, q.C, q.Weight, q.Offset)
		if err != nil {
			return err
		}
		var from *solution
		if start != nil {
			from = start[j]
		}
		out[j], err = newton(ctx, q, t, o, from, &inner{}, true)
		return err
	})
	return out, err
}

// Path solves p for every C of cs, each from the solution before: go from small to
// large, where the first is easy and the next ones near. The factors of inner Hessians are not kept. On an
// error the solutions so far are returned with it.
func Path(ctx context.Context, p problem, cs []float64, o options) ([]*solution, error) {
	if err := checkGram(p.K, len(p.Y)); err != nil {
		return nil, err
	}
	out := make([]*solution, 0, len(cs))
	var last *solution
	n := &inner{}
	for _, c := range cs {
		if !(c > 0) {
			return out, fmt.Errorf("smooth: C = %g; it must be positive and finite", c)
		}
		p.C = c
		t, err := newTerms(p.Loss, p.Y, c, p.Weight, p.Offset)
		if err != nil {
			return out, err
		}
		s, err := newton(ctx, p, t, o, last, n, false)
		if err != nil {
			return out, err
		}
		out = append(out, s)
		last = s
	}
	return out, nil
}

type (
	Problem        = problem
	Options        = options
	Solution       = solution
	LinearProblem  = linearProblem
	LinearSolution = linearSolution
	DescentOptions = descentOptions
	FISTAOptions   = fistaOptions
	Method         = algebra
)

const (
	Auto, Cholesky, CG, Gram               = auto, byCholesky, byCG, byGram
	BudgetSpent, GradientSmall, Unfinished = budgetSpent, gradientSmall, unfinished
)

var (
	Descent      = descent
	FISTALinear  = fistaLinear
	NewtonLinear = newtonLinear
)
