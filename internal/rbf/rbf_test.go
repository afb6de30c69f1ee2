package rbf

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/test/paretotest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
)

var ctx = context.Background()

// regression is a noisy regression of two columns, with outputs columns of targets.
func regression(n, outputs int, seed uint64) (data.Rows, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, outputs, nil)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		for k := range outputs {
			y.Set(i, k, math.Sin(2*a+float64(k))+b+0.2*rng.NormFloat64())
		}
	}
	return data.Rows{Dense: x}, y
}

func fit(t *testing.T, m MOBJ, rows data.Rows, y *mat.Dense) *Front {
	t.Helper()
	f, err := m.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	sse, q := f[0].Objectives()
	paretotest.Check(t, paretotest.Front{Risk: sse, Complexity: q})
	return f[0]
}

// What an element says of itself is what its predictions show; its expansions are
// the same function; its residuals have mean zero.
func consistent(t *testing.T, f *Front, rows data.Rows, y []float64) {
	t.Helper()
	out, err := f.Predict(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for e := range f.Elements {
		var sse, sum, q float64
		for i, v := range y {
			r := v - out.At(i, e)
			sse += r * r
			sum += r
		}
		el := &f.Elements[e]
		for k, u := range el.Units {
			q += math.Abs(el.Coef[k]) / math.Pow(f.Widths[u.Width], f.Order)
		}
		if math.Abs(sse-el.SSE) > 1e-8*f.Elements[0].SSE || math.Abs(sum) > 1e-8*f.Elements[0].SSE || math.Abs(q-el.Q) > 1e-9*(1+q) {
			t.Fatalf("element %d: SSE %.12g says %.12g, Q %.12g says %.12g, residuals sum to %g", e, sse, el.SSE, q, el.Q, sum)
		}
	}
}

func TestFrontIsConsistent(t *testing.T) {
	rows, y := regression(60, 2, 1)
	for _, exact := range []bool{false, true} {
		fs, err := MOBJ{Widths: Widths{Steps: 6}, Steps: 40, Exact: exact}.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range fs {
			consistent(t, f, rows, mat.Col(nil, k, y))
			if len(f.Elements[0].Units) != 0 || f.Elements[0].Q != 0 {
				t.Error("the front does not start at the constant network")
			}
		}
	}
	js, err := Joint{Widths: Widths{Steps: 6}}.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range js {
		consistent(t, f, rows, mat.Col(nil, k, y))
	}
	less, err := Joint{Widths: Widths{Steps: 6}, Memory: 1}.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range less[0].Elements {
		if a, b := less[0].Elements[i], js[0].Elements[i]; math.Abs(a.SSE-b.SSE) > 1e-9*(1+b.SSE) {
			t.Fatalf("element %d: SSE %g with computed columns, %g with stored ones", i, a.SSE, b.SSE)
		}
	}
}

// at is the least SSE of a front at complexity q or less.
func (f *Front) at(q float64) float64 {
	least := math.Inf(1)
	sse, qs := f.Objectives()
	for i, v := range sse {
		if qs[i] <= q*(1+1e-12) {
			least = min(least, v)
		}
	}
	return least
}

func TestFrontsAreOrdered(t *testing.T) {
	rows, y := regression(50, 1, 2)
	recipe := MOBJ{Widths: Widths{Lo: 0.3, Hi: 3, Steps: 3}, MaxQ: 200, Steps: 20}
	coarse := fit(t, recipe, rows, y)
	recipe.Widths.Steps = 12
	fine := fit(t, recipe, rows, y)
	recipe.Exact = true
	exact := fit(t, recipe, rows, y)
	joint, err := Joint{Widths: recipe.Widths, MaxQ: 200, MinShare: -1}.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 21 {
		q := float64(i) * 10
		c, f, j := coarse.at(q), fine.at(q), joint[0].at(q)
		if f > c*(1+1e-9) {
			t.Errorf("q %g: %g with more widths, %g with fewer", q, f, c)
		}
		// The joint front has knots only: compare where MOBJ stands at or beyond one.
		for k := range exact.Elements {
			e := &exact.Elements[k]
			if v := joint[0].at(e.Q); k > 0 && e.Q > 1 && v > exact.Elements[k-1].SSE*(1+1e-9) {
				t.Fatalf("joint SSE %g at Q %g, single width %g before it", v, e.Q, exact.Elements[k-1].SSE)
			}
		}
		if i > 2 && j > 1.02*f {
			t.Errorf("q %g: joint %g, single width %g", q, j, f)
		}
	}
	// Samples lie on the exact envelope: between its neighbours.
	for k := range fine.Elements {
		e := &fine.Elements[k]
		if lower := exact.at(e.Q); e.SSE > lower*(1+1e-9) {
			t.Errorf("sample at Q %g has SSE %g, an exact element %g", e.Q, e.SSE, lower)
		}
	}
}

// y -> a y + c; x and widths -> 2 x.
func TestFrontScales(t *testing.T) {
	rows, y := regression(40, 1, 3)
	recipe := MOBJ{Widths: Widths{Lo: 0.4, Hi: 2, Steps: 4}, MaxQ: 100, Steps: 15}
	f := fit(t, recipe, rows, y)
	z := mat.DenseCopyOf(y)
	z.Apply(func(_, _ int, v float64) float64 { return 4*v + 3 }, y)
	recipe.MaxQ = 400
	g := fit(t, recipe, rows, z)
	x := mat.DenseCopyOf(rows.Dense)
	x.Scale(2, x)
	h := fit(t, MOBJ{Widths: Widths{Lo: 0.8, Hi: 4, Steps: 4}, MaxQ: 25, Steps: 15}, data.Rows{Dense: x}, y)
	if len(f.Elements) != len(g.Elements) || len(f.Elements) != len(h.Elements) {
		t.Fatalf("%d elements, %d and %d scaled", len(f.Elements), len(g.Elements), len(h.Elements))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-7*(1e-3+math.Abs(a)+math.Abs(b)) }
	for i := range f.Elements {
		a, b, c := &f.Elements[i], &g.Elements[i], &h.Elements[i]
		if !near(16*a.SSE, b.SSE) || !near(4*a.Q, b.Q) || !near(4*a.Offset+3, b.Offset) || !near(4*a.L1(), b.L1()) {
			t.Errorf("element %d: targets scaled: %g %g %g, was %g %g %g", i, b.SSE, b.Q, b.Offset, a.SSE, a.Q, a.Offset)
		}
		if !near(a.SSE, c.SSE) || !near(a.Q, 4*c.Q) || !near(a.L1(), c.L1()) {
			t.Errorf("element %d: rows scaled: %g %g, was %g %g", i, c.SSE, c.Q, a.SSE, a.Q)
		}
	}
}

// Cross-validation is refitting on the rows that are not held out, at the same size.
func TestCrossValidationIsRefitting(t *testing.T) {
	rows, y := regression(40, 1, 4)
	f := fit(t, MOBJ{Widths: Widths{Lo: 0.5, Hi: 2, Steps: 2}, MaxQ: 60, Steps: 6}, rows, y)
	folds := [][]int{
		{0, 3, 6, 9, 12, 15, 18, 21, 24, 27},
		{1, 2, 4, 5, 7, 8, 10, 11},
		{13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39},
	}
	v, err := f.CrossValidate(ctx, rows, y.RawMatrix().Data, folds)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Elements {
		if i == 0 {
			continue
		}
		var want float64
		for _, held := range folds {
			train := learn.Others(40, held)
			yt := mat.NewDense(len(train), 1, indices.Of(y.RawMatrix().Data, train))
			g, err := MOBJ{
				Widths:  Widths{Hi: f.Sigma(i), Steps: -1},
				Centres: Centres{Given: f.Centres},
				MaxQ:    f.Elements[i].Q,
				Steps:   1,
			}.Fit(
				ctx,
				rows.Select(train),
				yt,
			)
			if err != nil {
				t.Fatal(err)
			}
			hv, err := g[0].Validate(ctx, rows.Select(held), indices.Of(y.RawMatrix().Data, held))
			if err != nil {
				t.Fatal(err)
			}
			want += hv.SSE[len(hv.SSE)-1]
		}
		if math.Abs(v.SSE[i]-want) > 1e-7*want {
			t.Errorf("element %d: %.12g, refitted %.12g", i, v.SSE[i], want)
		}
	}
	if v.Rows != 40 {
		t.Errorf("%d rows held out", v.Rows)
	}
	// A front of one joint path of one width is that of a single width.
	j, err := Joint{Widths: Widths{Hi: 1, Steps: -1}, MaxQ: 20, MinShare: -1}.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	a, err := j[0].CrossValidate(ctx, rows, y.RawMatrix().Data, folds)
	if err != nil {
		t.Fatal(err)
	}
	j[0].Joint = false
	b, err := j[0].CrossValidate(ctx, rows, y.RawMatrix().Data, folds)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("joint path of one width differs: %v", err)
	}
}

