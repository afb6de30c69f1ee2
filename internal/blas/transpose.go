package blas

import (
	"fmt"

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
