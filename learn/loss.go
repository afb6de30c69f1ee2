package learn

// A loss is a convex function V(y, f) of an output f for a target y,
// with two derivatives by f and the convex conjugate by f,
//
//	V*(y, u) = sup_f (u f - V(y, f)),    V(y, f) + V*(y, u) >= u f,
//
// with equality exactly at u = V'(y, f): what duality certificates are made of.
//
//	square               (y - f)^2                                       Smooth
//	hinge                max(0, 1 - t)
//	squared-hinge        max(0, 1 - t)^2                                 Smooth
//	huber-hinge          0, (1 + h - t)^2/(4h) or 1 - t, see HuberHinge  Smooth
//	logistic             log(1 + exp(-t))                                Smooth
//	quartic              0, a quartic or 1 - t, see Quartic              Smooth
//	modlog               log(1 + exp(-mu (t - 1)))/mu                    Smooth
//	absolute             |y - f|
//	epsilon              max(0, |y - f| - eps)
//	squared-epsilon      max(0, |y - f| - eps)^2                         Smooth
//
// with the margin t = y f, y = -1 or +1, for losses of classes. There is no factor
// 1/2 anywhere. Every formula is written without cancellation and without overflow
// for |f| up to the square root of the largest number.
//
// Sources: Becker 2013, section 1.1 (his 1.1.4 prints the logistic function in place
// of the loss); Sindhwani 2007, table 1.1; Odone and Rosasco 2014, section 3.3;
// Klatzer 2014, section 2.2.
//
// A new loss is a type with its derivatives and conjugate, the function that makes it, and a row of losses.go; methods
// that should take it list its name.

import "math"

// Loss is one convex loss. Implementations are small values, safe for concurrent
// use. A loss of classes is for y = -1 and +1 only; callers check.
type Loss interface {
	// Name is the canonical word, as ParseLoss reads it.
	Name() string
	// Classes tells whether the loss is one of the margin y f, y = -1 or +1; else it
	// is one of the residual y - f. (The square is both: (y - f)^2 = (1 - y f)^2.)
	Classes() bool
	// Curvature is the least Lipschitz constant of the derivative, +Inf without one (see Smooth).
	Curvature() float64
	// Value returns V(y, f).
	Value(y, f float64) float64
	// Derivatives returns V' and V'' by f. At a kink V' is the element of the
	// subdifferential nearest to zero; where V' has a kink V'' is that of the flat side.
	Derivatives(y, f float64) (d1, d2 float64)
	// Conjugate returns V*(y, u), +Inf outside its domain, which contains 0 and every
	// value of V'.
	Conjugate(y, u float64) float64
}

// Smooth tells whether the derivative of the loss is Lipschitz: what gradients and Newton's method need.
func Smooth(l Loss) bool { return !math.IsInf(l.Curvature(), 1) }

// Widener is a smooth loss whose curvature is gathered in a zone that can be made `by`
// times as wide. Solvers of narrow ones start from wide ones.
type Widener interface {
	Loss
	Widened(by float64) Loss
}

// Tubed is a loss that is zero in a tube about the target, whose half width a search may set.
type Tubed interface {
	Loss
	WithTube(eps float64) Loss
}

// within is v where ok holds, else +Inf: a conjugate on its domain.
func within(ok bool, v float64) float64 {
	if !ok {
		return math.Inf(1)
	}
	return v
}
