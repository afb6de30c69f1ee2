package multiview_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
)

// golden are twelve things in two views, four of them labelled (the specification's G12).
func golden() (x data.Rows, views [][]int, p *learn.Problem) {
	d := mat.NewDense(12, 4, nil)
	for r := range 12 {
		i := float64(r + 1)
		d.SetRow(r, []float64{math.Sin(i), math.Cos(i / 2), math.Cos(1.3 * i), math.Sin(0.7 * i)})
	}
	x = data.Rows{Dense: d}
	return x, [][]int{{0, 1}, {2, 3}}, &learn.Problem{
		Rows: x, Task: data.Regression, Labelled: []int{0, 1, 2, 3}, Y: mat.NewDense(4, 1, []float64{1, -1, 1, -1}),
	}
}

// coRLS solves co-regularised least squares through the coupled kernel and returns the outputs of
// every stacked row. gamma is the weight of each norm and then that of the coupling.
func coRLS(t *testing.T, k multiview.Coupled, s *multiview.Stacked, p *learn.Problem, mu, gamma []float64) *mat.Dense {
	t.Helper()
	l, q := float64(len(p.Labelled)), len(k.Kernels)
	k.Kernels = slices.Clone(k.Kernels)
	for v := range k.Kernels { // the ridge is l
		k.Kernels[v] = kernel.Scaled{Weight: 1 / gamma[v], Base: k.Kernels[v]}
	}
	k.Coupling = gamma[q]
	g := bind(t, k, s.Rows)
	on := s.Problem(p, mu)
	b := mat.NewDense(len(on.Labelled), len(on.Labelled), nil)
	g.Block(b, on.Labelled, on.Labelled)
	for i, w := range on.Weight {
		b.Set(i, i, b.At(i, i)+l/w)
	}
	var c mat.Dense
	if err := c.Solve(b, on.Y); err != nil {
		t.Fatal(err)
	}
	all := mat.NewDense(g.Len(), len(on.Labelled), nil)
	g.Block(all, nil, on.Labelled)
	var f mat.Dense
	f.Mul(all, &c)
	return &f
}

// system solves the specification's linear system of V n unknowns and returns the outputs of
// every description.
func system(t *testing.T, kernels []*mat.Dense, y []float64, mu, gamma []float64) []*mat.Dense {
	t.Helper()
	q := len(kernels)
	n, _ := kernels[0].Dims()
	l := 0.0
	for _, v := range y {
		if v != 0 {
			l++
		}
	}
	c := gamma[q] / float64(n)
	a, b := mat.NewDense(q*n, q*n, nil), mat.NewDense(q*n, 1, nil)
	for s := range q {
		for i := range n {
			for j := range n {
				k := kernels[s].At(i, j) * c * float64(q-1)
				if y[i] != 0 {
					k += mu[s] / l * kernels[s].At(i, j)
				}
				if i == j {
					k += gamma[s]
				}
				a.Set(s*n+i, s*n+j, k)
				for o := range q {
					if o != s {
						a.Set(s*n+i, o*n+j, -c*kernels[o].At(i, j))
					}
				}
			}
			b.Set(s*n+i, 0, mu[s]/l*y[i])
		}
	}
	var alpha mat.Dense
	if err := alpha.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	out := make([]*mat.Dense, q)
	for s := range q {
		out[s] = new(mat.Dense)
		out[s].Mul(kernels[s], alpha.Slice(s*n, (s+1)*n, 0, 1))
	}
	return out
}

func bind(t *testing.T, k kernel.Kernel, x data.Rows) kernel.Gram {
	t.Helper()
	g, err := k.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func block(g kernel.Gram) *mat.Dense {
	b := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(b, nil, nil)
	return b
}

func two(coupling float64) multiview.Coupled {
	return multiview.Coupled{
		Names: []string{"a", "b"}, Coupling: coupling, Kernels: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Gaussian{Sigma: 1}},
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12g, expected %.12g", what, got, want)
	}
}

