package blas

import (
	"math"
	"runtime"
	"sync/atomic"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// pureGo is the engine of the package.
var pureGo = &engine{processors: new(processors)}

// engine computes, on row-major storage whose shapes the caller has checked and found non-empty.
type engine struct {
	*processors
	plain  bool  // without the assembly, as on processors that lack it
	narrow bool  // without AVX-512
	stop   *stop // of a context
}

// processors are what operations share.
type processors struct {
	most    atomic.Int32 // threads; 0 = GOMAXPROCS
	running atomic.Int32 // operations that may share their work
}

// workers is the number of threads of one operation.
func (p *processors) workers() int {
	n := runtime.GOMAXPROCS(0)
	if t := int(p.most.Load()); t > 0 {
		n = min(n, t)
	}
	return n
}

func (p *processors) setThreads(n int) { p.most.Store(int32(max(n, 1))) }

func product3(a, b, c int) float64 { return float64(a) * float64(b) * float64(c) }

// leastShared is the number of multiplications of an operation that is worth a second thread: some 20 microseconds.
const leastShared = 1 << 20

// team is the threads for so many multiplications: those that other operations at work leave, as they are called
// by several goroutines.
func (g *engine) team(multiplications float64) *team {
	if multiplications < leastShared {
		return nil
	}
	threads := g.workers() / int(g.running.Add(1))
	return &team{stop: g.stop, others: &g.running, helpers: make([]sleeper, max(threads, 1)-1)}
}

// gemm: C = alpha op(A) op(B) + beta C; beta = 0 overwrites C whatever it holds.
func (g *engine) gemm(alpha float64, a, b Op, beta float64, c blas64.General) {
	g.combine(gblas.All, alpha, a, b, beta, c)
}

// syrk: lower triangle of C = alpha op(A) op(A)' + beta C.
func (g *engine) syrk(alpha float64, a Op, beta float64, c blas64.General) {
	g.combine(gblas.Lower, alpha, a, a.t(), beta, c)
}

// combine is C = alpha op(A) op(B) + beta C.
func (g *engine) combine(uplo gblas.Uplo, alpha float64, a, b Op, beta float64, c blas64.General) {
	if g.stop.asked() {
		return
	}
	how := manner{uplo, alpha, add}
	if beta == 0 {
		how.how = overwrite
	} else {
		scaleTriangle(uplo, beta, c)
	}
	_, k := a.dims()
	team := g.team(product3(c.Rows, c.Cols, k))
	g.multiply(team, how, a, b, c)
	team.end()
}

// potrf: A = L L' in the lower triangle; the strict upper one is not
// touched. Returns the 0-based failing pivot or -1.
func (g *engine) potrf(a blas64.General) int {
	if g.stop.asked() {
		return -1
	}
	team := g.team(product3(a.Rows, a.Rows, a.Rows) / 6)
	defer team.end()
	return g.cholesky(team, a)
}

// cholesky halves: A11 = L11 L11', L21 = A21 L11'^{-1}, A22 - L21 L21' = L22 L22'.
func (g *engine) cholesky(team *team, a blas64.General) int {
	n := a.Rows
	switch {
	case team.stopped():
		return -1
	case n <= leaf:
		return leafCholesky(a)
	}
	h := half(n)
	a11, a21, a22 := block(a, 0, 0, h, h), block(a, h, 0, n-h, h), block(a, h, h, n-h, n-h)
	if p := g.cholesky(team, a11); p >= 0 {
		return p
	}
	g.solve(team, gblas.Right, lowerOf(a11).t(), a21)
	g.mulAdd(team, gblas.Lower, -1, Op{a21, false}, Op{a21, true}, a22)
	if p := g.cholesky(team, a22); p >= 0 {
		return h + p
	}
	return -1
}

func leafCholesky(a blas64.General) int {
	for i := range a.Rows {
		row := a.Data[i*a.Stride : i*a.Stride+i+1]
		for j := range row {
			other := a.Data[j*a.Stride : j*a.Stride+j+1]
			s := row[j]
			for k, v := range other[:j] {
				s -= row[k] * v
			}
			if j < i {
				row[j] = s / other[j]
				continue
			}
			if !(s > 0) {
				return i
			}
			row[i] = math.Sqrt(s)
		}
	}
	return -1
}

// potri: lower triangle of (L L')^{-1} over L.
func (g *engine) potri(l blas64.General) {
	if g.stop.asked() {
		return
	}
	team := g.team(product3(l.Rows, l.Rows, l.Rows) / 3)
	g.invert(team, l)
	g.square(team, l)
	team.end()
}

// getrf: A = L U P with U unit upper triangular and |U| <= 1: row i swapped
// column i with column piv[i] >= i. A has as many columns as rows, or more.
// Returns the first zero pivot or -1. It halves the rows (Toledo, "Locality of reference in LU
// decomposition with partial pivoting", SIAM J. Matrix Anal. 18, 1997).
func (g *engine) getrf(a blas64.General, piv []int) int {
	if g.stop.asked() {
		return -1
	}
	team := g.team(product3(a.Rows, a.Rows, a.Cols) / 3)
	defer team.end()
	return g.lu(team, a, 0, a.Rows, piv)
}

// lu factors rows [r0, r1), whose columns before r0 are done: column exchanges
// reach those rows alone, the caller carries them to the others.
func (g *engine) lu(team *team, a blas64.General, r0, r1 int, piv []int) int {
	n := a.Cols
	switch {
	case team.stopped():
		clear(piv[r0:r1]) // they are read, if to no end
		return -1
	case r1-r0 <= leaf/2:
		return g.leafLU(a, r0, r1, piv)
	}
	h := half(r1 - r0)
	if h >= r1-r0 {
		h = (r1 - r0) / 2
	}
	mid := r0 + h
	fail := g.lu(team, a, r0, mid, piv)
	swapColumns(team, a, mid, r1, piv[r0:mid], r0)
	// L21 = A21 U11^{-1}; A22 -= L21 U12.
	l21 := block(a, mid, r0, r1-mid, h)
	g.solve(team, gblas.Right, upperUnit(block(a, r0, r0, h, h)), l21)
	g.mulAdd(team, gblas.All, -1, Op{General: l21}, Op{General: block(a, r0, mid, h, n-mid)}, block(a, mid, mid, r1-mid, n-mid))
	f2 := g.lu(team, a, mid, r1, piv)
	swapColumns(team, a, r0, mid, piv[mid:r1], mid)
	if fail < 0 {
		fail = f2
	}
	return fail
}

// swapColumns exchanges columns from+i and piv[i], in turn, in rows [r0, r1).
func swapColumns(team *team, a blas64.General, r0, r1 int, piv []int, from int) {
	const rows = 64 // no result depends on it
	if (r1-r0)*len(piv) < parallelWork/16 {
		team = nil
	}
	team.run((r1-r0+rows-1)/rows, func(t int) {
		for r := r0 + t*rows; r < min(r0+(t+1)*rows, r1); r++ {
			row := a.Data[r*a.Stride : r*a.Stride+a.Cols]
			for i, p := range piv {
				row[from+i], row[p] = row[p], row[from+i]
			}
		}
	})
}

// leafLU eliminates row by row.
func (g *engine) leafLU(a blas64.General, r0, r1 int, piv []int) int {
	n := a.Cols
	fail := -1
	for i := r0; i < r1; i++ {
		row := a.Data[i*a.Stride : i*a.Stride+n]
		p, most := i, math.Abs(row[i])
		for j, v := range row[i+1:] {
			if v = math.Abs(v); v > most {
				p, most = i+1+j, v
			}
		}
		piv[i] = p
		if most == 0 {
			if fail < 0 {
				fail = i
			}
			continue
		}
		for r := r0; r < r1; r++ {
			x := a.Data[r*a.Stride : r*a.Stride+n]
			x[i], x[p] = x[p], x[i]
		}
		d := row[i]
		g.divideRow(row[i+1:], d)
		for r := i + 1; r < r1; r++ {
			x := a.Data[r*a.Stride : r*a.Stride+n]
			g.rowSub(x[i+1:], row[i+1:], 0, x[i:], 0, 1)
		}
	}
	return fail
}
