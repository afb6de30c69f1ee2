package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// signed returns a panel of numbers of both signs, some of them equal.
func signed(r *rand.Rand, features int) []float64 {
	p := make([]float64, features*ChiRows)
	for i := range p {
		p[i] = math.Round(8*r.NormFloat64()) / 4
	}
	return p
}

// Against one term after the other, within the rounding of a sum of positive terms, and x and z may change places.
func TestAbsolute(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, features := range []int{0, 4, 8, 12, 100, 256} {
		x, z := signed(r, features), signed(r, features)
		weight := signed(r, 1)
		for row := range ChiRows {
			from := x[min(row, len(x)):]
			var out [ChiRows]float64
			terms := make([]float64, features*ChiRows)
			for b := range out {
				out[b] = float64(b)
			}
			for q := range terms {
				terms[q] = float64(q)
			}
			AbsDistance(out[:], from, z, features)
			AbsWeighted(terms, from, z, weight, features)
			for b, got := range out {
				want := float64(b)
				for k := range features {
					term := math.Abs(x[k*ChiRows+row] - z[k*ChiRows+b])
					want += term
					at := k*ChiRows + b
					if one := float64(at) + weight[b]*term; math.Abs(terms[at]-one) > 0x1p-51*(1+math.Abs(one)) {
						t.Fatalf("feature %d, row %d with %d: %.17g, expected %.17g", k, row, b, terms[at], one)
					}
				}
				if math.Abs(got-want) > float64(features+8)*0x1p-52*want {
					t.Fatalf("%d features, row %d with %d: %.17g, expected %.17g", features, row, b, got, want)
				}
				if features == 0 {
					continue
				}
				var forth, back [ChiRows]float64
				AbsDistance(forth[:], from, z, features)
				AbsDistance(back[:], z[b:], x, features)
				if forth[b] != back[row] {
					t.Fatalf("not symmetric: %v and %v", forth[b], back[row])
				}
			}
		}
	}
}

func TestAbsoluteFaults(t *testing.T) {
	for name, f := range map[string]func(){
		"out":      func() { AbsDistance(make([]float64, 7), make([]float64, 32), make([]float64, 32), 4) },
		"features": func() { AbsDistance(make([]float64, 8), make([]float64, 32), make([]float64, 32), 3) },
		"weights": func() {
			AbsWeighted(make([]float64, 32), make([]float64, 32), make([]float64, 32), make([]float64, 7), 4)
		},
		"terms": func() {
			AbsWeighted(make([]float64, 31), make([]float64, 32), make([]float64, 32), make([]float64, 8), 4)
		},
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

func BenchmarkAbsolute(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	const features = 100
	x, z := signed(r, features), signed(r, features)
	out, terms := make([]float64, ChiRows), make([]float64, features*ChiRows)
	for name, f := range map[string]func(){
		"distance": func() { AbsDistance(out, x, z, features) },
		"weighted": func() { AbsWeighted(terms, x, z, out, features) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/features/ChiRows, "ns/feature")
		})
	}
}
