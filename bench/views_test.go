package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/multiview"
	"github.com/mercer-ml/mercer/score"
)

// BenchmarkViews is the closed leave-one-out of co-regularised least squares, n 1000, l 100, three views of four columns
// with a width each: the value, and the value with its gradient in the sixteen parameters.
func BenchmarkViews(b *testing.B) {
	p := problem(1000, 12, 100)
	k, views := multiview.Coupled{Coupling: 100}, [][]int{}
	for v := range 3 {
		views = append(views, []int{4 * v, 4*v + 1, 4*v + 2, 4*v + 3})
		k.Names = append(k.Names, fmt.Sprint(v))
		k.Kernels = append(k.Kernels, kernel.ARDGaussian{Sigma: []float64{2, 2, 2, 2}})
	}
	stacked := multiview.Stack(p.Rows, views)
	groups := stacked.Groups(p)
	s := score.LeaveOut{Kernel: k, Problem: stacked.Problem(p, nil), Folds: groups, Work: new(kernel.Work),
		Criterion: multiview.Agreed{Criterion: score.LogLoss{}, Things: p, Groups: groups}}
	theta := s.Space().Defaults()
	for _, grad := range []bool{false, true} {
		b.Run(map[bool]string{false: "value", true: "gradient"}[grad], func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Eval(context.Background(), theta, grad); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
