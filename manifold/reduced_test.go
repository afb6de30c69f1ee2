package manifold_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// some are k of n numbers, ascending.
func some(k, n int, seed uint64) []int {
	is := make([]bool, n)
	for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k] {
		is[i] = true
	}
	var idx []int
	for i, in := range is {
		if in {
			idx = append(idx, i)
		}
	}
	return idx
}

func reducedOf(w manifold.Warp, rows []int) manifold.Reduced {
	return manifold.Reduced{Base: w.Base, Norm: w.Norm, Ratio: w.Ratio, Rows: rows}
}

func agree(t *testing.T, what string, got, want *mat.Dense, tol float64) {
	t.Helper()
	var diff mat.Dense
	diff.Sub(got, want)
	if e, size := mat.Max(&diff)-mat.Min(&diff), mat.Norm(want, math.Inf(1)); !(e <= tol*(1+size)) {
		t.Errorf("%s: differs by %.3g", what, e)
	}
}

func TestReducedKernelConforms(t *testing.T) {
	heat := warp(30, 1.3, 4, 2)
	heat.Norm = manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Degree: 2, Weights: graph.Heat, Width: 1.5}}
	ard := warp(10, 1, 3, 3)
	ard.Base = kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}
	sum := warp(10, 1, 3, 1)
	sum.Base = kernel.Sum{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Scaled{Weight: 0.3, Base: kernel.Linear{}}}}
	x := cloud(24, 3, 5)
	for name, w := range map[string]manifold.Warp{"plain": warp(100, 1, 3, 1), "heat": heat, "ard": ard, "sum": sum} {
		t.Run(name, func(t *testing.T) { kerneltest.Run(t, reducedOf(w, some(10, 24, 2)), x) })
	}
	t.Run("cotangents of low rank", func(t *testing.T) { kerneltest.Run(t, reducedOf(heat, some(16, 24, 2)), x) })
	t.Run("without a norm", func(t *testing.T) {
		kerneltest.Run(t, manifold.Reduced{Base: kernel.Gaussian{Sigma: 1}, Rows: some(10, 24, 2)}, x)
	})
	t.Run("means", func(t *testing.T) {
		k, err := manifold.Reduced{
			Base:      heat.Base,
			Norm:      heat.Norm,
			Ratio:     30,
			Landmarks: kernel.Landmarks{Count: 12},
		}.Choose(
			context.Background(),
			x,
			[]int{3, 5},
		)
		if err != nil || k.Count() != 12 || len(k.Rows) != 2 {
			t.Fatal(k, err)
		}
		kerneltest.Run(t, k, x)
		kerneltest.Run(t, manifold.Reduced{Base: kernel.Gaussian{Sigma: 1}, Centres: k.Centres}, x)
	})
	t.Run("landmarks chosen", func(t *testing.T) {
		k := reducedOf(warp(10, 1, 3, 1), nil)
		k.Landmarks = kernel.Landmarks{Count: 9, Choice: kernel.PlusPlus, Seed: 4}
		if k, err := k.Choose(context.Background(), x, []int{3, 5}); err != nil || len(k.Rows) != 9 {
			t.Error(k.Rows, err)
		}
		if n := len(k.Space()); n != 2 {
			t.Errorf("%d parameters", n)
		}
	})
}

// All rows as landmarks: the reduced kernel is the warped one.
func TestAllLandmarksAreExact(t *testing.T) {
	x := cloud(60, 3, 7)
	for _, degree := range []int{1, 2, 3} {
		for _, ratio := range []float64{0, 1, 1e4} {
			w := warp(ratio, 1.5, 5, degree)
			exact, g := bind(t, w, x), bind(t, reducedOf(w, some(60, 60, 0)), x)
			agree(t, "block", block(g, nil, nil), block(exact, nil, nil), 1e-9)
			i, j := []int{3, 40, 8}, []int{50, 2}
			agree(t, "part", block(g, i, j), block(exact, i, j), 1e-9)
			k, want := mat.NewDense(8, 2, nil), mat.NewDense(8, 2, nil)
			rows := cloud(8, 3, 8)
			if err := g.Cross(k, rows, j); err != nil {
				t.Fatal(err)
			}
			if err := exact.Cross(want, rows, j); err != nil {
				t.Fatal(err)
			}
			agree(t, "cross", k, want, 1e-8)
			if ratio == 0 {
				continue
			}
			bar := kernel.Cotangent{I: i, J: i, D: mat.NewDense(3, 3, []float64{1, 2, 3, 2, -1, 0, 3, 0, 2})}
			a, b := make([]float64, 2), make([]float64, 2)
			if err := g.Pull(a, bar); err != nil {
				t.Fatal(err)
			}
			if err := exact.Pull(b, bar); err != nil {
				t.Fatal(err)
			}
			for q := range a {
				near(t, "derivative", a[q], b[q], 1e-7)
			}
		}
	}
}

