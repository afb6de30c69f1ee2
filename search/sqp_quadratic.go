package search

// Problem      minimise g'(u - x) + 1/2 (u - x)' B (u - x), B positive definite,
//              lo <= u <= hi,  sum of u over each group = that of x.
// Method       Primal active set from u = x: on the face of the bounds that u is at,
//              B_FF p = -(r_F + A'nu), A B_FF^-1 A' nu = -A B_FF^-1 r_F,
//              F the free variables, A the groups' sums over F, r = g + B (u - x);
//              go along p to the minimiser of the face or to the first bound; at a
//              minimiser give up the bound of the most negative multiplier.
// Termination  Bounds met together all join the face, which so has every bound that u is
//              at. Those and the groups' sums are independent, since a group with a sum
//              above zero has a member above zero: every bound given up allows a step
//              that decreases, and no face comes twice.
// Cost         |F|^3/3 a face; about as many faces as bounds that change.
// Source       Nocedal & Wright, Numerical Optimization, 2nd ed., algorithm 16.3.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// polytope is a box of which groups of variables have a constant sum. Those have
// lo = 0 and hi = +Inf: their sum is the upper bound.
type polytope struct {
	lo, hi []float64
	group  []int     // of a variable; -1: none
	mass   []float64 // of a group; above zero
}

// minimise stores the u of the model at x, a point of the polytope, which it may leave short
// of the minimum after 10 (n + 5) faces. Variables at a bound are exactly there. It is false
// if B is not positive definite to working precision.
func (p *polytope) minimise(u, x, g []float64, b *mat.SymDense) bool {
	n := len(x)
	copy(u, x)
	bound := make([]int8, n) // -1 at lo, 1 at hi, 0 free
	for k := range u {
		switch {
		case u[k] <= p.lo[k]:
			bound[k], u[k] = -1, p.lo[k]
		case u[k] >= p.hi[k]:
			bound[k], u[k] = 1, p.hi[k]
		}
	}
	r := make([]float64, n)
	slope := func() {
		for k := range r {
			r[k] = g[k]
			for i := range u {
				r[k] += b.At(k, i) * (u[i] - x[i])
			}
		}
	}
	slope()
	step, nu := make([]float64, n), make([]float64, len(p.mass))
	for range 10 * (n + 5) {
		if !p.onFace(step, nu, r, bound, b) {
			return false
		}
		blocked := p.advance(u, step, bound)
		slope()
		if blocked {
			continue
		}
		k := p.worst(r, nu, bound)
		if k < 0 {
			return true
		}
		bound[k] = 0
	}
	return true
}

// onFace stores the step to the minimiser of the face and the multipliers of the sums.
func (p *polytope) onFace(step, nu, r []float64, bound []int8, b *mat.SymDense) bool {
	clear(step)
	clear(nu)
	free, sums := p.face(bound)
	if len(free) == 0 {
		return true
	}
	// One solve for all: columns B_FF^-1 r_F, B_FF^-1 A'.
	face := mat.NewSymDense(len(free), nil)
	right := mat.NewDense(len(free), 1+len(sums), nil)
	for i, k := range free {
		for j := i; j < len(free); j++ {
			face.SetSym(i, j, b.At(k, free[j]))
		}
		right.Set(i, 0, r[k])
		if c := slices.Index(sums, p.group[k]); c >= 0 {
			right.Set(i, 1+c, 1)
		}
	}
	var chol mat.Cholesky
	var solved mat.Dense
	if !chol.Factorize(face) || chol.SolveTo(&solved, right) != nil {
		return false
	}
	if len(sums) > 0 && !p.multipliers(nu, free, sums, &solved) {
		return false
	}
	for i, k := range free {
		step[k] = -solved.At(i, 0)
		for c, j := range sums {
			step[k] -= solved.At(i, 1+c) * nu[j]
		}
	}
	return true
}

// face lists the free variables and the groups that have one.
func (p *polytope) face(bound []int8) (free, sums []int) {
	for k, s := range bound {
		if s != 0 {
			continue
		}
		free = append(free, k)
		if j := p.group[k]; j >= 0 && !slices.Contains(sums, j) {
			sums = append(sums, j)
		}
	}
	return free, sums
}

// multipliers stores those of the sums from B_FF^-1 r_F and B_FF^-1 A', the columns of solved.
func (p *polytope) multipliers(nu []float64, free, sums []int, solved *mat.Dense) bool {
	q := len(sums)
	schur, rhs := mat.NewSymDense(q, nil), mat.NewVecDense(q, nil)
	for i, k := range free {
		c := slices.Index(sums, p.group[k])
		if c < 0 {
			continue
		}
		rhs.SetVec(c, rhs.AtVec(c)-solved.At(i, 0))
		for d := c; d < q; d++ {
			schur.SetSym(c, d, schur.At(c, d)+solved.At(i, 1+d))
		}
	}
	var small mat.Cholesky
	var of mat.VecDense
	if !small.Factorize(schur) || small.SolveVecTo(&of, rhs) != nil {
		return false
	}
	for c, j := range sums {
		nu[j] = of.AtVec(c)
	}
	return true
}

// advance goes along the step as far as the bounds allow and says whether one was met.
func (p *polytope) advance(u, step []float64, bound []int8) (blocked bool) {
	reach := func(k int) float64 {
		switch {
		case bound[k] != 0 || step[k] == 0:
			return math.Inf(1)
		case step[k] < 0:
			return (p.lo[k] - u[k]) / step[k]
		}
		return (p.hi[k] - u[k]) / step[k]
	}
	longest := 1.0
	for k := range u {
		longest = min(longest, reach(k))
	}
	for k := range u {
		if reach(k) <= longest { // bounds met together, exactly
			u[k], bound[k], blocked = p.lo[k], -1, true
			if step[k] > 0 {
				u[k], bound[k] = p.hi[k], 1
			}
			continue
		}
		u[k] += longest * step[k]
	}
	return blocked
}

// worst is the variable whose bound is best given up, -1 if none is: its multiplier
// has the wrong sign by more than rounding.
func (p *polytope) worst(r, nu []float64, bound []int8) int {
	scale := 0.0
	for _, v := range r {
		scale = max(scale, math.Abs(v))
	}
	at, most := -1, 1e-12*scale
	for k, s := range bound {
		if s == 0 || p.lo[k] == p.hi[k] {
			continue
		}
		m := r[k]
		if j := p.group[k]; j >= 0 {
			m += nu[j]
		}
		if v := float64(s) * m; v > most { // at lo the multiplier must not be negative, at hi not positive
			at, most = k, v
		}
	}
	return at
}

// project replaces u by the nearest point of the polytope: clipped to the box, and in a
// group max(u_k - tau, 0), tau by sorting (Held, Wolfe & Crowder 1974).
func (p *polytope) project(u []float64) {
	for k := range u {
		if p.group[k] < 0 {
			u[k] = min(max(u[k], p.lo[k]), p.hi[k])
		}
	}
	for j, m := range p.mass {
		var sorted []float64
		for k, v := range u {
			if p.group[k] == j {
				sorted = append(sorted, v)
			}
		}
		slices.Sort(sorted)
		slices.Reverse(sorted)
		tau, sum := 0.0, 0.0
		for i, v := range sorted {
			sum += v
			if t := (sum - m) / float64(i+1); v > t {
				tau = t
			}
		}
		for k := range u {
			if p.group[k] == j {
				u[k] = max(u[k]-tau, 0)
			}
		}
	}
}
