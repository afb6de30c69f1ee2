package blas

import (
	"sync"

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
// and the number of threads. Memory: 4.7 MB for A, 6.3 MB for B at most.
const (
	stripA   = 6
	stripB   = 8
	wideA    = 2 * stripA // the block of the AVX-512 kernel,
	wideB    = 2 * stripB // two strips each way
	depth    = 384        // a strip of B, 24 kB, stays in the first-level cache; last digits follow where slices end
	tileM    = 96         // rows a task takes at a time: 295 kB of A in the second level; of a small product half
	tileN    = 256        // columns a task takes; of a small product half
	smallC   = 1 << 18    // elements of C of a small product
	maxM     = 1536       // rows, no result depends on it, and
	maxN     = 2048       // columns packed at once, third level; no result depends on it
	packRows = 16         // rows of a transposed matrix packed at a time; no result depends on it
	// Below this many multiplications goroutines cost more than they bring.
	parallelWork = 1 << 17
)

// packs are buffers that operations borrow.
type packs struct{ a, b []float64 }

var packPool = sync.Pool{New: func() any { return new(packs) }}

// packedProduct is a running product with its buffers.
type packedProduct struct {
	packs
	packTask, tileTask func(t int) // pack and tile, made once
	manner
	width        width
	x, y         Op // op(A) and op(B)'
	c            blas64.General
	tileM, tileN int
	p0, kc       int    // the slice
	rows, cols   extent // what is packed of it
	toPack       int    // tasks that pack A, before those that pack B
}

// width says which micro-kernel a product uses.
type width bool

const (
	byAVX2   width = false
	byAVX512 width = true
)

// extent is numbers [from, to) of rows or columns, of which the first is number at of the matrix.
type extent struct{ from, to, at int }

var products = sync.Pool{New: func() any {
	p := new(packedProduct)
	p.packTask, p.tileTask = p.pack, p.tile
	return p
}}

// manner is how a product is stored: in which triangle, with which factor, and over or to what C holds.
type manner struct {
	uplo  gblas.Uplo
	alpha float64
	how   update
}

// mulAdd adds alpha op(A) op(B) to all of C, or to its lower triangle alone.
func (g *engine) mulAdd(team *team, uplo gblas.Uplo, alpha float64, a, b Op, c blas64.General) {
	g.multiply(team, manner{uplo, alpha, add}, a, b, c)
}

// store is C = op(A) op(B), of which uplo may leave out the upper triangle.
func (g *engine) store(team *team, uplo gblas.Uplo, a, b Op, c blas64.General) {
	g.multiply(team, manner{uplo, 1, overwrite}, a, b, c)
}

func (g *engine) multiply(team *team, how manner, a, b Op, c blas64.General) {
	m, n := c.Rows, c.Cols
	_, k := a.dims()
	if kernels := !g.plain && hasKernels; k == 0 || !kernels {
		if how.how == overwrite {
			scaleTriangle(how.uplo, 0, c)
		}
		if k > 0 && m > 0 && n > 0 {
			plainMulAdd(team, how.uplo, how.alpha, a, b, c)
		}
		return
	}
	if m == 0 || n == 0 {
		return
	}
	if m*n*k < parallelWork {
		team = nil
	}
	if n <= thinColumns && !a.trans && how.uplo == gblas.All {
		if how.how == overwrite {
			scaleTriangle(gblas.All, 0, c)
		}
		g.thin(team, how.alpha, a, b, c)
		return
	}
	p := products.Get().(*packedProduct)
	p.width, p.manner, p.x, p.y, p.c = width(hasWide && !g.narrow), how, a, b.t(), c
	p.tileM, p.tileN = tileM, tileN
	if m*n < smallC {
		p.tileM, p.tileN = tileM/2, tileN/2
	}
	for j0 := 0; j0 < n; j0 += maxN {
		p.cols = extent{0, min(maxN, n-j0), j0}
		for p0 := 0; p0 < k; p0 += depth {
			p.p0, p.kc = p0, min(depth, k-p0)
			p.slice(team)
		}
	}
	p.x, p.y, p.c = Op{}, Op{}, blas64.General{}
	products.Put(p)
}

// slice adds what one slice of k gives to the columns of p.
func (p *packedProduct) slice(team *team) {
	nc := p.cols.to
	p.b = grow(p.b, roundUp(nc, wideB)*p.kc)
	unpacked := (nc + p.tileN - 1) / p.tileN // parts of B
	for i0 := 0; i0 < p.c.Rows; i0 += maxM {
		mc := min(maxM, p.c.Rows-i0)
		if p.uplo == gblas.Lower && i0+mc <= p.cols.at {
			continue
		}
		p.rows = extent{0, mc, i0}
		p.a = grow(p.a, roundUp(mc, wideA)*p.kc)
		p.toPack = (mc + p.tileM - 1) / p.tileM
		team.run(p.toPack+unpacked, p.packTask)
		unpacked = 0
		team.run(p.toPack*((nc+p.tileN-1)/p.tileN), p.tileTask)
	}
}

// pack packs a tile of rows of A, or of columns of B, up to a whole block of the wide kernel.
func (p *packedProduct) pack(t int) {
	if t < p.toPack {
		packStrips(p.a, stripA, p.x, extent{t * p.tileM, min((t+1)*p.tileM, roundUp(p.rows.to, wideA)), p.rows.at}, p.rows.to, p)
		return
	}
	t -= p.toPack
	packStrips(p.b, stripB, p.y, extent{t * p.tileN, min((t+1)*p.tileN, roundUp(p.cols.to, wideB)), p.cols.at}, p.cols.to, p)
}

// packStrips packs vectors v of op(X), of which those before end exist, in strips of s. Of a transposed X some rows
// at a time go to all strips, because a row's neighbours in memory go to the next strip.
func packStrips(dst []float64, s int, x Op, v extent, end int, p *packedProduct) {
	rows := p.kc
	if x.trans {
		rows = packRows
	}
	for q := 0; q < p.kc; q += rows {
		h := min(rows, p.kc-q)
		for i := v.from; i < v.to; i += s {
			pack(dst[i*p.kc+q*s:i*p.kc+(q+h)*s], s, x, v.at+i, max(0, min(s, end-i)), p.p0+q)
		}
	}
}

// tile multiplies a tile of packed rows by one of packed columns into C.
func (p *packedProduct) tile(t int) {
	i, j := t%p.toPack*p.tileM, t/p.toPack*p.tileN
	rows, cols := extent{i, min(i+p.tileM, p.rows.to), p.rows.at}, extent{j, min(j+p.tileN, p.cols.to), p.cols.at}
	if p.uplo == gblas.Lower && rows.at+rows.to <= cols.at+cols.from {
		return
	}
	height, width := stripA, stripB
	if p.width == byAVX512 {
		height, width = wideA, wideB
	}
	for j := cols.from; j < cols.to; j += width {
		for r := rows.from; r < rows.to; r += height {
			p.block(r, j, min(height, rows.to-r), min(width, cols.to-j))
		}
	}
}

// block multiplies h packed rows from r on by w packed columns from j on, at most a block of the kernel.
func (p *packedProduct) block(r, j, h, w int) {
	lower := p.uplo == gblas.Lower
	row, col := p.rows.at+r, p.cols.at+j
	if lower && row+h <= col {
		return
	}
	height, width := stripA, stripB
	if p.width == byAVX512 {
		height, width = wideA, wideB
	}
	pa, pb, c := &p.a[r*p.kc], &p.b[j*p.kc], p.c.Data[row*p.c.Stride+col:]
	// Each call asks for its share of the strips of B that come next.
	next := &p.b[min((j+width)*p.kc+r%p.tileM*p.kc*width/p.tileM, len(p.b)-1)]
	inside := h == height && w == width && (!lower || row >= col+w-1)
	first := p.how == overwrite && p.p0 == 0
	switch {
	case inside && p.width == byAVX512:
		kernel12x16(p.kc, pa, pb, &c[0], p.c.Stride, p.alpha, next, 0, nil, update(!first))
	case inside:
		kernel6x8(p.kc, pa, pb, &c[0], p.c.Stride, p.alpha, next, update(!first))
	default:
		var columns [wideA]int // of C in each row
		for x := range h {
			columns[x] = w
			if lower {
				columns[x] = max(0, min(w, row+x-col+1))
			}
			if first {
				clear(c[min(x*p.c.Stride, len(c)):][:columns[x]])
			}
		}
		if p.width == byAVX512 {
			p.maskedEdge(pa, pb, c, next, columns[:h])
		} else {
			p.copiedEdge(pa, pb, c, next, columns[:h])
		}
	}
}

// maskedEdge multiplies a block of which C has some columns in each of its rows, c from the first of them on.
func (p *packedProduct) maskedEdge(pa, pb *float64, c []float64, next *float64, columns []int) {
	var masks [wideA]uint16
	for x, n := range columns {
		masks[x] = uint16(1<<n - 1)
	}
	kernel12x16(p.kc, pa, pb, &c[0], p.c.Stride, p.alpha, next, len(columns), &masks[0], add)
}

// copiedEdge does so on a copy, so that an edge rounds as the middle does.
func (p *packedProduct) copiedEdge(pa, pb *float64, c []float64, next *float64, columns []int) {
	var edge [stripA * stripB]float64
	for x, n := range columns {
		copy(edge[x*stripB:x*stripB+n], c[min(x*p.c.Stride, len(c)):])
	}
	kernel6x8(p.kc, pa, pb, &edge[0], stripB, p.alpha, next, add)
	for x, n := range columns {
		copy(c[min(x*p.c.Stride, len(c)):], edge[x*stripB:x*stripB+n])
	}
}

// pack writes a strip of s rows of op(X), element after element: dst[p*s+r] is
// element p0+p of row v0+r. Rows from r = have on are zero.
func pack(dst []float64, s int, x Op, v0, have, p0 int) {
	kc := len(dst) / s
	if have < s {
		clear(dst)
	}
	if have == 0 {
		return
	}
	if x.trans {
		src := x.Data[p0*x.Stride+v0:]
		_ = src[(kc-1)*x.Stride+have-1]
		switch {
		case have == stripA && s == stripA:
			copySix(&dst[0], &src[0], x.Stride, kc)
		case have == stripB:
			copyEight(&dst[0], &src[0], x.Stride, kc)
		default:
			for p := range kc {
				copy(dst[p*s:p*s+have], src[p*x.Stride:])
			}
		}
		return
	}
	r := 0
	for ; r+4 <= have; r += 4 {
		fourColumns(dst[r:], s, x.Data[(v0+r)*x.Stride+p0:], x.Stride, kc)
	}
	for ; r+2 <= have; r += 2 {
		twoColumns(dst[r:], s, x.Data[(v0+r)*x.Stride+p0:], x.Stride, kc)
	}
	if r < have {
		for p, e := range x.Data[(v0+r)*x.Stride+p0:][:kc] {
			dst[p*s+r] = e
		}
	}
}

// scaleTriangle multiplies C, or its lower triangle, by beta.
func scaleTriangle(uplo gblas.Uplo, beta float64, c blas64.General) {
	if uplo == gblas.All {
		scale(beta, c.Data, c.Rows, c.Cols, c.Stride)
		return
	}
	for i := range c.Rows {
		scale(beta, c.Data[i*c.Stride:], 1, min(i+1, c.Cols), c.Stride)
	}
}

// plainWork is the number of multiplications after which a product by gonum asks its context, and plainBlock the order of the blocks
// by which gonum multiplies: beside each other where they are four or more, as of all pieces of a product or of none.
const (
	plainWork  = 1 << 30 // no result depends on it
	plainBlock = 64
)

// plainRows is the number of rows of C, of n columns, that are computed at a time of k products for each of its elements.
func plainRows(n, k int) int {
	least := plainBlock
	if n < 4*plainBlock {
		least *= 8
	}
	return max(least, plainWork/(n*k)/plainBlock*plainBlock)
}

// plainMulAdd does the same by gonum, whose product exploits no symmetry: the
// lower triangle goes by block rows with a full diagonal block aside.
func plainMulAdd(team *team, uplo gblas.Uplo, alpha float64, a, b Op, c blas64.General) {
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
		rows := plainRows(c.Cols, k)
		for i := 0; i < c.Rows && !team.asked(); {
			h := c.Rows - i
			if h >= 2*rows {
				h = rows
			}
			mul(i, h, 0, c.Cols, 1, block(c, i, 0, h, c.Cols))
			i += h
		}
		return
	}
	const nb = 64 // no result depends on it
	diag := blas64.General{Rows: nb, Cols: nb, Stride: nb, Data: make([]float64, nb*nb)}
	for i := 0; i < c.Rows && !team.asked(); i += nb {
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

func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
