package dual

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// unbiased is the problem without a threshold.
func unbiased(p Problem) Problem {
	p.Offset = false
	return p
}

// dense is a Matrix in memory.
type dense struct {
	n    int
	k    []float32
	read atomic.Int64 // entries asked for
}

func (d *dense) Len() int { return d.n }

func (d *dense) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = float64(d.k[i*d.n+i])
	}
}

func (d *dense) Block(dst []float32, i, j []int) {
	rows, cols := len(i), len(j)
	if i == nil {
		rows = d.n
	}
	if j == nil {
		cols = d.n
	}
	if len(dst) != rows*cols {
		panic(fmt.Sprintf("block %dx%d into %d numbers", rows, cols, len(dst)))
	}
	d.read.Add(int64(len(dst)))
	for a := range rows {
		r := a
		if i != nil {
			r = i[a]
		}
		for b := range cols {
			c := b
			if j != nil {
				c = j[b]
			}
			dst[a*cols+b] = d.k[r*d.n+c]
		}
	}
}

// gaussian is the matrix exp(-gamma |x_i - x_j|^2).
func gaussian(x [][]float64, gamma float64) *dense {
	d := &dense{n: len(x), k: make([]float32, len(x)*len(x))}
	for i := range x {
		for j := range x {
			var s float64
			for q := range x[i] {
				s += (x[i][q] - x[j][q]) * (x[i][q] - x[j][q])
			}
			d.k[i*d.n+j] = float32(math.Exp(-gamma * s))
		}
	}
	return d
}

func linear(x [][]float64) *dense {
	d := &dense{n: len(x), k: make([]float32, len(x)*len(x))}
	for i := range x {
		for j := range x {
			var s float64
			for q := range x[i] {
				s += x[i][q] * x[j][q]
			}
			d.k[i*d.n+j] = float32(s)
		}
	}
	return d
}

func source(n int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(n))) }

// blobs are overlapping classes in the plane.
func blobs(r *rand.Rand, l int) (x [][]float64, y []float64) {
	for i := range l {
		c := float64(2*(i%2) - 1)
		x = append(x, []float64{r.NormFloat64() + 0.7*c, r.NormFloat64()})
		y = append(y, c)
	}
	return x, y
}

func constant(l int, v float64) []float64 {
	c := make([]float64, l)
	for i := range c {
		c[i] = v
	}
	return c
}

// forms are problems of every form on l rows.
func forms(t testing.TB, r *rand.Rand, l int) (k *dense, problems map[string]Problem) {
	x, y := blobs(r, l)
	k = gaussian(x, 0.5)
	c, z := make([]float64, l), make([]float64, l)
	for i := range c {
		c[i] = 0.2 + 5*r.Float64()
		z[i] = math.Sin(2*x[i][0]) + 0.2*r.NormFloat64()
	}
	problems = map[string]Problem{
		"svc": SVC(nil, y, c), "svc without offset": unbiased(SVC(nil, y, c)),
		"svr": SVR(nil, z, c, 0.1), "svr without offset": unbiased(SVR(nil, z, c, 0.1)),
	}
	var err error
	add := func(name string, p Problem, e error) {
		if problems[name] = p; e != nil {
			err = e
		}
	}
	p, e := NuSVC(nil, y, c, 0.4)
	add("nu-svc", p, e)
	p, e = NuSVR(nil, z, c, 0.3)
	add("nu-svr", p, e)
	p, e = OneClass(nil, c, 0.25)
	add("one-class", p, e)
	if err != nil {
		t.Fatal(err)
	}
	return k, problems
}

