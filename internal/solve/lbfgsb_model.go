package solve

// The quadratic model of LBFGSB in compact form: its factors, the generalised
// Cauchy point and the subspace minimiser. Symbols and source in lbfgsb.go.

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// boxBFGS is the state of the iteration and its workspaces.
type boxBFGS struct {
	lo, hi, x, g []float64
	free         bool        // no variable has a bound
	m, k         int         // pairs allowed, pairs kept
	s, y         [][]float64 // oldest first
	theta        float64

	xc, d, r, t []float64 // Cauchy point, direction, reduced gradient, breakpoints
	order       []int
	minv, small blas64.General // LU of M^-1; LU of I - M N
	ipiv, ipiv2 []int
	p, c, w, v  []float64 // 2m vectors
}

// alloc makes all of the storage at once, because searches of few steps are many.
func (b *boxBFGS) alloc() {
	q, n := 2*b.m, len(b.x)
	storage := make([]float64, 2*q*q+4*q+q*n)
	take := func(size int) (part []float64) {
		part, storage = storage[:size:size], storage[size:]
		return part
	}
	b.minv = blas64.General{Rows: q, Cols: q, Stride: q, Data: take(q * q)}
	b.small = blas64.General{Rows: q, Cols: q, Stride: q, Data: take(q * q)}
	b.ipiv, b.ipiv2 = make([]int, q), make([]int, q)
	b.p, b.c, b.w, b.v = take(q), take(q), take(q), take(q)
	b.s, b.y = make([][]float64, b.m), make([][]float64, b.m)
	for i := range b.m {
		b.s[i], b.y[i] = take(n), take(n)
	}
}

func (b *boxBFGS) reset() { b.k, b.theta = 0, 1 }

// row fills w with row i of W = [Y, theta S].
func (b *boxBFGS) row(w []float64, i int) {
	for j := range b.k {
		w[j], w[b.k+j] = b.y[j][i], b.theta*b.s[j][i]
	}
}

// applyM overwrites v with M v by the factors of M^-1.
func (b *boxBFGS) applyM(v []float64) {
	if len(v) > 0 {
		luSolve(b.minv, b.ipiv[:len(v)], v)
	}
}

func luFactor(a blas64.General, ipiv []int) bool {
	ok := lapack64.Getrf(a, ipiv)
	for i := range a.Rows {
		if d := a.Data[i*a.Stride+i]; math.IsNaN(d) || math.IsInf(d, 0) {
			return false
		}
	}
	return ok
}

func luSolve(a blas64.General, ipiv []int, v []float64) {
	lapack64.Getrs(blas.NoTrans, a, blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}, ipiv)
}

// update moves to xn and adds the pair if its curvature is positive enough
// (s'y > eps y'y, the source's eq. 3.9).
func (b *boxBFGS) update(xn, gn []float64) {
	if b.k == b.m { // the oldest pair's memory becomes the newest's
		s, y := b.s[0], b.y[0]
		copy(b.s, b.s[1:])
		copy(b.y, b.y[1:])
		b.s[b.m-1], b.y[b.m-1] = s, y
		b.k--
	}
	s, y := b.s[b.k], b.y[b.k]
	floats.SubTo(s, xn, b.x)
	floats.SubTo(y, gn, b.g)
	copy(b.x, xn)
	copy(b.g, gn)
	sy, yy := floats.Dot(s, y), floats.Dot(y, y)
	if sy > 2.2e-16*yy { // the unit roundoff of the doubles
		b.k++
		b.theta = yy / sy
	}
}

// factor computes the LU factors of M^-1.
func (b *boxBFGS) factor() bool {
	q := 2 * b.k
	b.minv.Rows, b.minv.Cols, b.minv.Stride = q, q, max(q, 1)
	a := b.minv.Data
	for i := range b.k {
		for j := range b.k {
			sy, d := 0.0, 0.0
			switch {
			case i > j:
				sy = floats.Dot(b.s[i], b.y[j])
			case i == j:
				d = -floats.Dot(b.s[i], b.y[i])
			}
			a[i*q+j] = d
			a[(b.k+i)*q+j] = sy
			a[j*q+b.k+i] = sy
			a[(b.k+i)*q+b.k+j] = b.theta * floats.Dot(b.s[i], b.s[j])
		}
	}
	return q == 0 || luFactor(b.minv, b.ipiv[:q])
}

