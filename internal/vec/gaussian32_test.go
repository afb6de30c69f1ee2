package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exponents are arguments t of 2^t where something changes, their neighbours, and
// random ones over the whole range.
func exponents() []float32 {
	inf := float32(math.Inf(1))
	x := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), math.Float32frombits(0x7fc00123), inf, -inf,
		math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
	for n := -300; n <= 4; n++ {
		v := float32(n) / 2
		x = append(x, math.Nextafter32(v, -inf), v, math.Nextafter32(v, inf))
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 300000 {
		x = append(x, -130*r.Float32(), -2*r.Float32(), math.Float32frombits(r.Uint32()))
	}
	return x
}

// Within 1.1 ulp of 2^t wherever the result is a normal float.
func TestGaussian32Exact(t *testing.T) {
	x := exponents()
	y := make([]float32, len(x))
	Gaussian32(y, x, 0, make([]float32, len(x)))
	var worst float64
	for i, v := range x {
		switch {
		case v != v:
			if y[i] == y[i] {
				t.Fatalf("2^NaN (%x) is %v", math.Float32bits(v), y[i])
			}
		case v >= 0:
			if y[i] != 1 {
				t.Fatalf("2^min(0, %v) is %v", v, y[i])
			}
		case v < -126.5:
			if y[i] != 0 {
				t.Fatalf("2^%v is %v, expected 0", v, y[i])
			}
		case v >= -126:
			want := math.Exp2(float64(v))
			_, e := math.Frexp(want)
			if off := math.Abs(float64(y[i])-want) / math.Ldexp(1, e-24); !(off <= 1.1) {
				t.Fatalf("2^%v is %v, %.3f ulp off", v, y[i], off)
			} else {
				worst = max(worst, off)
			}
		}
	}
	t.Logf("largest error %.3f ulp", worst)
}

// The vector form is the plain form, bit by bit, at any length, place and factor.
func TestGaussian32Twin(t *testing.T) {
	x := exponents()
	r := rand.New(rand.NewPCG(9, 10))
	g := make([]float32, len(x))
	for i := range g {
		if i%3 > 0 {
			g[i] = 50 * r.Float32()
		}
	}
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }
	for _, h := range []float32{0, 3.7} {
		y, z := make([]float32, len(x)), make([]float32, len(x))
		Gaussian32(y, x, h, g)
		gaussianPlain(z, x, h, g)
		for i := range x {
			if !same(y[i], z[i]) {
				t.Fatalf("s %v, h %v, g %v: %v and %v", x[i], h, g[i], y[i], z[i])
			}
		}
	}
	const guard = 12345.5
	want := make([]float32, 200)
	gaussianPlain(want, x[500:700], 1, g[500:700])
	for n := range 70 {
		for shift := range 8 {
			dst := make([]float32, n+shift+8)
			for i := range dst {
				dst[i] = guard
			}
			in := dst[shift : shift+n]
			copy(in, x[500:])
			Gaussian32(in, in, 1, g[500:500+n])
			for i, v := range dst {
				e := float32(guard)
				if i >= shift && i < shift+n {
					e = want[i-shift]
				}
				if !same(v, e) {
					t.Fatalf("%d elements from %d: element %d is %v, expected %v", n, shift, i, v, e)
				}
			}
		}
	}
}

// The coefficients are those of the interpolation: p(x_k) = 2^x_k.
func TestGaussian32Constants(t *testing.T) {
	for k := range 7 {
		x := math.Cos(float64(2*k+1)*math.Pi/14) / 2
		var p float64
		for _, a := range gauss32[2:] {
			p = p*x + float64(a)
		}
		// Rounding the coefficients to floats: half an ulp of each, 2^-25 sum |a x^k|.
		if math.Abs(p-math.Exp2(x)) > 0x1p-25 {
			t.Errorf("p(%v) is %v, expected %v", x, p, math.Exp2(x))
		}
	}
}

// fma against big numbers, at sums that are nearly half way between two floats.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 200000 {
		x, y := r.Float32()-0.5, r.Float32()-0.5
		z := float32(math.Ldexp(float64(r.Float32()-0.5), r.IntN(60)-30))
		if r.IntN(2) == 0 { // x y just off the middle between z and the next float
			z = float32(1 + r.IntN(1<<22))
			x, y = 1+0x1p-23*float32(r.IntN(3)-1), 0.5*(1+0x1p-23*float32(r.IntN(3)-1))
		}
		sum := new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(x)).SetPrec(200), big.NewFloat(float64(y)))
		sum.Add(sum, big.NewFloat(float64(z)))
		if want, _ := sum.Float32(); fma(x, y, z) != want {
			t.Fatalf("%v * %v + %v = %v, expected %v", x, y, z, fma(x, y, z), want)
		}
	}
}

func TestGaussian32Lengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("slices of different length are accepted")
		}
	}()
	Gaussian32(make([]float32, 3), make([]float32, 3), 0, make([]float32, 4))
}

func BenchmarkGaussian32(b *testing.B) {
	s, g := make([]float32, 256), make([]float32, 256)
	for i := range s {
		s[i], g[i] = float32(i)/50, float32(i)/40
	}
	y := make([]float32, len(s))
	for _, c := range []struct {
		name string
		f    func(dst, s []float32, h float32, g []float32)
	}{{"vector", Gaussian32}, {"plain", gaussianPlain}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f(y, s, 0.5, g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s)), "ns/element")
		})
	}
}
