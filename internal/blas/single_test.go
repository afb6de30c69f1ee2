package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// guarded32 is guarded in single precision.
func guarded32(t testing.TB, rnd *rand.Rand, r, c int) (m blas32.General, check func()) {
	t.Helper()
	stride := c + 5
	whole := make([]float32, (r+2)*stride)
	for i := range whole {
		whole[i] = float32(math.NaN())
	}
	m = blas32.General{Rows: r, Cols: c, Stride: stride, Data: whole[stride+2 : (r+1)*stride]}
	for i := range r {
		for j := range c {
			m.Data[i*stride+j] = float32(rnd.NormFloat64())
		}
	}
	return m, func() {
		t.Helper()
		for p, v := range whole {
			i, j := p/stride-1, p%stride-2
			inside := i >= 0 && i < r && j >= 0 && j < c
			if !inside && v == v {
				t.Fatalf("wrote outside the view at (%d, %d)", i, j)
			}
		}
	}
}

func wide(m blas32.General) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j := range m.Cols {
			d.Set(i, j, float64(m.Data[i*m.Stride+j]))
		}
	}
	return d
}

// Every backend against sums in double precision, within the bound of Sgemm's doc.
func TestSgemm(t *testing.T) {
	type shape struct{ m, n, k int }
	var shapes []shape
	for n := 1; n <= 70; n++ {
		shapes = append(shapes, shape{n, n, n})
	}
	rnd := source(0)
	for range 25 {
		shapes = append(shapes, shape{1 + rnd.IntN(40), 1 + rnd.IntN(40), 1 + rnd.IntN(400)})
	}
	// Beyond each blocking size.
	shapes = append(shapes, shape{1, 2100, 3}, shape{1550, 9, 5}, shape{101, 523, 257}, shape{7, 3, 1030})
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, s := range shapes {
			for mode := range 4 {
				if s.m*s.n*s.k > 1e6 && mode != s.m%4 && mode != 2 {
					continue
				}
				ta, tb := mode&1 != 0, mode&2 != 0
				ar, ac := dims(ta, s.m, s.k)
				br, bc := dims(tb, s.k, s.n)
				x, okx := guarded32(t, rnd, ar, ac)
				y, oky := guarded32(t, rnd, br, bc)
				c, okc := guarded32(t, rnd, s.m, s.n)
				beta := []float32{0, 1, -0.5}[(s.n+mode)%3]
				old := append([]float32(nil), c.Data...)
				b.Sgemm(1.5, Op32{x, transposed(ta)}, Op32{y, transposed(tb)}, beta, c)
				xd, yd := wide(x), wide(y)
				want := product(ta, tb, xd, yd)
				abs := func(_, _ int, v float64) float64 { return math.Abs(v) }
				xd.Apply(abs, xd)
				yd.Apply(abs, yd)
				size := product(ta, tb, xd, yd)
				for i := range s.m {
					for j := range s.n {
						before := float64(beta) * float64(old[i*c.Stride+j])
						exact := before + 1.5*want.At(i, j)
						bound := float64(s.k+4) * 0x1p-24 * (1.5*size.At(i, j) + math.Abs(before))
						if got := float64(c.Data[i*c.Stride+j]); !(math.Abs(got-exact) <= bound) {
							t.Fatalf("%+v trans %v %v beta %v: element (%d, %d) is %v, expected %v", s, ta, tb, beta, i, j, got, exact)
						}
					}
				}
				okx()
				oky()
				okc()
			}
		}
	})
}

