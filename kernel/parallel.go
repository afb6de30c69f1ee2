package kernel

import (
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// chunk is the number of rows a goroutine takes at a time: small enough to share
// out triangles evenly, large enough for 32 doubles (4 cache lines) a transpose.
const chunk = 32

// row returns a view of row i of m.
func row(m *mat.Dense, i int) []float64 {
	return m.RawRowView(i)
}

// mirrorBand is mirrorUp on all processors.
func mirrorBand(m *mat.Dense, lo, hi int) {
	parallel.Pieces(hi-lo, chunk, func(p, q int) { mirrorUp(m, lo+p, lo+q) })
}

// mirrorUp copies the strict lower triangle of rows [lo, hi) to the upper one.
func mirrorUp(m *mat.Dense, lo, hi int) { mirrorTile(m, lo, hi, 0, hi) }

// mirrorTile copies what rows [lo, hi) and columns [from, to) have below the diagonal to above it, by squares of one cache line a
// row, so that no stride can push them out of the cache, and to a few rows at a time, so that few pages are written.
func mirrorTile(m *mat.Dense, lo, hi, from, to int) {
	const line = 8 // no result depends on it
	raw := m.RawMatrix()
	d, ld := raw.Data, raw.Stride
	for j0 := from; j0 < to; j0 += line {
		j1, i0 := min(j0+line, to), max(lo, j0)
		if i0 < j1 { // the square on the diagonal
			i0 = min(j1, hi)
		}
		for i := max(lo, j0); i < i0; i++ {
			for j := j0; j < i; j++ {
				d[j*ld+i] = d[i*ld+j]
			}
		}
		for ; i0+line <= hi && j1-j0 == line; i0 += line {
			p0, p1, p2, p3 := d[i0*ld+j0:][:line], d[(i0+1)*ld+j0:][:line], d[(i0+2)*ld+j0:][:line], d[(i0+3)*ld+j0:][:line]
			p4, p5, p6, p7 := d[(i0+4)*ld+j0:][:line], d[(i0+5)*ld+j0:][:line], d[(i0+6)*ld+j0:][:line], d[(i0+7)*ld+j0:][:line]
			for j := range line {
				q := (*[line]float64)(d[(j0+j)*ld+i0:])
				q[0], q[1], q[2], q[3] = p0[j], p1[j], p2[j], p3[j]
				q[4], q[5], q[6], q[7] = p4[j], p5[j], p6[j], p7[j]
			}
		}
		for i := i0; i < hi; i++ {
			for j := j0; j < j1; j++ {
				d[j*ld+i] = d[i*ld+j]
			}
		}
	}
}