func TestFrontDoesNotDependOnThreads(t *testing.T) {
	rows, y := regression(80, 2, 5)
	var got []any
	old := runtime.GOMAXPROCS(0)
	for _, n := range []int{1, 3} {
		runtime.GOMAXPROCS(n)
		f, err := MOBJ{Widths: Widths{Steps: 10}, Steps: 10}.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f[1].CrossValidate(ctx, rows, mat.Col(nil, 1, y), [][]int{{1, 5, 7}, {2, 30, 40}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, []any{f[0].Elements, f[1].Elements, v})
	}
	runtime.GOMAXPROCS(old)
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Error("fronts differ")
	}
}

func TestCentresAndWidths(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(6, 1, []float64{0, 1, 1.05, 5, 0, 5.2})}
	if got := Distinct(x, 0.1); !slices.Equal(got, []int{0, 1, 3, 5}) {
		t.Errorf("distinct %v", got)
	}
	if got := Distinct(x, 0); !slices.Equal(got, []int{0, 1, 2, 3, 5}) {
		t.Errorf("different %v", got)
	}
	m, err := Means(ctx, x, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := mat.Col(nil, 0, m.Dense)
	slices.Sort(c)
	if math.Abs(c[0]-0.5125) > 1e-12 || math.Abs(c[1]-5.1) > 1e-12 {
		t.Errorf("means %v", c)
	}
	if _, err := Means(ctx, x, 7, 1); err == nil {
		t.Error("seven means of six rows")
	}
	// Non-zero distances of 0, 1, 3: 1, 2, 3.
	z := data.Rows{Dense: mat.NewDense(4, 1, []float64{0, 1, 3, 0})}
	for rule, want := range map[WidthRule][2]float64{Extremes: {1, 3}, Percentiles: {1, 3}} {
		lo, hi, err := rule.Range(ctx, z, 0)
		if err != nil || math.Abs(lo-want[0]) > 1e-12 || math.Abs(hi-want[1]) > 1e-12 {
			t.Errorf("rule %d: %g to %g, %v", rule, lo, hi, err)
		}
	}
	g, err := Widths{Lo: 0.5, Hi: 8, Steps: 4}.Grid(ctx, z)
	if want := []float64{0.5, 1, 2, 4, 8}; err != nil || len(g) != 5 || math.Abs(g[3]-want[3]) > 1e-12 {
		t.Errorf("grid %v, %v", g, err)
	}
	if _, err := (Widths{}).Grid(ctx, data.Rows{Dense: mat.NewDense(3, 1, nil)}); err == nil {
		t.Error("widths of equal rows")
	}
}

