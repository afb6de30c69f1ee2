package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestCompactIsTheSameFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	x, coef, fresh := draw(30, 4), draw(30, 3), draw(7, 4)
	for i := range 10 {
		coef.SetRow(3*i, make([]float64, 3))
	}
	sparseRows := func(m *mat.Dense) data.Rows { return data.Rows{Sparse: sparse.FromDense(m)} }
	for name, c := range map[string]struct {
		k       kernel.Kernel
		rows    func(*mat.Dense) data.Rows
		centres int
	}{
		"linear":        {kernel.Linear{}, func(m *mat.Dense) data.Rows { return data.Rows{Dense: m} }, 3},
		"linear sparse": {kernel.Linear{}, sparseRows, 3},
		"gaussian":      {kernel.Gaussian{Sigma: 1}, func(m *mat.Dense) data.Rows { return data.Rows{Dense: m} }, 20},
	} {
		e := kernel.Expansion{Kernel: c.k, Centres: c.rows(x), Coef: coef}
		s := e.Compact()
		if s.Centres.Len() != c.centres {
			t.Errorf("%s: %d centres, want %d", name, s.Centres.Len(), c.centres)
		}
		if d := mat.Norm(minus(outputs(t, e, c.rows(fresh)), outputs(t, s, c.rows(fresh))), math.Inf(1)); d > 1e-13 {
			t.Errorf("%s: outputs differ by %g", name, d)
		}
	}
}

func minus(a, b *mat.Dense) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

func outputs(t *testing.T, e kernel.Expansion, x data.Rows) *mat.Dense {
	t.Helper()
	g, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(x.Len(), e.Centres.Len(), nil)
	if err := g.Cross(k, x, nil); err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(k, e.Coef)
	return &out
}
