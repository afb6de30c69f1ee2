package blas

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/gonum"
)

// Packed matrix product in single precision: the scheme of gemm.go with strips of
// 6 rows and 16 columns, which fill the same registers and caches with twice as many
// numbers. Every element of C sees the same operations in the same order whatever the
// shape, the place in its block and the number of threads. Memory: 2.4 MB for A,
// 3.1 MB for B at most.
const (
	stripB32 = 16
	tileN32  = 512 // columns a task takes, 786 kB of packed B in the second level
)

// update says whether a product overwrites C or is added to it. The micro-kernel reads it as a bool.
type update bool

const (
	overwrite update = false
	add       update = true
)

// packs32 are the buffers of one running product.
type packs32 struct{ a, b []float32 }

var packPool32 = sync.Pool{New: func() any { return new(packs32) }}

// Sgemm is Gemm in single precision, on row-major storage: C = alpha op(A) op(B) +
// beta C. Each element carries an error of at most k 2^-24 (|op(A)| |op(B)|)_ij, about
// sqrt(k) instead of k where signs are mixed. 2mnk flops, twice as fast as Gemm.
func (b Backend) Sgemm(alpha float32, x, y Op32, beta float32, c blas32.General) {
	check32(x.General)
	check32(y.General)
	check32(c)
	m, k := x.dims()
	k2, n := y.dims()
	if k != k2 || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("blas: Sgemm of %dx%d and %dx%d into %dx%d", m, k, k2, n, c.Rows, c.Cols))
	}
	switch {
	case m == 0 || n == 0:
	case k == 0 || alpha == 0:
		scale(beta, c.Data, c.Rows, c.Cols, c.Stride)
	default:
		b.engine().gemm32(alpha, x, y, beta, c)
	}
}

// gemm32 is gemm in single precision, which ends whole once it has begun.
func (g *engine) gemm32(alpha float32, a, b Op32, beta float32, c blas32.General) {
	if g.stop.asked() {
		return
	}
	m, n := c.Rows, c.Cols
	_, k := a.dims()
	if g.plain || !hasKernels {
		scale(beta, c.Data, c.Rows, c.Cols, c.Stride)
		gonum.Implementation{}.Sgemm(a.trans.word(), b.trans.word(), m, n, k, alpha,
			a.Data, a.Stride, b.Data, b.Stride, 1, c.Data, c.Stride)
		return
	}
	if beta != 0 {
		scale(beta, c.Data, c.Rows, c.Cols, c.Stride)
	}
	workers := g.workers()
	if m*n*k < parallelWork {
		workers = 1
	}
	buf := packPool32.Get().(*packs32)
	for j0 := 0; j0 < n; j0 += maxN {
		nc := min(maxN, n-j0)
		for p0 := 0; p0 < k; p0 += depth {
			kc := min(depth, k-p0)
			how := overwrite
			if beta != 0 || p0 > 0 {
				how = add
			}
			buf.b = grow32(buf.b, roundUp(nc, stripB32)*kc)
			tasks((nc+tileN32-1)/tileN32, workers, func(t int) {
				for j := t * tileN32; j < min((t+1)*tileN32, nc); j += stripB32 {
					pack32(buf.b[j*kc:(j+stripB32)*kc], stripB32, b.t(), j0+j, min(stripB32, nc-j), p0)
				}
			})
			for i0 := 0; i0 < m; i0 += maxM {
				mc := min(maxM, m-i0)
				buf.a = grow32(buf.a, roundUp(mc, stripA)*kc)
				rows := (mc + tileM - 1) / tileM
				tasks(rows, workers, func(t int) {
					for i := t * tileM; i < min((t+1)*tileM, mc); i += stripA {
						pack32(buf.a[i*kc:(i+stripA)*kc], stripA, a, i0+i, min(stripA, mc-i), p0)
					}
				})
				tasks(rows*((nc+tileN32-1)/tileN32), workers, func(t int) {
					i, j := t%rows*tileM, t/rows*tileN32
					buf.tile(kc, how, alpha, extent{i, min(i+tileM, mc), i0}, extent{j, min(j+tileN32, nc), j0}, c)
				})
			}
		}
	}
	packPool32.Put(buf)
}

// tile multiplies packed rows by packed columns into C.
func (buf *packs32) tile(kc int, how update, alpha float32, rows, cols extent, c blas32.General) {
	var edge [stripA * stripB32]float32
	for j := cols.from; j < cols.to; j += stripB32 {
		w, r := min(stripB32, cols.to-j), rows.from
		pb := &buf.b[j*kc]
		if whole := (rows.to - r) / stripA; whole > 0 && w == stripB32 {
			kernel6x16(whole, kc, &buf.a[r*kc], pb, &c.Data[(rows.at+r)*c.Stride+cols.at+j], c.Stride, alpha, how)
			r += whole * stripA
		}
		for ; r < rows.to; r += stripA {
			h := min(stripA, rows.to-r)
			row, col := rows.at+r, cols.at+j
			// The kernel works on a copy, so that an edge rounds as the middle does.
			for x := range h {
				copy(edge[x*stripB32:x*stripB32+w], c.Data[(row+x)*c.Stride+col:])
			}
			kernel6x16(1, kc, &buf.a[r*kc], pb, &edge[0], stripB32, alpha, how)
			for x := range h {
				copy(c.Data[(row+x)*c.Stride+col:], edge[x*stripB32:x*stripB32+w])
			}
		}
	}
}

// pack32 is pack in single precision.
func pack32(dst []float32, s int, x Op32, v0, have, p0 int) {
	kc := len(dst) / s
	if have < s {
		clear(dst)
	}
	if x.trans {
		src := x.Data[p0*x.Stride+v0:]
		switch have {
		case stripA:
			for p := range kc {
				*(*[stripA]float32)(dst[p*s:]) = [stripA]float32(src[p*x.Stride:])
			}
		case stripB32:
			for p := range kc {
				*(*[stripB32]float32)(dst[p*s:]) = [stripB32]float32(src[p*x.Stride:])
			}
		default:
			for p := range kc {
				copy(dst[p*s:p*s+have], src[p*x.Stride:])
			}
		}
		return
	}
	row := func(r int) []float32 { return x.Data[(v0+r)*x.Stride+p0:][:kc] }
	r := 0
	// Squares of 8 x 8 are transposed in registers.
	for ; r+8 <= have; r += 8 {
		whole := kc &^ 7
		if whole > 0 {
			transpose8(&dst[r], &row(r)[0], s, x.Stride, whole)
		}
		for q := r; q < r+8; q++ {
			for p, e := range row(q)[whole:] {
				dst[(whole+p)*s+q] = e
			}
		}
	}
	for ; r+3 < have; r += 4 {
		u, v, w, z := row(r), row(r+1), row(r+2), row(r+3)
		d := dst[r:]
		for p := range kc {
			*(*[4]float32)(d[p*s:]) = [4]float32{u[p], v[p], w[p], z[p]}
		}
	}
	for ; r < have; r++ {
		for p, e := range row(r) {
			dst[p*s+r] = e
		}
	}
}

func check32(m blas32.General) {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols || m.Rows > 0 && m.Cols > 0 && len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
		panic(fmt.Sprintf("blas: a %dx%d matrix of stride %d in %d numbers", m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

func grow32(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}
