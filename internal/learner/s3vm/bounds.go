package s3vm

// Problem   P(A) of labelled rows A is at its minimum. By how much does the minimum grow at least if row x joins
//           with the label s?
// Symbols   alpha the coefficients, lo_i <= alpha_i <= hi_i their bounds by label (and cost, of the hinge); F the
//           rows strictly between; M = K_FF + 1/(2c) (squared hinge) or K_FF (hinge).
// Method    Any feasible point of the dual bounds the minimum from below. With alpha_x = s tau the others move by
//           -s tau d, where M d + e 1 = k_Fx, 1'd = 1 with an offset, else M d = k_Fx: then their
//           derivatives stay zero, and the dual gains
//
//             g(tau) = tau (1 - s f_x) - tau^2 w/2,   w = K_xx + 1/(2c) - d'k_Fx - e     (w without 1/(2c): hinge)
//
//           which is the exact growth where no row passes a bound: the estimate of the source. Let rows B pass
//           theirs by delta. They are set back to it, and the others, x among them, follow; that loses
//
//             1/2 delta'(Q_BB)^-1 delta,   Q = [P 0; 0 0] + (d, -1)(d, -1)'/w
//
//           with P the inverse of M (in the system with the offset), as in the method of active sets. Should more
//           rows pass theirs, they join B; where they are too many, tau ends where the first does. Rows
//           that would leave the margin, or enter it, are left out: that is where the bound is less than
//           the growth, by some 5 %.
// Cost      2 |F|^2 flops for x and each row that is ever in B, and |B|^3/3 + 2 |F| |B| for each label.
// Source    Sindhwani 2007, section 3.2, for the estimate; ours: that it is made a bound.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/blas"
)

const (
	// mostBlocked is how many rows are set back to their bounds: beyond, the systems cost more than d.
	mostBlocked = 24
	// jitter of the diagonal of K_FF, relative, makes the factor of the hinge exist for rows that are equal. The
	// curvature w can only be too large for it, which keeps the bound one.
	jitter = 1e-10
	// inner is the share of the cost within which a coefficient of the hinge is at its bound.
	inner = 1e-9
)

// gains are the bounds for all unlabelled rows at a node.
type gains struct {
	m    *weighted
	rows []int
	cost []float64

	base     float64   // the bound of the node
	up, down []float64 // what it gains at least where a row is +1, and -1

	factor  *blas.Growing // of M
	own     blas.Growing  // of the hinge
	active  []int         // F
	d       []float64
	one     []float64 // M^-1 1
	sum     float64   // 1'M^-1 1
	columns [][]float64
	known   []bool // columns of P

	moved   []float64 // of F
	passed  []bool
	blocked []int // places in F: B
	small   blas.Growing
	delta   []float64
	sorted  []float64
}

func newGains(m *weighted, rows []int, cost []float64) *gains {
	return &gains{m: m, rows: rows, cost: cost, up: make([]float64, len(rows)), down: make([]float64, len(rows))}
}

// compute bounds the growth for all rows without a label.
func (g *gains) compute(label []int8) { g.all(label, true) }

// estimate is compute without regard to the bounds of coefficients: not a bound.
func (g *gains) estimate(label []int8) { g.all(label, false) }

func (g *gains) all(label []int8, sure bool) {
	g.base = g.m.bound()
	g.prepare()
	none := g.m.offset && len(g.active) == 0 || g.m.newton != nil && !g.m.newton.met
	for j, x := range g.rows {
		g.up[j], g.down[j] = 0, 0
		if label[j] != 0 || none {
			continue
		}
		w := g.direction(x, g.cost[j])
		f := g.m.at.f[x]
		g.up[j] = g.reach(1, 1-f, w, g.cost[j], sure)
		g.down[j] = g.reach(-1, 1+f, w, g.cost[j], sure)
	}
}

// prepare finds F and the factor of M.
func (g *gains) prepare() {
	if n := g.m.newton; n != nil {
		g.factor, g.active = &n.factor, n.active
	} else {
		g.free()
	}
	k := len(g.active)
	for len(g.columns) < k {
		g.columns = append(g.columns, nil)
	}
	g.known, g.passed = resized(g.known, k), resized(g.passed, k)
	g.d, g.moved, g.one = resized(g.d, k), resized(g.moved, k), resized(g.one, k)
	clear(g.known)
	if g.m.offset {
		for a := range g.one {
			g.one[a] = 1
		}
		g.factor.Solve(g.one)
		g.sum = floats.Sum(g.one)
	}
}

// free finds F of the hinge, of rows that depend on others one, and factors M.
func (g *gains) free() {
	g.factor, g.active = &g.own, g.active[:0]
	g.own.Truncate(0)
	for i, a := range g.m.at.alpha {
		c := g.m.plus[i] + g.m.minus[i]
		if a = math.Abs(a); a <= inner*c || a >= (1-inner)*c {
			continue
		}
		row, z := g.m.k.RawRowView(i), g.own.Next()
		for b, j := range g.active {
			z[b] = row[j]
		}
		g.own.Forward(z)
		if left := row[i]*(1+jitter) - floats.Dot(z, z); left > jitter/2*row[i] {
			g.own.Append(left)
			g.active = append(g.active, i)
		}
	}
}

// direction stores d of row x and returns w.
func (g *gains) direction(x int, cost float64) (w float64) {
	row := g.m.k.RawRowView(x)
	for a, i := range g.active {
		g.d[a] = row[i]
	}
	g.factor.Forward(g.d)
	w = row[x] - floats.Dot(g.d, g.d)
	g.factor.Backward(g.d)
	if g.m.newton != nil {
		w += 1 / (2 * cost)
	}
	if g.m.offset {
		e := (floats.Sum(g.d) - 1) / g.sum
		w += e * e * g.sum
		floats.AddScaled(g.d, -e, g.one)
	}
	return w
}

