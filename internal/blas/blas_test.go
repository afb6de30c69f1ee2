package blas

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

const eps = 0x1p-52

// apart is an engine with threads of its own.
func apart(e engine) *engine {
	e.processors = new(processors)
	return &e
}

// everyBackend runs f on the engine, by AVX2 where the processor has more, and without the assembly.
func everyBackend(t *testing.T, f func(t *testing.T, b Backend)) {
	t.Run("go", func(t *testing.T) { f(t, Backend{}) })
	if hasWide {
		t.Run("avx2", func(t *testing.T) { f(t, Backend{apart(engine{narrow: true})}) })
	}
	t.Run("plain", func(t *testing.T) { f(t, Backend{apart(engine{plain: true})}) })
}

func sizes() []int {
	var s []int
	for n := 1; n <= 70; n++ {
		if n <= 34 || n >= 62 && n <= 66 || slowtest.Asked() {
			s = append(s, n)
		}
	}
	if slowtest.Asked() {
		s = append(s, 513)
	}
	return append(s, 200, 261)
}

// guarded is an r x c view with a stride beyond its columns and NaN all around;
// check fails when something was written there.
func guarded(t *testing.T, rnd *rand.Rand, r, c int) (m *mat.Dense, check func()) {
	t.Helper()
	whole := mat.NewDense(r+2, c+5, nil)
	whole.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, whole)
	m = whole.Slice(1, r+1, 2, c+2).(*mat.Dense)
	m.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, m)
	return m, func() {
		t.Helper()
		for i := range r + 2 {
			for j := range c + 5 {
				inside := i >= 1 && i <= r && j >= 2 && j < c+2
				if !inside && !math.IsNaN(whole.At(i, j)) {
					t.Fatalf("wrote outside the view at (%d, %d)", i-1, j-2)
				}
			}
		}
	}
}

func source(n int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(n))) }

func dims(trans bool, r, c int) (int, int) {
	if trans {
		return c, r
	}
	return r, c
}

// far says whether two matrices differ by more than tol anywhere; NaN differs.
func far(a, b mat.Matrix, tol float64) bool {
	r, c := a.Dims()
	for i := range r {
		for j := range c {
			if !(math.Abs(a.At(i, j)-b.At(i, j)) <= tol) {
				return true
			}
		}
	}
	return false
}

// op is x or its transpose.
func op(trans bool, x *mat.Dense) Op { return Op{x.RawMatrix(), transposed(trans)} }

func product(ta, tb bool, a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	var x, y mat.Matrix = a, b
	if ta {
		x = a.T()
	}
	if tb {
		y = b.T()
	}
	c.Mul(x, y)
	return &c
}

func TestGemm(t *testing.T) {
	type shape struct{ m, n, k int }
	var shapes []shape
	for _, n := range sizes() {
		shapes = append(shapes, shape{n, n, n})
	}
	rnd := source(0)
	for range 25 {
		shapes = append(shapes, shape{1 + rnd.IntN(40), 1 + rnd.IntN(40), 1 + rnd.IntN(400)})
	}
	// Beyond each blocking size.
	shapes = append(shapes, shape{1, 2100, 3}, shape{1550, 9, 5}, shape{101, 259, 257}, shape{7, 3, 1030})
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, s := range shapes {
			for mode := range 4 {
				if s.m*s.n*s.k > 1e6 && mode != s.m%4 && mode != 3 {
					continue
				}
				ta, tb := mode&1 != 0, mode&2 != 0
				ar, ac := dims(ta, s.m, s.k)
				br, bc := dims(tb, s.k, s.n)
				x, okx := guarded(t, rnd, ar, ac)
				y, oky := guarded(t, rnd, br, bc)
				c, okc := guarded(t, rnd, s.m, s.n)
				want := product(ta, tb, x, y)
				want.Scale(1.5, want)
				var old mat.Dense
				old.Scale(-0.5, c)
				want.Add(want, &old)
				b.Gemm(1.5, op(ta, x), op(tb, y), -0.5, c)
				if far(c, want, 50*eps*float64(s.k+10)) {
					t.Fatalf("%+v trans %v %v: wrong product", s, ta, tb)
				}
				okx()
				oky()
				okc()
			}
		}
	})
}

