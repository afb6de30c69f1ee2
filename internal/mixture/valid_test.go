package mixture

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// Values that were read are those of a map, or it is said what is wrong with them.
func TestValid(t *testing.T) {
	cut := Cut{Middle: []float64{1, 2}, Mean: []float64{0, 1}, Reach: 3}
	clusters := func() *Clusters {
		return &Clusters{Cut: cut, Share: []float64{0.5, 0.5}, Means: [][]float64{{1, 2}, {3, 4}}, Variance: 2}
	}
	components := func() *Components { return &Components{Cut: cut, Axes: [][]float64{{1, 0}}, Scale: 2} }
	if clusters().Valid() != nil || components().Valid() != nil {
		t.Error("a map is refused")
	}
	for words, change := range map[string]func(c *Clusters){
		"0 medians, 2 means and reach 3":                   func(c *Clusters) { c.Cut.Middle = nil },
		"2 medians, 1 means and reach 3":                   func(c *Clusters) { c.Cut.Mean = []float64{1} },
		"2 medians, 2 means and reach -1":                  func(c *Clusters) { c.Cut.Reach = -1 },
		"2 medians, 2 means and reach NaN":                 func(c *Clusters) { c.Cut.Reach = math.NaN() },
		"0 shares for 2 means":                             func(c *Clusters) { c.Share = nil },
		"1 shares for 2 means":                             func(c *Clusters) { c.Share = []float64{1} },
		"a share or variance of 0; it must be positive":    func(c *Clusters) { c.Variance = 0 },
		"a share or variance of +Inf; it must be positive": func(c *Clusters) { c.Variance = math.Inf(1) },
		"a share or variance of -0.5; it must be positive": func(c *Clusters) { c.Share[1] = -0.5 },
		"mean 2 has 1 values, expected 2":                  func(c *Clusters) { c.Means[1] = []float64{1} },
	} {
		c := clusters()
		change(c)
		failtest.Refused(t, c.Valid(), words)
	}
	for words, change := range map[string]func(c *Components){
		"2 medians, 2 means and reach -1":                                func(c *Components) { c.Cut.Reach = -1 },
		"0 axes of scale 2; there must be axes, and a positive scale":    func(c *Components) { c.Axes = nil },
		"1 axes of scale 0; there must be axes, and a positive scale":    func(c *Components) { c.Scale = 0 },
		"1 axes of scale +Inf; there must be axes, and a positive scale": func(c *Components) { c.Scale = math.Inf(1) },
		"axis 1 has 3 values, expected 2":                                func(c *Components) { c.Axes[0] = []float64{1, 2, 3} },
	} {
		c := components()
		change(c)
		failtest.Refused(t, c.Valid(), words)
	}
}

// Of more than 8000 rows 8000 are looked at, evenly spaced: here every second one, which are all alike.
func TestLookAtManyRows(t *testing.T) {
	x := mat.NewDense(16000, 2, nil)
	for i := range 16000 {
		x.SetRow(i, []float64{3, 4})
		if i%2 == 1 {
			x.SetRow(i, []float64{float64(i), -float64(i % 7)})
		}
	}
	e := look(t, x)
	if e.Rows != 8000 || e.Clustered || len(e.Clusters.Share) != 1 || !slices.Equal(e.Clusters.Cut.Middle, []float64{3, 4}) {
		t.Errorf("%+v", e)
	}
	if e := look(t, mat.NewDense(8000, 1, nil)); e.Rows != 8000 {
		t.Errorf("%d rows of 8000", e.Rows)
	}
}

// A column that is zero in all rows is left out, and one that is not in a single row stays.
func TestVarying(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 7, 6})
	if got, want := varying(x), mat.NewDense(3, 3, []float64{1, 0, 2, 3, 0, 4, 5, 7, 6}); !mat.Equal(got, want) {
		t.Errorf("%v", mat.Formatted(got))
	}
	if varying(mat.NewDense(3, 2, nil)) != nil {
		t.Error("columns of zeros vary")
	}
	// So a column of one value changes no cluster.
	three := draw(120, 3, 4, []float64{8, 0}, []float64{0, 8})
	more := mat.NewDense(120, 4, nil)
	for i := range 120 {
		copy(more.RawRowView(i), three.RawRowView(i))
		more.Set(i, 3, 5)
	}
	a, b := look(t, three).Clusters, look(t, more).Clusters
	if len(a.Share) != len(b.Share) || !mat.EqualApprox(a.Map(three), b.Map(more), 1e-6) {
		t.Errorf("%d clusters, %d with a column of one value", len(a.Share), len(b.Share))
	}
}

