package multiview_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// normed has all parameters there are: of two views, a norm, its ratio and the coupling.
func normed() multiview.Coupled {
	k := two(0.6)
	k.Norm, k.Ratio = manifold.Combined{Terms: []manifold.Graph{
		{Recipe: graph.Recipe{Neighbours: 3, Degree: 1}, First: 0, Last: 2},
		{Recipe: graph.Recipe{Neighbours: 2, Degree: 2}, First: 2, Last: 4},
	}, Mu: []float64{0.4, 0.6}}, 0.7
	return k
}

// What stands in the way of a coupled kernel is said with its place.
func TestCoupledRefusals(t *testing.T) {
	x, views := cloud(6, 2, 3)
	s := multiview.Stack(x, views)
	k := two(1)
	twice := s.Rows
	twice.ID = []int{0, 1, 2, 3, 4, 4, 0, 1, 2, 3, 4, 5}
	_, err := k.Bind(t.Context(), twice, nil)
	failtest.Refused(t, err, "multiview: two rows describe the same thing in view a")
	twice.ID = []int{0, 1, 2, 3, 4, 5, 0, 1, 1, 3, 4, 5}
	_, err = k.Bind(t.Context(), twice, nil)
	failtest.Refused(t, err, "multiview: two rows describe the same thing in view b")
	one := mat.NewDense(1, 12, nil)
	failtest.Refused(t, bind(t, k, s.Rows).Cross(one, data.Rows{Dense: mat.NewDense(1, 5, nil)}, nil),
		"multiview: the new rows have 5 columns, the training rows 4; stack both alike")
	failtest.Refused(t, bind(t, multiview.Sum{Coupled: k, Views: views}, x).Cross(one, data.Rows{Dense: mat.NewDense(1, 5, nil)}, nil),
		"multiview: the new rows have 5 columns, the training rows 4; give both the same features")

	failtest.Panics(t, "multiview: rows of 2 columns for 2 views; stack them first", func() { k.Adapt(x.SelectColumns([]int{0, 1})) })
	failtest.Panics(t, "multiview: row 1 is of no view; stack the rows first", func() {
		k.Adapt(data.Rows{Dense: mat.NewDense(2, 3, []float64{1, 0, 5, 0, 0, 5})})
	})
	failtest.Panics(t, "multiview: row 1 is of no view; stack the rows first", func() {
		k.Adapt(data.Rows{Dense: mat.NewDense(2, 3, []float64{1, 0, 5, 0.5, 0, 5})})
	})
	for _, marks := range [][]float64{{0, 0}, {1, 1}} {
		failtest.Panics(t, "multiview: row 1 is of no view; stack the rows first", func() {
			k.Adapt(emptied(data.Rows{Dense: mat.NewDense(2, 3, []float64{
				math.NaN(), 1, 5, nothing(marks[0]), nothing(marks[1]), 5,
			})}))
		})
	}
	failtest.Panics(t, "multiview: 2 parameters for a coupled kernel with 3", func() { _, _ = k.With([]float64{1, 1}) })
	failtest.Panics(
		t,
		"multiview: gradient of length 2, 3 parameters",
		func() { _ = bind(t, k, s.Rows).Pull(make([]float64, 2), kernel.Cotangent{}) },
	)
}

