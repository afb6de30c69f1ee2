package learn_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// surrogate is a smooth loss that tends to the hinge.
type surrogate struct {
	learn.Widener
	gap, peak float64 // the largest excess over the hinge and of V'', both at t = 1
	reach     float64 // |t - 1| from which it is the hinge to working precision
}

func surrogates() []surrogate {
	var all []surrogate
	for _, eps := range []float64{1, 0.4, 0.25, 0.125, 1e-3, 1e-9} {
		all = append(all, surrogate{learn.Quartic(eps), 3 * eps / 16, 3 / (4 * eps), eps})
	}
	for _, mu := range []float64{1, 7.5, 12, 64, 1e9} {
		all = append(all, surrogate{learn.ModLogistic(mu), math.Ln2 / mu, mu / 4, 40 / mu})
	}
	return append(all,
		surrogate{learn.Quartic(0), 3 * 0.125 / 16, 6, 0.125}, surrogate{learn.ModLogistic(0), math.Ln2 / 12, 3, 40. / 12})
}

// Above the hinge by at most gap, which is reached at t = 1, as is the peak of V”.
func TestSurrogatesLieAboveTheHinge(t *testing.T) {
	for _, l := range surrogates() {
		quartic := l.Name() == "quartic"
		for i := -400; i <= 400; i++ {
			m := 1 + float64(i)/300*l.reach
			d := l.Value(1, m) - learn.Hinge().Value(1, m)
			if d < -1e-15*l.Value(1, m) || d > l.gap*(1+1e-12)+1e-16 || !quartic && l.Value(1, m) <= 0 {
				t.Fatalf("%#v: t = 1 %+g is %g above the hinge, at most %g expected", l.Widener, m-1, d, l.gap)
			}
			if quartic && (i < -301 || i > 301) && math.Abs(d) > 1e-16 {
				t.Fatalf("%#v: t = 1 %+g is %g above the hinge outside the zone", l.Widener, m-1, d)
			}
			if _, d2 := l.Derivatives(1, m); d2 > l.peak*(1+1e-15) {
				t.Fatalf("%#v: V'' = %g beyond its peak %g", l.Widener, d2, l.peak)
			}
		}
		if d := l.Value(1, 1); math.Abs(d-l.gap) > 1e-15*l.gap {
			t.Errorf("%#v: %g at t = 1, want %g", l.Widener, d, l.gap)
		}
		if _, d2 := l.Derivatives(-1, -1); math.Abs(d2-l.peak) > 1e-15*l.peak || math.Abs(l.Curvature()-l.peak) > 1e-15*l.peak {
			t.Errorf("%#v: V'' = %g at t = 1, curvature %g, want %g", l.Widener, d2, l.Curvature(), l.peak)
		}
	}
}

// The slope falls from -1 to 0: V” integrates to 1 (Simpson's rule on 4000 pieces, exact
// for the quartic's parabola).
func TestSurrogateCurvatureIntegratesToOne(t *testing.T) {
	for _, l := range surrogates() {
		const pieces = 4000
		h := 2 * l.reach / pieces
		var sum float64
		for i := range pieces + 1 {
			w := 2 + 2*float64(i%2)
			if i == 0 || i == pieces {
				w = 1
			}
			_, d2 := l.Derivatives(1, 1-l.reach+float64(i)*h)
			sum += w * d2 * h / 3
		}
		// Places in a zone of 1e-9 about 1 are known to 1e-7 of its width.
		if tol := 1e-9 + 1e-15/l.reach; math.Abs(sum-1) > tol {
			t.Errorf("%#v: V'' integrates to 1 %+g", l.Widener, sum-1)
		}
	}
}

// quarticOfSource is the source's polynomial a + b t + c t^2 + d t^3 + e t^4 in 400 bits,
// which outlast its cancellation.
func quarticOfSource(eps, t float64) float64 {
	f := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	add := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(400).Add(a, b) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(400).Mul(a, b) }
	e := f(eps)
	e2 := mul(e, e)
	e3, e4 := mul(e2, e), mul(e2, e2)
	// All coefficients times 16 eps^3.
	c := []*big.Float{
		add(add(mul(f(3), e4), mul(f(8), e3)), add(mul(f(6), e2), f(-1))),
		mul(f(-4), add(add(mul(f(2), e3), mul(f(3), e2)), f(-1))),
		mul(mul(f(6), e3), new(big.Float).SetPrec(400).Quo(add(e2, f(-1)), e3)),
		f(4),
		f(-1),
	}
	sum := f(0)
	for k := 4; k >= 0; k-- {
		sum = add(mul(sum, f(t)), c[k])
	}
	v, _ := sum.Quo(sum, mul(f(16), e3)).Float64()
	return v
}

// The form in q is the source's polynomial, to the last digits also where that cancels.
func TestQuarticIsTheSourcesPolynomial(t *testing.T) {
	for _, eps := range []float64{1, 0.4, 0.125, 1e-3, 1e-6} {
		l := learn.Quartic(eps)
		for i := -19; i <= 19; i++ {
			m := 1 + float64(i)/20*eps
			got, want := l.Value(1, m), quarticOfSource(eps, m)
			if math.Abs(got-want) > 2e-14*want+1e-16*eps {
				t.Errorf("eps=%g t=%.17g: %.17g, the polynomial is %.17g", eps, m, got, want)
			}
		}
	}
}

// The peaks of V” agree for mu = 3/eps.
func TestMatchedPairs(t *testing.T) {
	for mu, eps := range map[float64]float64{7.5: 0.4, 12: 0.25, 24: 0.125} {
		if a, b := learn.ModLogistic(mu).Curvature(), learn.Quartic(eps).Curvature(); math.Abs(a-b) > 1e-15*a {
			t.Errorf("mu=%g, eps=%g: peaks %g and %g", mu, eps, a, b)
		}
	}
}

func TestSurrogatesWiden(t *testing.T) {
	for _, l := range surrogates() {
		w := l.Widened(10)
		if got := w.Curvature(); math.Abs(got-l.peak/10) > 1e-14*l.peak {
			t.Errorf("%#v ten times as wide has curvature %g", l.Widener, got)
		}
	}
	// The tails keep their relative precision, and so does the far side.
	l := learn.ModLogistic(7)
	if v, want := l.Value(1, 101), math.Exp(-700)/7; math.Abs(v/want-1) > 1e-14 {
		t.Errorf("modlog at margin 101: %g, want %g", v, want)
	}
	if v := l.Value(-1, 1000); v != 1001 {
		t.Errorf("modlog at margin -1000: %g", v)
	}
	// Near the zone's upper end the quartic is eps q^3/4.
	if v := learn.Quartic(0.5).Value(1, 1.5-0x1p-40); math.Abs(v/(0.5*0x1p-117/4)-1) > 1e-11 {
		t.Errorf("quartic at the end of its zone: %g", v)
	}
	if v := learn.Quartic(0).Conjugate(1, -1e-30); math.Abs(v/(-1e-30)-1.125) > 1e-13 {
		t.Errorf("conjugate near zero: %g, want s (1 + eps)", v)
	}
}
