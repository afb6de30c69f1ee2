package blas

import (
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Triangular solves and products by halving: nearly all flops fall into
// products of blocks, what remains are triangles of order at most leaf. Sizes
// of the halves depend on the order alone, so rounding does too.
const (
	leaf = 16 // no result depends on it
	// Right-hand sides are solved in slabs of this many, in parallel, for a triangle of order at most base: a
	// larger one is packed once for all of them. Where they are few a slab is about an eighth of them, but no less
	// than leastSlab.
	slab      = 256 // no result depends on it
	leastSlab = 64  // no result depends on it
	base      = 256 // no result depends on it
	// So few right-hand sides are solved one by one: memory bound either way.
	thin = 3 // no result depends on it
)

// half is the first part of an order: a multiple of leaf, at least one leaf.
func half(n int) int { return max(leaf, n/2/leaf*leaf) }

// trsm solves op(T) X = B or, with T on the right, X op(T) = B in place.
func (g *engine) trsm(side gblas.Side, t triangle, b blas64.General) {
	if g.stop.asked() {
		return
	}
	team := g.team(product3(t.Rows, b.Rows, b.Cols) / 2)
	g.solve(team, side, t, b)
	team.end()
}

func (g *engine) solve(team *team, side gblas.Side, t triangle, b blas64.General) {
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	if side == gblas.Left && b.Cols <= thin {
		team.run(b.Cols, func(j int) { solveVector(t, b, j) })
		return
	}
	if t.Rows <= base { // never by threads: the shapes of products follow from it
		g.solveSlabs(team, side, t, b)
	} else {
		halve(side, t, b, func(one triangle, b1 blas64.General) { g.solve(team, side, one, b1) },
			func(x, y Op, b2 blas64.General) { g.mulAdd(team, gblas.All, -1, x, y, b2) })
	}
}

// solveVector solves op(T) x = b for column j of B.
func solveVector(t triangle, b blas64.General, j int) {
	n := b.Rows
	buf := packPool.Get().(*packs)
	buf.a = grow(buf.a, n)
	for i := range n {
		buf.a[i] = b.Data[i*b.Stride+j]
	}
	gonum.Implementation{}.Dtrsv(t.uplo(), t.trans.word(), t.diag(), n, t.Data, t.Stride, buf.a, 1)
	for i := range n {
		b.Data[i*b.Stride+j] = buf.a[i]
	}
	packPool.Put(buf)
}

// halve solves with T = [T11 T12; T21 T22], one of T12 and T21 being zero: the
// part of X that stands alone, then a product, then the other part.
func halve(side gblas.Side, t triangle, b blas64.General, solve func(triangle, blas64.General), subtract func(x, y Op, b blas64.General)) {
	n := t.Rows
	h := half(n)
	one, two, off := t.halves(h)
	x := unknowns(side, b)
	b1, b2 := x.part(0, h).General, x.part(h, n-h).General
	if !t.forward(side) {
		one, two, b1, b2 = two, one, b2, b1
	}
	solve(one, b1)
	if side == gblas.Right {
		subtract(Op{General: b1}, off, b2)
	} else {
		subtract(off, Op{General: b1}, b2)
	}
	solve(two, b2)
}

// solveSlab solves on one thread.
func (g *engine) solveSlab(side gblas.Side, t triangle, b blas64.General) {
	switch {
	case t.Rows > leaf:
		halve(side, t, b, func(one triangle, b1 blas64.General) { g.solveSlab(side, one, b1) },
			func(x, y Op, b2 blas64.General) { g.mulAdd(nil, gblas.All, -1, x, y, b2) })
	case side == gblas.Right:
		g.leafRight(t, b)
	default:
		g.leafLeft(t, b)
	}
}

// solveSlabs solves for slabs of right-hand sides in parallel.
func (g *engine) solveSlabs(team *team, side gblas.Side, t triangle, b blas64.General) {
	equations := unknowns(side, b).t()
	count, _ := equations.dims()
	width := min(slab, roundUp(max(leastSlab, count/8), wideB))
	team.run((count+width-1)/width, func(s int) {
		g.solveSlab(side, t, equations.part(s*width, min(width, count-s*width)).General)
	})
}

// leafLeft solves op(T) X = B, T of order at most leaf, row by row of X.
func (g *engine) leafLeft(t triangle, b blas64.General) {
	n, w := t.Rows, b.Cols
	// coef: op(T)[i, j] stands at i*si + j*sj.
	si, sj := t.Stride, 1
	if t.trans {
		si, sj = sj, si
	}
	forward := t.forward(gblas.Left)
	for s := range n {
		i, from, k := s, 0, s // forward: rows 0..i-1 are known
		if !forward {
			i = n - 1 - s
			from, k = i+1, s // backward: rows i+1..n-1
		}
		row := b.Data[i*b.Stride : i*b.Stride+w]
		if k > 0 {
			g.rowSub(row, b.Data[from*b.Stride:], b.Stride, t.Data[i*si+from*sj:], sj, k)
		}
		if !t.unit {
			g.divideRow(row, t.Data[i*si+i*sj])
		}
	}
}

// right-hand sides of a leaf are turned this many at a time, so that vector
// instructions run along them.
const turn = 64 // no result depends on it

var turnPool = sync.Pool{New: func() any { return new([leaf * turn]float64) }}

// leafRight solves X op(T) = B as op(T)' X' = B' on turned copies.
func (g *engine) leafRight(t triangle, b blas64.General) {
	n := t.Rows
	buf := turnPool.Get().(*[leaf * turn]float64)
	for i0 := 0; i0 < b.Rows; i0 += turn {
		h := min(turn, b.Rows-i0)
		x := blas64.General{Rows: n, Cols: h, Stride: turn, Data: buf[:]}
		here := block(b, i0, 0, h, n)
		turnAll(x, here)
		g.leafLeft(t.t(), x)
		turnAll(here, x)
	}
	turnPool.Put(buf)
}

// invert overwrites the lower triangular L by its inverse:
// [L11 0; L21 L22]^{-1} = [L11^{-1} 0; -L22^{-1} L21 L11^{-1} L22^{-1}].
func (g *engine) invert(team *team, l blas64.General) {
	n := l.Rows
	if n <= leaf {
		for j := range n {
			l.Data[j*l.Stride+j] = 1 / l.Data[j*l.Stride+j]
		}
		for i := 1; i < n; i++ {
			// X[i,j] = -X[i,i] sum_{j<=k<i} L[i,k] X[k,j], row i of L being read before it is written.
			row := l.Data[i*l.Stride : i*l.Stride+i+1]
			var old [leaf]float64
			copy(old[:], row[:i])
			for j := range i {
				var s float64
				for k := j; k < i; k++ {
					s += old[k] * l.Data[k*l.Stride+j]
				}
				row[j] = -row[i] * s
			}
		}
		return
	}
	h := half(n)
	l11, l21, l22 := block(l, 0, 0, h, h), block(l, h, 0, n-h, h), block(l, h, h, n-h, n-h)
	g.solve(team, gblas.Left, lowerOf(l22), l21)
	g.solve(team, gblas.Right, lowerOf(l11), l21)
	for i := range l21.Rows {
		row := l21.Data[i*l21.Stride : i*l21.Stride+h]
		for j := range row {
			row[j] = -row[j]
		}
	}
	g.invert(team, l11)
	g.invert(team, l22)
}

// square overwrites the lower triangle of X by that of X'X, X lower triangular:
// [X11'X11 + X21'X21; X22'X21, X22'X22].
func (g *engine) square(team *team, x blas64.General) {
	n := x.Rows
	if n <= leaf {
		for i := range n {
			for j := range i + 1 {
				var s float64
				for k := i; k < n; k++ {
					s += x.Data[k*x.Stride+i] * x.Data[k*x.Stride+j]
				}
				x.Data[i*x.Stride+j] = s // later entries read rows below i, or columns right of j in row i
			}
		}
		return
	}
	h := half(n)
	x11, x21, x22 := block(x, 0, 0, h, h), block(x, h, 0, n-h, h), block(x, h, h, n-h, n-h)
	g.square(team, x11)
	g.mulAdd(team, gblas.Lower, 1, Op{x21, true}, Op{x21, false}, x11)
	g.mulLower(team, x22, x21)
	g.square(team, x22)
}

// mulLower overwrites B by T'B, T lower triangular:
// [T11'B1 + T21'B2; T22'B2].
func (g *engine) mulLower(team *team, t, b blas64.General) {
	n := t.Rows
	if n <= leaf {
		for i := range n {
			row := b.Data[i*b.Stride : i*b.Stride+b.Cols]
			d := t.Data[i*t.Stride+i]
			for j := range row {
				row[j] *= d
			}
			var coef [leaf]float64
			for k := i + 1; k < n; k++ {
				coef[k] = -t.Data[k*t.Stride+i]
			}
			if i+1 < n {
				g.rowSub(row, b.Data[(i+1)*b.Stride:], b.Stride, coef[i+1:], 1, n-i-1)
			}
		}
		return
	}
	h := half(n)
	b1, b2 := block(b, 0, 0, h, b.Cols), block(b, h, 0, n-h, b.Cols)
	g.mulLower(team, block(t, 0, 0, h, h), b1)
	g.mulAdd(team, gblas.All, 1, Op{block(t, h, 0, n-h, h), true}, Op{b2, false}, b1)
	g.mulLower(team, block(t, h, h, n-h, n-h), b2)
}
