package blas

import (
	"context"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   a call of the library cannot be interrupted, and of thousands of rows it takes minutes.
// Method    The same call in pieces of some 0.2 s, by halving what is largest; the context is asked before
//           each. Factorisations halve as
//             A11 = L11 L11',  L21 = A21 L11'^-1,  A22 - L21 L21' = L22 L22';
//           inverses, with W = L22^-1 L21 L11^-1, as
//             [L11 0; L21 L22] -> [(L11 L11')^-1 + W'W; -L22'^-1 W, (L22 L22')^-1];
//           LU by halves of the rows (Toledo, SIAM J. Matrix Anal. 18, 1997).
// Cost      the flops of one call, and less than 5 % of its time at 4000 rows.
// Limit     an eigendecomposition is one piece. It runs beside the caller, who is let go when the context ends;
//           it then comes to its end by itself, on memory that is its own alone.

// piece is the number of flops between two looks at the context: 0.2 s by OpenBLAS on two cores, less than 0.5 s in pure Go
// without vector instructions.
const piece = 1 << 33

// narrow is the number of rows or columns that are not halved any more.
const narrow = 64

// Within is Backend.Within of the default backend.
func Within(ctx context.Context) Backend { return Backend{}.Within(ctx) }

// Within returns the backend for work that ends soon after the context does. What an operation that was
// stopped has stored is arbitrary, and all later ones of the same value store nothing: whoever uses it
// asks Stopped before the results. Factor and SymEigen return that as their error.
func (b Backend) Within(ctx context.Context) Backend {
	return Backend{&within{engine: b.engine(), ctx: ctx, piece: piece}}
}

// Stopped is the error of the context that stopped an operation, nil if none was.
func (b Backend) Stopped() error {
	if w, ok := b.e.(*within); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.err
	}
	return nil
}

// within is an engine that asks a context before each piece of its work.
type within struct {
	engine
	ctx   context.Context
	piece float64 // flops

	mu  sync.Mutex
	err error // of the context, once it ended
}

// stopped asks the context until it has ended.
func (w *within) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

// large says whether the product of three lengths is more than a piece.
func (w *within) large(n, m, k int) bool { return float64(n)*float64(m)*float64(k) > w.piece }

// middle is where n is halved: a multiple of narrow, so that the pieces fit the kernels of the engine.
func middle(n int) int { return (n/2 + narrow - 1) / narrow * narrow }

func (w *within) gemm(alpha float64, a, b Op, beta float64, c blas64.General) {
	_, k := a.dims()
	switch m, n := c.Rows, c.Cols; {
	case !w.large(2*m, n, k) || max(m, n) <= narrow:
		if !w.stopped() {
			w.engine.gemm(alpha, a, b, beta, c)
		}
	case m >= n:
		h := middle(m)
		w.gemm(alpha, a.part(0, h), b, beta, block(c, 0, 0, h, n))
		w.gemm(alpha, a.part(h, m-h), b, beta, block(c, h, 0, m-h, n))
	default:
		h := middle(n)
		w.gemm(alpha, a, b.t().part(0, h).t(), beta, block(c, 0, 0, m, h))
		w.gemm(alpha, a, b.t().part(h, n-h).t(), beta, block(c, 0, h, m, n-h))
	}
}

func (w *within) gemm32(alpha float32, a, b Op32, beta float32, c blas32.General) {
	if !w.stopped() {
		w.engine.gemm32(alpha, a, b, beta, c)
	}
}

func (w *within) syrk(alpha float64, a Op, beta float64, c blas64.General) {
	n, k := a.dims()
	if !w.large(n, n, k) || n <= narrow {
		if !w.stopped() {
			w.engine.syrk(alpha, a, beta, c)
		}
		return
	}
	h := middle(n)
	a1, a2 := a.part(0, h), a.part(h, n-h)
	w.syrk(alpha, a1, beta, block(c, 0, 0, h, h))
	w.gemm(alpha, a2, a1.t(), beta, block(c, h, 0, n-h, h))
	w.syrk(alpha, a2, beta, block(c, h, h, n-h, n-h))
}

func (w *within) trsm(side gblas.Side, t triangle, b blas64.General) {
	n, m := unknowns(side, b).dims()
	switch {
	case !w.large(n, n, m) || max(n, m) <= narrow:
		if !w.stopped() {
			w.engine.trsm(side, t, b)
		}
	case m > narrow:
		h, equations := middle(m), unknowns(side, b).t()
		w.trsm(side, t, equations.part(0, h).General)
		w.trsm(side, t, equations.part(h, m-h).General)
	default:
		w.halfSolve(side, t, b)
	}
}

