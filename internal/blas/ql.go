package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   T = S diag(w) S', T tridiagonal and small: the leaves of divide and conquer.
// Method    Implicit QL. A sweep from row m up to row l with Wilkinson's shift is a chain of rotations of
//           neighbours (i, i+1); a value takes one to two sweeps. The rotations depend on T alone: they are gathered
//           for many sweeps and then applied to S' by strips of columns, each of which is copied to a buffer of
//           n x strip.
// Cost      about 6n^3 flops.
// Source    Wilkinson and Reinsch, Handbook for Automatic Computation II (1971), contributions II/3 and II/4 (tql2,
//           imtql2); Van Zee, van de Geijn and Quintana-Orti, "Restructuring the tridiagonal and bidiagonal QR
//           algorithms for performance", ACM TOMS 40 (2014).

const (
	strip = 16 // columns of four vector registers
	// Sweeps gathered at once: copying a strip is then 2% of the work on it.
	sweeps = 64 // no result depends on it
	// Sweeps one value may take: twice the 30 of tql2.
	sweepLimit = 60
)

// chain is one sweep: its rotations turn rows (top-t-1, top-t), t = 0..k-1,
// with cosines and sines from first on.
type chain struct{ top, first, k int }

// implicitQL overwrites the diagonal d by the eigenvalues of T, in no order, and z by S'z. e_i couples i and i+1;
// e_{n-1} is free.
func (g *engine) implicitQL(d, e []float64, z blas64.General) bool {
	const eps = 0x1p-52
	n := len(d)
	e[n-1] = 0
	var norm float64
	for i := range d {
		norm = max(norm, math.Abs(d[i])+math.Abs(e[i]))
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return false
	}
	// A coupling below eps norm is dropped, as tql2 does: it is
	// no more than the reduction to T and each sweep round. To wait for less may be
	// to wait for ever where many eigenvalues are rounding errors.
	least := eps * norm
	var chains []chain
	var c, s []float64
	flush := func() {
		g.rotate(chains, c, s, z)
		chains, c, s = chains[:0], c[:0], s[:0]
	}
	for l := range n {
		for count := 0; ; count++ {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(e[m]) <= least {
					break
				}
			}
			if m == l {
				break
			}
			if count == sweepLimit {
				return false
			}
			if len(c)+m-l > sweeps*n {
				flush()
			}
			first := len(c)
			c, s = sweep(d, e, l, m, c, s)
			chains = append(chains, chain{top: m, first: first, k: len(c) - first})
		}
	}
	flush()
	return true
}

// sweep does one QL step on rows l..m of T and appends its rotations.
func sweep(d, e []float64, l, m int, c, s []float64) (cs, sn []float64) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	co, si, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := si*e[i], co*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the chain ends early: T falls apart
			d[i+1] -= p
			e[m] = 0
			return c, s
		}
		si, co = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*si + 2*co*b
		p = si * r
		d[i+1] = g + p
		g = co*r - b
		c, s = append(c, co), append(s, si)
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
	return c, s
}

// rotate applies the chains, in turn, to the rows of z.
func (g *engine) rotate(chains []chain, c, s []float64, z blas64.General) {
	n := z.Rows
	if len(c) == 0 {
		return
	}
	buf := packPool.Get().(*packs)
	buf.a = grow(buf.a, n*strip)
	x := buf.a
	for j := 0; j < z.Cols; j += strip {
		w := min(strip, z.Cols-j)
		if w < strip {
			clear(x)
		}
		for i := range n {
			copy(x[i*strip:i*strip+w], z.Data[i*z.Stride+j:])
		}
		for _, q := range chains {
			if q.k == 0 {
				continue
			}
			if g.plain || !hasKernels {
				rotatePlain(x[(q.top-q.k)*strip:(q.top+1)*strip], c[q.first:q.first+q.k], s[q.first:q.first+q.k])
			} else {
				rotateAVX2(&x[q.top*strip], &c[q.first], &s[q.first], q.k)
			}
		}
		for i := range n {
			copy(z.Data[i*z.Stride+j:i*z.Stride+j+w], x[i*strip:])
		}
	}
	packPool.Put(buf)
}

// rotatePlain turns rows (k-t-1, k-t) of the k+1 rows in x, for t = 0..k-1.
func rotatePlain(x, c, s []float64) {
	for t, co := range c {
		si := s[t]
		i := (len(c) - t - 1) * strip
		lo, hi := x[i:i+strip], x[i+strip:i+2*strip]
		for j, v := range lo {
			u := hi[j]
			hi[j] = si*v + co*u
			lo[j] = co*v - si*u
		}
	}
}