// The golden values of the specification, to their ten digits.
func TestGolden(t *testing.T) {
	x, views, p := golden()
	s := multiview.Stack(x, views)
	f := coRLS(t, two(1), s, p, []float64{1, 0.7}, []float64{0.05, 0.03, 2})
	for i, want := range []float64{.2390784137, -.0327350352, .2092310967, -.4449152631} {
		near(t, "f1", f.At(i, 0), want, 1e-10)
	}
	near(t, "f1[12]", f.At(11, 0), .3347195581, 1e-10)
	for i, want := range []float64{.1695685328, .0394568406, .1450412686, -.126245312} {
		near(t, "f2", f.At(12+i, 0), want, 1e-10)
	}
	near(t, "f2[12]", f.At(23, 0), .0471754419, 1e-10)

	orth := two(1)
	for v := range orth.Kernels {
		orth.Kernels[v] = multiview.Centred{Base: orth.Kernels[v]}
	}
	f = coRLS(t, orth, s, p, []float64{1, 0.7}, []float64{0.05, 0.03, 2})
	for i, want := range []float64{.2575882995, .0019066672, .2652324116, -.3748645156} {
		near(t, "orthogonal f1", f.At(i, 0), want, 1e-10)
	}
	for i, want := range []float64{.217139182, .088954997, .1997936118, -.0524825988} {
		near(t, "orthogonal f2", f.At(12+i, 0), want, 1e-10)
	}
}

// The joint Laplacian of both views' graphs warps the kernel of each (G12).
func TestGoldenJointLaplacian(t *testing.T) {
	x, views, p := golden()
	s := multiview.Stack(x, views)
	recipe := graph.Recipe{Neighbours: 3, Weights: graph.Binary, Laplacian: graph.Combinatorial, Degree: 1}
	var terms []manifold.Graph
	for v := range views {
		terms = append(terms, manifold.Graph{Recipe: recipe, First: 2 * v, Last: 2*v + 2})
	}
	k := two(0)
	k.Norm, k.Ratio = manifold.Combined{Terms: terms, Fixed: true}, 0.02/0.05
	g := bind(t, k, s.Rows)
	lab := []int{0, 1, 2, 3}
	b := mat.NewDense(4, 4, nil)
	g.Block(b, lab, lab)
	fit, err := rls.Solve(t.Context(), b, p.Y, nil, false, 4*0.05)
	if err != nil {
		t.Fatal(err)
	}
	f := mat.NewDense(24, 1, nil)
	machine := learn.Machine{Rows: lab, Coef: fit.Alpha}
	if err := machine.Evaluate(t.Context(), f, g, nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.2389471197, -.0022613856, .2958457427, -.4729054925} {
		near(t, "f", f.At(i, 0), want, 1e-10)
	}
	near(t, "f[12]", f.At(11, 0), .3192716205, 1e-10)
}

