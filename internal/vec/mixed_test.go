package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Against sums in another order, within the bound of n roundings of doubles.
func TestDotMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		k, x := normals(r, n), make([]float64, n)
		var want, size float64
		for q := range x {
			x[q] = r.NormFloat64()
			want += float64(k[q]) * x[q]
			size += math.Abs(float64(k[q]) * x[q])
		}
		if got := DotMixed(k, x); !(math.Abs(got-want) <= float64(n)*0x1p-52*size) {
			t.Fatalf("%d numbers: %v, expected %v", n, got, want)
		}
	}
}

func TestAddRowsMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const guard = 12345.5
	for n := range 100 {
		for _, rows := range []int{0, 1, 2, 17} {
			stride := n + 3
			k, w := normals(r, (rows+1)*stride), make([]float64, rows)
			for a := range w {
				w[a] = r.NormFloat64()
			}
			out := make([]float64, n+4)
			for q := range out {
				out[q] = guard
			}
			AddRowsMixed(out[:n], k, stride, w)
			for q, got := range out {
				want, size := guard, guard
				for a := 0; a < rows && q < n; a++ {
					v := w[a] * float64(k[a*stride+q])
					want += v
					size += math.Abs(v)
				}
				if !(math.Abs(got-want) <= float64(rows)*0x1p-52*size) {
					t.Fatalf("%d columns, %d rows: column %d is %v, expected %v", n, rows, q, got, want)
				}
			}
		}
	}
}

func TestMixedFaults(t *testing.T) {
	for name, f := range map[string]func(){
		"dot":    func() { DotMixed(make([]float32, 2), make([]float64, 3)) },
		"rows":   func() { AddRowsMixed(make([]float64, 3), make([]float32, 7), 4, make([]float64, 3)) },
		"stride": func() { AddRowsMixed(make([]float64, 3), make([]float32, 7), 2, make([]float64, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f()
		})
	}
}

func BenchmarkMixed(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows, n = 64, 512
	k, x, w := normals(r, rows*n), make([]float64, n), make([]float64, rows)
	for q := range x {
		x[q] = r.NormFloat64()
	}
	var sum float64
	for name, f := range map[string]func(){
		"dot": func() {
			for a := range rows {
				sum += DotMixed(k[a*n:(a+1)*n], x)
			}
		},
		"add": func() { AddRowsMixed(x, k, n, w) },
	} {
		b.Run(fmt.Sprintf("%s/%dx%d", name, rows, n), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows/n, "ns/element")
		})
	}
}
