package smooth

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// parallelFlops is the size of a job below which starting goroutines (about a
// microsecond each) costs more than it saves.
const parallelFlops = 1 << 16

// parallel calls f on [0, n) cut into pieces of the given size, on all cores if the
// whole is worth it. The pieces do not depend on the number of cores; f must write
// only what belongs to its piece.
func parallel(n, size, flops int, f func(lo, hi int)) {
	pieces := (n + size - 1) / size
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if flops < parallelFlops {
		workers = 1
	}
	if workers <= 1 {
		for lo := 0; lo < n; lo += size {
			f(lo, min(lo+size, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				lo := (int(next.Add(1)) - 1) * size
				if lo >= n {
					return
				}
				f(lo, min(lo+size, n))
			}
		})
	}
	wg.Wait()
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
	parallel(len(dst), rowChunk, 2*len(dst)*len(x), func(lo, hi int) {
		for q := lo; q < hi; q++ {
			i := q
			if rows != nil {
				i = rows[q]
			}
			dst[q] = floats.Dot(k.RawRowView(i), x) + extra
		}
	})
}
