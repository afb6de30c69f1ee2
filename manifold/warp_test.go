package manifold_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func rows(x ...[]float64) data.Rows {
	a := mat.NewDense(len(x), len(x[0]), nil)
	for i, r := range x {
		a.SetRow(i, r)
	}
	return data.Rows{Dense: a}
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

// eight are the points of golden values G1 of the manifold regularisation
// notation: two labelled, union 2-NN graph, binary weights, two components.
func eight() data.Rows {
	return rows([]float64{0, 0}, []float64{2, 1}, []float64{.5, .2}, []float64{1.1, .1},
		[]float64{2.4, .7}, []float64{1.6, 1.3}, []float64{.3, .9}, []float64{2.9, 1.4})
}

func warp(ratio, sigma float64, k, degree int) manifold.Warp {
	return manifold.Warp{
		Base:  kernel.Gaussian{Sigma: sigma},
		Norm:  manifold.Graph{Recipe: graph.Recipe{Neighbours: k, Degree: degree}},
		Ratio: ratio,
	}
}

func TestGoldenWarpedKernel(t *testing.T) {
	const gammaA, gammaI, n = 0.01, 1.0, 8.0
	ratio := gammaI / (gammaA * n * n)
	g := bind(t, warp(ratio, 1, 2, 1), eight())
	k := block(g, nil, nil)
	for j, want := range []float64{0.927064784278, 0.140694771588, 0.865354138835, 0.613113366261,
		0.116873348438, 0.155741589101, 0.656734978111, 0.063104008561} {
		near(t, "K~ row 0", k.At(0, j), want, 1e-11)
	}
	k2 := block(bind(t, warp(ratio, 1, 2, 2), eight()), nil, nil)
	for j, want := range []float64{0.91058254284, 0.15694218574, 0.865986983025} {
		near(t, "K~ row 0, degree 2", k2.At(0, j), want, 1e-10)
	}
	// Laplacian RLS: RLS with the warped kernel, lambda = l gamma_A.
	lab := []int{0, 1}
	p, err := rls.NewPath(context.Background(), block(g, lab, lab), mat.NewDense(2, 1, []float64{1, -1}), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.At(2 * gammaA)
	if err != nil {
		t.Fatal(err)
	}
	e, err := g.Expand(f.Alpha, lab)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.783978141891, -1.240667929799, -0.181312208436, 0.55733770715,
		-0.041254578019, -0.011322470873, 0.235469020295, -0.018810989328} {
		near(t, "alpha", e[0].Coef.At(i, 0), want, 1e-10)
	}
	var out mat.Dense
	out.Mul(block(g, nil, lab), f.Alpha)
	for i, want := range []float64{0.975000201685, -0.973869472499, 0.838344410282, 0.383598705281,
		-0.922455221333, -0.766924933063, 0.589594664869, -0.762132281252} {
		near(t, "f", out.At(i, 0), want, 1e-10)
	}
	cross := mat.NewDense(1, 2, nil)
	if err := g.Cross(cross, rows([]float64{1, .6}), lab); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	out.Mul(cross, f.Alpha)
	near(t, "f(1.0, 0.6)", out.At(0, 0), 0.19535676089, 1e-10)
}

// cloud draws n points in d dimensions.
func cloud(n, d int, seed uint64) data.Rows {
	rng := rand.New(rand.NewPCG(seed, 3))
	a := mat.NewDense(n, d, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	return data.Rows{Dense: a}
}

func TestWarpedKernelConforms(t *testing.T) {
	heat := warp(30, 1.3, 4, 2)
	heat.Norm = manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Degree: 2, Weights: graph.Heat, Width: 1.5}}
	comb := warp(3, 0.8, 3, 1)
	comb.Norm = manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Laplacian: graph.Combinatorial}}
	ard := warp(10, 1, 3, 3)
	ard.Base = kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}
	sum := warp(10, 1, 3, 1)
	sum.Base = kernel.Sum{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Scaled{Weight: 0.3, Base: kernel.Linear{}}}}
	for name, w := range map[string]manifold.Warp{"plain": warp(100, 1, 3, 1), "heat": heat, "combinatorial": comb, "ard": ard,
		"sum": sum} {
		t.Run(name, func(t *testing.T) { kerneltest.Run(t, w, cloud(24, 3, 5)) })
	}
}