// direction fills d with a descent direction that stays in the box for steps up
// to one; false if the model broke down.
func (b *boxBFGS) direction() bool {
	if b.free {
		return b.quasiNewton()
	}
	if !b.factor() {
		return false
	}
	if !b.cauchy() || !b.subspace() {
		return false
	}
	return floats.Dot(b.g, b.d) < 0
}

// cauchy finds the first minimiser of the model along P(x - t g): algorithm CP.
// It leaves c = W'(xc - x).
func (b *boxBFGS) cauchy() bool {
	q := 2 * b.k
	p, c, w, v := b.p[:q], b.c[:q], b.w[:q], b.v[:q]
	slope := b.breakpoints() // f'
	copy(v, p)
	b.applyM(v)
	curve := -b.theta*slope - floats.Dot(p, v) // f''
	floor := 2.2e-16 * math.Abs(b.theta*slope)
	told := 0.0
	for _, i := range b.order {
		if slope >= 0 || b.t[i]-told > -slope/max(curve, floor) {
			break
		}
		dt := b.t[i] - told
		told = b.t[i]
		z := b.lo[i] - b.x[i]
		if b.d[i] > 0 {
			z = b.hi[i] - b.x[i]
		}
		b.xc[i] = b.x[i] + z
		floats.AddScaled(c, dt, p)
		b.row(w, i)
		g := b.g[i]
		copy(v, w)
		b.applyM(v) // M w
		slope += dt*curve + g*g + b.theta*g*z - g*floats.Dot(c, v)
		curve += -b.theta*g*g - 2*g*floats.Dot(p, v) - g*g*floats.Dot(w, v)
		curve = max(curve, floor)
		floats.AddScaled(p, g, w)
		b.d[i] = 0
	}
	dt := 0.0
	if slope < 0 {
		dt = -slope / max(curve, floor)
	}
	if math.IsNaN(dt) || math.IsInf(dt, 0) {
		return false
	}
	for i, d := range b.d {
		if d != 0 {
			b.xc[i] = min(max(b.x[i]+(told+dt)*d, b.lo[i]), b.hi[i])
		}
	}
	floats.AddScaled(c, dt, p)
	return true
}

// breakpoints begins cauchy at xc = x, c = 0: d = -g but for variables at their bound,
// p = W'd, t where each variable meets its bound, order by t. It returns g'd.
func (b *boxBFGS) breakpoints() float64 {
	q := 2 * b.k
	p, w := b.p[:q], b.w[:q]
	clear(p)
	clear(b.c[:q])
	b.order = b.order[:0]
	slope := 0.0
	for i, g := range b.g {
		b.t[i], b.d[i], b.xc[i] = math.Inf(1), -g, b.x[i]
		switch {
		case g < 0:
			b.t[i] = (b.x[i] - b.hi[i]) / g
		case g > 0:
			b.t[i] = (b.x[i] - b.lo[i]) / g
		}
		if b.t[i] <= 0 || g == 0 {
			b.d[i] = 0
			continue
		}
		slope -= g * g
		b.row(w, i)
		floats.AddScaled(p, -g, w)
		if !math.IsInf(b.t[i], 1) {
			b.order = append(b.order, i)
		}
	}
	sort.Slice(b.order, func(i, j int) bool {
		s, t := b.order[i], b.order[j]
		return b.t[s] < b.t[t] || b.t[s] == b.t[t] && s < t
	})
	return slope
}

