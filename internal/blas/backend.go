package blas

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// engine is what a backend must do, on row-major storage whose shapes the
// caller has checked and found non-empty.
type engine interface {
	name() string
	setThreads(n int)
	threads() int
	// gemm: C = alpha op(A) op(B) + beta C; beta = 0 overwrites C whatever it holds.
	gemm(alpha float64, a, b Op, beta float64, c blas64.General)
	// gemm32 is gemm in single precision.
	gemm32(alpha float32, a, b Op32, beta float32, c blas32.General)
	// syrk: lower triangle of C = alpha op(A) op(A)' + beta C.
	syrk(alpha float64, a Op, beta float64, c blas64.General)
	// trsm: B = op(T)^{-1} B, or B op(T)^{-1} where T stands on the right.
	trsm(side gblas.Side, t triangle, b blas64.General)
	// potrf: A = L L' in the lower triangle; the strict upper one is not
	// touched. Returns the 0-based failing pivot or -1.
	potrf(a blas64.General) int
	// potri: lower triangle of (L L')^{-1} over L.
	potri(l blas64.General)
	// getrf: A = L U P with U unit upper triangular and |U| <= 1: row i swapped
	// column i with column piv[i] >= i. A has as many columns as rows, or more.
	// Returns the first zero pivot or -1.
	getrf(a blas64.General, piv []int) int
	// syev: eigenvalues ascending in w, eigenvectors in the rows of a.
	syev(a blas64.General, w []float64) bool
}

// Backend is one engine behind the package's functions. The zero value is the
// backend the package chose, see Default.
type Backend struct{ e engine }

// Go returns the pure Go backend.
func Go() Backend { return Backend{pureGo} }

// found and chosen are settled once, at the first use.
var found, chosen struct {
	once sync.Once
	e    engine
	err  error
}

// OpenBLAS returns the system's OpenBLAS, or the reason why it cannot be used:
// not found, 64-bit integers, or a failed self-test. The search runs once.
func OpenBLAS() (Backend, error) {
	found.once.Do(func() {
		e, err := openLibrary()
		if err == nil {
			if wrong := selfTest(Backend{e}); wrong != nil {
				err = fmt.Errorf("blas: %s gives wrong answers, not used: %w", e.name(), wrong)
			}
			e.setThreads(runtime.GOMAXPROCS(0))
		}
		if err != nil {
			found.err = err
			return
		}
		found.e = e
	})
	if found.err != nil {
		return Backend{}, found.err
	}
	return Backend{found.e}, nil
}

// choose settles the default backend by MERCER_BLAS: pure Go, unless the system's library is asked for.
func choose() (engine, error) {
	chosen.once.Do(func() {
		switch v := os.Getenv("MERCER_BLAS"); v {
		case "", "auto", "go":
			chosen.e = pureGo
		case "openblas":
			b, err := OpenBLAS()
			if err != nil {
				chosen.err = fmt.Errorf("MERCER_BLAS=openblas: %w", err)
				return
			}
			chosen.e = bySize(b.e)
		default:
			chosen.err = fmt.Errorf("MERCER_BLAS=%s: must be go, openblas or auto", v)
		}
	})
	return chosen.e, chosen.err
}

// Err says whether the backend asked for by MERCER_BLAS can be had. Programs
// call it first to report the error; without it the first operation panics.
func Err() error {
	_, err := choose()
	return err
}

func (b Backend) engine() engine {
	if b.e != nil {
		return b.e
	}
	e, err := choose()
	if err != nil {
		panic(err)
	}
	return e
}

// Name describes the default backend and its threads, for example
// "openblas 0.3.21, 2 threads" or "pure Go, 2 threads".
func Name() string { return Backend{}.Name() }

// SetThreads caps the threads of the default backend; n < 1 means one.
func SetThreads(n int) { Backend{}.SetThreads(n) }

// Threads is the number of threads the default backend uses for one call.
func Threads() int { return Backend{}.engine().threads() }

// Gemm is Backend.Gemm of the default backend.
func Gemm(alpha float64, a, b Op, beta float64, c *mat.Dense) {
	Backend{}.Gemm(alpha, a, b, beta, c)
}

