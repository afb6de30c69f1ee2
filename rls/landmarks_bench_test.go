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

// The ways on 100 000 rows of 50 columns with 2000 centres and 10 outputs: -bench Landmarks
// -benchtime 1x -count 3.
func BenchmarkLandmarks(b *testing.B) {
	const n, m = 100_000, 2000
	ctx := context.Background()
	rows, fresh, y := surfaces(b, n, 10_000)
	k, o := kernel.Gaussian{Sigma: 1.5}, rls.LandmarkOptions{Offset: true}
	z := rand.New(rand.NewPCG(1, 2)).Perm(n)[:m]
	g, err := k.Bind(ctx, rows.Select(z), nil)
	if err != nil {
		b.Fatal(err)
	}
	p := products(b, k, rows, z, kernel.Mixed)
	test, err := kernel.NewProducts(g, fresh, kernel.Mixed)
	if err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B, f *rls.LandmarkFit) {
		b.ReportMetric(100*wrong(outputs(b, f, test)), "test-error-%")
		b.ReportMetric(float64(f.Iterations), "steps")
	}
	var path *rls.LandmarkPath
	b.Run("path", func(b *testing.B) {
		for b.Loop() {
			path = landmarkPath(b, p, y, o)
		}
		f, err := path.At(1)
		if err != nil {
			b.Fatal(err)
		}
		report(b, f)
	})
	b.Run("leave-out of 5 lambdas", func(b *testing.B) {
		if path == nil {
			path = landmarkPath(b, p, y, o)
			b.ResetTimer()
		}
		var left []*mat.Dense
		for b.Loop() {
			if left, err = path.LeaveOut(ctx, []float64{100, 10, 1, 0.1, 0.01}); err != nil {
				b.Fatal(err)
			}
		}
		for q, l := range []string{"100", "10", "1", "0.1", "0.01"} {
			b.ReportMetric(100*wrong(left[q]), "loo-error-%:"+l)
		}
	})
	for _, lambdas := range [][]float64{{1}, {100, 10, 1, 0.1, 0.01}} {
		b.Run(fmt.Sprintf("solver of %d lambdas", len(lambdas)), func(b *testing.B) {
			var f *rls.LandmarkFit
			for b.Loop() {
				s, err := rls.NewLandmarkSolver(ctx, p, y, o)
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
			report(b, f)
		})
	}
}
