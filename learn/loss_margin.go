package learn

import (
	"cmp"
	"math"
)

// Losses of the margin t = y f. With y^2 = 1: V' = y v'(t), V'' = v''(t), and the
// conjugate is that of v at s = y u.

// Hinge is max(0, 1 - t), the loss of support vector machines.
//
//	v* = s on -1 <= s <= 0
func Hinge() Loss { return hinge{} }

type hinge struct{}

// Name is "hinge".
func (hinge) Name() string { return "hinge" }

// Classes is true.
func (hinge) Classes() bool { return true }

// Curvature is +Inf.
func (hinge) Curvature() float64 { return math.Inf(1) }

// Value returns max(0, 1 - y f).
func (hinge) Value(y, f float64) float64 { return max(0, 1-y*f) }

// Derivatives returns -y below the kink, else 0; and 0.
func (hinge) Derivatives(y, f float64) (d1, d2 float64) {
	if y*f < 1 {
		return -y, 0
	}
	return 0, 0
}

// Conjugate returns y u on -1 <= y u <= 0.
func (hinge) Conjugate(y, u float64) float64 {
	s := y * u
	return within(-1 <= s && s <= 0, s)
}

// SquaredHinge is max(0, 1 - t)^2.
//
//	v' = -2 max(0, 1 - t),  v'' = 2 for t < 1;   v* = s + s^2/4 on s <= 0
func SquaredHinge() Loss { return squaredHinge{} }

type squaredHinge struct{}

// Name is "squared-hinge".
func (squaredHinge) Name() string { return "squared-hinge" }

// Classes is true.
func (squaredHinge) Classes() bool { return true }

// Curvature is 2.
func (squaredHinge) Curvature() float64 { return 2 }

// Value returns max(0, 1 - y f)^2.
func (squaredHinge) Value(y, f float64) float64 {
	z := max(0, 1-y*f)
	return z * z
}

// Derivatives returns -2 y max(0, 1 - y f), and 2 where y f < 1.
func (squaredHinge) Derivatives(y, f float64) (d1, d2 float64) {
	if z := 1 - y*f; z > 0 {
		return -2 * y * z, 2
	}
	return 0, 0
}

// Conjugate returns s + s^2/4 on s = y u <= 0.
func (squaredHinge) Conjugate(y, u float64) float64 {
	s := y * u
	return within(s <= 0, s+s*s/4)
}

// HuberHinge is the hinge with its kink replaced by a parabola of half width h > 0:
//
//	v = 0 for t >= 1 + h,  1 - t for t <= 1 - h,  (1 + h - t)^2/(4h) between
//	v* = (1 + h) s + h s^2 on -1 <= s <= 0
//
// It lies above the hinge by at most h/4, reached at t = 1. Source: Chapelle, Training
// a support vector machine in the primal, Neural Computation 19 (2007); named without
// formula by Becker 2013, section 1.1.3.
//
// 0 means h = 0.5.
func HuberHinge(h float64) Widener { return huberHinge{cmp.Or(h, 0.5)} }

type huberHinge struct{ h float64 }

// Widened returns the loss with a parabola `by` times as wide.
func (l huberHinge) Widened(by float64) Loss { return huberHinge{by * l.h} }

// Name is "huber-hinge".
func (huberHinge) Name() string { return "huber-hinge" }

// Classes is true.
func (huberHinge) Classes() bool { return true }

// Curvature is 1/(2h).
func (l huberHinge) Curvature() float64 { return 1 / (2 * l.h) }

// Value returns v(y f).
func (l huberHinge) Value(y, f float64) float64 {
	h, t := l.h, y*f
	switch {
	case t >= 1+h:
		return 0
	case t <= 1-h:
		return 1 - t
	}
	z := 1 + h - t
	return z * z / (4 * h)
}

// Derivatives returns -y (1 + h - y f)/(2h) and 1/(2h) on the parabola.
func (l huberHinge) Derivatives(y, f float64) (d1, d2 float64) {
	h, t := l.h, y*f
	switch {
	case t >= 1+h:
		return 0, 0
	case t <= 1-h:
		return -y, 0
	}
	return -y * min(1, (1+h-t)/(2*h)), 1 / (2 * h)
}

// Conjugate returns (1 + h) s + h s^2 on -1 <= s = y u <= 0.
func (l huberHinge) Conjugate(y, u float64) float64 {
	h, s := l.h, y*u
	return within(-1 <= s && s <= 0, s+h*s*(1+s))
}

// Logistic is log(1 + exp(-t)), minus the log likelihood of a class with
// log-odds f; natural logarithm.
//
//	v' = -sigma(-t),  v'' = sigma(t) sigma(-t),  sigma(z) = 1/(1 + exp(-z))
//	v* = p log p + (1 - p) log(1 - p) on 0 <= p = -s <= 1
//
// With e = exp(-|t|) <= 1 nothing overflows and no digits cancel.
func Logistic() Loss { return logistic{} }

type logistic struct{}

// Name is "logistic".
func (logistic) Name() string { return "logistic" }

// Classes is true.
func (logistic) Classes() bool { return true }

// Curvature is 1/4.
func (logistic) Curvature() float64 { return 0.25 }

// Value returns log(1 + exp(-y f)).
func (logistic) Value(y, f float64) float64 {
	t := y * f
	return max(-t, 0) + math.Log1p(math.Exp(-math.Abs(t)))
}

// Derivatives returns -y sigma(-y f) and sigma(f) sigma(-f).
func (logistic) Derivatives(y, f float64) (d1, d2 float64) {
	t := y * f
	e := math.Exp(-math.Abs(t))
	q := 1 / (1 + e)
	d2 = e * q * q
	if t >= 0 {
		return -y * e * q, d2
	}
	return -y * q, d2
}

// Conjugate returns minus the entropy of p = -y u, in nats.
func (logistic) Conjugate(y, u float64) float64 {
	p := -y * u
	switch {
	case !(p >= 0 && p <= 1):
		return math.Inf(1)
	case p == 0 || p == 1:
		return 0
	}
	return p*math.Log(p) + (1-p)*math.Log1p(-p)
}
