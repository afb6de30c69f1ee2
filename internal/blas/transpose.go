package blas

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/parallel"
)

// transposeColumns is the number of columns that Transpose32 turns at a time: the rows of
// dst that they become, a cache line each, stay in the first-level cache until the
// next 8 rows of src fill the other half of the lines.
const transposeColumns = 128 // no result depends on it

// Transpose32 stores the transpose of m x n numbers of src, of which row i starts at
// i stride, in dst: n x m without gaps. By squares of 8 x 8 in registers, where the
// processor has AVX2; a pass over both.
func Transpose32(dst, src []float32, m, n, stride int) {
	if m == 0 || n == 0 {
		return
	}
	if stride < n || len(src) < (m-1)*stride+n || len(dst) != m*n {
		panic(fmt.Sprintf("blas: transpose of %dx%d, stride %d, from %d numbers to %d", m, n, stride, len(src), len(dst)))
	}
	for j := 0; j < n; j += transposeColumns {
		end := min(j+transposeColumns, n)
		whole := (end - j) &^ 7
		i := 0
		for ; hasKernels && whole > 0 && i+8 <= m; i += 8 {
			transpose8(&dst[j*m+i], &src[i*stride+j], m, stride, whole)
			transposePlain(dst, src, m, stride, i, i+8, j+whole, end)
		}
		transposePlain(dst, src, m, stride, i, m, j, end)
	}
}

// transposePlain is the transpose of rows [i0, i1) and columns [j0, j1) one by one.
func transposePlain(dst, src []float32, m, stride, i0, i1, j0, j1 int) {
	if j0 == j1 {
		return
	}
	for i := i0; i < i1; i++ {
		for j, v := range src[i*stride+j0 : i*stride+j1] {
			dst[(j0+j)*m+i] = v
		}
	}
}

// Symmetrise replaces the square A by (A + A')/2, exactly symmetric.
func Symmetrise(a *mat.Dense) {
	const tile = 32
	r := square("Symmetrise", a)
	parallel.Pieces(r.Rows, tile, func(i0, i1 int) {
		for j0 := 0; j0 < i1; j0 += tile {
			for i := i0; i < i1; i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					p, q := &r.Data[i*r.Stride+j], &r.Data[j*r.Stride+i]
					v := (*p + *q) / 2
					*p, *q = v, v
				}
			}
		}
	})
}

// squareTile is the order of the squares by which a matrix is turned, 32 kB for two of them.
const squareTile = 32 // no result depends on it

// inSquares calls f for pieces of rows of a matrix of order n, on several threads if it is large.
func inSquares(n int, f func(i0, i1 int)) {
	if n*n < parallelWork {
		f(0, n)
	} else {
		parallel.Pieces(n, squareTile, f)
	}
}

// mirror copies the lower triangle to the upper one.
func mirror(a blas64.General) {
	inSquares(a.Rows, func(i0, i1 int) {
		for i := i0; i < i1; i += squareTile {
			h := min(squareTile, i1-i)
			turnAll(block(a, 0, i, i, h), block(a, i, 0, h, i))
			for r := i; r < i+h; r++ {
				for j := i; j < r; j++ {
					a.Data[j*a.Stride+r] = a.Data[r*a.Stride+j]
				}
			}
		}
	})
}

// transposeInPlace swaps the triangles of a square matrix.
func transposeInPlace(a blas64.General) {
	inSquares(a.Rows, func(i0, i1 int) {
		var kept [squareTile * squareTile]float64
		for i := i0; i < i1; i += squareTile {
			h := min(squareTile, i1-i)
			for j := 0; j < i; j += squareTile {
				left, above := block(a, i, j, h, squareTile), block(a, j, i, squareTile, h)
				turned := blas64.General{Rows: squareTile, Cols: h, Stride: squareTile, Data: kept[:]}
				turnAll(turned, left)
				turnAll(left, above)
				for r := range squareTile {
					copy(above.Data[r*above.Stride:r*above.Stride+h], kept[r*squareTile:])
				}
			}
			for r := i; r < i+h; r++ {
				for j := i; j < r; j++ {
					p, q := &a.Data[r*a.Stride+j], &a.Data[j*a.Stride+r]
					*p, *q = *q, *p
				}
			}
		}
	})
}
