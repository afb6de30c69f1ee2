package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/stoptest"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// normal returns r x c normal numbers.
func normal(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// productCases are kernels, rows and centres; tol is the error of an entry.
func productCases(t *testing.T) []productCase {
	x, z := cloud(500, 7, 1), cloud(45, 7, 2)
	moved := mat.DenseCopyOf(x.Dense) // far from the origin, some rows and centres from the mean
	movedZ := mat.DenseCopyOf(z.Dense)
	for i := range 500 {
		for j := range 7 {
			moved.Set(i, j, moved.At(i, j)+300)
			if i%50 == 3 {
				moved.Set(i, j, moved.At(i, j)+200)
			}
			if i < 45 {
				movedZ.Set(i, j, movedZ.At(i, j)+300)
				if i%20 == 3 {
					movedZ.Set(i, j, moved.At(3, j)+0.5*movedZ.At(i, j)-150)
				}
			}
		}
	}
	wide := kernel.ARDGaussian{Sigma: []float64{1, 2, 3, 4, 5, 6, 7}}
	return []productCase{
		{"gaussian", kernel.Gaussian{Sigma: 3}, x, z, true, 2e-6},
		{"far", kernel.Gaussian{Sigma: 3}, data.Rows{Dense: moved}, data.Rows{Dense: movedZ}, true, 1e-5},
		{"ard", wide, x, z, true, 2e-6},
		{"scaled", kernel.Scaled{Weight: 3, Base: kernel.Scaled{Weight: 0.5, Base: kernel.Gaussian{Sigma: 3}}}, x, z, true, 4e-6},
		{"polynomial", kernel.Polynomial{Degree: 2, Scale: 0.1, Offset: 1}, x, z, false, 1e-12},
		{"sparse", kernel.Gaussian{Sigma: 3}, data.Rows{Sparse: sparse.FromDense(x.Dense)}, z, false, 1e-12},
	}
}

type productCase struct {
	name   string
	k      kernel.Kernel
	x, z   data.Rows
	single bool
	tol    float64
}

// Products are those of the matrix that Cross computes, to the rounding of its entries.
func TestProducts(t *testing.T) {
	ctx := context.Background()
	for _, s := range productCases(t) {
		g := bind(t, s.k, s.z, nil)
		n, m := s.x.Len(), s.z.Len()
		k := mat.NewDense(n, m, nil)
		if err := g.Cross(k, s.x, nil); err != nil {
			t.Fatal(err)
		}
		for _, precision := range []kernel.Precision{kernel.Mixed, kernel.Double} {
			p, err := kernel.NewProducts(g, s.x, precision)
			if err != nil {
				t.Fatal(err)
			}
			single := s.single && precision == kernel.Mixed && !(s.x.Sparse != nil)
			if p.InSingle() != single {
				t.Errorf("%s: in single precision: %v", s.name, p.InSingle())
			}
			tol := 1e-12
			if single {
				tol = s.tol
			}
			for _, c := range []int{1, 3, 5} {
				testProducts(ctx, t, fmt.Sprintf("%s, precision %d, %d columns", s.name, precision, c), p, k, c, tol)
			}
		}
	}
}

// testProducts compares all products with those of k; tol is the error of an entry.
func testProducts(ctx context.Context, t *testing.T, what string, p *kernel.Products, k *mat.Dense, c int, tol float64) {
	t.Helper()
	n, m := k.Dims()
	v, y, w := normal(m, c, 5), normal(n, c, 6), make([]float64, n)
	weighted, less := mat.NewDense(n, c, nil), []float64{1, -2, 3, 0, 5}[:c]
	var kv, ky, kwkv, kkv, kk mat.Dense
	kv.Mul(k, v)
	for i := range n {
		w[i] = float64(i%4) / 2
		for e := range c {
			weighted.Set(i, e, w[i]*(kv.At(i, e)-less[e]))
		}
	}
	ky.Mul(k.T(), y)
	kwkv.Mul(k.T(), weighted)
	kkv.Mul(k.T(), &kv)
	kk.Mul(k.T(), k)
	size := mat.Norm(k, math.Inf(1)) // the largest sum over centres
	long := mat.Norm(k, 1)
	check := func(name string, err error, got, want *mat.Dense, tol float64) {
		t.Helper()
		if off := distance(t, got, want); err != nil || !(off <= tol) {
			t.Errorf("%s: %s is off by %g, allowed %g, %v", what, name, off, tol, err)
		}
	}
	a, b, s := mat.NewDense(n, c, nil), mat.NewDense(m, c, nil), mat.NewDense(m, m, nil)
	check("K V", p.Mul(ctx, a, v), a, &kv, tol*(4*math.Sqrt(float64(m))+size))
	check("K'Y", p.MulT(ctx, b, y), b, &ky, tol*(4*math.Sqrt(float64(n))+long))
	check("K'WKV", p.Normal(ctx, b, w, v, less), b, &kwkv, 2*tol*float64(n)*(5+size))
	check("K'KV", p.Normal(ctx, b, nil, v, nil), b, &kkv, 2*tol*float64(n)*(1+size))
	check("K'K", p.Syrk(ctx, s), s, &kk, 1e-12*float64(n)*size)
}

// The operator is linear and symmetric far below the rounding of its entries.
func TestProductsLinear(t *testing.T) {
	ctx := context.Background()
	g := bind(t, kernel.Gaussian{Sigma: 3}, cloud(100, 7, 2), nil)
	p, err := kernel.NewProducts(g, cloud(3000, 7, 1), kernel.Mixed)
	if err != nil {
		t.Fatal(err)
	}
	u, v := normal(100, 1, 1), normal(100, 1, 2)
	var sum mat.Dense
	sum.Add(u, v)
	ku, kv, ks, ksum := mat.NewDense(100, 1, nil), mat.NewDense(100, 1, nil), mat.NewDense(100, 1, nil), new(mat.Dense)
	for dst, x := range map[*mat.Dense]*mat.Dense{ku: u, kv: v, ks: &sum} {
		if err := p.Normal(ctx, dst, nil, x, nil); err != nil {
			t.Fatal(err)
		}
	}
	ksum.Add(ku, kv)
	size := mat.Norm(ks, 2)
	if off := distance(t, ksum, ks); off > 1e-13*size {
		t.Errorf("the sum is off by %g of %g", off, size)
	}
	a, b := mat.Dot(v.ColView(0), ku.ColView(0)), mat.Dot(u.ColView(0), kv.ColView(0))
	if math.Abs(a-b) > 1e-12*size {
		t.Errorf("v'Au = %g, u'Av = %g", a, b)
	}
	procs := runtime.GOMAXPROCS(1)
	again := mat.NewDense(100, 1, nil)
	err = p.Normal(ctx, again, nil, u, nil)
	runtime.GOMAXPROCS(procs)
	if err != nil || !mat.Equal(again, ku) {
		t.Errorf("another result on one processor, %v", err)
	}
}

func TestProductsStop(t *testing.T) {
	g := bind(t, kernel.Gaussian{Sigma: 3}, cloud(30, 7, 2), nil)
	for _, precision := range []kernel.Precision{kernel.Mixed, kernel.Double} {
		p, err := kernel.NewProducts(g, cloud(300, 7, 1), precision)
		if err != nil {
			t.Fatal(err)
		}
		dst, v, tall := mat.NewDense(30, 2, nil), normal(30, 2, 1), normal(300, 2, 1)
		stoptest.Everywhere(t, func(ctx context.Context) error { return p.Normal(ctx, dst, nil, v, nil) })
		stoptest.Everywhere(t, func(ctx context.Context) error { return p.MulT(ctx, dst, tall) })
		stoptest.Everywhere(t, func(ctx context.Context) error { return p.Mul(ctx, tall, v) })
		stoptest.Everywhere(t, func(ctx context.Context) error { return p.Syrk(ctx, mat.NewDense(30, 30, nil)) })
	}
	if _, err := kernel.NewProducts(g, cloud(10, 6, 1), kernel.Mixed); err == nil {
		t.Error("rows of another width have products")
	}
	if _, err := kernel.NewProducts(g, data.Rows{}, kernel.Mixed); err == nil {
		t.Error("no rows have products")
	}
}

// K' K V for 100 000 rows, 50 columns, 2000 centres, beside the floor: the products of rows by the
// micro-kernel, the exponentials, and 4c flops in double precision, each alone on all processors. The
// least times of the runs are compared.
func BenchmarkProducts(b *testing.B) {
	const n, d, m = 100_000, 50, 2000
	g := bind(b, kernel.Gaussian{Sigma: math.Sqrt(d)}, cloud(m, d, 2), nil)
	p, err := kernel.NewProducts(g, cloud(n, d, 1), kernel.Mixed)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []int{1, 10} {
		b.Run(fmt.Sprintf("c=%d", c), func(b *testing.B) {
			v, dst := normal(m, c, 3), mat.NewDense(m, c, nil)
			least := math.Inf(1)
			floor := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
			for b.Loop() {
				start := time.Now()
				if err := p.Normal(context.Background(), dst, nil, v, nil); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(start).Seconds())
				for q, s := range floorOf(n, d, m, c) {
					floor[q] = min(floor[q], s)
				}
			}
			ns := 1e9 / float64(n) / float64(m)
			b.ReportMetric(least*ns, "ns/element")
			b.ReportMetric(floor[0]*ns, "gemm-ns/element")
			b.ReportMetric(floor[1]*ns, "exp-ns/element")
			b.ReportMetric(floor[2]*ns, "double-ns/element")
			b.ReportMetric(least/(floor[0]+floor[1]+floor[2]), "x-floor")
		})
	}
}

// floorOf measures a thirtieth of each part of the floor, in seconds for the whole.
func floorOf(n, d, m, c int) [3]float64 {
	const share = 30
	r := n / share
	timed := func(f func()) float64 {
		start := time.Now()
		f()
		return share * time.Since(start).Seconds()
	}
	x := blas32.General{Rows: r, Cols: d, Stride: d, Data: make([]float32, r*d)}
	z := blas32.General{Rows: m, Cols: d, Stride: d, Data: make([]float32, m*d)}
	left, right, sum := mat.NewDense(1200, 600, nil), mat.NewDense(600, 600, nil), mat.NewDense(1200, 600, nil)
	flops := 2. * 1200 * 600 * 600
	return [3]float64{
		timed(func() { blas.SgemmTiles(x, z, nil, nil, func(int, int, blas32.General) {}) }),
		timed(func() {
			parallel.Pieces(r, 100, func(lo, hi int) {
				k, norm := make([]float32, m), make([]float32, m)
				for range hi - lo {
					vec.Gaussian32(k, k, 1, norm)
				}
			})
		}),
		timed(func() { blas.Go().Gemm(false, false, 1, left, right, 0, sum) }) / share * 4 * float64(n) * float64(m) * float64(c) / flops,
	}
}