// nothing is what is not stored, for 0.
func nothing(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// Each parameter is refused by its own name where it has no meaning.
func TestParametersRefused(t *testing.T) {
	k := normed()
	space := k.Space()
	theta := space.Defaults()
	number := func(name string) int {
		return slices.IndexFunc(space, func(d param.Dim) bool { return d.Name == name })
	}
	bad := func(name string, v float64) error {
		moved := slices.Clone(theta)
		moved[number(name)] = v
		got, err := k.With(moved)
		if err == nil {
			t.Errorf("%s = %g is taken: %v", name, v, got)
			return errors.New("")
		}
		_, sum := multiview.Sum{Coupled: k}.With(moved)
		failtest.Refused(t, sum, err.Error())
		return err
	}
	failtest.Refused(t, bad("ratio", 0), "multiview: ratio = 0; it must be positive and finite")
	failtest.Refused(t, bad("ratio", math.Inf(1)), "multiview: ratio = +Inf; it must be positive and finite")
	failtest.Refused(t, bad("ratio", math.NaN()), "multiview: ratio = NaN; it must be positive and finite")
	failtest.Refused(t, bad("coupling", -1), "multiview: coupling = -1; it must be positive and finite")
	failtest.Refused(t, bad("coupling", 0), "multiview: coupling = 0; it must be positive and finite")
	_, own := kernel.Gaussian{}.With([]float64{-1})
	failtest.Refused(t, bad("b.sigma", -1), "view b: "+own.Error())
	for _, d := range space {
		if d.Kind == param.Simplex {
			_ = bad(d.Name, -3)
		}
	}
	moved := slices.Clone(theta)
	for i := range moved {
		if space[i].Kind == param.Log {
			moved[i] *= 1 + float64(i+1)/8
		}
	}
	got, err := k.With(moved)
	if err != nil || !slices.Equal(got.Space().Defaults(), moved) {
		t.Errorf("%v is taken as %v", moved, got.Space().Defaults())
	}
}

// The ratio and the coupling may move by the factors that are documented.
func TestRangesOfParameters(t *testing.T) {
	for _, d := range normed().Space() {
		switch d.Name {
		case "ratio":
			if d.Lo != 0.7*0x1p-20 || d.Hi != 0.7*0x1p20 || d.Default != 0.7 || d.Kind != param.Log {
				t.Errorf("the ratio is %+v", d)
			}
		case "coupling":
			if d.Lo != 0.6*0x1p-30 || d.Hi != 0.6*0x1p30 || d.Default != 0.6 || d.Kind != param.Log {
				t.Errorf("the coupling is %+v", d)
			}
		}
	}
}

// grouped is a kernel with simplices of its own.
type grouped struct {
	kernel.Gaussian
	groups []int
}

func (k grouped) Space() param.Space {
	var s param.Space
	for _, g := range k.groups {
		s = append(s, param.Dim{Name: "w", Group: g})
	}
	return s
}

// Simplices of different views, and of the norm, stay apart; what is in none stays in none.
func TestGroupsOfViews(t *testing.T) {
	k := normed()
	for i, d := range k.Norm.Space() {
		if want := []int{1, 1}; i < 2 && d.Group != want[i] {
			t.Fatalf("the norm has the groups %+v", k.Norm.Space())
		}
	}
	k.Names = []string{"a", "b", "c"}
	k.Kernels = []kernel.Kernel{grouped{groups: []int{1, 0, 2, 1}}, grouped{groups: []int{0, 1}}, grouped{groups: []int{2, 1}}}
	var got []int
	for _, d := range k.Space() {
		got = append(got, d.Group)
	}
	want := []int{1, 0, 2, 1, 0, 3, 5, 4}
	for _, d := range k.Norm.Space() {
		if d.Group != 0 {
			d.Group += 5
		}
		want = append(want, d.Group)
	}
	if want = append(want, 0, 0); !slices.Equal(got, want) {
		t.Errorf("groups are %v, expected %v", got, want)
	}
}

// Every view's kernel is adapted to the rows of the view, also within the kernel of the sum.
func TestAdaptByViews(t *testing.T) {
	x, views := lacking()
	k := several(3, 1)
	for v := range k.Kernels {
		k.Kernels[v] = kernel.Gaussian{}
	}
	s := multiview.Stack(x, views)
	got := k.Adapt(s.Rows).(multiview.Coupled)
	sum := multiview.Sum{Coupled: k, Views: views}.Adapt(x).(multiview.Sum).Coupled
	for v, columns := range views {
		var there []int
		for r, i := range s.Thing {
			if s.View[r] == v {
				there = append(there, i)
			}
		}
		want := kernel.Gaussian{}.Adapt(x.Select(there).SelectColumns(columns))
		if got.Kernels[v] != want || sum.Kernels[v] != want {
			t.Errorf("view %d has %v and %v, expected %v", v, got.Kernels[v], sum.Kernels[v], want)
		}
	}
	if k.Kernels[0] != (kernel.Gaussian{}) {
		t.Error("the kernel itself was changed")
	}
	base := multiview.Centred{Base: kernel.Gaussian{}, Double: true}
	if got, want := base.Adapt(x.SelectColumns(views[1])),
		(kernel.Gaussian{}).Adapt(x.SelectColumns(views[1])); got != (multiview.Centred{Base: want, Double: true}) {
		t.Errorf("the centred kernel is adapted to %v", got)
	}
}

// Sparse rows keep what kernels promise too, with a norm over the things, of which some lack a view.
func TestConformanceOfSparseRows(t *testing.T) {
	x, views := cloud(12, 2, 3)
	x.Dense.Set(3, 1, 0)
	rows := emptied(x)
	t.Run("joint", func(t *testing.T) { kerneltest.Run(t, normed(), multiview.Stack(rows, views).Rows) })
	t.Run("sum", func(t *testing.T) { kerneltest.Run(t, multiview.Sum{Coupled: two(2), Views: views}, rows) })
	t.Run("centred", func(t *testing.T) { kerneltest.Run(t, multiview.Centred{Base: kernel.Gaussian{Sigma: 1}}, x) })
	t.Run("twice centred", func(t *testing.T) {
		kerneltest.Run(t, multiview.Centred{Base: kernel.Gaussian{Sigma: 1}, Double: true}, x)
	})
}

// The things that have a view are those that its kernel is warped over, each with all the views that it has. So
// a norm of one view's columns sees the rows of that view, and sparse rows are the same as dense ones.
func TestWarpOverThings(t *testing.T) {
	x, views := cloud(14, 2, 8)
	k := two(0)
	k.Norm = manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Degree: 1}, First: 0, Last: 4}
	k.Ratio = 0.7
	dense := block(bind(t, k, multiview.Stack(x, views).Rows))
	if !mat.EqualApprox(block(bind(t, k, multiview.Stack(emptied(x), views).Rows)), dense, 1e-12) {
		t.Error("sparse rows have another kernel")
	}
	for v, columns := range views {
		own := manifold.Warp{Base: kernel.Columns{Base: k.Kernels[v], Columns: columns}, Norm: k.Norm, Ratio: k.Ratio}
		want := block(bind(t, own, x))
		if !mat.EqualApprox(dense.Slice(14*v, 14*v+14, 14*v, 14*v+14), want, 1e-12) {
			t.Errorf("view %d is not warped by the norm over whole things", v)
		}
	}
	// Things in another order within the second view are the same things.
	s := multiview.Stack(x, views)
	order := learn.Others(28, nil)
	slices.Reverse(order[14:])
	moved := block(bind(t, k, s.Rows.Select(order)))
	for a, i := range order {
		for b, j := range order {
			near(t, "a value of rows in another order", moved.At(a, b), dense.At(i, j), 1e-10)
		}
	}
}

