package kernel_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// normal returns r x c normal numbers.
func normal(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// Products are those of the matrix that Cross computes.
func TestProducts(t *testing.T) {
	x, z := cloud(500, 7, 1), cloud(45, 7, 2)
	for _, s := range []struct {
		name string
		k    kernel.Kernel
		x    data.Rows
	}{
		{"gaussian", kernel.Gaussian{Sigma: 3}, x},
		{"polynomial", kernel.Polynomial{Degree: 2, Scale: 0.1, Offset: 1}, x},
		{"sparse", kernel.Gaussian{Sigma: 3}, data.Rows{Sparse: data.CSRFromDense(x.Dense)}},
	} {
		g := bind(t, s.k, z, nil)
		k := mat.NewDense(500, 45, nil)
		if err := g.Cross(k, s.x, nil); err != nil {
			t.Fatal(err)
		}
		p, err := kernel.NewProducts(g, s.x)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []int{1, 3, 5} {
			v, got := normal(45, c, 5), mat.NewDense(500, c, nil)
			var want mat.Dense
			want.Mul(k, v)
			if err := p.Mul(t.Context(), got, v); err != nil {
				t.Fatal(err)
			}
			if off := distance(t, got, &want); !(off <= 1e-10) {
				t.Errorf("%s, %d columns: off by %g", s.name, c, off)
			}
		}
		stoptest.Everywhere(t, func(ctx context.Context) error { return p.Mul(ctx, mat.NewDense(500, 1, nil), normal(45, 1, 1)) })
	}
	g := bind(t, kernel.Gaussian{Sigma: 3}, z, nil)
	if _, err := kernel.NewProducts(g, cloud(10, 6, 1)); err == nil {
		t.Error("rows of another width have products")
	}
	if _, err := kernel.NewProducts(g, data.Rows{}); err == nil {
		t.Error("no rows have products")
	}
}