// halfSolve solves for one half of the unknowns and takes them out of the equations of the other.
func (w *within) halfSolve(side gblas.Side, t triangle, b blas64.General) {
	n := t.Rows
	h := middle(n)
	one, two, off := t.halves(h)
	x := unknowns(side, b)
	b1, b2 := x.part(0, h).General, x.part(h, n-h).General
	if !t.forward(side) {
		one, two, b1, b2 = two, one, b2, b1
	}
	w.trsm(side, one, b1)
	if side == gblas.Right {
		w.gemm(-1, Op{General: b1}, off, 1, b2)
	} else {
		w.gemm(-1, off, Op{General: b1}, 1, b2)
	}
	w.trsm(side, two, b2)
}

func (w *within) potrf(a blas64.General) int {
	n := a.Rows
	if !w.large(n, n, n/3) || n <= narrow {
		if w.stopped() {
			return -1
		}
		return w.engine.potrf(a)
	}
	h := middle(n)
	a11, a21, a22 := block(a, 0, 0, h, h), block(a, h, 0, n-h, h), block(a, h, h, n-h, n-h)
	if p := w.potrf(a11); p >= 0 {
		return p
	}
	w.trsm(gblas.Right, lowerOf(a11).t(), a21)
	w.syrk(-1, Op{General: a21}, 1, a22)
	if p := w.potrf(a22); p >= 0 {
		return h + p
	}
	return -1
}

func (w *within) potri(l blas64.General) {
	n := l.Rows
	if !w.large(n, n, 2*n/3) || n <= narrow {
		if !w.stopped() {
			w.engine.potri(l)
		}
		return
	}
	h := middle(n)
	l11, l21, l22 := block(l, 0, 0, h, h), block(l, h, 0, n-h, h), block(l, h, h, n-h, n-h)
	w.trsm(gblas.Left, lowerOf(l22), l21)
	w.trsm(gblas.Right, lowerOf(l11), l21)
	w.potri(l11)
	w.syrk(1, Op{l21, true}, 1, l11)
	w.trsm(gblas.Left, lowerOf(l22).t(), l21)
	w.potri(l22)
	for i := range l21.Rows {
		row := l21.Data[i*l21.Stride : i*l21.Stride+h]
		for j := range row {
			row[j] = -row[j]
		}
	}
}

func (w *within) getrf(a blas64.General, piv []int) int { return w.lu(a, 0, a.Rows, piv) }

// lu factors rows [r0, r1), whose columns before r0 are done: column exchanges
// reach those rows alone, the caller carries them to the others.
func (w *within) lu(a blas64.General, r0, r1 int, piv []int) int {
	n, rows := a.Cols, r1-r0
	if !w.large(rows, rows, n-r0) || rows <= narrow {
		if w.stopped() {
			clear(piv[r0:r1])
			return -1
		}
		p := w.engine.getrf(block(a, r0, r0, rows, n-r0), piv[r0:r1])
		for i := r0; i < r1; i++ {
			piv[i] += r0
		}
		if p >= 0 {
			p += r0
		}
		return p
	}
	mid := r0 + middle(rows)
	fail := w.lu(a, r0, mid, piv)
	team := newTeam(pureGo.workers())
	defer team.end()
	swapColumns(team, a, mid, r1, piv[r0:mid], r0)
	l21 := block(a, mid, r0, r1-mid, mid-r0)
	w.trsm(gblas.Right, upperUnit(block(a, r0, r0, mid-r0, mid-r0)), l21)
	w.gemm(-1, Op{General: l21}, Op{General: block(a, r0, mid, mid-r0, n-mid)}, 1, block(a, mid, mid, r1-mid, n-mid))
	f2 := w.lu(a, mid, r1, piv)
	swapColumns(team, a, r0, mid, piv[mid:r1], mid)
	if fail < 0 {
		fail = f2
	}
	return fail
}

// syev lets go of a large problem when the context ends. Matrix, eigenvalues and workspace are then those of the
// goroutine alone: SymEigen takes the matrix from its caller.
func (w *within) syev(a blas64.General, values []float64) bool {
	if w.stopped() {
		return false
	}
	n := a.Rows
	if !w.large(n, n, 9*n) {
		return w.engine.syev(a, values)
	}
	own, ended := make([]float64, n), make(chan bool, 1)
	go func() { ended <- w.engine.syev(a, own) }()
	select {
	case ok := <-ended:
		copy(values, own)
		return ok
	case <-w.ctx.Done():
		w.stopped()
		return false
	}
}
