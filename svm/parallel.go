package svm

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls f on [0, n) cut into pieces of the given size, on all cores. The
// pieces do not depend on the number of cores; f writes only what belongs to its piece.
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
	work := func() {
		for {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			f(lo, min(lo+size, n))
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
