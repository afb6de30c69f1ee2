package param

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mixed() Space {
	return Space{
		{Name: "gamma_a", Kind: Log, Lo: math.Exp2(-20), Hi: 1, Default: 0.01},
		{Name: "shift", Kind: Real, Lo: -3, Hi: 4, Default: 0},
		{Name: "neighbours", Kind: Integer, Lo: 2, Hi: 50, Default: 10},
		{Name: "mu1", Kind: Simplex, Default: 0.25, Group: 1},
		{Name: "mu2", Kind: Simplex, Default: 0.5, Group: 1},
		{Name: "fixed", Kind: Real, Lo: 0, Hi: 1, Default: 7, Fixed: true},
		{Name: "mu3", Kind: Simplex, Default: 0.25, Group: 1},
		{Name: "weight", Kind: Choice, Lo: 0, Hi: 2, Default: 2},
		{Name: "eta1", Kind: Simplex, Default: 0.3, Group: 2, Fixed: true},
		{Name: "eta2", Kind: Simplex, Default: 0.3, Group: 2},
		{Name: "eta3", Kind: Simplex, Default: 0.4, Group: 2},
		{Name: "lone", Kind: Simplex, Default: 1, Group: 3},
		{Name: "single", Kind: Integer, Lo: 3, Hi: 3, Default: 3},
	}
}

