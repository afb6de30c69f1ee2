package solve

import "math"

// lassoStep is a step of the path: how far along d, what ends it, and the unit that enters
// or leaves there.
type lassoStep struct {
	g     float64
	end   LassoEnd
	enter lassoUnit // id -1: none
	drop  int       // place among the active units; -1: none
}

// advance goes to the next knot, or learns that the step is zero: then only the
// active set changes.
func (h *homotopy) advance() LassoEnd {
	h.moved = false
	h.admit()
	if len(h.act) == 0 { // every column was set aside, or the only one left again
		return LassoSaturated
	}
	if end, ok := h.orient(); !ok {
		return end
	}
	s := lassoStep{g: max(h.bound-h.bound0*h.o.MinShare, 0), end: LassoComplete, enter: lassoUnit{id: -1}, drop: -1}
	h.entering(&s)
	h.leaving(&s)
	h.limited(&s)
	if s.drop >= 0 {
		s.enter.id = -1
	}
	return h.perform(&s)
}

// orient computes d and the products with it. It is false, with what advance returns, if
// no direction is good enough.
func (h *homotopy) orient() (LassoEnd, bool) {
	k := len(h.act)
	// What v_A and c_A show is enough where the factor is good; where it was not at the
	// last step they are looked at before the pass over all columns.
	for look := h.skew > skewed/100; ; look = true {
		if h.direct(look) > useless {
			// Each pivot is sound, all together are not: a new factor may help, the old
			// one without the column that has just joined should.
			if h.refactor(); h.direct(true) > useless {
				if h.act[k-1].alpha != 0 {
					return LassoSaturated, false
				}
				h.setAside(k - 1)
				return LassoUnfinished, false
			}
		}
		h.products(true)
		h.certify()
		if look || h.skew <= skewed {
			return LassoUnfinished, true
		}
	}
}

// entering shortens the step to the first column that reaches the bound.
func (h *homotopy) entering(p *lassoStep) {
	// Entries within rounding of the end are the end: in the span of A all columns
	// arrive there together.
	limit := p.g * (1 - 1e-10)
	for j, state := range h.state {
		if state == colActive || state == colAside {
			continue
		}
		c, v := h.c[j], h.v[j]
		for _, s := range [2]float64{1, -1} {
			den := 1 - s*v
			if den <= 1e-14 {
				continue
			}
			t := max(h.bound-s*c, 0) / den
			// One that has left at this knot is on its way inside, den <= 0 but for
			// rounding, unless others left after it: then it may come back, as long as
			// columns that meet at one knot do not take turns for ever.
			if t <= 1e-10*h.bound && (state == colLeftUp && s > 0 || state == colLeftDown && s < 0) &&
				(den <= 1e-8 || int32(j) == h.left.work || h.stalled > 64) {
				continue
			}
			if t < limit {
				limit, p.g, p.end = t, t, LassoUnfinished
				p.enter = lassoUnit{id: h.ids[j], work: int32(j), sign: s}
			}
		}
	}
}

// leaving shortens the step to the first coefficient that becomes zero.
func (h *homotopy) leaving(p *lassoStep) {
	for a, e := range h.act {
		if d := h.d[a] * e.sign; d < 0 {
			if t := max(e.alpha*e.sign, 0) / -d; t < p.g {
				p.g, p.end, p.drop = t, LassoUnfinished, a
			}
		}
	}
}

// limited shortens the step to the largest |alpha|_1 allowed, which grows at the rate
// s'd = |u|^2.
func (h *homotopy) limited(p *lassoStep) {
	rate := 0.0
	for a, e := range h.act {
		rate += e.sign * h.d[a]
	}
	if h.l1+p.g*rate >= h.o.MaxL1 {
		p.g, p.end, p.drop, p.enter.id = max(h.o.MaxL1-h.l1, 0)/rate, LassoL1, -1, -1
	}
}

// perform makes the step.
func (h *homotopy) perform(p *lassoStep) LassoEnd {
	h.enter, h.left.id, h.left.work = p.enter, -1, -1
	positive := h.move(p.g, p.drop)
	h.stalled++
	if positive {
		h.stalled = 0
		for j, state := range h.state {
			if state == colLeftUp || state == colLeftDown {
				h.state[j] = colFree
			}
		}
	}
	if p.drop >= 0 {
		h.leave(p.drop)
	}
	if positive {
		// Rounding alone is left as it is.
		if h.skew > 1e-12 || h.off > 1e-12 {
			h.correlate()
		}
		if h.sse <= h.o.MinSSE {
			return LassoSSE
		}
	}
	return p.end
}

// judged is the share of its start down to which C is more than rounding, so that a certificate goes by it.
const judged = 1e-9

// The errors of v_A, and of c_A relative to C, from which on they are refined: the factor
// of H_A'H_A loses digits as its condition number grows. An error of v_A reaches c_A
// at most once, and 1e-8 is what the certificate should stay below.
const (
	skewed  = 1e-9
	inexact = 1e-10
	useless = 1e-7 // of v_A after refinement: no direction
)

