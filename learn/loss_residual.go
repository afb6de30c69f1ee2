package learn

import (
	"cmp"
	"math"
)

// Losses of the residual r = y - f.

// Square is (y - f)^2.
//
//	V* = u y + u^2/4
func Square() Loss { return square{} }

type square struct{}

// Name is "square".
func (square) Name() string { return "square" }

// Classes is false: any target will do.
func (square) Classes() bool { return false }

// Curvature is 2.
func (square) Curvature() float64 { return 2 }

// Value returns (y - f)^2.
func (square) Value(y, f float64) float64 {
	r := y - f
	return r * r
}

// Derivatives returns -2 (y - f) and 2.
func (square) Derivatives(y, f float64) (d1, d2 float64) { return -2 * (y - f), 2 }

// Conjugate returns u y + u^2/4.
func (square) Conjugate(y, u float64) float64 { return u*y + u*u/4 }

// Absolute is |y - f|.
//
//	V* = u y on |u| <= 1
func Absolute() Loss { return absolute{} }

type absolute struct{}

// Name is "absolute".
func (absolute) Name() string { return "absolute" }

// Classes is false.
func (absolute) Classes() bool { return false }

// Curvature is +Inf.
func (absolute) Curvature() float64 { return math.Inf(1) }

// Value returns |y - f|.
func (absolute) Value(y, f float64) float64 { return math.Abs(y - f) }

// Derivatives returns -sign(y - f) and 0.
func (absolute) Derivatives(y, f float64) (d1, d2 float64) { return excess(y-f, 0) }

// Conjugate returns u y on |u| <= 1.
func (absolute) Conjugate(y, u float64) float64 { return within(math.Abs(u) <= 1, u*y) }

// Epsilon is max(0, |y - f| - eps), the loss of support vector regression.
//
//	V* = u y + eps |u| on |u| <= 1
//
// The half width eps of the tube is in units of y; 0 means 0.1 (for none take Absolute).
func Epsilon(eps float64) Tubed { return epsilon{cmp.Or(eps, 0.1)} }

type epsilon struct{ eps float64 }

// WithTube returns the loss with another half width.
func (epsilon) WithTube(eps float64) Loss { return Epsilon(eps) }

// Name is "epsilon".
func (epsilon) Name() string { return "epsilon" }

// Classes is false.
func (epsilon) Classes() bool { return false }

// Curvature is +Inf.
func (epsilon) Curvature() float64 { return math.Inf(1) }

// Value returns max(0, |y - f| - eps).
func (l epsilon) Value(y, f float64) float64 { return max(0, math.Abs(y-f)-l.eps) }

// Derivatives returns -sign(y - f) outside the tube, else 0; and 0.
func (l epsilon) Derivatives(y, f float64) (d1, d2 float64) { return excess(y-f, l.eps) }

// Conjugate returns u y + eps |u| on |u| <= 1.
func (l epsilon) Conjugate(y, u float64) float64 {
	return within(math.Abs(u) <= 1, u*y+l.eps*math.Abs(u))
}

// excess returns the derivatives of max(0, |r| - eps) by f, r = y - f.
func excess(r, eps float64) (d1, d2 float64) {
	switch {
	case r > eps:
		return -1, 0
	case r < -eps:
		return 1, 0
	}
	return 0, 0
}

// SquaredEpsilon is max(0, |y - f| - eps)^2.
//
//	V* = u y + eps |u| + u^2/4
//
// The half width eps of the tube is in units of y; 0 means 0.1 (for none take Square).
func SquaredEpsilon(eps float64) Tubed { return squaredEpsilon{cmp.Or(eps, 0.1)} }

type squaredEpsilon struct{ eps float64 }

// WithTube returns the loss with another half width.
func (squaredEpsilon) WithTube(eps float64) Loss { return SquaredEpsilon(eps) }

// Name is "squared-epsilon".
func (squaredEpsilon) Name() string { return "squared-epsilon" }

// Classes is false.
func (squaredEpsilon) Classes() bool { return false }

// Curvature is 2.
func (squaredEpsilon) Curvature() float64 { return 2 }

// Value returns max(0, |y - f| - eps)^2.
func (l squaredEpsilon) Value(y, f float64) float64 {
	z := max(0, math.Abs(y-f)-l.eps)
	return z * z
}

// Derivatives returns -2 sign(y - f) (|y - f| - eps) and 2 outside the tube.
func (l squaredEpsilon) Derivatives(y, f float64) (d1, d2 float64) {
	r, eps := y-f, l.eps
	switch {
	case r > eps:
		return -2 * (r - eps), 2
	case r < -eps:
		return -2 * (r + eps), 2
	}
	return 0, 0
}

// Conjugate returns u y + eps |u| + u^2/4.
func (l squaredEpsilon) Conjugate(y, u float64) float64 {
	return u*y + l.eps*math.Abs(u) + u*u/4
}
