package drift

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// exact is the statistic of Kolmogorov and Smirnov, by counting at every value.
func exact(a, b []float64) float64 {
	share := func(v []float64, x float64) float64 {
		n := 0
		for _, w := range v {
			if w <= x {
				n++
			}
		}
		return float64(n) / float64(len(v))
	}
	d := 0.0
	for _, x := range slices.Concat(a, b) {
		d = max(d, math.Abs(share(a, x)-share(b, x)))
	}
	return d
}

// Where every distinct value, old and new, is a point the distance is the exact one; else it is never above it, and below by
// no more than the share between two points.
func TestCompareIsKolmogorovSmirnov(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distinct := rapid.SampledFrom([]int{2, 5, Points / 2, 1000}).Draw(t, "distinct")
		draw := func(name string, shift float64) []float64 {
			v := make([]float64, rapid.IntRange(30, 300).Draw(t, name))
			for i := range v {
				v[i] = math.Round(float64(rapid.IntRange(0, distinct-1).Draw(t, "value")) + shift)
			}
			return v
		}
		old := draw("old", 0)
		fresh := draw("new", float64(rapid.IntRange(0, distinct/2).Draw(t, "shift")))
		got, want := New(old).Compare(fresh).Distance, exact(old, fresh)
		if got > want+1.1e-4 { // shares are kept to four digits
			t.Fatalf("distance %v above the exact %v", got, want)
		}
		s := New(old)
		if len(s.At) < Points && s.complete(old) && s.complete(fresh) && math.Abs(got-want) > 1.1e-4 {
			t.Fatalf("distance %v, exact %v", got, want)
		}
		if got < want-2.0/(Points-1)-0.15 {
			t.Fatalf("distance %v far below the exact %v", got, want)
		}
	})
}

// complete says whether every distinct value is a point.
func (s Sketch) complete(values []float64) bool {
	for _, v := range values {
		if !slices.Contains(s.At, rounded(v, 6)) {
			return false
		}
	}
	return true
}

// On rows like the old ones all of twenty quantities keep quiet in 99 of 100 sets, and a shift by half a standard
// deviation, other spread or other missing cells are found with 300 rows in nine of ten.
func TestThresholds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(n int, mean, spread, missing float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = mean + spread*rng.NormFloat64()
			if rng.Float64() < missing {
				v[i] = math.NaN()
			}
		}
		return v
	}
	const quantities, sets = 20, 400
	false_ := 0
	for range sets {
		alarm := false
		for range quantities {
			alarm = alarm || New(normal(200, 0, 1, 0.1)).Compare(normal(150, 0, 1, 0.1)).Moved(quantities)
		}
		if alarm {
			false_++
		}
	}
	if false_ > 3*sets/100 { // 4 are expected at most; 12 have a probability below 0.001
		t.Errorf("%d false alarms in %d sets", false_, sets)
	}
	for _, c := range []struct { // in one order, because all draw from one sequence
		name  string
		fresh func() []float64
	}{
		{"mean", func() []float64 { return normal(300, 0.5, 1, 0.1) }},
		{"spread", func() []float64 { return normal(300, 0, 2.5, 0.1) }},
		{"missing", func() []float64 { return normal(300, 0, 1, 0.4) }},
	} {
		found := 0
		for range 50 {
			if New(normal(1000, 0, 1, 0.1)).Compare(c.fresh()).Moved(quantities) {
				found++
			}
		}
		if found < 45 {
			t.Errorf("%s: found in %d of 50 sets", c.name, found)
		}
	}
	// A difference that a million rows show and that moves no tenth of them is not told.
	if s := New(normal(2000, 0, 1, 0)).Compare(normal(100000, 0.1, 1, 0)); s.Moved(quantities) {
		t.Errorf("a shift by a tenth of the standard deviation is told: %+v", s)
	}
}