// An expansion comes apart into its view and the expansion over the view's own columns.
func TestSplit(t *testing.T) {
	x, _ := cloud(9, 2, 3)
	views := [][]int{{0}, {1, 2, 3}}
	for _, rows := range []data.Rows{x, emptied(x)} {
		k := two(2)
		g := bind(t, k, multiview.Stack(rows, views).Rows)
		alpha := mat.NewDense(g.Len(), 1, nil)
		for i := range g.Len() {
			alpha.Set(i, 0, math.Sin(float64(i)))
		}
		var want mat.Dense
		want.Mul(block(g), alpha)
		list, err := g.Expand(alpha, nil)
		if err != nil || len(list) != 2 {
			t.Fatalf("%d expansions: %v", len(list), err)
		}
		for n, e := range list {
			v, own := multiview.Split(e, func(v int) int { return len(views[v]) })
			if v != n || own.Kernel != k.Kernels[v] || own.Centres.Dim() != len(views[v]) {
				t.Errorf("expansion %d is of view %d, %v on %d columns", n, v, own.Kernel, own.Centres.Dim())
			}
			values := mat.NewDense(9, own.Centres.Len(), nil)
			if err := bind(t, own.Kernel, own.Centres).Cross(values, rows.SelectColumns(views[v]), nil); err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			f.Mul(values, own.Coef)
			for i := range 9 {
				near(t, "output of a view", f.At(i, 0), want.At(9*v+i, 0), 1e-12)
			}
		}
	}
}

// A kernel whose functions have mean zero already cannot be restricted to those; centred twice it stays what it is.
func TestCentringOfCentred(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(4, 1, []float64{-3, -1, 1, 3})}
	_, err := multiview.Centred{Base: kernel.Linear{}}.Bind(t.Context(), x, nil)
	failtest.Refused(t, err, "multiview: the kernel's values sum to 0 over the rows: its functions have mean zero already")
	large := data.Rows{Dense: mat.NewDense(3, 1, []float64{-1 << 26, 1<<26 + 1, 0})} // their sums are exact
	if _, err := (multiview.Centred{Base: kernel.Linear{}}).Bind(t.Context(), large, nil); err != nil {
		t.Errorf("a sum that is small beside its terms, but no rounding, is refused: %v", err)
	}
	same, plain := block(bind(t, multiview.Centred{Base: kernel.Linear{}, Double: true}, x)), block(bind(t, kernel.Linear{}, x))
	if !mat.EqualApprox(same, plain, 1e-14) {
		t.Error("centring twice changes a kernel of mean zero")
	}
	_, err = multiview.Centred{Base: kernel.Gaussian{Sigma: 1}}.With([]float64{-1})
	_, own := kernel.Gaussian{Sigma: 1}.With([]float64{-1})
	failtest.Refused(t, err, own.Error())
	failtest.Refused(
		t,
		bind(
			t,
			multiview.Centred{Base: kernel.Linear{}, Double: true},
			x,
		).Cross(mat.NewDense(1, 4, nil), data.Rows{Dense: mat.NewDense(1, 2, nil)}, nil),
		bind(t, kernel.Linear{}, x).Cross(mat.NewDense(1, 4, nil), data.Rows{Dense: mat.NewDense(1, 2, nil)}, nil).Error(),
	)
}