// Values on the training rows must be the columns times alpha, whatever the columns.
func TestValuesAreColumnsTimesAlpha(t *testing.T) {
	x := cloud(20, 3, 5)
	g := bind(t, warp(30, 1, 4, 2), x)
	for _, j := range [][]int{nil, {3, 0, 17}} {
		cols := block(g, nil, j)
		_, m := cols.Dims()
		alpha := mat.NewDense(m, 2, nil)
		alpha.Apply(func(i, k int, _ float64) float64 { return math.Sin(float64(3*i + k)) }, alpha)
		var want mat.Dense
		want.Mul(cols, alpha)
		got := mat.NewDense(20, 2, nil)
		g.(interface {
			Values(dst, alpha *mat.Dense, j []int)
		}).Values(got, alpha, j)
		for i := range 20 {
			for k := range 2 {
				near(t, "value", got.At(i, k), want.At(i, k), 1e-12)
			}
		}
	}
}

// featureForm computes K~ = C (I + C'MC)^-1 C' with K = CC' by eigenvectors:
// symmetric throughout, and exact where K is singular.
func featureForm(k, r *mat.Dense, ratio float64) *mat.Dense {
	n, _ := k.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			s.SetSym(i, j, k.At(i, j))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, true) {
		panic("eigenvalues")
	}
	w := eig.Values(nil)
	var v, c, cmc, inv, out mat.Dense
	eig.VectorsTo(&v)
	root := mat.NewDense(n, n, nil)
	for i := range n {
		root.Set(i, i, math.Sqrt(max(w[i], 0)))
	}
	c.Mul(&v, root)
	cmc.Mul(r, &c)
	cmc.Mul(c.T(), mat.DenseCopyOf(&cmc))
	cmc.Scale(ratio, &cmc)
	for i := range n {
		cmc.Set(i, i, cmc.At(i, i)+1)
	}
	if err := inv.Inverse(&cmc); err != nil {
		_ = err // only the condition number; the agreement below judges
	}
	out.Mul(&c, &inv)
	out.Mul(mat.DenseCopyOf(&out), c.T())
	return &out
}

