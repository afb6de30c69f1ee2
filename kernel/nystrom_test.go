package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// blobs are n rows, most of them in one tight cluster, the others spread in six.
func blobs(n int, seed uint64) data.Rows {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		c, s := 0.0, 0.1
		if i%10 == 0 {
			c, s = float64(2+i/10%6), 0.3
		}
		for j := range 3 {
			x.Set(i, j, 2*c+s*rng.NormFloat64())
		}
	}
	return data.Rows{Dense: x}
}

func all(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// residual is the trace of K - Phi Phi', and the largest error on the landmarks.
func residual(t *testing.T, g kernel.Gram, z []int) (trace, on float64) {
	t.Helper()
	f, err := kernel.NewNystrom(context.Background(), g, g.Len(), z, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := g.Len()
	k := mat.NewDense(n, n, nil)
	g.Block(k, nil, nil)
	var low mat.Dense
	low.Mul(f.Phi, f.Phi.T())
	for i := range n {
		trace += k.At(i, i) - low.At(i, i)
		for _, j := range z {
			on = max(on, math.Abs(k.At(i, j)-low.At(i, j)))
		}
	}
	return trace, on
}

func TestNystrom(t *testing.T) {
	ctx := context.Background()
	rows := blobs(130, 1)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Polynomial{Degree: 2, Scale: 1, Offset: 1}} {
		g, err := k.Bind(ctx, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		size := kernel.Diagonal(g, nil)[0]
		for _, v := range kernel.Diagonal(g, nil) {
			size = max(size, v)
		}
		trace, on := residual(t, g, []int{3, 10, 20, 77, 129})
		if trace < 0 || on > 1e-12*size {
			t.Errorf("%v: five landmarks leave %g, and %g on themselves", k, trace, on)
		}
		// All rows: K itself, singular as it is.
		if trace, on = residual(t, g, all(130)); math.Abs(trace) > 1e-9*size*130 || on > 1e-10*size {
			t.Errorf("%v: all landmarks leave %g, entries %g", k, trace, on)
		}
		// A landmark twice changes nothing.
		once, _ := residual(t, g, []int{3, 10, 20})
		if twice, _ := residual(t, g, []int{3, 10, 20, 10}); math.Abs(once-twice) > 1e-9*size*130 {
			t.Errorf("%v: a repeated landmark changes the residual from %g to %g", k, once, twice)
		}
	}
}

// Weights on the features and coefficients over the landmarks are one function.
func TestNystromCoefficients(t *testing.T) {
	ctx := context.Background()
	rows := blobs(60, 1)
	g, err := kernel.Gaussian{Sigma: 1}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	z := []int{0, 10, 20, 30, 41}
	f, err := kernel.NewNystrom(ctx, g, g.Len(), z, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := mat.NewDense(5, 1, []float64{1, -2, 0.5, 3, 1})
	var want, got mat.Dense
	want.Mul(f.Phi, w)
	f.Coefficients(w)
	c := mat.NewDense(60, 5, nil)
	g.Block(c, nil, z)
	got.Mul(c, w)
	near(t, "values", &got, &want, 1e-11)
	// New rows are projected as the old ones were.
	f.Project(mat.DenseCopyOf(c.T()))
	p := mat.DenseCopyOf(c.T())
	f.Project(p)
	near(t, "features", mat.DenseCopyOf(p.T()), f.Phi, 1e-9)
}

func near(t *testing.T, what string, got, want *mat.Dense, tol float64) {
	t.Helper()
	r, c := want.Dims()
	for i := range r {
		for j := range c {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tol*(1+math.Abs(want.At(i, j)))) {
				t.Fatalf("%s: entry (%d, %d) is %g, want %g", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

var choices = []kernel.LandmarkChoice{kernel.Pivoted, kernel.PlusPlus, kernel.Uniform}

func choose(t *testing.T, l kernel.Landmarks, g kernel.Gram, always []int) []int {
	t.Helper()
	z, err := l.Choose(context.Background(), g, always)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestLandmarks(t *testing.T) {
	rows := blobs(300, 2)
	g, err := kernel.Gaussian{Sigma: 0.5}.Bind(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	traces := map[kernel.LandmarkChoice]float64{}
	for _, c := range choices {
		for seed := range uint64(5) {
			l := kernel.Landmarks{Count: 30, Choice: c, Seed: seed}
			z := choose(t, l, g, nil)
			if len(z) != 30 || !slices.IsSorted(z) || len(slices.Compact(slices.Clone(z))) != 30 {
				t.Fatalf("%v: landmarks %v", c, z)
			}
			trace, _ := residual(t, g, z)
			traces[c] += trace / 5
			if again := choose(t, l, g, nil); !slices.Equal(z, again) {
				t.Errorf("%v: another choice for the same seed", c)
			}
			procs := runtime.GOMAXPROCS(1)
			if again := choose(t, l, g, nil); !slices.Equal(z, again) {
				t.Errorf("%v: another choice for other threads", c)
			}
			runtime.GOMAXPROCS(procs)
			l.Seed += 100
			if other := choose(t, l, g, nil); slices.Equal(z, other) {
				t.Errorf("%v: the same choice for another seed", c)
			}
			always := []int{7, 5, 299}
			z = choose(t, l, g, always)
			for _, i := range always {
				if !slices.Contains(z, i) {
					t.Errorf("%v: row %d is not among %v", c, i, z)
				}
			}
			if len(z) != 30 {
				t.Errorf("%v: %d landmarks with given rows", c, len(z))
			}
		}
	}
	// Most rows are in one cluster, which a uniform choice keeps coming back to.
	if traces[kernel.PlusPlus] > 0.8*traces[kernel.Uniform] || traces[kernel.Pivoted] > traces[kernel.PlusPlus] {
		t.Errorf("residuals %v", traces)
	}
}

// The probabilities of pivoted choices are those of one row at a time: after the first
// of two distinct pairs of duplicates the second landmark is of the other pair.
func TestLandmarksOfDuplicates(t *testing.T) {
	x := mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i%4))
	}
	g, err := kernel.Gaussian{Sigma: 0.3}.Bind(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices[:2] {
		z := choose(t, kernel.Landmarks{Count: 20, Choice: c, Seed: 3}, g, nil)
		seen := map[int]bool{}
		for _, i := range z {
			seen[i%4] = true
		}
		if len(z) != 4 || len(seen) != 4 {
			t.Errorf("%v: %v, one of each of 4 distinct rows expected", c, z)
		}
		if z = choose(t, kernel.Landmarks{Count: 3, Choice: c}, g, []int{0, 4, 8, 12, 1}); len(z) != 5 {
			t.Errorf("%v: %v", c, z)
		}
	}
}

// First landmarks of the pivoted choice are drawn by the diagonal, all later ones by what
// is left: frequencies of the second of two, against the formula.
func TestPivotedProbabilities(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 0.5, 3})
	g, err := kernel.Gaussian{Sigma: 1}.Bind(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := func(a, b float64) float64 { return math.Exp(-(a - b) * (a - b) / 2) }
	left := func(a, b float64) float64 { return 1 - k(a, b)*k(a, b) }
	// Pairs without row 2: {0, 1} by either order.
	p01 := (left(0, .5)/(left(0, .5)+left(0, 3)) + left(0, .5)/(left(0, .5)+left(.5, 3))) / 3
	count, runs := 0.0, 4000
	for seed := range uint64(runs) {
		if z := choose(t, kernel.Landmarks{Count: 2, Choice: kernel.Pivoted, Seed: seed}, g, nil); z[1] == 1 {
			count++
		}
	}
	got := count / float64(runs)
	if sd := math.Sqrt(p01 * (1 - p01) / float64(runs)); math.Abs(got-p01) > 4*sd {
		t.Errorf("rows 0 and 1 are chosen in %.4f of the runs, expected %.4f", got, p01)
	}
}

func TestLandmarkChoiceNames(t *testing.T) {
	for _, c := range append(choices, kernel.Means) {
		b, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back kernel.LandmarkChoice
		if err := back.UnmarshalText(b); err != nil || back != c {
			t.Errorf("%s reads as %v, %v", b, back, err)
		}
	}
	var c kernel.LandmarkChoice
	if c.UnmarshalText([]byte("best")) == nil {
		t.Error("an unknown name is accepted")
	}
	if _, err := kernel.LandmarkChoice(7).MarshalText(); err == nil {
		t.Error("an unknown choice is written")
	}
}

func BenchmarkLandmarks(b *testing.B) {
	rows := blobs(20000, 2)
	g, err := kernel.Gaussian{Sigma: 0.5}.Bind(context.Background(), rows, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range choices {
		b.Run(c.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := (kernel.Landmarks{Count: 500, Choice: c}).Choose(context.Background(), g, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNystrom(b *testing.B) {
	rows := blobs(20000, 2)
	g, err := kernel.Gaussian{Sigma: 0.5}.Bind(context.Background(), rows, nil)
	if err != nil {
		b.Fatal(err)
	}
	work := new(kernel.Work)
	for b.Loop() {
		f, err := kernel.NewNystrom(context.Background(), g, g.Len(), all(500), work)
		if err != nil {
			b.Fatal(err)
		}
		f.Release()
	}
}

// Forty tight groups, forty landmarks: one of each, though batches are drawn from
// probabilities that do not know of their own rows.
func TestLandmarksSpread(t *testing.T) {
	const groups, each = 40, 10
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(groups*each, 1, nil)
	for i := range groups * each {
		x.Set(i, 0, float64(i%groups)+1e-4*rng.NormFloat64())
	}
	g, err := kernel.Gaussian{Sigma: 0.1}.Bind(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices[:2] {
		for seed := range uint64(5) {
			seen := map[int]bool{}
			for _, i := range choose(t, kernel.Landmarks{Count: groups, Choice: c, Seed: seed}, g, nil) {
				seen[i%groups] = true
			}
			if len(seen) != groups {
				t.Errorf("%v: %d of %d groups have a landmark", c, len(seen), groups)
			}
		}
	}
}

// Distinct rows no more than centres are their own means; with fewer centres the sum of
// squares is below that of the rows drawn, and every centre has rows.
func TestCentres(t *testing.T) {
	ctx := context.Background()
	rows := blobs(300, 2)
	g, err := kernel.Linear{}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	spread := func(c *mat.Dense) (sum float64) {
		m, d := c.Dims()
		size := make([]float64, m)
		for i := range 300 {
			best, at := math.Inf(1), 0
			for j := range m {
				var s float64
				for k := range d {
					s += math.Pow(rows.Dense.At(i, k)-c.At(j, k), 2)
				}
				if s < best {
					best, at = s, j
				}
			}
			sum += best
			size[at]++
		}
		for j := range m {
			if size[j] == 0 {
				t.Errorf("centre %d has no rows", j)
			}
		}
		return sum
	}
	for seed := range uint64(5) {
		c, err := kernel.Centres(ctx, rows, 20, seed)
		if err != nil {
			t.Fatal(err)
		}
		z := choose(t, kernel.Landmarks{Count: 20, Choice: kernel.PlusPlus, Seed: seed}, g, nil)
		if a, b := spread(c), spread(mat.DenseCopyOf(rows.Select(z).Dense)); a > 0.9*b {
			t.Errorf("sum of squares %g, of the rows drawn %g", a, b)
		}
		procs := runtime.GOMAXPROCS(1)
		again, err := kernel.Centres(ctx, rows, 20, seed)
		runtime.GOMAXPROCS(procs)
		if err != nil || !mat.Equal(c, again) {
			t.Errorf("other centres for other threads, %v", err)
		}
	}
	all, err := kernel.Centres(ctx, rows, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := all.Dims(); m != 300 || spread(all) > 1e-20 {
		t.Errorf("%d centres for 300 rows, %g left", m, spread(all))
	}
	if _, err := kernel.Centres(ctx, data.Rows{Sparse: data.CSRFromDense(rows.Dense)}, 3, 1); err == nil {
		t.Error("sparse rows have centres")
	}
}

// TestCentresFarFromZero: rows far from zero have the centres of their differences.
func TestCentresFarFromZero(t *testing.T) {
	near := blobs(200, 2).Dense
	near.Apply(func(_, _ int, v float64) float64 { return math.Round(v*1024) / 1024 }, near)
	want, err := kernel.Centres(t.Context(), data.Rows{Dense: near}, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{1 << 27, 1.7e9} {
		x := mat.DenseCopyOf(near)
		x.Apply(func(_, _ int, v float64) float64 { return v + far }, x)
		got, err := kernel.Centres(t.Context(), data.Rows{Dense: x}, 5, 3)
		if err != nil {
			t.Fatal(err)
		}
		got.Apply(func(_, _ int, v float64) float64 { return v - far }, got)
		if m, _ := got.Dims(); m != 5 || !mat.EqualApprox(got, want, 0.01) {
			t.Errorf("%g from zero: %v, want %v", far, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// Landmarks taken are rows that Choose names, or means, of a sample where rows are many, that are as
// near to the rows as means of all.
func TestTake(t *testing.T) {
	ctx := context.Background()
	rows, k := blobs(400, 3), kernel.Gaussian{Sigma: 1}
	g := bind(t, k, rows, nil)
	for _, choice := range choices {
		l := kernel.Landmarks{Count: 12, Choice: choice, Seed: 4}
		z, err := l.Take(ctx, k, rows)
		if err != nil || !mat.Equal(z.Dense, rows.Select(choose(t, l, g, nil)).Dense) {
			t.Errorf("%v takes other rows than it chooses, %v", choice, err)
		}
	}
	spread := func(c *mat.Dense) (sum float64) {
		m, _ := c.Dims()
		for i := range 400 {
			least := math.Inf(1)
			for j := range m {
				var d mat.VecDense
				d.SubVec(rows.Dense.RowView(i), c.RowView(j))
				least = min(least, mat.Dot(&d, &d))
			}
			sum += least
		}
		return sum
	}
	l := kernel.Landmarks{Count: 7, Seed: 1} // 350 rows of 400
	z, err := l.Take(ctx, k, rows)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := kernel.Centres(ctx, rows, 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := spread(z.Dense), spread(whole); mat.Equal(z.Dense, whole) || a > 1.2*b {
		t.Errorf("means of a sample leave %g, of all rows %g", a, b)
	}
	again, err := l.Take(ctx, k, rows)
	if err != nil || !mat.Equal(again.Dense, z.Dense) {
		t.Errorf("other means the second time, %v", err)
	}
	if _, err := (kernel.Landmarks{Count: -1}).Take(ctx, k, rows); err == nil {
		t.Error("less than no landmark")
	}
}

// The factor of a projection is that of the Gram matrix with the ridge on its diagonal.
func TestProjectionRidge(t *testing.T) {
	g := bind(t, kernel.Scaled{Weight: 3, Base: kernel.Gaussian{Sigma: 1}}, blobs(6, 2), nil)
	f, err := kernel.NewProjection(g, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := full(g)
	for i := range 6 {
		want.Set(i, i, 4.5)
	}
	var got mat.Dense
	l := f.Factor()
	got.Mul(l, l.T())
	near(t, "L L'", &got, want, 1e-14)
	if l.At(0, 5) != 0 || l.At(4, 5) != 0 {
		t.Error("the factor is not lower triangular")
	}
}

// The ridge grows by tens from 8 m eps to a millionth of the diagonal, where a matrix that is indefinite is given up.
func TestRidgeLimit(t *testing.T) {
	indefinite := kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, 2, 2, 1})}
	_, err := kernel.NewProjection(bind(t, indefinite, data.Rows{Dense: mat.NewDense(2, 1, nil), ID: []int{0, 1}}, nil), 0)
	want := "the 2x2 Gram matrix of the landmarks, with 3.552713678800501e-07 on its diagonal"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, expected %s", err, want)
	}
}

// What a choice of landmarks refuses, and how many it makes.
func TestLandmarkNumbers(t *testing.T) {
	for _, c := range []struct {
		l       kernel.Landmarks
		n, want int
	}{
		{kernel.Landmarks{}, 999, 999}, {kernel.Landmarks{}, 5000, 1000}, {kernel.Landmarks{Count: 7}, 6, 6}, {kernel.Landmarks{Count: 7}, 9, 7},
		{kernel.Landmarks{Count: 7, Rows: []int{3, 1}}, 9, 2},
	} {
		if got := c.l.Of(c.n); got != c.want {
			t.Errorf("%+v of %d rows are %d, expected %d", c.l, c.n, got, c.want)
		}
	}
	g := bind(t, kernel.Gaussian{Sigma: 1}, blobs(6, 2), nil)
	for _, c := range []struct {
		l    kernel.Landmarks
		want string
	}{
		{kernel.Landmarks{Count: -1}, "-1 landmarks; give at least 1 (0 for 1000)"},
		{kernel.Landmarks{Choice: 4}, "unknown choice of landmarks 4"},
	} {
		if _, err := c.l.Choose(t.Context(), g, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, expected %s", c.l, err, c.want)
		}
	}
	if _, err := kernel.LandmarkChoice(4).MarshalText(); err == nil || kernel.LandmarkChoice(4).String() != "LandmarkChoice(4)" {
		t.Errorf("an unknown choice is written, %v", err)
	}
	given := []int{4, 1, 2}
	if z := choose(t, kernel.Landmarks{Rows: given}, g, nil); !slices.Equal(z, []int{1, 2, 4}) || given[0] != 4 {
		t.Errorf("landmarks %v of the rows given, which are now %v", z, given)
	}
}

// Means cost more than a machine from a tenth of the landmarks in columns on, and sparse rows have none.
func TestSuited(t *testing.T) {
	rows := func(d int) data.Rows { return data.Rows{Dense: mat.NewDense(50, d, nil)} }
	l := kernel.Landmarks{Count: 30, Choice: kernel.Uniform}
	for _, c := range []struct {
		rows data.Rows
		want kernel.LandmarkChoice
	}{{rows(3), kernel.Means}, {rows(4), kernel.PlusPlus}, {data.Rows{Sparse: data.CSRFromDense(rows(3).Dense)}, kernel.PlusPlus}} {
		if got := l.Suited(c.rows).Choice; got != c.want {
			t.Errorf("%d columns: %v, expected %v", c.rows.Dim(), got, c.want)
		}
	}
}

// Squared distances beyond the largest number leave nothing to draw by: that is an error, and no endless search.
func TestLandmarksOfHugeRows(t *testing.T) {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		x.SetRow(i, []float64{float64(i), 1})
	}
	x.Set(7, 1, 1e160)
	g, err := kernel.Linear{}.Bind(context.Background(), data.Rows{Dense: x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices[:2] {
		_, err := kernel.Landmarks{Count: 5, Choice: c, Seed: 3}.Choose(t.Context(), g, nil)
		if err == nil || !strings.Contains(err.Error(), "row 7 are beyond the largest number") {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// Means are of all rows up to fifty a landmark, and beyond of as many drawn.
func TestRowsOfMeans(t *testing.T) {
	for n, all := range map[int]bool{350: true, 351: false} {
		rows := blobs(n, 3)
		z, err := kernel.Landmarks{Count: 7, Seed: 1}.Take(t.Context(), kernel.Gaussian{Sigma: 1}, rows)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := kernel.Centres(t.Context(), rows, 7, 1)
		if err != nil || mat.Equal(z.Dense, whole) != all {
			t.Errorf("%d rows: means of all %v, %v", n, !all, err)
		}
	}
}

// A row whose square beside the landmarks is down to a million-millionth of the first is one more landmark, and a nearer one is none.
func TestRowsThatAreExplained(t *testing.T) {
	for apart, want := range map[float64]int{1e-5: 2, 1e-7: 1} {
		g := bind(t, kernel.Gaussian{Sigma: 1}, data.Rows{Dense: mat.NewDense(2, 1, []float64{0, apart})}, nil)
		for _, c := range []kernel.LandmarkChoice{kernel.Pivoted, kernel.PlusPlus} {
			if z := choose(t, kernel.Landmarks{Count: 2, Choice: c}, g, nil); len(z) != want {
				t.Errorf("%v, rows %g apart: %d landmarks", c, apart, len(z))
			}
		}
	}
}

// Landmarks whose matrix is indefinite make no features of the rows either.
func TestNystromOfAnIndefiniteKernel(t *testing.T) {
	indefinite := kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, 2, 2, 1})}
	g := bind(t, indefinite, data.Rows{Dense: mat.NewDense(2, 1, nil), ID: []int{0, 1}}, nil)
	_, err := kernel.NewNystrom(t.Context(), g, 2, []int{0, 1}, nil)
	if err == nil || !strings.Contains(err.Error(), "the 2x2 Gram matrix of the landmarks") {
		t.Errorf("error %v", err)
	}
}