// reference solves (D) slowly: the most violating pair of one part (or the worst
// coordinate), all gradients by definition, float64 throughout.
func reference(k *dense, p Problem, tol float64) (beta []float64, objective float64) {
	m := len(p.Row)
	q := func(u, v int) float64 { return float64(k.k[p.Row[u]*k.n+p.Row[v]]) }
	beta, lo, hi, f := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	for u := range m {
		if p.Sign[u] > 0 {
			hi[u] = p.Upper[u]
		} else {
			lo[u] = -p.Upper[u]
		}
		if p.Start != nil {
			beta[u] = p.Sign[u] * p.Start[u]
		}
	}
	for u := range m {
		f[u] = -p.Sign[u] * p.Linear[u]
		for v := range m {
			f[u] -= q(u, v) * beta[v]
		}
	}
	move := func(u int, d float64) {
		beta[u] += d
		for v := range m {
			f[v] -= d * q(u, v)
		}
	}
	for range 1000000 {
		bi, bj, worst := -1, -1, tol
		for _, sign := range []float64{1, -1} {
			i, j := -1, -1
			for u := range m {
				if p.Nu && p.Sign[u] != sign {
					continue
				}
				if beta[u] < hi[u] && (i < 0 || f[u] > f[i]) {
					i = u
				}
				if beta[u] > lo[u] && (j < 0 || f[u] < f[j]) {
					j = u
				}
			}
			if p.Offset || p.Nu {
				if i >= 0 && j >= 0 && f[i]-f[j] > worst {
					bi, bj, worst = i, j, f[i]-f[j]
				}
				continue
			}
			if i >= 0 && f[i] > worst {
				bi, bj, worst = i, -1, f[i]
			}
			if j >= 0 && -f[j] > worst {
				bi, bj, worst = -1, j, -f[j]
			}
		}
		switch {
		case bi < 0 && bj < 0:
			for u := range m {
				objective += beta[u] * (p.Sign[u]*p.Linear[u] - f[u]) / 2
			}
			return beta, objective
		case bj < 0:
			move(bi, min(f[bi]/q(bi, bi), hi[bi]-beta[bi]))
		case bi < 0:
			move(bj, max(f[bj]/q(bj, bj), lo[bj]-beta[bj]))
		default:
			d := (f[bi] - f[bj]) / max(q(bi, bi)+q(bj, bj)-2*q(bi, bj), tau)
			d = min(d, hi[bi]-beta[bi], beta[bj]-lo[bj])
			move(bi, d)
			move(bj, -d)
		}
	}
	panic("reference does not converge")
}

