package auto

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
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