func transform(t testing.TB, s Space) *Transform {
	t.Helper()
	tr, err := NewTransform(s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func drawZ(r *rapid.T, tr *Transform) []float64 {
	lo, hi := tr.Bounds()
	z := make([]float64, tr.Len())
	for k := range z {
		z[k] = rapid.Float64Range(lo[k], hi[k]).Draw(r, "z")
	}
	return z
}

func TestFree(t *testing.T) {
	s := mixed()
	if got, want := s.Free(), []int{0, 1, 2, 3, 4, 6, 7, 9, 10}; !reflect.DeepEqual(got, want) {
		t.Errorf("Free = %v, want %v", got, want)
	}
	if got, want := s.FreeDiscrete(), []int{2, 7}; !reflect.DeepEqual(got, want) {
		t.Errorf("FreeDiscrete = %v, want %v", got, want)
	}
}

func TestTransformRoundTrip(t *testing.T) {
	s := mixed()
	tr := transform(t, s)
	rapid.Check(t, func(r *rapid.T) {
		theta := tr.FromSearch(drawZ(r, tr))
		if err := s.Check(theta); err != nil {
			r.Fatalf("FromSearch left the space: %v", err)
		}
		back := tr.FromSearch(tr.ToSearch(theta))
		for i := range theta {
			if math.Abs(back[i]-theta[i]) > 1e-12*math.Abs(theta[i]) {
				r.Fatalf("%s: %g became %g", s[i].Name, theta[i], back[i])
			}
		}
		if back[5] != 7 || back[8] != 0.3 || back[11] != 1 || back[12] != 3 {
			r.Fatalf("fixed values moved: %v", back)
		}
	})
}

func TestTransformBoundsAreAttained(t *testing.T) {
	s := mixed()
	tr := transform(t, s)
	lo, hi := tr.Bounds()
	bottom, top := tr.FromSearch(lo), tr.FromSearch(hi)
	for _, i := range []int{0, 1, 2, 7} {
		if bottom[i] != s[i].Lo || top[i] != s[i].Hi {
			t.Errorf("%s: box ends at %g and %g, want %g and %g", s[i].Name, bottom[i], top[i], s[i].Lo, s[i].Hi)
		}
	}
	for k := range lo { // beyond the box is clipped
		lo[k] -= 5
		hi[k] += 5
	}
	if err := s.Check(tr.FromSearch(lo)); err != nil {
		t.Error(err)
	}
	if err := s.Check(tr.FromSearch(hi)); err != nil {
		t.Error(err)
	}
}

// Table 4.1 of Becker 2013 starts at log2 a = -10, nu = 26; weights are equal.
func TestMidpoint(t *testing.T) {
	tr := transform(t, mixed())
	theta := tr.FromSearch(tr.Midpoint())
	want := []float64{math.Exp2(-10), 0.5, 26, 1. / 3, 1. / 3, 7, 1. / 3, 2, 0.3, 0.35, 0.35, 1, 3}
	for i := range want {
		if math.Abs(theta[i]-want[i]) > 1e-14 {
			t.Errorf("dimension %d: %g, want %g", i, theta[i], want[i])
		}
	}
}

func TestGradientEqualsDifferences(t *testing.T) {
	s := mixed()
	tr := transform(t, s)
	lo, hi := tr.Bounds()
	f := func(theta []float64) (v float64, g []float64) { // a smooth function with mixed derivatives
		g = make([]float64, len(theta))
		for i, x := range theta {
			a := 0.3 + 0.1*float64(i)
			v += math.Sin(a * x)
			g[i] = a * math.Cos(a*x)
		}
		return v, g
	}
	rapid.Check(t, func(r *rapid.T) {
		z := drawZ(r, tr)
		theta := tr.FromSearch(z)
		_, g := f(theta)
		gz := tr.Gradient(theta, g)
		for k := range z {
			if s[tr.Dim(k)].Kind.discrete() {
				if gz[k] != 0 {
					r.Fatalf("discrete coordinate %d has gradient %g", k, gz[k])
				}
				continue
			}
			h := 1e-5
			if z[k]-h < lo[k] || z[k]+h > hi[k] {
				continue
			}
			up, down := append([]float64(nil), z...), append([]float64(nil), z...)
			up[k] += h
			down[k] -= h
			fu, _ := f(tr.FromSearch(up))
			fd, _ := f(tr.FromSearch(down))
			if d := (fu - fd) / (2 * h); math.Abs(d-gz[k]) > 1e-8 {
				r.Fatalf("coordinate %d: gradient %g, differences %g", k, gz[k], d)
			}
		}
	})
}

func TestCheckReportsEveryFault(t *testing.T) {
	theta := mixed().Defaults()
	if err := mixed().Check(theta); err != nil {
		t.Fatalf("defaults refused: %v", err)
	}
	theta[0], theta[1], theta[2], theta[3], theta[7] = -1, 9, 4.5, 0.5, 3
	err := mixed().Check(theta)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"gamma_a = -1", "shift = 9: must be in -3..4", "neighbours = 4.5: must be a whole number in 2..50",
		"weights of group 1 (mu1, mu2, mu3): sum to 1.25", "weight = 3"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

func TestCheckBounds(t *testing.T) {
	for _, s := range []Space{
		{{Name: "a", Kind: Log, Lo: 0, Hi: 1, Default: 1}},
		{{Name: "a", Kind: Real, Lo: 2, Hi: 1, Default: 1}},
		{{Name: "a", Kind: Integer, Lo: 0.5, Hi: 3, Default: 1}},
		{{Name: "a", Kind: Choice, Lo: 1, Hi: 3, Default: 1}},
		{{Name: "a", Lo: 0, Hi: 3, Default: 1}, {Name: "a", Lo: 0, Hi: 3, Default: 1}},
		{{Name: "a", Lo: 0, Hi: math.Inf(1), Default: 1}},
		{{Name: "a", Lo: 0, Hi: 3, Default: math.NaN(), Fixed: true}},
	} {
		if _, err := NewTransform(s); err == nil {
			t.Errorf("%+v accepted", s)
		}
	}
}

func TestSet(t *testing.T) {
	s, err := mixed().Set("gamma_a", 5, true) // fixed: outside the search box
	if err != nil || s[0].Default != 5 || !s[0].Fixed {
		t.Errorf("Set: %+v, %v", s, err)
	}
	if mixed()[0].Fixed {
		t.Error("Set changed its receiver")
	}
	for _, bad := range []struct {
		name  string
		value float64
		fixed bool
	}{{"gamma_a", 5, false}, {"gamma_a", -5, true}, {"neighbours", 2.5, true}, {"weight", 3, true}, {"nope", 1, true}, {"mu1", 1.5, true},
		{"eta2", 0.9, true}} {
		if _, err := mixed().Set(bad.name, bad.value, bad.fixed); err == nil {
			t.Errorf("Set(%q, %g, %v) accepted", bad.name, bad.value, bad.fixed)
		}
	}
	if s, err = mixed().Set("mu2", 0.8, true); err != nil {
		t.Fatal(err)
	}
	if math.Abs(s[3].Default-0.1) > 1e-15 || math.Abs(s[6].Default-0.1) > 1e-15 {
		t.Errorf("other weights %g and %g, want 0.1", s[3].Default, s[6].Default)
	}
	tr := transform(t, s)
	if theta := tr.FromSearch(make([]float64, tr.Len())); theta[4] != 0.8 || math.Abs(theta[3]-0.1) > 1e-15 {
		t.Errorf("weights after Set: %v", theta)
	}
}

func TestKindNames(t *testing.T) {
	for k := Real; k <= Simplex; k++ {
		b, err := json.Marshal(Dim{Kind: k})
		if err != nil {
			t.Fatal(err)
		}
		var d Dim
		if err := json.Unmarshal(b, &d); err != nil || d.Kind != k || !strings.Contains(string(b), `"`+k.String()+`"`) {
			t.Errorf("%v: %s gave %v, %v", k, b, d.Kind, err)
		}
	}
	var k Kind
	if err := k.UnmarshalText([]byte("loud")); err == nil {
		t.Error("unknown kind accepted")
	}
}

// A kind that is none has no name to be written by.
func TestKindsThatAreNone(t *testing.T) {
	for _, k := range []Kind{-1, Simplex + 1} {
		if b, err := json.Marshal(Dim{Kind: k}); err == nil {
			t.Errorf("kind %d is written as %s", int(k), b)
		}
	}
}

// TestTenths: fixed weights of tenths that add up to one are taken in any order, though their sum is rounded.
func TestTenths(t *testing.T) {
	for a := 0; a <= 10; a++ {
		for b := 0; a+b <= 10; b++ {
			s := Space{{Name: "p", Kind: Simplex, Default: 0.25}, {Name: "q", Kind: Simplex, Default: 0.25},
				{Name: "r", Kind: Simplex, Default: 0.25}, {Name: "s", Kind: Simplex, Default: 0.25}}
			var err error
			for k, tenths := range []int{a, b, 10 - a - b} {
				if s, err = s.Set(s[k].Name, float64(tenths)/10, true); err != nil {
					t.Fatalf("%d, %d and %d tenths: %v", a, b, 10-a-b, err)
				}
			}
			if _, err := NewTransform(s); err != nil || s[3].Default < 0 {
				t.Errorf("%d, %d and %d tenths: %v, %v", a, b, 10-a-b, s[3].Default, err)
			}
		}
	}
}
