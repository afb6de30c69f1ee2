package learn_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// All ways to evaluate a machine give its formula: on bound rows by few values and
// by many, and on the same rows as new ones.
func TestEvaluate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	const n, d = 5000, 3
	rows := data.Rows{Dense: draw(n, d)}
	g, err := kernel.Gaussian{Sigma: 1.3}.Bind(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &learn.Machine{Coef: draw(n-10, 2), Offset: []float64{1, -2}}
	for i := range n - 10 {
		m.Rows = append(m.Rows, i+10)
	}
	many := mat.NewDense(n, 2, nil)
	if err := m.Evaluate(context.Background(), many, g, nil); err != nil {
		t.Fatal(err)
	}
	idx := []int{4999, 0, 17, 17}
	few, fresh := mat.NewDense(4, 2, nil), mat.NewDense(4, 2, nil)
	if err := m.Evaluate(context.Background(), few, g, idx); err != nil {
		t.Fatal(err)
	}
	if err := m.Predict(context.Background(), fresh, g, rows.Select(idx)); err != nil {
		t.Fatal(err)
	}
	block := mat.NewDense(4, n-10, nil)
	g.Block(block, idx, m.Rows)
	for q, i := range idx {
		for o := range 2 {
			want, size := m.Offset[o], 0.0
			for j := range m.Rows {
				want += block.At(q, j) * m.Coef.At(j, o)
				size += math.Abs(block.At(q, j) * m.Coef.At(j, o))
			}
			for name, c := range map[string]struct{ got, tol float64 }{
				"few": {few.At(q, o), 1e-12}, "new": {fresh.At(q, o), 1e-12}, "many": {many.At(i, o), 1e-6},
			} {
				if math.Abs(c.got-want) > c.tol*size {
					t.Errorf("%s: row %d, output %d is %g, want %g", name, i, o, c.got, want)
				}
			}
		}
	}
	if s := (&learn.Machine{Rows: []int{1, 2, 3}, Coef: mat.NewDense(3, 1, []float64{0, 5, 0})}).Sparse(); len(s.Rows) != 1 ||
		s.Rows[0] != 2 ||
		s.Coef.At(0, 0) != 5 {
		t.Errorf("sparse machine %+v", s)
	}
}

// A certificate of an indefinite kernel says so, and keeps the worst of several outputs.
func TestIndefinite(t *testing.T) {
	var c learn.Certificate
	c.Join(learn.Certificate{Least: -0.5})
	c.Join(learn.Certificate{Least: -2})
	c.Join(learn.Certificate{})
	if c.Least != -2 || !strings.Contains(c.Indefinite(), "smallest eigenvalue on the rows trained on is -2") {
		t.Errorf("%+v: %q", c, c.Indefinite())
	}
	if s := (learn.Certificate{}).Indefinite(); s != "" {
		t.Errorf("of a definite kernel: %q", s)
	}
}

// TestPanels: rows evaluated by panels, whole ones, part ones and several, are those evaluated one by one; a kernel that
// cannot be computed is an error.
func TestPanels(t *testing.T) {
	for _, n := range []int{1, 511, 512, 513, 1024, 1025} {
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			x.Set(i, 0, math.Sin(float64(i)))
		}
		rows := data.Rows{Dense: x}
		g, err := kernel.Linear{}.Bind(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := &learn.Machine{Rows: []int{0, n - 1}, Coef: mat.NewDense(2, 1, []float64{2, -1}), Offset: []float64{0.5}}
		all, fresh, none := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
		if err := m.Evaluate(context.Background(), all, g, nil); err != nil {
			t.Fatal(err)
		}
		if err := m.Predict(context.Background(), fresh, g, rows); err != nil {
			t.Fatal(err)
		}
		if err := (&learn.Machine{Offset: []float64{3}}).Evaluate(context.Background(), none, g, nil); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			want := x.At(i, 0)*(2*x.At(0, 0)-x.At(n-1, 0)) + 0.5
			if math.Abs(all.At(i, 0)-want) > 1e-13 || math.Abs(fresh.At(i, 0)-want) > 1e-13 || none.At(i, 0) != 3 {
				t.Fatalf("row %d of %d: %g and %g, want %g; without rows %g", i, n, all.At(i, 0), fresh.At(i, 0), want, none.At(i, 0))
			}
		}
		if err := m.Predict(context.Background(), fresh, failing{g}, rows); err == nil {
			t.Error("a kernel that fails is no error")
		}
	}
	same := learn.NewProblem(data.Rows{Dense: mat.NewDense(2, 1, nil)}, data.Labels{Task: data.Regression, Value: []float64{3, 3}})
	if none := learn.NewProblem(data.Rows{Dense: mat.NewDense(2, 1, nil)},
		data.Labels{Task: data.Regression, Value: []float64{math.NaN(), math.NaN()}}); same.Spread() != 1 ||
		none.Spread() != 1 {
		t.Errorf("spreads %g and %g of targets that do not vary", same.Spread(), none.Spread())
	}
}

// failing is a kernel without values of new rows.
type failing struct{ kernel.Gram }

func (failing) Cross(*mat.Dense, data.Rows, []int) error { return errors.New("no values") }
