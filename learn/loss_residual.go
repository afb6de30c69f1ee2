package learn

import "math"

// Losses of the residual r = y - f.

// Square is (y - f)^2.
//
//	V* = u y + u^2/4
type Square struct{}

// Name is "square".
func (Square) Name() string { return "square" }

// Classes is false: any target will do.
func (Square) Classes() bool { return false }

// Curvature is 2.
func (Square) Curvature() float64 { return 2 }

// Value returns (y - f)^2.
func (Square) Value(y, f float64) float64 {
	r := y - f
	return r * r
}

// Derivatives returns -2 (y - f) and 2.
func (Square) Derivatives(y, f float64) (d1, d2 float64) { return -2 * (y - f), 2 }

// Conjugate returns u y + u^2/4.
func (Square) Conjugate(y, u float64) float64 { return u*y + u*u/4 }

// Absolute is |y - f|.
//
//	V* = u y on |u| <= 1
type Absolute struct{}

// Name is "absolute".
func (Absolute) Name() string { return "absolute" }

// Classes is false.
func (Absolute) Classes() bool { return false }

// Curvature is +Inf.
func (Absolute) Curvature() float64 { return math.Inf(1) }

// Value returns |y - f|.
func (Absolute) Value(y, f float64) float64 { return math.Abs(y - f) }

// Derivatives returns -sign(y - f) and 0.
func (Absolute) Derivatives(y, f float64) (d1, d2 float64) { return excess(y-f, 0) }

// Conjugate returns u y on |u| <= 1.
func (Absolute) Conjugate(y, u float64) float64 { return within(math.Abs(u) <= 1, u*y) }

// Epsilon is max(0, |y - f| - Eps), the loss of support vector regression.
//
//	V* = u y + Eps |u| on |u| <= 1
type Epsilon struct {
	Eps float64 // half width of the tube, in units of y; 0 means 0.1 (for none take Absolute)
}

func (l Epsilon) eps() float64 { return positive(l.Eps, 0.1) }

// Name is "epsilon".
func (Epsilon) Name() string { return "epsilon" }

// Classes is false.
func (Epsilon) Classes() bool { return false }

// Curvature is +Inf.
func (Epsilon) Curvature() float64 { return math.Inf(1) }

// Value returns max(0, |y - f| - Eps).
func (l Epsilon) Value(y, f float64) float64 { return max(0, math.Abs(y-f)-l.eps()) }

// Derivatives returns -sign(y - f) outside the tube, else 0; and 0.
func (l Epsilon) Derivatives(y, f float64) (d1, d2 float64) { return excess(y-f, l.eps()) }

// Conjugate returns u y + Eps |u| on |u| <= 1.
func (l Epsilon) Conjugate(y, u float64) float64 {
	return within(math.Abs(u) <= 1, u*y+l.eps()*math.Abs(u))
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

// SquaredEpsilon is max(0, |y - f| - Eps)^2.
//
//	V* = u y + Eps |u| + u^2/4
type SquaredEpsilon struct {
	Eps float64 // half width of the tube, in units of y; 0 means 0.1 (for none take Square)
}

func (l SquaredEpsilon) eps() float64 { return positive(l.Eps, 0.1) }

// Name is "squared-epsilon".
func (SquaredEpsilon) Name() string { return "squared-epsilon" }

// Classes is false.
func (SquaredEpsilon) Classes() bool { return false }

// Curvature is 2.
func (SquaredEpsilon) Curvature() float64 { return 2 }

// Value returns max(0, |y - f| - Eps)^2.
func (l SquaredEpsilon) Value(y, f float64) float64 {
	z := max(0, math.Abs(y-f)-l.eps())
	return z * z
}

// Derivatives returns -2 sign(y - f) (|y - f| - Eps) and 2 outside the tube.
func (l SquaredEpsilon) Derivatives(y, f float64) (d1, d2 float64) {
	r, eps := y-f, l.eps()
	switch {
	case r > eps:
		return -2 * (r - eps), 2
	case r < -eps:
		return -2 * (r + eps), 2
	}
	return 0, 0
}

// Conjugate returns u y + Eps |u| + u^2/4.
func (l SquaredEpsilon) Conjugate(y, u float64) float64 {
	return u*y + l.eps()*math.Abs(u) + u*u/4
}
