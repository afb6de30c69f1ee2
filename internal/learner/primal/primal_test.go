package primal_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/primal"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// instance is a Laplacian machine's problem with everything explicit.
type instance struct {
	x   data.Rows
	g   kernel.Gram
	k   *mat.Dense
	r   graph.Operator
	lab []int
	y   *mat.Dense
}

func newInstance(t testing.TB, x data.Rows, sigma float64, neighbours int, lab []int, y *mat.Dense) instance {
	t.Helper()
	g, err := kernel.Gaussian{Sigma: sigma}.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Recipe{Neighbours: neighbours}.Build(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Len()
	k := mat.NewDense(n, n, nil)
	g.Block(k, nil, nil)
	return instance{x: x, g: g, k: k, r: b.Operator(), lab: lab, y: y}
}

// noise draws two overlapping clouds; every third row is labelled, some wrongly.
func noise(t testing.TB, n, outputs int, sigma float64) instance {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	a := mat.NewDense(n, 3, nil)
	var lab []int
	for i := range n {
		for j := range 3 {
			a.Set(i, j, rng.NormFloat64()+float64(i%2))
		}
		if i%3 == 0 {
			lab = append(lab, i)
		}
	}
	rng.Shuffle(len(lab), func(p, q int) { lab[p], lab[q] = lab[q], lab[p] })
	y := mat.NewDense(len(lab), outputs, nil)
	for p, i := range lab {
		for q := range outputs {
			v := float64(1 - 2*(i%2))
			if rng.IntN(8) == 0 {
				v = -v
			}
			y.Set(p, q, v)
		}
	}
	return newInstance(t, data.Rows{Dense: a}, sigma, 5, lab, y)
}

func (in instance) newton(t testing.TB, p primal.Machine) *primal.Result {
	t.Helper()
	s, err := p.Newton(context.Background(), in.k, in.r, in.lab, in.y)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (in instance) cg(t testing.TB, p primal.Machine, o primal.Options) *primal.Result {
	t.Helper()
	s, err := p.CG(context.Background(), primal.DenseProduct(in.k), in.r, in.lab, in.y, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// objective is J of the formula, output q, and its gradient by alpha and b.
func (in instance) objective(p primal.Machine, v learn.Loss, q int, alpha []float64, b float64) (j float64, da []float64, db float64) {
	n, l := len(alpha), float64(len(in.lab))
	a := mat.NewDense(n, 1, alpha)
	var g, s, d mat.Dense
	g.Mul(in.k, a)
	rg := mat.NewDense(n, 1, nil)
	in.r.MulTo(rg, &g)
	s.Scale(2*p.Ambient, a)
	for i := range n {
		j += g.At(i, 0) * (p.Ambient*alpha[i] + p.Intrinsic*rg.At(i, 0))
		s.Set(i, 0, s.At(i, 0)+2*p.Intrinsic*rg.At(i, 0))
	}
	for c, i := range in.lab {
		f := g.At(i, 0) + b
		j += v.Value(in.y.At(c, q), f) / l
		d1, _ := v.Derivatives(in.y.At(c, q), f)
		s.Set(i, 0, s.At(i, 0)+d1/l)
		db += d1 / l
	}
	d.Mul(in.k, &s)
	return j, mat.Col(nil, 0, &d), db
}

// allRows is Newton's method of the squared hinge over all n coefficients: full steps
// on the active set (y f < 1) until it repeats,
//
//	(I_a K + l gamma_A I + l c R K) alpha + 1_a b = I_a y,  1'(I_a K alpha + 1_a b - I_a y) = 0.
func (in instance) allRows(t *testing.T, p primal.Machine, q int) (f []float64) {
	t.Helper()
	n, l := in.g.Len(), float64(len(in.lab))
	var rk mat.Dense
	rk.CloneFrom(in.k)
	in.r.MulTo(&rk, in.k)
	active := map[int]bool{}
	for c := range in.lab {
		active[c] = true
	}
	for range 50 {
		a, y := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, 1, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, l*p.Intrinsic*rk.At(i, j))
			}
			a.Set(i, i, a.At(i, i)+l*p.Ambient)
		}
		if !p.Bias {
			a.Set(n, n, 1)
		}
		for c, i := range in.lab {
			if !active[c] {
				continue
			}
			y.Set(i, 0, in.y.At(c, q))
			for j := range n {
				a.Set(i, j, a.At(i, j)+in.k.At(i, j))
			}
			if p.Bias {
				a.Set(i, n, 1)
				for j := range n {
					a.Set(n, j, a.At(n, j)+in.k.At(i, j))
				}
				a.Set(n, n, a.At(n, n)+1)
				y.Set(n, 0, y.At(n, 0)+in.y.At(c, q))
			}
		}
		var s mat.Dense
		if err := s.Solve(a, y); err != nil {
			t.Fatal(err)
		}
		f = make([]float64, n)
		for i := range f {
			f[i] = s.At(n, 0)
			for j := range n {
				f[i] += in.k.At(i, j) * s.At(j, 0)
			}
		}
		same := true
		for c, i := range in.lab {
			now := in.y.At(c, q)*f[i] < 1
			same = same && now == active[c]
			active[c] = now
		}
		if same {
			return f
		}
	}
	t.Fatal("the active set does not settle")
	return nil
}

func column(a *mat.Dense, q int) []float64 { return mat.Col(nil, q, a) }

func wantClose(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	var worst, scale float64
	for i, v := range want {
		worst = max(worst, math.Abs(got[i]-v))
		scale = max(scale, math.Abs(v))
	}
	if !(worst <= tol*(1+scale)) {
		t.Errorf("%s: largest difference %.3g, scale %.3g", what, worst, scale)
	}
}

var exact = primal.Options{Exact: true, Tolerance: 1e-13}

func plainCG(o primal.Options) primal.Options {
	o.Landmarks = -1
	return o
}

func TestPrimalAgreesWithAllRowsAndWarp(t *testing.T) {
	in := noise(t, 60, 2, 1.2)
	for _, bias := range []bool{false, true} {
		for _, ratio := range []float64{0.1, 10} {
			p := primal.Machine{Ambient: 1e-2, Intrinsic: 1e-2 * ratio, Bias: bias}
			name := fmt.Sprintf("bias %v ratio %g", bias, ratio)
			newton, cg, plain := in.newton(t, p), in.cg(t, p, exact), in.cg(t, p, plainCG(exact))
			// The same machine on the warped kernel's labelled block.
			warped := bind(t, manifold.Warp{Base: kernel.Gaussian{Sigma: 1.2},
				Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5}}, Ratio: ratio}, in.x)
			supervised := primal.Machine{Ambient: p.Ambient, Bias: bias}
			all := make([]int, len(in.lab))
			for i := range all {
				all[i] = i
			}
			small, err := supervised.Newton(context.Background(), block(warped, in.lab, in.lab), nil, all, in.y)
			if err != nil {
				t.Fatal(err)
			}
			e, err := warped.Expand(small.Alpha, in.lab)
			if err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			f.Mul(in.k, e[0].Coef)
			for q := range 2 {
				want := in.allRows(t, p, q)
				through := column(&f, q)
				for i := range through {
					through[i] += small.B[q]
				}
				wantClose(t, name+" newton", column(newton.F, q), want, 1e-9)
				wantClose(t, name+" cg", column(cg.F, q), want, 1e-6)
				wantClose(t, name+" cg without landmarks", column(plain.F, q), want, 1e-6)
				wantClose(t, name+" warp", through, want, 1e-9)
				for _, s := range []*primal.Result{newton, cg, plain} {
					if s.Status[q] != primal.Converged {
						t.Errorf("%s: %v after %d steps", name, s.Status[q], s.Iterations[q])
					}
				}
			}
		}
	}
}

