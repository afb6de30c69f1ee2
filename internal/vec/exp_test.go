package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps is the number of floats between a and b, of equal sign.
func ulps(a, b float64) uint64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	if math.IsNaN(a) != math.IsNaN(b) || math.Signbit(a) != math.Signbit(b) {
		return math.MaxUint64
	}
	x, y := math.Float64bits(a), math.Float64bits(b)
	return max(x, y) - min(x, y)
}

// largest is the last argument that does not overflow.
const largest = 709.782712893384

// edges are the arguments where something changes, and their neighbours.
func edges() []float64 {
	x := []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, 0x1p-54, -0x1p-54,
	}
	for _, v := range []float64{
		1, -1, tooBig, tooLow, largest,
		-708.3964185322641, // the smallest normal number
		-744.4400719213812, -745.1332191019412, 1e300, -1e300, 1e5, -1e5,
	} {
		x = append(x, math.Nextafter(v, -2e300), v, math.Nextafter(v, 2e300))
	}
	for n := -1080; n <= 1030; n++ { // between two exponents, and at the exact powers
		for _, v := range []float64{float64(n) * math.Ln2, (float64(n) + 0.5) * math.Ln2} {
			x = append(x, math.Nextafter(v, -1e9), v, math.Nextafter(v, 1e9))
		}
	}
	return x
}

// spread are random arguments over the whole range, and many near 0.
func spread(n int) []float64 {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, n)
	for i := range x {
		switch i % 4 {
		case 0:
			x[i] = 1500*r.Float64() - 770
		case 1:
			x[i] = 20 * r.NormFloat64()
		case 2:
			x[i] = math.Ldexp(r.Float64()-0.5, -r.IntN(1070))
		default:
			x[i] = math.Float64frombits(r.Uint64())
		}
	}
	return x
}

func TestExpNearMath(t *testing.T) {
	for _, x := range [][]float64{edges(), spread(400000)} {
		y := make([]float64, len(x))
		Exp(y, x)
		for i, v := range x {
			want := math.Exp(v)
			if v > 709 && v <= largest {
				continue // math.Exp overflows early on some processors; see TestExpExact
			}
			if ulps(y[i], want) > 2 {
				t.Fatalf("exp(%v) = %v, expected %v", v, y[i], want)
			}
		}
	}
}

func TestExpSpecial(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range [][2]float64{
		{0, 1}, {math.Copysign(0, -1), 1}, {inf, inf}, {-inf, 0}, {math.NaN(), math.NaN()}, {710, inf}, {1e308, inf},
		{-745.2, 0}, {-1e308, 0}, {-745.1, math.SmallestNonzeroFloat64}, {math.Log(2) * -1074, math.SmallestNonzeroFloat64},
	} {
		var y [1]float64
		Exp(y[:], []float64{c[0]})
		if ulps(y[0], c[1]) != 0 {
			t.Errorf("exp(%v) = %v, expected %v", c[0], y[0], c[1])
		}
	}
}

// exact is exp(x) to 200 bits: exp(x / 2^12) by its series, squared 12 times.
func exact(x float64) *big.Float {
	const prec, halvings = 200, 12
	r := new(big.Float).SetPrec(prec).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum := big.NewFloat(1).SetPrec(prec)
	term := big.NewFloat(1).SetPrec(prec)
	for k := 1.0; k < 40; k++ { // |r| < 0.2: the next term is below 1e-75
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// Within 1 ulp of the exact value, measured in the spacing of floats at the result; 2 where products and sums round apart.
func TestExpExact(t *testing.T) {
	most := 1.0
	if FMA(1+0x1p-52, 1-0x1p-52, -1) == 0 {
		most = 2
	}
	r := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 10000)
	for i := range x {
		if x[i] = 1400*r.Float64() - 700; i%2 == 0 {
			x[i] = 4*r.Float64() - 2
		}
	}
	for _, v := range edges() {
		if v > -708 && v <= largest {
			x = append(x, v)
		}
	}
	y := make([]float64, len(x))
	Exp(y, x)
	var worst float64
	for i, v := range x {
		e := exact(v)
		d := new(big.Float).SetFloat64(y[i])
		d.Sub(d.SetPrec(200), e)
		_, exponent := math.Frexp(y[i])
		d.SetMantExp(d, 53-exponent)
		off, _ := d.Float64()
		if worst = max(worst, math.Abs(off)); worst > most {
			t.Fatalf("exp(%v) = %v is %.3f ulp off", v, y[i], off)
		}
	}
	t.Logf("largest error %.3f ulp", worst)
}

// The vector form is the plain form, bit by bit.
func TestExpTwin(t *testing.T) {
	for _, x := range [][]float64{edges(), spread(100000)} {
		for _, c := range []float64{1, -0.37, 0, 1e10} {
			y, z := make([]float64, len(x)), make([]float64, len(x))
			ExpScaled(y, c, x)
			expPlain(z, c, x)
			for i := range x {
				if ulps(y[i], z[i]) != 0 {
					t.Fatalf("exp(%v * %v) is %v and %v", c, x[i], y[i], z[i])
				}
			}
		}
	}
}

// Any length at any place of memory, in place or not, changes nothing else.
func TestExpPlaces(t *testing.T) {
	const guard = 12345.5
	x := spread(200)
	for n := range 70 {
		for shift := range 4 {
			name := fmt.Sprintf("%d elements from %d", n, shift)
			dst := make([]float64, n+shift+8)
			for i := range dst {
				dst[i] = guard
			}
			Exp(dst[shift:shift+n], x[:n])
			in := append(append(make([]float64, shift), x[:n]...), guard, guard)
			Exp(in[shift:shift+n], in[shift:shift+n])
			for i, v := range dst {
				want := guard
				if i >= shift && i < shift+n {
					want = exp(x[i-shift])
					if ulps(in[i], want) != 0 {
						t.Fatalf("%s: element %d in place is %v, expected %v", name, i, in[i], want)
					}
				}
				if ulps(v, want) != 0 {
					t.Fatalf("%s: element %d is %v, expected %v", name, i, v, want)
				}
			}
			if in[shift+n] != guard {
				t.Fatalf("%s: written past the end", name)
			}
		}
	}
}

// The constants are those of the formula.
func TestConstants(t *testing.T) {
	f := 1.0
	last := len(constants) - 1
	for k := range 14 {
		if k > 1 {
			f *= float64(k)
		}
		if constants[last-k] != 1/f {
			t.Errorf("coefficient %d is %v, expected %v", k, constants[last-k], 1/f)
		}
	}
	if math.Float64bits(ln2Hi)<<43 != 0 {
		t.Error("ln2Hi is too long for an exact reduction")
	}
}

func TestExpLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("slices of different length are accepted")
		}
	}()
	Exp(make([]float64, 3), make([]float64, 4))
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 2000)
	for i := range x {
		x[i] = -float64(i) / 100
	}
	y := make([]float64, len(x))
	for _, c := range []struct {
		name string
		f    func(dst []float64, c float64, x []float64)
	}{
		{"vector", ExpScaled},
		{"plain", expPlain},
		{"math", func(dst []float64, c float64, x []float64) {
			for i, v := range x {
				dst[i] = math.Exp(c * v)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f(y, 0.5, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/exp")
		})
	}
}
