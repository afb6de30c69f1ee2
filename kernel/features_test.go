package kernel_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

// The product by the features is that with the block, for dense and sparse rows.
func TestFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	x := mat.NewDense(40, 6, nil)
	for i := range 40 {
		for j := range 6 {
			if rng.IntN(2) == 0 {
				x.Set(i, j, rng.NormFloat64())
			}
		}
	}
	alpha := mat.NewDense(40, 3, nil)
	for i := range 40 {
		for j := range 3 {
			alpha.Set(i, j, rng.NormFloat64())
		}
	}
	some, others := []int{3, 3, 0, 39}, []int{7, 1, 38}
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: sparse.FromDense(x)}} {
		g, err := kernel.Linear{}.Bind(context.Background(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := kernel.Features(g)
		if !ok || f.Len() != 40 || f.IsSparse() != rows.IsSparse() {
			t.Fatalf("features %v, %v", f.Len(), ok)
		}
		for _, c := range []struct{ i, j []int }{{nil, nil}, {some, nil}, {nil, others}, {some, others}} {
			n, m := 40, 40
			if c.i != nil {
				n = len(c.i)
			}
			if c.j != nil {
				m = len(c.j)
			}
			part := alpha.Slice(0, m, 0, 3).(*mat.Dense)
			k, got := mat.NewDense(n, m, nil), mat.NewDense(n, 3, nil)
			g.Block(k, c.i, c.j)
			kernel.MulFeatures(got, f, c.i, c.j, part)
			var want mat.Dense
			want.Mul(k, part)
			if !mat.EqualApprox(got, &want, 1e-12) {
				t.Errorf("rows %v, columns %v: %v, want %v", c.i, c.j, mat.Formatted(got), mat.Formatted(&want))
			}
		}
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Polynomial{Degree: 1, Scale: 1}, kernel.Scaled{Base: kernel.Linear{}, Weight: 2}} {
		g, err := k.Bind(context.Background(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := kernel.Features(g); ok {
			t.Errorf("%T is X X'", k)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a wrong shape")
		}
	}()
	kernel.MulFeatures(mat.NewDense(2, 3, nil), data.Rows{Dense: x}, nil, nil, alpha)
}