// The reduced kernel is the warped kernel of the low-rank base kernel, computed densely.
func TestReducedIsTheFeatureForm(t *testing.T) {
	x := cloud(40, 3, 7)
	z := some(12, 40, 3)
	w := warp(50, 1.2, 4, 2)
	base := bind(t, w.Base, x)
	f, err := kernel.NewNystrom(context.Background(), base, base.Len(), z, nil)
	if err != nil {
		t.Fatal(err)
	}
	var k mat.Dense
	k.Mul(f.Phi, f.Phi.T())
	op, err := w.Norm.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, unit := mat.NewDense(40, 40, nil), mat.NewDense(40, 40, nil)
	for i := range 40 {
		unit.Set(i, i, 1)
	}
	op.MulTo(r, unit)
	agree(t, "feature form", block(bind(t, reducedOf(w, z), x), nil, nil), featureForm(&k, r, w.Ratio), 1e-10)
}

// Three ways to the parts of another ratio or other weights.
func TestReducedPartsServeAll(t *testing.T) {
	ctx := context.Background()
	x := cloud(50, 3, 7)
	z, lab := some(15, 50, 3), some(7, 50, 4)
	norm := manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})[:3], Normalise: graph.Trace}
	k := manifold.Reduced{Base: kernel.Gaussian{Sigma: 1}, Norm: norm, Ratio: 3, Rows: z}
	parts, err := k.Parts(ctx, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, w manifold.Reduced, tol float64) {
		t.Helper()
		g, err := parts.Warp(ctx, w)
		if err != nil {
			t.Fatal(err)
		}
		want := bind(t, w, x)
		agree(t, what, block(g, lab, lab), block(want, lab, lab), tol)
		agree(t, what+", columns", block(g, nil, lab), block(want, nil, lab), tol)
		a, b := make([]float64, len(w.Space())), make([]float64, len(w.Space()))
		bar := kernel.Cotangent{I: lab, J: lab, D: block(want, lab, lab)}
		if err := g.Pull(a, bar); err != nil {
			t.Fatal(err)
		}
		if err := want.Pull(b, bar); err != nil {
			t.Fatal(err)
		}
		for q := range a {
			near(t, what+", derivative", a[q], b[q], 10*tol)
		}
	}
	for _, ratio := range []float64{0, 0.1, 1e5} {
		w := k
		w.Ratio = ratio
		check("ratio", w, 1e-12)
	}
	theta := []float64{1, 0.2, 0.5, 0.3, 20}
	moved, err := k.With(theta)
	if err != nil {
		t.Fatal(err)
	}
	w := moved.(manifold.Reduced)
	op, err := w.Norm.Bind(ctx, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Reweigh(ctx, op.(*graph.Combination)); err != nil {
		t.Fatal(err)
	}
	check("weights", w, 1e-12)
}

// A learner on the features pulls what a learner on the block pulls.
func TestPullFeaturesIsPull(t *testing.T) {
	x := cloud(40, 3, 7)
	for _, l := range []int{2, 9} { // by functions, by panels
		lab := some(l, 40, 4)
		g := bind(t, reducedOf(warp(20, 1, 4, 2), some(12, 40, 3)), x).(interface {
			kernel.Gram
			Features(j []int) *mat.Dense
			PullFeatures(grad []float64, i []int, xpsi *mat.Dense) error
		})
		k := block(g, lab, lab)
		psi := g.Features(lab)
		var product mat.Dense
		product.Mul(psi, psi.T())
		agree(t, "Psi Psi'", &product, k, 1e-13)
		a, b := make([]float64, 2), make([]float64, 2)
		if err := g.Pull(a, kernel.Cotangent{I: lab, J: lab, D: k}); err != nil {
			t.Fatal(err)
		}
		var xpsi mat.Dense
		xpsi.Mul(k, psi)
		if err := g.PullFeatures(b, lab, &xpsi); err != nil {
			t.Fatal(err)
		}
		for q := range a {
			near(t, "derivative", b[q], a[q], 1e-11)
		}
	}
}