// both calls f with the direct method and with working sets, whose store and set
// are so small that everything in them happens.
func both(t *testing.T, f func(t *testing.T, solve func(Matrix, Problem, Options) *Solution)) {
	for name, direct := range map[string]int{"direct": math.MaxInt, "sets": 0} {
		t.Run(name, func(t *testing.T) {
			f(t, func(k Matrix, p Problem, o Options) *Solution {
				t.Helper()
				if direct == 0 {
					o.WorkingSet, o.Cache = 24, int64(4*k.Len()*10)
				}
				s, err := run(t.Context(), k, p, o, direct, nil)
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

// check tests a solution by definition: feasibility, gradient, objective, certificate.
func check(t rapid.TB, k *dense, p Problem, s *Solution, tol float64) {
	t.Helper()
	var sum, start [2]float64
	var objective float64
	most, least := math.Inf(-1), math.Inf(1)
	for u, a := range s.A {
		if a < 0 || a > p.Upper[u] {
			t.Fatalf("a_%d = %g is outside [0, %g]", u, a, p.Upper[u])
		}
		part := 0
		if p.Nu && p.Sign[u] < 0 {
			part = 1
		}
		sum[part] += p.Sign[u] * a
		if p.Start != nil {
			start[part] += p.Sign[u] * p.Start[u]
		}
		g := p.Linear[u]
		for v, b := range s.A {
			g += p.Sign[u] * p.Sign[v] * float64(k.k[p.Row[u]*k.n+p.Row[v]]) * b
		}
		if math.Abs(g-s.Gradient[u]) > 1e-9*(1+math.Abs(g)) {
			t.Fatalf("gradient %d is %g, by definition %g", u, s.Gradient[u], g)
		}
		objective += a * (g + p.Linear[u]) / 2
		// With nu the signs have thresholds rho +- scale.
		f := -p.Sign[u]*g + s.Rho
		if p.Nu {
			f += p.Sign[u] * s.Scale
		}
		if up := p.Sign[u] > 0 && a < p.Upper[u] || p.Sign[u] < 0 && a > 0; up {
			most = max(most, f)
		}
		if low := p.Sign[u] > 0 && a > 0 || p.Sign[u] < 0 && a < p.Upper[u]; low {
			least = min(least, f)
		}
	}
	if p.Offset && max(math.Abs(sum[0]-start[0]), math.Abs(sum[1]-start[1])) > 1e-9*(1+math.Abs(start[0])) {
		t.Fatalf("sums %v, must be %v", sum, start)
	}
	if math.Abs(objective-s.Objective) > 1e-9*(1+math.Abs(objective)) {
		t.Fatalf("objective %g, by definition %g", s.Objective, objective)
	}
	if s.Status != Optimal || s.Violation > tol || !(s.Gap >= 0) {
		t.Fatalf("status %q, violation %g, gap %g", s.Status, s.Violation, s.Gap)
	}
	// Around the threshold returned, the conditions hold to the violation.
	if most > 1.01*tol || least < -1.01*tol {
		t.Fatalf("residuals over the threshold reach %g, under it %g; tolerance %g", most, least, tol)
	}
}

func TestReference(t *testing.T) {
	k, problems := forms(t, source(1), 60)
	for name, p := range problems {
		_, want := reference(k, p, 1e-9)
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			s := solve(k, p, Options{Tolerance: 1e-7})
			check(t, k, p, s, 1e-7)
			if math.Abs(s.Objective-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: objective %.12g, reference %.12g", name, s.Objective, want)
			}
			if s.Gap > 1e-4 {
				t.Errorf("%s: gap %g", name, s.Gap)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		l := rapid.IntRange(2, 40).Draw(t, "l")
		x, y := blobs(r, l)
		k := gaussian(x, math.Exp(1+r.NormFloat64()))
		p := Problem{Offset: rapid.Bool().Draw(t, "offset"), Nu: rapid.Bool().Draw(t, "nu")}
		p.Offset = p.Offset || p.Nu
		for range rapid.IntRange(1, 40).Draw(t, "variables") {
			i := r.IntN(l)
			p.Row = append(p.Row, i)
			p.Sign = append(p.Sign, y[r.IntN(l)])
			p.Linear = append(p.Linear, r.NormFloat64())
			c := float64(r.IntN(3)) * math.Exp(r.NormFloat64())
			p.Upper = append(p.Upper, c)
			p.Start = append(p.Start, c*r.Float64())
		}
		for _, direct := range []int{math.MaxInt, 0} {
			o := Options{
				Tolerance:  1e-3,
				WorkingSet: rapid.IntRange(1, 40).Draw(t, "set"),
				Cache:      int64(rapid.IntRange(1, 4000).Draw(t, "cache")),
				NoShrink:   rapid.Bool().Draw(t, "no shrinking"),
			}
			s, err := run(context.Background(), k, p, o, direct, nil)
			if err != nil {
				t.Fatal(err)
			}
			check(t, k, p, s, 1e-3)
		}
	})
}

// The gap bounds the distance to the minimum at every tolerance, and goes to 0.
func TestGap(t *testing.T) {
	k, problems := forms(t, source(2), 50)
	for name, p := range problems {
		_, best := reference(k, p, 1e-10)
		last := math.Inf(1)
		for _, tol := range []float64{1, 0.1, 1e-2, 1e-4, 1e-6} {
			s, err := Solve(t.Context(), k, p, Options{Tolerance: tol})
			if err != nil {
				t.Fatal(err)
			}
			if s.Objective-best > s.Gap+1e-8 || s.Objective < best-1e-8 {
				t.Errorf("%s: objective %g above the minimum, gap %g", name, s.Objective-best, s.Gap)
			}
			last = s.Gap
		}
		if last > 1e-3 {
			t.Errorf("%s: gap %g at 1e-6", name, last)
		}
	}
}

func decision(t *testing.T, k *dense, p Problem, s *Solution) []float64 {
	t.Helper()
	m, err := p.Machine(s, k.n)
	if err != nil {
		t.Fatal(err)
	}
	f := make([]float64, k.n)
	for i := range f {
		f[i] = m.B
		for j, v := range m.Coef {
			f[i] += v * float64(k.k[i*k.n+j])
		}
	}
	return f
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: element %d is %.12g, expected %.12g", what, i, got[i], want[i])
		}
	}
}

func TestSymmetries(t *testing.T) {
	const l, tol = 50, 1e-8
	x, y := blobs(source(3), l)
	k := gaussian(x, 0.5)
	c := constant(l, 2)
	both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
		o := Options{Tolerance: tol}
		p := SVC(nil, y, c)
		s := solve(k, p, o)
		f := decision(t, k, p, s)

		flipped := make([]float64, l)
		for i, v := range y {
			flipped[i] = -v
		}
		q := SVC(nil, flipped, c)
		g := decision(t, k, q, solve(k, q, o))
		for i := range g {
			g[i] = -g[i]
		}
		near(t, "labels flipped", g, f, 1e-6)

		perm := source(4).Perm(l)
		yp := make([]float64, l)
		for i, j := range perm {
			yp[i] = y[j]
		}
		q = SVC(perm, yp, c)
		near(t, "other order", decision(t, k, q, solve(k, q, o)), f, 1e-6)

		// A row twice at C is the row once at 2 C, one with bound 0 none.
		rows, yd, cd := []int{}, []float64{}, []float64{}
		for i := range l {
			rows, yd, cd = append(rows, i, i, i), append(yd, y[i], y[i], -y[i]), append(cd, 1, 1, 0)
		}
		q = SVC(rows, yd, cd)
		sd := solve(k, q, o)
		near(t, "duplicates", decision(t, k, q, sd), f, 1e-6)
		if math.Abs(sd.Objective-s.Objective) > 1e-6 {
			t.Errorf("duplicates: objective %g, expected %g", sd.Objective, s.Objective)
		}
		check(t, k, q, sd, tol)

		// Bounds of 0 leave the rows out, but their gradient is right.
		half := append([]float64(nil), c...)
		var kept []int
		var yk []float64
		for i := range half {
			if i%2 == 1 {
				half[i] = 0
			} else {
				kept, yk = append(kept, i), append(yk, y[i])
			}
		}
		yk[1] = -yk[1]
		yh := append([]float64(nil), y...)
		yh[2] = -yh[2]
		p = SVC(nil, yh, half)
		s = solve(k, p, o)
		check(t, k, p, s, tol)
		q = SVC(kept, yk, constant(len(kept), 2))
		near(t, "bounds 0", decision(t, k, p, s), decision(t, k, q, solve(k, q, o)), 1e-6)
	})
}

// beta = min(2/s, C) for two points of opposite class at s = k11 + k22 - 2 k12.
func TestTwoPoints(t *testing.T) {
	for _, c := range []float64{0.1, 1, 1e4, math.Inf(1)} {
		k := &dense{n: 2, k: []float32{2, 0.5, 0.5, 1}}
		p := SVC(nil, []float64{1, -1}, constant(2, c))
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			s := solve(k, p, Options{Tolerance: 1e-12})
			want := min(2/(2+1-2*0.5), c)
			near(t, "alpha", s.A, []float64{want, want}, 1e-12)
			// b = -(f0(x1) + f0(x2))/2
			near(t, "rho", []float64{s.Rho}, []float64{want * (2 - 0.5 + 0.5 - 1) / 2}, 1e-12)
		})
	}
}

