package param

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestComplaints: what is wrong with a space or a point is said with the name, the value and the range.
func TestComplaints(t *testing.T) {
	weight := func(name string, v float64) Dim { return Dim{Name: name, Kind: Simplex, Group: 2, Hi: 1, Default: v} }
	for _, c := range []struct {
		s    Space
		want string
	}{
		{Space{{Name: "a", Hi: 1, Default: 1}}, ""}, {Space{{Name: "a", Hi: 1}}, ""}, {Space{{Name: "a", Lo: 1, Hi: 1, Default: 1}}, ""},
		{Space{{Name: "a", Kind: Log, Lo: 1e-300, Hi: 1, Default: 1e-300}}, ""},
		{Space{{Name: "a", Hi: 1, Default: 2}}, "a = 2: must be in 0..1"}, {Space{{Name: "a", Hi: 1, Default: -0.5}},
			"a = -0.5: must be in 0..1"}, {Space{{Name: "a", Hi: 1, Default: 2, Fixed: true}}, ""},
		{Space{{Name: "a", Hi: 1, Default: math.Inf(1), Fixed: true}}, "a = +Inf: must be in 0..1"},
		{Space{{Name: "a", Kind: Log, Lo: 1, Hi: 2, Default: 0, Fixed: true}}, "a = 0: must be positive"},
		{Space{{Name: "a", Kind: Log, Lo: 0, Hi: 2, Default: 1}}, "a: bounds 0..2 of a log scale must be positive"},
		{Space{{Name: "a", Lo: 2, Hi: 1}}, "a: bounds 2..1 are not an interval"},
		{Space{{Name: "a", Lo: math.Inf(-1), Hi: 1}}, "a: bounds -Inf..1 are not an interval"},
		{Space{{Name: "a", Lo: 0, Hi: math.Inf(1)}}, "a: bounds 0..+Inf are not an interval"},
		{Space{{Name: "a", Lo: math.NaN(), Hi: 1}}, "a: bounds NaN..1 are not an interval"},
		{Space{{Name: "a", Kind: Integer, Lo: 0.5, Hi: 3, Default: 1}}, "a: bounds 0.5..3 must be whole numbers"},
		{Space{{Name: "a", Kind: Integer, Lo: 0, Hi: 3.5, Default: 1}}, "a: bounds 0..3.5 must be whole numbers"},
		{Space{{Name: "a", Kind: Choice, Lo: 1, Hi: 3, Default: 1}}, "a: bounds 1..3 of a choice must begin at 0"},
		{Space{{Name: "a", Kind: Choice, Hi: 3, Default: 4, Fixed: true}}, "a = 4: must be a whole number in 0..3"},
		{Space{{Name: "a", Kind: Integer, Hi: 3, Default: 1.5, Fixed: true}}, "a = 1.5: must be a whole number in 0..3"},
		{Space{{Name: "a", Kind: Integer, Lo: 1, Hi: 3, Default: 7, Fixed: true}}, ""},
		{Space{{Name: "a", Hi: 1}, {Name: "a", Hi: 1}}, "a: name used twice"},
		{Space{weight("u", 0.25), weight("v", 0.75)}, ""}, {Space{weight("u", 0), weight("v", 1)}, ""},
		{Space{weight("u", 0.25), weight("v", 0.5)}, "weights of group 2 (u, v): sum to 0.75, must be 1"},
		{Space{weight("u", -0.25), weight("v", 1.25)}, "u = -0.25: a weight must be in 0..1"},
		{Space{weight("u", 0.5+1e-9), weight("v", 0.5)}, "weights of group 2 (u, v): sum to 1.000000001, must be 1"},
		{Space{weight("u", 0.5+5e-11), weight("v", 0.5)}, ""},
		{Space{weight("u", math.NaN()), weight("v", 1)}, "u = NaN: a weight must be in 0..1"},
		{Space{{Name: "a", Hi: 1, Default: 3}, weight("u", 2)}, "a = 3: must be in 0..1; weights of group 2 (u): sum to 2, must be 1"},
	} {
		err := c.s.Check(c.s.Defaults())
		if err == nil != (c.want == "") || err != nil && err.Error() != "hyper-parameters: "+c.want {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
	if _, err := mixed().Set("nope", 1, true); err == nil ||
		!strings.HasPrefix(err.Error(), `unknown hyper-parameter "nope" (known: gamma_a, shift, neighbours, mu1, `) {
		t.Error(err)
	}
}

// TestSimplexByHand: weights set, filled up and mapped there and back by arithmetic on paper; zeros too.
func TestSimplexByHand(t *testing.T) {
	w := func(name string, group int, v float64, fixed bool) Dim {
		return Dim{Name: name, Kind: Simplex, Group: group, Hi: 1, Default: v, Fixed: fixed}
	}
	s := Space{w("a", 1, 0, false), w("b", 1, 0, false), w("other", 2, 1, true), w("c", 1, 1, false), w("d", 1, 0, true)}
	set, err := s.Set("c", 0.5, true) // the others were zero and share alike
	if err != nil || !slices.Equal(set.Defaults(), []float64{0.25, 0.25, 1, 0.5, 0}) {
		t.Fatalf("%v, %v", set.Defaults(), err)
	}
	if set, err = set.Set("a", 0.125, true); err != nil || !slices.Equal(set.Defaults(), []float64{0.125, 0.375, 1, 0.5, 0}) {
		t.Fatalf("%v, %v", set.Defaults(), err)
	}
	if free := set.Free(); len(free) != 0 { // b alone is what the others leave
		t.Errorf("free %v", free)
	}
	if theta := transform(t, set).FromSearch(nil); !slices.Equal(theta, []float64{0.125, 0.375, 1, 0.5, 0}) {
		t.Errorf("weights %v", theta)
	}
	tr := transform(t, s)
	for _, c := range []struct{ theta, z []float64 }{
		{[]float64{0, 0, 1, 1, 0}, []float64{-12, -12, 12}}, {[]float64{0.25, 0.25, 1, 0.5, 0},
			[]float64{-math.Ln2 / 2, -math.Ln2 / 2, math.Ln2 / 2}}, {[]float64{0.5, 0.5, 1, 0, 0}, []float64{12, 12, -12}},
	} {
		z := tr.ToSearch(c.theta)
		back := tr.FromSearch(z)
		for k := range z {
			if math.Abs(z[k]-c.z[k]) > 1e-12 {
				t.Errorf("%v is at %v, want %v", c.theta, z, c.z)
			}
		}
		for i := range back {
			if math.Abs(back[i]-c.theta[i]) > 1e-9 {
				t.Errorf("%v comes back as %v", c.theta, back)
			}
		}
	}
}

// TestRounding: whole dimensions are rounded half away from zero and clipped, others clipped alone; a
// transform rounds the coordinates of whole ones and leaves the others.
func TestRounding(t *testing.T) {
	for _, c := range []struct {
		d       Dim
		v, want float64
	}{
		{Dim{Kind: Integer, Lo: 1, Hi: 5}, 2.5, 3}, {Dim{Kind: Integer, Lo: 1, Hi: 5}, 9, 5}, {Dim{Kind: Integer, Lo: 1, Hi: 5}, 0, 1},
		{Dim{Kind: Choice, Hi: 2}, 1.4, 1}, {Dim{Lo: 1, Hi: 5}, 2.5, 2.5}, {Dim{Lo: 1, Hi: 5}, 6, 5},
		{Dim{Kind: Simplex}, -0.5, 0}, {Dim{Kind: Simplex}, 2.5, 2.5}, {Dim{Kind: Log, Lo: 1, Hi: 5}, 0.5, 1},
	} {
		if got := c.d.Round(c.v); got != c.want {
			t.Errorf("%v of %g..%g: %g is rounded to %g", c.d.Kind, c.d.Lo, c.d.Hi, c.v, got)
		}
	}
	s := Space{
		{Name: "r", Hi: 9, Default: 1},
		{Name: "i", Kind: Integer, Hi: 9, Default: 1},
		{Name: "l", Kind: Log, Lo: 1, Hi: 1024, Default: 8},
		{Name: "c", Kind: Choice, Hi: 9, Default: 2},
	}
	tr := transform(t, s)
	if got := tr.Round([]float64{1.25, 1.25, 1.25, 1.75}); !slices.Equal(got, []float64{1.25, 1, 1.25, 2}) {
		t.Errorf("rounded %v", got)
	}
	if mid := tr.Midpoint(); !slices.Equal(mid, []float64{4.5, 5, 5, 2}) {
		t.Errorf("midpoint %v", mid)
	}
	if at := s.FreeDiscrete(); !slices.Equal(at, []int{1, 3}) {
		t.Errorf("whole ones %v", at)
	}
}