func TestStableWhenKIsSingular(t *testing.T) {
	x := cloud(60, 2, 9)
	for i := range 10 { // duplicate rows: K has rank 50 at most
		x.Dense.SetRow(50+i, x.Dense.RawRowView(i))
	}
	for _, sigma := range []float64{0.05, 1, 20} {
		for _, ratio := range []float64{1, 1e4, 1e8} {
			w := warp(ratio, sigma, 6, 2)
			op, err := w.Norm.Bind(context.Background(), x, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, id := mat.NewDense(60, 60, nil), mat.NewDense(60, 60, nil)
			for i := range 60 {
				id.Set(i, i, 1)
			}
			op.MulTo(r, id)
			want := featureForm(block(bind(t, w.Base, x), nil, nil), r, ratio)
			got := block(bind(t, w, x), nil, nil)
			var d mat.Dense
			d.Sub(got, want)
			// I + M K has condition number up to ratio ||K||, and ||K|| <= 60.
			tol := 1e-10 + 1e-15*ratio*60
			if e := mat.Norm(&d, math.Inf(1)) / mat.Norm(want, math.Inf(1)); !(e < tol) {
				t.Errorf("sigma %g ratio %g: relative difference %.2g from the symmetric form", sigma, ratio, e)
			}
		}
	}
}

func TestWarpBounds(t *testing.T) {
	x := cloud(30, 2, 4)
	k, kt := block(bind(t, kernel.Gaussian{Sigma: 1}, x), nil, nil), block(bind(t, warp(5, 1, 4, 1), x), nil, nil)
	for name, m := range map[string]func(i, j int) float64{
		"K~":     kt.At,
		"K - K~": func(i, j int) float64 { return k.At(i, j) - kt.At(i, j) },
	} {
		s := mat.NewSymDense(30, nil)
		for i := range 30 {
			for j := range 30 {
				s.SetSym(i, j, m(i, j))
			}
		}
		var eig mat.EigenSym
		eig.Factorize(s, false)
		if low := eig.Values(nil)[0]; low < -1e-10 {
			t.Errorf("%s has eigenvalue %g", name, low)
		}
	}
	if got := block(bind(t, warp(0, 1, 4, 1), x), nil, nil); !mat.Equal(got, k) {
		t.Error("ratio 0 is not the base kernel")
	}
}

// The toy sets of the notation whose errors are known exactly.
func TestMoonsAndCircles(t *testing.T) {
	moons, y := toy(t, "moons-det:n=200")
	circles, yc := toy(t, "circles-det:n=300")
	for _, c := range []struct {
		name        string
		x           data.Rows
		y           []float64
		pairs       [][2]int
		sigma       float64
		ratio       float64
		lambda      float64
		errors      []float64 // %
		tolerancePC float64
	}{
		{"moons, supervised", moons, y, moonPairs, .25, 0, 2e-3, []float64{63.1, 17.2, 34.3, 26.3, 32.8}, .3},
		{"moons, ratio 100", moons, y, moonPairs, .25, 100, 2e-3, []float64{0, 0, 0, 0, 0}, 0},
		{"moons, ratio 1e4", moons, y, moonPairs, .5, 1e4, 2e-3, []float64{0, 0, 0, 0, 0}, 0},
		{"moons, wide", moons, y, moonPairs, 1, 1e4, 2e-3, []float64{0, 3.0, 0, 0, 0}, .3},
		{"circles, supervised", circles, yc, circlePairs, .25, 0, 2e-3, []float64{38.6, 46.0, 45.6}, .3},
		{"circles, ratio 100", circles, yc, circlePairs, .5, 100, 2e-3, []float64{0, 0, 0}, 0},
		{"circles, ratio 1e4", circles, yc, circlePairs, 1, 1e4, 2e-3, []float64{0, 0, 0}, 0},
	} {
		g := bind(t, warp(c.ratio, c.sigma, 6, 1), c.x)
		for q, pair := range c.pairs {
			lab := pair[:]
			p, err := rls.NewPath(context.Background(), block(g, lab, lab), mat.NewDense(2, 1, []float64{1, -1}), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			f, err := p.At(c.lambda)
			if err != nil {
				t.Fatal(err)
			}
			var out mat.Dense
			out.Mul(block(g, nil, lab), f.Alpha)
			wrong := 0.0
			for i, v := range c.y {
				if (out.At(i, 0) >= 0) != (v > 0) {
					wrong++
				}
			}
			if got := 100 * wrong / float64(len(c.y)-2); math.Abs(got-c.errors[q]) > c.tolerancePC {
				t.Errorf("%s, labels %v: %.1f %% wrong, want %.1f", c.name, pair, got, c.errors[q])
			}
		}
	}
}

var (
	moonPairs   = [][2]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}}
	circlePairs = [][2]int{{0, 150}, {0, 225}, {10, 260}}
)

// toy returns a built-in set of two classes, 1 and -1.
func toy(t *testing.T, spec string) (data.Rows, []float64) {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, set.Rows.Len())
	for i, a := range set.Answers {
		y[i] = -1
		if a == "1" {
			y[i] = 1
		}
	}
	return set.Rows, y
}

// opaque hides what kind of operator a norm has, which leaves the LU factorisation.
type opaque struct{ manifold.Norm }

func (o opaque) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (graph.Operator, error) {
	r, err := o.Norm.Bind(ctx, rows, w)
	return struct{ graph.Operator }{r}, err
}

