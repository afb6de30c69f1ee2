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

// mirrorUp copies the strict lower triangle of rows [lo, hi) to the upper one, by squares of one cache line a row, so that no
// stride can push them out of the cache, and all those of a few columns in turn, so that a page is written while it is known.
func mirrorUp(m *mat.Dense, lo, hi int) {
	const line, columns = 8, 64 // no result depends on them
	raw := m.RawMatrix()
	d, ld := raw.Data, raw.Stride
	for first := 0; first < hi; first += columns {
		for i0 := lo; i0 < hi; i0 += line {
			i1 := min(i0+line, hi)
			j0, end := first, min(first+columns, i1)
			for ; j0+line <= min(end, i0) && i1-i0 == line; j0 += line {
				p0, p1, p2, p3 := d[i0*ld+j0:][:line], d[(i0+1)*ld+j0:][:line], d[(i0+2)*ld+j0:][:line], d[(i0+3)*ld+j0:][:line]
				p4, p5, p6, p7 := d[(i0+4)*ld+j0:][:line], d[(i0+5)*ld+j0:][:line], d[(i0+6)*ld+j0:][:line], d[(i0+7)*ld+j0:][:line]
				for j := range line {
					*(*[line]float64)(d[(j0+j)*ld+i0:]) = [line]float64{p0[j], p1[j], p2[j], p3[j], p4[j], p5[j], p6[j], p7[j]}
				}
			}
			for i := i0; i < i1; i++ {
				for j := j0; j < min(end, i); j++ {
					d[j*ld+i] = d[i*ld+j]
				}
			}
		}
	}
}
