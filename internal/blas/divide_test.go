package blas

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Reflections one by one: x H_{n-2} ... H_0, the twin of backTransform.
func twinBackTransform(v *mat.Dense, tau []float64, x *mat.Dense) {
	n := len(tau)
	for i := n - 2; i >= 0; i-- {
		for r := range x.RawMatrix().Rows {
			row := x.RawRowView(r)
			var s float64
			for j := i + 1; j < n; j++ {
				s += row[j] * v.At(i, j)
			}
			for j := i + 1; j < n; j++ {
				row[j] -= tau[i] * s * v.At(i, j)
			}
		}
	}
}

// A = Q T Q' with Q orthogonal, of blocks as of single reflections, with and without assembly.
func TestTridiagonalise(t *testing.T) {
	sizes := []int{2, 3, 4, 5, 9, 31, 32, 33, 34, 40, 65, 66, 129, 150, 370}
	if testing.Short() {
		sizes = sizes[:13] // the naive twins are slow under the race detector
	}
	for _, n := range sizes {
		for _, g := range []*engine{apart(engine{plain: true}), apart(engine{}), apart(engine{narrow: true})} {
			rnd := source(n)
			a, ok := guarded(t, rnd, n, n)
			full := mat.NewDense(n, n, nil)
			full.Apply(func(i, j int, _ float64) float64 { return a.At(max(i, j), min(i, j)) }, full)
			d, e, tau := make([]float64, n), make([]float64, n), make([]float64, n)
			team := newTeam(2)
			g.tridiagonalise(team, a.RawMatrix(), d, e, tau)
			ok()
			q, twin := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				q.Set(i, i, 1)
				twin.Set(i, i, 1)
			}
			g.backTransform(team, a.RawMatrix(), tau, q.RawMatrix())
			team.end()
			twinBackTransform(a, tau, twin)
			tol := 20 * eps * float64(n+10)
			if far(q, twin, tol) {
				t.Fatalf("n=%d: blocks of reflections are not the reflections", n)
			}
			tri := mat.NewDense(n, n, nil)
			for i := range n {
				tri.Set(i, i, d[i])
				if i+1 < n {
					tri.Set(i, i+1, e[i])
					tri.Set(i+1, i, e[i])
				}
			}
			// The rows of q are e_i'Q', so q is Q'.
			back := product(true, false, q, product(false, false, tri, q))
			if far(back, full, tol*mat.Norm(full, 2)) {
				t.Fatalf("n=%d: Q T Q' is not A", n)
			}
		}
	}
}

// coupled is a tridiagonal matrix.
type coupled struct {
	d, e   []float64
	values []float64 // if they are known
}

func tridiagonals(n int) map[string]coupled {
	rnd := source(n)
	make2 := func(f func(i int) (d, e float64)) coupled {
		c := coupled{d: make([]float64, n), e: make([]float64, n)}
		for i := range n {
			c.d[i], c.e[i] = f(i)
		}
		return c
	}
	known := func(c coupled, value func(k int) float64) coupled {
		for k := range n {
			c.values = append(c.values, value(k))
		}
		slices.Sort(c.values)
		return c
	}
	return map[string]coupled{
		"random": make2(func(int) (float64, float64) { return rnd.NormFloat64(), rnd.NormFloat64() }),
		"second differences": known(make2(func(int) (float64, float64) { return 2, -1 }),
			func(k int) float64 { return 2 - 2*math.Cos(float64(k+1)*math.Pi/float64(n+1)) }),
		"Clement": known(make2(func(i int) (float64, float64) { return 0, math.Sqrt(float64((i + 1) * (n - 1 - i))) }),
			func(k int) float64 { return float64(2*k - n + 1) }),
		"Wilkinson": make2(func(i int) (float64, float64) { return math.Abs(float64(i) - float64(n-1)/2), 1 }),
		"glued": make2(func(i int) (float64, float64) {
			if i%21 == 20 {
				return 10, 1e-10
			}
			return math.Abs(float64(i%21) - 10), 1
		}),
		"zero":     known(make2(func(int) (float64, float64) { return 0, 0 }), func(int) float64 { return 0 }),
		"identity": known(make2(func(int) (float64, float64) { return 1, 0 }), func(int) float64 { return 1 }),
		"diagonal": known(make2(func(i int) (float64, float64) { return float64(i * 7 % 5), 0 }),
			func(k int) float64 { return float64(k * 7 % 5) }),
		"clustered": make2(func(i int) (float64, float64) { return 1 + 1e-14*float64(i%3), 1e-13 * float64(i%4) }),
		"graded":    make2(func(i int) (float64, float64) { return math.Pow(2, float64(-i)), math.Pow(2, float64(-i)-1) }),
		"one far":   make2(func(i int) (float64, float64) { return 1e8 * float64(i/(n-1)), 1 }),
	}
}

