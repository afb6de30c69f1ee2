package reproduce

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn/rls"
)

// checkFigures: the figures of a table have names, numbers of equal count, and nothing that JSON cannot tell.
func checkFigures(t *testing.T, table *Table) {
	t.Helper()
	if _, err := json.Marshal(table); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, f := range table.Figures {
		if seen[f.Name] || f.Name == "" || f.Title == "" || f.X.Name == "" || f.Y.Name == "" {
			t.Errorf("figure %q says too little, or is there twice", f.Name)
		}
		seen[f.Name] = true
		for _, c := range f.Curves {
			if len(c.X) == 0 || len(c.X) != len(c.Y) || c.Name == "" {
				t.Errorf("%s: curve %q of %d and %d numbers", f.Name, c.Name, len(c.X), len(c.Y))
			}
		}
		for _, v := range f.Levels {
			if len(v.Z) != len(v.Y) || len(v.Z[0]) != len(v.X) {
				t.Errorf("%s: %s is %d x %d on %d x %d", f.Name, v.Name, len(v.Z), len(v.Z[0]), len(v.Y), len(v.X))
			}
		}
	}
}

// TestFigureAgreesWithTheTable: the curve of f4.3 is the means of its rows, and the boundary of f3.1 has
// the sign of the points that the table counts as right.
func TestFigureAgreesWithTheTable(t *testing.T) {
	l := newLab(t, "", 1)
	for u, e := range map[float64][]float64{0: {4, 6}, 10: {3, 1}} {
		for _, v := range e {
			l.add(map[float64]string{0: "x u=0 (RLS)", 10: "x u=10"}[u], testError, v)
		}
	}
	c := l.means("x", testError, []float64{0, 10, 20}, func(k int) string { return []string{"x u=0 (RLS)", "x u=10", ""}[k] })
	if len(c.X) != 2 || c.Y[0] != 5 || c.Y[1] != 2 {
		t.Errorf("%+v", c)
	}
	toy := newToy("moons-even", 50)
	w := toyKernel(0, 16)
	g, m := toy.train(t.Context(), w, rls.Learner{}, 0.0625)
	wrong, out := toy.wrongOf(t.Context(), g, m), toy.outputs(t.Context(), g, m)
	count := 0
	for i, k := range toy.class {
		if (out.At(i, 0) >= 0) != (k == 1) {
			count++
		}
	}
	if n := float64(toy.problem.Rows.Len() - 2); math.Abs(wrong-100*float64(count)/n) > 1e-9 {
		t.Errorf("%d points on the wrong side, the table has %g %%", count, wrong)
	}
}

// TestPlane: places go round the rows, and a level has the value of each.
func TestPlane(t *testing.T) {
	p := around(data.Rows{Dense: mat.NewDense(2, 2, []float64{0, 0, 2, 1})})
	out := mat.NewDense(p.rows.Len(), 1, nil)
	for i := range p.rows.Len() {
		out.Set(i, 0, p.rows.Dense.At(i, 0)+10*p.rows.Dense.At(i, 1))
	}
	v := p.level("f", out)
	for i, y := range v.Y {
		for j, x := range v.X {
			if v.Z[i][j] != x+10*y {
				t.Fatalf("at %g, %g: %g", x, y, v.Z[i][j])
			}
		}
	}
	if len(v.X) != 60 || len(v.Y) != 60 {
		t.Fatalf("%d x %d points", len(v.X), len(v.Y))
	}
	for k := range v.X { // beyond the rows by 0.15 of their extent on either side
		if at := float64(k) / 59; math.Abs(v.X[k]-(2.6*at-0.3)) > 1e-12 || math.Abs(v.Y[k]-(1.3*at-0.15)) > 1e-12 {
			t.Errorf("point %d is at %g, %g", k, v.X[k], v.Y[k])
		}
	}
}

// TestClaimIsJudged: a rise anywhere is noted, a fall throughout is too.
func TestClaimIsJudged(t *testing.T) {
	for says, y := range map[string][]float64{"does not hold": {3, 7, 2}, "falls as": {3, 2.5, 2}} {
		l := newLab(t, "", 1)
		l.helped(Curve{Name: "160 labels", X: []float64{0, 10, 20}, Y: y})
		if len(l.notes) != 1 || !strings.Contains(l.notes[0], says) || !strings.Contains(l.notes[0], "160 labels") {
			t.Errorf("%v: %q", y, l.notes)
		}
	}
}

// TestDrawKeepsNumbersOnly: what JSON cannot tell is left out of curves and at the top of functions.
func TestDrawKeepsNumbersOnly(t *testing.T) {
	l := newLab(t, "", 1)
	l.draw(
		Figure{
			Curves: []Curve{{X: []float64{1, 2, 1.23456789}, Y: []float64{math.Inf(1), math.NaN(), 5}}},
			Levels: []Level{{Z: [][]float64{{1, math.Inf(1)}, {math.NaN(), 3}}}},
		},
	)
	f := l.table(0).Figures[0]
	if c := f.Curves[0]; len(c.X) != 1 || c.X[0] != 1.23457 || c.Y[0] != 5 {
		t.Errorf("%+v", c)
	}
	if z := f.Levels[0].Z; z[0][1] != 3 || z[1][0] != 3 || z[0][0] != 1 {
		t.Errorf("%v", z)
	}
}