func gauss(t *testing.T, rows data.Rows, sigma float64) *mat.Dense {
	t.Helper()
	g, err := kernel.Gaussian{Sigma: sigma}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(rows.Len(), rows.Len(), nil)
	g.Block(k, nil, nil)
	return k
}

func TestStabilisedSolvesNormalEquations(t *testing.T) {
	rows, y := regression(30, 2, 7)
	k := gauss(t, rows, 0.7)
	h := mat.DenseCopyOf(k.Slice(0, 30, 0, 8))
	p := mat.NewSymDense(8, mat.DenseCopyOf(k.Slice(0, 8, 0, 8)).RawMatrix().Data)
	for _, stabiliser := range []*mat.SymDense{nil, p} {
		for _, offset := range []bool{false, true} {
			s, err := NewStabilised(ctx, h, stabiliser, y, offset)
			if err != nil {
				t.Fatal(err)
			}
			for _, lambda := range []float64{0, 1e-3, 10} {
				f := s.At(lambda)
				// Gradient: H'(y - H a - b) = lambda P a, sum of residuals 0 with offset.
				var r, left, right mat.Dense
				r.Mul(h, f.Coef)
				r.Sub(y, &r)
				for i := range 30 {
					for c := range 2 {
						r.Set(i, c, r.At(i, c)-f.Offset[c])
					}
				}
				left.Mul(h.T(), &r)
				right.CloneFrom(f.Coef)
				if stabiliser != nil {
					right.Mul(stabiliser, f.Coef)
				}
				for c := range 2 {
					sse := mat.Dot(r.ColView(c), r.ColView(c))
					q := mat.Dot(f.Coef.ColView(c), right.ColView(c))
					if math.Abs(sse-f.SSE[c]) > 1e-9*sse || math.Abs(q-f.Q[c]) > 1e-8*q {
						t.Errorf("lambda %g: SSE %g says %g, Q %g says %g", lambda, sse, f.SSE[c], q, f.Q[c])
					}
					if offset && math.Abs(mat.Sum(r.ColView(c))) > 1e-10 {
						t.Errorf("residuals sum to %g", mat.Sum(r.ColView(c)))
					}
				}
				right.Scale(lambda, &right)
				if !mat.EqualApprox(&left, &right, 1e-8) {
					t.Errorf("lambda %g: normal equations off by %v", lambda, mat.Norm(&left, 1))
				}
			}
		}
	}
}

