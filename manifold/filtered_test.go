package manifold_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// TestFilteredNorms: the norm is the power, or the semigroup, of the Laplacian's eigenvalues, whatever its parameter was when the
// eigenvectors were found, and its parameter is replaced by With.
func TestFilteredNorms(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(7, 2, []float64{0, 0, 1, 0, 0, 2, 3, 3, 4, 3, 3, 5, 9, 1})}
	recipe := graph.Recipe{Neighbours: 2, Degree: 3} // the degree is not used
	g, err := graph.Recipe{Neighbours: 2}.Build(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	eye := mat.NewDiagDense(7, []float64{1, 1, 1, 1, 1, 1, 1})
	l := mat.NewDense(7, 7, nil)
	g.Laplacian().MulTo(l, mat.DenseCopyOf(eye))
	sym := mat.NewSymDense(7, nil)
	for i := range 7 {
		for j := range i + 1 {
			sym.SetSym(i, j, l.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		t.Fatal("no eigenvalues")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	work := new(kernel.Work)
	for _, c := range []struct {
		heat bool
		t    float64
	}{{false, 0}, {false, 2.5}, {false, 0.5}, {true, 0}, {true, 0.25}, {true, 2}} {
		f := manifold.Filtered{Graph: manifold.Graph{Recipe: recipe}, Heat: c.heat}
		power := c.t
		if c.t == 0 {
			power = 1
		} else {
			again, err := f.With([]float64{c.t})
			if err != nil {
				t.Fatal(err)
			}
			f = again.(manifold.Filtered)
		}
		name := "degree"
		if c.heat {
			name = "semigroup"
		}
		if s := f.Space(); len(s) != 1 || s[0].Name != name || s[0].Default != power {
			t.Errorf("%+v has the parameters %+v", c, s)
		}
		o, err := f.Bind(t.Context(), x, work)
		if err != nil {
			t.Fatal(err)
		}
		got := mat.NewDense(7, 7, nil)
		o.MulTo(got, mat.DenseCopyOf(eye))
		var want, right mat.Dense
		values := make([]float64, 7)
		for k, v := range e.Values(nil) {
			if values[k] = math.Pow(max(v, 0), power); c.heat {
				values[k] = math.Exp(power * v)
			}
		}
		right.Mul(mat.NewDiagDense(7, values), u.T())
		want.Mul(&u, &right)
		if !mat.EqualApprox(got, &want, 1e-7) {
			t.Errorf("%+v is\n%.4v, want\n%.4v", c, mat.Formatted(got), mat.Formatted(&want))
		}
	}
	for _, v := range []float64{0, -1, math.NaN()} {
		if _, err := (manifold.Filtered{}).With([]float64{v}); err == nil {
			t.Errorf("the degree %g is taken", v)
		}
	}
	failtest.Names(t, "2 parameters for a filter with one", func() { _, _ = manifold.Filtered{}.With([]float64{1, 2}) })
}
