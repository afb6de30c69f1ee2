package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// single32 reads K[i,j] in single precision, as doubles.
func single32(s kernel.Single, i, j []int) *mat.Dense {
	r, m := s.Len(), s.Len()
	if i != nil {
		r = len(i)
	}
	if j != nil {
		m = len(j)
	}
	dst := make([]float32, r*m)
	for q := range dst {
		dst[q] = float32(math.NaN())
	}
	s.Block(dst, i, j)
	out := mat.NewDense(r, m, nil)
	for q, v := range dst {
		out.RawMatrix().Data[q] = float64(v)
	}
	return out
}

// near32 compares a single precision block with the Gram matrix, relative to
// sqrt(K_ii K_jj).
func near32(t interface {
	Helper()
	Fatalf(string, ...any)
}, g kernel.Gram, got *mat.Dense, i, j []int, tol float64) {
	t.Helper()
	r, m := got.Dims()
	want := mat.NewDense(r, m, nil)
	g.Block(want, i, j)
	d := kernel.Diagonal(g, nil)
	at := func(idx []int, a int) int {
		if idx == nil {
			return a
		}
		return idx[a]
	}
	for a := range r {
		for b := range m {
			p, q := at(i, a), at(j, b)
			scale := math.Sqrt(math.Abs(d[p] * d[q]))
			if v, w := got.At(a, b), want.At(a, b); !(math.Abs(v-w) <= tol*scale+1e-37) {
				t.Fatalf("K[%d,%d] = %v in single precision, %v in double (size %v)", p, q, v, w, scale)
			}
			if p == q && got.At(a, b) != float64(float32(d[p])) && math.Abs(got.At(a, b)-d[p]) > 1e-7*math.Abs(d[p]) {
				t.Fatalf("K[%d,%d] = %v, not the diagonal's %v", p, q, got.At(a, b), d[p])
			}
		}
	}
}

// thin keeps a quarter of the entries: few enough for products of sparse rows.
func thin(rows data.Rows) data.Rows {
	x := mat.DenseCopyOf(rows.Dense)
	x.Apply(func(i, k int, v float64) float64 {
		if (i*7+k*3)%4 > 0 {
			return 0
		}
		return v
	}, x)
	return data.Rows{Dense: x}
}

func lists(r *rand.Rand, n int) [][]int {
	some := make([]int, n/2)
	for a := range some {
		some[a] = r.IntN(n)
	}
	run := make([]int, n/3)
	for a := range run {
		run[a] = n/4 + a
	}
	back := make([]int, n)
	for a := range back {
		back[a] = n - 1 - a
	}
	return [][]int{nil, run, some, back, {n - 1}, {0, 0, 0}, {}}
}

// Every kernel on dense and sparse rows by all sorts of lists.
func TestSingleAgrees(t *testing.T) {
	for name, rows := range map[string]data.Rows{
		"dense":  cloud(40, 5, 1),
		"sparse": {Sparse: data.CSRFromDense(cloud(40, 5, 2).Dense)},
		"thin":   {Sparse: data.CSRFromDense(thin(cloud(40, 5, 2)).Dense)},
		"zeros":  thin(cloud(40, 5, 2)),
	} {
		for _, k := range kernels() {
			t.Run(name+"/"+kernel.Format(k, nil), func(t *testing.T) {
				g := bind(t, k, rows, nil)
				s := kernel.NewSingle(g)
				if s.Len() != 40 {
					t.Fatalf("%d rows", s.Len())
				}
				r := rand.New(rand.NewPCG(3, 4))
				for _, i := range lists(r, 40) {
					for _, j := range lists(r, 40) {
						if len(i) == 0 && i != nil || len(j) == 0 && j != nil {
							s.Block(nil, i, j)
							continue
						}
						near32(t, g, single32(s, i, j), i, j, 2e-6)
					}
				}
				d := make([]float64, 40)
				s.Diagonal(d)
				for q, v := range kernel.Diagonal(g, nil) {
					if math.Abs(d[q]-v) > 1e-14*math.Abs(v) {
						t.Errorf("diagonal %d is %v, expected %v", q, d[q], v)
					}
				}
			})
		}
	}
}