// Every NaN and Inf reaches the row or column it belongs to, and no other.
func TestGemmNotFinite(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{1, 3, 6, 8, 13, 48, 67} {
			rnd := source(n)
			for range 5 {
				x, _ := guarded(t, rnd, n, n)
				y, _ := guarded(t, rnd, n, n)
				i, p, j := rnd.IntN(n), rnd.IntN(n), rnd.IntN(n)
				x.Set(i, p, math.NaN())
				y.Set(p, j, math.Inf(1))
				c := mat.NewDense(n, n, nil)
				c.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, c)
				b.Gemm(1, N(x), N(y), 0, c)
				for r := range n {
					for q := range n {
						v := c.At(r, q)
						if (r == i) != math.IsNaN(v) || (r != i && q == j) != math.IsInf(v, 0) {
							t.Fatalf("n=%d NaN at (%d,%d) Inf at (%d,%d): C(%d,%d) = %v", n, i, p, p, j, r, q, v)
						}
					}
				}
			}
		}
	})
}

func TestDegenerate(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		c := mat.NewDense(2, 2, []float64{1, 2, 2, 3})
		b.Gemm(1, N(&mat.Dense{}), N(&mat.Dense{}), 1, &mat.Dense{})
		b.Gemm(0, N(c), N(c), 3, mat.NewDense(2, 2, []float64{1, 2, 2, 3}))
		b.Syrk(0, N(c), 2, c)
		if c.At(1, 1) != 6 || c.At(0, 1) != 4 {
			t.Error("alpha = 0 does not scale by beta")
		}
		var chol Cholesky
		var lu LU
		if err := errors.Join(chol.Factor(&mat.Dense{}), lu.Factor(&mat.Dense{}), b.SymEigen(&mat.Dense{}, nil, &mat.Dense{})); err != nil {
			t.Error(err)
		}
		defer func() {
			if recover() == nil {
				t.Error("a shape mistake does not panic")
			}
		}()
		b.Gemm(1, N(c), N(mat.NewDense(3, 2, nil)), 0, c)
	})
}

func TestSyrk(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range sizes() {
			rnd := source(n)
			for mode, k := range []int{n, 3, 300} {
				tr := (n+mode)%2 == 0
				r, c := dims(tr, n, k)
				a, oka := guarded(t, rnd, r, c)
				s, oks := guarded(t, rnd, n, n)
				want := product(tr, !tr, a, a)
				for i := range n {
					for j := range n {
						lo := s.At(max(i, j), min(i, j))
						want.Set(i, j, -2*want.At(i, j)+0.5*lo)
					}
				}
				b.Syrk(-2, op(tr, a), 0.5, s)
				if far(s, want, 100*eps*float64(k+10)) {
					t.Fatalf("n=%d k=%d trans %v: wrong", n, k, tr)
				}
				oka()
				oks()
			}
		}
	})
}

// definite is a guarded matrix G G'/n + I, with rubbish above the diagonal.
func definite(t *testing.T, rnd *rand.Rand, n int) (view, full *mat.Dense, check func()) {
	g, _ := guarded(t, rnd, n, n)
	full = product(false, true, g, g)
	full.Scale(1/float64(n), full)
	for i := range n {
		full.Set(i, i, full.At(i, i)+1)
	}
	view, check = guarded(t, rnd, n, n)
	for i := range n {
		for j := range i + 1 {
			view.Set(i, j, full.At(i, j))
		}
	}
	return view, full, check
}

