package choose

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// The offsets must give the masses they promise.
func TestMassOffsets(t *testing.T) {
	for _, classes := range []int{2, 3} {
		const n = 60
		labels := data.Labels{Task: data.Classification, Class: make([]int, n)}
		for c := range classes {
			labels.Classes = append(labels.Classes, string(rune('a'+c)))
		}
		x := mat.NewDense(n, 1, nil)
		for i := range labels.Class {
			labels.Class[i] = data.Unlabelled
			if i < 10 {
				labels.Class[i] = min(i%4, classes-1)
			}
			x.Set(i, 0, float64(i))
		}
		p := learn.NewProblem(data.Rows{Dense: x}, labels)
		f := mat.NewDense(n, p.Outputs(), nil)
		f.Apply(func(i, j int, _ float64) float64 { return 3 * math.Sin(float64(7*i+3*j)) }, f)
		b := massOffsets(p, f)
		soft := func(b []float64) []float64 {
			q := make([]float64, classes)
			for i := 10; i < n; i++ {
				e := make([]float64, classes)
				var z float64
				for k := range e {
					switch {
					case classes > 2:
						e[k] = math.Exp(f.At(i, k) + b[k])
					case k == 1:
						e[k] = math.Exp(f.At(i, 0) + b[0])
					default:
						e[k] = 1
					}
					z += e[k]
				}
				for k := range e {
					q[k] += e[k] / z / (n - 10)
				}
			}
			return q
		}
		before, after := soft(make([]float64, p.Outputs())), soft(b)
		counts := make([]float64, classes)
		for _, k := range p.Class {
			counts[k]++
		}
		for k := range counts {
			g := min(0.5, float64(classes)/10)
			want := (1-g)*before[k] + g*(counts[k]+1)/float64(10+classes)
			if math.Abs(after[k]-want) > 1e-5 {
				t.Errorf("%d classes: mass %d is %g, want %g", classes, k, after[k], want)
			}
		}
	}
}

// Decisions come in the shares asked for.
func TestBalance(t *testing.T) {
	for _, shares := range [][]float64{{0.8, 0.2}, {1, 0}, {0.1, 0.9}, {0.2, 0.5, 0.3}, {0.05, 0.05, 0.9}} {
		const n, known = 400, 10
		labels := data.Labels{Task: data.Classification, Class: make([]int, n)}
		for c := range shares {
			labels.Classes = append(labels.Classes, string(rune('a'+c)))
		}
		x := mat.NewDense(n, 1, nil)
		for i := range labels.Class {
			labels.Class[i] = data.Unlabelled
			if i < known {
				labels.Class[i] = i % len(shares)
			}
		}
		p := learn.NewProblem(data.Rows{Dense: x}, labels)
		f := mat.NewDense(n, p.Outputs(), nil)
		f.Apply(func(i, j int, _ float64) float64 { return 3 + math.Sin(float64(7*i+3*j*j)) }, f)
		b := Balance(p, f, shares)
		count := make([]float64, len(shares))
		for i := known; i < n; i++ {
			row := slices.Clone(f.RawRowView(i))
			for j := range row {
				row[j] += b[j]
			}
			count[p.Coding.Decide(mat.NewDense(1, len(row), row))[0]]++
		}
		for k, c := range count {
			slack := 0.0
			if len(shares) > 2 {
				slack = 4 // rows at the edge of two classes, of 390
			}
			if d := math.Abs(c - shares[k]*(n-known)); d > slack+0.5 {
				t.Errorf("shares %v: %v of %d rows", shares, count, n-known)
				break
			}
		}
	}
}

// Where rows are so sure of their classes that offsets move no mass for long, the fit ends after 200 steps.
func TestMassesThatDoNotMove(t *testing.T) {
	b := make([]float64, 2)
	fit([][]float64{{0, -1000}, {0, 1000}}, b, []float64{0.4, 0.6})
	for k, want := range []float64{200 * math.Log(0.8), 200 * math.Log(1.2)} {
		if math.Abs(b[k]-want) > 1e-9 {
			t.Errorf("offset %d is %g, want %g", k, b[k], want)
		}
	}
}
