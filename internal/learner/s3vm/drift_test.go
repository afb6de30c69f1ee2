package s3vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

// TestDriftedFactor: a factor by which the system is no longer met to nine digits, as after very many updates, is computed anew.
func TestDriftedFactor(t *testing.T) {
	const n = 30
	for _, change := range []float64{0, 1e-13, 1e-6, 1e-3} { // of the matrix behind the back of its factor
		draw := rand.New(rand.NewPCG(4, 9))
		k := mat.NewDense(n, n, nil)
		x := make([]float64, n)
		for i := range x {
			x[i] = draw.NormFloat64()
		}
		for i := range n {
			for j := range n {
				k.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])))
			}
		}
		w := newWeighted(&Problem{K: k, Offset: true}, learn.SquaredHinge())
		for i := range n {
			w.label(i, float64(1-2*(i%2)), 3)
		}
		w.start(make([]float64, n), 0)
		if err := w.train(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			k.Set(i, i, k.At(i, i)*(1+change))
		}
		m := w.newton
		m.pieces()
		if fresh, err := m.follow(t.Context()); fresh || err != nil {
			t.Fatalf("the piece is another: %v", err)
		}
		if err := m.minimum(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := m.error(); e > 1e-9 {
			t.Errorf("changed by %g: the system is met to %g", change, e)
		}
		for i := range n { // no longer positive semi-definite, which the factor computed anew tells
			k.Set(i, i, -1)
		}
		if err := m.minimum(t.Context()); err == nil {
			t.Errorf("changed by %g: a matrix without a factor is no error", change)
		}
	}
}

// The minimum of a piece counts as inside of it with a row beyond the margin by some roundings of its output, and not by more.
func TestMinimumAtAKink(t *testing.T) {
	for by, want := range map[float64]bool{0: true, 0.5e-11: true, 2e-11: false, 1e-6: false} {
		for _, side := range []float64{1, -1} {
			m := newWeighted(&Problem{K: mat.NewDense(1, 1, []float64{1})}, learn.SquaredHinge())
			m.label(0, side, 1)
			m.at.f[0], m.newton.next.f[0] = 0.5*side, side*(1+by)
			if got := m.newton.inside(); got != want {
				t.Errorf("label %g, %g beyond the margin: inside is %v", side, by, got)
			}
		}
	}
}
