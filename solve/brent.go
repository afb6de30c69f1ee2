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
	x := a + golden*(b-a)
	fx := finite(f(x))
	s := bracket{a: a, b: b, x: x, w: x, v: x, fx: fx, fw: fx, fv: fx}
	status, evaluations := BudgetSpent, 1
	var err error
	for {
		short := tol * max(1, math.Abs(s.x))
		if math.Abs(s.x-s.middle())+(s.b-s.a)/2 <= 2*short {
			status = StepSmall
			if math.IsInf(s.fx, 1) {
				status = Infeasible
			}
			break
		}
		if evaluations >= limit {
			break
		}
		if err = ctx.Err(); err != nil {
			status = Unfinished
			break
		}
		u := s.next(short)
		evaluations++
		s.take(u, finite(f(u)))
	}
	return ScalarResult{X: s.x, F: s.fx, Lo: s.a, Hi: s.b, Evaluations: evaluations, Status: status}, err
}

// golden is the smaller part of the golden section: (3 - sqrt 5)/2, computed in doubles.
const golden = 0.3819660112501051

// bracket is the state of Brent.
type bracket struct {
	a, b       float64
	x, w, v    float64 // best point, second best and the one before
	fx, fw, fv float64
	step, last float64
}

func (s *bracket) middle() float64 { return s.a + (s.b-s.a)/2 }

// next is the point to evaluate, at least short away from x.
func (s *bracket) next(short float64) float64 {
	// Parabola through x, w, v; NaN, from infinite values, fails the test.
	r, q := (s.x-s.w)*(s.fx-s.fv), (s.x-s.v)*(s.fx-s.fw)
	p := (s.x-s.v)*q - (s.x-s.w)*r
	q = 2 * (q - r)
	if q > 0 {
		p = -p
	}
	q = math.Abs(q)
	before := s.last
	s.last = s.step
	if math.Abs(before) > short && math.Abs(p) < math.Abs(q*before/2) && p > q*(s.a-s.x) && p < q*(s.b-s.x) {
		s.step = p / q
		if u := s.x + s.step; u-s.a < 2*short || s.b-u < 2*short {
			s.step = math.Copysign(short, s.middle()-s.x)
		}
	} else {
		s.last = s.b - s.x
		if s.x >= s.middle() {
			s.last = s.a - s.x
		}
		s.step = golden * s.last
	}
	if math.Abs(s.step) < short {
		return s.x + math.Copysign(short, s.step)
	}
	return s.x + s.step
}

// take narrows the bracket by the value at u.
func (s *bracket) take(u, fu float64) {
	if fu <= s.fx {
		if u >= s.x {
			s.a = s.x
		} else {
			s.b = s.x
		}
		s.v, s.fv, s.w, s.fw, s.x, s.fx = s.w, s.fw, s.x, s.fx, u, fu
		return
	}
	if u < s.x {
		s.a = u
	} else {
		s.b = u
	}
	switch {
	case fu <= s.fw || s.w == s.x:
		s.v, s.fv, s.w, s.fw = s.w, s.fw, u, fu
	case fu <= s.fv || s.v == s.x || s.v == s.w:
		s.v, s.fv = u, fu
	}
}
