package linear

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/learn"
)

// transduced is a problem of package s3vm in the form of this package, lambda = 1 and prices 2 C_i, and where it stands.
type transduced struct {
	*machine
	problem *s3vm.Problem
	l       int
	costs   []float64 // C_i, in the order of the problem's rows
	each    float64   // C_u of an unlabelled row; 0 without one
}

// finest is the least tolerance: conjugate gradients that are to go on beyond rounding leave the solution again, and far.
const finest = 1e-12

// begun has the prices of the labels, and a tolerance, 0 being the default.
func begun(p *s3vm.Problem, fine float64) *transduced {
	x := passes.New(p.X, nil)
	if p.Offset {
		x = x.WithConstant()
	}
	t := &transduced{machine: newMachine(x, 1), problem: p, l: p.Labelled(), costs: p.Costs()}
	t.fine = max(cmp.Or(fine, tolerance), finest)
	for i, y := range p.Y {
		t.price(i, y, t.costs[i])
	}
	if t.unlabelled() > 0 {
		t.each = t.costs[t.l]
	}
	return t
}

// unlabelled is the number u of unlabelled rows.
func (t *transduced) unlabelled() int { return len(t.costs) - t.l }

// price sets the price of the problem's row i for a label of cost c.
func (t *transduced) price(i int, y, c float64) {
	r := t.problem.Rows[i]
	t.up[r], t.down[r] = 0, 0
	if y > 0 {
		t.up[r] = 2 * c
	} else {
		t.down[r] = 2 * c
	}
}

// at is the output of the problem's row i.
func (t *transduced) at(i int) float64 { return t.o[t.problem.Rows[i]] }

// byOutput are the unlabelled rows, as numbers of the problem's rows, in the order of their outputs, the largest first.
func (t *transduced) byOutput() []int {
	list := make([]int, t.unlabelled())
	for j := range list {
		list[j] = t.l + j
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.at(b), t.at(a)) })
	return list
}

// decided is the objective with the label for each unlabelled row that costs less,
//
//	1/2 w'w + sum_L C_i max(0, 1 - y_i o_i)^2 + sum_U C_u max(0, 1 - |o_j|)^2
func (t *transduced) decided() float64 {
	sum := floats.Dot(t.w, t.w) / 2
	for i, c := range t.costs {
		o := t.at(i)
		if i < t.l {
			sum += c * square(max(0, 1-t.problem.Y[i]*o))
		} else {
			sum += c * square(max(0, 1-math.Abs(o)))
		}
	}
	return sum
}

func square(v float64) float64 { return v * v }

// solution writes w as a sum over the rows: at the minimum it is sum_i (a_i max(0, 1 - o_i) - b_i max(0, 1 + o_i)) x_i.
func (t *transduced) solution(objective float64, limited string) s3vm.Solution {
	n := len(t.costs)
	s := s3vm.Solution{Alpha: make([]float64, n), Fitted: make([]float64, n)}
	for i, r := range t.problem.Rows {
		o := t.o[r]
		s.Fitted[i] = o
		s.Alpha[i] = t.up[r]*max(0, 1-o) - t.down[r]*max(0, 1+o)
		if t.problem.Offset {
			s.Offset += s.Alpha[i]
		}
	}
	s.Certificate = learn.Certificate{Objective: objective, Residual: t.residual(), Steps: t.systems, Limited: limited}
	return s
}
