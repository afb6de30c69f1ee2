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
