package manifold_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

var errFaulty = errors.New("faulty")

// faulty is a Gaussian kernel of which, once bound, a number of calls succeed and all later ones fail.
type faulty struct {
	kernel.Gaussian
	left *int
}

func (k faulty) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return faultyGram{g, k.left}, err
}

type faultyGram struct {
	kernel.Gram
	left *int
}

func (g faultyGram) Semidefinite() bool { return true }

func (g faultyGram) fails() bool { *g.left--; return *g.left < 0 }

func (g faultyGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if g.fails() {
		return errFaulty
	}
	return g.Gram.Cross(dst, x, j)
}

func (g faultyGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if g.fails() {
		return errFaulty
	}
	return g.Gram.Pull(grad, bar)
}

// What the base kernel fails at, at whichever of its calls, is handed on by warped kernels, exact and of landmarks, for new rows and for
// derivatives by every way that there is.
func TestBaseThatFails(t *testing.T) {
	x, left := cloud(40, 3, 7), 0
	heat := manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 1.5}}
	exact := manifold.Warp{Base: faulty{kernel.Gaussian{Sigma: 1.3}, &left}, Norm: heat, Ratio: 3}
	few, many, others := []int{3, 1, 9}, some(12, 40, 4), some(7, 40, 5)
	square := func(n, m int) *mat.Dense {
		d := mat.NewDense(n, m, nil)
		d.Apply(func(i, j int, _ float64) float64 { return math.Cos(float64((i + 1) * (j + 1))) }, d)
		return d
	}
	for name, k := range map[string]kernel.Kernel{"exact": exact, "landmarks": reducedOf(exact, some(5, 40, 3)),
		"without graph": manifold.Reduced{Base: exact.Base, Rows: some(5, 40, 3)}} {
		g := bind(t, k, x)
		calls := map[string]func() error{
			"cross": func() error { return g.Cross(mat.NewDense(6, 40, nil), cloud(6, 3, 1), nil) },
		}
		for way, bar := range map[string]kernel.Cotangent{
			"few": {I: few, J: few, D: square(3, 3)}, "many": {I: many, J: many, D: square(12, 12)},
			"unequal": {I: many, J: others, D: square(12, 7)}, "low rank": {I: many, J: others, U: square(12, 2), V: square(7, 2)},
			"all": {U: square(40, 1), V: square(40, 1)},
		} {
			calls[way] = func() error { return g.Pull(make([]float64, len(k.Space())), bar) }
		}
		for way, f := range calls {
			if left = math.MaxInt; f() != nil {
				t.Fatalf("%s, %s: it fails by itself", name, way)
			}
			for n := range math.MaxInt - left {
				if left = n; !errors.Is(f(), errFaulty) {
					t.Errorf("%s, %s: failing at call %d says nothing", name, way, n+1)
				}
			}
		}
	}
}

// Without landmarks a reduced kernel chooses them, and its values are those of its columns; its tables go back to the work.
func TestReducedChoosesAndReleases(t *testing.T) {
	x, alpha := cloud(40, 3, 7), mat.NewDense(3, 2, []float64{1, 0, -1, 2, 0.5, 3})
	w := reducedOf(warp(3, 1.3, 4, 1), nil)
	for _, choice := range []kernel.LandmarkChoice{kernel.Means, kernel.PlusPlus} {
		w.Landmarks = kernel.Landmarks{Count: 8, Choice: choice}
		chosen, err := w.Choose(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, own := bind(t, chosen, x), bind(t, w, x)
		agree(t, "landmarks of its own", block(own, nil, nil), block(g, nil, nil), 0)
		got, want := mat.NewDense(40, 2, nil), new(mat.Dense)
		own.(interface {
			Values(dst, alpha *mat.Dense, j []int)
		}).Values(got, alpha, []int{5, 0, 30})
		want.Mul(block(own, nil, []int{5, 0, 30}), alpha)
		agree(t, "values", got, want, 1e-10)
		if !kernel.Semidefinite(own) {
			t.Error("a kernel of features may be indefinite")
		}
	}
	for name, k := range map[string]kernel.Kernel{"landmarks": reducedOf(warp(3, 1.3, 4, 1), some(7, 40, 3)), "exact": warp(3, 1.3, 4, 1)} {
		work := new(kernel.Work)
		first, err := k.Bind(t.Context(), x, work)
		if err != nil {
			t.Fatal(err)
		}
		values := block(first, nil, nil)
		held := work.Borrow(40, 7)
		first.(interface{ Release() }).Release()
		first.(interface{ Release() }).Release() // a second time gives nothing back
		for _, columns := range []int{7, 40} {
			lent := []*mat.Dense{held}
			for range 6 {
				m := work.Borrow(40, columns)
				if slices.Contains(lent, m) {
					t.Errorf("%s: a table was given back twice", name)
				}
				lent = append(lent, m)
			}
		}
		again, err := k.Bind(t.Context(), x, work)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, name+" after it was released", block(again, nil, nil), values, 1e-12)
	}
}