// limits are the bounds of the coefficient of row i of K.
func (g *gains) limits(i int) (lo, hi float64) {
	lo, hi = -g.m.minus[i], g.m.plus[i]
	if g.m.newton != nil {
		if hi > 0 {
			return 0, math.Inf(1)
		}
		return math.Inf(-1), 0
	}
	return lo, hi
}

// reach is the bound for a label s of the row whose direction is stored.
func (g *gains) reach(s, slope, w, cost float64, sure bool) float64 {
	if slope <= 0 {
		return 0
	}
	tau, moves := slope/w, true
	if g.m.newton == nil && !(tau < cost) {
		tau, moves = cost, false
	}
	gain := tau * (slope - tau*w/2)
	if !sure {
		return gain
	}
	first := tau // at which a row reaches its bound
	g.blocked = g.blocked[:0]
	for a, i := range g.active {
		step := -s * g.d[a]
		at := g.m.at.alpha[i]
		lo, hi := g.limits(i)
		v := at + tau*step
		g.moved[a], g.passed[a] = v, v < lo || v > hi
		if g.passed[a] {
			g.blocked = append(g.blocked, a)
			first = min(first, (min(max(v, lo), hi)-at)/step)
		}
	}
	if len(g.blocked) > 0 {
		lost, ok := g.back(s, tau, w, cost, moves)
		if gain -= lost / 2; !ok {
			gain = math.Inf(-1)
			for a, i := range g.active {
				g.moved[a] = g.m.at.alpha[i] - first*s*g.d[a]
			}
		}
		gain = max(gain, first*(slope-first*w/2))
	}
	return max(0, gain-g.loose(tau))
}

// back sets the rows that passed their bounds back to them, and returns delta'(Q_BB)^-1 delta, or false where
// they are too many or where x would turn back.
func (g *gains) back(s, tau, w, cost float64, moves bool) (lost float64, ok bool) {
	var share float64 // of x in Q
	if moves {
		share = 1 / w
	}
	g.small.Truncate(0)
	g.delta = g.delta[:0]
	for done := 0; done < len(g.blocked); {
		if len(g.blocked) > mostBlocked {
			return 0, false
		}
		for ; done < len(g.blocked); done++ { // a row of Q_BB
			a := g.blocked[done]
			p, z := g.column(a), g.small.Next()
			for q, b := range g.blocked[:done] {
				z[q] = p[b] + share*g.d[a]*g.d[b]
			}
			g.small.Forward(z)
			whole := p[a] + share*g.d[a]*g.d[a]
			left := whole - floats.Dot(z, z)
			if !(left > 1e-12*whole) {
				return 0, false
			}
			g.small.Append(left)
			i := g.active[a]
			lo, hi := g.limits(i)
			v := g.m.at.alpha[i] - s*tau*g.d[a]
			if v > hi {
				g.delta = append(g.delta, hi-v)
			} else if v < lo {
				g.delta = append(g.delta, lo-v)
			} else { // passed it on the way of the others
				g.delta = append(g.delta, min(max(g.moved[a], lo), hi)-v)
			}
		}
		z := slices.Clone(g.delta)
		g.small.Solve(z)
		lost = floats.Dot(z, g.delta)
		var along float64 // d_B'z
		for q, a := range g.blocked {
			along += g.d[a] * z[q]
		}
		if x := tau - s*share*along; x < 0 || g.m.newton == nil && x > cost*(1+inner) {
			return 0, false
		}
		for a, i := range g.active {
			if g.passed[a] {
				continue
			}
			v := g.m.at.alpha[i] - s*tau*g.d[a] + share*g.d[a]*along
			for q, b := range g.blocked[:len(z)] {
				v += g.column(b)[a] * z[q]
			}
			g.moved[a] = v
			if lo, hi := g.limits(i); v < lo || v > hi {
				g.passed[a] = true
				g.blocked = append(g.blocked, a)
			}
		}
	}
	return lost, true
}

// column is column a of P.
func (g *gains) column(a int) []float64 {
	if !g.known[a] {
		g.known[a] = true
		c := resized(g.columns[a], len(g.active))
		clear(c)
		c[a] = 1
		g.factor.Solve(c)
		if g.m.offset {
			floats.AddScaled(c, -g.one[a]/g.sum, g.one)
		}
		g.columns[a] = c
	}
	return g.columns[a]
}

// loose is what the derivatives that training left may take off: of the hinge, which is trained to a
// tolerance.
func (g *gains) loose(tau float64) float64 {
	if g.m.newton != nil {
		return 0
	}
	sum := tau
	for a, i := range g.active {
		sum += math.Abs(g.moved[a] - g.m.at.alpha[i])
	}
	return sum * g.m.residual
}

// least is what the bound of the node gains at least where so many of the rows without a label are +1, and so
// many -1: of m rows that get a label, one gains as much as the m-th smallest of all.
func (g *gains) least(label []int8, plus, minus int) float64 {
	var most float64
	for j, y := range label {
		if y == 0 {
			most = max(most, min(g.up[j], g.down[j]))
		}
	}
	return max(most, g.smallest(label, g.up, plus), g.smallest(label, g.down, minus))
}

// smallest is the m-th smallest gain of the rows without a label.
func (g *gains) smallest(label []int8, gain []float64, m int) float64 {
	g.sorted = g.sorted[:0]
	for j, y := range label {
		if y == 0 {
			g.sorted = append(g.sorted, gain[j])
		}
	}
	if m == 0 {
		return 0
	}
	slices.Sort(g.sorted)
	return g.sorted[m-1]
}

func resized[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }
