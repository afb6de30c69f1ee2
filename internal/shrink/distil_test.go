package shrink_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// rings is a model whose classes are rings around the origin, written over all rows in a kernel so narrow that no few of its
// functions follow it.
func rings(t *testing.T, rows data.Rows, classes int) *model.Model {
	t.Helper()
	c := classes
	if classes == 2 {
		c = 1
	}
	coef := mat.NewDense(rows.Len(), c, nil)
	for i := range rows.Len() {
		x := rows.Dense.RawRowView(i)
		ring := min(int(1.2*math.Hypot(x[0], x[1])), classes-1)
		for q := range c {
			coef.Set(i, q, -1)
			if c > 1 && ring == q || c == 1 && ring == 1 {
				coef.Set(i, q, 1)
			}
		}
	}
	m := whole(c, model.Expansion{Kernel: kernel.Gaussian{Sigma: 0.02}, Centres: rows, Coef: coef})
	m.Parts[0].Offset[0] = 0
	m.Calibration = calibrate.Sigmoid{Slope: 2}
	if c > 1 {
		m.Calibration = calibrate.Softmax{Temperature: 2}
	}
	return m
}

// share is that of the rows which two models decide alike.
func share(t *testing.T, rows data.Rows, a, b *model.Model) float64 {
	t.Helper()
	was, is := decide(t, a, rows), decide(t, b, rows)
	n := 0
	for i := range was {
		if was[i] == is[i] {
			n++
		}
	}
	return float64(n) / float64(len(was))
}

