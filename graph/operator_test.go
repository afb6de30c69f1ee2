package graph

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

func TestPowerIsTheRepeatedProduct(t *testing.T) {
	for _, kind := range []Laplacian{Normalised, Combinatorial} {
		g := build(t, Recipe{Neighbours: 4, Laplacian: kind}, rowsOf(normal(1, 70, 3)))
		l := g.Laplacian().ToDense()
		want := mat.DenseCopyOf(l)
		for p := 1; p <= 5; p++ {
			o := &Power{L: g.Laplacian(), P: p}
			tol := 1e-13 * mat.Norm(want, 2)
			if !mat.EqualApprox(matrix(o), want, tol) {
				t.Errorf("%v^%d differs from the dense product", kind, p)
			}
			near(t, "trace", o.Trace(), mat.Trace(want), 70*tol)
			spectral, err := NewRealPower(context.Background(), g.Laplacian(), float64(p))
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(matrix(spectral), want, 100*tol) {
				t.Errorf("%v^%d by eigenvectors differs from the dense product", kind, p)
			}
			near(t, "trace by eigenvalues", spectral.(*filter).Trace(), mat.Trace(want), 70*100*tol)
			var next mat.Dense
			next.Mul(want, l)
			want = mat.DenseCopyOf(&next)
		}
	}
}

func TestCombinationIsTheWeightedSum(t *testing.T) {
	rows := rowsOf(normal(2, 90, 2))
	g := build(t, Recipe{Neighbours: 3, Laplacian: Combinatorial}, rows)
	l := g.Laplacian()
	heat := build(t, Recipe{Neighbours: 8, Weights: Heat, Degree: 2}, rows).Operator()
	terms := []Operator{&Power{L: l, P: 3}, heat, &Power{L: l, P: 1}, &Power{L: l, P: 3}}
	for _, mu := range [][]float64{{0.4, 0.3, 0, 0.3}, {0, 0.7, 0.3, 0}, {0.5, 0, 0.5, 0},
		{0, 1, 0, 0}} { // what has no weight is not computed
		for _, normalise := range []Normalisation{None, Trace, Spectral} {
			c, err := Combine(mu, terms, normalise)
			if err != nil {
				t.Fatal(err)
			}
			want := mat.NewDense(90, 90, nil)
			for j, term := range terms {
				m := matrix(term)
				scale := map[Normalisation]float64{None: 1, Trace: mat.Trace(m) / 90, Spectral: mat.Norm(m, 2)}[normalise]
				if normalise == Spectral {
					values := eigenvalues(t, m)
					scale = values[len(values)-1]
				}
				m.Scale(mu[j]/scale, m)
				want.Add(want, m)
			}
			if got := matrix(c); !mat.EqualApprox(got, want, 1e-11*mat.Norm(want, 2)) {
				t.Errorf("%v, weights %v: combination differs from the sum", normalise, mu)
			}
		}
	}
	if _, err := Combine([]float64{1, -1}, terms[:2], None); err == nil {
		t.Error("a negative weight is accepted")
	}
	if _, err := Combine([]float64{1}, terms, None); err == nil {
		t.Error("one weight for four operators is accepted")
	}
	equal, err := Combine(nil, terms, None)
	if err != nil || equal.Mu[2] != 0.25 {
		t.Errorf("default weights: %v", err)
	}
}

func TestIsolatedRowsAreZero(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 50, 90})
	for _, kind := range []Laplacian{Normalised, Combinatorial} {
		m := matrix(build(t, Recipe{Kind: Epsilon, Radius: 2, Laplacian: kind, Degree: 2}, rowsOf(x)).Operator())
		want := mat.NewDense(4, 4, []float64{2, -2, 0, 0, -2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		if !mat.EqualApprox(m, want, 1e-15) {
			t.Errorf("%v: %v", kind, mat.Formatted(m))
		}
	}
}

// A width so small that weights underflow must give zero rows, not NaN.
func TestVanishingHeat(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 1, 2.5, 4.5, 7})
	for _, tau := range []float64{1e-3, 1. / 709, 1. / 740} {
		o := build(t, Recipe{Neighbours: 2, Weights: Heat, Width: tau}, rowsOf(x)).Operator()
		grad := []float64{0}
		o.Pull(grad, normal(1, 5, 2), normal(2, 5, 2))
		m := matrix(o)
		for i := range 5 {
			for j := range 5 {
				if v := m.At(i, j); math.IsNaN(v) || math.Abs(v) > 1 {
					t.Errorf("width %g: entry %g", tau, v)
				}
			}
		}
		if math.IsNaN(grad[0]) || math.IsInf(grad[0], 0) {
			t.Errorf("width %g: derivative %g", tau, grad[0])
		}
	}
}

// Eigenvectors end with the error of their context.
func TestFilterStopped(t *testing.T) {
	g := build(t, Recipe{Neighbours: 4}, rowsOf(normal(3, 30, 2)))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func(context.Context, *data.CSR, float64) (Tunable, error){
		"power": NewRealPower, "semigroup": NewSemigroup,
	} {
		if _, err := f(gone, g.Laplacian(), 1.5); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Distances that may be left early are the exact ones to the last bit.
func TestNearIsExact(t *testing.T) {
	for _, d := range []int{31, 32, 33, 35, 36, 47, 48, 50, 64, 67} {
		s, err := newSearcher(rowsOf(normal(7, 6, d)), Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			for j := range 6 {
				exact := s.exact(i, j)
				if got := s.near(i, j, math.Inf(1)); got != exact {
					t.Errorf("%d columns: %v in place of %v", d, got, exact)
				}
				if got := s.near(i, j, exact); got != exact {
					t.Errorf("%d columns, at the limit: %v in place of %v", d, got, exact)
				}
				if got := s.near(i, j, exact/2); i != j && got <= exact/2 {
					t.Errorf("%d columns: %v is within half of %v", d, got, exact)
				}
			}
		}
	}
}
