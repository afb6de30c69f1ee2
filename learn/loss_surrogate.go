package learn

import (
	"cmp"
	"math"
)

// Surrogates of the hinge with two continuous derivatives, so that the trained machine is
// a smooth function of its hyper-parameters and one linear solve differentiates it.
// Source: Klatzer 2014 (master's thesis, TU Graz), section 2.2 and table 2.1, whose first
// condition must read y t <= 1 - eps.
//
// Both lie above the hinge by most at t = 1 (3 eps/16 and log(2)/mu), their slopes go
// from -1 to 0, so that V'' integrates to 1, and their curvature peaks at t = 1, with
// 3/(4 eps) and mu/4: equal for mu = 3/eps.

// Quartic is the hinge with its kink replaced by a polynomial of degree 4 on
// |t - 1| < eps. With q = (1 + eps - t)/eps, 0 < q < 2:
//
//	v = eps q^3 (4 - q)/16,  v' = -q^2 (3 - q)/4,  v'' = 3 q (2 - q)/(4 eps)
//	v* = s - 3 eps x^2 (1 - x)^2 on -1 <= s <= 0,  3 x^2 - 2 x^3 = -s
//
// The source's polynomial in t has coefficients that grow as eps^-3 and cancel; this
// form, the same function, keeps every digit.
//
// 0 means eps = 0.125, the source's choice from section 5.2 on.
func Quartic(eps float64) Widener { return quartic{cmp.Or(eps, 0.125)} }

type quartic struct{ eps float64 }

// Widened returns the loss with a zone `by` times as wide.
func (l quartic) Widened(by float64) Loss { return quartic{by * l.eps} }

// Name is "quartic".
func (quartic) Name() string { return "quartic" }

// Classes is true.
func (quartic) Classes() bool { return true }

// Curvature is 3/(4 eps).
func (l quartic) Curvature() float64 { return 3 / (4 * l.eps) }

// zone returns the place q in the polynomial's zone: at most 0 beyond it, at least 2
// below. 1 - t comes first: it is exact where the zone is narrow.
func (l quartic) zone(t float64) (q, eps float64) {
	eps = l.eps
	return (1 - t + eps) / eps, eps
}

// Value returns v(y f).
func (l quartic) Value(y, f float64) float64 {
	t := y * f
	q, eps := l.zone(t)
	switch {
	case q <= 0:
		return 0
	case q >= 2:
		return 1 - t
	}
	return eps * (q * q * q * (4 - q) / 16)
}

// Derivatives returns -y q^2 (3 - q)/4 and 3 q (2 - q)/(4 eps) in the zone.
func (l quartic) Derivatives(y, f float64) (d1, d2 float64) {
	q, eps := l.zone(y * f)
	switch {
	case q <= 0:
		return 0, 0
	case q >= 2:
		return -y, 0
	}
	return -y * min(1, q*q*(3-q)/4), 3 * (q * (2 - q)) / (4 * eps)
}

// Conjugate returns s - 3 eps x^2 (1 - x)^2 on -1 <= s = y u <= 0. The root of the cubic
// that the nearer end of the interval needs is x = 2 sin(a) cos(pi/6 - a) with
// sin(3a)^2 = min(-s, 1 + s).
func (l quartic) Conjugate(y, u float64) float64 {
	s := y * u
	if !(-1 <= s && s <= 0) {
		return math.Inf(1)
	}
	a := math.Asin(math.Sqrt(min(-s, 1+s))) / 3
	x := 2 * math.Sin(a) * math.Cos(math.Pi/6-a)
	z := x * (1 - x)
	return s - 3*l.eps*z*z
}

// ModLogistic is the modified logistic loss, log(1 + exp(-z))/mu with z = mu (t - 1).
//
//	v' = -sigma(-z),  v'' = mu sigma(z) sigma(-z),  sigma(z) = 1/(1 + exp(-z))
//	v* = s + (p log p + (1 - p) log(1 - p))/mu on 0 <= p = -s <= 1
//
// The larger mu, the sharper; 0 means 12, the source's choice from section 5.2 on.
func ModLogistic(mu float64) Widener { return modLogistic{cmp.Or(mu, 12)} }

type modLogistic struct{ mu float64 }

// Widened returns the loss whose curvature is `by` times as broad and as low.
func (l modLogistic) Widened(by float64) Loss { return modLogistic{l.mu / by} }

// Name is "modlog".
func (modLogistic) Name() string { return "modlog" }

// Classes is true.
func (modLogistic) Classes() bool { return true }

// Curvature is mu/4.
func (l modLogistic) Curvature() float64 { return l.mu / 4 }

// Value returns log(1 + exp(-mu (y f - 1)))/mu.
func (l modLogistic) Value(y, f float64) float64 {
	// Far below the kink z/mu would round, 1 - t does not.
	t, mu := y*f, l.mu
	return max(1-t, 0) + math.Log1p(math.Exp(-mu*math.Abs(t-1)))/mu
}

// Derivatives returns -y sigma(-z) and mu sigma(z) sigma(-z).
func (l modLogistic) Derivatives(y, f float64) (d1, d2 float64) {
	mu := l.mu
	d1, d2 = logistic{}.Derivatives(1, mu*(y*f-1))
	return y * d1, mu * d2
}

// Conjugate returns y u minus the entropy of p = -y u over mu.
func (l modLogistic) Conjugate(y, u float64) float64 {
	s := y * u
	return s + logistic{}.Conjugate(1, s)/l.mu
}