// Missing bases and lists that cannot be are errors of what binds them.
func TestChoosingFails(t *testing.T) {
	w := reducedOf(warp(1, 1, 3, 1), nil)
	w.Base, w.Landmarks = kernel.Gaussian{}, kernel.Landmarks{Count: 3, Choice: kernel.PlusPlus}
	if _, err := w.Choose(t.Context(), cloud(20, 2, 1), nil); err == nil {
		t.Error("landmarks of a kernel without a width")
	}
	if _, err := w.Bind(t.Context(), cloud(20, 2, 1), nil); err == nil {
		t.Error("a kernel without a width was bound")
	}
	w.Base, w.Rows, w.Centres = kernel.Gaussian{Sigma: 1}, []int{1}, mat.NewDense(2, 3, nil)
	if _, err := w.Bind(t.Context(), cloud(20, 2, 1), nil); err == nil {
		t.Error("centres of three columns for rows of two")
	}
}

// The graph of classes is the one whose norm is bound.
func TestWithinBuilds(t *testing.T) {
	x, class := threeClasses(24)
	k := manifold.Within{Graph: manifold.Graph{Recipe: graph.Recipe{Neighbours: 4}}, Class: class}
	g, err := k.Build(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for i := range 24 {
		columns, _ := g.W.Row(i)
		for _, j := range columns {
			edges++
			if class[i] != class[int(j)] {
				t.Errorf("an edge between rows %d and %d of two classes", i, j)
			}
		}
	}
	if edges == 0 {
		t.Error("no edges")
	}
}

// Lists that do not fit are the caller's mistake.
func TestParametersThatDoNotFit(t *testing.T) {
	x := cloud(20, 2, 1)
	heat := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Weights: graph.Heat, Width: 1}}
	class := slices.Repeat([]int{0, 1}, 10)
	exact := bind(t, manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: heat, Ratio: 1}, x)
	reduced := bind(t, reducedOf(manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: heat, Ratio: 1}, []int{1, 2}), x)
	line := lattice()
	paths := bind(t, manifold.Paths{Survey: full(t, line), Sigma: 1}, line)
	all := kernel.Cotangent{D: mat.NewDense(20, 20, nil)}
	for want, f := range map[string]func(){
		"manifold: 2 parameters for a graph with 1": func() { _, _ = heat.With([]float64{1, 1}) },
		"manifold: 1 parameters for a combination with ": func() {
			_, _ = manifold.Combined{Terms: []manifold.Graph{heat, heat}}.With([]float64{1})
		},
		"manifold: 0 parameters for a class-wise norm with ": func() { _, _ = manifold.Within{Graph: heat, Class: class}.With(nil) },
		"manifold: 2 parameters for a warped kernel with 3": func() {
			_, _ = manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: heat, Ratio: 1}.With([]float64{1, 1})
		},
		"manifold: 2 parameters for a kernel of paths with 1": func() { _, _ = manifold.Paths{Sigma: 1}.With([]float64{1, 1}) },
		"manifold: gradient of length 2, 3 parameters":        func() { _ = exact.Pull([]float64{0, 0}, all) },
		"gradient of length 2, 3 parameters":                  func() { _ = reduced.Pull([]float64{0, 0}, all) },
		"manifold: gradient of length 2, 1 parameters":        func() { _ = paths.Pull([]float64{0, 0}, all) },
		"manifold: block of 2 x 20 for 3 x 20 rows":           func() { paths.Block(mat.NewDense(2, 20, nil), []int{1, 2, 3}, nil) },
		"manifold: block of 3 x 20 for 3 x 1 rows":            func() { paths.Block(mat.NewDense(3, 20, nil), []int{1, 2, 3}, []int{0}) },
	} {
		failtest.Names(t, want, f)
	}
}

// stumbling is a Gaussian kernel of which, once bound, one call fails and no other.
type stumbling struct {
	kernel.Gaussian
	left *int
}

func (k stumbling) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return stumblingGram{faultyGram{g, k.left}}, err
}

type stumblingGram struct{ faultyGram }

func (g stumblingGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if *g.left--; *g.left == -1 {
		return errFaulty
	}
	return g.Gram.Cross(dst, x, j)
}