// With all rows as centres the generalised network is the regularisation network.
func TestGRNIsRegularisationNetwork(t *testing.T) {
	rows, y := regression(40, 1, 8)
	lambda := 0.05
	f, df, err := GRN{
		Widths:   Widths{Hi: 0.6, Steps: -1},
		Centres:  Centres{Overlap: -1},
		Lambdas:  []float64{lambda},
		NoOffset: true,
	}.Fit(
		ctx,
		rows,
		y,
	)
	if err != nil {
		t.Fatal(err)
	}
	k := gauss(t, rows, 0.6)
	want, err := rls.Solve(context.Background(), k, y, nil, false, lambda)
	if err != nil {
		t.Fatal(err)
	}
	e := f[0].Elements[0]
	for i, u := range e.Units {
		if math.Abs(e.Coef[i]-want.Alpha.At(int(u.Centre), 0)) > 1e-7 {
			t.Errorf("alpha_%d = %g, network %g", i, e.Coef[i], want.Alpha.At(int(u.Centre), 0))
		}
	}
	// df = tr (G + lambda I)^-1 G.
	var a, s mat.Dense
	a.CloneFrom(k)
	for i := range 40 {
		a.Set(i, i, a.At(i, i)+lambda)
	}
	if err := s.Solve(&a, k); err != nil {
		t.Fatal(err)
	}
	if math.Abs(mat.Trace(&s)-df[0][0]) > 1e-8 {
		t.Errorf("df %g, trace %g", df[0][0], mat.Trace(&s))
	}
}

