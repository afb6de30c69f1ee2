package blas

import (
	"sync"
	"sync/atomic"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Packed matrix product after Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34 (2008):
//
//	C (m x n) += alpha op(A) (m x k) op(B) (k x n)
//
// k is cut into slices of depth; of each slice, rows of A and columns of B are
// packed into strips of 6 and 8, zero padded, and a micro-kernel multiplies
// strips into 6 x 8 blocks of C held in registers. Every element of C sees the
// same operations in the same order whatever the shape, the place in its block
// and the number of threads. Memory: 3.1 MB for A, 4.2 MB for B at most.
const (
	stripA = 6
	stripB = 8
	depth  = 256  // a strip of B, 16 kB, stays in the first-level cache; no result depends on it
	tileM  = 96   // rows a task takes at a time: 196 kB of A in the second level
	tileN  = 256  // columns a task takes
	maxM   = 1536 // rows, no result depends on it, and
	maxN   = 2048 // columns packed at once, third level; no result depends on it
	// Below this many multiplications goroutines cost more than they bring.
	parallelWork = 1 << 17
)

// packs are the buffers of one running product.
type packs struct{ a, b []float64 }

var packPool = sync.Pool{New: func() any { return new(packs) }}

// mulAdd adds alpha op(A) op(B) to all of C, or to its lower triangle alone.
func (g *goEngine) mulAdd(workers int, uplo gblas.Uplo, alpha float64, a, b Op, c blas64.General) {
	m, n := c.Rows, c.Cols
	_, k := a.dims()
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if g.plain || !hasKernels {
		plainMulAdd(uplo, alpha, a, b, c)
		return
	}
	if m*n*k < parallelWork {
		workers = 1
	}
	if n <= thinColumns && !a.trans && uplo == gblas.All {
		g.thin(workers, alpha, a, b, c)
		return
	}
	buf := packPool.Get().(*packs)
	for j0 := 0; j0 < n; j0 += maxN {
		nc := min(maxN, n-j0)
		for p0 := 0; p0 < k; p0 += depth {
			kc := min(depth, k-p0)
			buf.b = grow(buf.b, roundUp(nc, stripB)*kc)
			tasks((nc+tileN-1)/tileN, workers, func(t int) {
				for j := t * tileN; j < min((t+1)*tileN, nc); j += stripB {
					pack(buf.b[j*kc:(j+stripB)*kc], stripB, b.t(), j0+j, min(stripB, nc-j), p0)
				}
			})
			for i0 := 0; i0 < m; i0 += maxM {
				mc := min(maxM, m-i0)
				if uplo == gblas.Lower && i0+mc <= j0 {
					continue
				}
				buf.a = grow(buf.a, roundUp(mc, stripA)*kc)
				rows := (mc + tileM - 1) / tileM
				tasks(rows, workers, func(t int) {
					for i := t * tileM; i < min((t+1)*tileM, mc); i += stripA {
						pack(buf.a[i*kc:(i+stripA)*kc], stripA, a, i0+i, min(stripA, mc-i), p0)
					}
				})
				tasks(rows*((nc+tileN-1)/tileN), workers, func(t int) {
					i, j := t%rows*tileM, t/rows*tileN
					buf.tile(kc, uplo, alpha, extent{i, min(i+tileM, mc), i0}, extent{j, min(j+tileN, nc), j0}, c)
				})
			}
		}
	}
	packPool.Put(buf)
}

// extent is packed vectors [from, to), of which the first is number at of the matrix.
type extent struct{ from, to, at int }

// tile multiplies packed rows by packed columns into C.
func (buf *packs) tile(kc int, uplo gblas.Uplo, alpha float64, rows, cols extent, c blas64.General) {
	lower := uplo == gblas.Lower
	var edge [stripA * stripB]float64
	for j := cols.from; j < cols.to; j += stripB {
		w := min(stripB, cols.to-j)
		for r := rows.from; r < rows.to; r += stripA {
			h := min(stripA, rows.to-r)
			row, col := rows.at+r, cols.at+j
			if lower && row+h <= col {
				continue
			}
			pa, pb := &buf.a[r*kc], &buf.b[j*kc]
			if h == stripA && w == stripB && (!lower || row >= col+w-1) {
				kernel6x8(kc, pa, pb, &c.Data[row*c.Stride+col], c.Stride, alpha)
				continue
			}
			// The kernel works on a copy, so that an edge rounds as the middle does.
			for x := range h {
				copy(edge[x*stripB:x*stripB+w], c.Data[(row+x)*c.Stride+col:])
			}
			kernel6x8(kc, pa, pb, &edge[0], stripB, alpha)
			for x := range h {
				keep := w
				if lower {
					keep = min(w, row+x-col+1)
				}
				if keep > 0 {
					copy(c.Data[(row+x)*c.Stride+col:], edge[x*stripB:x*stripB+keep])
				}
			}
		}
	}
}

// pack writes a strip of s rows of op(X), element after element: dst[p*s+r] is
// element p0+p of row v0+r. Rows from r = have on are zero.
func pack(dst []float64, s int, x Op, v0, have, p0 int) {
	kc := len(dst) / s
	if have < s {
		clear(dst)
	}
	if x.trans {
		src := x.Data[p0*x.Stride+v0:]
		switch have {
		case stripA: // constant sizes make the copies two or three moves
			for p := range kc {
				*(*[stripA]float64)(dst[p*s:]) = [stripA]float64(src[p*x.Stride:])
			}
		case stripB:
			for p := range kc {
				*(*[stripB]float64)(dst[p*s:]) = [stripB]float64(src[p*x.Stride:])
			}
		default:
			for p := range kc {
				copy(dst[p*s:p*s+have], src[p*x.Stride:])
			}
		}
		return
	}
	row := func(r int) []float64 { return x.Data[(v0+r)*x.Stride+p0:][:kc] }
	// Several vectors at a time save passes over dst.
	r := 0
	for ; r+3 < have; r += 4 {
		u, v, w, z := row(r), row(r+1), row(r+2), row(r+3)
		d := dst[r:]
		for p := range kc {
			*(*[4]float64)(d[p*s:]) = [4]float64{u[p], v[p], w[p], z[p]}
		}
	}
	for ; r+1 < have; r += 2 {
		u, v := row(r), row(r+1)
		d := dst[r:]
		for p := range kc {
			*(*[2]float64)(d[p*s:]) = [2]float64{u[p], v[p]}
		}
	}
	for ; r < have; r++ {
		for p, e := range row(r) {
			dst[p*s+r] = e
		}
	}
}

// plainMulAdd does the same by gonum, whose product exploits no symmetry: the
// lower triangle goes by block rows with a full diagonal block aside.
func plainMulAdd(uplo gblas.Uplo, alpha float64, a, b Op, c blas64.General) {
	_, k := a.dims()
	mul := func(i, m, j, n int, beta float64, c blas64.General) {
		if m == 0 || n == 0 {
			return
		}
		x, y := a.part(i, m), b.t().part(j, n)
		gonum.Implementation{}.Dgemm(a.trans.word(), b.trans.word(), m, n, k, alpha,
			x.Data, x.Stride, y.Data, y.Stride, beta, c.Data, c.Stride)
	}
	if uplo == gblas.All {
		mul(0, c.Rows, 0, c.Cols, 1, c)
		return
	}
	const nb = 64 // no result depends on it
	diag := blas64.General{Rows: nb, Cols: nb, Stride: nb, Data: make([]float64, nb*nb)}
	for i := 0; i < c.Rows; i += nb {
		h := min(nb, c.Rows-i)
		mul(i, h, 0, i, 1, block(c, i, 0, h, i))
		mul(i, h, i, h, 0, block(diag, 0, 0, h, h))
		for r := range h {
			row := c.Data[(i+r)*c.Stride+i:]
			for j, v := range diag.Data[r*nb : r*nb+r+1] {
				row[j] += v
			}
		}
	}
}

// rowSub subtracts combinations of rows: dst -= sum_{t<k} coef[t inc] x[t ldx:].
func (g *goEngine) rowSub(dst, x []float64, ldx int, coef []float64, inc, k int) {
	w := len(dst)
	if w == 0 || k == 0 {
		return
	}
	_, _ = x[(k-1)*ldx+w-1], coef[(k-1)*inc]
	if !g.plain && hasKernels {
		rowSubAVX2(&dst[0], w, &x[0], ldx, &coef[0], inc, k)
		return
	}
	for t := range k {
		f := coef[t*inc]
		for j, v := range x[t*ldx : t*ldx+w] {
			dst[j] -= f * v
		}
	}
}

// tasks calls f(0..n-1), each once, on at most so many goroutines.
func tasks(n, workers int, f func(t int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for t := range n {
			f(t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	run := func() {
		for t := int(next.Add(1)) - 1; t < n; t = int(next.Add(1)) - 1 {
			f(t)
		}
	}
	for range workers - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
}

func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
