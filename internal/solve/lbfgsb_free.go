package solve

// The direction of LBFGSB where no variable has a bound: the minimiser -H g of the model, H = B^-1, needs neither
// the Cauchy point nor the compact matrices. With r_i = s_i'y_i,
//
//	q = g;  from the newest pair to the oldest  a_i = s_i'q/r_i, q = q - a_i y_i
//	q = q/theta;  from the oldest to the newest  q = q + (a_i - y_i'q/r_i) s_i;  d = -q
//
// Cost      8 n m flops, where the compact form takes some 8 n m^2.
// Source    Nocedal, Math. Comp. 35 (1980).

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// unbounded says whether no variable has a bound.
func (b *boxBFGS) unbounded() bool {
	for i := range b.lo {
		if !math.IsInf(b.lo[i], -1) || !math.IsInf(b.hi[i], 1) {
			return false
		}
	}
	return true
}

// quasiNewton fills d; false if that does not descend.
func (b *boxBFGS) quasiNewton() bool {
	q, a, r := b.d, b.p[:b.k], b.c[:b.k]
	copy(q, b.g)
	for i := b.k - 1; i >= 0; i-- {
		r[i] = floats.Dot(b.s[i], b.y[i])
		a[i] = floats.Dot(b.s[i], q) / r[i]
		floats.AddScaled(q, -a[i], b.y[i])
	}
	floats.Scale(1/b.theta, q)
	for i := range b.k {
		floats.AddScaled(q, a[i]-floats.Dot(b.y[i], q)/r[i], b.s[i])
	}
	floats.Scale(-1, q)
	return floats.Dot(b.g, q) < 0
}