// Q_norm does not see k -> c k, and is the kernel itself where k(x, x) = 1.
func TestNormalisedKernel(t *testing.T) {
	rows, _ := regression(15, 1, 9)
	k := gauss(t, rows, 0.5)
	sym := mat.NewSymDense(15, k.RawMatrix().Data)
	third := mat.NewSymDense(15, nil)
	third.ScaleSym(1.0/3, sym)
	if n, n3 := Normalised(sym), Normalised(third); math.Abs(9*n3.At(2, 5)/n.At(2, 5)-1) > 1e-14 || !mat.EqualApprox(n, sym, 1e-15) {
		t.Error("Q_norm is not invariant, or not the kernel itself where k(x, x) = 1")
	}
}

func TestGRNFronts(t *testing.T) {
	rows, y := regression(30, 1, 10)
	for _, s := range []Stabiliser{RKHS, Ridge, Norm, Reference} {
		f, df, err := GRN{Widths: Widths{Lo: 0.2, Hi: 1, Steps: 4}, Stabiliser: s}.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		sse, q := f[0].Objectives()
		paretotest.Check(t, paretotest.Front{Risk: sse, Complexity: q})
		if len(df[0]) != len(sse) {
			t.Errorf("%d degrees of freedom for %d elements", len(df[0]), len(sse))
		}
		v, err := f[0].Validate(ctx, rows, y.RawMatrix().Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sse {
			if math.Abs(v.SSE[i]-sse[i]) > 1e-6*(1+sse[i]) {
				t.Errorf("stabiliser %d, element %d: SSE %g, really %g", s, i, sse[i], v.SSE[i])
			}
		}
	}
}

// The closed form of leaving folds out is fitting without them.
func TestGRNCrossValidationIsRefitting(t *testing.T) {
	rows, y := regression(36, 2, 12)
	second := mat.Col(nil, 1, y)
	folds := [][]int{
		{0, 5, 7, 11, 20, 21, 22, 35},
		{1, 2, 3, 4, 6, 8, 9, 10, 12, 13},
		{14, 15, 16, 17, 18, 19, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34},
	}
	for _, g := range []GRN{
		{Stabiliser: RKHS}, {Stabiliser: Ridge, Centres: Centres{Means: 12}}, {Stabiliser: Reference}, {Stabiliser: Norm, NoOffset: true},
	} {
		g.Widths = Widths{Lo: 0.4, Hi: 1.6, Steps: 2}
		if g.Stabiliser == Reference { // the coefficients of wider ones have no digits left
			g.Widths = Widths{Lo: 0.1, Hi: 0.4, Steps: 2}
		}
		g.Lambdas = []float64{1e-4, 1e-2, 1}
		f, _, err := g.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		v, err := g.CrossValidate(ctx, f, rows, y, folds)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f[1].Elements {
			e := &f[1].Elements[i]
			var want float64
			for _, held := range folds {
				train := learn.Others(36, held)
				one := g
				one.Widths, one.Lambdas, one.Centres = Widths{
					Hi:    f[1].Sigma(i),
					Steps: -1,
				}, []float64{
					e.Lambda,
				}, Centres{
					Given: f[0].Centres,
				}
				refit, _, err := one.Fit(ctx, rows.Select(train), mat.NewDense(len(train), 1, indices.Of(second, train)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := refit[0].Validate(ctx, rows.Select(held), indices.Of(second, held))
				if err != nil {
					t.Fatal(err)
				}
				want += got.SSE[0]
			}
			if math.Abs(v[1].SSE[i]-want) > 1e-6*want {
				t.Errorf("stabiliser %d, element %d, lambda %g: %.12g, refitted %.12g", g.Stabiliser, i, e.Lambda, v[1].SSE[i], want)
			}
		}
		if v[1].Rows != 36 {
			t.Errorf("%d rows held out", v[1].Rows)
		}
	}
}

func TestNadarayaWatson(t *testing.T) {
	rows, y := regression(20, 2, 11)
	x := mat.NewDense(3, 2, []float64{0.3, -0.2, 1e4, 3, -2, 5e3})
	got, err := NadarayaWatson{Sigma: 0.4}.Predict(ctx, rows, y, data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	var num [2]float64
	var den float64
	near, least := [3]int{}, [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for i := range 20 {
		for a := range 3 {
			d2 := math.Pow(x.At(a, 0)-rows.Dense.At(i, 0), 2) + math.Pow(x.At(a, 1)-rows.Dense.At(i, 1), 2)
			if d2 < least[a] {
				near[a], least[a] = i, d2
			}
			if a == 0 {
				k := math.Exp(-d2 / (2 * 0.16))
				den += k
				num[0] += k * y.At(i, 0)
				num[1] += k * y.At(i, 1)
			}
		}
	}
	for c := range 2 {
		if math.Abs(got.At(0, c)-num[c]/den) > 1e-12 {
			t.Errorf("output %d: %g, definition %g", c, got.At(0, c), num[c]/den)
		}
		for a := 1; a < 3; a++ {
			if got.At(a, c) != y.At(near[a], c) {
				t.Errorf("far row %d: %g, nearest row's target %g", a, got.At(a, c), y.At(near[a], c))
			}
		}
	}
}

// TestNadarayaWatsonFarFromZero: a column of large numbers, as of seconds since 1970, has the answers of its differences.
func TestNadarayaWatsonFarFromZero(t *testing.T) {
	rows, y := regression(20, 2, 11)
	w := NadarayaWatson{Sigma: 0.4}
	answers := func(shift float64) (seen, left *mat.Dense) {
		x := mat.DenseCopyOf(rows.Dense)
		x.Apply(func(_, j int, v float64) float64 { return math.Round(v*1024)/1024 + shift*float64(1-j) }, x)
		moved := data.Rows{Dense: x}
		seen, err := w.Predict(ctx, moved, y, moved.Select([]int{3, 1, 4}))
		if err != nil {
			t.Fatal(err)
		}
		if left, err = w.LeaveOneOut(ctx, moved, y); err != nil {
			t.Fatal(err)
		}
		return seen, left
	}
	seen, left := answers(0)
	for _, shift := range []float64{1e5, 1 << 31} {
		a, b := answers(shift)
		if !mat.EqualApprox(a, seen, 1e-6) || !mat.EqualApprox(b, left, 1e-6) {
			t.Errorf("shifted by %g:\n%v\n%v\nwant\n%v\n%v", shift, mat.Formatted(a), mat.Formatted(b), mat.Formatted(seen), mat.Formatted(left))
		}
	}
}

// The recursions of the forward selection are those of the smoother written out.
func TestROFS(t *testing.T) {
	rows, y := regression(40, 1, 12)
	chosen, err := ROFS{
		Widths:   Widths{Lo: 0.5, Hi: 2, Steps: 2},
		Lambdas:  []float64{1e-3, 0.1},
		Criteria: []Criterion{GCV, BIC},
	}.Fit(
		ctx,
		rows,
		y,
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range chosen {
		f, score := s.Fronts, s.Score
		e := &f[0].Elements[0]
		v, err := f[0].Validate(ctx, rows, y.RawMatrix().Data)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v.SSE[0]-e.SSE) > 1e-7*e.SSE {
			t.Errorf("SSE %g, really %g", e.SSE, v.SSE[0])
		}
		// Smaller than the constant network's score.
		bar, _ := new(points).centred(y.RawMatrix().Data)
		var yy float64
		for _, b := range bar {
			yy += b * b
		}
		constant := yy / 40
		if score[0] >= constant || len(e.Units) < 3 || len(e.Units) > 38 {
			t.Errorf("score %g of %d units, constant %g", score[0], len(e.Units), constant)
		}
	}
	// lambda -> 0: least squares on the chosen units.
	chosen, err = ROFS{Widths: Widths{Hi: 1, Steps: -1}, Lambdas: []float64{1e-14}}.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	e := &chosen[0].Fronts[0].Elements[0]
	k := gauss(t, rows, 1)
	h := mat.NewDense(40, len(e.Units), nil)
	for q, u := range e.Units {
		h.SetCol(q, mat.Col(nil, int(u.Centre), k))
	}
	s, err := NewStabilised(ctx, h, nil, y, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := s.At(0); math.Abs(want.SSE[0]-e.SSE) > 1e-6*e.SSE {
		t.Errorf("SSE %g, least squares %g", e.SSE, want.SSE[0])
	}
}

// Narrow units and no ridge: the criteria of the source go down to networks that interpolate,
// with the cost of choosing they stay small.
func TestROFSDoesNotInterpolate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, y := mat.NewDense(60, 1, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		v := 12.5 * float64(i+1) / 60
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)/v+0.1*rng.NormFloat64())
	}
	for _, c := range []Criterion{GCV, BIC} {
		units := func(r ROFS) int {
			r.Widths, r.Lambdas, r.Criteria = Widths{Lo: 0.1, Hi: 3, Steps: 4}, []float64{1e-8, 1e-2}, []Criterion{c}
			s, err := r.Fit(ctx, data.Rows{Dense: x}, y)
			if err != nil {
				t.Fatal(err)
			}
			return len(s[0].Fronts[0].Elements[0].Units)
		}
		if n := units(ROFS{Cost: -1, Units: 58}); n < 50 {
			t.Errorf("the source's criterion takes %d units, and should interpolate", n)
		}
		if n := units(ROFS{Cost: -1}); n > 30 {
			t.Errorf("%d units of 60 rows", n)
		}
		if n := units(ROFS{}); n < 2 || n > 8 {
			t.Errorf("%d units with the cost of choosing", n)
		}
	}
}

func TestFaults(t *testing.T) {
	rows, y := regression(10, 1, 13)
	y.Set(4, 0, math.NaN())
	if _, err := (MOBJ{}).Fit(ctx, rows, y); err == nil || !strings.Contains(err.Error(), "row 4") {
		t.Errorf("NaN target: %v", err)
	}
	y.Set(4, 0, 1)
	wrong := Widths{Lo: 2, Hi: 1}
	_, of := MOBJ{Widths: wrong}.Fit(ctx, rows, y)
	_, ofJoint := Joint{Widths: wrong}.Fit(ctx, rows, y)
	_, _, ofGRN := GRN{Widths: wrong}.Fit(ctx, rows, y)
	_, ofROFS := ROFS{Widths: wrong}.Fit(ctx, rows, y)
	for family, err := range map[string]error{"MOBJ": of, "Joint": ofJoint, "GRN": ofGRN, "ROFS": ofROFS} {
		if err == nil {
			t.Errorf("%s takes widths from 2 to 1", family)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (MOBJ{}).Fit(cancelled, rows, y); err == nil {
		t.Error("cancelled, no error")
	}
	for i := range 10 {
		y.Set(i, 0, 7)
	}
	f, err := MOBJ{Widths: Widths{Steps: 2}}.Fit(ctx, rows, y)
	if err != nil || len(f[0].Elements) != 1 || f[0].Elements[0].Offset != 7 {
		t.Errorf("targets of one value: %+v, %v", f, err)
	}
}

// Without a ridge a direction counts down to a ten-million-millionth of the greatest, and below as none.
func TestNegligibleDirections(t *testing.T) {
	for small, rank := range map[float64]float64{1e-11: 2, 1e-14: 1} {
		h, y := mat.NewDense(3, 2, []float64{1, 0, 0, small, 0, 0}), mat.NewDense(3, 1, []float64{1, 1, 0})
		s, err := NewStabilised(ctx, h, nil, y, false)
		if err != nil {
			t.Fatal(err)
		}
		if f := s.At(0); math.Abs(f.DF-rank) > 1e-9 || math.Abs(f.SSE[0]-(2-rank)) > 1e-9 {
			t.Errorf("a direction of %g: %g degrees of freedom, SSE %g", small, f.DF, f.SSE[0])
		}
	}
}
