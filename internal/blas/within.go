package blas

import (
	"context"
	"sync"

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

// take is rows (columns if trans) lo to hi-1 of A.
func take(trans bool, a blas64.General, lo, hi int) blas64.General {
	if trans {
		return block(a, 0, lo, a.Rows, hi-lo)
	}
	return block(a, lo, 0, hi-lo, a.Cols)
}

func (w *within) gemm(ta, tb bool, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	_, k := shape(ta, a)
	switch m, n := c.Rows, c.Cols; {
	case !w.large(2*m, n, k) || max(m, n) <= narrow:
		if !w.stopped() {
			w.engine.gemm(ta, tb, alpha, a, b, beta, c)
		}
	case m >= n:
		h := middle(m)
		w.gemm(ta, tb, alpha, take(ta, a, 0, h), b, beta, take(false, c, 0, h))
		w.gemm(ta, tb, alpha, take(ta, a, h, m), b, beta, take(false, c, h, m))
	default:
		h := middle(n)
		w.gemm(ta, tb, alpha, a, take(!tb, b, 0, h), beta, take(true, c, 0, h))
		w.gemm(ta, tb, alpha, a, take(!tb, b, h, n), beta, take(true, c, h, n))
	}
}

func (w *within) gemm32(ta, tb bool, alpha float32, a, b blas32.General, beta float32, c blas32.General) {
	if !w.stopped() {
		w.engine.gemm32(ta, tb, alpha, a, b, beta, c)
	}
}

func (w *within) syrk(trans bool, alpha float64, a blas64.General, beta float64, c blas64.General) {
	n, k := shape(trans, a)
	if !w.large(n, n, k) || n <= narrow {
		if !w.stopped() {
			w.engine.syrk(trans, alpha, a, beta, c)
		}
		return
	}
	h := middle(n)
	a1, a2 := take(trans, a, 0, h), take(trans, a, h, n)
	w.syrk(trans, alpha, a1, beta, block(c, 0, 0, h, h))
	w.gemm(trans, !trans, alpha, a2, a1, beta, block(c, h, 0, n-h, h))
	w.syrk(trans, alpha, a2, beta, block(c, h, h, n-h, n-h))
}

func (w *within) trsm(right, lower, trans, unit bool, t, b blas64.General) {
	n, m := t.Rows, b.Cols
	if right {
		m = b.Rows
	}
	switch {
	case !w.large(n, n, m) || max(n, m) <= narrow:
		if !w.stopped() {
			w.engine.trsm(right, lower, trans, unit, t, b)
		}
	case m > narrow:
		h := middle(m)
		w.trsm(right, lower, trans, unit, t, take(!right, b, 0, h))
		w.trsm(right, lower, trans, unit, t, take(!right, b, h, m))
	default:
		w.halfSolve(right, lower, trans, unit, t, b)
	}
}

// halfSolve solves for one half of the unknowns and takes them out of the equations of the other.
func (w *within) halfSolve(right, lower, trans, unit bool, t, b blas64.General) {
	n := t.Rows
	h := middle(n)
	one, two := block(t, 0, 0, h, h), block(t, h, h, n-h, n-h)
	b1, b2 := take(right, b, 0, h), take(right, b, h, n)
	off := block(t, 0, h, h, n-h)
	if lower {
		off = block(t, h, 0, n-h, h)
	}
	if (lower != trans) == right { // the second half does not depend on the first
		one, two, b1, b2 = two, one, b2, b1
	}
	w.trsm(right, lower, trans, unit, one, b1)
	if right {
		w.gemm(false, trans, -1, b1, off, 1, b2)
	} else {
		w.gemm(trans, false, -1, off, b1, 1, b2)
	}
	w.trsm(right, lower, trans, unit, two, b2)
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
	w.trsm(true, true, true, false, a11, a21)
	w.syrk(false, -1, a21, 1, a22)
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
	w.trsm(false, true, false, false, l22, l21)
	w.trsm(true, true, false, false, l11, l21)
	w.potri(l11)
	w.syrk(true, 1, l21, 1, l11)
	w.trsm(false, true, true, false, l22, l21)
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
	swapColumns(pureGo.workers(), a, mid, r1, piv[r0:mid], r0)
	l21 := block(a, mid, r0, r1-mid, mid-r0)
	w.trsm(true, false, false, true, block(a, r0, r0, mid-r0, mid-r0), l21)
	w.gemm(false, false, -1, l21, block(a, r0, mid, mid-r0, n-mid), 1, block(a, mid, mid, r1-mid, n-mid))
	f2 := w.lu(a, mid, r1, piv)
	swapColumns(pureGo.workers(), a, r0, mid, piv[mid:r1], mid)
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