// shifted moves rows by one vector.
func shifted(rows data.Rows, by float64) data.Rows {
	x := mat.DenseCopyOf(rows.Dense)
	x.Apply(func(_, k int, v float64) float64 { return v + by*float64(k+1) }, x)
	return data.Rows{Dense: x}
}

// Rows far from the origin are centred; clusters far from each other, rows far from all
// others and widths much smaller than the rows are computed in double precision.
func TestSingleFarRows(t *testing.T) {
	near := cloud(60, 5, 3)
	clusters := mat.NewDense(60, 5, nil)
	outliers := mat.DenseCopyOf(near.Dense)
	for i := range 60 {
		for k := range 5 {
			v := near.Dense.At(i, k)
			clusters.Set(i, k, v+1e5*float64(i%3))
			if i >= 50 { // a far cluster, one beyond the range of squares of floats
				outliers.Set(i, k, v+[]float64{1e4, 1e25}[i%2])
			}
		}
	}
	half := mat.DenseCopyOf(near.Dense) // some rows on each side of the limit
	for i := range 60 {
		for k := range 5 {
			half.Set(i, k, half.At(i, k)*0.4*float64(i))
		}
		if i%2 == 1 {
			half.SetRow(i, half.RawRowView(i-1))
			half.Set(i, 0, half.At(i, 0)+0.3)
		}
	}
	for name, rows := range map[string]data.Rows{
		"offset":   shifted(near, 1e6),
		"clusters": {Dense: clusters},
		"outliers": {Dense: outliers},
		"half":     {Dense: half},
		"sparse":   {Sparse: data.CSRFromDense(outliers)},
		"thin":     {Sparse: data.CSRFromDense(thin(data.Rows{Dense: outliers}).Dense)},
		"zeros":    thin(data.Rows{Dense: half}),
	} {
		for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1.5}, kernel.Gaussian{Sigma: 0.05}, kernel.Gaussian{Sigma: 1e4},
			kernel.ARDGaussian{Sigma: []float64{1, 2, 0.5, 1, 3}}} {
			t.Run(name+"/"+kernel.Format(k, nil), func(t *testing.T) {
				g := bind(t, k, rows, nil)
				s := kernel.NewSingle(g)
				near32(t, g, single32(s, nil, nil), nil, nil, 1e-4)
				i, j := []int{59, 3, 3, 51, 0, 50}, []int{50, 51, 3, 59, 59, 7}
				near32(t, g, single32(s, i, j), i, j, 1e-4)
			})
		}
	}
}

// The stated bound of the Gaussian holds entry by entry for centred rows.
func TestSingleBound(t *testing.T) {
	for _, d := range []int{1, 16, 300} {
		rows := cloud(90, d, uint64(d))
		for i := range 90 { // close pairs, where the bound is tight
			if i%2 == 1 {
				rows.Dense.SetRow(i, rows.Dense.RawRowView(i-1))
				rows.Dense.Set(i, 0, rows.Dense.At(i, 0)+1e-3)
			}
		}
		sigma := math.Sqrt(float64(d)) / 3
		g := bind(t, kernel.Gaussian{Sigma: sigma}, rows, nil)
		want, got := full(g), single32(kernel.NewSingle(g), nil, nil)
		mean := make([]float64, d)
		for i := range 90 {
			for k, v := range rows.Dense.RawRowView(i) {
				mean[k] += v / 90
			}
		}
		norm := func(i int) (s float64) {
			for k, v := range rows.Dense.RawRowView(i) {
				s += (v - mean[k]) * (v - mean[k])
			}
			return s
		}
		for i := range 90 {
			for j := range 90 {
				k := want.At(i, j)
				ni, nj := norm(i), norm(j)
				apart := sigma * math.Sqrt(-2*math.Log(k)) * (math.Sqrt(ni) + math.Sqrt(nj))
				bound := k*0x1p-24*((2+math.Sqrt(float64(d)))*(ni+nj)+2*apart)/(2*sigma*sigma) + 2*k*0x1p-24
				if off := math.Abs(got.At(i, j) - k); off > bound {
					t.Fatalf("d=%d: K[%d,%d] = %v is off by %v, beyond %v", d, i, j, k, off, bound)
				}
			}
		}
	}
}

