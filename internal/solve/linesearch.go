package solve

// Problem   find t in (0, tmax] with the strong Wolfe conditions on
//           phi(t) = f(x + t d):
//           phi(t) <= phi(0) + c1 t phi'(0),  |phi'(t)| <= c2 |phi'(0)|;
//           at tmax, where a bound stops the step, the first one suffices. A bracket in
//           which phi can fall by less than its noise is left.
// Method    bracket by doubling, then shrink the bracket by safeguarded cubic
//           interpolation; a point where f does not exist is a bracket's end.
// Source    Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5
//           and 3.6, eq. 3.59; c1 = 1e-4 and c2 = 0.9 from p. 62.

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	wolfeDecrease  = 1e-4
	wolfeCurvature = 0.9
	lineLimit      = 30 // evaluations; 2^-30 from an infeasible step
)

type lineSearch struct {
	f    *counted
	x, g []float64 // the point last evaluated
	// noise of the value that run returned
	noise float64
}

// trial is a step with its value and slope.
type trial struct{ t, f, slope float64 }

// ray is where a search goes from and to: x + t d, within the box, where f at x and its slope along d are known.
type ray struct {
	x, d, lo, hi    []float64
	f, noise, slope float64
}

// run searches along a ray, from the step first on, and leaves the best point with sufficient decrease in xn,
// gn. The value returned is not below that at the ray's beginning when there is none.
func (l *lineSearch) run(r ray, first, longest float64, xn, gn []float64) (float64, error) {
	f0, slope0 := r.f, r.slope
	best := f0
	left := lineLimit
	eval := func(t float64) (trial, error) {
		left--
		floats.AddScaledTo(l.x, r.x, t, r.d)
		clip(l.x, r.lo, r.hi)
		f, err := l.f.at(l.x, l.g)
		p := trial{t, f, 0}
		if !math.IsInf(f, 0) {
			p.slope = floats.Dot(l.g, r.d)
		}
		if f < best && f <= f0+wolfeDecrease*t*slope0 {
			best, l.noise = f, l.f.noise
			copy(xn, l.x)
			copy(gn, l.g)
		}
		return p, err
	}
	low := trial{0, f0, slope0}
	var high trial
	t := min(first, longest)
	for bracketed := false; ; {
		if left == 0 || l.f.left == 0 {
			return best, nil
		}
		p, err := eval(t)
		if err != nil || math.IsInf(p.f, -1) {
			return best, err
		}
		switch {
		case p.f > f0+wolfeDecrease*p.t*slope0 || p.f >= low.f && (bracketed || low.t > 0):
			high, bracketed = p, true
		case math.Abs(p.slope) <= -wolfeCurvature*slope0:
			return best, nil
		case bracketed:
			if p.slope*(high.t-low.t) >= 0 {
				high = low
			}
			low = p
		case p.slope >= 0:
			high, low, bracketed = low, p, true
		case p.t >= longest:
			return best, nil
		default:
			low = p
			t = min(2*p.t, longest)
			continue
		}
		if math.Abs(high.t-low.t)*math.Abs(low.slope) <= max(r.noise, l.f.noise) {
			return best, nil
		}
		t = interpolate(low, high)
	}
}

// interpolate returns a point between the ends: the minimiser of the cubic
// through both values and slopes, kept a tenth of the bracket away from its
// ends; near the feasible end when the other does not exist.
func interpolate(a, b trial) float64 {
	w := b.t - a.t
	if math.IsInf(b.f, 1) {
		return a.t + w/4
	}
	d1 := a.slope + b.slope - 3*(a.f-b.f)/(a.t-b.t)
	d2 := math.Copysign(math.Sqrt(max(d1*d1-a.slope*b.slope, 0)), w)
	t := b.t - w*(b.slope+d2-d1)/(b.slope-a.slope+2*d2)
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return a.t + w/2
	}
	r := min(max((t-a.t)/w, 0.1), 0.9)
	return a.t + r*w
}
