package blas

import (
	"math"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Symmetric eigenproblem A = V diag(w) V', A n x n, in three steps:
//
//	A = Q T Q', T tridiagonal (Householder)           4n^3/3 flops
//	Q from its reflections                            4n^3/3
//	T = S diag(w) S' by implicit QL, V = Q S          about 5n^3
//
// QL: Wilkinson and Reinsch, Handbook for Automatic Computation II (1971),
// contributions II/3 and II/4 (tql2, imtql2). A sweep from row m up to row l with
// Wilkinson's shift is a chain of rotations of neighbours (i, i+1); a value takes
// one to two sweeps. The rotations depend on T alone: they are gathered for many sweeps
// and then applied to S'Q' by strips of columns, each of which is copied to a
// buffer of n x strip that stays in the second-level cache (Van Zee, van de Geijn
// and Quintana-Orti, "Restructuring the tridiagonal and bidiagonal QR algorithms
// for performance", ACM TOMS 40, 2014). Strips are independent: results do not
// depend on threads. Memory: 128 n numbers for the rotations, a strip a thread and
// LAPACK's workspace of 32 n.
const (
	panel = 32 // columns reduced between two updates of the rest
	strip = 16 // columns of four vector registers
	// Sweeps gathered at once: copying a strip is then 2% of the work on it.
	sweeps = 64 // no result depends on it
	// Sweeps one value may take: twice the 30 of tql2.
	sweepLimit = 60
)

// chain is one sweep: its rotations turn rows (top-t-1, top-t), t = 0..k-1,
// with cosines and sines from first on.
type chain struct{ top, first, k int }

func (g *goEngine) syev(a blas64.General, w []float64) bool {
	n := a.Rows
	// Squares of the entries must neither overflow nor vanish.
	var most float64
	for i := range n {
		for _, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			most = max(most, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(most)
	far := exponent < -400 || exponent > 400
	if far {
		scaleBy(a, -exponent)
	}
	var impl lgonum.Implementation
	e, tau := make([]float64, n), make([]float64, n)
	size := make([]float64, 1)
	impl.Dorgtr(gblas.Lower, n, a.Data, a.Stride, tau[:n-1], size, -1)
	work := make([]float64, max(n*panel, int(size[0])))
	g.tridiagonal(a, w, e[:n-1], tau[:n-1], work)
	impl.Dorgtr(gblas.Lower, n, a.Data, a.Stride, tau[:n-1], work, len(work))
	transposeInPlace(a)
	if !g.implicitQL(g.workers(), w, e, a) {
		return false
	}
	ascend(w, a)
	if far {
		scaleBy(blas64.General{Rows: 1, Cols: n, Stride: n, Data: w}, exponent)
	}
	return true
}

// scaleBy multiplies by 2^exponent.
func scaleBy(a blas64.General, exponent int) {
	for i := range a.Rows {
		row := a.Data[i*a.Stride : i*a.Stride+a.Cols]
		for j, v := range row {
			row[j] = math.Ldexp(v, exponent)
		}
	}
}

// tridiagonal is LAPACK's dsytrd for the lower triangle, with the product of each
// panel's update, A22 - V W' - W V', on all threads: T = (d, e), and the reflections
// below the subdiagonal of A and in tau. work holds n x panel numbers.
func (g *goEngine) tridiagonal(a blas64.General, d, e, tau, work []float64) {
	var impl lgonum.Implementation
	n := a.Rows
	i := 0
	for ; n-i > 2*panel; i += panel {
		rest := n - i
		impl.Dlatrd(gblas.Lower, rest, panel, a.Data[i*a.Stride+i:], a.Stride, e[i:], tau[i:], work, panel)
		v := block(a, i+panel, i, rest-panel, panel)
		w := blas64.General{Rows: rest - panel, Cols: panel, Stride: panel, Data: work[panel*panel:]}
		to := block(a, i+panel, i+panel, rest-panel, rest-panel)
		g.mulAdd(g.workers(), gblas.Lower, -1, Op{v, false}, Op{w, true}, to)
		g.mulAdd(g.workers(), gblas.Lower, -1, Op{w, false}, Op{v, true}, to)
		for j := i; j < i+panel; j++ {
			a.Data[(j+1)*a.Stride+j] = e[j] // dlatrd leaves the 1 of the reflection there
			d[j] = a.Data[j*a.Stride+j]
		}
	}
	impl.Dsytd2(gblas.Lower, n-i, a.Data[i*a.Stride+i:], a.Stride, d[i:], e[i:], tau[i:])
}

// implicitQL overwrites the diagonal d by the eigenvalues of T and z = Q' by
// S'Q'. e_i couples i and i+1; e_{n-1} is free.
func (g *goEngine) implicitQL(workers int, d, e []float64, z blas64.General) bool {
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
		g.rotate(workers, chains, c, s, z)
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

var stripPool = sync.Pool{New: func() any { return new(packs) }}

// rotate applies the chains, in turn, to the rows of z.
func (g *goEngine) rotate(workers int, chains []chain, c, s []float64, z blas64.General) {
	n := z.Rows
	if len(c) == 0 {
		return
	}
	tasks((z.Cols+strip-1)/strip, workers, func(t int) {
		j := t * strip
		w := min(strip, z.Cols-j)
		buf := stripPool.Get().(*packs)
		buf.a = grow(buf.a, n*strip)
		x := buf.a
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
		stripPool.Put(buf)
	})
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

// ascend sorts the eigenvalues and the rows of z with them.
func ascend(w []float64, z blas64.General) {
	for i := range w {
		k := i
		for j := i + 1; j < len(w); j++ {
			if w[j] < w[k] {
				k = j
			}
		}
		w[i], w[k] = w[k], w[i]
		swapRows(z, i, k)
	}
}
