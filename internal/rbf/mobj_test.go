package rbf

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/internal/test/paretotest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// spiral is the twin spiral of Lang and Witbrock: 97 points a class, targets -1, +1.
func spiral() (data.Rows, *mat.Dense) {
	x, y := mat.NewDense(194, 2, nil), mat.NewDense(194, 1, nil)
	for i := range 97 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 16)
		r := 6.5 * float64(104-i) / 104
		x.SetRow(i, []float64{r * sin, r * cos})
		x.SetRow(97+i, []float64{-r * sin, -r * cos})
		y.Set(i, 0, 1)
		y.Set(97+i, 0, -1)
	}
	return data.Rows{Dense: x}, y
}

// Experiment 1 of Kokshenev 2010, section 4.5.1: 101 widths from 0.2 to 2, of which
// those from 0.59 to 0.69 hold the front up to q = 500, and steps of 2 in q. The table is
// of an implementation that stops where active columns become dependent: from
// q = 400 on the exact minima are up to a tenth below it, never above.
func TestTwinSpiralFront(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes long fronts, which takes long under the race detector")
	}
	rows, y := spiral()
	recipe := MOBJ{
		Widths:  Widths{Lo: 0.2 * math.Pow(10, 0.47), Hi: 0.2 * math.Pow(10, 0.54), Steps: 7},
		Centres: Centres{Overlap: -1},
		MaxQ:    500,
		Steps:   250,
	}
	fronts, err := recipe.Fit(context.Background(), rows, y)
	if err != nil {
		t.Fatal(err)
	}
	f := fronts[0]
	wrong, err := f.Misclassified(context.Background(), rows, y.RawMatrix().Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		q, sse, sigma float64
		units, wrong  int
	}{
		{20, 158.2, 0.647, 50, 62}, {60, 123.9, 0.647, 134, 38}, {100, 97.49, 0.662, 152, 6}, {120, 85.55, 0.662, 151, 0},
		{200, 45.70, 0.678, 151, 0}, {300, 13.57, 0.678, 157, 0}, {400, 0.6143, 0.678, 158, 0}, {412, 0.2468, 0.662, 160, 0},
		{414, 0.2038, 0.662, 159, 0}, {500, 0.004729, 0.618, 168, 0},
	} {
		at := -1
		for i := range f.Elements {
			if math.Abs(f.Elements[i].Q-w.q) < 1e-6 {
				at = i
			}
		}
		if at < 0 {
			t.Errorf("no element of complexity %g", w.q)
			continue
		}
		e := &f.Elements[at]
		t.Logf(
			"q %g: SSE %.6g (%g), sigma %.4f (%g), units %d (%d), wrong %d (%d)",
			w.q,
			e.SSE,
			w.sse,
			f.Sigma(at),
			w.sigma,
			len(e.Units),
			w.units,
			wrong[at],
			w.wrong,
		)
		least, step := w.sse*(1-5e-4), 6e-4
		if w.q >= 400 {
			least, step = w.sse*0.88, 0.03*w.sigma
		}
		// At q = 20 outputs far from all units are zero but for rounding.
		if e.SSE > w.sse*(1+5e-4) || e.SSE < least || math.Abs(f.Sigma(at)-w.sigma) > step || wrong[at] != w.wrong && w.q > 20 {
			t.Errorf("complexity %g: differs from the table", w.q)
		}
	}
	sse, q := f.Objectives()
	paretotest.Check(t, paretotest.Front{Risk: sse, Complexity: q})
	for _, want := range []float64{20, 100, 300, 412, 500} {
		for i := range f.Elements {
			if math.Abs(f.Elements[i].Q-want) < 1e-6 {
				if gap, _ := gap(t, f, i, rows, y); gap > 1e-6 {
					t.Errorf("complexity %g: duality gap of %g of the SSE", want, gap)
				}
			}
		}
	}
	// The end of the table, q = 1000, by one of its widths.
	end, err := MOBJ{
		Widths:  Widths{Hi: 0.2 * math.Pow(10, 0.35), Steps: -1},
		Centres: Centres{Overlap: -1},
		MaxQ:    1000,
		Steps:   1,
	}.Fit(
		context.Background(),
		rows,
		y,
	)
	if err != nil {
		t.Fatal(err)
	}
	if e := end[0].Elements[1]; e.SSE > 3.392e-5 || e.SSE < 3e-5 {
		t.Errorf("SSE %g at q = %g", e.SSE, e.Q)
	}
	if f.Violation > 1e-8 {
		t.Errorf("certificate %g", f.Violation)
	}
	t.Logf("%d elements, violation %.1e", len(f.Elements), f.Violation)
}

