// Package s3vm trains machines that decide the unlabelled rows while they learn: semi-supervised
// support vector machines. They look for a function of small norm whose margin is free of rows,
// labelled or not:
//
//	minimise over f, b and the labels y_U of the unlabelled rows
//	1/2 ||f||^2 + C sum_L w_i V(y_i f(x_i)) + C_u sum_U V(y_j f(x_j)),   C_u = weight C l/u,
//	with the share of y_j = +1 among the unlabelled rows given
//
// V is the hinge max(0, 1 - t), its square, or (1 - t)^2; f(x) has the offset b where there is one.
// Sindhwani 2007, chapter 3, writes the same with means and lambda = 1/(C l) for the hinge and
// 1/(2 C l) for squared losses, which it halves (eqs 3.1 and 3.7). The problem is not convex: every
// algorithm of this package says in its certificate what it knows of the minimum.
//
// One algorithm a file. An algorithm is a Solver of one output; Learner makes of it a learner of
// classes, each against the rest, and gives rows whose label is left out to the unlabelled ones.
package s3vm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// Problem is one output of two classes on n rows, the l labelled ones first.
type Problem struct {
	K        *mat.Dense // kernel values of all bound rows; read only; nil for a solver in columns
	X        data.Rows  // features of all bound rows, for a solver in columns
	Rows     []int      // of K or X: the l labelled rows, then the u unlabelled
	Y        []float64  // -1 or +1 of the labelled rows
	Weight   []float64  // of the loss of each labelled row; nil: all 1
	Positive float64    // share of +1 among the unlabelled rows, in [0, 1]
	Offset   bool       // f has a constant that is not penalised
	// C weighs the summed loss of the labelled rows, Unlabelled the mean loss of the unlabelled
	// rows against the mean loss of the labelled ones.
	C, Unlabelled float64
	// Fold says that labels are left out: the machine is for a score alone.
	Fold   bool
	Tables *Tables // storage that trainings share; nil: each has its own
	// Least is the smallest eigenvalue of K where it is negative beyond rounding, else 0: the part of the problem
	// that is convex for a positive semi-definite kernel is not for this one.
	Least float64
}

// Tables keeps large tables from one training to the next. Its methods may be called concurrently, and on
// nil.
type Tables struct {
	mu   sync.Mutex
	free [][]float64
}

// take returns a table of n numbers, whatever they are.
func (t *Tables) take(n int) []float64 {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for q, x := range t.free {
			if cap(x) >= n {
				t.free = slices.Delete(t.free, q, q+1)
				return x[:n]
			}
		}
	}
	return make([]float64, n)
}

// give hands a table back.
func (t *Tables) give(x []float64) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.free = append(t.free, x)
	}
}

// Labelled is the number l of labelled rows.
func (p *Problem) Labelled() int { return len(p.Y) }

// Count is how many unlabelled rows are to be decided +1: the share of them, rounded.
func (p *Problem) Count() int {
	return int(math.Round(p.Positive * float64(len(p.Rows)-len(p.Y))))
}

// Costs are C_i of the labelled rows and, last in the order of Rows, C_u of the unlabelled.
func (p *Problem) Costs() []float64 {
	n, l := len(p.Rows), len(p.Y)
	costs := make([]float64, n)
	for i := range costs {
		switch {
		case i >= l:
			costs[i] = p.C * p.Unlabelled * float64(l) / float64(n-l)
		case p.Weight != nil:
			costs[i] = p.C * p.Weight[i]
		default:
			costs[i] = p.C
		}
	}
	return costs
}

// only is the class, -1 or +1, that all rows are of, given or decided, where there is an offset: then it is
// the whole function. Else it is 0.
func (p *Problem) only() float64 {
	if !p.Offset {
		return 0
	}
	class := p.Y[0]
	for _, y := range p.Y {
		if y != class {
			return 0
		}
	}
	u := len(p.Rows) - len(p.Y)
	switch {
	case u == 0 || p.Unlabelled == 0 || class > 0 && p.Count() == u || class < 0 && p.Count() == 0:
		return class
	}
	return 0
}