// beta = 0 erases what is no number; a NaN in a factor reaches its row.
func TestSgemmNotFinite(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{1, 5, 6, 16, 33} {
			for _, alpha := range []float32{0, 1} {
				x, _ := guarded32(t, source(n), n, n)
				c, ok := guarded32(t, source(n), n, n)
				for i := range n {
					for j := range n {
						c.Data[i*c.Stride+j] = float32(math.NaN())
					}
				}
				x.Data[0] = float32(math.Inf(1))
				y, _ := guarded32(t, source(n), n, n)
				b.Sgemm(alpha, N32(x), T32(y), 0, c)
				for i := range n {
					for j := range n {
						v := float64(c.Data[i*c.Stride+j])
						if finite := v-v == 0; finite != (i > 0 || alpha == 0) {
							t.Fatalf("n=%d alpha=%v: element (%d, %d) is %v", n, alpha, i, j, v)
						}
					}
				}
				ok()
			}
		}
	})
}

func TestSgemmShapes(t *testing.T) {
	g := func(r, c, stride, n int) blas32.General {
		return blas32.General{Rows: r, Cols: c, Stride: stride, Data: make([]float32, n)}
	}
	Backend{}.Sgemm(1, N32(g(0, 3, 3, 0)), N32(g(3, 4, 4, 12)), 0, g(0, 4, 4, 0))
	c := g(2, 2, 2, 4)
	for i := range c.Data {
		c.Data[i] = 2
	}
	Backend{}.Sgemm(1, N32(g(2, 0, 0, 0)), N32(g(0, 2, 2, 0)), 0.5, c)
	for _, v := range c.Data {
		if v != 1 {
			t.Errorf("a product over nothing left %v, expected beta C = 1", v)
		}
	}
	for name, f := range map[string]func(){
		"inner":  func() { Backend{}.Sgemm(1, N32(g(2, 3, 3, 6)), N32(g(2, 3, 3, 6)), 0, g(2, 3, 3, 6)) },
		"output": func() { Backend{}.Sgemm(1, N32(g(2, 3, 3, 6)), T32(g(2, 3, 3, 6)), 0, g(2, 3, 3, 6)) },
		"short":  func() { Backend{}.Sgemm(1, N32(g(2, 3, 3, 5)), T32(g(2, 3, 3, 6)), 0, g(2, 2, 2, 4)) },
		"stride": func() { Backend{}.Sgemm(1, N32(g(2, 3, 2, 6)), T32(g(2, 3, 3, 6)), 0, g(2, 2, 2, 4)) },
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

// Products are the same bits for every number of threads, and an element the same
// bits at every place of the block.
func TestSgemmThreadsDoNotMatter(t *testing.T) {
	for _, plain := range []bool{false, true} {
		x, _ := guarded32(t, source(1), 131, 530)
		y, _ := guarded32(t, source(2), 1100, 530)
		run := func(threads int, lo int) blas32.General {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			b := Backend{apart(engine{plain: plain})}
			b.e.setThreads(threads)
			part := y
			part.Rows -= lo
			part.Data = y.Data[lo*y.Stride:]
			c := blas32.General{Rows: x.Rows, Cols: part.Rows, Stride: part.Rows, Data: make([]float32, x.Rows*part.Rows)}
			b.Sgemm(1, N32(x), T32(part), 0, c)
			return c
		}
		one := run(1, 0)
		for _, c := range []struct{ threads, lo int }{{2, 0}, {5, 0}, {2, 3}} {
			many := run(c.threads, c.lo)
			for i := range many.Rows {
				for j := range many.Cols {
					a, b := one.Data[i*one.Stride+j+c.lo], many.Data[i*many.Stride+j]
					if a != b {
						t.Fatalf("plain %v: %d threads from row %d give %v instead of %v", plain, c.threads, c.lo, b, a)
					}
				}
			}
		}
	}
}

// Tiles cover every element once and hold the product of the listed rows; with the
// kernels that is Sgemm's to the last bit.
func TestSgemmTiles(t *testing.T) {
	for _, s := range []struct{ m, n, k int }{{1, 1, 1}, {5, 7, 0}, {6, 16, 3}, {97, 257, 9}, {300, 40, 300}, {40, 1100, 20},
		{1600, 20, 5}, {200, 600, 30}} {
		rnd := source(s.m)
		a, oka := guarded32(t, rnd, s.m, s.k)
		b, okb := guarded32(t, rnd, s.n, s.k)
		some := func(n int) []int {
			idx := make([]int, n)
			for i := range idx {
				idx[i] = rnd.IntN(n)
			}
			return idx
		}
		run := make([]int, s.n/2+1)
		for q := range run {
			run[q] = s.n - len(run) + q
		}
		for _, l := range []struct{ i, j []int }{{nil, nil}, {some(s.m), some(s.n)}, {nil, run}, {[]int{s.m - 1}, nil}, {nil, []int{}},
			{[]int{}, nil}} {
			x, y := rowsOf(a, l.i), rowsOf(b, l.j)
			var want blas32.General
			if x.n*y.n > 0 {
				var left, right []float32
				want = blas32.General{Rows: x.n, Cols: y.n, Stride: y.n, Data: make([]float32, x.n*y.n)}
				Backend{}.Sgemm(1, N32(x.slice(&left, 0, x.n)), T32(y.slice(&right, 0, y.n)), 0, want)
			}
			for _, plain := range []bool{false, true} {
				seen := make([]int32, x.n*y.n)
				each := func(row, col int, c blas32.General) {
					for p := range c.Rows {
						for q := range c.Cols {
							at := (row+p)*y.n + col + q
							atomic.AddInt32(&seen[at], 1)
							got, exact := c.Data[p*c.Stride+q], want.Data[at]
							if off := math.Abs(float64(got - exact)); off > 1e-4 || off > 0 && !plain {
								t.Errorf("%+v: element (%d, %d) is %v, expected %v", s, row+p, col+q, got, exact)
							}
							c.Data[p*c.Stride+q] = float32(math.NaN()) // may be overwritten
						}
					}
				}
				if plain {
					tilesBySgemm(2, x, y, each)
				} else {
					SgemmTiles(a, b, l.i, l.j, each)
				}
				for at, n := range seen {
					if n != 1 {
						t.Fatalf("%+v plain %v: element %d was handed over %d times", s, plain, at, n)
					}
				}
			}
		}
		oka()
		okb()
	}
	for name, f := range map[string]func(a blas32.General){
		"row":  func(a blas32.General) { SgemmTiles(a, a, []int{2}, nil, nil) },
		"sign": func(a blas32.General) { SgemmTiles(a, a, nil, []int{-1}, nil) },
		"width": func(a blas32.General) {
			SgemmTiles(a, blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: a.Data}, nil, nil, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f(blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 4)})
		})
	}
}