// T = S diag(w) S' with S orthogonal, and the values of QL, or those that are known.
func TestDivide(t *testing.T) {
	sizes := []int{2, 3, 17, 32, 33, 64, 65, 130, 257, 403}
	if testing.Short() {
		sizes = sizes[:9] // slow under the race detector
	}
	for _, n := range sizes {
		for name, c := range tridiagonals(n) {
			var norm float64
			for i := range n {
				norm = max(norm, math.Abs(c.d[i])+2*math.Abs(c.e[i]))
			}
			tol := 8 * eps * float64(n+10) * max(norm, 1e-300)
			want := c.values
			if want == nil {
				want = slices.Clone(c.d)
				z := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)}
				if !pureGo.implicitQL(want, slices.Clone(c.e), z) {
					t.Fatal(name, n)
				}
				slices.Sort(want)
			}
			for _, g := range []*engine{apart(engine{plain: true}), apart(engine{})} {
				d, x := slices.Clone(c.d), mat.NewDense(n, n, nil)
				team := newTeam(3)
				order, ok := g.divide(team, d, slices.Clone(c.e), x.RawMatrix())
				team.end()
				if !ok {
					t.Fatalf("%s of %d does not converge", name, n)
				}
				for k, row := range order {
					if !(math.Abs(d[row]-want[k]) <= tol) {
						t.Fatalf("%s of %d: value %d is %v, want %v", name, n, k, d[row], want[k])
					}
					v := x.RawRowView(row)
					for i := range n {
						r := (c.d[i] - d[row]) * v[i]
						if i > 0 {
							r += c.e[i-1] * v[i-1]
						}
						if i+1 < n {
							r += c.e[i] * v[i+1]
						}
						if !(math.Abs(r) <= tol) {
							t.Fatalf("%s of %d: residual %g of pair %d", name, n, r, k)
						}
					}
				}
				gram := product(false, true, x, x)
				for i := range n {
					gram.Set(i, i, gram.At(i, i)-1)
				}
				if far(gram, mat.NewDense(n, n, nil), 2*eps*float64(n+10)) {
					t.Fatalf("%s of %d: vectors are not orthonormal", name, n)
				}
			}
		}
	}
}

// The roots of the secular equation lie between the poles, and with the vectors of z~ they solve D + rho z z'.
func TestSecular(t *testing.T) {
	for _, k := range []int{1, 2, 3, 10, 60} {
		for name, gap := range map[string]func(i int) float64{
			"even":      func(int) float64 { return 1 },
			"clustered": func(i int) float64 { return []float64{1e-11, 1, 1e-6}[i%3] },
			"graded":    func(i int) float64 { return math.Pow(1.5, float64(i)) },
		} {
			for _, rho := range []float64{1e-6, 1, 1e4} {
				rnd := source(k)
				s := &secular{d: make([]float64, k), z: make([]float64, k), rho: rho}
				var square float64
				for i := range k {
					if i > 0 {
						s.d[i] = s.d[i-1] + gap(i)
					}
					s.z[i] = rnd.NormFloat64()
					if i%4 == 3 {
						s.z[i] *= 1e-7
					}
					square += s.z[i] * s.z[i]
				}
				roots := make([]root, k)
				for j := range roots {
					roots[j] = s.solve(j)
					x := roots[j]
					distance := func(i int) float64 { return (s.d[i] - s.d[x.origin]) - x.tau }
					if !(distance(j) < 0) || j+1 < k && !(distance(j+1) > 0) {
						t.Fatalf("%s, %d poles, rho %g: root %d is not between its poles", name, k, rho, j)
					}
				}
				norm := s.d[k-1] + rho*square
				v := mat.NewDense(k, k, nil)
				for j, x := range roots {
					row := v.RawRowView(j)
					for i := range row {
						row[i] = math.Copysign(s.exact(roots, i), s.z[i]) / ((s.d[i] - s.d[x.origin]) - x.tau)
					}
					f := 1 / mat.Norm(v.RowView(j), 2)
					var zv float64
					for i := range row {
						row[i] *= f
						zv += s.z[i] * row[i]
					}
					for i := range row {
						r := (s.d[i]-s.d[x.origin]-x.tau)*row[i] + rho*zv*s.z[i]
						if !(math.Abs(r) <= 20*eps*float64(k+10)*norm) {
							t.Fatalf("%s, %d poles, rho %g: residual %g of root %d", name, k, rho, r/norm, j)
						}
					}
				}
				gram := product(false, true, v, v)
				for i := range k {
					gram.Set(i, i, gram.At(i, i)-1)
				}
				if far(gram, mat.NewDense(k, k, nil), 10*eps*float64(k+10)) {
					t.Fatalf("%s, %d poles, rho %g: vectors are not orthonormal", name, k, rho)
				}
			}
		}
	}
}