// An even power of the Laplacian is factored by Cholesky, any operator by LU; both
// must give the same kernel, more panels wide than one, and where the base kernel
// is indefinite the first must give way to the second.
func TestCholeskyEqualsLU(t *testing.T) {
	x := cloud(300, 3, 9)
	for name, base := range map[string]kernel.Kernel{
		"gaussian":   kernel.Gaussian{Sigma: 1},
		"indefinite": kernel.Sigmoid{Scale: 1, Offset: -1},
	} {
		for _, degree := range []int{2, 4} {
			w := warp(1e4, 1, 5, degree)
			w.Base = base
			if name == "indefinite" {
				w.Ratio = 3
			}
			j := []int{7, 0, 211}
			got := block(bind(t, w, x), nil, j)
			w.Norm = opaque{w.Norm}
			want := block(bind(t, w, x), nil, j)
			for i := range 300 {
				for q := range j {
					near(t, name, got.At(i, q), want.At(i, q), 1e-9)
				}
			}
		}
	}
}

// results are what a warped kernel gives: a block, derivatives, outputs and an expansion, one after another.
func results(ctx context.Context, g kernel.Gram, params int, lab []int) ([]float64, error) {
	l := len(lab)
	alpha, bar := mat.NewDense(l, 1, nil), mat.NewDense(l, l, nil)
	alpha.Apply(func(i, _ int, _ float64) float64 { return float64(i*i - 3) }, alpha)
	bar.Apply(func(i, j int, _ float64) float64 { return float64(i - 2*j) }, bar)
	block, out := mat.NewDense(l, l, nil), mat.NewDense(g.Len(), 1, nil)
	if err := kernel.Fill(ctx, block, g, lab, lab); err != nil {
		return nil, err
	}
	grad := make([]float64, params)
	if err := kernel.PullWithin(ctx, g, grad, kernel.Cotangent{I: lab, J: lab, D: bar}); err != nil {
		return nil, err
	}
	m := learn.Machine{Rows: lab, Coef: alpha}
	if err := m.Evaluate(ctx, out, g, nil); err != nil {
		return nil, err
	}
	part, err := kernel.Within(ctx, g).Expand(alpha, lab)
	if err != nil {
		return nil, err
	}
	return slices.Concat(block.RawMatrix().Data, grad, out.RawMatrix().Data, part[0].Coef.RawMatrix().Data), nil
}

// A view of a warped kernel within a context does what the kernel does, keeps nothing that was cut off, and
// says that it was.
func TestWarpedWithin(t *testing.T) {
	set, err := data.Builtin("two-moons:n=40,noise=0.1,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	lab := []int{1, 4, 7, 9, 22}
	for name, w := range map[string]manifold.Warp{
		"power": {Base: kernel.Gaussian{Sigma: 0.5}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 2}}, Ratio: 50},
		"root":  {Base: kernel.Gaussian{Sigma: 0.5}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 3}}, Ratio: 1e8},
		"lu":    {Base: kernel.Gaussian{Sigma: 0.5}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 1}}, Ratio: 1},
	} {
		all := func(ctx context.Context, g kernel.Gram) ([]float64, error) {
			return results(ctx, g, len(w.Space()), lab)
		}
		bind := func(ctx context.Context) (kernel.Gram, error) { return w.Bind(ctx, set.Rows, nil) }
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := bind(ctx); return err })
		g, err := bind(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := all(over, g); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, the error is %v", name, err)
		}
		stoptest.Everywhere(t, func(ctx context.Context) error {
			fresh, err := bind(t.Context())
			if err != nil {
				return err
			}
			_, err = all(ctx, fresh)
			return err
		}, "learn.(*Machine).Evaluate", "learn.(*Machine).evaluate", "kernel.Fill", "kernel.PullWithin", "manifold.(*warped).stopped")
		// The kernel that was cut off is as good as a new one.
		got, err := all(t.Context(), g)
		if err != nil {
			t.Fatal(name, err)
		}
		fresh, err := bind(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		want := mat.NewDense(len(lab), len(lab), nil)
		fresh.Block(want, lab, lab)
		if !slices.Equal(got[:len(lab)*len(lab)], want.RawMatrix().Data) {
			t.Errorf("%s: a view gives another block", name)
		}
		again, err := all(t.Context(), fresh)
		if err != nil || !slices.Equal(got, again) {
			t.Errorf("%s: what was cut off changes the results, %v", name, err)
		}
	}
}