// The squared hinge on the eight points of the golden values, against a general
// minimiser of J over all coefficients.
func TestPrimalGoldenEight(t *testing.T) {
	in := newInstance(t, eight(), 1, 2, []int{0, 1}, mat.NewDense(2, 1, []float64{1, -1}))
	p := primal.Machine{Ambient: 0.01, Intrinsic: 1.0 / 64, Bias: true}
	lo, hi := make([]float64, 9), make([]float64, 9)
	for i := range lo {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
	}
	brute, err := solve.LBFGSB(context.Background(), func(_ context.Context, x, grad []float64) (float64, error) {
		j, da, db := in.objective(p, learn.SquaredHinge(), 0, x[:8], x[8])
		if grad != nil {
			copy(grad, da)
			grad[8] = db
		}
		return j, nil
	}, make([]float64, 9), lo, hi, solve.LBFGSBOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*primal.Result{"newton": in.newton(t, p), "cg": in.cg(t, p, exact)} {
		near(t, name+" objective", s.Objective[0], brute.F, 1e-9)
		near(t, name+" b", s.B[0], brute.X[8], 1e-4)
	}
}

func TestPrimalWithoutIntrinsicTermIsSupervised(t *testing.T) {
	in := noise(t, 50, 1, 1)
	p := primal.Machine{Ambient: 1e-2, Bias: true}
	labelled := map[int]bool{}
	for _, i := range in.lab {
		labelled[i] = true
	}
	for name, s := range map[string]*primal.Result{"newton": in.newton(t, p), "cg": in.cg(t, p, exact),
		"plain": in.cg(t, p, plainCG(exact))} {
		for i, a := range column(s.Alpha, 0) {
			if a != 0 && !labelled[i] {
				t.Errorf("%s: unlabelled row %d has coefficient %g", name, i, a)
			}
		}
		wantClose(t, name, column(s.F, 0), in.allRows(t, p, 0), 1e-6)
		e := s.Expansion(kernel.Gaussian{Sigma: 1}, in.x)
		if e.Centres.Len() > len(in.lab) {
			t.Errorf("%s: %d centres of %d labelled rows", name, e.Centres.Len(), len(in.lab))
		}
		g := bind(t, e.Kernel, e.Centres)
		f := mat.NewDense(in.x.Len(), 1, nil)
		cross := mat.NewDense(in.x.Len(), e.Centres.Len(), nil)
		if err := g.Cross(cross, in.x, nil); err != nil {
			t.Fatal(err)
		}
		f.Mul(cross, e.Coef)
		for i := range in.x.Len() {
			near(t, name+" expansion", f.At(i, 0)+s.B[0], s.F.At(i, 0), 1e-10)
		}
	}
}

func toys(t testing.TB, set string, n int) data.Rows {
	t.Helper()
	s, err := data.Builtin(fmt.Sprintf("%s:n=%d", set, n))
	if err != nil {
		t.Fatal(err)
	}
	return s.Rows
}

// One label a class: no error with the default rule of stopping, with and without
// landmarks (T1 and T2 of the manifold regularisation experiments).
func TestPrimalStopsLateEnoughOnMoonsAndCircles(t *testing.T) {
	for _, toy := range []struct {
		set   string
		n     int
		pairs [][]int
	}{
		{"moons-det", 200, [][]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}}},
		{"circles-det", 300, [][]int{{0, 150}, {0, 225}, {10, 260}}},
	} {
		in := newInstance(t, toys(t, toy.set, toy.n), 0.25, 6, nil, mat.NewDense(2, 1, []float64{1, -1}))
		for _, pair := range toy.pairs {
			in.lab = pair
			for _, ratio := range []float64{100, 1e4} {
				for _, bias := range []bool{false, true} {
					p := primal.Machine{Ambient: 1e-3, Intrinsic: 1e-3 * ratio, Bias: bias}
					for _, o := range []primal.Options{{}, {Landmarks: -1}} {
						s := in.cg(t, p, o)
						wrong := 0
						for i := range toy.n {
							if (s.F.At(i, 0) > 0) != (i < toy.n/2) {
								wrong++
							}
						}
						if wrong > 0 || s.Status[0] != primal.Decided && s.Status[0] != primal.Converged {
							t.Errorf("%s %v ratio %g bias %v landmarks %d: %d errors after %d steps, %v",
								toy.set, pair, ratio, bias, o.Landmarks, wrong, s.Iterations[0], s.Status[0])
						}
					}
				}
			}
		}
	}
}

