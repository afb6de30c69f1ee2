package dual

import (
	"context"
	"math"
)

// block is (D) on a working set with its part of the kernel matrix in hand. Its
// variables stand in one part, with Nu in two (sign + and sign -), each padded
// to a multiple of 8 by variables that cannot move.
//
// Pair steps (Offset, Nu): i maximises F over U, j the gain
//
//	(F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij)    over L with F_j < F_i
//
// (Fan, Chen and Lin 2005, WSS 2), beta_i += d, beta_j -= d with d the minimiser
// within the box. Without a constraint the variable with the largest gain
// PG^2 / K_ii moves alone. Cost of a step: two passes over F, see lanes.go.
type block[E element] struct {
	n       int             // with padding; the stride of k
	most    int             // largest n to be expected
	parts   [][2]int        // ranges of the parts
	k       []E             // n x n, or
	take    func(n int) []E // room for it; nil: make
	rows    [][]E           // rows as fetch gave them, nil until then
	fetch   func(t int) []E
	f       []float64 // F
	beta    []float64
	lo, hi  []float64
	up, low []float64 // 0 where beta can grow (shrink), else -Inf (+Inf)
	diag    []float64
	// a constraint holds the sum of beta, so that steps move two variables
	pairwise bool
}

// grow makes room for n variables and their matrix.
func (b *block[E]) grow(n int) {
	if cap(b.k) < n*n {
		// Sets grow; twice the room leaves less to the collector than each a little more.
		room := max(n*n, min(2*cap(b.k), b.most*b.most))
		if b.take != nil {
			b.k = b.take(room)
		} else {
			b.k = make([]E, room)
		}
	}
	b.k = b.k[:n*n]
	b.vectors(n)
}

// lend makes room for n variables whose rows fetch returns when they are first needed.
func (b *block[E]) lend(n int, fetch func(t int) []E) {
	b.rows, b.fetch = make([][]E, n), fetch
	b.vectors(n)
}

func (b *block[E]) vectors(n int) {
	if cap(b.f) < n {
		all := make([]float64, 7*n)
		for i, s := range []*[]float64{&b.f, &b.beta, &b.lo, &b.hi, &b.up, &b.low, &b.diag} {
			*s = all[i*n : i*n : (i+1)*n]
		}
	}
	for _, s := range []*[]float64{&b.f, &b.beta, &b.lo, &b.hi, &b.up, &b.low, &b.diag} {
		*s = (*s)[:n]
	}
	b.n = n
}

// fix makes position t padding.
func (b *block[E]) fix(t int) {
	b.f[t], b.beta[t], b.lo[t], b.hi[t], b.diag[t] = 0, 0, 0, 0, 1
	b.bound(t)
}

// bound brings the marks of t up to date.
func (b *block[E]) bound(t int) {
	b.up[t], b.low[t] = 0, 0
	if !(b.beta[t] < b.hi[t]) {
		b.up[t] = math.Inf(-1)
	}
	if !(b.beta[t] > b.lo[t]) {
		b.low[t] = math.Inf(1)
	}
}

// row returns the row of the matrix of the variable at t.
func (b *block[E]) row(t int) []E {
	if b.fetch == nil {
		return b.k[t*b.n : (t+1)*b.n]
	}
	if b.rows[t] == nil {
		b.rows[t] = b.fetch(t)
	}
	return b.rows[t]
}

// checkEvery is the number of steps between looks at the context.
const checkEvery = 1024 // no result depends on it

// pairs makes at most limit pair steps, until the violation is at most the larger
// of stop and relative times the one at the start. It returns the steps and
// whether the tolerance was met.
func (b *block[E]) pairs(ctx context.Context, stop, relative float64, limit int) (steps int, met bool) {
	var i, j int
	var d float64
	for ; ; steps++ {
		ki, kj := b.row(i), b.row(j)
		worst, gain, next, mate := math.Inf(-1), 0.0, 0, 0
		for _, p := range b.parts {
			lo, hi := p[0], p[1]
			if lo == hi {
				continue
			}
			most, u, least := pairUpdate(b.f[lo:hi], b.up[lo:hi], b.low[lo:hi], ki[lo:hi], kj[lo:hi], d)
			worst = max(worst, most-least)
			if !(most-least > stop) {
				continue
			}
			u += lo
			if g, v := pairGain(b.f[lo:hi], b.low[lo:hi], b.diag[lo:hi], b.row(u)[lo:hi], most, b.diag[u]); g > gain {
				gain, next, mate = g, u, v+lo
			}
		}
		if steps == 0 && relative*worst > stop {
			stop = relative * worst
		}
		if !(worst > stop) {
			return steps, true
		}
		if gain == 0 || steps >= limit || steps%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return steps, false
		}
		i, j = next, mate
		if d = b.pair(i, j); d == 0 {
			return steps, false
		}
	}
}

// pair moves i up and j down by the returned amount.
func (b *block[E]) pair(i, j int) float64 {
	curvature := b.diag[i] + b.diag[j] - 2*float64(b.row(i)[j])
	d := (b.f[i] - b.f[j]) / max(curvature, tau)
	roomI, roomJ := b.hi[i]-b.beta[i], b.beta[j]-b.lo[j]
	d = min(d, roomI, roomJ)
	bi, bj := b.beta[i], b.beta[j]
	// A bound that is reached is reached exactly; nothing may pass it by rounding.
	if b.beta[i] = min(bi+d, b.hi[i]); d == roomI {
		b.beta[i] = b.hi[i]
	}
	if b.beta[j] = max(bj-d, b.lo[j]); d == roomJ {
		b.beta[j] = b.lo[j]
	}
	b.bound(i)
	b.bound(j)
	if b.beta[i] == bi && b.beta[j] == bj {
		return 0
	}
	return d
}

// coordinates is pairs for problems without a constraint.
func (b *block[E]) coordinates(ctx context.Context, stop, relative float64, limit int) (steps int, met bool) {
	var i int
	var d float64
	for ; ; steps++ {
		gain, next, worst := coordinate(b.f, b.up, b.low, b.diag, b.row(i), d)
		if steps == 0 && relative*worst > stop {
			stop = relative * worst
		}
		if !(worst > stop) {
			return steps, true
		}
		if gain == 0 || steps >= limit || steps%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return steps, false
		}
		i = next
		old := b.beta[i]
		b.beta[i] = min(max(old+b.f[i]/b.diag[i], b.lo[i]), b.hi[i])
		if d = b.beta[i] - old; d == 0 {
			return steps, false
		}
		b.bound(i)
	}
}
