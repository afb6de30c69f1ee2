package s3vm

// Problem   for costs of each row as one of +1 and as one of -1, the convex part of the problem of the package:
//
//             minimise over alpha (and b):  P = 1/2 alpha'K alpha + sum_i (plus_i V(f_i) + minus_i V(-f_i)),
//             f = K alpha + b
//
//           A row whose costs are both zero takes no part, but has an output. Labels are the case where one
//           of the two costs is zero.
// Method    The hinge: its dual by package dual, two variables on the row of K where both costs are
//           positive. The squared hinge: Newton's method, see newton.go. Both begin where they ended
//           the last time, so that a few other labels or costs take little work.
// Cost      of the outputs 2 n |{alpha_i != 0}| flops each time.

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/learn"
)

// weighted is a machine on all rows of K, in their order, with the costs that are set.
type weighted struct {
	k           *mat.Dense
	offset      bool
	loss        learn.Loss
	plus, minus []float64
	at          *function // the minimum, once trained; before, where training begins

	newton    *newton     // of the squared hinge
	gram      dual.Matrix // of the hinge: K
	shift     []float64   // what the outputs have beside K alpha + b; nil: nothing. Of the hinge alone
	tilt      []float64   // added to P is sum_i tilt_i f_i; nil: nothing. Of the hinge alone
	tolerance float64     // of the dual; 0: dualTolerance
	steps     int         // of the solver
	residual  float64     // violation of the optimality conditions by at
	limited   string      // why the solver of the hinge ended before its tolerance, if it did
}

// newWeighted is the machine of the problem without costs.
func newWeighted(p *Problem, v learn.Loss) *weighted {
	n, _ := p.K.Dims()
	m := &weighted{
		k: p.K, offset: p.Offset, loss: v,
		plus: make([]float64, n), minus: make([]float64, n), at: newFunction(n),
	}
	switch v {
	case learn.Hinge():
		m.gram = newGram(p.K)
	case learn.SquaredHinge():
		m.newton = newNewton(m)
	default:
		panic("s3vm: no weighted machine with the loss " + v.Name())
	}
	return m
}

// label gives row i of K the label y, -1 or +1, at that cost; of cost 0 it takes no part.
func (m *weighted) label(i int, y, cost float64) {
	m.plus[i], m.minus[i] = cost, 0
	if y < 0 {
		m.plus[i], m.minus[i] = 0, cost
	}
}

// start makes training begin at these coefficients.
func (m *weighted) start(alpha []float64, b float64) {
	copy(m.at.alpha, alpha)
	m.at.b = 0
	if m.offset {
		m.at.b = b
	}
	m.outputs(m.at)
}

// begin makes training begin at a solution of the problem.
func (m *weighted) begin(p *Problem, s *Solution) {
	alpha := make([]float64, len(m.plus))
	for i, a := range s.Alpha {
		alpha[p.Rows[i]] = a
	}
	m.start(alpha, s.Offset)
}

// train moves the machine to the minimum. An error, of the context or of a kernel that is not positive
// semi-definite, leaves it anywhere.
func (m *weighted) train(ctx context.Context) error {
	if m.newton != nil {
		return m.newton.train(ctx)
	}
	return m.dual(ctx)
}

// columns is the number of outputs that are brought up to date at a time: 16 kB of them.
const columns = 2048 // no result depends on it

// outputs computes f from the coefficients.
func (m *weighted) outputs(at *function) {
	parallel.Pieces(len(at.f), columns, func(lo, hi int) {
		f := at.f[lo:hi]
		for i := range f {
			f[i] = at.b
		}
		if m.shift != nil {
			blas64.Axpy(1, vector(m.shift[lo:hi]), vector(f))
		}
		for i, a := range at.alpha {
			if a != 0 {
				blas64.Axpy(a, vector(m.k.RawRowView(i)[lo:hi]), vector(f))
			}
		}
	})
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }

// objective is P at the present function; not with a shift or a tilt.
func (m *weighted) objective() float64 {
	sum := m.at.norm() / 2
	for i, f := range m.at.f {
		if c := m.plus[i]; c > 0 {
			sum += c * m.loss.Value(1, f)
		}
		if c := m.minus[i]; c > 0 {
			sum += c * m.loss.Value(-1, f)
		}
	}
	return sum
}

// dualTolerance is a tenth of LIBSVM's: what is compared are objectives of neighbouring labels.
const dualTolerance = 1e-4

// dual trains the hinge.
func (m *weighted) dual(ctx context.Context) error {
	p := dual.Problem{Offset: m.offset}
	var start []float64
	var lean []float64 // K tilt
	if m.tilt != nil {
		t := &function{alpha: m.tilt, f: make([]float64, len(m.tilt))}
		m.outputs(t) // with the shift
		lean = t.f
	}
	variable := func(i int, sign, cost float64) {
		if cost == 0 {
			return
		}
		a, linear := m.at.alpha[i], -1.0
		if m.tilt != nil {
			a += m.tilt[i]
			linear += sign * (2*m.shift[i] - lean[i])
		}
		p.Row, p.Sign = append(p.Row, i), append(p.Sign, sign)
		p.Linear, p.Upper = append(p.Linear, linear), append(p.Upper, cost)
		start = append(start, max(0, sign*a))
	}
	for i := range m.plus {
		variable(i, 1, m.plus[i])
		variable(i, -1, m.minus[i])
	}
	p, err := p.Warm(start)
	if err != nil {
		return err
	}
	s, err := dual.Solve(ctx, m.gram, p, dual.Options{Tolerance: cmp.Or(m.tolerance, dualTolerance)})
	if err != nil {
		return err
	}
	m.steps += s.Iterations
	if s.Status == dual.Cancelled {
		return ctx.Err()
	}
	if m.limited = ""; !s.Status.Converged() {
		m.limited = fmt.Sprintf("dual solver: %v (violation %.2g)", s.Status, s.Violation)
	}
	clear(m.at.alpha)
	for u, i := range p.Row {
		m.at.alpha[i] += p.Sign[u] * s.A[u]
	}
	for i, q := range m.tilt {
		m.at.alpha[i] -= q
	}
	m.at.b, m.residual = -s.Rho, s.Violation
	m.outputs(m.at)
	return nil
}

// bound is the value of the dual of P at the coefficients: at a minimum it is P, and where solving ended
// early it is still no more than the minimum: 0 where the dual does not allow the coefficients. One of the costs
// of each row must be zero.
func (m *weighted) bound() float64 {
	sum := -m.at.norm() / 2
	for i, a := range m.at.alpha {
		c := m.plus[i]
		if a < 0 {
			c = m.minus[i]
		}
		if a != 0 && c == 0 {
			return 0
		}
		sum += math.Abs(a)
		if m.newton != nil && a != 0 {
			sum -= a * a / (4 * c)
		}
	}
	return max(0, sum)
}

// gram is K as package dual reads it, in double precision where the problem is small.
type gram struct{ ordered }

func newGram(k *mat.Dense) gram {
	n, _ := k.Dims()
	return gram{ordered{&system{k: k, rows: learn.Others(n, nil)}}}
}

// Double implements dual.Doubles.
func (g gram) Double(i int) []float64 { return g.s.k.RawRowView(i) }

// read is the function at hand in the order of the problem's rows.
func (m *weighted) read(p *Problem) Solution {
	s := Solution{Alpha: make([]float64, len(p.Rows)), Offset: m.at.b, Fitted: make([]float64, len(p.Rows))}
	for i, r := range p.Rows {
		s.Alpha[i], s.Fitted[i] = m.at.alpha[r], m.at.f[r]
	}
	return s
}