func TestCholesky(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range sizes() {
			rnd := source(n)
			a, full, ok := definite(t, rnd, n)
			before := mat.DenseCopyOf(a)
			tol := 20 * eps * float64(n+10)
			c := Cholesky{Backend: b}
			if err := c.Factor(a); err != nil {
				t.Fatal(n, err)
			}
			l := mat.DenseCopyOf(a)
			for i := range n {
				for j := i + 1; j < n; j++ {
					if a.At(i, j) != before.At(i, j) {
						t.Fatalf("n=%d: the strict upper triangle was touched", n)
					}
					l.Set(i, j, 0)
				}
			}
			if far(product(false, true, l, l), full, tol) {
				t.Fatalf("n=%d: L L' is not A", n)
			}
			rhs := []int{1, 3, 17}
			if n%25 == 0 { // past the slabs that are solved in parallel
				rhs = append(rhs, n, 600)
			}
			for _, k := range rhs {
				x, okx := guarded(t, rnd, n, k)
				rhs := mat.DenseCopyOf(x)
				c.SolveTo(x)
				if far(product(false, false, full, x), rhs, 50*tol) {
					t.Fatalf("n=%d k=%d: A X is not B", n, k)
				}
				for _, tr := range []bool{false, true} {
					x.Copy(rhs)
					map[bool]func(*mat.Dense){false: c.SolveL, true: c.SolveLT}[tr](x)
					if far(product(tr, false, l, x), rhs, 50*tol) {
						t.Fatalf("n=%d k=%d trans %v: L X is not B", n, k, tr)
					}
				}
				okx()
				y, oky := guarded(t, rnd, k, n)
				rows := mat.DenseCopyOf(y)
				c.SolveRight(y)
				if far(product(false, true, y, l), rows, 50*tol) {
					t.Fatalf("n=%d k=%d: X L' is not B", n, k)
				}
				oky()
			}
			rc := c.RCond()
			c.Inverse()
			ok()
			eye := product(false, false, full, mat.DenseCopyOf(a))
			for i := range n {
				eye.Set(i, i, eye.At(i, i)-1)
				for j := range i {
					if a.At(i, j) != a.At(j, i) {
						t.Fatalf("n=%d: the inverse is not symmetric", n)
					}
				}
			}
			if far(eye, mat.NewDense(n, n, nil), 50*tol) {
				t.Fatalf("n=%d: A A^{-1} is not I", n)
			}
			exact := 1 / mat.Norm(full, 1) / mat.Norm(a, 1)
			if rc < exact*(1-1e-10) || rc > 10*exact { // an estimate of |A^{-1}| from below, rarely by more than 3
				t.Fatalf("n=%d: RCond %v, exact %v", n, rc, exact)
			}
		}
	})
}

// An ill-conditioned matrix: the backward error of the factorisation does not
// know the condition number, solutions of two backends differ by at most it.
func TestCholeskyIllConditioned(t *testing.T) {
	const n, jitter = 150, 1e-9
	full := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			d := float64(i-j) / 40
			full.Set(i, j, math.Exp(-d*d))
		}
		full.Set(i, i, 1+jitter)
	}
	var first *mat.Dense
	everyBackend(t, func(t *testing.T, b Backend) {
		a := mat.DenseCopyOf(full)
		c := Cholesky{Backend: b}
		if err := c.Factor(a); err != nil {
			t.Fatal(err)
		}
		l := mat.DenseCopyOf(a)
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			x.Set(i, 0, math.Sin(float64(i)))
			for j := i + 1; j < n; j++ {
				l.Set(i, j, 0)
			}
		}
		if far(product(false, true, l, l), full, 20*n*eps) {
			t.Error("backward error of the factors")
		}
		c.SolveTo(x)
		if first == nil {
			first = x
		}
		if far(x, first, 100*eps/c.RCond()*mat.Norm(first, 2)) {
			t.Error("backends disagree beyond the condition number")
		}
	})
}

func TestNotPositiveDefinite(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{1, 2, 5, 16, 17, 33, 70, 200} {
			for _, p := range []int{0, n / 2, n - 1} {
				for _, bad := range []float64{-1e6, math.NaN()} {
					a, _, _ := definite(t, source(n), n)
					a.Set(p, p, bad)
					c := Cholesky{Backend: b}
					var e *NotPositiveDefinite
					if err := c.Factor(a); !errors.As(err, &e) || e.Pivot != p {
						t.Errorf("n=%d, %v at %d: got %v", n, bad, p, err)
					}
				}
			}
		}
	})
}

func TestLU(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range sizes() {
			rnd := source(n)
			a, ok := guarded(t, rnd, n, n)
			full := mat.DenseCopyOf(a)
			l := LU{Backend: b}
			if err := l.Factor(a); err != nil {
				t.Fatal(n, err)
			}
			for i := range n {
				for j := i + 1; j < n; j++ {
					if math.Abs(a.At(i, j)) > 1 {
						t.Fatalf("n=%d: multiplier (%d, %d) is %v: pivot not the largest", n, i, j, a.At(i, j))
					}
				}
			}
			for _, k := range []int{1, 3, 4, 40} {
				x, okx := guarded(t, rnd, n, k)
				rhs := mat.DenseCopyOf(x)
				l.Solve(x)
				// Backward stable: the residual scales with |A| |X|.
				tol := 20 * eps * float64(n+10) * (1 + mat.Max(x) - mat.Min(x)) * 4
				if far(product(false, false, full, x), rhs, tol) {
					t.Fatalf("n=%d k=%d: A X is not B", n, k)
				}
				okx()
			}
			ok()
		}
	})
}