// The ratio 0 is the base kernel, with the derivative by the ratio that it has there: values and derivatives go on from those of
// small ratios.
func TestRatioZero(t *testing.T) {
	x := cloud(24, 3, 5)
	for _, norm := range []manifold.Norm{warp(0, 1, 3, 1).Norm,
		manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Degree: 2, Weights: graph.Heat, Width: 1.5}}} {
		zero, small := warp(0, 1.3, 4, 1), warp(1e-7, 1.3, 4, 1)
		zero.Norm, small.Norm = norm, norm
		a, b := bind(t, zero, x), bind(t, small, x)
		if !mat.EqualApprox(block(a, nil, nil), block(b, nil, nil), 1e-5) {
			t.Error("the kernel of the ratio 0 is not the limit")
		}
		u, v := cloud(5, 2, 1).Dense, cloud(7, 2, 2).Dense
		bar := kernel.Cotangent{I: []int{0, 3, 9, 11, 20}, J: []int{1, 2, 3, 4, 5, 6, 7}, U: u, V: v, D: cloud(5, 7, 3).Dense}
		ga, gb := make([]float64, len(zero.Space())), make([]float64, len(zero.Space()))
		if err := errors.Join(kernel.Within(t.Context(), a).Pull(ga, bar), b.Pull(gb, bar)); err != nil {
			t.Fatal(err)
		}
		for k := range ga {
			if !(math.Abs(ga[k]-gb[k]) <= 1e-4*(1+math.Abs(gb[k]))) && !math.IsNaN(gb[k]) {
				t.Errorf("derivative %d is %g at 0, %g beside it", k, ga[k], gb[k])
			}
		}
	}
}

// A warped kernel that is bound and asked for all that it gives, values of new rows among it, is whole or an error wherever its context
// has ended; so is a reduced one that is moved to other weights.
func TestWholeOrStopped(t *testing.T) {
	x, fresh, lab := cloud(16, 3, 7), cloud(3, 3, 8), []int{1, 4, 7, 9}
	for name, k := range map[string]kernel.Kernel{
		"power": warp(50, 0.5, 4, 2), "root": warp(1e8, 0.5, 4, 3), "lu": warp(1, 0.5, 4, 1), "ratio 0": warp(0, 0.5, 4, 1),
		"landmarks": reducedOf(warp(10, 0.5, 4, 2), []int{0, 3, 8, 12}),
	} {
		t.Run(name, func(t *testing.T) {
			stoptest.Whole(t, slices.Equal[[]float64], func(ctx context.Context) ([]float64, error) {
				g, err := k.Bind(ctx, x, nil)
				if err != nil {
					return nil, err
				}
				all, err := results(ctx, g, len(k.Space()), lab)
				if err != nil {
					return nil, err
				}
				cross := mat.NewDense(3, 16, nil)
				if err := kernel.Within(ctx, g).Cross(cross, fresh, nil); err != nil {
					return nil, err
				}
				return append(all, cross.RawMatrix().Data...), nil
			})
		})
	}
	norm := manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 5}, []int{1, 2})}
	w := manifold.Reduced{Base: kernel.Gaussian{Sigma: 1}, Norm: norm, Ratio: 3, Rows: []int{0, 3, 8, 12}}
	moved := w
	norm.Mu = []float64{0.4, 0.1, 0.2, 0.3}
	moved.Norm = norm
	t.Run("other weights", func(t *testing.T) {
		stoptest.Whole(t, slices.Equal[[]float64], func(ctx context.Context) ([]float64, error) {
			parts, err := w.Parts(ctx, x, nil)
			if err != nil {
				return nil, err
			}
			to, err := moved.Norm.Bind(ctx, x, nil)
			if err != nil {
				return nil, err
			}
			if err := parts.Reweigh(ctx, to.(*graph.Combination)); err != nil {
				return nil, err
			}
			g, err := parts.Warp(ctx, moved)
			if err != nil {
				return nil, err
			}
			return block(g, lab, lab).RawMatrix().Data, nil
		})
	})
}