// The objective must rest, too: with wide kernels decisions rest for three steps at the
// start while those of the minimum are others.
func TestPrimalStopsOnlyWhereTheObjectiveRests(t *testing.T) {
	in := newInstance(t, toys(t, "moons-det", 200), 0.5, 6, []int{90, 105}, mat.NewDense(2, 1, []float64{1, -1}))
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.032, Bias: true}
	newton := in.newton(t, p)
	other := func(o primal.Options) (n int) {
		s := in.cg(t, p, o)
		for i := range 200 {
			if (s.F.At(i, 0) > 0) != (newton.F.At(i, 0) > 0) {
				n++
			}
		}
		return n
	}
	if n := other(primal.Options{Landmarks: -1, Settled: 1e6}); n < 10 {
		t.Errorf("%d decisions are not Newton's; the condition would not be needed", n)
	}
	if n := other(primal.Options{Landmarks: -1}); n > 2 {
		t.Errorf("%d decisions are not Newton's", n)
	}
}

// Decisions alone are no reason to stop: the rule without its other two conditions
// rests while the labels have not travelled; with them, and at the minimum, no error.
func TestPrimalStabilityAloneStopsTooEarly(t *testing.T) {
	for _, pair := range [][]int{{5, 190}, {25, 125}} {
		in := newInstance(t, toys(t, "moons-det", 200), 0.25, 6, pair, mat.NewDense(2, 1, []float64{1, -1}))
		p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.032, Bias: true}
		wrong := func(s *primal.Result) (errors int) {
			for i := range 200 {
				if (s.F.At(i, 0) > 0) != (i < 100) {
					errors++
				}
			}
			return errors
		}
		if e := wrong(in.cg(t, p, primal.Options{Landmarks: -1, Window: 1, Settled: 1e6})); e < 30 {
			t.Errorf("%v: %d errors; the other conditions would not be needed", pair, e)
		}
		for name, s := range map[string]*primal.Result{"newton": in.newton(t, p), "default": in.cg(t, p, primal.Options{}),
			"plain": in.cg(t, p, primal.Options{Landmarks: -1})} {
			if e := wrong(s); e > 0 {
				t.Errorf("%v: %d errors of %s", pair, e, name)
			}
		}
	}
}

