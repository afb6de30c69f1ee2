package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// draw returns n rows of d columns: unit noise about the centres, which take turns.
func draw(n, d int, seed uint64, centres ...[]float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		if len(centres) > 0 {
			for j, v := range centres[i%len(centres)] {
				row[j] += v
			}
		}
	}
	return x
}

func look(t *testing.T, x *mat.Dense) *Evidence {
	t.Helper()
	e, err := Look(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Noise alone opens neither gate; clusters open both, in few columns and in more columns than rows.
func TestLook(t *testing.T) {
	if testing.Short() {
		t.Skip("it fits many mixtures, which takes long under the race detector")
	}
	three := [][]float64{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}
	for _, c := range []struct {
		name              string
		x                 *mat.Dense
		spiked, clustered bool
		above, clusters   int
	}{
		{"noise of 4 columns", draw(400, 4, 1), false, false, 0, 0},
		{"noise of 60 columns", draw(400, 60, 2), false, false, 0, 0},
		{"noise of 400 columns", draw(200, 400, 3), false, false, 0, 0},
		{"three clusters of 20 columns", draw(600, 20, 4, three...), true, true, 2, 3},
		{"three clusters of 300 columns", draw(200, 300, 5, three...), true, true, 2, 3},
		{"two clusters of 6 columns", draw(400, 6, 6, []float64{3}, []float64{-3}), true, true, 1, 2},
	} {
		e := look(t, c.x)
		if e.Spiked != c.spiked || e.Clustered != c.clustered || e.Above != c.above {
			t.Errorf("%s: spiked %v, clustered %v, %d above the noise, John's test %.2f", c.name, e.Spiked, e.Clustered, e.Above, e.Uneven)
		}
		if k := len(e.Clusters.Share); c.clusters != 0 && k != c.clusters {
			t.Errorf("%s: %d clusters", c.name, k)
		}
	}
	// Noise that differs from direction to direction is no noise to measure components by.
	x := draw(500, 30, 7, []float64{4}, []float64{-4})
	for i := range 500 {
		for j, v := range x.RawRowView(i) {
			x.Set(i, j, v*float64(1+j%5))
		}
	}
	if e := look(t, x); e.Spiked || e.Uneven < 2 {
		t.Errorf("uneven noise passes: %.2f", e.Uneven)
	}
}

// The posteriors are those of the formula, and sum to one.
func TestPosteriorsByTheirFormula(t *testing.T) {
	x := draw(300, 3, 1, []float64{3, 0, 1}, []float64{-2, 1, 0})
	c := look(t, x).Clusters
	p, cut := c.Map(x), c.Cut.Rows(x)
	for i := range 300 {
		density, total := make([]float64, len(c.Share)), 0.0
		for k, m := range c.Means {
			d := 0.0
			for j, v := range cut.RawRowView(i) {
				d += (v - m[j]) * (v - m[j])
			}
			density[k] = c.Share[k] * math.Exp(-d/(2*c.Variance))
			total += density[k]
		}
		for k, v := range density {
			if got := p.At(i, k); math.Abs(got-v/total) > 1e-12 {
				t.Fatalf("row %d, cluster %d: %g, want %g", i, k, got, v/total)
			}
		}
	}
}

// Every step of expectation-maximisation raises the likelihood, whose value is that of the densities.
func TestClimbs(t *testing.T) {
	x := draw(200, 2, 3, []float64{1.5, 0}, []float64{-1.5, 0}, []float64{0, 2})
	begin := func() (gaussians, *mat.Dense) {
		p := mat.NewDense(200, 3, nil)
		for i := range 200 {
			p.Set(i, (i/7)%3, 1)
		}
		return gaussians{make([]float64, 3), mat.NewDense(3, 2, nil), 1}, p
	}
	last := math.Inf(-1)
	for limit := 1; limit < 30; limit++ {
		g, p := begin()
		value, err := g.climb(t.Context(), p, x, limit)
		if err != nil || value < last-1e-9 {
			t.Fatalf("after %d steps %g, before %g (%v)", limit, value, last, err)
		}
		last = value
		brute := 0.0
		for i := range 200 {
			sum := 0.0
			for k := range 3 {
				d := math.Pow(x.At(i, 0)-g.means.At(k, 0), 2) + math.Pow(x.At(i, 1)-g.means.At(k, 1), 2)
				sum += g.share[k] * math.Exp(-d/(2*g.variance)) / (2 * math.Pi * g.variance)
			}
			brute += math.Log(sum)
		}
		if math.Abs(brute-value) > 1e-8*math.Abs(brute) {
			t.Fatalf("likelihood %.12g, by densities %.12g", value, brute)
		}
	}
}

// A row far from all others is drawn in to the reach and others stay as they are; the fitted map
// gives the rows it was fitted to what fitting gave.
func TestCut(t *testing.T) {
	x := draw(301, 5, 9)
	for j := range 5 {
		x.Set(7, j, 1000)
	}
	c, rows := NewCut(x)
	if again := c.Rows(x); !mat.EqualApprox(again, rows, 1e-13) {
		t.Error("the fitted map differs from the fit")
	}
	back := make([]float64, 5)
	for i := range 301 {
		length := 0.0
		for j, v := range rows.RawRowView(i) {
			back[j] = v + c.Mean[j]
			length += back[j] * back[j]
		}
		if i == 7 && math.Abs(math.Sqrt(length)-c.Reach) > 1e-9 {
			t.Errorf("the far row has length %g, reach %g", math.Sqrt(length), c.Reach)
		}
		for j := range back {
			if i == 8 && math.Abs(back[j]+c.Middle[j]-x.At(i, j)) > 1e-12 {
				t.Error("a usual row has moved")
			}
		}
	}
}

// The median of the law is that of the eigenvalues of noise, on both sides of d = n.
func TestMarchenkoPastur(t *testing.T) {
	if m := marchenkoPastur(1e-8); math.Abs(m-1) > 1e-3 {
		t.Errorf("few columns: %g", m)
	}
	for _, size := range [][2]int{{900, 300}, {300, 300}, {200, 600}} {
		n, d := size[0], size[1]
		x := draw(n, d, 11)
		g := gram(x)
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(min(n, d), g.RawMatrix().Data), false) {
			t.Fatal("no eigenvalues")
		}
		values := e.Values(nil)
		for q := range values {
			values[q] /= float64(n)
		}
		if v := noise(values, n, d); math.Abs(v-1) > 0.05 {
			t.Errorf("%d x %d: variance of the noise %g", n, d, v)
		}
	}
}

// The scores have mean squared length one in units of Scale, and are uncorrelated.
func TestComponents(t *testing.T) {
	x := draw(500, 12, 5, []float64{6, 0}, []float64{0, 9}, []float64{-3, -3})
	z := look(t, x).Components.Map(x)
	n, m := z.Dims()
	if m != 3 {
		t.Fatalf("%d features", m)
	}
	var first, second, cross float64
	for i := range n {
		a, b := z.At(i, 0), z.At(i, 1)
		first, second, cross = first+a*a/500, second+b*b/500, cross+a*b/500
		if z.At(i, 2) != 1 {
			t.Fatal("no constant")
		}
	}
	if math.Abs(first+second-1) > 1e-10 || math.Abs(cross) > 1e-10 || first < second {
		t.Errorf("squares %g and %g, product %g", first, second, cross)
	}
}

// Rows without any spread, and a context that has ended, do no harm.
func TestLookAtNothing(t *testing.T) {
	if e := look(t, mat.NewDense(30, 3, nil)); e.Spiked || e.Clustered {
		t.Errorf("rows that are all alike: %+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Look(ctx, draw(100, 3, 1)); err == nil {
		t.Error("an ended context is not heard")
	}
}

// 1500 rows of 241 columns, the size of the benchmark sets of Chapelle, Schoelkopf and Zien.
func BenchmarkLook(b *testing.B) {
	x := draw(1500, 241, 1, []float64{3}, []float64{-3})
	for b.Loop() {
		if _, err := Look(b.Context(), x); err != nil {
			b.Fatal(err)
		}
	}
}

// One row shows nothing.
func TestLookAtOneRow(t *testing.T) {
	for _, d := range []int{1, 3, 20} {
		if e, err := Look(t.Context(), mat.NewDense(1, d, nil)); err == nil {
			t.Errorf("%d columns: one row shows %+v", d, e)
		}
	}
}

// TestAxesOfAlikeRows: where rows of more columns than rows do not differ, or by next to nothing, every number is one.
func TestAxesOfAlikeRows(t *testing.T) {
	other := mat.NewDense(5, 8, nil)
	other.Set(2, 3, 1)
	tiny := mat.NewDense(5, 8, nil)
	tiny.Apply(func(i, j int, _ float64) float64 { return 1e-200 * float64((i*7+j*3)%5) }, tiny)
	for name, x := range map[string]*mat.Dense{"alike": mat.NewDense(3, 5, nil), "one differs": other, "tiny": tiny} {
		e := look(t, x)
		if err := e.Components.Valid(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, v := range append(e.Components.Map(x).RawMatrix().Data, slices.Concat(e.Components.Axes...)...) {
			if v-v != 0 {
				t.Errorf("%s: %v, axes %v", name, e.Components.Map(x), e.Components.Axes)
				break
			}
		}
	}
}
