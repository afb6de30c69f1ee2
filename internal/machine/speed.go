package machine

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
)

// Speed is how fast this machine does what fits consist of, with all processors that the
// process may use and the engine of linear algebra that it has.
type Speed struct {
	Products float64 // floating point operations a second, of matrix products
	Values   float64 // exponentials a second, of vectors
	Passes   float64 // bytes a second, of tables that are read once
}

// SlowSpeed is one that machines of the last ten years exceed, without a measurement.
func SlowSpeed() Speed { return Speed{Products: 2e9, Values: 1e8, Passes: 2e9} }

// MeasuredSpeed measures the speed at its first call, in some ten milliseconds.
var MeasuredSpeed = sync.OnceValue(measure)

// repetitions of which the quickest counts: others may have been interrupted.
const repetitions = 5

func measure() Speed {
	const n = 256 // as large as the caches that products are blocked for
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, v := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = v + 1/float64(i+1)
		b.RawMatrix().Data[i] = -float64(i%n) / n
	}
	table := make([]float64, 1<<20) // 8 MB
	sums := make([]float64, len(table)/pieceOf)
	return Speed{
		Products: 2 * n * n * n / quickest(func() { blas.Gemm(1, blas.N(a), blas.N(b), 0, c) }),
		Values: n * n / quickest(func() {
			parallel.Pieces(n, 16, func(lo, hi int) { vec.Exp(c.RawMatrix().Data[lo*n:hi*n], b.RawMatrix().Data[lo*n:hi*n]) })
		}),
		Passes: float64(8*len(table)) / quickest(func() {
			parallel.Pieces(len(table), pieceOf, func(lo, hi int) { sums[lo/pieceOf] = sum(table[lo:hi]) })
		}),
	}
}

// pieceOf is how many numbers a processor reads at a time.
const pieceOf = 1 << 14

// sum has four partial sums, so that it waits for memory and not for itself.
func sum(x []float64) float64 {
	var s [4]float64
	for ; len(x) >= 4; x = x[4:] {
		s[0] += x[0]
		s[1] += x[1]
		s[2] += x[2]
		s[3] += x[3]
	}
	return s[0] + s[1] + s[2] + s[3]
}

// quickest returns the least seconds of several calls, after one that warms up.
func quickest(f func()) float64 {
	f()
	best := math.Inf(1)
	for range repetitions {
		seconds := clock()
		f()
		best = min(best, seconds())
	}
	return max(best, 1e-9) // a step of the clock
}