// Solution is f(x) = sum_i Alpha_i k(x, Rows_i) + Offset.
type Solution struct {
	Alpha       []float64 // n, in the order of Problem.Rows
	Offset      float64
	Fitted      []float64 // f at the rows, in their order
	Certificate learn.Certificate
}

// Solver is an algorithm for one output. It must be safe for concurrent use.
type Solver interface {
	// Solve minimises the problem. warm, if not nil, is the solution of a problem of the same bound
	// rows with nearby parameters or a few other labels, in the order of this problem's rows. A
	// context that ends while something is known leaves the best that is, with
	// Certificate.Limited; before, it is an error.
	Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error)
}

// Preparer is a Solver that computes something of a table of kernel values once, for all outputs, folds and
// strengths.
type Preparer interface {
	Solver
	// Prepare returns the solver for problems on the table k, which the bound kernel g filled; g is nil where
	// there is none.
	Prepare(ctx context.Context, g kernel.Gram, k *mat.Dense) (Solver, error)
}

// InColumns is a Solver that works with the features of the rows, and so needs a kernel that has some
// (kernel.Features), and no table.
type InColumns interface {
	Solver
	InColumns()
}

// Learner is an algorithm as a learner. Rows that are not trained on, the unlabelled ones and
// those whose labels are left out, are unlabelled rows of the problem.
type Learner struct {
	Solver Solver
	Offset bool
	// Shares of the classes among the unlabelled rows, in sorted order; nil: those of all labels,
	// for a fold too. A share is about the rows and not about a label: were it taken anew from the
	// labels that a fold leaves, then one label left out of two would leave the share of one class.
	Shares []float64
	// Unlabelled weighs the mean loss of the unlabelled rows; 0: 1.
	Unlabelled float64
}

var _ learn.Anytime = Learner{}

// Anytime implements learn.Anytime: solvers give the best that they know.
func (Learner) Anytime() {}

// Space is C, as of learn.Strength but for its last decade: the source has C of some 100 at most for 50
// labels (lambda = 1e-4), and machines of larger ones take long.
func (Learner) Space(diagonal, _ float64) param.Space {
	c := learn.Strength(diagonal)
	c.Hi /= 10
	return param.Space{c}
}

// Bind computes the kernel values of all rows, n x n, and, of a kernel that is not positive semi-definite by its
// construction, their smallest eigenvalue, n^3/3 flops; or the features of a solver in columns. Pairs of classes are an
// error: rows of other classes would be unlabelled rows of a pair.
func (s Learner) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	switch {
	case p.Class == nil:
		return nil, errors.New("s3vm: it is for classes")
	case p.Coding.Pairs && p.Outputs() > 1:
		return nil, errors.New("s3vm: it trains each class against the rest, not pairs of classes")
	case s.Shares != nil && len(s.Shares) != len(p.Classes):
		return nil, fmt.Errorf("s3vm: %d shares for %d classes", len(s.Shares), len(p.Classes))
	}
	if _, ok := s.Solver.(InColumns); ok {
		x, ok := kernel.Features(g)
		if !ok {
			return nil, errors.New("s3vm: the solver works in columns, and the kernel has none; choose a linear kernel")
		}
		return &trainer{learner: s, problem: p, x: x}, nil
	}
	n := p.Rows.Len()
	t := &trainer{learner: s, problem: p, k: mat.NewDense(n, n, nil)}
	if err := kernel.Fill(ctx, t.k, g, nil, nil); err != nil {
		return nil, err
	}
	for i := range n {
		for j, v := range t.k.RawRowView(i) {
			if v-v != 0 { // NaN and the infinities only
				return nil, fmt.Errorf("s3vm: the kernel value (%d, %d) is %g; scale the features or change the kernel's parameters", i, j,
					v)
			}
		}
	}
	if !kernel.Semidefinite(g) {
		var err error
		if t.least, err = kernel.Least(ctx, t.k, false); err != nil {
			return nil, err
		}
	}
	if solver, ok := s.Solver.(Preparer); ok {
		var err error
		if t.learner.Solver, err = solver.Prepare(ctx, g, t.k); err != nil {
			return nil, err
		}
	}
	return t, nil
}