// gap bounds how far element i is from the minimum of SSE for its width and
// complexity, as a share of its SSE, and returns that: by duality the minimum is at least
// |y|^2 - |y-r|^2 - 2 Q max|h_j'r| for any r, here the residual.
func gap(t *testing.T, f *Front, i int, rows data.Rows, y *mat.Dense) (share, sse float64) {
	t.Helper()
	e := &f.Elements[i]
	p, err := newPoints(rows, f.Centres, f.NoOffset)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.newDictionary(context.Background(), []float64{f.Sigma(i)}, f.Order, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	bar, _ := p.centred(mat.Col(nil, 0, y))
	r := mat.NewVecDense(len(bar), append([]float64(nil), bar...))
	for k, u := range e.Units {
		r.AddScaledVec(r, -e.Coef[k]/math.Pow(f.Sigma(i), f.Order), d.t.RowView(int(u.Centre)))
	}
	var c mat.VecDense
	c.MulVec(d.t, r)
	sse = mat.Dot(r, r)
	least := 2*mat.Dot(mat.NewVecDense(len(bar), bar), r) - sse - 2*e.Q*mat.Norm(&c, math.Inf(1))
	return (sse - least) / sse, sse
}

// Shuffled ten folds choose a network of the middle of the front in experiment 1, where
// contiguous ones, the source's, choose nearly the empty one. A few of the widths and
// complexities.
func TestTwinSpiralCrossValidation(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: some forty paths; run without -short")
	}
	rows, y := spiral()
	fronts, err := MOBJ{
		Widths:  Widths{Lo: 0.2 * math.Pow(10, 0.35), Hi: 0.2 * math.Pow(10, 0.55), Steps: 4},
		Centres: Centres{Overlap: -1},
		MaxQ:    600,
		Steps:   30,
	}.Fit(
		context.Background(),
		rows,
		y,
	)
	if err != nil {
		t.Fatal(err)
	}
	f := fronts[0]
	labels := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, 194)}
	for i := range labels.Class {
		labels.Class[i] = int(y.At(i, 0)+1) / 2
	}
	folds, err := data.Folds(labels, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.CrossValidate(context.Background(), rows, y.RawMatrix().Data, folds.Groups())
	if err != nil {
		t.Fatal(err)
	}
	of := choose.Front{N: f.Rows}
	for i := range f.Elements {
		of.Members = append(
			of.Members,
			choose.Member{SSE: f.Elements[i].SSE, Complexity: f.Elements[i].Q, DF: float64(len(f.Elements[i].Units)), Errors: -1},
		)
	}
	d, err := choose.Held{Word: "cv-lasso", Loss: v.SSE, Says: "10 shuffled folds"}.Decide(of)
	if err != nil {
		t.Fatal(err)
	}
	e := &f.Elements[d.Chosen]
	t.Logf("chosen Q %g, sigma %.3f, %d units, mean squared error %.3f", e.Q, f.Sigma(d.Chosen), len(e.Units), v.SSE[d.Chosen]/194)
	if e.Q < 350 || e.Q > 500 {
		t.Errorf("cross-validation chooses Q = %g, not 350 to 500", e.Q)
	}
}

// A path that ends where its tangent lies above the others' envelope loses nothing: the front
// is that of all paths followed to the end.
func TestEndedPathsLoseNothing(t *testing.T) {
	rows, y := regression(60, 2, 21)
	recipe := MOBJ{Widths: Widths{Lo: 0.05, Hi: 8, Steps: 24}, MaxQ: 80, Steps: 100}
	fronts, err := recipe.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range fronts {
		ended := 0
		for _, part := range f.Parts {
			if part.Q[len(part.Q)-1] < 0.99*recipe.MaxQ {
				ended++
			}
		}
		if ended < 4 || len(f.Parts) != 25 {
			t.Errorf("output %d: %d of %d paths ended early", k, ended, len(f.Parts))
		}
		least := make([]float64, recipe.Steps+1)
		for i := range least {
			least[i] = math.Inf(1)
		}
		for _, sigma := range f.Widths {
			one, err := MOBJ{
				Widths:  Widths{Hi: sigma, Steps: -1},
				Centres: Centres{Given: f.Centres},
				MaxQ:    recipe.MaxQ,
				Steps:   recipe.Steps,
			}.
				Fit(
					ctx,
					rows,
					mat.NewDense(60, 1, mat.Col(nil, k, y)),
				)
			if err != nil {
				t.Fatal(err)
			}
			for i := range one[0].Elements {
				e := &one[0].Elements[i]
				at := int(math.Ceil(e.Q/recipe.MaxQ*float64(recipe.Steps) - 1e-9))
				least[at] = min(least[at], e.SSE)
			}
		}
		for i := range f.Elements {
			e := &f.Elements[i]
			at := int(math.Round(e.Q / recipe.MaxQ * float64(recipe.Steps)))
			if math.Abs(e.SSE-least[at]) > 1e-9*(1+least[at]) {
				t.Errorf("output %d, Q %g: SSE %.12g, of all paths %.12g", k, e.Q, e.SSE, least[at])
			}
		}
	}
}