// The fixture of 8 points in the plane, lambda the weight of |w|^2 in
// (1/n) sum hinge + lambda |w|^2, C = 1/(2 n lambda).
func TestGoldenLinear(t *testing.T) {
	x := [][]float64{{.2, .7}, {.9, .4}, {.5, .1}, {.3, .9}, {.8, .8}, {.1, .3}, {.6, .5}, {.7, .2}}
	y := []float64{1, -1, -1, 1, 1, -1, -1, 1}
	for _, e := range []struct {
		lambda, objective float64
		offset            bool
		w                 [2]float64
		b                 float64
	}{
		{.05, .877222222222, false, [2]float64{-4. / 15, 1.2}, 0},
		{.05, .8671875, true, [2]float64{-.125, 1.625}, -.7625},
		{.005, .715, false, [2]float64{-2, 2}, 0},
		{.005, .573921, true, [2]float64{-.606059, 4.848480}, -2.393938},
	} {
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			k := linear(x)
			p := SVC(nil, y, constant(8, 1/(16*e.lambda)))
			p.Offset = e.offset
			s := solve(k, p, Options{Tolerance: 1e-7})
			var w [2]float64
			for i, a := range s.A {
				w[0] += a * y[i] * x[i][0]
				w[1] += a * y[i] * x[i][1]
			}
			near(t, "w and b", []float64{w[0], w[1], -s.Rho}, []float64{e.w[0], e.w[1], e.b}, 2e-5)
			// The primal objective is -2 lambda times the dual one.
			near(t, "objective", []float64{-2 * e.lambda * s.Objective}, []float64{e.objective}, 1e-6)
		})
	}
}

