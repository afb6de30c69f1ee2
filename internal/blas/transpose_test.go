package blas

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ m, n, gap int }{{1, 1, 0}, {7, 9, 3}, {8, 8, 0}, {16, 128, 1}, {17, 131, 0}, {40, 300, 5}, {3, 257, 0},
		{130, 5, 2}, {0, 3, 0}, {3, 0, 0}} {
		stride := c.n + c.gap
		src := make([]float32, c.m*stride+3)
		for i := range src {
			src[i] = r.Float32()
		}
		if c.m > 0 && c.n > 0 {
			src = src[:(c.m-1)*stride+c.n]
		}
		dst := make([]float32, c.m*c.n)
		Transpose32(dst, src, c.m, c.n, stride)
		for i := range c.m {
			for j := range c.n {
				if dst[j*c.m+i] != src[i*stride+j] {
					t.Fatalf("%dx%d, stride %d: element %d, %d is wrong", c.m, c.n, stride, i, j)
				}
			}
		}
	}
}

func BenchmarkTranspose(b *testing.B) {
	const m, n, stride = 700, 800, 7001
	src, dst := make([]float32, m*stride), make([]float32, m*n)
	for b.Loop() {
		Transpose32(dst, src, m, n, stride)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/m/n, "ns/element")
}

// Symmetrise is the mean of a matrix and its transpose, whatever lies around.
func TestSymmetrise(t *testing.T) {
	for _, n := range []int{1, 2, 31, 33, 100} {
		a, check := guarded(t, source(n), n, n)
		want := new(mat.Dense)
		want.Add(a, a.T())
		want.Scale(0.5, want)
		Symmetrise(a)
		if !mat.Equal(a, want) {
			t.Errorf("%d rows: not the mean", n)
		}
		check()
	}
}