// Centres that lose their rows go to the rows farthest from their own, each to another.
func TestCentresWithoutRows(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 9, 5})
	c, dist := mat.NewDense(3, 1, []float64{0, 50, 60}), []float64{0, 1, 81, 25}
	update(x, c, []int{0, 0, 0, 0}, dist)
	if got := mat.Col(nil, 0, c); !slices.Equal(got, []float64{3.75, 9, 5}) {
		t.Errorf("centres %v", got)
	}
}

// A look, and means, end with the error of their context, wherever they are stopped.
func TestStoppedAnywhere(t *testing.T) {
	x := draw(40, 3, 4, []float64{8, 0}, []float64{0, 8})
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Look(ctx, x); return err })
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Look(ctx, mat.NewDense(20, 2, nil)); return err })
	stoptest.Everywhere(t, func(ctx context.Context) error { _, _, _, err := KMeans(ctx, x, 2, 2, 1); return err })
}

// Whichever look at its context tells it to stop, up to the last, a look at rows is an error, and no mixture that was not climbed; so are
// rows that are no numbers.
func TestLookIsStoppedToItsEnd(t *testing.T) {
	x := draw(40, 3, 4, []float64{8, 0}, []float64{0, 8})
	ended := func(looks int) bool {
		c := stoptest.After(t.Context(), looks)
		if _, err := Look(c, x); (err != nil) != c.Ended() {
			t.Errorf("told to stop after %d looks: %v", looks, err)
		}
		return c.Ended()
	}
	lo, hi := 0, 1
	for ended(hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 { // to the last look
		if middle := (lo + hi) / 2; ended(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	for back := range min(lo, 8) {
		ended(lo - back)
	}
	x.Set(3, 1, math.NaN())
	if e, err := Look(t.Context(), x); err == nil {
		t.Errorf("rows that are no numbers show %+v", e)
	}
}

// Posteriors are those of 400 half looks at every number of clusters for which there are ten rows each, the first in any case, of at most
// 8000 rows.
func TestValues(t *testing.T) {
	for n, clusters := range map[int]int{10: 2, 29: 2, 30: 2 + 3, 159: 2 + 3 + 4 + 5 + 6 + 8 + 10 + 12, 160: 66, 8000: 66} {
		if got, want := Values(n), float64(400*n*clusters); got != want {
			t.Errorf("%d rows: %g values, want %g", n, got, want)
		}
	}
	if got, want := Values(1000000), Values(8000); got != want {
		t.Errorf("very many rows: %g values, want %g", got, want)
	}
}

// Ten columns are taken as they are, and clusters in one of them are not seen where the others are unlike; of more the directions that
// vary most are taken, in which they are.
func TestColumnsTakenAsTheyAre(t *testing.T) {
	for d, clustered := range map[int]bool{10: false, 11: true} {
		x := draw(150, d, 3, []float64{8}, []float64{-8})
		for i := range 150 {
			for j := d - 5; j < d; j++ {
				x.Set(i, j, 0.2*x.At(i, j))
			}
		}
		if e := look(t, x); e.Clustered != clustered {
			t.Errorf("%d columns: clustered is %v, with %d clusters", d, e.Clustered, len(e.Clusters.Share))
		}
	}
}

// The variance of clusters of equal rows is 1e-9 of that of all rows.
func TestLeastVariance(t *testing.T) {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		side := float64(1 - 2*(i%2))
		x.SetRow(i, []float64{3 * side, 4 * side})
	}
	p := mat.NewDense(40, 2, nil)
	for i := range 40 {
		p.Set(i, i%2, 1)
	}
	c, err := spread(t.Context(), Cut{}, p, x)
	if want := 1e-9 * 12.5; err != nil || math.Abs(c.Variance-want) > 1e-9*want {
		t.Errorf("a variance of %g, want %g; %v", c.Variance, want, err)
	}
}

// In all columns a mixture is continued for thirty steps: from rows at -1 and 1, each a little more of one of two clusters, whose means
// are then -m and m, a step makes tanh(m/(1 - m^2)) of m, and the variance is 1 - m^2.
func TestStepsInAllColumns(t *testing.T) {
	m := 0.15
	p := mat.NewDense(2, 2, []float64{(1 + m) / 2, (1 - m) / 2, (1 - m) / 2, (1 + m) / 2})
	c, err := spread(t.Context(), Cut{}, p, mat.NewDense(2, 1, []float64{1, -1}))
	for range 29 {
		m = math.Tanh(m / (1 - m*m))
	}
	if err != nil || math.Abs(c.Variance-(1-m*m)) > 1e-9 || math.Abs(c.Means[0][0]-m) > 1e-9 {
		t.Errorf("a variance of %g, want %g; means %v, want %g; %v", c.Variance, 1-m*m, c.Means, m, err)
	}
}
