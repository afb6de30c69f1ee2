package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// histograms returns a panel of features that are not negative, a third of them zero,
// from 1e-29 to 1.
func histograms(r *rand.Rand, features int) []float64 {
	p := make([]float64, features*ChiRows)
	for i := range p {
		switch r.IntN(6) {
		case 0, 1:
		case 2:
			p[i] = math.Pow(10, -29*r.Float64())
		default:
			p[i] = r.Float64()
		}
	}
	return p
}

// Against one division a term, within the roundings of a sum of positive terms, and
// against the plain form to the last bit.
func TestChiSquare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := map[string]struct {
		f         func(out, x, z []float64, features int)
		numerator func(x, z float64) float64
	}{
		"distance": {ChiDistance, func(x, z float64) float64 { return (x - z) * (x - z) }},
		"product":  {ChiProduct, func(x, z float64) float64 { return x * z }},
	}
	for name, c := range forms {
		for _, features := range []int{0, 4, 8, 12, 100, 256} {
			x, z := histograms(r, features), histograms(r, features)
			copy(z, x[:len(x)/3])
			for row := range ChiRows {
				var out, plain [ChiRows]float64
				for b := range out {
					out[b], plain[b] = float64(b), float64(b)
				}
				from := x[min(row, len(x)):]
				c.f(out[:], from, z, features)
				chiPlain(plain[:], from, z, features, c.numerator)
				if out != plain {
					t.Fatalf("%s of %d features: %v, plain %v", name, features, out, plain)
				}
				for b, got := range out {
					want := float64(b)
					for k := range features {
						u, v := x[k*ChiRows+row], z[k*ChiRows+b]
						if u+v > 0 {
							want += c.numerator(u, v) / (u + v)
						}
					}
					if !(math.Abs(got-want) <= float64(features+8)*0x1p-52*want) {
						t.Fatalf("%s of %d features, row %d with %d: %.17g, expected %.17g", name, features, row, b, got, want)
					}
					if features == 0 {
						continue
					}
					var back [ChiRows]float64 // x and z in each other's place
					c.f(back[:], z[b:], x, features)
					var forth [ChiRows]float64
					c.f(forth[:], from, z, features)
					if back[row] != forth[b] {
						t.Fatalf("%s is not symmetric: %v and %v", name, back[row], forth[b])
					}
				}
			}
		}
	}
}

// The extremes that the scaling allows stay finite, and equal rows are 0 apart.
func TestChiSquareExtremes(t *testing.T) {
	x, z := make([]float64, 4*ChiRows), make([]float64, 4*ChiRows)
	for i := range x {
		x[i] = []float64{0x1p199, 0, 0x1p-99, 0x1p199}[i/ChiRows]
		z[i] = []float64{0x1p199, 0, 0x1p-99, 0}[i/ChiRows]
	}
	var out, same [ChiRows]float64
	ChiDistance(out[:], x, z, 4)
	ChiDistance(same[:], x, x, 4)
	for b := range out {
		if out[b] != 0x1p199 || same[b] != 0 {
			t.Errorf("row %d: %g, with itself %g", b, out[b], same[b])
		}
	}
}

func TestChiSquareFaults(t *testing.T) {
	for name, f := range map[string]func(){
		"out":      func() { ChiDistance(make([]float64, 7), make([]float64, 32), make([]float64, 32), 4) },
		"features": func() { ChiProduct(make([]float64, 8), make([]float64, 32), make([]float64, 32), 3) },
		"x":        func() { ChiProduct(make([]float64, 8), make([]float64, 24), make([]float64, 32), 4) },
		"z":        func() { ChiDistance(make([]float64, 8), make([]float64, 32), make([]float64, 31), 4) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f()
		})
	}
}

func BenchmarkChiSquare(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	const features = 100
	x, z := histograms(r, features), histograms(r, features)
	out := make([]float64, ChiRows)
	for name, f := range map[string]func(){
		"distance": func() { ChiDistance(out, x, z, features) },
		"product":  func() { ChiProduct(out, x, z, features) },
	} {
		b.Run(fmt.Sprintf("%s/%d", name, features), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/features/ChiRows, "ns/feature")
		})
	}
}

// The least denominator is 2^-100: terms whose sum is that or more are the fractions themselves, smaller ones fall with the square.
func TestLeastDenominator(t *testing.T) {
	for e := -110; e <= 0; e++ {
		v := math.Ldexp(1, e)
		square := v * v * 0x1p100
		var product, distance, back [ChiRows]float64
		x, zero := make([]float64, 4*ChiRows), make([]float64, 4*ChiRows)
		x[ChiRows] = v // the second of four features, of the first row
		ChiProduct(product[:], x, x, 4)
		ChiDistance(distance[:], x, zero, 4)
		ChiDistance(back[:], zero, x, 4)
		wantProduct, wantDistance := v/2, v
		if e < -101 {
			wantProduct = square
		}
		if e < -100 {
			wantDistance = square
		}
		if product[0] != wantProduct || distance[0] != wantDistance || back[0] != wantDistance {
			t.Errorf("2^%d: a product of %g, want %g", e, product[0], wantProduct)
			t.Errorf("distances of %g and %g, want %g", distance[0], back[0], wantDistance)
		}
	}
}
