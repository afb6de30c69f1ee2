package smooth

import (
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// parallelFlops is the size of a job below which starting goroutines (about a
// microsecond each) costs more than it saves.
const parallelFlops = 1 << 16

// pieces is parallel.Pieces where the whole is worth it.
func pieces(n, size, flops int, f func(lo, hi int)) {
	if flops >= parallelFlops {
		parallel.Pieces(n, size, f)
		return
	}
	for lo := 0; lo < n; lo += size {
		f(lo, min(lo+size, n))
	}
}

// rowChunk is the number of rows of a matrix that a goroutine takes at a time.
const rowChunk = 32

// mulRows stores row_i(K) x in dst_q for i = rows[q]; nil means all rows. With
// augmented, K stands for K + 11'. 2 |rows| l flops.
func mulRows(dst []float64, k *mat.Dense, rows []int, x []float64, augmented bool) {
	var extra float64
	if augmented {
		extra = sum(x)
	}
	pieces(len(dst), rowChunk, 2*len(dst)*len(x), func(lo, hi int) {
		for q := lo; q < hi; q++ {
			i := q
			if rows != nil {
				i = rows[q]
			}
			dst[q] = floats.Dot(k.RawRowView(i), x) + extra
		}
	})
}
