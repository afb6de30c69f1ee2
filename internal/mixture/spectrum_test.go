package mixture

import (
	"math"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spread64 are 64 rows whose columns are orthogonal and have these mean squares, which are then the eigenvalues.
func spread64(values ...float64) *mat.Dense {
	x := mat.NewDense(64, len(values), nil)
	for j, v := range values {
		for i := range 64 {
			x.Set(i, j, math.Sqrt(v)*float64(1-2*(bits.OnesCount(uint(i&(j+1)))%2)))
		}
	}
	return x
}

// many are n values v behind others.
func many(n int, v float64, others ...float64) []float64 {
	for range n {
		others = append(others, v)
	}
	return others
}

// A component is above the upper end of the law by five hundredths; components are few up to ten, with three other directions at least, and
// these are alike up to one and a half of John's test.
func TestSpectrumThresholds(t *testing.T) {
	edge := func(d int) float64 { // of values whose median is one
		g := float64(d) / 64
		return 1.05 * math.Pow(1+math.Sqrt(g), 2) / marchenkoPastur(g)
	}
	apart := func(test float64) []float64 { // 30 values about one
		by := math.Sqrt(test * 31 / 64)
		return many(15, 1-by, many(15, 1+by, 1e3)...)
	}
	for name, c := range map[string]struct {
		values []float64
		spikes int
		few    bool
	}{
		"none":             {many(16, 1), 0, false},
		"below the edge":   {many(15, 1, edge(16)*(1-1e-6)), 0, false},
		"above the edge":   {many(15, 1, edge(16)*(1+1e-6)), 1, true},
		"ten":              {many(22, 1, many(10, 1e3)...), 10, true},
		"eleven":           {many(21, 1, many(11, 1e3)...), 11, false},
		"three others":     {many(3, 1, 1e3), 1, true},
		"two others":       {many(2, 1, 1e3), 1, false},
		"others alike":     {apart(1.499), 1, true},
		"others not alike": {apart(1.501), 1, false},
	} {
		s, err := analyse(spread64(c.values...))
		if err != nil || s.spikes != c.spikes || s.isotropy != c.few || len(s.axes) != min(max(c.spikes, 1), 10) {
			t.Errorf("%s: %d components, few %t, %d axes, %v", name, s.spikes, s.isotropy, len(s.axes), err)
		}
	}
}

// Of more columns than rows the smallest eigenvalue, which is zero of centred rows, does not count, and the law is that of the rows.
func TestNoiseOfFewRows(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want float64
	}{
		{5, 9, 2.5 / (9.0 / 5 * marchenkoPastur(5.0/9))}, {9, 5, 2 / marchenkoPastur(5.0/9)}, {5, 5, 2 / marchenkoPastur(1)},
	} {
		if got := noise([]float64{0, 1, 2, 3, 4}, c.n, c.d); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d rows of %d columns: %g, expected %g", c.n, c.d, got, c.want)
		}
	}
}

// John's test by hand: eigenvalues that are not listed are zero, and without any there is no test.
func TestJohnByHand(t *testing.T) {
	for _, c := range []struct {
		values []float64
		p      int
		want   float64
	}{
		{[]float64{1, 1, 1}, 3, 0}, {[]float64{1, 3}, 2, 10 * 0.5 / 2 / 3}, {[]float64{3}, 3, 10 * (2 + 4) / 3.0 / 4},
		{nil, 0, math.Inf(1)}, {[]float64{0, 0}, 2, math.Inf(1)},
	} {
		if got := john(c.values, 10, c.p); got != c.want && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v of %d: %g, expected %g", c.values, c.p, got, c.want)
		}
	}
}