// subspace minimises the model over the variables strictly inside the box at
// the Cauchy point (direct primal method, eqs. 5.5-5.11) and sets d.
func (b *boxBFGS) subspace() bool {
	b.order = b.order[:0]
	for i, v := range b.xc {
		if v > b.lo[i] && v < b.hi[i] {
			b.order = append(b.order, i)
		}
	}
	if !b.newton(b.order) {
		return false
	}
	for i := range b.d {
		b.d[i] = b.xc[i] - b.x[i]
	}
	cauchy := floats.Dot(b.g, b.d)
	for _, i := range b.order {
		b.d[i] = min(max(b.xc[i]+b.t[i], b.lo[i]), b.hi[i]) - b.x[i]
	}
	if s := floats.Dot(b.g, b.d); s <= leastDescent*cauchy && s < 0 {
		return true
	}
	return b.truncate(b.order)
}

// leastDescent is the share of the slope to the Cauchy point that a projected minimiser must keep.
// One far outside the box may be projected to where the slope is zero by chance, and the stop by
// what the model promises would take that for the minimum. (The truncated one keeps about half.)
const leastDescent = 0.1

// newton stores the step from the Cauchy point to the minimiser over the free variables in t:
// -r/theta - W (I - M N)^-1 M W'Z r/theta^2 with N = W'Z Z'W/theta.
func (b *boxBFGS) newton(free []int) bool {
	q := 2 * b.k
	w, v := b.w[:q], b.v[:q]
	b.reduce(free)
	if q > 0 {
		b.applyM(v)
		a := b.small.Data[:q*q]
		// N is symmetric, so that its rows are the columns M multiplies.
		for j := range q {
			b.applyM(a[j*q : (j+1)*q])
		}
		for i := range q { // a holds (M N)'; make it I - M N
			for j := range i {
				a[i*q+j], a[j*q+i] = -a[j*q+i], -a[i*q+j]
			}
			a[i*q+i] = 1 - a[i*q+i]
		}
		if !luFactor(b.small, b.ipiv2[:q]) {
			return false
		}
		luSolve(b.small, b.ipiv2[:q], v)
	}
	for _, i := range free {
		b.row(w, i)
		b.t[i] = -b.r[i]/b.theta - floats.Dot(w, v)/(b.theta*b.theta)
	}
	return true
}

// reduce stores the gradient r of the model at the Cauchy point over the free variables,
// v = W'Z r and small = N'.
func (b *boxBFGS) reduce(free []int) {
	q := 2 * b.k
	w, v, mc := b.w[:q], b.v[:q], b.p[:q]
	copy(mc, b.c[:q])
	b.applyM(mc)
	b.small.Rows, b.small.Cols, b.small.Stride = q, q, max(q, 1)
	a := b.small.Data[:q*q]
	clear(v)
	clear(a)
	for _, i := range free {
		b.row(w, i)
		b.r[i] = b.g[i] + b.theta*(b.xc[i]-b.x[i]) - floats.Dot(w, mc)
		floats.AddScaled(v, b.r[i], w)
		for j, wj := range w {
			if wj != 0 {
				floats.AddScaled(a[j*q:(j+1)*q], wj/b.theta, w)
			}
		}
	}
}

// truncate sets d where the projected minimiser hardly descends: towards the minimiser only to the
// first bound (eq. 5.8).
func (b *boxBFGS) truncate(free []int) bool {
	alpha := 1.0
	for _, i := range free {
		switch du := b.t[i]; {
		case du > 0:
			alpha = min(alpha, (b.hi[i]-b.xc[i])/du)
		case du < 0:
			alpha = min(alpha, (b.lo[i]-b.xc[i])/du)
		case math.IsNaN(du):
			return false
		}
	}
	for i := range b.d {
		b.d[i] = b.xc[i] - b.x[i]
	}
	for _, i := range free {
		b.d[i] += alpha * b.t[i]
	}
	return true
}

// longest returns the largest step along d that stays in the box.
func (b *boxBFGS) longest() float64 {
	t := 1e10 // as the source's code, for unbounded directions
	for i, d := range b.d {
		switch {
		case d > 0:
			t = min(t, (b.hi[i]-b.x[i])/d)
		case d < 0:
			t = min(t, (b.lo[i]-b.x[i])/d)
		}
	}
	return t
}