// Syrk is Backend.Syrk of the default backend.
func Syrk(alpha float64, a Op, beta float64, c *mat.Dense) {
	Backend{}.Syrk(alpha, a, beta, c)
}

// SyrkLower is Backend.SyrkLower of the default backend.
func SyrkLower(alpha float64, a Op, beta float64, c *mat.Dense) {
	Backend{}.SyrkLower(alpha, a, beta, c)
}

// SymEigen is Backend.SymEigen of the default backend.
func SymEigen(a *mat.Dense, values []float64, vectors *mat.Dense) error {
	return Backend{}.SymEigen(a, values, vectors)
}

// Name describes the backend and its threads.
func (b Backend) Name() string { return b.engine().name() }

// SetThreads caps the threads the backend uses for one call; n < 1 means one.
// It starts at GOMAXPROCS and holds for the whole process.
func (b Backend) SetThreads(n int) { b.engine().setThreads(max(n, 1)) }

// Gemm stores C = alpha op(A) op(B) + beta C, op(X) = X for N(X) and X' for
// T(X): op(A) is m x k, op(B) k x n, C m x n and apart from A and B in memory.
// With beta = 0 the old C is not read. 2mnk flops.
func (b Backend) Gemm(alpha float64, x, y Op, beta float64, c *mat.Dense) {
	rc := c.RawMatrix()
	m, k := x.dims()
	k2, n := y.dims()
	if k != k2 || rc.Rows != m || rc.Cols != n {
		panic(fmt.Sprintf("blas: Gemm of %dx%d and %dx%d into %dx%d", m, k, k2, n, rc.Rows, rc.Cols))
	}
	switch {
	case m == 0 || n == 0:
	case k == 0 || alpha == 0:
		scale(beta, rc.Data, rc.Rows, rc.Cols, rc.Stride)
	default:
		b.engine().gemm(alpha, x, y, beta, rc)
	}
}

// Syrk stores C = alpha op(A) op(A)' + beta C in both triangles of the
// symmetric C, of which only the lower one is read. op(A) is n x k, C n x n
// and apart from A in memory. n^2 k flops, half of Gemm.
func (b Backend) Syrk(alpha float64, a Op, beta float64, c *mat.Dense) {
	b.SyrkLower(alpha, a, beta, c)
	mirror(c.RawMatrix())
}

// SyrkLower is Syrk without the strict upper triangle of C, whose content is then
// arbitrary: for callers that go on to work on the lower one.
func (b Backend) SyrkLower(alpha float64, a Op, beta float64, c *mat.Dense) {
	rc := c.RawMatrix()
	n, k := a.dims()
	if rc.Rows != n || rc.Cols != n {
		panic(fmt.Sprintf("blas: Syrk of %dx%d into %dx%d", n, k, rc.Rows, rc.Cols))
	}
	if n == 0 {
		return
	}
	if k == 0 || alpha == 0 {
		scale(beta, rc.Data, rc.Rows, rc.Cols, rc.Stride)
	} else {
		b.engine().syrk(alpha, a, beta, rc)
	}
}

// Product returns op(A) op(B).
func Product(a, b Op) *mat.Dense {
	rows, _ := a.dims()
	_, cols := b.dims()
	c := mat.NewDense(rows, cols, nil)
	Gemm(1, a, b, 0, c)
	return c
}

// scale multiplies C by beta, where 0 also erases NaN and Inf as BLAS demands.
func scale[F float32 | float64](beta F, c []F, rows, cols, stride int) {
	if beta == 1 {
		return
	}
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// block is the view of a with r rows and c columns from (i, j).
func block(a blas64.General, i, j, r, c int) blas64.General {
	v := blas64.General{Rows: r, Cols: c, Stride: a.Stride}
	if r > 0 && c > 0 {
		v.Data = a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]
	}
	return v
}

func square(what string, a *mat.Dense) blas64.General {
	r := a.RawMatrix()
	if r.Rows != r.Cols {
		panic(fmt.Sprintf("blas: %s of a %dx%d matrix, which is not square", what, r.Rows, r.Cols))
	}
	return r
}