func decide(t *testing.T, m *model.Model, rows data.Rows) []int {
	t.Helper()
	out, err := m.Predict(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return m.Decide(out)
}

// Few wide functions decide as a model of many narrow ones does, where its outputs cannot be approximated by few.
func TestDistilDecidesAlike(t *testing.T) {
	rows := plane(400)
	kernels := []kernel.Kernel{kernel.Gaussian{Sigma: 0.02}, kernel.Gaussian{Sigma: 0.5}, kernel.Gaussian{Sigma: 100}}
	for _, classes := range []int{2, 3} {
		m := rings(t, rows, classes)
		d, err := shrink.NewDistillation(t.Context(), m, rows, kernels, shrink.Options{})
		if err != nil {
			t.Fatal(err)
		}
		small, err := d.Model(t.Context(), 30)
		if err != nil {
			t.Fatal(err)
		}
		near, _, err := shrink.Model(t.Context(), m, rows, 30, shrink.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := share(t, rows, m, small); shrink.Centres(small) > 30 || s < 0.97 || s <= share(t, rows, m, near) {
			t.Errorf("%d classes: %d centres decide %v of the rows alike, an approximation %v", classes, shrink.Centres(small), s,
				share(t, rows, m, near))
		}
		out, err := small.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := small.Probabilities(out); err != nil {
			t.Errorf("%d classes: %v", classes, err)
		}
	}
}

// Decisions alone count: outputs of another size, and votes of pairs with the same decisions, give the same classifier.
func TestDistilLooksAtDecisions(t *testing.T) {
	rows := plane(150)
	kernels := []kernel.Kernel{kernel.Gaussian{Sigma: 0.5}}
	of := func(m *model.Model) *mat.Dense {
		d, err := shrink.NewDistillation(t.Context(), m, rows, kernels, shrink.Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		small, err := d.Model(t.Context(), 20)
		if err != nil {
			t.Fatal(err)
		}
		return small.Parts[0].Functions[0].(model.Expansion).Coef
	}
	m := rings(t, rows, 3)
	want := of(m)
	e := m.Parts[0].Functions[0].(model.Expansion)
	larger := mat.DenseCopyOf(e.Coef)
	larger.Scale(1e6, larger)
	e.Coef = larger
	m.Parts[0].Functions = []model.Function{e}
	if !mat.Equal(of(m), want) {
		t.Error("the size of the outputs changes the classifier")
	}
	was := decide(t, m, rows)
	pairs := mat.NewDense(rows.Len(), 3, nil) // 1 against 0, 2 against 0, 2 against 1, of the signs of their differences
	for i := range rows.Len() {
		c := larger.RawRowView(i)
		for q, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			pairs.Set(i, q, c[p[1]]-c[p[0]])
		}
	}
	e.Coef = pairs
	m.Parts[0].Functions, m.Pairs, m.Calibration = []model.Function{e}, true, nil
	if !slices.Equal(decide(t, m, rows), was) {
		t.Fatal("the pairs decide otherwise")
	}
	if !mat.Equal(of(m), want) {
		t.Error("votes of pairs change the classifier")
	}
}

// The more centres, the more rows are decided alike, and one class everywhere needs none.
func TestDistilSizes(t *testing.T) {
	rows := plane(300)
	m := rings(t, rows, 3)
	d, err := shrink.NewDistillation(t.Context(), m, rows, []kernel.Kernel{kernel.Gaussian{Sigma: 0.5}}, shrink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := 0.0
	for _, size := range []int{2, 8, 64} {
		small, err := d.Model(t.Context(), size)
		if err != nil {
			t.Fatal(err)
		}
		s := share(t, rows, m, small)
		if s <= before {
			t.Errorf("%d centres decide %v alike, fewer %v", size, s, before)
		}
		before = s
	}
	e := m.Parts[0].Functions[0].(model.Expansion)
	e = model.Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: mat.NewDense(300, 3, nil)}
	m.Parts[0] = model.Part{Functions: []model.Function{e}, Offset: []float64{0, 1, 0}}
	if d, err = shrink.NewDistillation(t.Context(), m, rows, []kernel.Kernel{e.Kernel}, shrink.Options{}); err != nil {
		t.Fatal(err)
	}
	small, err := d.Model(t.Context(), 5)
	if err != nil || shrink.Centres(small) != 0 || share(t, rows, m, small) != 1 {
		t.Errorf("one class: %v", err)
	}
}

// What has no decisions, or several views, is refused in one line.
func TestDistilRefuses(t *testing.T) {
	rows := plane(30)
	k := []kernel.Kernel{kernel.Gaussian{Sigma: 1}}
	regression := whole(1, sum(k[0], rows, 1))
	regression.Task, regression.Classes = data.Regression, nil
	views := whole(1, sum(k[0], rows, 1))
	views.Parts = append(views.Parts, views.Parts[0])
	for _, c := range []struct {
		m    *model.Model
		k    []kernel.Kernel
		want string
	}{
		{regression, k, "no decisions"},
		{views, k, "several views"},
		{whole(1, sum(k[0], rows, 1)), nil, "needs a kernel"},
	} {
		if _, err := shrink.NewDistillation(t.Context(), c.m, rows, c.k, shrink.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestSmallerModelsStop: a model that is made smaller, in either way, ends with its context wherever that is asked, and else is whole.
func TestSmallerModelsStop(t *testing.T) {
	rows := plane(24)
	m := rings(t, rows, 3)
	kernels := []kernel.Kernel{kernel.Gaussian{Sigma: 0.5}, kernel.Gaussian{Sigma: 2}}
	outputs := func(small *model.Model) []float64 {
		out, err := small.Predict(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		return mat.DenseCopyOf(out).RawMatrix().Data
	}
	for name, smaller := range map[string]func(context.Context) (*model.Model, error){
		"approximated": func(ctx context.Context) (*model.Model, error) {
			small, _, err := shrink.Model(ctx, m, rows, 5, shrink.Options{})
			return small, err
		},
		"distilled": func(ctx context.Context) (*model.Model, error) {
			d, err := shrink.NewDistillation(ctx, m, rows, kernels, shrink.Options{})
			if err != nil {
				return nil, err
			}
			return d.Model(ctx, 5)
		},
	} {
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := smaller(ctx); return err })
		t.Run(name, func(t *testing.T) {
			stoptest.Whole(t, func(a, b *model.Model) bool { return slices.Equal(outputs(a), outputs(b)) }, smaller)
		})
	}
}

// TestDistilInVain: rows of one class have nothing that one of several kernels is nearer to, and a classifier is smaller than its model.
func TestDistilInVain(t *testing.T) {
	rows := plane(30)
	k := kernel.Gaussian{Sigma: 1}
	same := whole(3, model.Expansion{Kernel: k, Centres: rows, Coef: mat.NewDense(30, 3, nil)})
	_, err := shrink.NewDistillation(t.Context(), same, rows, []kernel.Kernel{k, kernel.Gaussian{Sigma: 2}}, shrink.Options{})
	if err == nil || !strings.Contains(err.Error(), "nearer to the decisions than a constant") {
		t.Errorf("of one class and two kernels: %v", err)
	}
	d, err := shrink.NewDistillation(t.Context(), rings(t, rows, 3), rows, []kernel.Kernel{k}, shrink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]string{0: "at least 1", 30: "30 centres already"} {
		if _, err := d.Model(t.Context(), size); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d centres: %v, want %q", size, err, want)
		}
	}
}
