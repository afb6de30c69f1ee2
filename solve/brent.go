package solve

// Problem   minimise f on [a, b], one variable, without derivatives.
// Method    golden section with parabolic steps; one evaluation a step.
// Source    Brent, Algorithms for Minimization without Derivatives (1973),
//           chapter 5.

import (
	"context"
	"fmt"
	"math"
)

// ScalarOptions tunes Brent and Root.
type ScalarOptions struct {
	MaxEvaluations int     // default 100
	Tolerance      float64 // on x, relative to |x| and absolute below 1; default 1e-8
}

// ScalarResult is an answer in one variable: F is the minimum, or the residual
// f(x); the answer is known to lie within Lo..Hi.
type ScalarResult struct {
	X, F, Lo, Hi float64
	Evaluations  int
	Status       Status
}

// Brent minimises f on [a, b]; it finds the minimum if f has one only, else a
// local one. +Inf and NaN mark points where f does not exist. The ends are
// approached, never evaluated. A minimum can be located to about the square
// root of the relative precision of f.
func Brent(ctx context.Context, f func(float64) float64, a, b float64, o ScalarOptions) (ScalarResult, error) {
	if !(a <= b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		panic(fmt.Sprintf("solve: %g..%g is not a bounded interval", a, b))
	}
	limit, tol := orLimit(o.MaxEvaluations, 100), orDefault(o.Tolerance, 1e-8)
	golden := (3 - math.Sqrt(5)) / 2
	x := a + golden*(b-a)
	fx := finite(f(x))
	w, v, fw, fv := x, x, fx, fx // second best and the one before
	var step, last float64
	res := ScalarResult{Evaluations: 1, Status: BudgetSpent}
	for {
		mid, tol1 := a+(b-a)/2, tol*max(1, math.Abs(x))
		if math.Abs(x-mid)+(b-a)/2 <= 2*tol1 {
			res.Status = StepSmall
			if math.IsInf(fx, 1) {
				res.Status = Infeasible
			}
			break
		}
		if res.Evaluations >= limit {
			break
		}
		if err := ctx.Err(); err != nil {
			res.X, res.F, res.Lo, res.Hi, res.Status = x, fx, a, b, Unfinished
			return res, err
		}
		// Parabola through x, w, v; NaN, from infinite values, fails the test.
		r, q := (x-w)*(fx-fv), (x-v)*(fx-fw)
		p := (x-v)*q - (x-w)*r
		q = 2 * (q - r)
		if q > 0 {
			p = -p
		}
		q = math.Abs(q)
		before := last
		last = step
		if math.Abs(before) > tol1 && math.Abs(p) < math.Abs(q*before/2) && p > q*(a-x) && p < q*(b-x) {
			step = p / q
			if u := x + step; u-a < 2*tol1 || b-u < 2*tol1 {
				step = math.Copysign(tol1, mid-x)
			}
		} else {
			last = b - x
			if x >= mid {
				last = a - x
			}
			step = golden * last
		}
		u := x + step
		if math.Abs(step) < tol1 {
			u = x + math.Copysign(tol1, step)
		}
		fu := finite(f(u))
		res.Evaluations++
		if fu <= fx {
			if u >= x {
				a = x
			} else {
				b = x
			}
			v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		switch {
		case fu <= fw || w == x:
			v, fv, w, fw = w, fw, u, fu
		case fu <= fv || v == x || v == w:
			v, fv = u, fu
		}
	}
	res.X, res.F, res.Lo, res.Hi = x, fx, a, b
	return res, nil
}
