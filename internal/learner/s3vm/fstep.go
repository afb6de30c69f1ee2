package s3vm

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// system is the convex part of a problem: the rows that cost something, in their order.
type system struct {
	k      *mat.Dense
	rows   []int
	cost   []float64
	offset bool
	tables *Tables
	wide   []float64 // scratch, a number a row of k
}

// newSystem leaves the unlabelled rows out where they cost nothing.
func newSystem(p *Problem) *system {
	s := &system{k: p.K, rows: p.Rows, cost: p.Costs(), offset: p.Offset, tables: p.Tables}
	if p.Unlabelled == 0 {
		s.rows, s.cost = s.rows[:p.Labelled()], s.cost[:p.Labelled()]
	}
	n, _ := p.K.Dims()
	s.wide = make([]float64, n)
	return s
}

// function is f = K alpha + b on the rows of a system.
type function struct {
	alpha, f []float64
	b        float64
}

func newFunction(n int) *function {
	return &function{alpha: make([]float64, n), f: make([]float64, n)}
}

func (f *function) set(g *function) {
	copy(f.alpha, g.alpha)
	copy(f.f, g.f)
	f.b = g.b
}

// onto becomes g + beta f.
func (f *function) onto(g *function, beta float64) {
	if beta == 0 {
		f.set(g)
		return
	}
	for i := range f.f {
		f.alpha[i] = g.alpha[i] + beta*f.alpha[i]
		f.f[i] = g.f[i] + beta*f.f[i]
	}
	f.b = g.b + beta*f.b
}

// norm is alpha'K alpha.
func (f *function) norm() (sum float64) {
	for i, a := range f.alpha {
		sum += a * (f.f[i] - f.b)
	}
	return sum
}

// rowChunk is the number of rows of a matrix that a goroutine takes at a time.
const rowChunk = 32

// outputs computes f anew from the coefficients.
func (s *system) outputs(at *function) {
	clear(s.wide)
	for q, i := range s.rows {
		s.wide[i] = at.alpha[q]
	}
	parallel.Pieces(len(s.rows), rowChunk, func(lo, hi int) {
		for q := lo; q < hi; q++ {
			at.f[q] = floats.Dot(s.k.RawRowView(s.rows[q]), s.wide) + at.b
		}
	})
}

// fstep minimises over the function, for labels or means of labels y,
//
//	1/2 ||f||^2 + sum_i c_i ((1 + y_i)/2 V(f_i) + (1 - y_i)/2 V(-f_i))
type fstep interface {
	// minimise moves the function to the minimum, to within a tolerance, or to a share of the violation
	// that it begins with where that is more, and counts its steps. An error of the context leaves a
	// function between the one given and the minimum.
	minimise(ctx context.Context, at *function, y []float64, tolerance, share float64) (steps int, err error)
	// residual says how far the conditions of a minimum are violated, in the units of the tolerance.
	residual(at *function, y []float64) float64
	// end gives storage back.
	end()
	// limited says what ended the last minimisation before its tolerance was met, "" if nothing did.
	limited() string
	// tolerances are those of an annealing, first and where that is not enough, and of its end.
	tolerances() (rough, fine, final float64)
}

// gradient is the largest violation of alpha + c V' = 0, and of 1'alpha = 0 where the offset is free, over
// the largest term: as of smooth.Solution.
func (s *system) gradient(v learn.Loss, at *function, y []float64) float64 {
	var w violation
	for i, a := range at.alpha {
		w.add(a, s.cost[i]*slope(v, y[i], at.f[i]))
	}
	return w.relative(s.offset)
}

// violation gathers how far a = -g fails for coefficients a and derivatives g, which sum to zero where the offset is
// free.
type violation struct{ most, size, sum float64 }

func (w *violation) add(a, g float64) {
	w.most = max(w.most, math.Abs(a+g))
	w.size = max(w.size, math.Abs(a), math.Abs(g))
	w.sum += g
}

// relative is the largest violation over the largest term.
func (w *violation) relative(offset bool) float64 {
	if offset {
		w.most = max(w.most, math.Abs(w.sum))
	}
	if w.most == 0 {
		return 0
	}
	return w.most / w.size
}

// slope is the derivative of expected by f.
func slope(v learn.Loss, y, f float64) float64 {
	plus, _ := v.Derivatives(1, f)
	minus, _ := v.Derivatives(-1, f)
	return (1+y)/2*plus + (1-y)/2*minus
}