// Laplacian SVM on a warped kernel of two labelled rows: K~_00 and K~_01 are known,
// K~_11 follows from alpha and b of the example.
func TestGoldenWarped(t *testing.T) {
	const k00, k01, alpha, b = 0.927064784278, 0.140694771588, 1.310899371224, -0.03085195518519679
	// alpha = 2/(k00 + k11 - 2 k01), the bound 1/(2 gamma_A l) = 25 is far.
	k11 := 2/alpha - k00 + 2*k01
	k := &dense{n: 2, k: []float32{k00, k01, k01, float32(k11)}}
	p := SVC(nil, []float64{1, -1}, constant(2, 25))
	s, err := Solve(t.Context(), k, p, Options{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alpha, b", []float64{s.A[0], s.A[1], -s.Rho}, []float64{alpha, alpha, b}, 1e-6)
}

// nu bounds the share of margin errors from above and of support vectors from below.
func TestNu(t *testing.T) {
	const l = 100
	x, y := blobs(source(5), l)
	k := gaussian(x, 2)
	for _, nu := range []float64{0.5, 0.6, 0.8} {
		p, err := NuSVC(nil, y, constant(l, 1), nu)
		if err != nil {
			t.Fatal(err)
		}
		one, err := OneClass(nil, constant(l, 1), nu)
		if err != nil {
			t.Fatal(err)
		}
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			s := solve(k, p, Options{Tolerance: 1e-6})
			check(t, k, p, s, 1e-6)
			f := decision(t, k, p, s)
			errors, vectors := 0., 0.
			for i := range f {
				if y[i]*f[i] < 1-1e-4 {
					errors++
				}
				if s.A[i] > 0 {
					vectors++
				}
			}
			if errors/l > nu || vectors/l < nu {
				t.Errorf("nu %g: margin errors %g, support vectors %g", nu, errors/l, vectors/l)
			}
			// The machine of nu-SVC is that of C-SVC with C = 1/r.
			q := SVC(nil, y, constant(l, 1/s.Scale))
			near(t, "C-SVC", decision(t, k, q, solve(k, q, Options{Tolerance: 1e-6})), f, 1e-4)

			s = solve(k, one, Options{Tolerance: 1e-6})
			outliers := 0.
			for _, v := range decision(t, k, one, s) {
				if v < -1e-5 {
					outliers++
				}
			}
			if outliers/l > nu {
				t.Errorf("one-class, nu %g: outliers %g", nu, outliers/l)
			}
		})
	}
	if _, err := NuSVC(nil, append(constant(30, 1), -1, -1), constant(32, 1), 0.5); err == nil ||
		!strings.Contains(err.Error(), "at most 0.125") {
		t.Errorf("infeasible nu: %v", err)
	}
	for _, nu := range []float64{0, -1, 1.1, math.NaN()} {
		_, a := NuSVC(nil, y, constant(l, 1), nu)
		_, b := NuSVR(nil, y, constant(l, 1), nu)
		_, c := OneClass(nil, constant(l, 1), nu)
		if a == nil || b == nil || c == nil {
			t.Errorf("nu %g accepted", nu)
		}
	}
}

// The tube that nu-SVR finds, given to SVR, gives the same function.
func TestNuTube(t *testing.T) {
	k, problems := forms(t, source(6), 80)
	p := problems["nu-svr"]
	z := make([]float64, 80)
	for i := range z {
		z[i] = -p.Linear[i]
	}
	both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
		s := solve(k, p, Options{Tolerance: 1e-7})
		m, err := p.Machine(s, k.n)
		if err != nil {
			t.Fatal(err)
		}
		// Free support vectors lie on the edge of the tube, at its half width.
		free := 0
		f := decision(t, k, p, s)
		for i := range z {
			beta, c := m.Coef[i], p.Upper[i]
			if math.Abs(beta) > 1e-3*c && math.Abs(beta) < (1-1e-3)*c {
				free++
				near(t, "half width", []float64{m.Epsilon * math.Copysign(1, beta)}, []float64{z[i] - f[i]}, 1e-5)
			}
		}
		if free == 0 || !(m.Epsilon > 0) {
			t.Errorf("%d free support vectors, half width %g", free, m.Epsilon)
		}
		q := SVR(nil, z, p.Upper[:80], m.Epsilon)
		near(t, "SVR", decision(t, k, q, solve(k, q, Options{Tolerance: 1e-7})), f, 1e-5)
	})
}

