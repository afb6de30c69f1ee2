package drift

import (
	"math"
	"slices"
	"testing"
)

// TestVerdict: a quantity has moved from the least distance on, and below the level over the number of quantities.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		s    Shift
		of   int
		want bool
	}{
		{Shift{0.1, 0.0099}, 1, true}, {Shift{math.Nextafter(0.1, 0), 0}, 1, false}, {Shift{0.5, 0.01}, 1, false},
		{Shift{0.5, 0.00249}, 4, true},
		{Shift{0.5, 0.0025}, 4, false}, {Shift{1, 0}, 1000, true},
	} {
		if c.s.Moved(c.of) != c.want {
			t.Errorf("%+v of %d: %v", c.s, c.of, !c.want)
		}
	}
}

// TestSmallSketches: points, shares, the median and the distance with its probability, by hand.
func TestSmallSketches(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		old, now           []float64
		at, share          []float64
		missing, median, d float64
	}{
		{[]float64{3, 1, 2, 4}, []float64{1, 1, 3, 4}, []float64{1, 2, 3, 4}, []float64{0.25, 0.5, 0.75, 1}, 0, 2, 0.25},
		{[]float64{1, nan, 2, nan}, []float64{1, 2}, []float64{1, 2}, []float64{0.75, 1}, 0.5, 1, 0.5},
		{[]float64{1, 2, 3}, []float64{5, nan}, []float64{1, 2, 3}, []float64{0.3333, 0.6667, 1}, 0, 2, 0.5},
		{[]float64{1.23456789, math.Inf(1), math.Inf(-1)}, []float64{1}, []float64{1.23457}, []float64{0.6667}, 0, 1.23457, 0.3333},
		{[]float64{5, 5}, []float64{4}, []float64{5}, []float64{1}, 0, 5, 0},
	} {
		s := New(c.old)
		if s.Rows != len(c.old) || !slices.Equal(s.At, c.at) || !slices.Equal(s.Share, c.share) ||
			s.Missing != c.missing || s.Median() != c.median {
			t.Errorf("%v: %+v, median %g", c.old, s, s.Median())
		}
		got := s.Compare(c.now)
		if math.Abs(got.Distance-c.d) > 1e-12 {
			t.Errorf("%v after %v: distance %g, want %g", c.now, c.old, got.Distance, c.d)
		}
		n, m := float64(len(c.old)), float64(len(c.now))
		root := math.Sqrt(n * m / (n + m))
		u, p := (root+0.12+0.11/root)*got.Distance, 0.0
		for j := 1.0; j <= 1000; j++ {
			p += 2 * math.Pow(-1, j-1) * math.Exp(-2*j*j*u*u)
		}
		if u < 0.2 {
			p = 1
		}
		if math.Abs(got.P-p) > 1e-12 {
			t.Errorf("%v after %v: probability %g, want %g", c.now, c.old, got.P, p)
		}
	}
	if low := New([]float64{1, nan, nan}).Share[0]; low != 1 {
		t.Errorf("missing values are below all others: the share up to the only one is %g", low)
	}
	low, half := Sketch{At: []float64{1}, Share: []float64{0.4999}}, Sketch{At: []float64{1}, Share: []float64{0.5}}
	if !math.IsNaN(low.Median()) || half.Median() != 1 {
		t.Error("the median is the first point that half of the values do not exceed")
	}
}

// TestCheckTakesBounds: shares of 0 and of 1 and as many points as there may be are no fault; one more is.
func TestCheckTakesBounds(t *testing.T) {
	sketch := func(n int) Sketch {
		s := Sketch{Missing: 1}
		for k := range n {
			s.At, s.Share = append(s.At, float64(k)), append(s.Share, float64(k)/float64(n-1))
		}
		return s
	}
	good, long := sketch(Points), sketch(Points+1)
	for _, p := range []*Profile{nil, {}, {Score: &good}, {Distance: &good}, {Columns: []Sketch{good, good}}} {
		if err := p.Check(2); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []*Profile{{Score: &long}, {Distance: &long}, {Columns: []Sketch{good, long}}, {Columns: []Sketch{good, good, good}}} {
		if p.Check(2) == nil {
			t.Errorf("%+v: accepted", p)
		}
	}
	below, above := sketch(3), sketch(3)
	below.Share[0], above.Missing = -1e-9, 1+1e-9
	for _, s := range []Sketch{below, above} {
		if err := (&Profile{Score: &s}).Check(0); err == nil || err.Error() != "a profile that is no distribution" {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