func TestPrimalEarlyStopKeepsItsCertificate(t *testing.T) {
	in := noise(t, 200, 1, 1)
	for _, bias := range []bool{false, true} {
		p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: bias}
		best := in.newton(t, p)
		for _, steps := range []int{1, 3, 10} {
			s := in.cg(t, p, primal.Options{Landmarks: 20, Exact: true, MaxIterations: steps})
			excess := s.Objective[0] - best.Objective[0]
			if excess < -1e-12 || !bias && excess > s.Gap[0] {
				t.Errorf("bias %v, %d steps: %g above the minimum, certified %g", bias, steps, excess, s.Gap[0])
			}
			if s.Iterations[0] == steps && s.Status[0] != primal.Limited {
				t.Errorf("status %v", s.Status[0])
			}
		}
	}
}

// J and the norm of its gradient, for every smooth loss, at an iterate and at the end.
func TestPrimalLosses(t *testing.T) {
	in := noise(t, 40, 1, 0.4) // well conditioned
	n := in.g.Len()
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Logistic(), learn.Square(), learn.SquaredEpsilon(0.2), learn.HuberHinge(0),
		learn.HuberHinge(0.05)} {
		p := primal.Machine{Loss: v, Ambient: 1e-2, Intrinsic: 0.02, Bias: true}
		for _, s := range []*primal.Result{
			in.cg(t, p, primal.Options{Landmarks: 5, MaxIterations: 2, Exact: true}),
			in.newton(t, p), in.cg(t, p, exact),
		} {
			alpha, b := column(s.Alpha, 0), s.B[0]
			j, da, db := in.objective(p, v, 0, alpha, b)
			near(t, v.Name()+" objective", s.Objective[0], j, 1e-12)
			var sv mat.Dense
			if err := sv.Solve(in.k, mat.NewDense(n, 1, da)); err != nil {
				t.Fatal(err)
			}
			sks := 0.0
			for i, d := range da {
				sks += d * sv.At(i, 0)
			}
			near(t, v.Name()+" gradient", s.Gradient[0], math.Sqrt(max(0, sks)+db*db), 1e-7)
			const h = 1e-5
			for i := range 4 {
				at := func(e float64) float64 {
					x := append([]float64(nil), alpha...)
					x[i] += e
					j, _, _ := in.objective(p, v, 0, x, b)
					return j
				}
				near(t, v.Name()+" central difference", (at(h)-at(-h))/(2*h), da[i], 1e-7)
			}
		}
		newton, cg := in.newton(t, p), in.cg(t, p, exact)
		if newton.Gradient[0] > 1e-7 || newton.Iterations[0] > 12 || newton.Status[0] != primal.Converged {
			t.Errorf("%s: gradient %g after %d Newton steps", v.Name(), newton.Gradient[0], newton.Iterations[0])
		}
		wantClose(t, v.Name(), column(cg.F, 0), column(newton.F, 0), 1e-6)
	}
}

