package smooth_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// The Newton fit of l rows; the floor is one Cholesky factorisation of the whole matrix,
// see BenchmarkFloor. Reported: steps and factorisations.
func BenchmarkNewton(b *testing.B) {
	for _, l := range []int{100, 500, 2000} {
		x, y := sample(l, true, 1)
		k := gaussian(x, x, 0.5)
		for _, v := range []learn.Loss{learn.SquaredHinge(), learn.HuberHinge(0), learn.Logistic()} {
			for _, c := range []float64{0.1, 10, 1000} {
				b.Run(fmt.Sprintf("%s/l=%d/C=%g", v.Name(), l, c), func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						s, err := smooth.Newton(context.Background(), smooth.Problem{K: k, Y: y, C: c, Loss: v, Offset: smooth.Free},
							smooth.Options{}, nil)
						if err != nil || !s.Status.Converged() {
							b.Fatal(err, s.Status, s.Gradient)
						}
						b.ReportMetric(float64(s.Steps), "steps")
						b.ReportMetric(float64(s.Factors), "factors")
					}
				})
			}
		}
	}
}

// One factorisation of K + I and its copy.
func BenchmarkFloor(b *testing.B) {
	for _, l := range []int{500, 2000} {
		x, _ := sample(l, true, 1)
		k := gaussian(x, x, 0.5)
		a := mat.NewDense(l, l, nil)
		b.Run(fmt.Sprintf("l=%d", l), func(b *testing.B) {
			for range b.N {
				a.Copy(k)
				for i := range l {
					a.Set(i, i, 2)
				}
				var c blas.Cholesky
				if err := c.Factor(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The linear form: many dense rows, and sparse text-like rows.
func BenchmarkLinear(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, d := 20000, 100
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		y[i] = 1 - 2*float64(rng.IntN(2))
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.1*y[i])
		}
	}
	wide, wy := &data.CSR{R: 5000, C: 20000, Start: []int{0}}, make([]float64, 5000)
	for i := range wide.R {
		wy[i] = 1 - 2*float64(rng.IntN(2))
		j := 0
		for range 60 {
			if j += 1 + rng.IntN(600); j >= wide.C {
				break
			}
			wide.Index = append(wide.Index, int32(j))
			wide.Value = append(wide.Value, rng.Float64()*0.3)
		}
		wide.Start = append(wide.Start, len(wide.Index))
	}
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Logistic()} {
		for _, c := range []struct {
			name string
			p    smooth.LinearProblem
			m    smooth.Method
		}{
			{"dense/cholesky", smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y}, smooth.Cholesky},
			{"dense/cg", smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y}, smooth.CG},
			{"sparse/cg", smooth.LinearProblem{X: data.Rows{Sparse: wide}, Y: wy}, smooth.CG},
		} {
			b.Run(v.Name()+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				c.p.Loss, c.p.Offset = v, smooth.Free
				for range b.N {
					s, err := smooth.NewtonLinear(context.Background(), c.p, smooth.Options{Method: c.m}, nil)
					if err != nil || !s.Status.Converged() {
						b.Fatal(err, s.Status, s.Gradient)
					}
					b.ReportMetric(float64(s.Steps), "steps")
					b.ReportMetric(float64(s.Products), "products")
				}
			})
		}
	}
}
