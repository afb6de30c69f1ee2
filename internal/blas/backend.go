package blas

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Backend does the work of the package. The zero value does all of it; that of Within ends with a context.
type Backend struct{ e *engine }

func (b Backend) engine() *engine {
	if b.e != nil {
		return b.e
	}
	return pureGo
}

// Alone returns a Backend that has one thread whatever SetThreads says, for callers that share larger pieces out themselves.
func Alone() Backend {
	one := new(processors)
	one.setThreads(1)
	return Backend{&engine{processors: one, plain: pureGo.plain, narrow: pureGo.narrow}}
}

// Name describes the engine and its threads, for example "pure Go, 2 threads".
func Name() string { return fmt.Sprintf("pure Go, %d threads", pureGo.workers()) }

// SetThreads caps the threads of one operation; n < 1 means one. It starts at GOMAXPROCS and holds for the whole process.
func SetThreads(n int) { pureGo.setThreads(n) }

// Gemm is Backend.Gemm without a context.
func Gemm(alpha float64, a, b Op, beta float64, c *mat.Dense) {
	Backend{}.Gemm(alpha, a, b, beta, c)
}

// Syrk is Backend.Syrk without a context.
func Syrk(alpha float64, a Op, beta float64, c *mat.Dense) {
	Backend{}.Syrk(alpha, a, beta, c)
}

// SyrkLower is Backend.SyrkLower without a context.
func SyrkLower(alpha float64, a Op, beta float64, c *mat.Dense) {
	Backend{}.SyrkLower(alpha, a, beta, c)
}

// SymEigen is Backend.SymEigen without a context.
func SymEigen(a *mat.Dense, values []float64, vectors *mat.Dense) error {
	return Backend{}.SymEigen(a, values, vectors)
}

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