func TestPrimalSymmetries(t *testing.T) {
	in := noise(t, 120, 1, 1)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: true}
	newton, early := in.newton(t, p), in.cg(t, p, primal.Options{})

	flipped := in
	flipped.y = mat.DenseCopyOf(in.y)
	flipped.y.Scale(-1, in.y)
	negative := func(s *primal.Result) []float64 {
		f := column(s.F, 0)
		for i := range f {
			f[i] = -f[i]
		}
		return f
	}
	wantClose(t, "flipped labels, Newton", negative(flipped.newton(t, p)), column(newton.F, 0), 1e-10)
	wantClose(t, "flipped labels, CG", negative(flipped.cg(t, p, primal.Options{})), column(early.F, 0), 1e-10)

	n := in.x.Len()
	order := rand.New(rand.NewPCG(3, 3)).Perm(n)
	place := make([]int, n)
	for to, from := range order {
		place[from] = to
	}
	lab := make([]int, len(in.lab))
	for a, i := range in.lab {
		lab[a] = place[i]
	}
	moved := newInstance(t, in.x.Select(order), 1, 5, lab, in.y)
	for name, s := range map[string]*primal.Result{"Newton": moved.newton(t, p), "CG": moved.cg(t, p, exact)} {
		f := column(s.F, 0)
		back := make([]float64, n)
		for to, from := range order {
			back[from] = f[to]
		}
		wantClose(t, "rows in another order, "+name, back, column(newton.F, 0), 1e-6)
	}
}

// Outputs trained together are those trained alone, and each ends by itself.
func TestPrimalOutputsAreIndependent(t *testing.T) {
	in := noise(t, 90, 6, 1)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: true}
	together := in.cg(t, p, primal.Options{})
	for q := range 6 {
		alone := in
		alone.y = mat.NewDense(len(in.lab), 1, column(in.y, q))
		s := alone.cg(t, p, primal.Options{})
		if s.Iterations[0] != together.Iterations[q] || s.Status[0] != together.Status[q] {
			t.Errorf("output %d: %d steps, %v; alone %d, %v", q, together.Iterations[q], together.Status[q], s.Iterations[0], s.Status[0])
		}
		wantClose(t, "output", column(together.F, q), column(s.F, 0), 1e-8)
	}
}