func (g stumblingGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if *g.left--; *g.left == -1 {
		return errFaulty
	}
	return g.Gram.Pull(grad, bar)
}

// What the base kernel fails at once, at whichever of its calls, is not lost though every call after it succeeds.
func TestBaseThatFailsOnce(t *testing.T) {
	x, left := cloud(40, 3, 7), 0
	heat := manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 1.5}}
	exact := manifold.Warp{Base: stumbling{kernel.Gaussian{Sigma: 1.3}, &left}, Norm: heat, Ratio: 3}
	flat := exact
	flat.Ratio = 0
	few, many, others := []int{3, 1, 9}, some(12, 40, 4), some(7, 40, 5)
	waves := func(n, m int) *mat.Dense {
		d := mat.NewDense(n, m, nil)
		d.Apply(func(i, j int, _ float64) float64 { return math.Cos(float64((i + 1) * (j + 1))) }, d)
		return d
	}
	for name, k := range map[string]kernel.Kernel{
		"exact": exact, "ratio 0": flat, "landmarks": reducedOf(exact, some(5, 40, 3)),
		"without graph": manifold.Reduced{Base: exact.Base, Rows: some(5, 40, 3)},
	} {
		g := bind(t, k, x)
		calls := map[string]func() error{
			"cross": func() error { return g.Cross(mat.NewDense(6, 40, nil), cloud(6, 3, 1), nil) },
		}
		for way, bar := range map[string]kernel.Cotangent{
			"one": {I: few[:1], J: few[:1], D: waves(1, 1)}, "few": {I: few, J: few, D: waves(3, 3)},
			"unequal": {I: many, J: others, D: waves(12, 7)}, "all": {U: waves(40, 1), V: waves(40, 1)},
			"both": {I: many, J: others, U: waves(12, 1), V: waves(7, 1), D: waves(12, 7)},
		} {
			calls[way] = func() error { return g.Pull(make([]float64, len(k.Space())), bar) }
		}
		for way, f := range calls {
			if left = math.MaxInt; f() != nil {
				t.Fatalf("%s, %s: it fails by itself", name, way)
			}
			for n := range math.MaxInt - left {
				if left = n; !errors.Is(f(), errFaulty) {
					t.Errorf("%s, %s: failing at call %d alone says nothing", name, way, n+1)
				}
			}
		}
	}
}

// What no graph, no norm and no kernel can be made of is refused by whoever binds it, or meets it.
func TestBindingsThatAreRefused(t *testing.T) {
	x, line := cloud(20, 2, 1), lattice()
	three := manifold.Graph{Recipe: graph.Recipe{Neighbours: 3}}
	lacking := data.Rows{Dense: mat.DenseCopyOf(x.Dense)}
	alone := make([]int, 20) // rows of classes of their own, whose norm is zero
	for i := range 20 {
		if alone[i] = i; i > 1 {
			lacking.Dense.Set(i, 0, math.NaN())
		}
	}
	for name, c := range map[string]struct {
		words string
		f     func() error
	}{
		"a negative weight": {"mu[1] = -1", func() error {
			_, err := manifold.Combined{Terms: []manifold.Graph{three, three}, Mu: []float64{1, -1}}.Bind(t.Context(), x, nil)
			return err
		}},
		"two whole rows": {"asked 3 neighbours of 2 rows", func() error { _, err := three.Bind(t.Context(), lacking, nil); return err }},
		"paths of two rows": {"asked 3 neighbours of 2 rows", func() error {
			_, err := manifold.Paths{Survey: survey(t, line, 3, 1), Sigma: 1}.Bind(t.Context(), line.Select([]int{4, 7}), nil)
			return err
		}},
		"paths to rows of three columns": {"the new rows have 3 columns, the training rows 2", func() error {
			return bind(t, manifold.Paths{Survey: full(t, line), Sigma: 1}, line).Cross(mat.NewDense(2, 20, nil), cloud(2, 3, 1), nil)
		}},
		"a negative ratio on landmarks": {"I + M K with ratio -1e+06 on 3 landmarks", func() error {
			_, err := reducedOf(warp(-1e6, 1, 3, 1), []int{1, 5, 9}).Bind(t.Context(), x, nil)
			return err
		}},
		"an infinite ratio of nothing": {"I + M K with ratio +Inf", func() error {
			w := warp(math.Inf(1), 1, 3, 1)
			w.Norm = manifold.Within{Graph: three, Class: alone}
			_, err := w.Bind(t.Context(), x, nil)
			return err
		}},
	} {
		if err := c.f(); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: error %v, expected %s", name, err, c.words)
		}
	}
}