// cloud is n things in views of two columns each.
func cloud(n, views int, seed uint64) (data.Rows, [][]int) {
	r := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(n, 2*views, nil)
	var list [][]int
	for v := range views {
		list = append(list, []int{2 * v, 2*v + 1})
	}
	for i := range n {
		for j := range 2 * views {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return data.Rows{Dense: x}, list
}

func several(q int, coupling float64) multiview.Coupled {
	k := multiview.Coupled{Coupling: coupling}
	for v := range q {
		k.Names = append(k.Names, string(rune('a'+v)))
		k.Kernels = append(k.Kernels, kernel.Gaussian{Sigma: 0.8 + 0.3*float64(v)})
	}
	return k
}

// The coupled kernel solves the system of V n unknowns, for two views, three and four.
func TestSystem(t *testing.T) {
	for q := 2; q <= 4; q++ {
		x, views := cloud(15, q, uint64(q))
		s, k := multiview.Stack(x, views), several(q, 1)
		y := make([]float64, 15)
		p := &learn.Problem{Rows: x, Task: data.Regression, Labelled: []int{1, 4, 5, 9, 12}, Y: mat.NewDense(5, 1, nil)}
		for a, i := range p.Labelled {
			y[i] = float64(2*(a%2) - 1)
			p.Y.Set(a, 0, y[i])
		}
		mu, gamma := []float64{1, 0.7, 1.2, 0.4}[:q], slices.Concat([]float64{0.05, 0.03, 0.1, 0.07}[:q], []float64{2})
		var grams []*mat.Dense
		for v, c := range views {
			grams = append(grams, block(bind(t, k.Kernels[v], x.SelectColumns(c))))
		}
		f := coRLS(t, k, s, p, mu, gamma)
		for v, want := range system(t, grams, y, mu, gamma) {
			for i := range 15 {
				near(t, "output", f.At(15*v+i, 0), want.At(i, 0), 1e-10)
			}
		}
	}
}

// slow is (K^-1 + c L)^-1 by its definition.
func slow(k *mat.Dense, s *multiview.Stacked, c float64) *mat.Dense {
	n := len(s.View)
	var g, in mat.Dense
	if err := g.Inverse(k); err != nil {
		panic(err)
	}
	for _, rows := range s.Copies {
		for _, a := range rows {
			for _, b := range rows {
				g.Set(a, b, g.At(a, b)-c)
			}
			g.Set(a, a, g.At(a, a)+c*float64(len(rows)))
		}
	}
	if err := in.Inverse(&g); err != nil {
		panic(err)
	}
	return in.Slice(0, n, 0, n).(*mat.Dense)
}

// lacking is cloud with things that lack views.
func lacking() (data.Rows, [][]int) {
	x, views := cloud(20, 3, 5)
	for i := range 20 {
		for v := range 3 {
			if (i%4 == 1 && v == 0) || (i%5 == 2 && v != 1) {
				x.Dense.Set(i, 2*v, math.NaN())
				x.Dense.Set(i, 2*v+1, math.NaN())
			}
		}
	}
	return x, views
}

// With views missing it is the kernel of its definition, the functions tied where both are.
func TestMissingViews(t *testing.T) {
	x, views := lacking()
	s := multiview.Stack(x, views)
	if len(s.View) != 60-5-8+1 { // thing 17 lacks view 0 for both reasons
		t.Fatalf("%d rows", len(s.View))
	}
	k := several(3, 0.9*20)
	got := block(bind(t, k, s.Rows))
	k.Coupling = 0
	want := slow(block(bind(t, k, s.Rows)), s, 0.9)
	if !mat.EqualApprox(got, want, 1e-10) {
		t.Error("the kernel is not (K^-1 + c L)^-1")
	}
}

// A coupling of zero leaves the views alone; without end it makes them agree on every thing.
func TestLimits(t *testing.T) {
	x, views, p := golden()
	s := multiview.Stack(x, views)
	f := coRLS(t, two(1), s, p, []float64{1, 0.7}, []float64{0.05, 0.03, 1e12})
	for i := range 12 {
		near(t, "a view", f.At(i, 0), f.At(12+i, 0), 1e-8)
	}
	k := two(0)
	g := block(bind(t, k, s.Rows))
	for v, c := range views {
		own := block(bind(t, k.Kernels[v], x.SelectColumns(c)))
		if !mat.Equal(own, g.Slice(12*v, 12*v+12, 12*v, 12*v+12)) {
			t.Error("a view without coupling is not its own kernel")
		}
	}
	if g.At(0, 13) != 0 {
		t.Error("views without coupling are not apart")
	}
}

// Views in another order, with what belongs to them, are the same functions.
func TestOrderOfViews(t *testing.T) {
	x, views, p := golden()
	f := coRLS(t, two(1), multiview.Stack(x, views), p, []float64{1, 0.7}, []float64{0.05, 0.03, 2})
	slices.Reverse(views)
	back := coRLS(t, two(1), multiview.Stack(x, views), p, []float64{0.7, 1}, []float64{0.03, 0.05, 2})
	for i := range 24 {
		near(t, "output", back.At((i+12)%24, 0), f.At(i, 0), 1e-12)
	}
}

func TestConformance(t *testing.T) {
	x, views := lacking()
	s := multiview.Stack(x, views)
	whole, wholeViews := cloud(9, 2, 3)
	joint := two(0.6)
	joint.Norm, joint.Ratio = manifold.Combined{Terms: []manifold.Graph{
		{Recipe: graph.Recipe{Neighbours: 3, Degree: 1}, First: 0, Last: 2},
		{Recipe: graph.Recipe{Neighbours: 2, Degree: 2}, First: 2, Last: 4},
	}, Mu: []float64{0.4, 0.6}}, 0.7
	separate := joint
	separate.Coupling = 0
	ard := several(3, 0.5)
	ard.Kernels[1] = kernel.Scaled{Weight: 0.4, Base: kernel.ARDGaussian{Sigma: []float64{1, 2}}}
	centred := several(3, 0.5)
	centred.Kernels[0] = multiview.Centred{Base: kernel.Gaussian{Sigma: 1}}
	centred.Kernels[2] = multiview.Centred{Base: kernel.Gaussian{Sigma: 1}, Double: true}
	for name, c := range map[string]struct {
		k kernel.Kernel
		x data.Rows
	}{
		"missing views": {ard, s.Rows},
		"joint":         {joint, multiview.Stack(whole, wholeViews).Rows},
		"not coupled":   {separate, multiview.Stack(whole, wholeViews).Rows},
		"orthogonal":    {centred, s.Rows},
	} {
		t.Run(name, func(t *testing.T) { kerneltest.Run(t, c.k, c.x) })
	}
}

// Sparse rows are stacked as dense ones.
func TestSparse(t *testing.T) {
	x, views := cloud(7, 3, 1)
	csr := data.Rows{Sparse: data.CSRFromDense(x.Dense)}
	a, b := multiview.Stack(x, views), multiview.Stack(csr, views)
	if !mat.Equal(a.Rows.Dense, b.Rows.Sparse.ToDense()) || !slices.Equal(a.View, b.View) {
		t.Error("sparse rows are stacked differently")
	}
}

// The co-regularisation kernel has the golden values of the specification, and keeps what kernels promise.
func TestSum(t *testing.T) {
	x, views, p := golden()
	c := two(3 * 12)
	c.Kernels[1] = kernel.Scaled{Weight: 1 / 1.5, Base: c.Kernels[1]}
	k := multiview.Sum{Coupled: c, Views: views}
	g := bind(t, k, x)
	full := block(g)
	near(t, "K(1,1)", full.At(0, 0), 1.1348279252, 1e-10)
	near(t, "K(1,2)", full.At(0, 1), .9699619388, 1e-10)
	near(t, "K(5,8)", full.At(4, 7), .4934572879, 1e-10)
	fit, err := rls.Solve(t.Context(), mat.DenseCopyOf(full.Slice(0, 4, 0, 4)), p.Y, nil, false, 4*0.1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.9859885708, -2.5283314624, 2.0529316427, -1.7554606202} {
		near(t, "a", fit.Alpha.At(i, 0), want, 1e-9)
	}
	list, err := g.Expand(fit.Alpha, p.Labelled)
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range []float64{.123920516, .0816840557} {
		e := list[v]
		at := mat.NewDense(1, e.Centres.Len(), nil)
		if err := bind(t, e.Kernel, e.Centres).Cross(at, x.Select([]int{0}), nil); err != nil {
			t.Fatal(err)
		}
		var f mat.Dense
		f.Mul(at, e.Coef)
		near(t, "part", f.At(0, 0), want, 1e-9)
	}
	t.Run("conformance", func(t *testing.T) {
		all, list := cloud(12, 3, 4)
		kerneltest.Run(t, multiview.Sum{Coupled: several(3, 0.7), Views: list}, all)
	})
}

// TestSemidefinite: kernels of several views are positive semi-definite if those of the views are, so that a negative eigenvalue, as of
// linear kernels with few columns, is rounding; kernels that are not make none that are.
func TestSemidefinite(t *testing.T) {
	x, views := cloud(9, 2, 3)
	for name, c := range map[string]struct {
		base kernel.Kernel
		want bool
	}{
		"linear":  {kernel.Linear{}, true},
		"sigmoid": {kernel.Sigmoid{Scale: 1, Offset: -1}, false},
	} {
		k := two(1)
		k.Kernels = []kernel.Kernel{c.base, c.base}
		for what, g := range map[string]kernel.Gram{
			"coupled": bind(t, k, multiview.Stack(x, views).Rows), "sum": bind(t, multiview.Sum{Coupled: k, Views: views}, x),
			"centred": bind(t, multiview.Centred{Base: kernel.Scaled{Weight: 1, Base: c.base}, Double: true}, x),
		} {
			if kernel.Semidefinite(g) != c.want {
				t.Errorf("%s of %s: semidefinite is %v", what, name, !c.want)
			}
		}
	}
}