// hazy draws two moons in the first two of d columns, with normal noise in all; 50 rows
// are labelled.
func hazy(t testing.TB, n, d int, sigma float64) instance {
	rng := rand.New(rand.NewPCG(1, 2))
	a := mat.NewDense(n, d, nil)
	for i := range n {
		r := a.RawRowView(i)
		for j := range r {
			r[j] = 0.1 * rng.NormFloat64()
		}
		s, c := math.Sincos(math.Pi * rng.Float64())
		if i%2 == 0 {
			r[0], r[1] = r[0]+c, r[1]+s
		} else {
			r[0], r[1] = r[0]+1-c, r[1]+0.5-s
		}
	}
	y := mat.NewDense(50, 1, nil)
	lab := make([]int, 50)
	for i := range lab {
		lab[i] = i*(n/50) + i%2
		y.Set(i, 0, float64(1-2*(lab[i]%2)))
	}
	return newInstance(t, data.Rows{Dense: a}, sigma, 10, lab, y)
}

func TestPrimalDecidesAsNewton(t *testing.T) {
	const n = 1000
	in := hazy(t, n, 10, 0.7)
	for _, ratio := range []float64{1, 100} {
		p := primal.Machine{Ambient: 1e-3, Intrinsic: 1e-3 * ratio, Bias: true}
		newton, s := in.newton(t, p), in.cg(t, p, primal.Options{})
		other := 0
		for i := range n {
			if (s.F.At(i, 0) > 0) != (newton.F.At(i, 0) > 0) {
				other++
			}
		}
		if other > n/1000 {
			t.Errorf("ratio %g: %d decisions of %d differ after %d steps, %v", ratio, other, n, s.Iterations[0], s.Status[0])
		}
	}
}

func BenchmarkPrimal(b *testing.B) {
	in := hazy(b, 2000, 10, 0.7)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.1, Bias: true}
	b.Run("newton", func(b *testing.B) {
		for b.Loop() {
			in.newton(b, p)
		}
	})
	for name, o := range map[string]primal.Options{"decided": {}, "exact": {Exact: true}, "plain": {Landmarks: -1}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				in.cg(b, p, o)
			}
		})
	}
}

// cancelling ends the context at its product number `after`.
type cancelling struct {
	primal.Product
	after  int
	cancel context.CancelFunc
}

func (p *cancelling) MulTo(ctx context.Context, dst, x *mat.Dense) error {
	if p.after--; p.after < 0 {
		p.cancel()
		return ctx.Err()
	}
	return p.Product.MulTo(ctx, dst, x)
}

