// Package parallel shares loops out to the processors. What is done must not depend on who
// does it: then results are the same for every number of processors.
//
// Change here how work is shared out.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Pieces calls f on [0, n) cut into pieces of the given size, on all processors. f writes
// only what belongs to its piece.
func Pieces(n, size int, f func(lo, hi int)) {
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 || n <= size { // no goroutine, and nothing to allocate
		for lo := 0; lo < n; lo += size {
			f(lo, min(lo+size, n))
		}
		return
	}
	Workers(workers, n, size, func(_, lo, hi int) { f(lo, hi) })
}

// Workers is Pieces by at most the given number of goroutines, of which each tells f its
// number, from 0, for scratch of its own. The caller is one of them.
func Workers(workers, n, size int, f func(worker, lo, hi int)) {
	var next atomic.Int64
	work := func(w int) {
		for {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			f(w, lo, min(lo+size, n))
		}
	}
	var group sync.WaitGroup
	for w := 1; w < min(workers, (n+size-1)/size); w++ {
		group.Go(func() { work(w) })
	}
	work(0)
	group.Wait()
}

// Each calls f for 0 to n-1, by at most the given number of goroutines, 0 meaning one a
// processor, and returns the error of the least of them that has one. All are called.
func Each(workers, n int, f func(i int) error) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	Workers(workers, n, 1, func(_, i, _ int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
