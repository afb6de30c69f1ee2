package rls_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rls"
	"gonum.org/v1/gonum/mat"
)

// surfaces returns n rows of ten noisy surfaces in 50 dimensions, their classes as outputs of -1 and 1,
// and as many further rows as asked for.
func surfaces(b *testing.B, n, more int) (rows, fresh data.Rows, y *mat.Dense) {
	b.Helper()
	set, err := data.Builtin(fmt.Sprintf("manifolds:n=%d,noise=0.3", n+more))
	if err != nil {
		b.Fatal(err)
	}
	y = mat.NewDense(n, 10, nil)
	for i := range n {
		for j := range 10 {
			y.Set(i, j, -1)
		}
		y.Set(i, i%10, 1)
	}
	d := set.Rows.Dim()
	rows = data.Rows{Dense: set.Rows.Dense.Slice(0, n, 0, d).(*mat.Dense)}
	fresh = data.Rows{Dense: set.Rows.Dense.Slice(n, n+more, 0, d).(*mat.Dense)}
	return rows, fresh, y
}

// wrong is the share of rows whose largest output is not that of their class, row i being of class
// i mod 10.
func wrong(out *mat.Dense) float64 {
	n, _ := out.Dims()
	errs := 0
	for i := range n {
		best, row := 0, out.RawRowView(i)
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		if best != i%10 {
			errs++
		}
	}
	return float64(errs) / float64(n)
}

// ways is the problem of the benchmarks: 100 000 rows of 50 columns, 10 outputs, 2000 centres.
type ways struct {
	p, fresh *kernel.Products
	y        *mat.Dense
	o        rls.LandmarkOptions
}

func newWays(b *testing.B) *ways {
	b.Helper()
	const n, m = 100_000, 2000
	rows, fresh, y := surfaces(b, n, 10_000)
	k := kernel.Gaussian{Sigma: 1.5}
	p := products(b, k, rows, rand.New(rand.NewPCG(1, 2)).Perm(n)[:m], kernel.Mixed)
	test, err := kernel.NewProducts(p.Centres(), fresh, kernel.Mixed)
	if err != nil {
		b.Fatal(err)
	}
	return &ways{p, test, y, rls.LandmarkOptions{Offset: true}}
}

// report says how many fresh rows a fit errs on.
func (w *ways) report(b *testing.B, f *rls.LandmarkFit) {
	b.Helper()
	b.ReportMetric(100*wrong(outputs(b, f, w.fresh)), "test-error-%")
	b.ReportMetric(float64(f.Iterations), "steps")
}

// The path and its leave-out: -bench LandmarkPath -benchtime 1x -count 3.
func BenchmarkLandmarkPath(b *testing.B) {
	w := newWays(b)
	path := landmarkPath(b, w.p, w.y, w.o)
	b.Run("sums and eigenvalues", func(b *testing.B) {
		for b.Loop() {
			path = landmarkPath(b, w.p, w.y, w.o)
		}
		f, err := path.At(1)
		if err != nil {
			b.Fatal(err)
		}
		w.report(b, f)
	})
	b.Run("leave-out of 5 lambdas", func(b *testing.B) {
		var left []*mat.Dense
		var err error
		for b.Loop() {
			if left, err = path.LeaveOut(context.Background(), []float64{100, 10, 1, 0.1, 0.01}); err != nil {
				b.Fatal(err)
			}
		}
		for q, l := range []string{"100", "10", "1", "0.1", "0.01"} {
			b.ReportMetric(100*wrong(left[q]), "loo-error-%:"+l)
		}
	})
}

func BenchmarkLandmarkSolver(b *testing.B) {
	w := newWays(b)
	ctx := context.Background()
	for _, lambdas := range [][]float64{{1}, {100, 10, 1, 0.1, 0.01}} {
		b.Run(fmt.Sprintf("lambdas=%d", len(lambdas)), func(b *testing.B) {
			var f *rls.LandmarkFit
			for b.Loop() {
				s, err := rls.NewLandmarkSolver(ctx, w.p, w.y, w.o)
				if err != nil {
					b.Fatal(err)
				}
				f = nil
				for _, lambda := range lambdas {
					if f, err = s.At(ctx, lambda, f, rls.LandmarkStop{}); err != nil {
						b.Fatal(err)
					}
					b.Logf("lambda %g: %d steps, residual %.1e", lambda, f.Iterations, f.Residual[0])
				}
			}
			w.report(b, f)
		})
	}
}