// Kernels that single precision would spoil are computed in double precision.
func TestSingleFallsBack(t *testing.T) {
	rows := cloud(20, 5, 8)
	big := mat.DenseCopyOf(rows.Dense)
	big.Scale(300, big)
	for _, c := range []struct {
		k    kernel.Kernel
		rows data.Rows
	}{
		{kernel.Sigmoid{Scale: 1, Offset: -1}, data.Rows{Dense: big}},
		{kernel.Linear{}, data.Rows{Dense: mat.NewDense(3, 2, []float64{1e20, 1e20, 1e20, -1e20, 1, 1})}},
		{kernel.Polynomial{Degree: 900, Scale: 0.01, Offset: 0.9}, rows},
		{kernel.Scaled{Weight: 1e-60, Base: kernel.Scaled{Weight: 1e60, Base: kernel.Gaussian{Sigma: 2}}}, rows},
	} {
		g := bind(t, c.k, c.rows, nil)
		if _, ok := c.k.(kernel.Linear); ok { // squares are beyond floats, the product of the first two is 0
			if got := single32(kernel.NewSingle(g), []int{0}, []int{1}).At(0, 0); !(math.Abs(got) < 1e25) {
				t.Errorf("<x, z> = %v, expected 0 to the rounding of 1e40", got)
			}
			continue
		}
		near32(t, g, single32(kernel.NewSingle(g), nil, nil), nil, nil, 1e-6)
	}
	// New rows beyond the bound of the training rows.
	for _, k := range []kernel.Kernel{kernel.Sigmoid{Scale: 0.1, Offset: 0.2}, kernel.Linear{}} {
		g := bind(t, k, rows, nil)
		for _, by := range []float64{1e4, 1e22} {
			x := mat.DenseCopyOf(rows.Dense)
			x.Scale(by, x)
			want, got := mat.NewDense(20, 20, nil), make([]float32, 400)
			if err := g.Cross(want, data.Rows{Dense: x}, nil); err != nil {
				t.Fatal(err)
			}
			if err := kernel.NewSingle(g).Cross(got, data.Rows{Dense: x}, nil); err != nil {
				t.Fatal(err)
			}
			for q, v := range got {
				size := 1.0
				if k == (kernel.Linear{}) {
					size = 20 * by
				}
				if w := want.RawMatrix().Data[q]; math.Abs(float64(v)-w) > 1e-5*size {
					t.Fatalf("%s, rows times %v: %v, expected %v", kernel.Format(k, nil), by, v, w)
				}
			}
		}
	}
}

// Random rows, kernels and lists; a block is the same entries whatever the lists.
func TestSingleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 70).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "d")
		rows := cloud(n, d, rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "thin") {
			rows = thin(rows)
		}
		offset := rapid.SampledFrom([]float64{0, 0, 1, -300, 1e6}).Draw(t, "offset")
		if offset != 0 {
			rows = shifted(rows, offset)
		}
		if rapid.Bool().Draw(t, "sparse") {
			rows = data.Rows{Sparse: data.CSRFromDense(rows.Dense)}
		}
		sigma := rapid.SampledFrom([]float64{0.01, 0.5, 3, 100}).Draw(t, "sigma")
		g, err := kernel.Gaussian{Sigma: sigma}.Bind(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := kernel.NewSingle(g)
		list := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 2*n)
		i, j := list.Draw(t, "i"), list.Draw(t, "j")
		got := single32(s, i, j)
		near32(t, g, got, i, j, 1e-4)
		all := single32(s, nil, nil)
		for a, p := range i {
			for b, q := range j {
				// Pairs of far rows come from blocks of doubles, whose last bits may differ.
				if v, w := got.At(a, b), all.At(p, q); math.Abs(v-w) > 1e-7 {
					t.Fatalf("K[%d,%d] is %v in one block, %v in another", p, q, v, w)
				}
			}
		}
	})
}