// The product of 512 rows with many, as kernel blocks need it.
func BenchmarkSgemm(b *testing.B) {
	for _, s := range []struct{ m, n, k int }{
		{2000, 2000, 2000}, {512, 2048, 123}, {512, 1024, 123}, {512, 512, 123}, {512, 32561, 123},
		{512, 512, 784}, {512, 5000, 784}, {512, 512, 54}, {512, 2048, 54}, {512, 512, 16}, {512, 2048, 16},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k), func(b *testing.B) {
			x, y := make([]float32, s.m*s.k), make([]float32, s.n*s.k)
			rnd := source(1)
			for i := range x {
				x[i] = float32(rnd.NormFloat64())
			}
			for i := range y {
				y[i] = float32(rnd.NormFloat64())
			}
			c := blas32.General{Rows: s.m, Cols: s.n, Stride: s.n, Data: make([]float32, s.m*s.n)}
			for b.Loop() {
				Backend{}.Sgemm(1, N32(blas32.General{Rows: s.m, Cols: s.k, Stride: s.k, Data: x}),
					T32(blas32.General{Rows: s.n, Cols: s.k, Stride: s.k, Data: y}), 0, c)
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(2*float64(s.m*s.n*s.k)/ns, "GFLOP/s")
			b.ReportMetric(ns/float64(s.m*s.n), "ns/element")
		})
	}
}
