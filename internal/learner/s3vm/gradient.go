package s3vm

// Gradient descent on a smooth stand-in for the least loss of both labels.
//
//	minimise over w (and b)  1/2 w'w + C sum_L w_i max(0, 1 - y_i f_i)^2 + c sum_U exp(-3 f_j^2)
//	subject to  mean_U f = m
//
// for c from 0.01 C_u to C_u in ten geometric steps, each from the minimum before (outputmean.go has
// the symbols and the derivatives).
//
// Balance   m = 2 r - 1, r the share of +1 among the unlabelled rows: the mean that the outputs would
//           have were they -1 and +1. The outputs need not be, so the decisions need not have the
//           share. With Decisions, m is moved by bisection until they have, see share.go.
// Start     the constant function. From a solution of a nearby problem the last problem alone is
//           solved: where its gradient there is less than half as long as w. A solution of another C is
//           not near, its w would change by as much.
// Known     of the minimum: the gradient. It is a local one; the objective tells which of several is
//           better.
// Cost      some hundred evaluations of 4 n p flops in all, after the coordinates.
// Source    Chapelle and Zien, AISTATS 2005, section 3 (compared in Sindhwani 2007 as gradient TSVM).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Gradient is the algorithm.
type Gradient struct {
	Decisions bool    // the decisions have the share of +1; else the mean output stands for it
	Tolerance float64 // of the largest derivative, relative to the length of w; 0: 1e-4

	table *coordinateTable
}

var _ Preparer = Gradient{}

// Prepare computes the coordinates of the rows.
func (g Gradient) Prepare(ctx context.Context, gram kernel.Gram, k *mat.Dense) (Solver, error) {
	var err error
	g.table, err = newCoordinateTable(ctx, gram, k)
	return g, err
}

// weightSteps is the number of problems, firstWeight the weight of the unlabelled rows in the first of them.
const (
	weightSteps = 10
	firstWeight = 0.01
)

// Solve implements Solver.
func (g Gradient) Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error) {
	d, err := newDescent(ctx, g.table, p)
	if err != nil {
		return Solution{}, err
	}
	stages := make([]stage, weightSteps)
	for i := range stages {
		stages[i].weight = math.Pow(firstWeight, 1-float64(i)/(weightSteps-1))
	}
	return d.solve(ctx, p, schedule{stages, g.Tolerance, g.Decisions}, warm)
}

// schedule is how a problem is solved.
type schedule struct {
	stages    []stage // the last of them is the problem
	tolerance float64
	decisions bool
}

const (
	// roughTolerance is the tolerance of all stages but the last. The unlabelled rows begin with a hundredth of
	// their weight, beside which it must be small: at 1e-2 some pairs of TestGradientOnMoons fail, at 1e-3 none.
	roughTolerance = 3e-4
	// finalTolerance is the usual one of the last.
	finalTolerance = 1e-4
	// roughEvaluations bound the work of a stage before the last, finalEvaluations that of the last.
	roughEvaluations = 200
	finalEvaluations = 5000
	// nearGradient is the length of the gradient relative to w up to which a start is a solution of
	// nearly the same problem.
	nearGradient = 0.5
)

// minimum is what a schedule ends in.
type minimum struct {
	solve.Result
	level    float64 // the mean output
	positive int     // decisions for +1 among the unlabelled rows
	relative float64 // length of the gradient relative to w
	limited  string
}

// follow solves the stages one after another at the present mean output, or the last alone from a start that is
// near. The point that it leaves the descent at is the one that it returns. A context that ends after the first
// stage leaves the best that is known of the last problem.
func (d *descent) follow(ctx context.Context, p schedule, start []float64) (*minimum, error) {
	v, grad := make([]float64, len(d.mean)), make([]float64, len(d.mean))
	if p.tolerance == 0 {
		p.tolerance = finalTolerance
	}
	stages := p.stages
	if d.near(ctx, start, grad) {
		v, stages = start, stages[len(stages)-1:]
	}
	iterations := 0
	out := &minimum{level: d.level}
	for q, s := range stages {
		tolerance, limit := roughTolerance, roughEvaluations
		if q == len(stages)-1 {
			tolerance, limit = p.tolerance, finalEvaluations
		}
		r, err := d.descend(ctx, s, v, tolerance*d.size(ctx, s, v), limit)
		if err != nil && (ctx.Err() == nil || q == 0 && r.Iterations == 0) {
			return nil, err
		}
		iterations += r.Iterations
		v, out.Result = r.X, r
		if err != nil {
			out.limited = "gradient descent was stopped before its end; the machine is not the minimum"
			break
		}
	}
	if out.limited == "" && out.Status == solve.BudgetSpent {
		out.limited = fmt.Sprintf("gradient descent stopped at its limit of %d evaluations; the machine is not exact", finalEvaluations)
	}
	d.stage = finalStage
	out.F, _ = d.eval(ctx, v, grad)
	out.Iterations = iterations
	out.relative = floats.Norm(grad, 2)
	if w := floats.Norm(d.w, 2); w > 0 {
		out.relative /= w
	}
	for i, f := range d.f {
		if d.y[i] == 0 && f >= 0 {
			out.positive++
		}
	}
	return out, nil
}

// size is how long w may be expected to be at the minimum of a stage: as at the place that it begins at; from the
// constant function, for which J is no less than w'w/2 of the minimum, as that allows.
func (d *descent) size(ctx context.Context, s stage, v []float64) float64 {
	d.lift(v)
	if w := floats.Norm(d.w, 2); w > 0 {
		return w
	}
	d.stage = s
	value, _ := d.eval(ctx, v, nil) // eval has no errors
	return math.Sqrt(2 * value)
}

// near says whether a start is a solution of nearly this problem; grad is for its gradient.
func (d *descent) near(ctx context.Context, start, grad []float64) bool {
	if start == nil {
		return false
	}
	d.stage = finalStage
	_, _ = d.eval(ctx, start, grad) // eval has no errors
	return floats.Norm(grad, 2) <= nearGradient*floats.Norm(d.w, 2)
}

// solution is a point as a solution of the problem.
func (d *descent) solution(ctx context.Context, p *Problem, at *minimum) Solution {
	d.level, d.stage = at.level, finalStage
	_, _ = d.eval(ctx, at.X, nil) // eval has no errors
	s := Solution{Alpha: make([]float64, len(p.Rows)), Fitted: make([]float64, len(p.Rows))}
	if d.offset {
		s.Offset = d.level - floats.Dot(d.mean, d.w)
	}
	alpha := d.c.Alpha(d.w)
	for a, i := range d.rows {
		s.Alpha[a], s.Fitted[a] = alpha[i], d.f[i]
	}
	s.Certificate.Objective, s.Certificate.Residual, s.Certificate.Steps = at.F, at.relative, at.Iterations
	s.Certificate.Limited, s.Certificate.Least = at.limited, d.c.Least
	return s
}
