package limit

import (
	"fmt"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// peak is what the machine can do.
type peak struct {
	n            int     // of the product
	copied       int     // bytes
	threads      int     // at work
	one          float64 // operations a second of a product on one thread
	all          float64 // on all together
	flops, bytes float64 // a second: of one thread times their number; moved by a copy
}

// peakRuns is how often product and copy run; the quickest counts.
const peakRuns = 5

// measurePeak measures a product of order n on one thread and on all, and a copy of so many bytes by all.
func measurePeak(n, copied int) peak {
	p := peak{n: n, copied: copied, threads: runtime.GOMAXPROCS(0)}
	p.one = productRate(n, 1)
	p.all = productRate(n, p.threads)
	p.flops = p.one * float64(p.threads)
	from, to := make([]float64, copied/8), make([]float64, copied/8)
	for i := range from {
		from[i] = float64(i)
	}
	const piece = 1 << 17
	p.bytes = 2 * float64(copied) / quickest(func() {
		parallel.Pieces(len(from), piece, func(lo, hi int) { copy(to[lo:hi], from[lo:hi]) })
	})
	return p
}

// productRate is that of a product of order n on so many threads, in operations a second.
func productRate(n, threads int) float64 {
	before := runtime.GOMAXPROCS(threads)
	blas.SetThreads(threads)
	defer func() {
		runtime.GOMAXPROCS(before)
		blas.SetThreads(before)
	}()
	a, b, c := normal(n, n).Dense, normal(n, n).Dense, mat.NewDense(n, n, nil)
	return 2 * float64(n) * float64(n) * float64(n) / quickest(func() { blas.Gemm(1, blas.N(a), blas.N(b), 0, c) })
}

// quickest is the least seconds of some calls.
func quickest(f func()) float64 {
	var best time.Duration
	for k := range peakRuns {
		start := time.Now()
		f()
		if took := time.Since(start); k == 0 || took < best {
			best = took
		}
	}
	return max(best.Seconds(), 1e-9)
}

func (p peak) String() string {
	return fmt.Sprintf("The peak in this run: %.1f GFLOP/s, %d times the %.1f of a product of order %d on one thread (%.1f on all); "+
		"%.1f GB/s, a copy of %.3g GB, which moves twice that.", p.flops/1e9, p.threads, p.one/1e9, p.n, p.all/1e9, p.bytes/1e9,
		float64(p.copied)/1e9)
}