func TestSingular(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range []int{1, 2, 9, 40, 100} {
			for _, p := range []int{0, n / 2, n - 1} {
				a, _ := guarded(t, source(n), n, n)
				for j := range n {
					a.Set(p, j, 0)
				}
				l := LU{Backend: b}
				var e *Singular
				if err := l.Factor(a); !errors.As(err, &e) || e.Pivot != p {
					t.Errorf("n=%d zero row %d: got %v", n, p, err)
				}
			}
		}
	})
}

func TestSymEigen(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		for _, n := range sizes() {
			a, full, ok := definite(t, source(n), n)
			v, okv := guarded(t, source(n), n, n)
			w := make([]float64, n)
			if err := b.SymEigen(a, w, v); err != nil {
				t.Fatal(n, err)
			}
			ok()
			okv()
			tol := 50 * eps * float64(n+10)
			vc := mat.DenseCopyOf(v)
			av, vv := product(false, false, full, vc), product(true, false, vc, vc)
			for j := range n {
				if j > 0 && w[j] < w[j-1] {
					t.Fatalf("n=%d: eigenvalues do not ascend", n)
				}
				top, at := 0.0, 0
				for i := range n {
					if !(math.Abs(av.At(i, j)-w[j]*v.At(i, j)) <= tol) {
						t.Fatalf("n=%d: A v is not w v at pair %d", n, j)
					}
					want := 0.0
					if i == j {
						want = 1
					}
					if !(math.Abs(vv.At(i, j)-want) <= tol) {
						t.Fatalf("n=%d: vectors %d, %d are not orthonormal", n, i, j)
					}
					if x := math.Abs(v.At(i, j)); x > top*(1+1e-7) {
						top, at = x, i
					}
				}
				if v.At(at, j) < 0 {
					t.Fatalf("n=%d: sign of vector %d", n, j)
				}
			}
		}
		bad := mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1})
		if b.SymEigen(bad, make([]float64, 2), mat.NewDense(2, 2, nil)) == nil {
			t.Error("NaN is accepted")
		}
	})
}

// Operations give the same bits for every number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	for _, plain := range []bool{false, true} {
		run := func(threads, procs int) []float64 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			b := Backend{apart(engine{plain: plain})}
			b.e.setThreads(threads)
			const n = 310
			var out []float64
			a, _, _ := definite(t, source(n), n)
			x, _ := guarded(t, source(n+1), n, 530)
			c := mat.NewDense(n, n, nil)
			b.Syrk(1, N(x), 0, c)
			b.Gemm(1, N(x), T(x), 0.5, c)
			chol := Cholesky{Backend: b}
			if err := chol.Factor(a); err != nil {
				t.Fatal(err)
			}
			chol.SolveTo(x)
			chol.Inverse()
			lu := LU{Backend: b}
			if err := lu.Factor(mat.DenseCopyOf(a)); err != nil {
				t.Fatal(err)
			}
			lu.Solve(x)
			v, w := mat.NewDense(n, n, nil), make([]float64, n)
			if err := b.SymEigen(c, w, v); err != nil {
				t.Fatal(err)
			}
			out = append(out, w...)
			for _, m := range []*mat.Dense{a, x, v} {
				out = append(out, mat.DenseCopyOf(m).RawMatrix().Data...)
			}
			return out
		}
		one := run(1, 1)
		for _, p := range []int{2, 5} {
			many := run(p, p)
			for i := range one {
				if math.Float64bits(one[i]) != math.Float64bits(many[i]) {
					t.Fatalf("plain %v: %d threads give %v instead of %v", plain, p, many[i], one[i])
				}
			}
		}
	}
}

func TestConcurrent(t *testing.T) {
	everyBackend(t, func(t *testing.T, b Backend) {
		const n = 90
		a, full, _ := definite(t, source(n), n)
		shared := Cholesky{Backend: b}
		if err := shared.Factor(a); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for seed := range 6 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(7, uint64(seed)))
				for range 5 {
					x := mat.NewDense(n, 20, nil)
					x.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, x)
					rhs := mat.DenseCopyOf(x)
					shared.SolveTo(x)
					b.Gemm(-1, N(full), N(x), 1, rhs)
					if far(rhs, mat.NewDense(n, 20, nil), 1e-11) {
						t.Error("wrong solution among concurrent calls")
					}
					w, v := make([]float64, n), mat.NewDense(n, n, nil)
					if err := b.SymEigen(mat.DenseCopyOf(full), w, v); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}