// Both forms of centring have sums of zero over the rows, and are what their formulas say.
func TestCentredByFormula(t *testing.T) {
	x, _ := cloud(11, 1, 2)
	k := block(bind(t, kernel.Gaussian{Sigma: 1.2}, x))
	s, total := make([]float64, 11), 0.0
	for i := range 11 {
		for j := range 11 {
			s[i] += k.At(i, j)
		}
		total += s[i]
	}
	for _, double := range []bool{false, true} {
		got := block(bind(t, multiview.Centred{Base: kernel.Gaussian{Sigma: 1.2}, Double: double}, x))
		for i := range 11 {
			sum := 0.0
			for j := range 11 {
				want := k.At(i, j) - s[i]*s[j]/total
				if double {
					want = k.At(i, j) - s[i]/11 - s[j]/11 + total/121
				}
				near(t, "a value", got.At(i, j), want, 1e-14)
				sum += got.At(i, j)
			}
			near(t, "a sum over the rows", sum, 0, 1e-13)
		}
	}
}

// Co-training says what it is not made for, and hands on its learner's parameters.
func TestCoTrainingRefusals(t *testing.T) {
	s, g, p, _ := apart(t)
	c := multiview.CoTraining{Learner: rls.Learner{}, Stacked: s, Add: []int{1, 1}}
	for want, change := range map[string]func(*learn.Problem){
		"multiview: co-training is for classes": func(q *learn.Problem) { q.Class = nil },
		"multiview: co-training has no weights of rows": func(q *learn.Problem) {
			q.Weight = make([]float64,
				8)
		},
		"multiview: counts of rows to move for 2 classes, there are 1": func(q *learn.Problem) { q.Classes = []string{"a"} },
		"multiview: co-training trains each class against the rest, not pairs of classes": func(q *learn.Problem) {
			q.Coding = learn.Coding{Classes: 3, Pairs: true}
		},
	} {
		q := *p
		change(&q)
		_, err := c.Bind(t.Context(), g, &q)
		failtest.Refused(t, err, want)
	}
	q := *p
	q.Coding.Pairs = true // of two classes there is one pair
	if _, err := c.Bind(t.Context(), g, &q); err != nil {
		t.Error(err)
	}
	if got, want := c.Space(2, 3), c.Learner.Space(2, 3); !slices.Equal(got, want) {
		t.Errorf("parameters are %v, expected %v", got, want)
	}
	c.Rounds = 2
	trainer, err := c.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := trainer.Train(ctx, nil, []float64{0.1}, nil)
		return err
	})
}

// failing is a kernel of which one thing cannot be had.
type failing struct {
	kernel.Gaussian
	what string
}

var errFailing = errors.New("cannot be had")

func (k failing) Bind(ctx context.Context, train data.Rows, w *kernel.Work) (kernel.Gram, error) {
	if k.what == "bind" {
		return nil, errFailing
	}
	g, err := k.Gaussian.Bind(ctx, train, w)
	return failingGram{g, k.what}, err
}

type failingGram struct {
	kernel.Gram
	what string
}

func (g failingGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if g.what == "cross" {
		return errFailing
	}
	return g.Gram.Cross(dst, x, j)
}

func (g failingGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if g.what == "pull" {
		return errFailing
	}
	return g.Gram.Pull(grad, bar)
}

func (g failingGram) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	if g.what == "expand" {
		return nil, errFailing
	}
	return g.Gram.Expand(alpha, j)
}