// The root above all poles is found also where numbers end below twice its bound, for the search starts inside the bound.
func TestSecularOfLargestRoot(t *testing.T) {
	s := &secular{d: []float64{0, 1}, z: []float64{2, 2}, rho: 1.5e307}
	if x := s.solve(1); x.origin != 1 || !(math.Abs(x.tau/s.rho-8) < 1e-12) {
		t.Errorf("root %g above pole %d, want %g", x.tau, x.origin, 8*s.rho)
	}
}

// What is not finite is refused before; if it comes nevertheless, the work ends.
func TestEigenEnds(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		for _, n := range []int{1, 2, 33, 100} {
			a, full, _ := definite(t, source(n), n)
			full.Set(n-1, n/2, bad)
			a.Copy(full)
			for _, plain := range []bool{false, true} {
				apart(engine{plain: plain}).syev(mat.DenseCopyOf(a).RawMatrix(), make([]float64, n))
			}
		}
	}
	s := &secular{d: []float64{0, 1, math.NaN()}, z: []float64{1, math.Inf(1), 1}, rho: 1}
	for j := range s.d {
		s.solve(j)
	}
}

// Eigenvectors are the same bits on any number of threads, of slabs and blocks as well.
func TestEigenThreads(t *testing.T) {
	const n = 600
	_, a, _ := definite(t, source(n), n)
	solve := func(threads int) *mat.Dense {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		v := mat.DenseCopyOf(a)
		if err := (Backend{}).SymEigenInPlace(v, make([]float64, n)); err != nil {
			t.Fatal(err)
		}
		return v
	}
	one := solve(1)
	for _, threads := range []int{2, 3, 6} {
		sameBits(t, "threads", solve(threads), one)
	}
}

// A matrix with more rows than one block of anything has: H D H with one reflection H, whose values are known.
func TestSymEigenLarge(t *testing.T) {
	const n = 1050
	rnd := source(n)
	u, d := make([]float64, n), make([]float64, n)
	var uu, udu float64
	for i := range n {
		u[i], d[i] = rnd.NormFloat64(), math.Sqrt(float64(i))
		uu += u[i] * u[i]
		udu += u[i] * u[i] * d[i]
	}
	a := mat.NewDense(n, n, nil)
	a.Apply(func(i, j int, _ float64) float64 {
		v := u[i] * u[j] * (4*udu/uu - 2*(d[i]+d[j])) / uu
		if i == j {
			v += d[i]
		}
		return v
	}, a)
	v, w := mat.NewDense(n, n, nil), make([]float64, n)
	if err := (Backend{}).SymEigen(mat.DenseCopyOf(a), w, v); err != nil {
		t.Fatal(err)
	}
	scaled, gram := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	scaled.Apply(func(_, j int, x float64) float64 { return x * w[j] }, v)
	Backend{}.Gemm(1, N(a), N(v), -1, scaled)
	Backend{}.Gemm(1, T(v), N(v), 0, gram)
	for i := range n {
		gram.Set(i, i, gram.At(i, i)-1)
		if !(math.Abs(w[i]-d[i]) <= 20*eps*d[n-1]) {
			t.Fatalf("value %d is %v, want %v", i, w[i], d[i])
		}
	}
	if zero := mat.NewDense(n, n, nil); far(scaled, zero, 50*eps*d[n-1]) || far(gram, zero, 50*eps) {
		t.Error("the vectors are not those of the values")
	}
}