// Interrupted anywhere, a front is what was nondominated until then: marked, nondominated, and
// what its predictions show.
func TestInterruptedFronts(t *testing.T) {
	rows, y := regression(50, 2, 22)
	widths := Widths{Lo: 0.3, Hi: 2, Steps: 9}
	for name, fit := range map[string]func(ctx context.Context) ([]*Front, error){
		"one width": func(ctx context.Context) ([]*Front, error) {
			return MOBJ{Widths: widths, MaxQ: 60}.Fit(ctx, rows, y)
		},
		"joint": func(ctx context.Context) ([]*Front, error) {
			return Joint{Widths: widths, MaxQ: 60}.Fit(ctx, rows, y)
		},
		"grn": func(ctx context.Context) ([]*Front, error) {
			f, df, err := GRN{Widths: widths, Stabiliser: Norm}.Fit(ctx, rows, y)
			for k := range f {
				if len(df[k]) != len(f[k].Elements) {
					t.Errorf("%d degrees of freedom of %d elements", len(df[k]), len(f[k].Elements))
				}
			}
			return f, err
		},
	} {
		whole, err := fit(ctx)
		if err != nil || whole[0].Partial {
			t.Fatal(name, err)
		}
		partial, nothing := 0, 0
		for asked := 1; asked < 5000; asked = asked*3/2 + 1 {
			f, err := fit(stoptest.After(ctx, asked))
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(name, err)
				}
				nothing++
				continue
			}
			for k := range f {
				sse, q := f[k].Objectives()
				paretotest.Check(t, paretotest.Front{Risk: sse, Complexity: q})
				if name != "grn" { // whose Q is another
					consistent(t, f[k], rows, mat.Col(nil, k, y))
				}
				if f[k].Partial {
					partial++
				}
			}
		}
		if partial < 2 || nothing == 0 {
			t.Errorf("%s: %d partial fronts, %d times nothing", name, partial, nothing)
		}
	}
}

// TestInterruptedBeforeAnyUnit: a joint front that is interrupted before the first unit is an error, and the first that is none has one.
func TestInterruptedBeforeAnyUnit(t *testing.T) {
	rows, y := regression(20, 2, 22)
	for asked := range 1000 {
		fronts, err := Joint{Widths: Widths{Lo: 0.3, Hi: 2, Steps: 3}, MaxQ: 60}.Fit(stoptest.After(ctx, asked), rows, y)
		if errors.Is(err, context.Canceled) {
			continue
		}
		units := slices.ContainsFunc(fronts, func(f *Front) bool {
			return slices.ContainsFunc(f.Elements, func(e Element) bool { return len(e.Units) > 0 })
		})
		if err != nil || asked == 0 || !units {
			t.Errorf("interrupted at look %d: units %v, %v", asked, units, err)
		}
		return
	}
	t.Error("it is always interrupted")
}

// Fronts have the documented defaults: 250 steps of complexities of order 2, and of several widths 30 of them.
func TestDefaultsOfFronts(t *testing.T) {
	rows, y := regression(14, 1, 9)
	widths := Widths{Lo: 0.5, Hi: 2, Steps: 2}
	of := func(r Enlargeable) *Front {
		f, err := r.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		return f[0]
	}
	for _, c := range [][2]Enlargeable{
		{MOBJ{Widths: widths}, MOBJ{Widths: widths, Steps: 250, Order: 2}},
		{Joint{Widths: widths}, Joint{Widths: widths, Order: 2, MinShare: 0.01}},
	} {
		if !reflect.DeepEqual(of(c[0]), of(c[1])) {
			t.Errorf("%T has other defaults than %+v", c[0], c[1])
		}
	}
	if n := len(of(Joint{Steps: 1}).Widths); n != 30 {
		t.Errorf("%d widths", n)
	}
}

// Eight widths over the whole grid are followed before all others, and these by eights; of a width's own front a hundred points are kept
// at most, both ends among them.
func TestWavesAndParts(t *testing.T) {
	order := [][]int{{0, 2, 5, 8, 10, 13, 16, 19}, {1, 3, 4, 6, 7, 9, 11, 12}, {14, 15, 17, 18}}
	if got := waves(20); !reflect.DeepEqual(got, order) {
		t.Errorf("waves %v", got)
	}
	for nodes, want := range map[int]int{60: 60, 100: 100, 101: 100, 150: 100} {
		p := new(solve.LassoPath)
		for k := range nodes {
			p.Nodes = append(p.Nodes, solve.LassoNode{L1: float64(k), SSE: float64(nodes - k)})
		}
		if f := partOf(1.5, p); len(f.Q) != want || len(f.SSE) != want || f.Q[0] != 0 || f.Q[want-1] != float64(nodes-1) || f.Sigma != 1.5 {
			t.Errorf("of %d points %d are kept, %g to %g", nodes, len(f.Q), f.Q[0], f.Q[len(f.Q)-1])
		}
	}
}
