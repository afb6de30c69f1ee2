package s3vm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// One annealing of 1500 rows in 241 columns, two Gaussian classes, 100 labels, with the table of kernel values given.
// Floor: one Cholesky factor, n^3/3 flops, and at each temperature a few products with n x n numbers.
func BenchmarkAnnealing(b *testing.B) {
	const n, d, l = 1500, 241, 100
	rng := rand.New(rand.NewPCG(7, 1))
	x, y, rows := mat.NewDense(n, d, nil), make([]float64, l), make([]int, n)
	for i := range n {
		rows[i] = i
		side := float64(1 - 2*(i%2))
		if i < l {
			y[i] = side
		}
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.15*side)
		}
	}
	set := data.Rows{Dense: x}
	g, err := kernel.Gaussian{}.Adapt(set).Bind(b.Context(), set, nil)
	if err != nil {
		b.Fatal(err)
	}
	k := mat.NewDense(n, n, nil)
	g.Block(k, nil, nil)
	for _, v := range []learn.Loss{learn.SquaredHinge(), learn.Square(), learn.Hinge()} {
		for _, c := range []float64{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/C=%g", v.Name(), c), func(b *testing.B) {
				p := &s3vm.Problem{K: k, Rows: rows, Y: y, Positive: 0.5, C: c, Unlabelled: 1}
				for b.Loop() {
					if _, err := (s3vm.Annealing{Loss: v}).Solve(b.Context(), p, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