func TestWarm(t *testing.T) {
	k, problems := forms(t, source(7), 60)
	for name, p := range problems {
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			cold := solve(k, p, Options{Tolerance: 1e-6})
			again, err := p.Warm(cold.A)
			if err != nil {
				t.Fatal(err)
			}
			if s := solve(k, again, Options{Tolerance: 1e-6}); s.Iterations > 0 {
				t.Errorf("%s: %d steps from the solution", name, s.Iterations)
			}
			if p.Nu || name == "one-class" {
				return // other bounds are another sum
			}
			for _, factor := range []float64{0.5, 0.97, 1.1, 3} {
				q := p
				q.Upper = append([]float64(nil), p.Upper...)
				for u := range q.Upper {
					q.Upper[u] *= factor
				}
				q.Upper[3] = 0
				w, err := q.Warm(cold.A)
				if err != nil {
					t.Fatal(err)
				}
				a, b := solve(k, q, Options{Tolerance: 1e-6}), solve(k, w, Options{Tolerance: 1e-6})
				check(t, k, q, b, 1e-6)
				if math.Abs(a.Objective-b.Objective) > 1e-5*math.Abs(a.Objective) {
					t.Errorf("%s: objective %.10g from the warm start, %.10g without", name, b.Objective, a.Objective)
				}
			}
		})
	}
}

// The start is the projection: x - a is normal to the constraint wherever x is
// inside its bounds, and points outwards at them.
func TestWarmProjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		l := rapid.IntRange(1, 20).Draw(t, "l")
		p := Problem{Offset: true, Row: make([]int, l), Linear: make([]float64, l), Nu: rapid.Bool().Draw(t, "nu")}
		a := make([]float64, l)
		for u := range a {
			p.Sign = append(p.Sign, float64(2*r.IntN(2)-1))
			p.Upper = append(p.Upper, float64(r.IntN(4)))
			p.Start = append(p.Start, p.Upper[u]*r.Float64())
			a[u] = 3 * r.NormFloat64()
		}
		w, err := p.Warm(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(1); err != nil {
			t.Fatal(err)
		}
		for _, sign := range []float64{1, -1} {
			// Conditions of the projection: what could still go up was moved at least as
			// far as what could still go down.
			var sum float64
			most, least := math.Inf(-1), math.Inf(1)
			for u, x := range w.Start {
				if p.Nu && p.Sign[u] != sign || p.Upper[u] == 0 {
					continue
				}
				s := p.Sign[u]
				sum += s * (x - p.Start[u])
				d := s * (x - min(max(a[u], 0), p.Upper[u]))
				lo, hi := min(s*p.Upper[u], 0), max(s*p.Upper[u], 0)
				if s*x < hi-1e-9 {
					least = min(least, d)
				}
				if s*x > lo+1e-9 {
					most = max(most, d)
				}
			}
			if most > least+1e-9 {
				t.Fatalf(
					"one coefficient was moved by %g that could have moved less, another by %g that could have moved more",
					most,
					least,
				)
			}
			if math.Abs(sum) > 1e-9 {
				t.Fatalf("sum off by %g", sum)
			}
		}
	})
	p := SVC(nil, []float64{1, 1}, constant(2, 1))
	p.Start = []float64{1, 1}
	p.Upper = []float64{0.5, 0.5}
	if _, err := p.Warm(constant(2, 0)); err == nil {
		t.Error("infeasible sum accepted")
	}
}

