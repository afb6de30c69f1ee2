package propagate

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
)

// Systems of all powers, on all rows and on some, have the same solution by factorisation, by conjugate
// gradients and by their formula, and their residual is that of the formula.
func TestSystems(t *testing.T) {
	const n = 80
	p := classes(points(21, n), 3, 12)
	a := connected(t, n, p)
	b := mat.NewDense(n, 2, nil)
	for i := range n {
		b.Set(i, 0, float64(i%5)-2)
		b.Set(i, 1, 1)
	}
	for _, power := range []int{1, 2, 3} {
		dense := laplacian(a.Graph, graph.Combinatorial, power)
		for _, unknowns := range [][]int{upTo(n), rest(n, p.Labelled)} {
			m := len(unknowns)
			add, right := make([]float64, m), pick(b, unknowns, upTo(2))
			formula := pick(dense, unknowns, unknowns)
			formula.Scale(0.5, formula)
			for i := range add {
				add[i] = 0.1 + float64(i%3)
				formula.Set(i, i, formula.At(i, i)+add[i])
			}
			want := solved(t, formula, right)
			for _, iterative := range []bool{false, true} {
				s := newSystem(a.Graph.Laplacian(), power, 0.5, unknowns, add)
				s.iterative = iterative
				x := mat.NewDense(m, 2, nil)
				c, err := s.solve(t.Context(), x, right)
				if err != nil || (c.Steps > 0) != iterative || c.Limited != "" {
					t.Fatalf("power %d, iterative %v: %+v, %v", power, iterative, c, err)
				}
				if d := far(x, want); d > 1e-7 {
					t.Errorf("power %d of %d rows, iterative %v: the solution differs by %g", power, m, iterative, d)
				}
				var r mat.Dense
				r.Mul(formula, x)
				r.Sub(right, &r)
				worst := 0.0
				for j := range 2 {
					worst = max(worst, mat.Norm(r.ColView(j), 2)/mat.Norm(right.ColView(j), 2))
				}
				const rounding = 1e-12 // of either residual
				if worst > 1.5*c.Residual+rounding || c.Residual > 1e-9 {
					t.Errorf(
						"power %d of %d rows, iterative %v: the residual is %g, printed as %g",
						power,
						m,
						iterative,
						worst,
						c.Residual,
					)
				}
			}
		}
	}
}

// A system that cannot be solved in the steps that are allowed says so.
func TestUnsolved(t *testing.T) {
	const n = 60
	a := connected(t, n, classes(points(22, n), 2, 10))
	all := make([]float64, n)
	all[0] = -1e-3 // not positive definite
	s := newSystem(a.Graph.Laplacian(), 1, 1, upTo(n), all)
	x, b := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	b.Set(3, 0, 1)
	c, err := s.solve(t.Context(), x, b)
	if err != nil || s.factor != nil || c.Steps == 0 ||
		!strings.HasPrefix(c.Limited, "the system of the graph was solved to a residual of ") ||
		!strings.HasSuffix(c.Limited, "; ask for more neighbours, or --set weights=binary") {
		t.Errorf("%+v, %v", c, err)
	}
}