// The tail is Kolmogorov's: tabulated quantiles (Smirnov 1948).
func TestTail(t *testing.T) {
	for _, c := range []struct{ u, want float64 }{{0.5, 0.963945}, {1, 0.269999}, {1.36, 0.049486}, {1.63, 0.009846}, {2, 0.000671}} {
		if got := tail(c.u); math.Abs(got-c.want) > 2e-6 {
			t.Errorf("tail(%v) = %v, want %v", c.u, got, c.want)
		}
	}
	last := 1.0
	for u := 0.0; u < 5; u += 0.01 {
		if got := tail(u); got > last+1e-12 || got < 0 {
			t.Fatalf("tail(%v) = %v after %v", u, got, last)
		} else {
			last = got
		}
	}
}

func TestSketchOfNothing(t *testing.T) {
	nan := math.NaN()
	for _, v := range [][]float64{nil, {}, {nan, nan}, {1}, {math.MaxFloat64, -math.MaxFloat64}} {
		s := New(v)
		if err := (&Profile{Columns: []Sketch{s}}).Check(1); err != nil {
			t.Errorf("%v: %v", v, err)
		}
		if d := s.Compare([]float64{1, 2, nan}); math.IsNaN(d.Distance) || math.IsNaN(d.P) || d.P < 0 || d.P > 1 {
			t.Errorf("%v: %+v", v, d)
		}
	}
	if d := New([]float64{nan, nan, nan}).Compare([]float64{1, 2, 3}); d.Distance != 1 {
		t.Errorf("nothing was there and now all is: %+v", d)
	}
}

func TestCheckRefuses(t *testing.T) {
	ok := New([]float64{1, 2, 3})
	for name, change := range map[string]func(*Sketch){
		"lengths":  func(s *Sketch) { s.Share = s.Share[1:] },
		"order":    func(s *Sketch) { s.At[0] = 9 },
		"shares":   func(s *Sketch) { s.Share[2] = 1.5 },
		"missing":  func(s *Sketch) { s.Missing = -1 },
		"rows":     func(s *Sketch) { s.Rows = -1 },
		"infinite": func(s *Sketch) { s.At[2] = math.Inf(1) },
	} {
		s := ok
		s.At, s.Share = slices.Clone(ok.At), slices.Clone(ok.Share)
		change(&s)
		if (&Profile{Score: &s}).Check(1) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if (&Profile{Columns: []Sketch{ok}}).Check(2) == nil {
		t.Error("another number of columns: accepted")
	}
}

// A sketch is the same as that of its own values in any order, and of no others: with one value moved far it is another.
func TestSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := make([]float64, rapid.IntRange(1, 100).Draw(t, "values"))
		for i := range v {
			if v[i] = rapid.Float64Range(-1e3, 1e3).Draw(t, "value"); rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
				v[i] = math.NaN()
			}
		}
		s := New(v)
		slices.Reverse(v)
		if !s.Same(v) {
			t.Fatalf("%v is not the same as %v", New(v), s)
		}
		if s.Same(v[1:]) {
			t.Fatal("one value fewer is the same")
		}
		v[rapid.IntRange(0, len(v)-1).Draw(t, "which")] = -1e6
		if s.Same(v) {
			t.Fatalf("the least is another, and %v is the same as %v", New(v), s)
		}
	})
}

// TestDriftOfFarColumns: a column whose mean is large beside its spread, as of seconds since 1970, drifts as its differences do.
func TestDriftOfFarColumns(t *testing.T) {
	for _, far := range []float64{0, 101325, 1.7e9, -1.7e9} {
		own, moved := make([]float64, 300), make([]float64, 300)
		for i := range own {
			own[i] = far + float64(i)
			moved[i] = own[i] + 250
		}
		s := New(own)
		c := s.Compare(moved)
		if !s.Same(own) || s.Same(moved) || math.Abs(c.Distance-250./300) > 0.02 {
			t.Errorf("around %g: %+v, the same rows are the same: %v, others: %v", far, c, s.Same(own), s.Same(moved))
		}
	}
}
