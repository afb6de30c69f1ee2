package solve

// Problem   f(x) = 0 on [a, b], one variable, f differentiable.
// Method    Newton steps kept inside a bracket that bisection halves; one
//           evaluation a step.
// Source    the safeguard of Dennis and Schnabel, Numerical Methods for
//           Unconstrained Optimization (1983), section 2.5.

import (
	"cmp"
	"context"
	"fmt"
	"math"
)

// ScalarOptions tunes Root.
type ScalarOptions struct {
	MaxEvaluations int     // default 100
	Tolerance      float64 // on x, relative to |x| and absolute below 1; default 1e-8
}

// ScalarResult is an answer in one variable: F is the residual f(x); the answer is
// known to lie within Lo..Hi.
type ScalarResult struct {
	X, F, Lo, Hi float64
	Evaluations  int
	Status       Status
}

// Root finds a zero in [a, b] of f, which returns the value and the derivative;
// f must change sign between the ends. A derivative of 0, NaN or Inf costs only
// speed: that step bisects. The error says when there is no change of sign or a
// value is NaN.
func Root(ctx context.Context, f func(float64) (value, slope float64), a, b float64, o ScalarOptions) (ScalarResult, error) {
	if !(a <= b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		panic(fmt.Sprintf("solve: %g..%g is not a bounded interval", a, b))
	}
	limit, tol := orLimit(o.MaxEvaluations, 100), cmp.Or(o.Tolerance, 1e-8)
	fa, _ := f(a)
	fb, _ := f(b)
	res := ScalarResult{Evaluations: 2, Lo: a, Hi: b, Status: BudgetSpent}
	switch {
	case fa == 0:
		return ScalarResult{X: a, Lo: a, Hi: a, Evaluations: 2, Status: ResidualSmall}, nil
	case fb == 0:
		return ScalarResult{X: b, Lo: b, Hi: b, Evaluations: 2, Status: ResidualSmall}, nil
	case !(fa < 0 && fb > 0 || fa > 0 && fb < 0):
		res.X, res.F, res.Status = a, fa, Infeasible
		return res, fmt.Errorf("no change of sign between f(%g) = %g and f(%g) = %g", a, fa, b, fb)
	}
	rising := fb > 0
	x, width := a+(b-a)/2, b-a
	for {
		fx, slope := f(x)
		res.Evaluations++
		if math.IsNaN(fx) {
			res.X, res.F, res.Status = x, fx, Unfinished
			return res, fmt.Errorf("f(%g) is not a number", x)
		}
		if fx > 0 == rising {
			b = x
		} else {
			a = x
		}
		res.X, res.F, res.Lo, res.Hi = x, fx, a, b
		if fx == 0 {
			res.Status, res.Lo, res.Hi = ResidualSmall, x, x
			return res, nil
		}
		scale := tol * max(1, math.Abs(x))
		next := newtonInside(x, fx/slope, a, b, width, scale)
		width = b - a
		if width <= scale || next == a || next == b {
			res.Status = StepSmall
			return res, nil
		}
		if res.Evaluations >= limit {
			return res, nil
		}
		if err := ctx.Err(); err != nil {
			res.Status = Unfinished
			return res, err
		}
		x = next
	}
}

// newtonInside is the next point: that of Newton's method, of step -change from x, if the
// bracket has halved since the last bisection (it was width before) or the step is tiny, and
// it stays inside; else the middle.
func newtonInside(x, change, a, b, width, scale float64) float64 {
	next := x - change
	if !(next > a && next < b && (b-a <= width/2 || math.Abs(next-x) < width/4)) {
		return a + (b-a)/2
	}
	if math.Abs(next-x) <= scale/2 {
		// Half a tolerance beyond the answer closes the bracket.
		next = min(max(next+math.Copysign(scale/2, next-x), a), b)
	}
	return next
}
