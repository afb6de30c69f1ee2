package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
)

// chunk is the number of rows a goroutine takes at a time: small enough to share
// out triangles evenly, large enough for 32 doubles (4 cache lines) a transpose.
const chunk = 32

// parallel calls f on [0, n) cut into pieces of the given size, on all cores.
// The pieces do not depend on the number of cores; f must write only what
// belongs to its piece.
func parallel(n, size int, f func(lo, hi int)) {
	pieces := (n + size - 1) / size
	workers := min(runtime.GOMAXPROCS(0), pieces)
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

// row returns a view of row i of m.
func row(m *mat.Dense, i int) []float64 {
	return m.RawRowView(i)
}

// mirrorUp copies the strict lower triangle of rows [lo, hi) to the upper one.
// Writes run along rows; the reads touch hi-lo rows at a time.
func mirrorUp(m *mat.Dense, lo, hi int) {
	raw := m.RawMatrix()
	for j := range hi {
		to := raw.Data[j*raw.Stride : j*raw.Stride+raw.Cols]
		for i := max(lo, j+1); i < hi; i++ {
			to[i] = raw.Data[i*raw.Stride+j]
		}
	}
}