// Cross meets new rows of either form as Gram.Cross does, far ones too.
func TestSingleCross(t *testing.T) {
	x := cloud(23, 5, 11)
	for k := range 5 {
		x.Dense.Set(4, k, 1e5)
		x.Dense.Set(5, k, 1e5+0.1)
		x.Dense.Set(6, k, 1e30)
	}
	train := cloud(40, 5, 12)
	train.Dense.SetRow(7, []float64{1e5, 1e5, 1e5, 1e5, 1e5})
	for _, k := range kernels() {
		if _, ok := k.(kernel.Precomputed); ok {
			continue
		}
		t.Run(kernel.Format(k, nil), func(t *testing.T) {
			for _, rows := range []data.Rows{train, {Sparse: data.CSRFromDense(train.Dense)}} {
				g := bind(t, k, rows, nil)
				s := kernel.NewSingle(g)
				for _, z := range []data.Rows{x, {Sparse: data.CSRFromDense(x.Dense)}} {
					for _, j := range [][]int{nil, {3, 7, 7, 39}} {
						m := 40
						if j != nil {
							m = len(j)
						}
						want, got := mat.NewDense(23, m, nil), make([]float32, 23*m)
						if err := g.Cross(want, z, j); err != nil {
							t.Fatal(err)
						}
						if err := s.Cross(got, z, j); err != nil {
							t.Fatal(err)
						}
						for q, v := range got {
							w := float64(float32(want.RawMatrix().Data[q]))
							// Inner products carry the rounding of the norms of their rows.
							var nx, nz float64
							b := q % m
							if j != nil {
								b = j[b]
							}
							for c := range 5 {
								nx += math.Pow(x.Dense.At(q/m, c), 2)
								nz += math.Pow(train.Dense.At(b, c), 2)
							}
							size := 1.0
							switch k.(type) {
							case kernel.Gaussian, kernel.ARDGaussian, kernel.Laplacian:
							default:
								size += math.Pow(3*(1+math.Sqrt(nx*nz)), 3)
							}
							if d := math.Abs(float64(v) - w); !(d <= 1e-4*size) && float64(v) != w {
								t.Fatalf("k(x_%d, train_%d) = %v, expected %v", q/m, b, v, w)
							}
						}
					}
				}
				if err := s.Cross(make([]float32, 3*40), cloud(3, 4, 1), nil); err == nil {
					t.Error("rows of another width are accepted")
				}
			}
		})
	}
}

// A symmetric block is symmetric to the last bit where the product is our own, equal
// rows of the whole matrix are equal, and threads do not matter.
func TestSingleThreads(t *testing.T) {
	for name, rows := range map[string]data.Rows{
		"dense": cloud(700, 20, 5), "wide": cloud(300, 600, 5), "sparse": text(300), "zeros": thin(cloud(600, 30, 5)),
	} {
		t.Run(name, func(t *testing.T) {
			n := rows.Len()
			run := func(procs int) ([]float32, *mat.Dense) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				s := kernel.NewSingle(bind(t, kernel.Gaussian{Sigma: 5}, rows, nil))
				k := make([]float32, n*n)
				s.Block(k, nil, nil)
				y := mat.NewDense(n, 2, nil)
				if err := kernel.MulSingle(context.Background(), y, s, nil, nil, columns2(n)); err != nil {
					t.Fatal(err)
				}
				return k, y
			}
			one, y := run(1)
			for _, procs := range []int{2, 5} {
				many, z := run(procs)
				if !slices.Equal(one, many) || !mat.Equal(y, z) {
					t.Errorf("%d threads give another result", procs)
				}
			}
			if !vec.AVX2 {
				return
			}
			for i := range n {
				for j := range i {
					if one[i*n+j] != one[j*n+i] {
						t.Fatalf("K[%d,%d] = %v, K[%d,%d] = %v", i, j, one[i*n+j], j, i, one[j*n+i])
					}
				}
			}
		})
	}
}

func columns2(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.Set(i, 0, math.Sin(float64(i)))
		x.Set(i, 1, float64(i%7)-3)
	}
	return x
}

