package blas

import (
	"math"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// assembled are the engines with the kernels that this processor can run.
func assembled(t *testing.T) map[string]*engine {
	if !hasKernels {
		t.Skip("no assembly on this processor")
	}
	engines := map[string]*engine{"avx2": apart(engine{narrow: true})}
	if hasWide {
		engines["avx512"] = apart(engine{})
	}
	return engines
}

// twinMulAdd says what every kernel gives: for each slice of k a sum of fused products in order, then one more for alpha.
func twinMulAdd(uplo gblas.Uplo, alpha float64, a, b *mat.Dense, c *mat.Dense) {
	m, k := a.Dims()
	_, n := b.Dims()
	for i := range m {
		for j := range n {
			if uplo == gblas.Lower && j > i {
				continue
			}
			v := c.At(i, j)
			for p0 := 0; p0 < k; p0 += depth {
				var sum float64
				for p := p0; p < min(p0+depth, k); p++ {
					sum = math.FMA(a.At(i, p), b.At(p, j), sum)
				}
				v = math.FMA(alpha, sum, v)
			}
			c.Set(i, j, v)
		}
	}
}

func sameBits(t *testing.T, what string, a, b *mat.Dense) {
	t.Helper()
	r, c := a.Dims()
	for i := range r {
		for j := range c {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				t.Fatalf("%s: (%d, %d) is %v and %v", what, i, j, a.At(i, j), b.At(i, j))
			}
		}
	}
}

// Every kernel gives the bits of the plain form with fused products, inside and at the edges, and writes nowhere else.
func TestKernelsAgree(t *testing.T) {
	engines := assembled(t)
	type shape struct{ m, n, k int }
	shapes := []shape{{1, 1, 1}, {6, 8, 4}, {7, 9, 3}, {12, 16, 17}, {13, 17, 5}, {11, 15, 300}, {97, 130, 20}, {40, 300, 513}}
	for n := 18; n < 30; n++ {
		shapes = append(shapes, shape{n, n + 3, n - 7})
	}
	for _, s := range shapes {
		for mode := range 8 {
			ta, tb, uplo := mode&1 > 0, mode&2 > 0, gblas.All
			if mode&4 > 0 {
				uplo = gblas.Lower
			}
			rnd := source(s.m)
			ar, ac := dims(ta, s.m, s.k)
			br, bc := dims(tb, s.k, s.n)
			x, _ := guarded(t, rnd, ar, ac)
			y, _ := guarded(t, rnd, br, bc)
			first, _ := guarded(t, rnd, s.m, s.n)
			want, a, b := mat.DenseCopyOf(first), x, y
			if ta {
				a = mat.DenseCopyOf(x.T())
			}
			if tb {
				b = mat.DenseCopyOf(y.T())
			}
			twinMulAdd(uplo, -0.7, a, b, want)
			for name, g := range engines {
				c, ok := guarded(t, rnd, s.m, s.n)
				c.Copy(first)
				g.mulAdd(nil, uplo, -0.7, op(ta, x), op(tb, y), c.RawMatrix())
				sameBits(t, name, c, want)
				ok()
			}
		}
	}
}

// Whole operations give the same bits by every kernel.
func TestOperationsAgree(t *testing.T) {
	engines := assembled(t)
	for name, op := range operations(t, 301) {
		want, err := op(Backend{engines["avx2"]})
		if err != nil {
			t.Fatal(name, err)
		}
		for kernel, g := range engines {
			got, err := op(Backend{g})
			if err != nil {
				t.Fatal(name, err)
			}
			sameBits(t, name+" by "+kernel, got, want)
		}
	}
}

// The kernels on rows are their plain forms but for rounding.
func TestRows(t *testing.T) {
	plain := apart(engine{plain: true})
	for _, w := range []int{1, 3, 4, 5, 8, 11, 31, 32, 70} {
		for _, k := range []int{1, 2, 4, 7, 9} {
			rnd := source(w)
			x, okx := guarded(t, rnd, k, w)
			v, _ := guarded(t, rnd, 1, w)
			raw := x.RawMatrix()
			row := v.RawRowView(0)
			want, got := make([]float64, k), make([]float64, k)
			plain.rowDots(want, raw.Data, raw.Stride, row, k)
			pureGo.rowDots(got, raw.Data, raw.Stride, row, k)
			for i := range want {
				if !(math.Abs(want[i]-got[i]) <= 20*eps*float64(w)) {
					t.Fatalf("%d rows of %d: product %d is %v, want %v", k, w, i, got[i], want[i])
				}
			}
			turned, ok := guarded(t, rnd, w, k)
			turnAll(turned.RawMatrix(), raw)
			sameBits(t, "transpose", turned, mat.DenseCopyOf(x.T()))
			ok()
			quotient := mat.DenseCopyOf(v)
			pureGo.divideRow(quotient.RawRowView(0), 3)
			for i, q := range quotient.RawRowView(0) {
				if q != row[i]/3 {
					t.Fatalf("%v/3 is %v", row[i], q)
				}
			}
			two, ok2 := guarded(t, rnd, w, 2)
			if k >= 2 {
				to := two.RawMatrix()
				twoColumns(to.Data, to.Stride, raw.Data, raw.Stride, w)
				sameBits(t, "two columns", two, mat.DenseCopyOf(x.Slice(0, 2, 0, w).T()))
			}
			ok2()
			okx()
		}
	}
}

// The product of a symmetric matrix is that of its definition, whatever the slabs and threads, to the same bits.
func TestSymmetricProduct(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 13, 100, 363, 515, 800} {
		rnd := source(n)
		a, oka := guarded(t, rnd, n, n)
		x, want := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
		for i := range n {
			for j := range n {
				want[i] += a.At(max(i, j), min(i, j)) * x[j]
				if j > i { // is not read
					a.Set(i, j, math.NaN())
				}
			}
		}
		var first []float64
		for _, g := range []*engine{apart(engine{plain: true}), apart(engine{})} {
			for _, threads := range []int{1, 2, 5} {
				team := newTeam(threads)
				var p symmetricProduct
				p.prepare(g, team, n)
				y := make([]float64, n)
				for range 3 {
					p.multiply(a.RawMatrix(), x, y)
				}
				team.end()
				if threads == 1 {
					first = y
				}
				for i, v := range y {
					if !(math.Abs(v-want[i]) <= 10*eps*float64(n+10)) || math.Float64bits(v) != math.Float64bits(first[i]) {
						t.Fatalf("n=%d, %d threads: element %d is %v, of one thread %v, want %v", n, threads, i, v, first[i], want[i])
					}
				}
			}
		}
		oka()
	}
}

// A triangle that is packed in several parts, and cleared as they come, keeps what stands above its diagonal.
func TestLargeTriangle(t *testing.T) {
	const n, k = maxN + 70, 2
	x := mat.NewDense(n, k, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64((i*(j+2))%13 - 6) }, x)
	for _, how := range []update{overwrite, add} {
		c := mat.NewDense(n, n, nil)
		c.Apply(func(_, _ int, _ float64) float64 { return 7 }, c)
		pureGo.multiply(nil, manner{gblas.Lower, 1, how}, N(x), T(x), c.RawMatrix())
		for i := range n {
			for j, v := range c.RawRowView(i) {
				want := 7.0
				if j <= i && how == overwrite {
					want = 0
				}
				if j <= i {
					want += x.At(i, 0)*x.At(j, 0) + x.At(i, 1)*x.At(j, 1)
				}
				if v != want {
					t.Fatalf("overwrite %v: (%d, %d) is %v, want %v", how == overwrite, i, j, v, want)
				}
			}
		}
	}
}
