package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Blocks of 512 random rows with all, in the shapes of the real sets.
func BenchmarkSingle(b *testing.B) {
	for _, c := range []struct {
		name    string
		r, n, d int
	}{{"512x32561x123", 512, 32561, 123}, {"512x5000x784", 512, 5000, 784}, {"512x20000x54", 512, 20000, 54},
		{"512x20000x16", 512, 20000, 16}} {
		b.Run(c.name, func(b *testing.B) {
			rows := cloud(c.n, c.d, 1)
			s := kernel.NewSingle(bind(b, kernel.Gaussian{Sigma: math.Sqrt(float64(c.d))}, rows, nil))
			benchSingle(b, s, c.r, c.d)
		})
	}
	for _, f := range []string{"a9a.svm.gz", "news20_w100.svm.gz"} {
		b.Run(f, func(b *testing.B) {
			set, _, err := read.Open(b.Context(), testdata.Open(b, f), read.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Log(set.Rows.Len(), set.Rows.Dim(), set.Rows.Sparse.NNZ())
			s := kernel.NewSingle(bind(b, kernel.Gaussian{Sigma: 4}, set.Rows, nil))
			benchSingle(b, s, 512, set.Rows.Dim())
		})
	}
}

func benchSingle(b *testing.B, s kernel.Single, r, d int) {
	n := s.Len()
	i := rand.New(rand.NewPCG(1, 2)).Perm(n)[:r]
	dst := make([]float32, r*n)
	for b.Loop() {
		s.Block(dst, i, nil)
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(2*float64(r)*float64(n)*float64(d)/ns, "GFLOP/s")
	b.ReportMetric(ns/float64(r)/float64(n), "ns/element")
}

func BenchmarkMulSingle(b *testing.B) {
	for _, d := range []int{16, 123} {
		b.Run(fmt.Sprintf("8192x%d", d), func(b *testing.B) {
			s := kernel.NewSingle(bind(b, kernel.Gaussian{Sigma: math.Sqrt(float64(d))}, cloud(8192, d, 1), nil))
			x, y := columns2(8192), mat.NewDense(8192, 2, nil)
			for b.Loop() {
				if err := kernel.MulSingle(context.Background(), y, s, nil, nil, x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192/8192, "ns/element")
		})
	}
}
