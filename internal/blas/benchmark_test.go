package blas

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// benchmark runs the engine, and its form for AVX2 where the processor has more.
func benchmark(b *testing.B, flops float64, setup func(n int) func(be Backend)) {
	engines := map[string]Backend{"go": {}}
	if hasWide {
		engines["avx2"] = Backend{apart(engine{narrow: true})}
	}
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		for _, n := range []int{200, 500, 1000, 2000} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				run := setup(n)
				for b.Loop() {
					run(engines[name])
				}
				f := float64(n)
				b.ReportMetric(flops*f*f*f*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// spd is a random diagonally dominant matrix.
func spd(n int) *mat.Dense {
	rnd := source(n)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			v := rnd.NormFloat64()
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
		a.Set(i, i, 2*float64(n))
	}
	return a
}

func BenchmarkGemm(b *testing.B) {
	benchmark(b, 2, func(n int) func(Backend) {
		x, c := spd(n), mat.NewDense(n, n, nil)
		return func(be Backend) { be.Gemm(1, N(x), T(x), 0, c) }
	})
}

func BenchmarkSyrk(b *testing.B) {
	benchmark(b, 1, func(n int) func(Backend) {
		x, c := spd(n), mat.NewDense(n, n, nil)
		return func(be Backend) { be.Syrk(1, N(x), 0, c) }
	})
}

func BenchmarkCholesky(b *testing.B) {
	benchmark(b, 1./3, func(n int) func(Backend) {
		x, c := spd(n), mat.NewDense(n, n, nil)
		return func(be Backend) {
			c.Copy(x)
			if err := (&Cholesky{Backend: be}).Factor(c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCholeskyInverse(b *testing.B) {
	benchmark(b, 1, func(n int) func(Backend) {
		x, c := spd(n), mat.NewDense(n, n, nil)
		return func(be Backend) {
			c.Copy(x)
			l := Cholesky{Backend: be}
			if err := l.Factor(c); err != nil {
				b.Fatal(err)
			}
			l.Inverse()
		}
	})
}

func BenchmarkLU(b *testing.B) {
	benchmark(b, 2./3, func(n int) func(Backend) {
		x, c := spd(n), mat.NewDense(n, n, nil)
		rnd := source(n)
		x.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, x)
		return func(be Backend) {
			c.Copy(x)
			if err := (&LU{Backend: be}).Factor(c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSymEigen(b *testing.B) {
	benchmark(b, 9, func(n int) func(Backend) {
		x, c, v, w := spd(n), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), make([]float64, n)
		return func(be Backend) {
			c.Copy(x)
			if err := be.SymEigen(c, w, v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