// MulSingle is the product with the block, in double precision.
func TestMulSingle(t *testing.T) {
	const n = 1100 // three panels
	rows := cloud(n, 6, 7)
	r := rand.New(rand.NewPCG(1, 1))
	some := make([]int, 530)
	for a := range some {
		some[a] = r.IntN(n)
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Laplacian{Sigma: 2}} {
		s := kernel.NewSingle(bind(t, k, rows, nil))
		for _, c := range []struct{ i, j []int }{{nil, nil}, {some, some}, {some, nil}, {nil, some}, {some[:3], some[:1]}, {nil, some[:0]}} {
			m, h := n, n
			if c.j != nil {
				m = len(c.j)
			}
			if c.i != nil {
				h = len(c.i)
			}
			var x, want mat.Dense
			got := mat.NewDense(h, 2, nil)
			got.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, got)
			if m == 0 {
				want = *mat.NewDense(h, 2, nil)
			} else {
				x = *columns2(m)
				want.Mul(single32(s, c.i, c.j), &x)
			}
			if m == 0 {
				continue // gonum has no matrix of no rows and two columns
			}
			if err := kernel.MulSingle(context.Background(), got, s, c.i, c.j, &x); err != nil {
				t.Fatal(err)
			}
			// Entries of the mirrored half may differ in the last bit of a float.
			if off := distance(t, got, &want); off > 1e-6*float64(m) {
				t.Errorf("%s, %d x %d: off by %v", kernel.Format(k, nil), h, m, off)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := kernel.NewSingle(bind(t, kernel.Gaussian{Sigma: 2}, rows, nil))
	if err := kernel.MulSingle(ctx, mat.NewDense(n, 2, nil), s, nil, nil, columns2(n)); err == nil {
		t.Error("a cancelled context is ignored")
	}
}

func TestSingleShapes(t *testing.T) {
	s := kernel.NewSingle(bind(t, kernel.Gaussian{Sigma: 1}, cloud(9, 3, 1), nil))
	l := kernel.NewSingle(bind(t, kernel.Laplacian{Sigma: 1}, cloud(9, 3, 1), nil))
	for name, f := range map[string]func(){
		"block":    func() { s.Block(make([]float32, 80), nil, nil) },
		"rounded":  func() { l.Block(make([]float32, 80), nil, nil) },
		"diagonal": func() { s.Diagonal(make([]float64, 8)) },
		"row":      func() { s.Block(make([]float32, 9), []int{9}, nil) },
		"column":   func() { s.Block(make([]float32, 9), nil, []int{-1}) },
		"product": func() {
			_ = kernel.MulSingle(context.Background(), mat.NewDense(9, 2, nil), s, nil, nil, mat.NewDense(8, 2, nil))
		},
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

// Real rows: sparse and dense forms agree with the double precision block.
func TestSingleRealRows(t *testing.T) {
	for _, name := range []string{"a9a.svm.gz", "covtype_20k.csv.gz", "macwin_text1.svm.gz"} {
		set, _, err := read.Open(t.Context(), testdata.Open(t, name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k := kernel.Gaussian{}.Adapt(set.Rows)
		g := bind(t, k, set.Rows, nil)
		s := kernel.NewSingle(g)
		r := rand.New(rand.NewPCG(1, 2))
		i, j := r.Perm(s.Len())[:70], r.Perm(s.Len())[:400]
		near32(t, g, single32(s, i, j), i, j, 1e-4)
		dense := set.Rows
		if dense.IsSparse() {
			dense = data.Rows{Dense: set.Rows.Select(j).Sparse.ToDense()}
			got, want := single32(kernel.NewSingle(bind(t, k, dense, nil)), nil, nil), single32(s, j, j)
			if off := distance(t, got, want); off > 1e-4 {
				t.Errorf("%s: dense and sparse rows differ by %v", name, off)
			}
		}
	}
}

func TestSingleConcurrent(t *testing.T) {
	for _, rows := range []data.Rows{cloud(300, 6, 7), text(80)} {
		s := kernel.NewSingle(bind(t, kernel.Gaussian{Sigma: 3}, rows, nil))
		n := s.Len()
		want := make([]float32, n*n)
		s.Block(want, nil, nil)
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(5, uint64(w)))
				for range 5 {
					i, j := r.Perm(n)[:n/3], r.Perm(n)[:n/2]
					got := make([]float32, len(i)*len(j))
					s.Block(got, i, j)
					for q, v := range got {
						if e := want[i[q/len(j)]*n+j[q%len(j)]]; math.Abs(float64(v-e)) > 1e-6 {
							t.Errorf("%v instead of %v among concurrent calls", v, e)
							return
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

// Sparse rows with full columns, far from the origin there, and a category that nearly all
// have: values are as exact as those of the same rows moved beforehand, and new rows
// are moved alike.
func TestSingleFullColumns(t *testing.T) {
	const n, d = 150, 40
	r := rand.New(rand.NewPCG(5, 6))
	near, far := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for k := range d {
			v := 0.0
			switch {
			case k < 3:
				v = r.NormFloat64() // full, about 30 in far
				far.Set(i, k, v+30)
			case k == 3:
				if i%10 != 0 { // most have 7
					far.Set(i, k, 7)
				} else {
					v = -7
				}
			case r.IntN(8) == 0:
				v = r.NormFloat64()
				far.Set(i, k, v)
			}
			near.Set(i, k, v)
		}
	}
	g := bind(t, kernel.Gaussian{Sigma: 2}, data.Rows{Dense: near}, nil)
	rows := data.Rows{Sparse: data.CSRFromDense(far)}
	s := kernel.NewSingle(bind(t, kernel.Gaussian{Sigma: 2}, rows, nil))
	near32(t, g, single32(s, nil, nil), nil, nil, 5e-6)
	cross := make([]float32, n*n)
	if err := s.Cross(cross, rows, nil); err != nil {
		t.Fatal(err)
	}
	for q, v := range single32(s, nil, nil).RawMatrix().Data {
		if math.Abs(v-float64(cross[q])) > 1e-6 {
			t.Fatalf("entry %d is %g, of new rows %g", q, v, cross[q])
		}
	}
}

// Powers that single precision cannot hold are computed in double precision, though the inner products fit.
func TestSinglePowers(t *testing.T) {
	rows := cloud(20, 5, 8)
	for _, degree := range []int{1, 3, 5, 10} {
		for _, size := range []float64{1, 30, 1e4} {
			x := mat.DenseCopyOf(rows.Dense)
			x.Scale(size, x)
			g := bind(t, kernel.Polynomial{Degree: degree, Scale: 1, Offset: 1}, data.Rows{Dense: x}, nil)
			want, got := full(g), single32(kernel.NewSingle(g), nil, nil)
			for i := range 20 {
				for j := range 20 {
					if w := want.At(i, j); math.Abs(w) < 1e38 && !(math.Abs(got.At(i, j)-w) <= 1e-4*mat.Max(want)) {
						t.Fatalf("degree %d, rows times %g: %v, expected %v", degree, size, got.At(i, j), w)
					}
				}
			}
		}
	}
}

// Pairs are computed in single precision as far from the middle as rounding is worth 1e-4 of a value at most, by the formula, and beyond
// in double.
func TestWhereSingleEnds(t *testing.T) {
	const d = 4
	limit := 1e-4 / (2 * 0x1p-24 * (2 + math.Sqrt(d))) // of |x|^2/2
	for side, far := range map[float64]bool{0.9: false, 1.1: true} {
		x := mat.NewDense(64, d, nil) // in opposite pairs, so that the middle is zero
		middle := cloud(20, d, 1).Dense
		for i := range 20 {
			for k, v := range middle.RawRowView(i) {
				x.Set(i, k, v)
				x.Set(20+i, k, -v)
			}
		}
		r := math.Sqrt(limit * side)
		for q := range 6 {
			a := 0.3 + 0.5*float64(q)
			v := []float64{r * math.Cos(a), r * math.Sin(a), r * math.Cos(2*a), r * math.Sin(2*a)}
			beside := []float64{v[0] - 0.3*math.Sin(a), v[1] + 0.3*math.Cos(a), v[2], v[3]}
			for k := range d {
				for p, from := range [][]float64{v, beside} {
					x.Set(40+4*q+p, k, from[k])
					x.Set(42+4*q+p, k, -from[k])
				}
			}
		}
		g := bind(t, kernel.Gaussian{Sigma: 1}, data.Rows{Dense: x}, nil)
		want, got, worst := full(g), single32(kernel.NewSingle(g), nil, nil), 0.0
		for i := 40; i < 64; i += 2 {
			worst = max(worst, math.Abs(got.At(i, i+1)-want.At(i, i+1)))
		}
		if far && worst > 1e-7 || !far && (worst < 1e-6 || worst > 1e-4) {
			t.Errorf("at %g of the limit values are off by %g", side, worst)
		}
	}
}
