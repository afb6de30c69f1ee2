package linear

// Problem   (lambda I + X_a'C X_a) w = X_a'C t over the active rows a, costs C and targets t.
// Method    conjugate gradients on the residuals z = C(t - o) of the rows; the gradient r = X_a'z - lambda w is
//           computed from z in every step, and not by a recurrence, so that rounding does not grow.
// Stop      |r| <= eps |z|, the test of the literature, which depends on the scale of X, and |r| <= eps |X_a'C t|.
// Cost      two products with X_a a step; three vectors of d and three of |a| numbers.
// Source    Sindhwani 2007, section 6.2.1; Bjorck, Numerical Methods for Least Squares Problems, 1996, 7.4.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/passes"
)

// mostSteps is where a system is left as it is: in exact arithmetic conjugate gradients end after rank + 1 steps.
const mostSteps = 10_000

// system is min sum over the rows listed of cost (target - x'w)^2 + lambda |w|^2.
type system struct {
	x            *passes.Rows
	on           []int
	cost, target []float64 // of all rows
	lambda       float64
}

// cgls holds what the method needs.
type cgls struct {
	r, p []float64 // d
	z, q []float64 // of the active rows
}

// solve moves w, whose outputs on the active rows are o, to the solution, in at most so many steps, and says in how many
// and whether it came there.
func (c *cgls) solve(ctx context.Context, s system, eps float64, most int, w, o []float64) (steps int, done bool) {
	x, on, cost, target, lambda := s.x, s.on, s.cost, s.target, s.lambda
	_, d := x.Dims()
	c.r, c.p = sized(c.r, d), sized(c.p, d)
	c.z, c.q = sized(c.z, len(on)), sized(c.q, len(on))
	for k, i := range on {
		c.q[k] = cost[i] * target[i]
		c.z[k] = cost[i] * (target[i] - o[k])
	}
	x.MulT(c.r, c.q, on)
	enough := eps * floats.Norm(c.r, 2)
	gradient := func() float64 {
		x.MulT(c.r, c.z, on)
		floats.AddScaled(c.r, -lambda, w)
		return floats.Dot(c.r, c.r)
	}
	omega := gradient()
	small := func() bool {
		return omega <= eps*eps*floats.Dot(c.z, c.z) || math.Sqrt(omega) <= enough
	}
	if small() {
		return 0, true
	}
	copy(c.p, c.r)
	for steps < most {
		if ctx.Err() != nil {
			return steps, false
		}
		steps++
		x.Mul(c.q, c.p, on)
		curve := lambda * floats.Dot(c.p, c.p)
		for k, i := range on {
			curve += cost[i] * c.q[k] * c.q[k]
		}
		step := omega / curve
		if !(step > 0) || math.IsInf(step, 1) {
			return steps, false
		}
		floats.AddScaled(w, step, c.p)
		for k, i := range on {
			o[k] += step * c.q[k]
			c.z[k] -= step * cost[i] * c.q[k]
		}
		before := omega
		if omega = gradient(); small() {
			return steps, true
		}
		floats.Scale(omega/before, c.p)
		floats.Add(c.p, c.r)
	}
	return steps, false
}

// sized is v with n numbers, whatever they are.
func sized(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, n+n/4)
	}
	return v[:n]
}