// What a view's kernel cannot do, the kernels made of it cannot do either, and they say why.
func TestErrorsOfViews(t *testing.T) {
	x, views := cloud(6, 2, 3)
	u := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	for _, what := range []string{"", "bind", "cross", "pull", "expand"} {
		bad := failing{kernel.Gaussian{Sigma: 1}, what}
		k := two(1)
		k.Kernels[1] = bad
		apart := k
		apart.Coupling = 0
		for name, c := range map[string]struct {
			k kernel.Kernel
			x data.Rows
		}{
			"coupled":       {k, multiview.Stack(x, views).Rows.Select([]int{0, 1, 2, 6, 7, 8})},
			"apart":         {apart, multiview.Stack(x, views).Rows.Select([]int{0, 1, 2, 6, 7, 8})},
			"sum":           {multiview.Sum{Coupled: k, Views: views}, x},
			"centred":       {multiview.Centred{Base: bad}, x},
			"twice centred": {multiview.Centred{Base: bad, Double: true}, x},
		} {
			failed := map[string]error{}
			g, err := c.k.Bind(t.Context(), c.x, nil)
			if failed["bind"] = err; err == nil {
				failed["cross"] = g.Cross(mat.NewDense(6, 6, nil), c.x, nil)
				grad := make([]float64, len(c.k.Space()))
				failed["pull"] = g.Pull(grad, kernel.Cotangent{U: u, V: u})
				_, failed["expand"] = g.Expand(u, nil)
			}
			for place, err := range failed {
				if want := place == what; errors.Is(err, errFailing) != want || !want && err != nil {
					t.Errorf("%s: with a kernel that fails in %q the error in %s is %v", name, what, place, err)
				}
			}
		}
	}
}

// Where things lack views, each view's kernel is warped over the things that have it, with all that is known of them.
func TestWarpWhereViewsAreMissing(t *testing.T) {
	x, views := cloud(16, 3, 8)
	for i, v := range map[int]int{1: 0, 4: 0, 7: 2, 11: 2} {
		x.Dense.Set(i, 2*v, math.NaN())
		x.Dense.Set(i, 2*v+1, math.NaN())
	}
	rows := emptied(x)
	s := multiview.Stack(rows, views)
	k := several(3, 0)
	k.Norm, k.Ratio = manifold.Graph{Recipe: graph.Recipe{Neighbours: 3, Degree: 1}, First: 0, Last: 6}, 0.7
	got := block(bind(t, k, s.Rows))
	for v, columns := range views {
		var own, things []int
		for r, i := range s.Thing {
			if s.View[r] == v {
				own, things = append(own, r), append(things, i)
			}
		}
		warp := manifold.Warp{Base: kernel.Columns{Base: k.Kernels[v], Columns: columns}, Norm: k.Norm, Ratio: k.Ratio}
		want := block(bind(t, warp, rows.Select(things)))
		for a, i := range own {
			for b, j := range own {
				near(t, "a value within a view", got.At(i, j), want.At(a, b), 1e-12)
			}
		}
	}
}

// A coupling so strong that nothing is left to solve with is refused by its number.
func TestCouplingTooStrong(t *testing.T) {
	x, views := cloud(9, 2, 3)
	k := multiview.Coupled{Names: []string{"a", "b"}, Kernels: []kernel.Kernel{kernel.Linear{}, kernel.Linear{}}, Coupling: 1e40}
	_, err := k.Bind(t.Context(), multiview.Stack(x, views).Rows, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "multiview: views coupled by 1e+40: ") {
		t.Errorf("the refusal is %v", err)
	}
}

// Graphs that cannot be built, or whose building is stopped, make neither a mixture nor a norm of views, and views whose kernels are not
// positive are not coupled.
func TestNormsAndCouplingsThatFail(t *testing.T) {
	x, views := cloud(12, 2, 3)
	mixture := func(neighbours int) multiview.Mixed {
		m := multiview.Mixed{Weights: []float64{0.5, 0.5}}
		for v := range views {
			recipe := graph.Recipe{Neighbours: neighbours, Degree: 1}
			m.Graphs = append(m.Graphs, manifold.Graph{Recipe: recipe, First: 2 * v, Last: 2*v + 2})
		}
		return m
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := mixture(3).Bind(ctx, x, nil); return err })
	many := mixture(12) // of 12 things
	if _, err := many.Bind(t.Context(), x, nil); err == nil || !strings.Contains(err.Error(), "neighbours") {
		t.Errorf("a mixture of graphs that cannot be built: %v", err)
	}
	k := two(0)
	k.Norm, k.Ratio = many.Graphs[0], 0.7
	if _, err := k.Bind(t.Context(), multiview.Stack(x, views).Rows, nil); err == nil || !strings.Contains(err.Error(), "neighbours") {
		t.Errorf("a norm of a graph that cannot be built: %v", err)
	}
	x.Dense.Scale(0.1, x.Dense)
	k = two(1e6)
	for v := range k.Kernels {
		k.Kernels[v] = kernel.Sigmoid{Scale: 1, Offset: -1} // with a diagonal of about -0.7
	}
	if _, err := k.Bind(t.Context(), multiview.Stack(x, views).Rows, nil); err == nil ||
		!strings.HasPrefix(err.Error(), "multiview: views coupled by 1e+06: ") {
		t.Errorf("views of a negative diagonal: %v", err)
	}
}
