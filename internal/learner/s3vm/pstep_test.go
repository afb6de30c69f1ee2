package s3vm

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The golden values are those of the specification, G4: the root to 1e-10, so they agree to 1e-8.
func TestProbabilitiesGolden(t *testing.T) {
	g := []float64{-2, -1.5, -0.3, 0.1, 0.4, 2.2}
	for _, c := range []struct {
		t, r, nu, s float64
		p           []float64
	}{
		{1, 0.5, -0.22941073788, 3.23997375165, []float64{
			0.854530936253, 0.780843603182, 0.51763999136, 0.418384006612, 0.347644163206, 0.080957299387,
		}},
		{0.1, 0.5, -0.1030903146, math.NaN(), []float64{0.9999999942, 0.9999991424, 0.8775140752, 0.1159962821, 0.0064905060, 9.95e-11}},
		{0.1, 0.25, -1.4973937069, 0.7324682620, []float64{0.9934782079, 0.5065153640}},
	} {
		p := make([]float64, len(g))
		if nu := Probabilities(p, g, c.r, c.t); math.Abs(nu-c.nu) > 1e-8 {
			t.Errorf("T = %g, r = %g: nu is %.11g, not %g", c.t, c.r, nu, c.nu)
		}
		for j, want := range c.p {
			if math.Abs(p[j]-want) > 1e-8 {
				t.Errorf("T = %g, r = %g: p_%d is %.11g, not %g", c.t, c.r, j, p[j], want)
			}
		}
		if s := Entropy(p); math.Abs(s-c.s) > 1e-8 {
			t.Errorf("T = %g, r = %g: the entropy is %.11g, not %g", c.t, c.r, s, c.s)
		}
	}
}

// The mean is the share, and g_j + T log(p_j/(1 - p_j)) is one number nu: the condition of a minimum.
func TestProbabilitiesMinimise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 60).Draw(t, "g")
		temperature := math.Pow(10, rapid.Float64Range(-7, 1).Draw(t, "log T"))
		r := rapid.Float64Range(0.01, 0.99).Draw(t, "r")
		p := make([]float64, len(g))
		nu := Probabilities(p, g, r, temperature)
		mean := 0.0
		for j, v := range p {
			mean += v / float64(len(p))
			if far := math.Abs(g[j] - nu); far < 30*temperature {
				if off := g[j] + temperature*math.Log(v/(1-v)) - nu; math.Abs(off) > 1e-2*temperature {
					t.Fatalf("row %d of g %v: off by %g at nu %g, p %g", j, g[j], off, nu, v)
				}
			} else if want := float64((1 + int(math.Copysign(1, nu-g[j]))) / 2); math.Abs(v-want) > 1e-9 {
				t.Fatalf("row %d of g %v is %g at nu %g", j, g[j], v, nu)
			}
		}
		// In the narrowest steps of the staircase two neighbouring numbers nu are apart by more.
		if slack := 1e-9 + 0x1p-48*(1+math.Abs(nu))/temperature; math.Abs(mean-r) > slack {
			t.Fatalf("the mean is %.12g, asked %g", mean, r)
		}
	})
}

func TestProbabilitiesAtTheEnds(t *testing.T) {
	for _, r := range []float64{0, 1} {
		p := make([]float64, 3)
		if nu := Probabilities(p, []float64{-1, 0, 1}, r, 0.1); !math.IsInf(nu, int(2*r-1)) {
			t.Errorf("r = %g: nu is %g", r, nu)
		}
		for _, v := range p {
			if v != r {
				t.Errorf("r = %g: %v", r, p)
			}
		}
		if s := Entropy(p); s != 0 {
			t.Errorf("r = %g: entropy %g", r, s)
		}
	}
	Probabilities(nil, nil, 0.5, 1) // no unlabelled row
}

// KL(p, q) is positive but for p = q.
func TestDivergence(t *testing.T) {
	p, q := []float64{0, 0.3, 1}, []float64{0.1, 0.3, 0.8}
	want := -math.Log(0.9) - math.Log(0.8)
	if d := Divergence(p, q); math.Abs(d-want) > 1e-12 || Divergence(p, p) > 1e-11 {
		t.Errorf("%g and %g, not %g and 0", d, Divergence(p, p), want)
	}
}
