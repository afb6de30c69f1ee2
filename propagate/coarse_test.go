package propagate

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
)

// The levels save most of the steps, and change no solution.
func TestAggregates(t *testing.T) {
	const n = coarseRows + 1000
	p := classes(points(31, n), 3, 12)
	for _, kind := range []graph.Laplacian{graph.Combinatorial, graph.Normalised} {
		a := label(t, graph.Recipe{Neighbours: 5, Weights: graph.Heat, Laplacian: kind}, p)
		r := a.reach(nil)
		b := mat.NewDense(len(r.free), 2, nil)
		for q := range r.free {
			b.Set(q, 0, 1)
			b.Set(q, 1, float64(q%3-1))
		}
		solution := func(levels bool) (*mat.Dense, int) {
			s := newSystem(a.Graph.Laplacian(), 1, 1, r.free, nil)
			s.tried = !levels
			if kind == graph.Normalised {
				s.smooth = a.roots(r.free)
			}
			x := mat.NewDense(len(r.free), 2, nil)
			c, err := s.solve(t.Context(), x, b)
			if err != nil || c.Limited != "" || c.Residual > tolerance || (s.levels != nil) != levels {
				t.Fatalf("levels %v: %+v, %v", levels, c, err)
			}
			return x, c.Steps
		}
		with, few := solution(true)
		without, many := solution(false)
		t.Logf("%v: %d steps, %d without levels", kind, few, many)
		if few > many/3 {
			t.Errorf("%v: %d steps, %d without levels", kind, few, many)
		}
		if d := far(with, without) / mat.Max(with); d > 1e-5 {
			t.Errorf("%v: the solutions differ by %g", kind, d)
		}
	}
}

// Every row has one aggregate of the stated size; rows without an edge make their own.
func TestAggregateSizes(t *testing.T) {
	p := classes(points(32, 900), 2, 10)
	a := label(t, graph.Recipe{Neighbours: 4, Laplacian: graph.Combinatorial, Symmetry: graph.Mutual, Radius: 0.3}, p)
	of, count := aggregate(a.Graph.Laplacian())
	size := make([]int, count)
	for _, k := range of {
		size[k]++
	}
	for k, s := range size {
		if s < 1 || s > 2*aggregateSize {
			t.Errorf("aggregate %d has %d rows", k, s)
		}
	}
	for i := range of {
		if idx, _ := a.Graph.W.Row(i); len(idx) == 0 && size[of[i]] != 1 {
			t.Errorf("row %d has no edge and an aggregate of %d", i, size[of[i]])
		}
	}
	// P'A P by its formula.
	l, v := a.Graph.Laplacian(), make([]float64, 900)
	dense, pm := l.ToDense(), mat.NewDense(900, count, nil)
	for i := range v {
		v[i] = 1 + float64(i%4)
		pm.Set(i, int(of[i]), v[i])
	}
	var half, want mat.Dense
	half.Mul(pm.T(), dense)
	want.Mul(&half, pm)
	if d := far(smaller(l, of, count, v).ToDense(), &want); d > 1e-12 {
		t.Errorf("the smaller system differs by %g", d)
	}
}