// direct computes d and u = H_A d. If it shall look it refines d by (H_A'H_A)^-1 (s - v_A)
// while that helps, and returns what remains of s - v_A.
func (h *homotopy) direct(look bool) float64 {
	k := len(h.act)
	h.d, h.w, h.alpha = sized(h.d, k), sized(h.w, k), sized(h.alpha, k)
	for a, e := range h.act {
		h.d[a], h.alpha[a] = e.sign, e.alpha
	}
	h.chol.Solve(h.d)
	before := math.Inf(1)
	for it := 0; ; it++ {
		h.combine(h.u, h.d)
		if !look {
			return 0
		}
		h.activeProducts(h.w, h.u)
		var skew float64
		for a, e := range h.act {
			h.w[a] = e.sign - h.w[a]
			skew = max(skew, math.Abs(h.w[a]))
		}
		if !(skew > skewed) || !(skew < before/2) || it == 8 {
			return skew
		}
		before = skew
		h.chol.Solve(h.w)
		for a := range h.d {
			h.d[a] += h.w[a]
		}
	}
}

// correlate refines alpha by (H_A'H_A)^-1 (c_A - C s) while that helps: then every knot is
// a solution by itself, whatever the steps before.
func (h *homotopy) correlate() {
	k := len(h.act)
	h.w, h.old = h.w[:k], sized(h.old, k)
	before := math.Inf(1)
	for range 8 {
		h.activeProducts(h.w, h.r)
		var off float64
		for a, e := range h.act {
			h.w[a] -= h.bound * e.sign
			off = max(off, math.Abs(h.w[a]))
		}
		if !(off <= before) { // it did not help: back
			copy(h.alpha, h.old)
			h.settle()
			return
		}
		if off <= inexact*h.bound || off <= 1e-16*h.bound0 || off > before/2 {
			return
		}
		before = off
		h.chol.Solve(h.w)
		copy(h.old, h.alpha)
		for a, e := range h.act {
			// A correction that turns a sign is rounding; the column leaves next.
			if h.alpha[a] += h.w[a]; h.alpha[a]*e.sign < 0 {
				h.alpha[a] = 0
			}
		}
		h.settle()
	}
}

// stuck tells that every column has had its turn at this knot, and more.
func (h *homotopy) stuck() bool { return h.stalled > 256+2*len(h.ids) }

// certify looks at the products of a step: it notes the errors of v_A and c_A and takes the
// violation of the KKT conditions at the present knot into the certificate. A column
// that has just joined, at the bound, counts as one outside.
func (h *homotopy) certify() {
	h.skew, h.off = 0, 0
	if h.bound0 == 0 {
		return // the targets are zero: so are all coefficients
	}
	var over, off float64
	for j, c := range h.c[:len(h.ids)] {
		if h.state[j] != colActive {
			over = max(over, math.Abs(c)-h.bound)
		}
	}
	for _, e := range h.act {
		h.skew = max(h.skew, math.Abs(h.v[e.work]-e.sign))
		if e.alpha != 0 {
			off = max(off, math.Abs(h.c[e.work]-e.sign*h.bound))
		}
	}
	if h.off = off / h.bound; h.bound >= judged*h.bound0 {
		h.violation = max(h.violation, over/h.bound, h.off)
	}
}

// move goes g along d; unit drop becomes exactly zero. It tells whether the step was
// not zero.
func (h *homotopy) move(g float64, drop int) bool {
	if g == 0 && (drop < 0 || h.alpha[drop] == 0) {
		return false
	}
	size, bound := h.l1, h.bound
	for a, e := range h.act {
		// Of columns that leave together rounding may take one past zero.
		if h.alpha[a] += g * h.d[a]; h.alpha[a]*e.sign < 0 || a == drop {
			h.alpha[a] = 0
		}
	}
	h.settle()
	h.bound -= g
	h.moved = h.bound < bound && h.l1 > size // else it is rounding, and no new knot
	return true
}

// settle takes alpha over into the active set and computes the residual anew.
func (h *homotopy) settle() {
	clear(h.r)
	if len(h.act) > 0 {
		h.combine(h.r, h.alpha)
	}
	h.sse, h.l1 = 0, 0
	for i, y := range h.y {
		h.r[i] = y - h.r[i]
		h.sse += h.r[i] * h.r[i]
	}
	for a := range h.act {
		h.act[a].alpha = h.alpha[a]
		h.l1 += math.Abs(h.alpha[a])
	}
}

// leave takes unit a out of A.
func (h *homotopy) leave(a int) {
	e := h.act[a]
	h.chol.Remove(a)
	h.free = append(h.free, h.slot[a])
	h.act = append(h.act[:a], h.act[a+1:]...)
	h.alpha = append(h.alpha[:a], h.alpha[a+1:]...)
	h.slot = append(h.slot[:a], h.slot[a+1:]...)
	h.drops++
	h.left = e
	h.markLeft()
	for j, state := range h.state {
		if state == colAside {
			h.state[j] = colFree
		}
	}
}

func (h *homotopy) markLeft() {
	if h.left.id >= 0 {
		h.state[h.left.work] = colLeftUp
		if h.left.sign < 0 {
			h.state[h.left.work] = colLeftDown
		}
	}
}