type trainer struct {
	learner Learner
	problem *learn.Problem
	k       *mat.Dense // or
	x       data.Rows
	least   float64 // see Problem
	tables  Tables
}

// Train implements learn.Trainer.
func (t *trainer) Train(ctx context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	p := t.problem
	n, c := p.Rows.Len(), p.Outputs()
	fold := rows != nil
	if !fold {
		rows = learn.Others(len(p.Labelled), nil)
	}
	if len(rows) == 0 {
		return nil, errors.New("s3vm: no labelled row")
	}
	order := t.order(rows)
	shares := t.shares()
	solutions := make([]Solution, c)
	err := parallel.Each(0, c, func(j int) (err error) {
		one := t.output(rows, order, shares, j)
		one.C, one.Fold = theta[0], fold
		if class := one.only(); class != 0 {
			solutions[j] = Solution{Alpha: make([]float64, n), Offset: class}
			return nil
		}
		solutions[j], err = t.learner.Solver.Solve(ctx, one, started(warm, order, j))
		return err
	})
	if err != nil {
		return nil, err
	}
	m := &learn.Machine{Rows: order, Coef: mat.NewDense(n, c, nil)}
	if t.learner.Offset {
		m.Offset = make([]float64, c)
	}
	for j, one := range solutions {
		m.Coef.SetCol(j, one.Alpha)
		if t.learner.Offset {
			m.Offset[j] = one.Offset
		}
		one.Certificate.Least = min(one.Certificate.Least, t.least)
		m.Certificate.Join(one.Certificate)
	}
	return m, nil
}

// order lists the rows of these labels, and then all others.
func (t *trainer) order(rows []int) []int {
	order := t.problem.Subset(rows)
	order = order[:len(order):len(order)]
	taken := make([]bool, t.problem.Rows.Len())
	for _, i := range order {
		taken[i] = true
	}
	for i, done := range taken {
		if !done {
			order = append(order, i)
		}
	}
	return order
}

// shares are those of the classes among the unlabelled rows.
func (t *trainer) shares() []float64 {
	if t.learner.Shares != nil {
		return t.learner.Shares
	}
	return Shares(t.problem)
}

// Shares are those of the classes among the labels.
func Shares(p *learn.Problem) []float64 {
	shares := make([]float64, len(p.Classes))
	for _, k := range p.Class {
		shares[k] += 1 / float64(len(p.Class))
	}
	return shares
}

// output is the problem of output j.
func (t *trainer) output(rows, order []int, shares []float64, j int) *Problem {
	p := t.problem
	one := &Problem{K: t.k, X: t.x, Rows: order, Offset: t.learner.Offset, Positive: shares[j], Unlabelled: t.learner.Unlabelled,
		Tables: &t.tables, Least: t.least}
	if len(p.Classes) == 2 {
		one.Positive = shares[1]
	}
	if one.Unlabelled == 0 {
		one.Unlabelled = 1
	}
	for _, i := range rows {
		one.Y = append(one.Y, p.Y.At(i, j))
		if p.Weight != nil {
			one.Weight = append(one.Weight, p.Weight[i])
		}
	}
	return one
}

// started is a machine of all rows as a solution in this order; nil without one.
func started(warm *learn.Machine, order []int, j int) *Solution {
	if warm == nil || len(warm.Rows) != len(order) {
		return nil
	}
	place := make([]int, len(order))
	for a, i := range warm.Rows {
		place[i] = a
	}
	s := &Solution{Alpha: make([]float64, len(order))}
	for a, i := range order {
		s.Alpha[a] = warm.Coef.At(place[i], j)
	}
	if warm.Offset != nil {
		s.Offset = warm.Offset[j]
	}
	return s
}