// Derivatives where the landmarks' matrix is singular to working precision.
func TestReducedGradientOfSmoothKernels(t *testing.T) {
	x := cloud(80, 2, 3)
	for i := range 8 { // duplicates among the landmarks
		x.Dense.SetRow(40+i, x.Dense.RawRowView(i))
	}
	z := make([]int, 48)
	for i := range z {
		z[i] = i
	}
	w := warp(1e3, 3, 5, 1)
	k := reducedOf(w, z)
	lab := []int{0, 5, 60, 70, 33}
	bar := kernel.Cotangent{I: lab, J: lab, D: block(bind(t, k, x), lab, lab)}
	f := func(theta []float64) float64 {
		k, err := k.With(theta)
		if err != nil {
			t.Fatal(err)
		}
		b := block(bind(t, k, x), lab, lab)
		b.MulElem(b, bar.D)
		return mat.Sum(b)
	}
	grad := make([]float64, 2)
	if err := bind(t, k, x).Pull(grad, bar); err != nil {
		t.Fatal(err)
	}
	for q, v := range []float64{3, 1e3} {
		at := func(h float64) float64 {
			theta := []float64{3, 1e3}
			theta[q] *= math.Exp(h)
			return f(theta)
		}
		const h = 1e-3
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		near(t, "derivative", grad[q]*v, want, 1e-6)
	}
}

func TestReducedCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := reducedOf(warp(1, 1, 3, 1), []int{0, 1}).Bind(ctx, cloud(20, 2, 1), nil); err == nil {
		t.Error("a cancelled context binds")
	}
}

// Symmetric cotangents have ways of their own, by functions and by panels: the derivatives
// are those of the same cotangent as a product.
func TestReducedPullOfSymmetricCotangents(t *testing.T) {
	x := cloud(40, 3, 7)
	w := warp(30, 1.3, 4, 2)
	w.Norm = manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Degree: 2, Weights: graph.Heat, Width: 1.5}}
	g := bind(t, reducedOf(w, some(16, 40, 3)), x)
	for _, l := range []int{3, 7} {
		lab := some(l, 40, 4)
		unit := mat.NewDense(l, l, nil)
		for i := range l {
			unit.Set(i, i, 1)
		}
		d := block(g, lab, lab)
		a, b := make([]float64, 3), make([]float64, 3)
		if err := g.Pull(a, kernel.Cotangent{I: lab, J: lab, D: d}); err != nil {
			t.Fatal(err)
		}
		if err := g.Pull(b, kernel.Cotangent{I: lab, J: lab, U: d, V: unit}); err != nil {
			t.Fatal(err)
		}
		for q := range a {
			near(t, "derivative", a[q], b[q], 1e-11)
		}
	}
}

// Landmarks are chosen with the recipe's number and seed, and those that must be among them are: centres in the place
// of rows where means are asked for and rows are left out.
func TestReducedChoose(t *testing.T) {
	x := cloud(50, 3, 15)
	always := []int{7, 3}
	for _, choice := range []kernel.LandmarkChoice{kernel.Means, kernel.PlusPlus, kernel.Pivoted, kernel.Uniform} {
		chosen := func(seed uint64, count int) manifold.Reduced {
			w := reducedOf(warp(1, 1, 3, 1), nil)
			w.Landmarks = kernel.Landmarks{Count: count, Choice: choice, Seed: seed}
			w, err := w.Choose(t.Context(), x, always)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		a, b := chosen(1, 12), chosen(2, 12)
		if a.Count() != 12 || !slices.Contains(a.Rows, 7) || !slices.Contains(a.Rows, 3) {
			t.Errorf("%v: %d landmarks from the rows %v", choice, a.Count(), a.Rows)
		}
		if slices.Equal(a.Rows, b.Rows) && (a.Centres == nil || mat.Equal(a.Centres, b.Centres)) {
			t.Errorf("%v: two seeds choose the same landmarks", choice)
		}
		if choice == kernel.Means {
			want, err := kernel.Centres(t.Context(), x, 10, 1)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, "centres", a.Centres, want, 0)
		}
		if w := chosen(1, 2); choice == kernel.Means && (w.Centres != nil || w.Count() != 2) {
			t.Errorf("no centre is left to choose, but there are %d landmarks", w.Count())
		}
		if w := chosen(1, 50); w.Centres != nil || w.Count() != 50 {
			t.Errorf("%v: all rows are %d landmarks", choice, w.Count())
		}
	}
}
