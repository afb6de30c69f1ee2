package parallel

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// Every item has its turn exactly once, whatever the processors, pieces and workers.
func TestOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 3} {
		runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 7, 64} {
			for _, size := range []int{1, 5, 100} {
				turns := make([]atomic.Int32, n)
				count := func(lo, hi int) {
					if hi-lo > size || hi <= lo {
						t.Errorf("piece [%d, %d) of size %d", lo, hi, size)
					}
					for i := lo; i < hi; i++ {
						turns[i].Add(1)
					}
				}
				Pieces(n, size, count)
				Workers(4, n, size, func(w, lo, hi int) {
					if w < 0 || w >= 4 {
						t.Errorf("worker %d of 4", w)
					}
					count(lo, hi)
				})
				if err := Each(0, n, func(i int) error { turns[i].Add(1); return nil }); err != nil {
					t.Error(err)
				}
				for i := range turns {
					if k := turns[i].Load(); k != 3 {
						t.Errorf("%d processors, n %d, size %d: item %d had %d turns of 3", procs, n, size, i, k)
					}
				}
			}
		}
	}
}

// The error is the first in order, not in time, and ends nothing.
func TestFirstError(t *testing.T) {
	var calls atomic.Int32
	err := Each(3, 20, func(i int) error {
		calls.Add(1)
		if i%7 == 6 {
			return fmt.Errorf("item %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "item 6" || calls.Load() != 20 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