func TestThreads(t *testing.T) {
	x, y := blobs(source(8), 3000)
	k := gaussian(x, 2)
	p := SVC(nil, y, constant(3000, 10))
	var first *Solution
	for _, threads := range []int{1, 2, 3} {
		before := runtime.GOMAXPROCS(threads)
		s, err := Solve(t.Context(), k, p, Options{WorkingSet: 256, Cache: 4 << 20})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
			check(t, k, p, s, 1e-3)
			continue
		}
		for u := range s.A {
			if s.A[u] != first.A[u] || s.Gradient[u] != first.Gradient[u] {
				t.Fatalf("%d threads: variable %d differs", threads, u)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	x, y := blobs(source(9), 300)
	k := gaussian(x, 0.5)
	p := SVC(nil, y, constant(300, 10))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, direct := range []int{math.MaxInt, 0} {
		s, err := run(t.Context(), k, p, Options{MaxIterations: 20, WorkingSet: 32}, direct, nil)
		if err != nil || s.Status != LimitReached || s.Iterations != 20 || s.Violation < 1e-3 || s.Gap == 0 {
			t.Errorf("limit: %v, %+v", err, s.Status)
		}
		s.Status, s.Violation = Optimal, 0
		check(t, k, p, s, 100)
		s, err = run(cancelled, k, p, Options{WorkingSet: 32}, direct, nil)
		if err != nil || s.Status != Cancelled {
			t.Errorf("cancelled: %v, %v", err, s.Status)
		}
		calls := 0
		ctx, stop := context.WithCancel(t.Context())
		s, err = run(ctx, k, p, Options{WorkingSet: 32, Progress: func(pr Progress) {
			if calls++; calls == 3 {
				stop()
			}
		}}, direct, nil)
		if err != nil || direct == 0 && s.Status != Cancelled {
			t.Errorf("cancelled later: %v, %v", err, s.Status)
		}
		stop()
	}
}

func TestDegenerate(t *testing.T) {
	both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
		k := linear([][]float64{{1, 2}, {3, 4}, {1, 2}})
		for name, p := range map[string]Problem{
			"empty":        {Offset: true},
			"all fixed":    SVC(nil, []float64{1, -1, 1}, constant(3, 0)),
			"one class":    SVC(nil, constant(3, 1), constant(3, 1)),
			"contradicted": SVC([]int{0, 2}, []float64{1, -1}, constant(2, 1)),
		} {
			s := solve(k, p, Options{})
			if s.Status != Optimal || math.IsNaN(s.Rho) || s.Gap < 0 {
				t.Errorf("%s: %v, rho %g, gap %g", name, s.Status, s.Rho, s.Gap)
			}
			check(t, k, p, s, 1e-3)
		}
		// A matrix of zeros without offset: everything goes to its bound.
		zero := &dense{n: 2, k: make([]float32, 4)}
		p := unbiased(SVC(nil, []float64{1, -1}, []float64{3, 4}))
		near(t, "zero matrix", solve(zero, p, Options{}).A, []float64{3, 4}, 0)
	})
}

func TestNotFinite(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for _, at := range [][2]int{{5, 5}, {3, 17}} {
			x, y := blobs(source(10), 60)
			k := gaussian(x, 50) // nearly every row is a support vector
			k.k[at[0]*k.n+at[1]], k.k[at[1]*k.n+at[0]] = bad, bad
			for _, direct := range []int{math.MaxInt, 0} {
				_, err := run(t.Context(), k, SVC(nil, y, constant(60, 1)), Options{WorkingSet: 24}, direct, nil)
				if err == nil ||
					!strings.Contains(err.Error(), fmt.Sprintf("(%d, %d)", at[0], at[1])) &&
						!strings.Contains(err.Error(), fmt.Sprintf("(%d, %d)", at[1], at[0])) {
					t.Errorf("%g at %v: %v", bad, at, err)
				}
			}
		}
	}
	k := linear([][]float64{{1}, {2}})
	good := SVC(nil, []float64{1, -1}, constant(2, 1))
	for name, change := range map[string]func(p *Problem){
		"sign":   func(p *Problem) { p.Sign[0] = 0 },
		"linear": func(p *Problem) { p.Linear[1] = math.NaN() },
		"bound":  func(p *Problem) { p.Upper[1] = math.NaN() },
		"start":  func(p *Problem) { p.Start = []float64{0, 2} },
	} {
		p := good
		p.Sign, p.Linear, p.Upper = append(
			[]float64(nil),
			p.Sign...), append(
			[]float64(nil),
			p.Linear...), append(
			[]float64(nil),
			p.Upper...)
		change(&p)
		if _, err := Solve(t.Context(), k, p, Options{}); err == nil || !strings.Contains(err.Error(), "variable ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
