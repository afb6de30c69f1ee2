package smooth

// Problem   along a ray from the present point, phi convex with derivative s(x) and
//           s(0) < 0: find x > 0 with |s(x)| <= raySlope |s(0)|.
// Method    Newton on s from x = 1, kept inside a bracket; beyond the last known point
//           it grows tenfold at most, within a bracket a step outside is replaced by
//           bisection. For piecewise quadratic losses s is piecewise linear and this ends
//           on the right piece.
// Cost      one evaluation of s a trial, O(l): nothing beside a Newton step.

const (
	// raySlope makes the search nearly exact, as the finite termination of Newton's
	// method on piecewise quadratics asks for (Keerthi and DeCoste 2005, section 4),
	// while the full step, exact on the final piece, still passes at once.
	raySlope = 0.01
	// rayLimit allows 10^30 either way of the first trial and a bisection to full precision.
	rayLimit = 100
)

// Ray returns the step, 0 if no trial has s <= 0: then rounding hides the descent. The slope is asked for at
// x > 0, with its derivative; s0 is that at 0.
func Ray(s0 float64, slope func(x float64) (s, curv float64)) float64 {
	lo, hi := 0.0, 0.0 // hi = 0: not bracketed yet
	x := 1.0
	for range rayLimit {
		s, curv := slope(x)
		if s <= -raySlope*s0 && s >= raySlope*s0 {
			return x
		}
		if s < 0 {
			lo = x
		} else { // NaN from an overflow too
			hi = x
		}
		next := x - s/curv
		switch {
		case hi == 0:
			if !(next > x && next < 10*x) {
				next = 10 * x
			}
		case !(next > lo && next < hi):
			next = lo + (hi-lo)/2
			if next == lo || next == hi {
				return lo
			}
		}
		x = next
	}
	return lo
}