func TestPrimalCancelled(t *testing.T) {
	in := noise(t, 150, 2, 0.7)
	p := primal.Machine{Ambient: 1e-4, Intrinsic: 0.01, Bias: true}
	last := math.Inf(1)
	for _, after := range []int{1, 5, 10} {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := p.CG(ctx, &cancelling{primal.DenseProduct(in.k), after, cancel}, in.r, in.lab, in.y, plainCG(exact))
		if !errors.Is(err, context.Canceled) || s == nil {
			t.Fatalf("result %v, error %v", s, err)
		}
		if s.Products != after || s.Iterations[0] != after || s.Status[0] != primal.Unfinished {
			t.Errorf("%d products, %d steps, %v; want %d, %d, unfinished", s.Products, s.Iterations[0], s.Status[0], after, after)
		}
		var f mat.Dense
		f.Mul(in.k, s.Alpha)
		for q := range 2 {
			for i := range in.x.Len() {
				near(t, "output", f.At(i, q)+s.B[q], s.F.At(i, q), 1e-10)
			}
		}
		j, _, _ := in.objective(p, learn.SquaredHinge(), 0, column(s.Alpha, 0), s.B[0])
		near(t, "objective", s.Objective[0], j, 1e-10)
		if !(j < last) {
			t.Errorf("objective %g after %d products, %g before", j, after, last)
		}
		last = j
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Newton(gone, in.k, in.r, in.lab, in.y); !errors.Is(err, context.Canceled) {
		t.Errorf("Newton: %v", err)
	}
	if _, err := p.CG(gone, primal.DenseProduct(in.k), in.r, in.lab, in.y, primal.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("CG: %v", err)
	}
}

func TestProductsAgree(t *testing.T) {
	ctx := context.Background()
	x := cloud(1100, 4, 9) // more than a panel
	g := bind(t, kernel.Gaussian{Sigma: 2}, x)
	want, err := primal.StoredProduct(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	half, err := primal.SingleProduct(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for _, c := range []int{1, 3, 7} {
		v := mat.NewDense(1100, c, nil)
		for i := range 1100 {
			for q := range c {
				v.Set(i, q, rng.NormFloat64()*math.Pow(10, float64(10*q)))
			}
		}
		a, b := mat.NewDense(1100, c, nil), mat.NewDense(1100, c, nil)
		if err := want.MulTo(ctx, a, v); err != nil {
			t.Fatal(err)
		}
		var full mat.Dense
		full.Mul(block(g, nil, nil), v)
		for q := range c {
			wantClose(t, "stored", column(a, q), column(&full, q), 1e-13)
		}
		for name, p := range map[string]primal.Product{"single": half, "panels": primal.PanelProduct(g)} {
			if err := p.MulTo(ctx, b, v); err != nil {
				t.Fatal(err)
			}
			for q := range c {
				wantClose(t, fmt.Sprintf("%s, column %d of %d", name, q, c), column(b, q), column(a, q), 5e-6)
			}
			k1, k2 := mat.NewDense(2, 3, nil), mat.NewDense(2, 3, nil)
			p.Block(k1, []int{4, 1}, []int{7, 8, 4})
			want.Block(k2, []int{4, 1}, []int{7, 8, 4})
			wantClose(t, name+" block", k1.RawMatrix().Data, k2.RawMatrix().Data, 1e-12)
		}
	}
	for memory, want := range map[int64]string{0: "*primal.single", 4 * 1100 * 1100: "*primal.single", 1: "primal.panels"} {
		p, err := primal.NewProduct(ctx, g, memory)
		if err != nil || fmt.Sprintf("%T", p) != want {
			t.Errorf("%d bytes: %T, %v; want %s", memory, p, err, want)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := primal.PanelProduct(g).MulTo(gone, mat.NewDense(1100, 1, nil), mat.NewDense(1100, 1, nil)); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("panels: %v", err)
	}
}

// Without the matrix in memory the machine is the same to single precision.
func TestPrimalMatrixFree(t *testing.T) {
	in := noise(t, 1100, 1, 1)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: true}
	want := in.cg(t, p, primal.Options{Exact: true})
	got, err := p.CG(context.Background(), primal.PanelProduct(in.g), in.r, in.lab, in.y, primal.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status[0] != primal.Converged {
		t.Errorf("%v after %d steps", got.Status[0], got.Iterations[0])
	}
	wantClose(t, "outputs", column(got.F, 0), column(want.F, 0), 1e-3)
	var f mat.Dense
	f.Mul(in.k, got.Alpha)
	for i := range 1100 {
		near(t, "outputs of the coefficients", f.At(i, 0)+got.B[0], got.F.At(i, 0), 1e-4)
	}
}

func TestPrimalThreads(t *testing.T) {
	in := noise(t, 1100, 2, 1)
	p := primal.Machine{Ambient: 1e-3, Intrinsic: 0.01, Bias: true}
	run := func(threads int) *primal.Result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		s, err := p.CG(context.Background(), primal.PanelProduct(in.g), in.r, in.lab, in.y, primal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if a, b := run(1), run(2); !mat.Equal(a.Alpha, b.Alpha) || !mat.Equal(a.F, b.F) {
		t.Error("the result depends on the number of threads")
	}
}

func TestPrimalFaults(t *testing.T) {
	in := noise(t, 30, 1, 1)
	ctx := context.Background()
	for want, change := range map[string]func(p *primal.Machine, y *mat.Dense){
		"gamma_A = 0":              func(p *primal.Machine, _ *mat.Dense) { p.Ambient = 0 },
		"intrinsic weight -1":      func(p *primal.Machine, _ *mat.Dense) { p.Intrinsic = -1 },
		"no derivative everywhere": func(p *primal.Machine, _ *mat.Dense) { p.Loss = learn.Hinge() },
		"target NaN":               func(_ *primal.Machine, y *mat.Dense) { y.Set(2, 0, math.NaN()) },
		"is for -1 and +1":         func(_ *primal.Machine, y *mat.Dense) { y.Set(2, 0, 2) },
	} {
		p, y := primal.Machine{Ambient: 1, Intrinsic: 1}, mat.DenseCopyOf(in.y)
		change(&p, y)
		_, e1 := p.Newton(ctx, in.k, in.r, in.lab, y)
		_, e2 := p.CG(ctx, primal.DenseProduct(in.k), in.r, in.lab, y, primal.Options{})
		for _, err := range []error{e1, e2} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v; want %q", err, want)
			}
		}
	}
	if s := primal.Status(99).String(); s != "Status(99)" {
		t.Error(s)
	}
}

// Degenerate problems end with an answer: one row, one class, equal rows, no residual.
func TestPrimalDegenerate(t *testing.T) {
	same := mat.NewDense(12, 2, nil)
	for i := range 6 {
		same.SetRow(i, []float64{1, 2})
	}
	one := newInstance(t, data.Rows{Dense: same}, 1, 3, []int{0, 1, 2}, mat.NewDense(3, 1, []float64{1, 1, 1}))
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.HuberHinge(0), learn.Logistic(), learn.Square()} {
		p := primal.Machine{Loss: v, Ambient: 1e-3, Intrinsic: 1, Bias: true}
		for name, s := range map[string]*primal.Result{"newton": one.newton(t, p), "cg": one.cg(t, p, primal.Options{}),
			"plain": one.cg(t, p, primal.Options{Landmarks: -1})} {
			for i, f := range column(s.F, 0) {
				if !(f > 0) {
					t.Errorf("%s %s: output %g of row %d", v.Name(), name, f, i)
				}
			}
		}
	}
	zero := one
	zero.y = mat.NewDense(3, 1, nil)
	if s := zero.cg(t, primal.Machine{Loss: learn.Square(), Ambient: 1}, primal.Options{}); s.Objective[0] != 0 ||
		s.Status[0] != primal.Converged {
		t.Errorf("targets 0: objective %g, %v", s.Objective[0], s.Status[0])
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// cloud draws n points in d dimensions.
func cloud(n, d int, seed uint64) data.Rows {
	rng := rand.New(rand.NewPCG(seed, 3))
	a := mat.NewDense(n, d, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	return data.Rows{Dense: a}
}

// eight are the points of golden values G1 of the manifold regularisation
// notation: two labelled, union 2-NN graph, binary weights, two components.
func eight() data.Rows {
	return data.Rows{Dense: mat.NewDense(8, 2, []float64{0, 0, 2, 1, .5, .2, 1.1, .1, 2.4, .7, 1.6, 1.3, .3, .9, 2.9, 1.4})}
}

func bind(t *testing.T, w kernel.Kernel, x data.Rows) kernel.Gram {
	t.Helper()
	g, err := w.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func block(g kernel.Gram, i, j []int) *mat.Dense {
	m, n := len(i), len(j)
	if i == nil {
		m = g.Len()
	}
	if j == nil {
		n = g.Len()
	}
	b := mat.NewDense(m, n, nil)
	g.Block(b, i, j)
	return b
}
