package bench

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// bilevel is the score of five folds of a machine with the quartic surrogate of the hinge,
// a width a column.
func bilevel(n, d int) (*score.Refit, []float64) {
	p := problem(n, d, n)
	folds := make([][]int, 5)
	for i := range n {
		folds[i%5] = append(folds[i%5], i)
	}
	s := &score.Refit{
		Kernel:    kernel.ARDGaussian{}.Adapt(p.Rows),
		Learner:   smooth.Learner{Loss: learn.Quartic(0.5), Offset: smooth.Free},
		Problem:   p,
		Criterion: score.Risk{Loss: learn.Square()},
		Folds:     folds,
	}
	return s, s.Space().Defaults()
}

// BenchmarkBilevelValue compares the score with its Gram block and one factorisation a step of
// Newton's method, of the rows with curvature at its end, from a cold start.
func BenchmarkBilevelValue(b *testing.B) {
	s, theta := bilevel(2000, 256)
	l := len(s.Problem.Labelled)
	g := bind(b, s.Kernel, s.Problem.Rows, nil)
	block := mat.NewDense(l, l, nil)
	g.Block(block, s.Problem.Labelled, s.Problem.Labelled)
	trainer, err := s.Learner.Bind(context.Background(), g, s.Problem)
	if err != nil {
		b.Fatal(err)
	}
	type fold struct{ factors, active int }
	counts := make([]fold, len(s.Folds))
	for q, f := range s.Folds {
		m, err := trainer.Train(context.Background(), learn.Others(l, f), theta[len(theta)-1:], nil)
		if err != nil {
			b.Fatal(err)
		}
		counts[q].factors = m.Certificate.Steps
		for a, i := range learn.Others(l, f) {
			if _, bend := learn.Quartic(0.5).Derivatives(s.Problem.Y.At(i, 0), m.Fitted.At(a, 0)); bend > 0 {
				counts[q].active++
			}
		}
	}
	compare(b, "value", func() { evaluate(b, s, theta, param.ValueOnly) }, "floor", func() {
		bind(b, s.Kernel, s.Problem.Rows, nil).Block(block, s.Problem.Labelled, s.Problem.Labelled)
		for _, c := range counts {
			for range c.factors {
				m := mat.NewDense(c.active, c.active, nil)
				for i := range c.active {
					copy(m.RawRowView(i), block.RawRowView(i)[:c.active])
					m.Set(i, i, float64(l))
				}
				var chol blas.Cholesky
				if err := chol.Factor(m); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkBilevelGradient compares value and gradient with the value, for 1 to 1024
// hyper-parameters beside C.
func BenchmarkBilevelGradient(b *testing.B) {
	for _, d := range []int{1, 16, 256, 1024} {
		b.Run(fmt.Sprintf("widths=%d", d), func(b *testing.B) {
			s, theta := bilevel(2000, d)
			of := func(want param.Want) func() { return func() { evaluate(b, s, theta, want) } }
			compare(b, "gradient", of(param.WithGradient), "value", of(param.ValueOnly))
		})
	}
}
